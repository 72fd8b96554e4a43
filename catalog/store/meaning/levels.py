"""Levels of sensitivity: from tags, or set by hand. Each function takes a session and never commits.

A level by hand holds, whatever tags say, until it is taken away. A table has the highest level of its columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlmodel import Session, col, select

from catalog.declared.constraint import Constraint
from catalog.errors import UsageError
from catalog.roles import UNMASK, UNMASK_SECRET, WORDS, Forbidden, Identity
from catalog.rules.kinds.declared import DeclaredRule
from catalog.store.access import audit
from catalog.store.access.approvals import hold
from catalog.store.meaning import privacy
from catalog.store.meaning.tags import demand_secrets, refresh_sensitive, same_columns, tag_levels
from catalog.store.models import LakeColumn, Table
from catalog.store.seen import demand_seen
from catalog.tags.privacy.hiding import conditions_of
from catalog.tags.privacy.levels import LEVELS_BY_HAND, SENSITIVITY_LEVELS, USUAL, shows_more


def set_level(
    session: Session, column_id: int, level: str | None, *, actor: str, reason: str | None = None, seen: str = ""
) -> LakeColumn:
    """A person says how sensitive a column is; None leaves it to its tags again. What shows its values to more
    people needs a `reason`, and a second person where that is wanted. Errors: `UsageError`, `Held`, `Changed` where
    another level was `seen`."""
    column = session.get(LakeColumn, column_id)
    if column is None:
        raise UsageError(f"there is no column {column_id}", remedy="open its table and follow the link there")
    if level is not None and level not in LEVELS_BY_HAND:
        raise UsageError(f"there is no level {level!r}", remedy=f"use one of {', '.join(LEVELS_BY_HAND)}")
    why = (reason or "").strip()
    before = {"level": column.level, "by_hand": column.hand_level}
    if column.hand_level == level:
        return column
    demand_seen(seen, column.level, f"the level of {column.name} was changed meanwhile", f"it is {column.level}")
    becomes = level or tag_levels(session, [column_id])[column_id]
    lowers = shows_more(column.level, becomes)
    item = audit.of_column(session, "column", column_id, column_id)
    demand_secrets(session, column.level, becomes)
    if lowers and not why:
        raise UsageError("that shows values to people from whom they are hidden now", remedy="say why they may be seen")
    if lowers:
        hold(
            session,
            "level",
            {"column": column_id, "level": level},
            item,
            actor,
            f"lower from {column.level} to {becomes} the level of",
            why,
        )
    column.hand_level = level
    session.flush()
    refresh_sensitive(session, [column_id], [column_id])
    refresh_sensitive(session, same_columns(session, column_id))
    session.refresh(column)
    after = {"level": column.level, "by_hand": level}
    audit.record(session, actor, "level", item, before=before, after=after, reason=why)
    return column


def table_levels(session: Session, table_ids: Iterable[int]) -> dict[int, str]:
    """The highest level of each table's columns."""
    found: dict[int, str] = {}
    query = select(LakeColumn.table_id, LakeColumn.level).where(col(LakeColumn.table_id).in_(list(table_ids)))
    for table_id, level in session.exec(query.distinct()):
        if SENSITIVITY_LEVELS.index(level) > SENSITIVITY_LEVELS.index(found.get(table_id, SENSITIVITY_LEVELS[0])):
            found[table_id] = level
    return {table_id: found.get(table_id, USUAL) for table_id in table_ids}


def levels_of(who: Identity, reason: str) -> frozenset[str]:
    """The levels whose values somebody may see unmasked, who says why; what is not known counts as personal. Errors:
    `Forbidden`, `UsageError` without a reason."""
    who.demand(UNMASK)
    if not reason.strip():
        raise UsageError(
            "values are shown unmasked for a reason only", remedy="say what for: it is written into the audit log"
        )
    return frozenset({"personal", "secret"} if who.may(UNMASK_SECRET) else {"personal"})


def demand_values(session: Session, column_id: int, levels: Iterable[str]) -> None:
    """Raise `Forbidden` where a column's values would stay masked for somebody who may see these levels."""
    column = session.get_one(LakeColumn, column_id)
    if shows_more(column.level, "personal") and "secret" not in levels:
        raise Forbidden(
            f"the values of {column.name} are secret, and your role sees personal ones", remedy="ask an admin"
        )


def ask_of_hidden(session: Session, table: Table, constraint: Constraint, who: Identity) -> None:
    """Note in the audit log that somebody tries a check that compares masked values with what he gives: by its answers,
    though they are only yes or no, values are found out one after the other. Of which columns is told, never what was
    asked. Errors: `Forbidden` for who may not see these values unmasked."""
    rule = DeclaredRule.of(constraint)
    if not rule.tells_values:
        return
    hide = privacy.of_past(session, table.id or 0)
    named = sorted(hide.asked(conditions_of(rule.to_json()), constraint.columns))
    if not named:
        return
    query = select(LakeColumn.name, LakeColumn.level).where(LakeColumn.table_id == table.id)
    levels = {name: level for name, level in session.exec(query) if name in hide.known - hide.blind}
    right = UNMASK_SECRET if any(shows_more(levels.get(one, "secret"), "personal") for one in named) else UNMASK
    if not who.may(right):
        raise Forbidden(
            f"the answers of this check would tell what {', '.join(named)} holds, whose values are masked for you",
            remedy=f"let somebody try it who may {WORDS[right]}",
        )
    about = audit.of_table(session, "values", table.id, table.id or 0)
    audit.record(session, who.name, "ask", about, after={"check": constraint.kind, "columns": named})


def note_unmasked(
    session: Session, actor: str, item: audit.Item, reason: str, levels: Iterable[str], told: Mapping[str, Any]
) -> None:
    """Write down that values were handed to somebody unmasked: of which levels, how many, of which version. To be
    committed before they are handed on."""
    about = audit.Item("values", item.id, item.name, item.source, item.table_id)
    audit.record(session, actor, "unmask", about, reason=reason.strip(), after={"levels": sorted(levels), **told})


def shown_of(found: Mapping[str, Any]) -> dict[str, Any]:
    """What the audit log tells of values that were read (`catalog.flow.rows.unmasking`): of which columns and how many,
    never which. Rows that a verdict about one column points at are shown with their other columns."""
    rows = [row for block in found["blocks"] for row in block["rows"]]
    return {"version": found["version"], "rows": len(rows), "columns": sorted({name for row in rows for name in row})}
