"""When the rows of a time column fall: by hour of the day and day of the week, how exact they are, and before or after
another column.

Counts over all rows: they add up, and a state of an earlier release that lacks them adds nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from catalog.states.folding.hashing import int64_of, micros, simple, valid

Counts = NDArray[np.int64]
HOUR = 3_600_000_000  # microseconds
SECOND, DAY = HOUR // 3600, 24 * HOUR
_THURSDAY = 3  # of 1970-01-01, Monday is 0


@dataclass(frozen=True)
class Calendar:
    """Rows by hour of the day (24, of times with a time of day) and by day of the week (7 from Monday, of those with a
    date), as the column stores them: instants in UTC; and of times with a time of day those that are whole seconds,
    minutes, hours and days, in this order, each among the ones before. None of these is counted of states of earlier
    releases."""

    hours: tuple[int, ...]
    weekdays: tuple[int, ...]
    whole: tuple[int, ...] = ()


@dataclass(frozen=True)
class Before:
    """How a time column follows another: in `rows` both are given, in `earlier` of them this one is before `column`."""

    column: str
    rows: int
    earlier: int


def calendar_of(times: Counts, counts: Counts | None, *, dated: bool, clocked: bool) -> Calendar:
    """The calendar of epoch microseconds, each of `counts` rows (one by default).

    >>> found = calendar_of(np.array([0, 25 * HOUR]), None, dated=True, clocked=True)
    >>> found.weekdays, found.whole
    ((0, 0, 0, 1, 1, 0, 0), (2, 2, 2, 1))
    """
    hours = np.bincount((times // HOUR) % 24, counts, 24) if clocked else ()
    days = np.bincount((times // DAY + _THURSDAY) % 7, counts, 7) if dated else ()
    whole = _whole(times, counts) if clocked else ()
    return Calendar(tuple(int(n) for n in hours), tuple(int(n) for n in days), whole)


def _whole(times: Counts, counts: Counts | None) -> tuple[int, ...]:
    """Rows of whole seconds, minutes, hours and days: each step looks at those of the one before only."""
    found = []
    for unit in (SECOND, 60, 60, 24):
        units = times // unit
        exact = units * unit == times
        times, counts = units[exact], None if counts is None else counts[exact]
        found.append(len(times) if counts is None else int(counts.sum()))
    return tuple(found)


def calendar_of_type(times: Counts, kind: pa.DataType) -> Calendar:
    """The calendar of a column of this Arrow type from its cells as microseconds."""
    t = pa.types
    return calendar_of(times, None, dated=not t.is_time(kind), clocked=not t.is_date(kind))


def calendar_of_values(values: Sequence[Any], counts: Counts) -> Calendar | None:
    """The calendar of a short table of dates, times, or times of day."""
    kinds = {type(v) for v in values}
    if not kinds <= {date, datetime, time}:
        return None
    times = np.array([micros(v) for v in values], np.int64)
    return calendar_of(times, counts, dated=time not in kinds, clocked=kinds != {date})


def merge_calendars(parts: Iterable[Calendar | None]) -> Calendar | None:
    """Sum over batches; None where none has one. What is not known of all rows is not known of whole units."""
    found = list(parts)
    known = [p for p in found if p is not None]
    whole = _sum([p.whole for p in known]) if all(p is not None and p.whole for p in found) else ()
    return Calendar(_sum([p.hours for p in known]), _sum([p.weekdays for p in known]), whole) if known else None


def _sum(rows: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    filled = [row for row in rows if row]
    return tuple(map(sum, zip(*filled, strict=True)))


def before(column: str, earlier: pa.Array, later: pa.Array) -> Before:
    """How the cells of a time column follow those of `column`, the time column in front of it.

    >>> from datetime import date
    >>> days = pa.array([date(2026, 3, 1), date(2026, 3, 2), None])
    >>> before("opened", days, pa.array([date(2026, 3, 1), date(2026, 3, 1), date(2026, 3, 4)]))
    Before(column='opened', rows=2, earlier=1)
    """
    one, other = simple(earlier, views=True), simple(later, views=True)
    both = valid(one) & valid(other)
    x, y = int64_of(one), int64_of(other)
    assert x is not None
    assert y is not None
    return Before(column, int(np.count_nonzero(both)), int(np.count_nonzero(both & (y < x))))


def is_moment(kind: pa.DataType) -> bool:
    """Whether cells of this type can be before or after those of another column: dates and times with a date."""
    return bool(pa.types.is_date(kind) or pa.types.is_timestamp(kind))


def merge_before(parts: Iterable[tuple[Before, ...]]) -> tuple[Before, ...]:
    """Sum over batches, by the column in front, which changes where columns are added; by its name."""
    found: dict[str, Before] = {}
    for one in (b for part in parts for b in part):
        old = found.get(one.column, Before(one.column, 0, 0))
        found[one.column] = Before(one.column, old.rows + one.rows, old.earlier + one.earlier)
    return tuple(found[name] for name in sorted(found))
