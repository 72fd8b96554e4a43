"""Distances between two batches' hours of the day; what stands twice: in a batch, or in the batch before too; how times
move on from batch to batch, and which lie far outside."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date

import numpy as np

from catalog.history.calendar.seasons import PERIODS, Floats
from catalog.states.column import ColumnState
from catalog.states.metrics import MICROSECONDS_A_DAY, NO_DATES
from catalog.states.parts.distinct import Distinct
from catalog.states.parts.summaries import Quantiles
from catalog.states.table import TableState

#: Share of the distance of two days' profiles that may be left when one is turned by hours. Chosen: of 1,080 pairs of
#: loads of a day in which nothing turned (four profiles, 50 to 5,000 rows) none was beyond it, of 0.5 twenty of the
#: loads that come round the clock were in a hundred.
TURNED = 0.3
CHANCE = 0.001  # of two profiles to differ as much by chance, below which nothing turned; chosen
#: Steps of a column's times from one batch to the next that are known before one is said to be usual. Chosen.
STEPS = 3
#: The part of a usual step within which two steps begin at the same time of the day or week. Chosen: loads of a day are
#: further apart.
NEAR_STEP = 4
#: Days by which times may lie outside of all before, however short that was. Chosen: mistakes of dates, and what is
#: written where there is none, are decades away, what is delivered late, or foreseen, is not.
YEAR = 366.0
_NO_DAYS = frozenset(date(*day).toordinal() - date(1970, 1, 1).toordinal() for day in NO_DATES)


def shares(counts: Sequence[int]) -> Floats:
    """Counts as shares of their sum, which is not 0."""
    x: Floats = np.asarray(counts, float)
    x = x / x.sum()
    return x


def circular_emd(p: Floats, q: Floats) -> float:
    """Earth mover's distance of two distributions over a circle of equal steps, in steps.

    Mass moves either way round: the sum of |F - G - median(F - G)| over the steps (Werman et al., 1986).

    >>> day = np.zeros(24)
    >>> day[9] = 1.0
    >>> circular_emd(day, np.roll(day, 2)), circular_emd(day, np.roll(day, 23)), circular_emd(day, day)
    (2.0, 1.0, 0.0)
    """
    ahead = np.cumsum(p - q)
    return float(np.abs(ahead - np.median(ahead)).sum())


def turn_of(now: Sequence[int], before: Sequence[int]) -> int:
    """By how many hours a day's profile turned, -12..12: 0 unless so many hours earlier it is far more alike
    (`TURNED`), and the profiles differ by more than chance. Alike is what has a small triangular discrimination
    (Topsøe, 2000), by which hours count in which nothing happened; of two draws of n and m from one profile of k hours
    it is (1 / n + 1 / m) / 2 of a chi-squared of k - 1.

    Parameters
    ----------
    now, before : how many times of each hour there are.

    >>> day = [0] * 8 + [30, 50, 60, 40, 20] + [0] * 11
    >>> [turn_of(np.roll(day, hours).tolist(), day) for hours in (2, -7, 0)]
    [2, -7, 0]
    >>> turn_of([11, 9] * 12, [9, 11] * 12), turn_of([10] * 24, day)
    (0, 0)
    """
    p, q = shares(now), shares(before)
    apart = {hours: _discrimination(p, np.roll(q, hours)) for hours in range(-12, 13)}
    held = int(np.count_nonzero(p + q))
    from scipy.special import chdtri  # loaded by who compares days: pages and commands mostly do not

    by_chance = chdtri(max(held - 1, 1), CHANCE) * (1 / sum(now) + 1 / sum(before)) / 2
    best = min(apart, key=lambda hours: (apart[hours], abs(hours)))
    return best if apart[0] > by_chance and apart[best] < TURNED * apart[0] else 0


def _discrimination(p: Floats, q: Floats) -> float:
    there = p + q > 0
    return float(((p - q)[there] ** 2 / (p + q)[there]).sum())


def repeated(current: Distinct, previous: Distinct) -> float:
    """Share of the rows that the batch before has as well, of a sample of the distinct rows of both, 0..1."""
    threshold = np.uint64(min(current.threshold, previous.threshold) - 1)
    kept = current.hashes <= threshold
    rows = current.counts[kept]
    there = np.isin(current.hashes[kept], previous.hashes)
    return float(rows[there].sum() / rows.sum()) if rows.sum() else float("nan")


def same_rows(current: TableState, previous: TableState) -> bool:
    """Whether two batches hold the same rows, as far as their states tell: no row of the sample is new, and no figure
    of any column is another. A row in a million that is another shows in sums and in what hashes are least."""
    return (
        current.rows == previous.rows > 0
        and list(current.of_rows) == list(previous.of_rows)
        and repeated(current.row_distinct, previous.row_distinct) == 1.0
        and all(same_values(column, previous.columns[name]) for name, column in current.of_rows.items())
    )


def same_values(a: ColumnState, b: ColumnState) -> bool:
    """Whether two columns hold the same values as often, as far as their states tell."""
    if (a.type, a.non_null, a.low, a.high) != (b.type, b.non_null, b.low, b.high):
        return False
    if a.table is not None or b.table is not None:
        return a.table == b.table
    same = np.array_equal(a.distinct.hashes, b.distinct.hashes) and np.array_equal(a.distinct.counts, b.distinct.counts)
    return same and _sums(a) == _sums(b)


def _sums(column: ColumnState) -> tuple[str, ...]:
    """Sums of numbers and of characters, in so many digits that the order of the rows does not matter."""
    numbers, lengths = column.moments, column.lengths
    sums = [*((numbers.mean, numbers.m2) if numbers else ()), *((lengths.chars, lengths.m2) if lengths else ())]
    return tuple(f"{x:.9g}" for x in sums)


def times_kept(c: ColumnState, p: ColumnState, lost: float) -> bool:
    """Whether times came to those that there were: none of these is `lost`, and up to each there are as many as before,
    or as many more as came, but for what summaries may be out by. Their median then moves by what nothing before says.
    """
    now, before = c.quantiles, p.quantiles
    assert now is not None
    assert before is not None
    came = now.n - before.n
    if came <= 0 or lost > now.error + before.error:
        return False
    more = _up_to(now, before.values) - _up_to(before, before.values)
    out_by = now.error * now.n + before.error * before.n
    return bool(np.all((more >= -out_by) & (more <= came + out_by)))


def time_leap(c: ColumnState, p: ColumnState) -> float:
    """By how many days the median of times moved on at least: beyond what both summaries may be out by. Of six hundred
    dates of birth a point stands for five, which are months from each other."""
    now, before = c.quantiles, p.quantiles
    assert now is not None
    assert before is not None
    leap = now.median() - before.median()
    out_by = sum((q.quantile(0.5 + q.error) - q.quantile(0.5 - q.error)) / 2 for q in (now, before) if q.error)
    return math.copysign(max(abs(leap) - out_by, 0.0), leap) / MICROSECONDS_A_DAY


def leap_of_rows(c: ColumnState, p: ColumnState, other: float) -> float:
    """By how many days the median of times may move because rows came or went, where most stayed: it is among the
    middle ones of the times before. `other`: share of the times that are new or gone, 0..1. 0 where most are others:
    then these are times of their own."""
    now, before = c.quantiles, p.quantiles
    assert now is not None
    assert before is not None
    share = other + (abs(now.n - before.n) + 1) / max(now.n, before.n) + now.error + before.error
    if share >= 0.5:
        return 0.0
    middle = before.median()
    return max(middle - before.quantile(0.5 - share), before.quantile(0.5 + share) - middle) / MICROSECONDS_A_DAY


def _up_to(q: Quantiles, at: Floats) -> Floats:
    """How many rows are no larger than each of some values."""
    return np.concatenate(([0.0], np.cumsum(q.weights)))[np.searchsorted(q.values, at, side="right")]


def duplicated(rows: Distinct) -> float:
    """Share of the rows that stand there before already, of a sample of the distinct rows, 0..1: 0 where all differ."""
    seen = int(rows.counts.sum())
    return 1 - len(rows.counts) / seen if seen else float("nan")


def beside_past(
    of: Mapping[str, float], earlier: Sequence[Mapping[str, float]], waited: float | None
) -> dict[str, float]:
    """The metrics of one column of times that all its past is needed for, see `catalog.history.series.paced`."""
    return pace_of(of, earlier, waited) | stray_of(of, earlier, waited)


def pace_of(of: Mapping[str, float], earlier: Sequence[Mapping[str, float]], waited: float | None) -> dict[str, float]:
    """The `pace` of one column, see `catalog.history.series.paced`; empty where too little is known. Behind holes,
    empty in `earlier`, times may have moved by a step for each of them.

    >>> daily = [{"time_leap": 1.0}] * 5
    >>> pace_of({"time_leap": 2.0}, daily, 1.0), pace_of({"time_leap": 2.0}, daily, 2.0)  # a day off; one left out
    ({'pace': 1.0}, {'pace': 0.0})
    >>> pace_of({"time_leap": 1.0}, daily, 3.0), pace_of({"time_leap": 1.0}, daily[:2], 1.0)  # late; too early to say
    ({'pace': 0.0}, {})
    >>> pace_of({"time_leap": 3.0}, [*daily, {}, {}], 0.1)
    {'pace': 0.0}
    >>> pace_of({"time_leap": 9.0, "times_kept": 1.0}, daily, 1.0)  # the median of all rows is among the new ones now
    {'pace': 0.0}
    >>> pace_of({"time_leap": 190.0, "leap_of_rows": 200.0}, [{"time_leap": 0.0}] * 5, 1.0)  # of people who are kept
    {'pace': 0.0}
    """
    known = [m["time_leap"] for m in earlier if "time_leap" in m]
    if waited is None or "time_leap" not in of or len(known) < STEPS:
        return {}
    if of.get("times_kept"):
        return {"pace": 0.0}
    leap, usual = of["time_leap"], float(np.median(known))
    holes = next((k for k, one in enumerate(reversed(earlier)) if one), len(earlier))
    steps = (waited, _same_step(known), *(step * usual for step in range(1, holes + 2)))
    by_rows = of.get("leap_of_rows", 0.0) if usual <= 0 else 0.0  # times that go on with the calendar move by it alone
    return {"pace": max(min(abs(leap - step) for step in steps) - by_rows, 0.0)}


def _same_step(known: Sequence[float]) -> float:
    """By how much times usually move next, behind so many steps in days: the median of the steps that began a whole
    number of weeks before, or else of days. Of loads at six, ten and eighteen o'clock the last one is followed by a
    longer step, late or not. Infinite where there were fewer than `STEPS`.

    >>> loads = [4 / 24, 8 / 24, 12 / 24] * 4
    >>> [round(24 * _same_step(loads[: 9 + one])) for one in range(3)], _same_step(loads[:5])
    ([4, 8, 12], inf)
    >>> week = [1.0, 1.0, 1.0, 1.0, 3.0] * 3
    >>> [_same_step([*week, *week[:one]]) for one in range(5)]
    [1.0, 1.0, 1.0, 1.0, 3.0]
    """
    steps = np.array(known)
    since = np.cumsum(steps[::-1])[::-1]  # days from where each step began to now
    near = np.median(np.abs(steps)) / NEAR_STEP
    for period in sorted(PERIODS, reverse=True):
        same = steps[np.abs(since - period * np.round(since / period)) <= near]
        if len(same) >= STEPS:
            return float(np.median(same))
    return math.inf


def stray_of(of: Mapping[str, float], earlier: Sequence[Mapping[str, float]], waited: float | None) -> dict[str, float]:
    """How far the earliest or the latest time of a batch lies outside of all before, in `reach` of these; empty where
    nothing is known of them. Times go on with the calendar meanwhile.

    >>> daily = [{"time_span": 1.0, "min": 20_000.0 + day, "max": 20_003.0 + day} for day in range(9)]
    >>> late, in_2199 = ({**daily[-1], "max": 20_012.0}, {**daily[-1], "max": 84_011.0})
    >>> [round(stray_of(one, daily, 1.0)["stray"]) for one in (late, in_2199)], stray_of(late, [], 1.0)
    ([0, 175], {})
    """
    ends = ends_of(earlier)
    if waited is None or ends is None or "time_span" not in of:
        return {}
    after, before = of["max"] - ends[1] - waited, ends[0] - of["min"]
    return {"stray": max(after / reach(ends, of["max"]), before / reach(ends, of["min"]), 0.0)}


def ends_of(earlier: Sequence[Mapping[str, float]]) -> tuple[float, float] | None:
    """The earliest and the latest time of all batches, in days since 1970; None where there is none."""
    known = [m for m in earlier if "time_span" in m]
    return (min(m["min"] for m in known), max(m["max"] for m in known)) if known else None


def reach(ends: tuple[float, float], end: float) -> float:
    """Days by which a time such as `end` may lie outside of all before: as many as these span, and no less than `YEAR`;
    of a day that systems write where there is no date no more than that."""
    return YEAR if is_placeholder(end) else max(ends[1] - ends[0], YEAR)


def is_placeholder(days: float) -> bool:
    """Whether a time, in days since 1970, falls on a day that systems write where there is no date.

    >>> is_placeholder(0.0), is_placeholder(2932896.0), is_placeholder(20_000.0)
    (True, True, False)
    """
    return math.floor(days) in _NO_DAYS
