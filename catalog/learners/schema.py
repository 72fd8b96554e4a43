"""Learning how sure it is that a table keeps its columns."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from catalog.rules.kinds.schema import Columns, broken
from catalog.rules.rule import Rule

#: Weight of the prior, in versions: before its own history speaks, a table is taken to change its schema once in a
#: thousand versions (0.1 changes in 100 versions).
PRIOR_CHANGES, PRIOR_VERSIONS = 0.1, 100.0


def learn_schema(
    history: Sequence[Columns], healthy: Sequence[Columns] = (), confirmed: Sequence[Columns] = ()
) -> Rule | None:
    """The rule that the columns of the last version stay, None for a table that never had columns.

    Parameters
    ----------
    history : the columns, ``[[name, type], ...]``, of every version that is known, oldest first.
    healthy, confirmed : those of the versions that nothing is held against, and of those that a person called right.
        A column whose type went to and fro may have any of the types that people called right, too: types that are
        guessed from the rows of the day do so.

    The stated false-alarm rate is the share of past versions that broke the schema before them, smoothed by a Gamma
    prior of `PRIOR_CHANGES` in `PRIOR_VERSIONS`.

    >>> rule = learn_schema([[["id", "bigint"]]] * 10)
    >>> rule.sentence, round(rule.fpr, 4)
    ('The 1 column of the table keeps its name and type.', 0.0009)
    >>> learn_schema([]) is None
    True
    >>> days = [[["id", kind]] for kind in ("bigint", "string", "bigint")]
    >>> learn_schema(days, days, days[1:]).params, learn_schema(days, days).params
    ({'columns': [['id', 'bigint']], 'also': {'id': ['string']}}, {'columns': [['id', 'bigint']]})
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
    also = alternatives(columns, healthy, confirmed)
    fpr = (changes + PRIOR_CHANGES) / (len(history) - 1 + PRIOR_VERSIONS)
    return Rule(
        "schema",
        None,
        {"columns": columns, "also": also} if also else {"columns": columns},
        min(1.0, fpr),
        words,
        "schema",
        {"versions": len(history), "changes": changes},
    )


def alternatives(columns: Columns, healthy: Sequence[Columns], confirmed: Sequence[Columns]) -> dict[str, list[str]]:
    """The other types of each column that it had in a version that a person called right, and since it first had one
    again that it had had before.

    >>> days = [[["id", kind]] for kind in ("int", "double", "string", "double")]
    >>> alternatives([["id", "double"]], days, days), alternatives([["id", "double"]], days[:3], days)
    ({'id': ['string']}, {})
    """
    types: dict[str, list[str]] = {}
    for name, kind, *_ in (column for version in healthy for column in version):
        had = types.setdefault(name, [])
        if not had or had[-1] != kind:
            had.append(kind)
    called_right = {(column[0], column[1]) for version in confirmed for column in version}
    found = {}
    for name, kind, *_ in columns:
        had = types.get(name, [])
        first = next((at for at, one in enumerate(had) if had.count(one) > 1), len(had))
        others = {one for one in had[first:] if one != kind and (name, one) in called_right}
        if others:
            found[name] = sorted(others)
    return found
