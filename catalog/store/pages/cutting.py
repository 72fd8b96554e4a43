"""Lists in pages, and searching by words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Boolean, ColumnElement, func, or_, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import aliased
from sqlalchemy.sql.functions import FunctionElement
from sqlmodel import Session, col

from catalog.store.models import Source, Table
from catalog.store.pages.lines import Page, holding, spelt_out
from catalog.wording import FOLDED

__all__ = ["Page", "counts", "cut", "full_name", "has", "source_names"]


class _Holds(FunctionElement[bool]):
    """Whether a text holds a pattern when both are folded (`catalog.wording.folded`); the pattern is already."""

    type = Boolean()
    inherit_cache = True


def _in_sqlite(element: _Holds, compiler: Any, **options: Any) -> str:
    text, pattern = (compiler.process(one, **options) for one in element.clauses)
    return f"folded({text}) LIKE {pattern} ESCAPE '/'"


def _in_postgresql(element: _Holds, compiler: Any, **options: Any) -> str:
    text, pattern = (compiler.process(one, **options) for one in element.clauses)
    return f"{FOLDED.format(text)} ILIKE {pattern} ESCAPE '/'"


compiles(_Holds, "sqlite")(_in_sqlite)
compiles(_Holds, "postgresql")(_in_postgresql)


def has(name: Any, word: str) -> ColumnElement[bool]:
    """Whether a name has a searched word in it, in any case, with accents or without."""
    return _Holds(name, holding(word))


def full_name(column: Any = None) -> Any:
    """``source/table`` of the tables that a query is of, or ``source/table.column`` of a name of columns in it."""
    source = aliased(Source)
    of = select(col(source.name)).where(col(source.id) == col(Table.source_id)).correlate(Table).scalar_subquery()
    return of + "/" + col(Table.name) + ("" if column is None else "." + column)


def holds(word: str, *names: Any, column: Any) -> Any:
    """Whether some of a row's names holds a searched word, or it is the name of the row's table or column spelt out."""
    told = (*names, full_name(), full_name(column)) if spelt_out(word) else names
    return or_(*(has(name, word) for name in told))


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
