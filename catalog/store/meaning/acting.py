"""What of the catalog is carried into other systems. Functions take a session and never commit."""

from __future__ import annotations

from typing import Any

from sqlmodel import Session, col, func, select

from catalog.errors import UsageError
from catalog.store.access import owners
from catalog.store.lake import tables
from catalog.store.models import GONE, Outcome, RuleRow, Table, Tag
from catalog.tags.acting import sql
from catalog.tags.acting.lineage import dataset
from catalog.tags.acting.sql import Meaning
from catalog.tags.privacy.levels import ABOUT, HIDDEN, UNREVIEWED


def meanings(session: Session, table_id: int, *, proposed: bool = False) -> list[Meaning]:
    """The columns of a table with the tag that says most of each: an accepted one first, a particular meaning before a
    general kind; without `proposed` only what people accepted. How sensitive a column is a person may have said with no
    tag at all, or against its tags."""
    columns = tables.list_columns(session, table_id)
    ids = [one.id for one in columns]
    query = select(Tag).where(col(Tag.column_id).in_(ids), Tag.status != "rejected")
    ranked = sorted(
        session.exec(query),
        key=lambda tag: (tag.status != "accepted", tag.contains, tag.generic, -tag.score, tag.domain),
    )
    best: dict[int, Tag] = {}
    for tag in ranked:
        if tag.status == "accepted" or (proposed and not tag.generic and tag.domain != ABOUT):
            best.setdefault(tag.column_id, tag)
    out = []
    for column in columns:
        found = best.get(column.id)
        said: dict[str, Any] = {}
        if found is not None:
            said = {name: getattr(found, name) for name in ("domain", "title", "status")} | {"by": found.actor}
        if found is not None or column.hand_level or (proposed and column.level == UNREVIEWED):
            said |= {"sensitive": column.level in HIDDEN, "level": column.level}
        more: dict[str, Any] = {"description": column.description or "", "terms": tuple(column.terms or ())}
        out.append(Meaning(column.name, column.type, **said, **more))
    return out


def statements_for(
    session: Session, table: Table, *, system: str, name: str = "", group: str = sql.READERS, proposed: bool = False
) -> list[str]:
    """SQL of what tags say of a table, for a system of `catalog.tags.acting.sql.FOR`; nothing is run. `name` is what
    the table is called there: of Unity Catalog its own, of Delta the path of its files, where none is given.

    Errors: `UsageError`, also of a table that is not there any more."""
    _demand_there(table)
    if system == "unity" or name:
        called = sql.table_name(name or table.name.replace("/", "."))
    else:
        called = f"delta.{sql.name(table.uri)}"
    found = meanings(session, table.id, proposed=proposed)
    return sql.statements(called, found, system=system, description=table.description or "", group=group)


def dataset_of(session: Session, table: Table, *, proposed: bool = False) -> dict[str, Any]:
    """What is known of a table as an OpenLineage dataset: schema, tags, owner, description and verdicts. Errors:
    `UsageError` of a table that is not there any more."""
    _demand_there(table)
    return dataset(
        table.uri,
        meanings(session, table.id, proposed=proposed),
        description=table.description or "",
        owner=owners.owner_of(session, "table", table.id).name or "",
        verdicts=verdicts(session, table.id),
    )


def _demand_there(table: Table) -> None:
    """Other systems are told nothing of a table that they have not any more, or no one wants."""
    if table.status in GONE:
        raise UsageError(f"{table.name} is {table.status}: nothing is told of it", remedy="crawl its source again")


def verdicts(session: Session, table_id: int) -> list[dict[str, Any]]:
    """What the rules said of the last version that they judged."""
    last = session.exec(select(func.max(Outcome.version)).where(Outcome.table_id == table_id)).one()
    if last is None:
        return []
    query = select(Outcome, RuleRow).join(RuleRow, col(RuleRow.id) == col(Outcome.rule_id))
    query = query.where(Outcome.table_id == table_id, Outcome.version == last, Outcome.status != "not_applicable")
    return [
        {
            "assertion": f"{rule.kind}: {rule.sentence}"[:500],
            "success": said.status == "passed",
            "column": rule.column_name or None,
        }
        for said, rule in session.exec(query.order_by(RuleRow.column_name, RuleRow.kind, col(RuleRow.id)))
    ]
