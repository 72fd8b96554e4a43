"""Which partitions of time a commit writes whole, as a log is replayed.

A daily job replaces the partition of today, and often those of the days before it. Told apart are partitions of time,
of which new ones come, from others (countries): by a column's type, its name, or that its values are dates.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from catalog.history.calendar.months import is_part_of_date
from catalog.lake.logs.schema import Field
from catalog.lake.types import DataFile

_TYPES = ("date", "timestamp", "timestamp_ntz")
#: A date, or a month, in one of the forms that people write partitions in, with whatever time behind it.
_DATE = re.compile(r"(?:19|20)\d\d([-/._]?)(?:0[1-9]|1[0-2])(?:\1(?:0[1-9]|[12]\d|3[01])(?:\D?\d\d.*)?)?", re.DOTALL)

Key = tuple[str | None, ...]


class TimePartitions:
    """The live files of each partition of time. Values of other partition columns do not part them."""

    def __init__(self) -> None:
        self._of: Any = None
        self._columns: tuple[tuple[str, str], ...] = ()  # (name, name inside the files)
        self._live: Counter[Key] = Counter()

    def follow(
        self,
        named: Sequence[str],
        fields: Sequence[Field],
        come: Sequence[DataFile],
        gone: Iterable[DataFile],
        live: Iterable[DataFile],
    ) -> int:
        """Take in a commit and say how many partitions of time it wrote whole: all that were in them is removed, and at
        least one is new. 0 where it wrote others, only a part of one, or none that is new.

        Parameters
        ----------
        named, fields : the partition columns and the columns after the commit.
        come, gone, live : files that it added, that it removed, and those that are live after it.
        """
        of = (tuple(named), tuple((one.name, one.physical, str(one.type)) for one in fields if one.name in named))
        if of != self._of or not self._live:
            files = list(live) if named else []
            self._of, self._columns = of, _columns_of_time(named, fields, files)
            self._live = Counter(map(self._key, files)) if self._columns else Counter()
            return 0
        if not self._columns:
            return 0
        added, removed = Counter(map(self._key, come)), Counter(map(self._key, gone))
        written = added.keys() | removed.keys()
        whole = all(removed[key] >= self._live[key] for key in written)
        new = any(not self._live[key] for key in added)
        self._live = self._live + added - removed  # drops what is empty
        return len(written) if whole and new else 0

    def _key(self, file: DataFile) -> Key:
        return tuple(_value(file, *names) for names in self._columns)


def _value(file: DataFile, name: str, physical: str) -> str | None:
    value = file.partition_values.get(physical, file.partition_values.get(name))
    return None if value is None else str(value)


def _columns_of_time(
    named: Sequence[str], fields: Sequence[Field], files: Sequence[DataFile]
) -> tuple[tuple[str, str], ...]:
    found = []
    for field in fields:
        if field.name in named:
            values = {_value(file, field.name, field.physical) for file in files} - {None, ""}
            if is_of_time(field.name, str(field.type), values):
                found.append((field.name, field.physical))
    return tuple(found)


def is_of_time(name: str, kind: str, values: Collection[Any]) -> bool:
    """Whether a partition column of some type and values says when.

    >>> is_of_time("day", "integer", [7]), is_of_time("at", "string", ["2026-03"]), is_of_time("land", "string", ["at"])
    (True, True, False)
    """
    dates = bool(values) and all(_DATE.fullmatch(str(value)) for value in values)
    return kind in _TYPES or is_part_of_date(name) or dates
