"""Rules on tables whose own past is too short to learn from: what healthy batches of other tables do.

From its second version on, a batch of numbers, times and flags is compared with the one before it. How far these are
from each other in healthy tables (`REACH`) was measured on 25 real series and 12 tables of packages; a table's own
batches widen that where they moved farther, and from `LEAST` of them on its own past is what rules are learned from
(`catalog.learners.series.history`). Of strings the rules on their values say more (`catalog.learners.strings`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from catalog.learners.series.limits import ENOUGH
from catalog.learners.series.scales import Scale, of_one_row, scale_of
from catalog.metrics.registry import METRICS
from catalog.rules.clauses.band import WILD, BandClause, that_bind
from catalog.rules.clauses.programs import as_others
from catalog.rules.kinds.history import HistoryRule, VolumeRule

#: Two rows are no news where one was none, as of bands from a table's own past; chosen.
ROWS = 2.0
#: How many times all that a table's batches moved themselves the next one may; chosen, as for what was seen once.
OWN = 1.5


@dataclass(frozen=True)
class Reach:
    """How far a metric is in a batch from where it was in the one before, `down` and `up`: one healthy pair of a
    thousand goes farther. `log`: so many times as far, as the logarithm of that. `never`: of columns that had none.
    `partly`: how far `down` from where it was less than whole, as of columns that had been empty in some rows before:
    what fills only some of the rows comes and goes with these."""

    down: float = math.inf
    up: float = math.inf
    log: bool = False
    never: bool = False
    partly: float = 0.0

    def down_from(self, last: float) -> float:
        return max(self.down, self.partly if last < 1 else 0.0)


#: By ``python -m benchmarks.shipped.prior_bands --data DIR --data NINTH``, each table counting alike; chosen for the
#: last two, which hardly ever happen. `partly` is chosen, after the second versions of `benchmarks.second` (part to
#: develop on, rows in the order of the file): of 344 columns that lacked some values 23 in five of 47 tables lack 25
#: points more, 5 in two tables 40, of 1,162 that lacked none 6 in one of 110 tables either. In 25 real series one of a
#: thousand pairs of the former goes 0.13, 0.07 without one of these.
REACH: Mapping[str, Reach] = {
    "complete_ratio": Reach(down=0.082, partly=0.13),
    "dist_val_count": Reach(down=0.41, log=True),
    "log_mean": Reach(down=0.46, up=0.33),
    "log_EMD": Reach(up=0.55),
    "negative_ratio": Reach(up=0.01, never=True),
    "nan_ratio": Reach(up=0.002, never=True),
}
#: What columns of other kinds have none of, though a distance of it could be demanded before there is one.
OF_NUMBERS = ("log_mean", "log_EMD", "negative_ratio", "nan_ratio")
REACH_OF_ROWS: Mapping[str, Reach] = {"row_count": Reach(down=0.37, log=True)}


@dataclass(frozen=True)
class Rate:
    """Of healthy batches that break a rule whose bands are q times `REACH`: `at_one` q^-`index`."""

    at_one: float
    index: float

    def width(self, budget: float) -> float:
        """How many times `REACH` bands must be to spend no more than `budget`; once at least."""
        return float(max((self.at_one / budget) ** (1 / self.index), 1.0))

    def stated(self, width: float) -> float:
        return float(self.at_one * width**-self.index)


#: By the same, of sources that were left out of `REACH`.
COLUMN_RATE, ROWS_RATE = Rate(0.0045, 1.35), Rate(0.0048, 1.5)


def prior_column(
    series: Sequence[Mapping[str, float]],
    *,
    column: str,
    kind: str,
    budget: float,
    unused: Collection[str] = (),
    reach: Mapping[str, Reach] = REACH,
) -> HistoryRule | None:
    """The rule of a column by its latest batch alone; None of strings, and of columns of a few rows.

    Parameters
    ----------
    series : metrics of the column in past batches, oldest first, empty for holes.
    budget : false-alarm rate that the rule may spend, 0..1; no less in a wide table, whose columns move together where
    they do (of 2,325 versions with columns of every width 11 broke any rule). unused : metrics that say nothing.
    reach : how far metrics go, another one to measure it.
    """
    batches = [one for one in series if one]
    if kind == "string" or not batches:
        return None
    scale = scale_of(batches)
    left_out = {*unused, *(() if kind == "number" else OF_NUMBERS)} | (
        reach.keys() - {"complete_ratio"} if scale.filled < ENOUGH else set()
    )
    wanted = {name: one for name, one in reach.items() if name not in left_out}
    return _rule("history", column, batches, wanted, scale, kind, budget)


def prior_volume(
    series: Sequence[Mapping[str, float]], budget: float, reach: Mapping[str, Reach] = REACH_OF_ROWS
) -> HistoryRule | None:
    """The same of a table's rows: how many they are."""
    batches = [one for one in series if one]
    if not batches:
        return None
    scale = Scale(batches[-1]["row_count"], 0.0, 0.0, False, filled=batches[-1]["row_count"])
    return _rule("volume", None, batches, reach, scale, "table", budget)


def _rule(
    kind: str,
    column: str | None,
    batches: Sequence[Mapping[str, float]],
    reach: Mapping[str, Reach],
    scale: Scale,
    of: str,
    budget: float,
) -> HistoryRule | None:
    if scale.rows < ENOUGH:
        return None
    rate = ROWS_RATE if column is None else COLUMN_RATE
    width = rate.width(budget)
    fpr = min(rate.stated(width), budget)
    found = (_clause(name, one, batches, scale, width) for name, one in reach.items())
    clauses = that_bind([one for one in found if one is not None])
    if not clauses:
        return None
    clauses = [replace(one, fpr=fpr / len(clauses)) for one in clauses]
    params = {"clauses": [one.to_json() for one in clauses], "batches": len(batches), "kind": of}
    sentence = as_others(clauses)
    evidence = {"batches": len(batches), "clauses": len(clauses)}
    return (VolumeRule if column is None else HistoryRule)(kind, column, params, fpr, sentence, "history", evidence)


def _clause(
    name: str, reach: Reach, batches: Sequence[Mapping[str, float]], scale: Scale, width: float
) -> BandClause | None:
    """The clause on one metric; None where it is not known, or can go no farther than it may."""
    metric, last = METRICS[name], batches[-1].get(name)
    if metric.sides == "high" and not reach.never:  # a distance, which the first batch has of none
        known = [one[name] for one in batches if name in one]
        high = max(width * reach.up, OWN * max(known, default=0.0))
        return BandClause(name, center=0.0, high=high, filled=scale.filled)
    if last is None:
        return None
    rows = ROWS * of_one_row(name, scale, abs(last))
    if reach.never:
        high = max(width * reach.up, rows)
        return BandClause(name, center=0.0, high=high, filled=scale.filled) if last == 0 else None
    if reach.log and last <= 0:
        return None
    moved = [_moved(a, b, name, reach.log) for a, b in pairwise(batches)]
    least = math.log1p(rows / last) if reach.log else rows
    down = max(width * reach.down_from(last), OWN * max((-one for one in moved), default=0.0), least)
    up = max(width * reach.up, OWN * max(moved, default=0.0), least)
    if metric.is_share:
        if down >= last:
            return None  # it cannot fall so far
        up = min(up, 1.0)
    if reach.log:
        up = min(up, WILD)
        if last * math.exp(-down) < 1:
            return None  # of two or three values one is left
    return BandClause(name, 1, reach.log, 0.0, -down, up, scale.filled)


def _moved(before: Mapping[str, float], now: Mapping[str, float], name: str, log: bool) -> float:
    """How far a metric went; 0 where it is not known."""
    a, b = before.get(name), now.get(name)
    if a is None or b is None or (log and min(a, b) <= 0):
        return 0.0
    return math.log(b / a) if log else b - a
