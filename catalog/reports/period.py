"""Moments and periods as people write them, in UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from catalog.errors import UsageError

DEFAULT_PERIOD = "30d"
EVERY = ("day", "week", "month", "quarter")
#: The period that a report made so often is about.
SPAN = {"day": "1d", "week": "7d", "month": "1m", "quarter": "3m"}
_LENGTH = re.compile(r"([1-9][0-9]{0,3})([dwmy])")
_CALENDAR = re.compile(r"([0-9]{4})(?:-(?:Q([1-4])|([0-9]{2})))?")


def moment_of(text: str, now: datetime) -> datetime:
    """The moment that a text names: a date is its end, nothing is `now`. Errors: `UsageError`, also for the future.

    >>> noon = datetime(2026, 3, 5, 12, tzinfo=UTC)
    >>> str(moment_of("2026-03-04", noon)), str(moment_of("2026-03-05", noon)), str(moment_of("", noon))
    ('2026-03-05 00:00:00+00:00', '2026-03-05 12:00:00+00:00', '2026-03-05 12:00:00+00:00')
    >>> str(moment_of("2026-03-05T11:30:00+02:00", noon))
    '2026-03-05 09:30:00+00:00'
    """
    if not text.strip():
        return now
    try:
        read = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
        whole_day = len(text.strip()) <= 10
        moment = (read if read.tzinfo else read.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise UsageError(
            f"{text[:40]!r} is no date", remedy="write 2026-03-31, or 2026-03-31T12:00:00 in UTC"
        ) from None
    if moment > now:
        raise UsageError(f"{text[:40]} has not come yet", remedy="name a moment that is past")
    return min(moment + timedelta(days=1), now) if whole_day else moment


def period_of(text: str, as_of: str, now: datetime) -> tuple[datetime, datetime]:
    """Start and end of a period: so long before the moment (30d, 4w, 3m, 1y), from a date on, or a year, quarter or
    month as far as the moment goes. Errors: `UsageError`.

    >>> now = datetime(2026, 5, 5, 12, tzinfo=UTC)
    >>> [f"{one:%m-%d}" for one in (*period_of("2026-Q1", "", now), *period_of("1m", "", now))]
    ['01-01', '04-01', '04-05', '05-05']
    >>> [f"{one:%m-%d}" for one in period_of("2026-04", "2026-04-15", now)]
    ['04-01', '04-16']
    """
    text = text.strip() or DEFAULT_PERIOD
    if length := _LENGTH.fullmatch(text):
        moment = moment_of(as_of, now)
        return back(moment, int(length[1]), length[2]), moment
    found = _CALENDAR.fullmatch(text)
    if found is None and len(text) > 7 and "-" in text:  # the start itself
        moment, start = moment_of(as_of, now), moment_of(text if len(text) > 10 else f"{text}T00:00:00", now)
        if start >= moment:
            raise UsageError(f"the period {text[:40]} begins after its end", remedy="name an earlier start")
        return start, moment
    if found is None or not 1 <= int(found[3] or 1) <= 12 or int(found[1]) < 1970:
        raise UsageError(
            f"{text[:40]!r} is no period", remedy="write 30d, 4w, 3m, 1y, 2026, 2026-Q1, 2026-03, or the date it begins"
        )
    month = 3 * int(found[2]) - 2 if found[2] else int(found[3] or 1)
    start = datetime(int(found[1]), month, 1, tzinfo=UTC)
    end = back(start, -(3 if found[2] else 1 if found[3] else 12), "m")
    if start >= now:
        raise UsageError(f"{text} has not come yet", remedy="name a period that has begun")
    moment = min(end, moment_of(as_of, now))
    if moment <= start:
        raise UsageError(f"{as_of} is before {text}", remedy="name a moment in the period")
    return start, moment


def back(moment: datetime, number: int, unit: str) -> datetime:
    """So many days, weeks, months or years before a moment.

    >>> str(back(datetime(2026, 3, 31, tzinfo=UTC), 1, "m"))
    '2026-02-28 00:00:00+00:00'
    """
    if unit in "dw":
        return max(moment - timedelta(days=number * (7 if unit == "w" else 1)), datetime(1970, 1, 1, tzinfo=UTC))
    months = moment.year * 12 + moment.month - 1 - number * (12 if unit == "y" else 1)
    year, month = max(1970, months // 12), months % 12 + 1
    for day in range(moment.day, 27, -1):
        try:
            return moment.replace(year=year, month=month, day=day)
        except ValueError:
            continue
    return moment.replace(year=year, month=month)


def following(moment: datetime, every: str) -> datetime:
    """When a report that is made every day, week, month or quarter is due after a moment: at the start of the next one.

    >>> at = datetime(2026, 11, 22, 8, tzinfo=UTC)  # a Sunday
    >>> [f"{following(at, every):%m-%d}" for every in EVERY]
    ['11-23', '11-23', '12-01', '01-01']
    """
    day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    if every == "day":
        return day + timedelta(days=1)
    if every == "week":
        return day + timedelta(days=7 - day.weekday())
    step = 1 if every == "month" else 3 - (day.month - 1) % 3
    return back(day.replace(day=1), -step, "m")
