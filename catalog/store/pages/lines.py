"""Lines of lists: an object with what is counted of it, and pages of them. Quick to load.

Rows may be those of a session or of `catalog.store.driver.quick`; what is told of a line, `catalog.store.schemas` says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from catalog.wording import folded

#: Columns that a table in a list is shown with where their name holds a searched word; a bound of space.
MOST_MATCHING = 4


_SPELT_OUT = re.compile(r"[^/.][/.][^/.]")


def spelt_out(word: str) -> bool:
    """Whether a searched word may be a name as it is written elsewhere: ``source/table``, ``table.column``.

    >>> [spelt_out(word) for word in ("shop/orders", "customers.email", "orders", "/", ".csv")]
    [True, True, False, False, False]
    """
    return _SPELT_OUT.search(word) is not None


def holding(word: str) -> str:
    """A LIKE pattern (escape character ``/``) for folded texts (`catalog.wording.folded`) that contain a searched word.

    >>> holding("50%_É/x")
    '%50/%/_e//x%'
    """
    escaped = re.sub("([/%_])", r"/\1", folded(word) or "")
    return f"%{escaped}%"


@dataclass(frozen=True)
class Page:
    """A stretch of a list: `items` from `offset` on, at most `limit` of `total`."""

    items: list[Any]
    total: int
    limit: int
    offset: int


def cut_list(items: Sequence[Any], limit: int, offset: int) -> Page:
    """A stretch of a list that is in hand.

    >>> cut_list("abcde", limit=2, offset=4).items
    ['e']
    """
    return Page(list(items[offset : offset + limit]), len(items), limit, offset)


@dataclass(frozen=True)
class TableLine:
    """A table as lists show it, with what is counted of it: active rules, open incidents (one for each cause), domains
    that tag its columns and nobody rejected; `matching` are columns ``(id, name)`` that hold a searched word."""

    table: Any
    source: str
    columns: int
    rules: int
    incidents: int
    tags: list[str]
    matching: list[tuple[int, str]] = field(default_factory=list)

    @property
    def ref(self) -> str:
        """``source/name``: finds the table again."""
        return f"{self.source}/{self.table.name}"


@dataclass(frozen=True)
class RuleLine:
    """A rule as lists show it: its table and source, and the outcome that it had last. Where one rule is shown, also
    what is hidden of its table, its clauses, what was decided about it, and the id of the revision that stands now."""

    rule: Any
    table: str
    source: str
    last: Any = None
    hide: Any = None
    clauses: list[Any] = field(default_factory=list)
    events: list[Any] = field(default_factory=list)
    stands: int | None = None

    @property
    def ref(self) -> str:
        return f"{self.source}/{self.table}"


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
