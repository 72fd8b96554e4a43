"""What declared checks count beyond the one scan's states: parts folded from rows on demand, kept per data file.

A `Part` says what is counted (`part`): rows where a condition holds, groups of values, numbers, pairs of numbers, types
of text. Each kind's state is a commutative monoid with an exact answer: `merge` in any order and grouping is the state
of the union, an empty state its identity. `metrics` names the figures that are read off them, as deequ and its paper
define them (Schelter et al., VLDB 2018, table 2).
"""
