"""Damage to dates and times."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from catalog.damage.kind import Change, Kind, Rng, each

#: Hours between time zones that systems confuse with UTC or with each other.
HOURS = (1, 2, 3, 5, 6, 7, 8, 9, -1, -2, -3, -5, -6, -7, -8)
#: Chosen: what systems write for a date that is not there.
DEFAULTS = ((1970, 1, 1), (1900, 1, 1), (9999, 12, 31), (1, 1, 1))


def shifted(hours: float) -> Change:
    """A time moved; dates and times of day have no zone."""

    def change(value: Any) -> Any:
        if not isinstance(value, datetime):
            return None
        try:
            return value + timedelta(hours=hours)
        except OverflowError:
            return None

    return change


def _zone(values: Sequence[Any], rng: Rng) -> Change | None:
    if not any(isinstance(v, datetime) and v.time() != time() for v in values):
        return None
    return shifted(HOURS[int(rng.integers(len(HOURS)))])


def _default(values: Sequence[Any], rng: Rng) -> Change:
    parts = DEFAULTS[int(rng.integers(len(DEFAULTS)))]

    def change(value: Any) -> Any:
        if isinstance(value, datetime):
            return datetime(*parts, tzinfo=value.tzinfo)
        return date(*parts) if isinstance(value, date) else time()

    return change


def swap_day_month(value: Any) -> Any:
    """Day and month exchanged where that is a date; None for the others."""
    if not isinstance(value, date) or value.day > 12 or value.day == value.month:
        return None
    return value.replace(month=value.day, day=value.month)


def _midnight(value: Any) -> Any:
    if not isinstance(value, datetime) or value.time() == time():
        return None
    return value.replace(hour=0, minute=0, second=0, microsecond=0)


#: What times are cut to, by what of them is left out.
CUTS = ("hour", "minute", "second")


def cut_to(unit: str) -> Change:
    """A time without what is finer than that unit."""
    finer = {"hour": ("minute", "second", "microsecond"), "minute": ("second", "microsecond")}
    zeros: dict[str, Any] = dict.fromkeys(finer.get(unit, ("microsecond",)), 0)

    def change(value: Any) -> Any:
        if not isinstance(value, datetime | time) or not any(getattr(value, one) for one in zeros):
            return None
        return value.replace(**zeros)

    return change


def _cut(values: Sequence[Any], rng: Rng) -> Change | None:
    changes = [cut_to(unit) for unit in CUTS]
    changing = [one for one in changes if 2 * sum(one(v) is not None for v in values) > len(values)]
    return changing[int(rng.integers(len(changing)))] if changing else None


_AT = datetime(2026, 3, 9, 14, 30, tzinfo=UTC)

TIMES = (
    Kind("zone", "time_zone", "Times in {column} are shifted by whole hours", (_AT, _AT + timedelta(hours=2)),
         "the values have no time of day, or every hour of the day is as frequent as every other", _zone,
         guess="Probably local time taken for UTC, or the reverse.", of="times", seen=False),
    Kind("default_time", "default", "Times in {column} are all one default", (_AT, datetime(1970, 1, 1, tzinfo=UTC)),
         "the column holds that date anyway", _default, guess="Probably a field that was not filled.", of="times"),
    Kind("day_month_time", "day_month", "Day and month in {column} are swapped",
         (date(2026, 3, 9), date(2026, 9, 3)), "fewer than a quarter of the days are such that both orders are a date",
         each(swap_day_month), undo=lambda v: swap_day_month(v) or v, guess="Probably read with another locale.",
         of="times", least=0.25, seen=False),
    Kind("time_lost", "time_lost", "Times in {column} are at midnight, as dates are",
         (_AT, _AT.replace(hour=0, minute=0)), "the values have no time of day", each(_midnight),
         guess="Probably kept as dates on the way.",
         of="times"),
    Kind("time_cut", "time_cut", "Times in {column} are cut to whole hours, minutes or seconds",
         (_AT, _AT.replace(minute=0)), "the values are whole hours anyway", _cut,
         guess="Probably written with fewer digits.", of="times", seen=False),
)  # fmt: skip
