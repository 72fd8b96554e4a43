"""Lines of lists: an object with what is counted of it, and pages of them. Quick to load.

Rows may be those of a session or of `pages.quick`; what programs are told of a line, `catalog.store.schemas` says.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Page:
    """A stretch of a list: `items` from `offset` on, at most `limit` of `total`."""

    items: list[Any]
    total: int
    limit: int
    offset: int

    @property
    def number(self) -> int:
        return self.offset // self.limit + 1

    @property
    def count(self) -> int:
        """How many pages there are, at least one."""
        return max(1, -(-self.total // self.limit))


@dataclass(frozen=True)
class TableLine:
    """A table as lists show it, with what is counted of it: active rules, open incidents (one for each cause), domains
    that tag its columns and nobody rejected; `found` are columns ``(id, name)`` that hold a searched word."""

    table: Any
    source: str
    columns: int
    rules: int
    incidents: int
    tags: list[str]
    found: list[tuple[int, str]] = field(default_factory=list)

    @property
    def ref(self) -> str:
        """``source/name``: finds the table again."""
        return f"{self.source}/{self.table.name}"


@dataclass(frozen=True)
class IncidentLine:
    """An incident as lists show it: its table and source, and the names of all tables that it is of."""

    incident: Any
    table: str
    source: str
    tables: list[str]

    @property
    def ref(self) -> str:
        return f"{self.source}/{self.table}"
