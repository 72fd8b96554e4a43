"""Where in its month a day is, which days have the same place in other months, and what parts of dates are called."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Sequence
from datetime import date

#: What parts of a date are called.
PARTS_OF_DATE = frozenset("year quarter month week day weekday hour yyyy mm dd hh dow".split())
#: Share of batches that may have a place in the month in common. Bound: of ninety days, which are three months, twelve
#: have one of the four places of a day.
MOST_ALIKE = 0.2


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
