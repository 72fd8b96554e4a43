"""Lists in pages, and searching by words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import func, select
from sqlmodel import Session, col

from catalog.store.models import Source, Table
from catalog.store.pages.lines import Page

__all__ = ["Page", "counts", "cut", "like", "source_names"]


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


def source_names(session: Session, tables: Iterable[Table]) -> dict[int, str]:
    """Names of the sources of some tables, by id."""
    query = select(col(Source.id), col(Source.name)).where(col(Source.id).in_({one.source_id for one in tables}))
    return {key: name for key, name in session.execute(query)}  # noqa: C416  (dict() of rows does not type)


def counts(session: Session, query: Any) -> dict[Any, int]:
    return {key: count for key, count in session.execute(query)}  # noqa: C416  (dict() of rows does not type)
