"""A section of a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any


@dataclass(frozen=True)
class Section:
    """Rows of JSON data under `columns` (field, heading), and `totals` of them."""

    name: str
    title: str
    columns: tuple[tuple[str, str], ...]
    rows: Sequence[Mapping[str, Any]]
    totals: Mapping[str, Any]


def iso(moment: datetime | None) -> str | None:
    """A point in time in UTC, to the millisecond, as figures hold it.

    >>> iso(datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC)), iso(None)
    ('2026-01-02T03:04:05.678Z', None)
    """
    return None if moment is None else moment.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def whole_seconds(start: datetime | None, end: datetime | None) -> int | None:
    """Seconds between two points in time; None where one is missing, 0 where clocks disagree."""
    return None if start is None or end is None else max(0, round((end - start).total_seconds()))


def by_name(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The order of rows that people look things up in: by source, table and column, then by everything."""
    names = [str(row.get(name) or "") for name in ("source", "table", "column")]
    return (*(name.casefold() for name in names), *names, repr(sorted(row.items())))


def by_number(found: Counter[str]) -> list[list[Any]]:
    """``[name, number]``, the most frequent first, then by name.

    >>> by_number(Counter({"URL": 1, "IBAN": 2, "City": 1}))
    [['IBAN', 2], ['City', 1], ['URL', 1]]
    """
    return [[name, number] for name, number in sorted(found.items(), key=lambda one: (-one[1], one[0]))]
