"""Checks that people declare: what deequ's users write, and more, as data.

`kinds.registry` is the list of what can be demanded, one entry a kind: what it counts, which figure it reads, what it
says in words, which rows break it. A `Constraint` (`constraint`) is one demand on one table; a `Check` (`check`) a list
of them with a name; `files` reads and writes them as YAML. None of them states a false-alarm rate: a person demands it.
"""
