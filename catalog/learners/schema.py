"""Learning how sure it is that a table keeps its columns."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from catalog.rules.kinds.schema import Columns, broken
from catalog.rules.rule import Rule

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
