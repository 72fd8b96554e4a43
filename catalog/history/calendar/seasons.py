"""Which batches came at the same time of other days and weeks, and how many rows usually come then."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
#: What the rows of a batch may be like: so many batches before it, or those that came at the same time of so many
#: periods before, of so many days. Chosen: the batches of late, the level; hours of a day, days of a week.
LATE, PERIODS, TURNS = (3, 15), (1.0, 7.0), 3
APART = 1.5  # steps between batches that a period has to be longer than; chosen: or it is the batch before
LEAST_KNOWN = 7  # batches of which a season has to say something before it is believed; chosen
#: Of so many batches a day and more, those so many before and after the same time of other days are like it, too: more
#: of them say better what is usual. Chosen: an hour apart, and two hours.
FINE, BESIDE = 24, 2
#: How many batches before and after the same time of earlier days a past holds. Chosen: rules are learned again after
#: nine batches at the latest, of which a past of ninety is a tenth, and bands are wide that rest on few.
SINCE, AHEAD = 24, 12
#: Holes between two stretches of a past that are days apart, so that nothing compares their batches as neighbours.
#: Bound: the most batches back that anything looks.
BETWEEN = max(LATE)
ROUNDING = 1e-6  # of a step, as times are told to the microsecond; a bound


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
    Of a period that is the batch within half a step of it, of tables of many batches a day also those beside it."""
    for many in LATE:
        found = np.full((many, len(x)), np.nan)
        for k in range(1, min(many, len(x) - 1) + 1):
            found[k - 1, k:] = x[:-k]
        yield found
    days = np.array([math.nan if one is None else one.replace(tzinfo=UTC).timestamp() / 86400 for one in at])
    known = np.argsort(days)[: np.isfinite(days).sum()]
    if len(known) < LEAST_KNOWN:
        return
    step = _step(days[known])
    for period in PERIODS:
        if period <= APART * step:
            continue
        for many in (0, BESIDE) if FINE * step <= min(PERIODS) * (1 + ROUNDING) else (0,):
            turns = [turn * period + off * step for turn in range(1, TURNS + 1) for off in range(-many, many + 1)]
            yield np.array([_at(x, days, known, days - turn, step / 2) for turn in turns])


def _step(days: Floats) -> float:
    """Days from one of the latest batches to the next, the median."""
    return float(np.median(np.diff(days)[-max(LATE) :]))


def _at(x: Floats, days: Floats, known: NDArray[np.intp], asked: Floats, within: float) -> Floats:
    """What of `x` came at each of the times that are `asked` for, so many days off at most."""
    place = np.searchsorted(days[known], asked).clip(1, len(known) - 1)
    near = known[np.where(asked - days[known[place - 1]] <= days[known[place]] - asked, place - 1, place)]
    return np.where((np.abs(days[near] - asked) <= within) & (near < np.arange(len(x))), x[near], np.nan)


def same_times(at: Sequence[datetime]) -> list[tuple[datetime, datetime]]:
    """From when to when batches of earlier days and weeks came at the time of those that come next, the latest first:
    `SINCE` before it and `AHEAD` after it. Only what lies before the batches that are known: of a table of a batch a
    day ninety hold all weeks that are asked for.

    Parameters
    ----------
    at : when the latest batches were committed, oldest first; two at least.

    >>> begin = datetime(2026, 3, 30)
    >>> daily, stream = ([begin + step * n for n in range(90)] for step in (timedelta(1), timedelta(minutes=10)))
    >>> same_times(daily), [f"{since:%d %H:%M} to {until:%d %H:%M}" for since, until in same_times(stream)[2:4]]
    ([], ['27 10:45 to 27 16:55', '23 10:45 to 23 16:55'])
    """
    step = timedelta(days=_step(np.array([one.timestamp() for one in at]) / 86400))
    back = sorted({timedelta(days=turn * period) for period in PERIODS for turn in range(1, TURNS + 1)})
    found = [(at[-1] - days - (SINCE + 0.5) * step, at[-1] - days + (AHEAD + 0.5) * step) for days in back]
    return [(since, min(until, at[0])) for since, until in found if since < at[0]]


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
