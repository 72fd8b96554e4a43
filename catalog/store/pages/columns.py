"""Columns with their tags, and the domains that tag them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import case, func, select
from sqlmodel import Session, col

from catalog.store.meaning.privacy import hiding
from catalog.store.meaning.tags import TAG_STATUSES
from catalog.store.models import Incident, LakeColumn, RuleRow, Table, Tag
from catalog.store.pages.cutting import Page, counts, cut, has
from catalog.store.pages.filters import OPEN, one_of
from catalog.tags.privacy.hiding import Hiding


@dataclass(frozen=True)
class ColumnLine:
    """A column as lists show it; `hide`: what of its table may not be seen."""

    column: LakeColumn
    hide: Hiding
    tags: list[Tag] = field(default_factory=list)
    rules: int = 0
    incidents: int = 0


def columns_of(session: Session, table_id: int, text: str = "", limit: int = 100, offset: int = 0) -> Page:
    """The columns of a table in their order (`ColumnLine`)."""
    query = select(LakeColumn).where(col(LakeColumn.table_id) == table_id)
    if text:
        query = query.where(has(LakeColumn.name, text))
    page = cut(session, query.order_by(col(LakeColumn.position), col(LakeColumn.id)), limit, offset)
    return Page(column_lines(session, table_id, page.items), page.total, limit, offset)


def column_line(session: Session, column: LakeColumn) -> ColumnLine:
    (line,) = column_lines(session, column.table_id, [column])
    return line


def column_lines(session: Session, table_id: int, columns: Sequence[LakeColumn]) -> list[ColumnLine]:
    tags = tags_of(session, [c.id for c in columns if c.id is not None])
    rules = counts(
        session,
        select(col(RuleRow.column_name), func.count())
        .where(col(RuleRow.table_id) == table_id, col(RuleRow.status) == "active")
        .group_by(col(RuleRow.column_name)),
    )
    incidents = counts(
        session,
        select(col(Incident.column_name), func.count())
        .where(col(Incident.table_id) == table_id, col(Incident.status).in_(OPEN))
        .group_by(col(Incident.column_name)),
    )
    hide = hiding(session, table_id)
    return [
        ColumnLine(one, hide, tags.get(one.id, []), rules.get(one.name, 0), incidents.get(one.name, 0))
        for one in columns
    ]


def tags_of(session: Session, column_ids: Iterable[int]) -> dict[int, list[Tag]]:
    """Tags by column: accepted before proposed before rejected, then by score."""
    rank = case((col(Tag.status) == "accepted", 0), (col(Tag.status) == "proposed", 1), else_=2)
    query = (
        select(Tag).where(col(Tag.column_id).in_(list(column_ids))).order_by(rank, col(Tag.score).desc(), col(Tag.id))
    )
    out: dict[int, list[Tag]] = defaultdict(list)
    for tag in session.scalars(query):
        out[tag.column_id].append(tag)
    return dict(out)


def column_id(session: Session, table_id: int, name: str) -> int | None:
    """The id of a column, None where the schema has it no more."""
    query = select(col(LakeColumn.id)).where(col(LakeColumn.table_id) == table_id, col(LakeColumn.name) == name)
    return session.scalars(query).first()


def find_tags(
    session: Session,
    *,
    table_id: int | None = None,
    column_id: int | None = None,
    domain: str = "",
    status: str = "",
    limit: int = 50,
    offset: int = 0,
) -> Page:
    """Tags with what they are of: (Tag, LakeColumn, Table). Those of one domain by how well they match, others by
    table, column and score. Those proposed wait for a decision: general kinds do not."""
    one_of("status", status, TAG_STATUSES)
    query = (
        select(Tag, LakeColumn, Table)
        .join(LakeColumn, col(Tag.column_id) == col(LakeColumn.id))
        .join(Table, col(LakeColumn.table_id) == col(Table.id))
    )
    asked: dict[Any, Any] = {LakeColumn.table_id: table_id, Tag.column_id: column_id}
    asked |= {Tag.domain: domain or None, Tag.status: status or None}
    query = query.where(*(name == value for name, value in asked.items() if value is not None))
    query = query.where(col(Tag.generic).is_(False)) if status == "proposed" else query
    place = () if domain else (col(Table.name), col(Table.id), col(LakeColumn.position))
    return cut(session, query.order_by(*place, col(Tag.score).desc(), col(Tag.id)), limit, offset, scalars=False)


def find_domains(session: Session) -> list[dict[str, Any]]:
    """Every domain that tags a column: how many columns by status and that nobody rejected, how many tables."""
    query = (
        select(
            col(Tag.domain),
            func.max(col(Tag.title)),
            func.max(case((col(Tag.sensitive).is_(True), 1), else_=0)),
            # a general kind describes a column: nobody is asked to decide on it
            func.sum(case(((col(Tag.status) == "proposed") & col(Tag.generic).is_(False), 1), else_=0)),
            func.sum(case((col(Tag.status) == "accepted", 1), else_=0)),
            func.sum(case((col(Tag.status) == "rejected", 1), else_=0)),
            func.sum(case((col(Tag.status) != "rejected", 1), else_=0)),
            func.count(col(LakeColumn.table_id).distinct()),
        )
        .join(LakeColumn, col(Tag.column_id) == col(LakeColumn.id))
        .group_by(col(Tag.domain))
        .order_by(col(Tag.domain))
    )
    names = ("domain", "title", "sensitive", "proposed", "accepted", "rejected", "columns", "tables")
    return [dict(zip(names, row, strict=True)) for row in session.execute(query)]
