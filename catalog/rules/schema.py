"""Schema rule: the columns of a table and their types stay."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from catalog.rules.rule import Rule

Columns = Sequence[Sequence[str]]

#: Weight of the prior, in versions: before its own history speaks, a table is taken to change its schema once in a
#: thousand versions (0.1 changes in 100 versions).
PRIOR_CHANGES, PRIOR_VERSIONS = 0.1, 100.0


def learn_schema(history: Sequence[Columns]) -> Rule | None:
    """The rule that the columns of the last version stay, None for a table that never had columns.

    Parameters
    ----------
    history : the columns, ``[[name, type], ...]``, of every version that is known, oldest first.

    The stated false-alarm rate is the share of past versions that broke the schema before them, smoothed by a Gamma
    prior of `PRIOR_CHANGES` in `PRIOR_VERSIONS`.

    >>> rule = learn_schema([[["id", "bigint"]]] * 10)
    >>> rule.sentence, round(rule.fpr, 4)
    ('The 1 column of the table keeps its name and type.', 0.0009)
    >>> learn_schema([]) is None
    True
    """
    if not history or not history[-1]:
        return None
    changes = sum(bool(broken(old, new)) for old, new in itertools.pairwise(history))
    columns = [list(column) for column in history[-1]]
    count = len(columns)
    words = (
        "The 1 column of the table keeps its name and type."
        if count == 1
        else (f"The {count} columns of the table keep their names and types.")
    )
    fpr = (changes + PRIOR_CHANGES) / (len(history) - 1 + PRIOR_VERSIONS)
    return Rule(
        "schema",
        None,
        {"columns": columns},
        min(1.0, fpr),
        words,
        "schema",
        {"versions": len(history), "changes": changes},
    )


#: A change from the first type to one of the others loses nothing and is no damage.
WIDER = {
    "tinyint": {"smallint", "int", "bigint", "float", "double"},
    "smallint": {"int", "bigint", "float", "double"},
    "int": {"bigint", "double"},
    "bigint": set(),
    "float": {"double"},
    "date": {"timestamp_ntz"},
}


def broken(old: Columns, new: Columns) -> list[str]:
    """What of the old columns is gone or of another type now, in words; widened types are not.

    >>> broken([["a", "int"], ["b", "string"]], [["a", "bigint"], ["c", "string"]])
    ["column 'b' is gone"]
    >>> broken([["a", "int"]], [["a", "string"]])
    ["column 'a' was int and is string"]
    """
    types = {column[0]: column[1] for column in new}
    words = []
    for name, kind in old:
        if name not in types:
            words.append(f"column {name!r} is gone")
        elif types[name] != kind and types[name] not in WIDER.get(kind, set()):
            words.append(f"column {name!r} was {kind} and is {types[name]}")
    return words


def added(old: Columns, new: Columns) -> list[str]:
    """Names of the columns that are new.

    >>> added([["a", "int"]], [["a", "int"], ["b", "int"]])
    ['b']
    """
    known = {name for name, _ in old}
    return [name for name, _ in new if name not in known]
