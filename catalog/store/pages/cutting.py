"""Lists in pages, and searching by words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select
from sqlmodel import Session

from catalog.errors import UsageError

OPEN = ("new", "acknowledged", "assigned")


TABLE_STATUSES = ("new", "learning", "watched", "error", "vanished")
RUN_STATUSES = ("queued", "running", "done", "failed", "cancelled")
VERDICTS = ("passed", "violated", "not_applicable")


def one_of(what: str, value: str | None, allowed: Iterable[str]) -> None:
    """Refuse a filter that nothing can have: an empty list would say that there is nothing. Errors: `UsageError`.

    >>> one_of("status", "zzz", ["new", "done"])
    Traceback (most recent call last):
        ...
    catalog.errors.UsageError: there is no status 'zzz'; use one of new, done
    """
    listed = list(allowed)
    if value and value not in listed:
        raise UsageError(f"there is no {what} {value!r}", remedy=f"use one of {', '.join(listed)}")


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


def like(text: str) -> str:
    """A LIKE pattern (escape character ``\\``) for texts that contain `text`.

    >>> like("50%_x")
    '%50\\\\%\\\\_x%'
    """
    for special in ("\\", "%", "_"):
        text = text.replace(special, "\\" + special)
    return f"%{text}%"


def cut(session: Session, query: Any, limit: int, offset: int, *, scalars: bool = True) -> Page:
    """Run a query for one page of its rows."""
    total = session.scalar(select(func.count()).select_from(query.order_by(None).subquery())) or 0
    rows = session.execute(query.limit(limit).offset(offset))
    return Page(list(rows.scalars() if scalars else rows), total, limit, offset)


def counts(session: Session, query: Any) -> dict[Any, int]:
    return {key: count for key, count in session.execute(query)}  # noqa: C416  (dict() of rows does not type)
