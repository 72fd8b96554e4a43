"""Levels of sensitivity: from tags, or set by hand. Each function takes a session and never commits.

A level by hand holds, whatever tags say, until it is taken away. A table has the highest level of its columns.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlmodel import Session, col, select

from catalog.errors import UsageError
from catalog.store.access import audit
from catalog.store.access.approvals import hold
from catalog.store.meaning.tags import refresh_sensitive, tag_levels
from catalog.store.models import LakeColumn
from catalog.tags.privacy.levels import HIDDEN, LEVELS, USUAL


def set_level(
    session: Session, column_id: int, level: str | None, *, actor: str, reason: str | None = None
) -> LakeColumn:
    """A person says how sensitive a column is; None leaves it to its tags again. What shows values that are hidden
    needs a `reason`, and a second person where that is wanted. Errors: `UsageError`, `Held`."""
    column = session.get(LakeColumn, column_id)
    if column is None:
        raise UsageError(f"there is no column {column_id}", remedy="open its table and follow the link there")
    if level is not None and level not in LEVELS:
        raise UsageError(f"there is no level {level!r}", remedy=f"use one of {', '.join(LEVELS)}")
    why = (reason or "").strip()
    before = {"level": column.level, "by_hand": column.hand_level}
    if column.hand_level == level:
        return column
    becomes = level or tag_levels(session, [column_id])[column_id]
    lowers = column.sensitive and becomes not in HIDDEN
    item = audit.of_column(session, "column", column_id, column_id)
    if lowers and not why:
        raise UsageError("that shows values that are hidden now", remedy="say why they may be seen")
    if lowers:
        hold(session, "level", {"column": column_id, "level": level}, item, actor, f"call {becomes} the", why)
    column.hand_level = level
    session.flush()
    refresh_sensitive(session, [column_id], [column_id])
    session.refresh(column)
    after = {"level": column.level, "by_hand": level}
    audit.record(session, actor, "level", item, before=before, after=after, reason=why)
    return column


def table_levels(session: Session, table_ids: Iterable[int]) -> dict[int, str]:
    """The highest level of each table's columns."""
    found: dict[int, str] = {}
    query = select(LakeColumn.table_id, LakeColumn.level).where(col(LakeColumn.table_id).in_(list(table_ids)))
    for table_id, level in session.exec(query.distinct()):
        if LEVELS.index(level) > LEVELS.index(found.get(table_id, LEVELS[0])):
            found[table_id] = level
    return {table_id: found.get(table_id, USUAL) for table_id in table_ids}
