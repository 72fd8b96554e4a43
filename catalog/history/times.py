"""Distances between two batches' hours of the day, what stands twice: in a batch, or in the batch before too; where in
its month a batch comes, and how many rows usually come then."""

from __future__ import annotations

import math
import re
from calendar import monthrange
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from catalog.states.column import ColumnState
from catalog.states.metrics import MICROSECONDS_A_DAY, NO_DATES
from catalog.states.parts.distinct import Distinct
from catalog.states.parts.summaries import Quantiles
from catalog.states.table import TableState

Floats = NDArray[np.float64]
#: Share of the distance of two days' profiles that may be left when one is turned by hours. Chosen: of 1,080 pairs of
#: loads of a day in which nothing turned (four profiles, 50 to 5,000 rows) none was beyond it, of 0.5 twenty of the
#: loads that come round the clock were in a hundred.
TURNED = 0.3
#: What the rows of a batch may be like: so many batches before it, or those that came at the same time of so many
#: periods before, of so many days. Chosen: the batches of late, the level; hours of a day, days of a week.
LATE, PERIODS, TURNS = (3, 15), (1.0, 7.0), 3
APART = 1.5  # steps between batches that a period has to be longer than; chosen: or it is the batch before
LEAST_KNOWN = 7  # batches of which a season has to say something before it is believed; chosen
#: What parts of a date are called.
PARTS_OF_DATE = frozenset("year quarter month week day weekday hour yyyy mm dd hh dow".split())
#: Share of batches that may have a place in the month in common. Bound: of ninety days, which are three months, twelve
#: have one of the four places of a day.
MOST_ALIKE = 0.2
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
        and all(_alike(column, previous.columns[name]) for name, column in current.of_rows.items())
    )


def _alike(a: ColumnState, b: ColumnState) -> bool:
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


def places_in_month(on: date) -> dict[str, int]:
    """Where in its month a day is, counted from both ends, by days and, unless it is of a weekend, by working days.

    >>> places_in_month(date(2026, 1, 30)), places_in_month(date(2026, 2, 28))
    ({'day': 30, 'day back': 2, 'working day': 22, 'working day back': 1}, {'day': 28, 'day back': 1})
    """
    last = monthrange(on.year, on.month)[1]
    found = {"day": on.day, "day back": last - on.day + 1}
    if on.weekday() < 5:
        working = [day for day in range(1, last + 1) if (on.weekday() + day - on.day) % 7 < 5]
        at = working.index(on.day)
        found |= {"working day": at + 1, "working day back": len(working) - at}
    return found


def is_part_of_date(name: str) -> bool:
    """Whether a column is called as a part of a date: 31 is followed by 1, and 12 by 1.

    >>> [is_part_of_date(name) for name in ("Month", "order_month", "salesDay", "days", "daylight", "day_of_birth")]
    [True, True, True, False, False, False]
    """
    return re.split(r"[^A-Za-z]+|(?<=[a-z])(?=[A-Z])", name)[-1].lower() in PARTS_OF_DATE


def months_before(days: Sequence[date | None], on: date) -> list[int]:
    """Which of some days have the same place in another month than a day, by any count; None is no day. None where more
    than `MOST_ALIKE` of them have: where a day is not one of many the month says nothing.

    >>> days = [*(date(2026, 1, day) for day in range(20, 32)), None, date(2026, 2, 27)]
    >>> months_before(days, date(2026, 2, 28)), months_before(days[10:], date(2026, 2, 28))
    ([8, 11], [])
    """
    place = places_in_month(on).items()
    found = [
        at for at, day in enumerate(days)
        if day is not None and (day.year, day.month) != (on.year, on.month) and places_in_month(day).items() & place
    ]  # fmt: skip
    return found if len(found) <= MOST_ALIKE * len(days) else []


def usual_rows(rows: Sequence[float], at: Sequence[datetime | None]) -> tuple[Floats, Floats]:
    """How many rows each batch usually had, and how many at most: the median and the most of those of its season before
    it, by which season the batches were off the median least. NaN where too few are known. A single batch that had many
    times the rows of others does not change what is usual; two holidays a week apart make no other day one of many.

    Parameters
    ----------
    rows : of each batch, NaN for holes.
    at : when each was committed; None where nobody knows. A batch is compared with those that came a period before it,
        however many came meanwhile: of working days Monday with Monday.

    >>> week = [100.0, 110.0, 90.0, 100.0, 120.0, 40.0, 30.0]
    >>> days = [datetime(2026, 1, 5 + day) for day in range(27)]
    >>> pasts = (week * 3, [*week * 2, 900.0, *week[1:]], [*week * 3, *week[:5]])
    >>> [float(usual_rows([*past, 70.0], days[: len(past) + 1])[0][-1].round(1)) for past in pasts]
    [100.0, 100.0, 40.0]
    >>> float(usual_rows(week, [None] * 7)[0][-1])
    nan
    """
    x = np.log(np.maximum(np.array(rows, float), 1.0))
    best, found = math.inf, np.full((2, len(x)), np.nan)
    for before in _seasons(x, at):
        many, n = len(before), np.isfinite(before).sum(axis=0)
        known, every = n >= 2, np.arange(len(n))
        before.sort(axis=0)  # NaN comes last
        usual = np.where(known, (before[(n - 1) // 2, every] + before[n // 2 % many, every]) / 2, np.nan)
        off = np.abs(x - usual)
        off = off[np.isfinite(off)]
        if len(off) >= LEAST_KNOWN and known[-1] and off.mean() < best:
            best, found = (
                float(off.mean()),
                np.array([usual, np.where(known, before[np.maximum(n - 1, 0), every], np.nan)]),
            )
    usually, most = np.exp(found)
    return usually, most


def _seasons(x: Floats, at: Sequence[datetime | None]) -> Iterator[Floats]:
    """For each season, what of `x` the batches that each is compared with have, one row each; NaN where there is none.
    Of a period that is the batch within half a step of it."""
    for many in LATE:
        found = np.full((many, len(x)), np.nan)
        for k in range(1, min(many, len(x) - 1) + 1):
            found[k - 1, k:] = x[:-k]
        yield found
    days = np.array([math.nan if one is None else one.replace(tzinfo=UTC).timestamp() / 86400 for one in at])
    known = np.argsort(days)[: np.isfinite(days).sum()]
    if len(known) < LEAST_KNOWN:
        return
    step = float(np.median(np.diff(days[known])[-max(LATE) :]))
    for period in PERIODS:
        if period > APART * step:
            yield np.array([_at(x, days, known, days - turn * period, step / 2) for turn in range(1, TURNS + 1)])


def _at(x: Floats, days: Floats, known: NDArray[np.intp], asked: Floats, within: float) -> Floats:
    """What of `x` came at each of the times that are `asked` for, so many days off at most."""
    place = np.searchsorted(days[known], asked).clip(1, len(known) - 1)
    near = known[np.where(asked - days[known[place - 1]] <= days[known[place]] - asked, place - 1, place)]
    return np.where((np.abs(days[near] - asked) <= within) & (near < np.arange(len(x))), x[near], np.nan)


def shortfall(rows: Sequence[float], at: Sequence[datetime | None]) -> float | None:
    """How many times as many rows usually come (`usual_rows`) as the last batch has; where it has more than any of its
    season, how many times as many these had at most, below 1. None where nothing is usual yet.

    >>> week, unknown = [100.0, 110.0, 90.0, 100.0, 120.0, 100.0, 100.0], [None] * 22
    >>> [round(shortfall([*week * 3, rows], unknown), 3) for rows in (50.0, 105.0, 1000.0)]
    [2.0, 1.0, 0.12]
    >>> shortfall([*week, 50.0], unknown[:8])
    """
    (*_, usually), (*_, most), has = *usual_rows(rows, at), max(rows[-1], 1.0)
    if not math.isfinite(usually):
        return None
    return float(min(max(has, usually), most) / has)


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
