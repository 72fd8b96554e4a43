"""Guesses at what happened to a column of dates and times: a shift of hours, a default, an exchange, what was cut."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.causes.cause import Guess
from catalog.damage.further import moved as later_by
from catalog.damage.times import shifted, swap_day_month
from catalog.history.times import YEAR, ends_of, is_placeholder, reach, shares, turn_of
from catalog.rules.chances import ENOUGH
from catalog.states.column import ColumnState
from catalog.states.metrics import WHOLE, is_no_date, metrics
from catalog.states.parts.exact import as_float
from catalog.states.table import TableState
from catalog.wording import counted

Floats = NDArray[np.float64]
#: Share of rows that hold one time more than before, from which a default is a guess.
#: Chosen: a default is filled in for many rows, and one value gains a few in a hundred by itself. Of days that are
#: written where there is none fewer are enough, as of words for a missing value.
DEFAULT, NO_DAY = 0.05, 0.02
#: Days by which times must have moved; hours by which a shift may be off whole hours, and off whole days. Chosen: more
#: than a delivery is late by; middles of some hundred times are as exact; no time zone is that near to a day.
LEAPT, OFF_WHOLE, OF_A_DAY = 10.0, 0.4, 3.0
#: Share of times that became whole units, from which they were cut; of those that became whole seconds, so many are
#: whole minutes, hours or days if these are what they were cut to; how sure that is. Chosen: a row of some hundred
#: becomes so by itself; chance adds to each of the shares; what single times are says more, where that is known.
CUT, AS_MANY, FINE = 0.01, 0.5, 0.89
#: Hours that two clocks are apart at most. A bound: those of two time zones.
FURTHEST = 26
#: Share of rows of one time from which it is no time of theirs, where a fifth of them had one at most. Chosen: all.
ONE_TIME = 0.95
#: Years that stand for no date.
NO_DATE = (1, 1899, 1900, 1901, 1904, 1970, 2099, 2999, 9999)
DAY = 86_400_000_000.0


def guesses(
    now: ColumnState, before: ColumnState, others: Mapping[str, ColumnState], usual: Mapping[str, float]
) -> list[Guess]:
    """Explanations of what changed in a column of times, the best first; see `guesses.strings.guesses`."""
    found = [*_default(now, before), *_day_month(now, before), *_clock(now, before), *_days(now, before, usual)]
    found += _cut(now, before)
    return sorted(found, key=lambda g: -g.fit)


def _clock(now: ColumnState, before: ColumnState) -> Iterator[Guess]:
    """All at midnight, or the whole day moved by hours: the turn of the earlier profile that is nearest."""
    if now.calendar is None or before.calendar is None or not sum(now.calendar.hours) or not sum(before.calendar.hours):
        return
    old, new = shares(before.calendar.hours), shares(now.calendar.hours)
    total = float(np.abs(new - old).sum())
    if new[0] > 0.95 and old[0] < 0.5:
        yield Guess("time_lost", "time_lost", 0.97, float(new[0] - old[0]))
        return
    turned = turn_of(now.calendar.hours, before.calendar.hours)
    if turned and min(now.distinct.estimate(), before.distinct.estimate()) >= ENOUGH:
        yield Guess("zone", "time_zone", 0.95, 1.0, {"hours": turned}, shifted(-turned), _undo(turned))
        return
    best: tuple[float, float, int] | None = None
    for hours in range(-12, 13):
        fit, share = _turned(old, new, hours)
        if hours and share > 0.1 and (best is None or (fit, -abs(hours)) > (best[0], -abs(best[2]))):
            best = fit, share, hours
    if best is not None and total > 0.05:
        fit, share, hours = best
        yield Guess("zone", "time_zone", fit, share, {"hours": hours}, shifted(-hours), _undo(hours))


def _cut(now: ColumnState, before: ColumnState) -> Iterator[Guess]:
    """That more times are at midnight, on the hour, or without seconds, in as large a part of those that were finer:
    the coarsest unit that as many became whole in as in any."""
    a, b = metrics(before), metrics(now)
    known = [name for name in WHOLE if name in a and name in b and a[name] < 1]
    became = {name: (b[name] - a[name]) / (1 - a[name]) for name in known}
    most = max(became.values(), default=0.0)
    if most < CUT:
        return
    unit = next(name for name in reversed(known) if became[name] > AS_MANY * most)
    share = became[unit]
    if unit == WHOLE[-1]:
        yield Guess("time_lost", "time_lost", FINE, share)
    else:
        yield Guess("time_cut", "time_cut", FINE, share, {"unit": f"{unit.split('_')[1]}s"})


def _days(now: ColumnState, before: ColumnState, usual: Mapping[str, float]) -> Iterator[Guess]:
    """All times moved by more days than from batch to batch, and are as near to each other as they were."""
    if "time_leap" not in usual or not isinstance(now.low, date):
        return
    moved = leap(now, before) - usual["time_leap"]
    span, was = metrics(now).get("time_span", 0.0), usual.get("time_span", 0.0)
    if abs(moved) > max(LEAPT, span, was) and abs(span - was) < 0.5 * abs(moved):
        days = round(moved)
        undo = _undo(days, "day")
        yield Guess("days_moved", "days_moved", 0.8, 1.0, {"days": days}, later_by(-days), undo)


def off_pace(now: ColumnState, before: ColumnState, usual: Mapping[str, float], pace: float) -> list[Guess]:
    """By how many days, or hours, all times moved that are off their usual step and the calendar by `pace` days."""
    if "time_leap" not in usual:
        return []
    off = math.copysign(pace, leap(now, before) - usual["time_leap"])
    days, hours = round(off), round(24 * off)
    if days and abs(off - days) <= OF_A_DAY / 24:
        undo = _undo(days, "day")
        return [Guess("days_moved", "days_moved", 0.85, 1.0, {"days": days}, later_by(-days), undo)]
    if hours and abs(24 * off - hours) <= OFF_WHOLE and abs(hours) <= FURTHEST:
        return [Guess("zone", "time_zone", 0.8, 1.0, {"hours": hours}, shifted(-hours), _undo(hours))]
    return []


def strays(now: ColumnState, past: Sequence[Mapping[str, float]]) -> list[Guess]:
    """Single times far outside of all before, where the others are not: the one that is furthest, and, of a column
    whose values are all known, in how many rows."""
    ends, own = ends_of(past), metrics(now)
    if ends is None or "time_span" not in own or not ends[0] - YEAR <= own["median"] <= ends[1] + YEAR:
        return []
    low, high = (ends[0] - reach(ends, own["min"])) * DAY, (ends[1] + reach(ends, own["max"])) * DAY
    late = (own["max"] - ends[1]) / reach(ends, own["max"]) > (ends[0] - own["min"]) / reach(ends, own["min"])
    value = now.high if late else now.low
    detail: dict[str, Any] = {"value": str(value), "late": late, "placeholder": is_placeholder(as_float(value) / DAY)}
    detail["before"] = (datetime(1970, 1, 1) + timedelta(days=ends[late])).isoformat(" ", "minutes")
    rows = [n for value, n in now.table or () if value is not None and not low <= as_float(value) <= high]
    if rows:
        detail["rows"] = sum(rows)
    return [Guess("stray", "stray", 0.9, sum(rows) / now.non_null, detail)]


def leap(now: ColumnState, before: ColumnState) -> float:
    """Days from the middle of the earlier times to that of the later ones."""
    if now.quantiles is None or before.quantiles is None:
        return 0.0
    return (now.quantiles.median() - before.quantiles.median()) / DAY


def apart(now: TableState, before: TableState, column: str, usual: Callable[[str], Mapping[str, float]]) -> list[Guess]:
    """That a time and the one in front of it are further from each other, or nearer, than they were: which of both has
    moved, and by how many hours. `usual`: the metrics of a column, usually."""
    ahead = next((one.column for one in now.columns[column].before), "")
    if any(
        name not in one.columns or not one.columns[name].non_null for one in (now, before) for name in (ahead, column)
    ):
        return []
    leaps = {name: leap(now.columns[name], before.columns[name]) for name in (ahead, column)}
    hours = 24 * (leaps[column] - leaps[ahead])
    off = {name: abs(leaps[name] - usual(name).get("time_leap", leaps[name])) for name in leaps}
    moved, hours = (ahead, -hours) if off[ahead] > off[column] else (column, hours)
    whole, days = round(hours), round(hours / 24)
    detail: dict[str, Any] = {"hours": whole, "beside": column if moved == ahead else ahead}
    if days and abs(hours - 24 * days) <= OF_A_DAY:
        undo = _undo(days, "day")
        return [Guess("days_moved", "days_moved", 0.8, 1.0, detail | {"days": days}, later_by(-days), undo, (moved,))]
    if not whole or abs(hours - whole) > OFF_WHOLE or abs(whole) > FURTHEST or now.columns[moved].type == "date":
        return []
    return [Guess("zone", "time_zone", 0.8, 1.0, detail, shifted(-whole), _undo(whole), (moved,))]


def moved_back(units: int, unit: str) -> tuple[Callable[[Any], Any], str]:
    """How times that are so many days, or hours, later are put right: of one value, and in words."""
    return later_by(-units) if unit == "day" else shifted(-units), _undo(units, unit)


def _undo(units: int, unit: str = "hour") -> str:
    """
    >>> _undo(2), _undo(-1, "day")
    ('take 2 hours away', 'add 1 day')
    """
    return f"take {counted(units, unit)} away" if units > 0 else f"add {counted(-units, unit)}"


def _turned(old: Floats, new: Floats, hours: int) -> tuple[float, float]:
    """(share of the change that a turn by `hours` explains, share of the rows that turned)."""
    predicted, moved = np.roll(old, hours) - old, new - old
    norm, total = float(predicted @ predicted), float(np.abs(moved).sum())
    if not norm or not total:
        return 0.0, 0.0
    share = min(max(float(moved @ predicted) / norm, 0.0), 1.0)
    return max(1 - float(np.abs(moved - share * predicted).sum()) / total, 0.0), share


def _default(now: ColumnState, before: ColumnState) -> Iterator[Guess]:
    if not now.frequent.items or not now.non_null or not before.non_null:
        return
    known = dict(before.frequent.items)
    top = before.frequent.items[0][1] / before.non_null if before.frequent.items else 0.0
    placeholders = [one for one in now.frequent.items if is_no_date(one[0])]
    for value, n in dict.fromkeys((*placeholders[:1], now.frequent.items[0])):
        old = known.get(value, 0) / before.non_null
        more = n / now.non_null - old
        strange = isinstance(value, date) and value.year in NO_DATE
        least = NO_DAY if is_no_date(value) else DEFAULT
        if more >= least and old < 0.02 and (strange or (top < 0.5 and more > 0.5)):
            fit = 0.98 if strange else 0.9 if more > ONE_TIME and top < 0.2 else 0.7
            yield Guess("default_time", "default", fit, more, {"value": str(value), "share": more})


def _day_month(now: ColumnState, before: ColumnState) -> Iterator[Guess]:
    """Dates out of the range that they had come back into it when day and month change places."""
    if before.low is None or now.low is None or not isinstance(before.low, date):
        return
    low, high = as_float(before.low), as_float(before.high)
    span = max(high - low, 20 * DAY)
    first, last = low - 0.1 * span, high + span

    def inside(values: list[tuple[Any, int]]) -> float:
        rows = sum(n for _, n in values)
        return sum(n for v, n in values if first <= as_float(v) <= last) / rows if rows else 0.0

    counted = [(v, n) for v, n in (now.table or now.frequent.items) if isinstance(v, date)]
    yield from _known_again(counted, {v for v, _ in (before.table or before.frequent.items)})
    was, back = inside(counted), inside([(swap_day_month(v) or v, n) for v, n in counted])
    if was < 0.9 and back - was > 0.1:
        fit = min((back - was) / (1 - was), 1.0)
        mend = lambda v: swap_day_month(v) or v  # noqa: E731
        yield Guess("day_month_time", "day_month", fit, back - was, {}, mend, "exchange day and month")


def _known_again(counted: Sequence[tuple[date, int]], known: set[Any]) -> Iterator[Guess]:
    """New dates that were there before once day and month change places, while few are so by chance."""
    new = [(v, n) for v, n in counted if v not in known]
    rows, again = (sum(n for _, n in some) for some in (new, [(v, n) for v, n in new if swap_day_month(v) in known]))
    usual = sum(n for v, n in counted if v in known and swap_day_month(v) in known)
    total = sum(n for _, n in counted)
    if len(new) > 2 and again > 0.6 * rows and usual < 0.3 * (total - rows):
        mend = lambda v: swap_day_month(v) or v  # noqa: E731
        share = again / total
        yield Guess("day_month_time", "day_month", 0.9 * again / rows, share, {}, mend, "exchange day and month")


def is_moment(state: ColumnState) -> bool:
    """Whether the column's values have a date."""
    return isinstance(state.low, (date, datetime))
