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
    """What of the old columns is gone, renamed or of another type now, in words; widened types are not.

    Columns are ``[name, type]``, or ``[name, type, name inside the files]`` where the two names differ in the table
    (column mapping): there a column that was renamed is known again, and one that was dropped and added anew is not.

    >>> broken([["a", "int"], ["b", "string"]], [["a", "bigint"], ["c", "string"]])
    ["column 'b' is gone"]
    >>> broken([["a", "int"]], [["a", "string"]])
    ["column 'a' was int and is string"]
    >>> broken([["a", "int", "c-1"], ["b", "int", "c-2"]], [["z", "int", "c-1"], ["b", "int", "c-9"]])
    ["column 'a' was renamed to 'z'", "column 'b' was dropped and added anew"]
    """
    types = {column[0]: column[1] for column in new}
    moved, anew = renamed(old, new)
    words = []
    for name, kind, *_ in old:
        if name in moved:
            words.append(f"column {name!r} was renamed to {moved[name]!r}")
        elif name not in types:
            words.append(f"column {name!r} is gone")
        elif name in anew:
            words.append(f"column {name!r} was dropped and added anew")
        elif types[name] != kind and types[name] not in WIDER.get(kind, set()):
            words.append(f"column {name!r} was {kind} and is {types[name]}")
    return words


def retyped(old: Columns, new: Columns) -> set[str]:
    """Names of the columns whose values are of another type now; widened types are not.

    >>> retyped([["a", "int"], ["b", "int"]], [["a", "string"], ["b", "bigint"]])
    {'a'}
    """
    types = {column[0]: column[1] for column in new}
    return {
        column[0]
        for column in old
        if (now := types.get(column[0], column[1])) != column[1] and now not in WIDER.get(column[1], set())
    }


def renamed(old: Columns, new: Columns) -> tuple[dict[str, str], set[str]]:
    """Columns that have another name now (old name -> new name), and names that stand for another column now.

    >>> renamed([["a", "int", "c-1"], ["b", "int", "c-2"]], [["z", "int", "c-1"], ["b", "int", "c-9"]])
    ({'a': 'z'}, {'b'})
    """
    inside = {column[0]: column[2] for column in new if len(column) > 2}
    names = {own: name for name, own in inside.items()}
    before = {column[0]: column[2] for column in old if len(column) > 2}
    moved = {name: names[own] for name, own in before.items() if names.get(own, name) != name}
    return moved, {name for name, own in before.items() if inside.get(name, own) != own and name not in moved}


def added(old: Columns, new: Columns) -> list[str]:
    """Names of the columns that are new.

    >>> added([["a", "int"]], [["a", "int"], ["b", "int"]])
    ['b']
    """
    known = {column[0] for column in old}
    inside = {column[2] for column in old if len(column) > 2}
    return [column[0] for column in new if column[0] not in known and not inside & set(column[2:])]
