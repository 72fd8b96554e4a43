"""What a program of clauses on metrics says: one sentence, which a person would sign.

The clauses that people ask for first are said, and how many others there are: all of them are judged, and listed on the
rule's page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from catalog.metrics.registry import METRICS
from catalog.rules.clauses.band import BandClause
from catalog.rules.clauses.clause import Clause
from catalog.wording import counted

#: What people ask first: of a table how many rows it has, of numbers their average and range, or, where these are not
#: known or the numbers are codes, how much larger or smaller they may get and whether they are negative, of times how
#: they move on, of others how many values there are, how many are new and how frequent the first; of all, how many are
#: missing where some are. Chosen; other clauses of a program are said only where it has none of these: how long texts
#: are on average or how many numbers differ nobody would sign.
FIRST = {
    "mean": ("mean", "complete_ratio", "min", "max", "negative_ratio", "zero_ratio"),
    "log_EMD": ("log_mean", "negative_ratio", "complete_ratio"),
    "time_leap": ("time_leap", "complete_ratio", "time_span"),
    "": (
        *("row_count", "shortfall", "duplicate_ratio", "complete_ratio", "dist_val_count", "new_values", "top_ratio"),
        *("min", "max", "time_span"),
    ),
}
#: Of these each is said, though they are of one aspect.
_EACH = frozenset({"mean", "min", "max", "dist_val_count", "top_ratio"})
#: What stands behind a program's sentence; the last is of rules of earlier releases.
_BEHIND = re.compile(
    r" \((?:as in its last [0-9]+ batches|default range for a new table|as healthy tables change)\)\.\Z"
)
MOST_SAID, ROOM = 3, 130  # clauses that a program's sentence names, in so many characters; bounds of length


def in_words(clauses: Sequence[Clause], *, private: bool = False) -> str:
    """What a program says, in words: the clauses that people ask for first (`FIRST`), those that `ROOM` holds, one at
    least.

    >>> in_words([BandClause(name, high=9.0) for name in ("std", "parsed_ratio", "mean", "row_count")])
    'the average is at most 9; and 3 more metrics'
    >>> in_words([BandClause(name, high=1.0) for name in ("max_len", "new_values")])
    'longest string is at most 1; and 1 more metric'
    >>> nulls = [BandClause("complete_ratio", low=low, center=middle) for low, middle in ((1.0, 1.0), (0.9, 0.95))]
    >>> [in_words([one, BandClause("mean", low=5.0, high=9.0), BandClause("max", high=30.0)]) for one in nulls]
    ['the average is 5 to 9; the largest is at most 30; none of the rows are null',
    'the average is 5 to 9; at most 10% of the rows are null; the largest is at most 30']
    """
    bands = _from_nothing([clause for clause in clauses if isinstance(clause, BandClause)])
    names = {clause.metric for clause in bands}
    order = next(of for name, of in FIRST.items() if not name or name in names)

    def place(clause: BandClause) -> tuple[object, ...]:
        hides, at = private and clause.tells, order.index(clause.key) if clause.key in order else len(order)
        return not clause.binds, hides, clause.is_minor, len(order) if clause.of_full else at

    said: dict[str, str] = {}  # of each aspect one
    for clause in sorted(bands, key=place):
        aspect = clause.key if clause.key in _EACH or clause.key not in METRICS else METRICS[clause.key].aspect
        if (aspect or clause.key) in said:
            continue
        words = clause.brief(private=private)
        is_little = clause.is_minor or not clause.binds or clause.key not in order or len(said) == MOST_SAID
        if said and (is_little or len("; ".join([*said.values(), words])) > ROOM):
            break
        said[aspect or clause.key] = words
    rest = len(clauses) - len(said)
    return "; ".join([*said.values(), *([f"and {counted(rest, 'more metric')}"] if rest else [])])


def _from_nothing(bands: Sequence[BandClause]) -> list[BandClause]:
    """The clauses as they are said of a column in which no number was negative: that its smallest is above -40 says
    nothing.

    >>> never, least = BandClause("negative_ratio", center=0.0, high=0.01), BandClause("min", low=-40.0, high=40.0)
    >>> [one.brief() for some in ([never, least], [least]) for one in _from_nothing(some)[-1:]]
    ['the smallest is at most 40', 'the smallest is -40 to 40']
    """
    if not any(one.metric == "negative_ratio" and not one.lag and one.middle == 0 for one in bands):
        return list(bands)

    def said(one: BandClause) -> BandClause:
        is_size = one.metric in ("mean", "min", "max") and not one.lag and not one.log
        return replace(one, low=None, center=one.middle) if is_size and (one.low or 0) <= 0 < one.high else one

    return [said(one) for one in bands]


def stays(batches: int, clauses: Sequence[Clause]) -> str:
    """The sentence of a rule that was learned from so many batches.

    >>> stays(47, [BandClause("row_count", low=90.0, high=110.0)])
    '90 to 110 rows (as in its last 47 batches).'
    """
    return f"{in_words(clauses)} (as in its last {batches} batches)."


def as_others(clauses: Sequence[Clause]) -> str:
    """The sentence of a rule of a table that has no past of its own.

    >>> as_others([BandClause("row_count", low=90.0, high=110.0)])
    '90 to 110 rows (default range for a new table).'
    """
    return f"{in_words(clauses)} (default range for a new table)."


def reworded(sentence: str, clauses: Sequence[Clause], *, private: bool = False) -> str:
    """The sentence of a rule with other clauses: where they come from stands behind them, or before them in rules of
    earlier releases.

    >>> rows = [BandClause("row_count", low=90.0, high=110.0)]
    >>> reworded("at most 9 rows (as in its last 47 batches).", rows)
    '90 to 110 rows (as in its last 47 batches).'
    >>> reworded("As in its last 47 batches: at most 9 rows.", rows)
    'As in its last 47 batches: 90 to 110 rows.'
    """
    said, behind = in_words(clauses, private=private), _BEHIND.search(sentence)
    return f"{said}{behind.group()}" if behind else f"{sentence.partition(': ')[0]}: {said}."
