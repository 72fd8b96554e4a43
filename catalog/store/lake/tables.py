"""Tables and columns. Each function takes a session and leaves the commit to its caller."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import delete, or_, update
from sqlmodel import Session, SQLModel, col, select

from catalog.errors import AssayError, NotFound, UsageError
from catalog.store.access import approvals, audit
from catalog.store.engine import insert_new
from catalog.store.incidents.groups import leave_groups
from catalog.store.models import (
    GONE,
    AlertDelivery,
    ClauseDecision,
    FileState,
    Incident,
    KeyLoad,
    KeySample,
    LakeColumn,
    Lease,
    MergedPart,
    MergedState,
    Outcome,
    PartFiles,
    PartState,
    RuleEvent,
    RuleRow,
    Run,
    Source,
    Table,
    Tag,
    TagEvent,
    Version,
)
from catalog.tags.privacy.inside import without_values


def get_table(session: Session, ref: str | int) -> Table:
    """The table of that id, name or ``source/name``. Errors: `NotFound`, with the nearest names; `UsageError` where
    two sources have a table of that name."""
    if isinstance(ref, int) or ref.isdecimal():
        table = session.get(Table, int(ref)) if int(ref) < 2**31 else None
        if table is not None:
            return table
    ref = str(ref)
    named = session.exec(select(Table, Source.name).join(Source).where(Table.name == ref)).all()
    if not named and "/" in ref:
        source, name = ref.split("/", 1)
        named = session.exec(
            select(Table, Source.name).join(Source).where(Table.name == name, Source.name == source)
        ).all()
    if len(named) > 1:
        refs = ", ".join(sorted(f"{source}/{table.name}" for table, source in named))
        raise UsageError(f"{len(named)} sources have a table {ref!r}", remedy=f"name one of {refs}")
    if not named:
        names = session.exec(select(Source.name, Table.name).join(Table)).all()
        raise not_found("table", ref, [name for _, name in names] + [f"{source}/{name}" for source, name in names])
    return named[0][0]


def full_name(session: Session, table_id: int) -> str:
    """``source/name`` of a table."""
    table = session.get_one(Table, table_id)
    return f"{session.get_one(Source, table.source_id).name}/{table.name}"


def every_table(session: Session) -> list[Table]:
    """All tables, by name. Lists that people search are `catalog.store.pages.tables.find_tables`."""
    return list(session.exec(select(Table).order_by(col(Table.name), col(Table.id))))


def present(session: Session) -> list[int]:
    """Ids of the tables that were under their source when it was last looked at."""
    return list(session.exec(select(Table.id).where(col(Table.status).not_in(GONE)).order_by(col(Table.id))))


class Watched(NamedTuple):
    """A table that a watcher should look at, the newest version seen of it, and the stamp of that version's commit."""

    table_id: int
    uri: str
    version: int
    stamp: str | None


def watch_list(session: Session) -> list[Watched]:
    """Every table that a watcher should look at.

    A table whose log could never be read is left to the next crawl of its source: it would be news at every look.
    """
    query = select(Table.id, Table.uri, Table.seen_version, Table.seen_stamp).where(
        col(Table.status).not_in(GONE), or_(col(Table.status) != "error", col(Table.seen_version) >= 0)
    )
    return [Watched(*row) for row in session.exec(query.order_by(col(Table.id)))]


def update_table(session: Session, table_id: int, **values: Any) -> None:
    """Set fields of a table (rows, bytes, files, mode, properties, status, learned_at, changed_at ...)."""
    session.exec(update(Table).where(col(Table.id) == table_id).values(**values))


def mark_error(session: Session, table_id: int, error: AssayError) -> None:
    """The table cannot be read: cause and remedy stay on it until `clear_error`."""
    status = "vanished" if error.kind == "table_vanished" else "error"
    cause = without_values(error.cause)
    update_table(session, table_id, status=status, error_kind=error.kind, error=cause, remedy=error.remedy or None)


def clear_error(session: Session, table_id: int, status: str = "watched") -> None:
    """The table can be read again, or is as well as `status` says."""
    update_table(session, table_id, status=status, error_kind=None, error=None, remedy=None)


def set_columns(session: Session, table_id: int, columns: Sequence[Sequence[str]]) -> list[LakeColumn]:
    """Make the table's columns ``[[name, type], ...]``, in this order. Columns that stay keep their id, profile and
    tags; columns that went take theirs along."""
    wanted = {name: (kind, position) for position, (name, kind) in reversed(list(enumerate(columns)))}
    present = {column.name: column for column in list_columns(session, table_id)}
    gone = [column.id for name, column in present.items() if name not in wanted]
    if gone:
        session.exec(delete(Tag).where(col(Tag.column_id).in_(gone)))
        session.exec(delete(LakeColumn).where(col(LakeColumn.id).in_(gone)))
    new = [
        {"table_id": table_id, "name": name, "type": kind, "position": position}
        for name, (kind, position) in sorted(wanted.items())
        if name not in present
    ]
    insert_new(session, LakeColumn, new)
    for name, column in present.items():
        if name in wanted and (column.type, column.position) != wanted[name]:
            column.type, column.position = wanted[name]
    session.flush()
    return list_columns(session, table_id) if gone or new else sorted(present.values(), key=lambda c: c.position)


def list_columns(session: Session, table_id: int) -> list[LakeColumn]:
    """The columns of a table in the order of its schema."""
    query = select(LakeColumn).where(LakeColumn.table_id == table_id).order_by(col(LakeColumn.position))
    return list(session.exec(query))


def get_column(session: Session, table_id: int, name: str) -> LakeColumn:
    """The column of that name. Errors: `NotFound`, with the nearest names."""
    query = select(LakeColumn).where(LakeColumn.table_id == table_id, LakeColumn.name == name)
    column = session.exec(query).first()
    if column is None:
        raise not_found("column", name, [one.name for one in list_columns(session, table_id)])
    return column


def set_profile(session: Session, table_id: int, profiles: Mapping[str, Mapping[str, Any]]) -> None:
    """Keep the display figures of columns: ``{column name: JSON data}``; names that are no columns are left out."""
    columns = list_columns(session, table_id)
    values = [{"id": one.id, "profile": dict(profiles[one.name])} for one in columns if one.name in profiles]
    if values:
        session.execute(update(LakeColumn), values)


#: What is kept of a table's versions and of what they brought: it goes when the table does, or is made again.
OF_VERSIONS: tuple[type[SQLModel], ...] = (
    Incident,
    Outcome,
    Version,
    FileState,
    MergedState,
    PartState,
    MergedPart,
    PartFiles,
    KeyLoad,
    KeySample,
)


def remove_table(session: Session, table_id: int) -> None:
    """Forget a table and everything known of it. The data is not touched."""
    leave_groups(session, table_id)
    approvals.drop_waiting(session, table_id)
    incidents = select(Incident.id).where(Incident.table_id == table_id)
    session.exec(delete(AlertDelivery).where(col(AlertDelivery.incident_id).in_(incidents)))
    columns = select(LakeColumn.id).where(LakeColumn.table_id == table_id)
    session.exec(delete(Tag).where(col(Tag.column_id).in_(columns)))
    session.exec(update(Run).where(col(Run.table_id) == table_id).values(table_id=None))
    session.exec(delete(Lease).where(col(Lease.name) == f"table:{table_id}"))
    for model in (LakeColumn, *OF_VERSIONS, RuleEvent, ClauseDecision, RuleRow, TagEvent):
        session.exec(delete(model).where(model.__table__.c.table_id == table_id))  # type: ignore[attr-defined, arg-type]
    session.exec(delete(Table).where(col(Table.id) == table_id))


def forget_table(session: Session, table_id: int) -> None:
    """Forget a table that is gone or left out, as its source is forgotten. Errors: `NotFound`, `Held`; `UsageError` for
    one that is still there: the next crawl would find it again."""
    table, item = get_table(session, table_id), audit.of_table(session, "table", table_id, table_id)
    if table.status not in GONE:
        remedy = "leave its name out on its source's page, or by `assay source edit --exclude`, and crawl it first"
        raise UsageError(f"{item.name} is still under its source: the next crawl would find it again", remedy=remedy)
    approvals.hold(session, "forget_table", {"table": table_id}, item, audit.actor_of(session), "forget")
    said = table.model_dump(include={"name", "uri", "status"})
    audit.record(session, audit.actor_of(session), "remove", item, before=said)
    remove_table(session, table_id)


def not_found(what: str, ref: str, names: Sequence[str]) -> NotFound:
    """The error for a source, table or column that is none of these, with the nearest of them."""
    if what == "source" and "/" in ref:  # a place, by whoever has not registered it yet
        remedy = f"`assay source add NAME {shlex.quote(ref)}` registers a place; then give its name"
        return NotFound(f"no source is called {ref!r}", remedy=remedy)
    nearest = difflib.get_close_matches(ref, sorted(set(names)), n=3, cutoff=0.6)
    hint = f"did you mean {' or '.join(nearest)}?" if nearest else f"`assay {what} list` shows those there are"
    return NotFound(
        f"no {what} {ref!r}", remedy="see the columns of the table" if what == "column" and not nearest else hint
    )
