"""Sources, tables and columns. Each function takes a session and leaves the commit to its caller."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import delete, or_, update
from sqlmodel import Session, SQLModel, col, select

from catalog.errors import AssayError, NotFound, TableVanished, UsageError
from catalog.store.access import approvals, audit
from catalog.store.engine import insert_new, unreadable
from catalog.store.incidents.groups import leave_groups
from catalog.store.models import (
    GONE,
    AlertDelivery,
    AlertRoute,
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
    now,
)
from catalog.tags.privacy.inside import without_values


def add_source(
    session: Session, name: str, uri: str, include: Sequence[str] = (), exclude: Sequence[str] = ()
) -> Source:
    """The source of that name; its address and globs become these. Errors: `UsageError` for unusable texts."""
    readable(name, uri, *include, *exclude)
    _nameable(name)
    new = insert_new(session, Source, [{"name": name, "uri": uri}], returning=[Source.id])
    source = session.exec(select(Source).where(Source.name == name)).one()
    before = {} if new else _place(source)
    source.uri, source.include, source.exclude = uri, list(include), list(exclude)
    _record(session, "add" if new else "edit", source, before)
    return source


def _place(source: Source) -> dict[str, Any]:
    """What people say of a source."""
    return {name: getattr(source, name) for name in ("name", "uri", "include", "exclude", "allowed", "owner")}


def _record(session: Session, action: str, source: Source, before: dict[str, Any], after: bool = True) -> None:
    session.flush()
    becomes = _place(source) if after else {}
    if before != becomes:
        item = audit.Item("source", source.id, source.name, source.name)
        audit.record(session, audit.actor_of(session), action, item, before=before, after=becomes)


def edit_source(
    session: Session, source_id: int, name: str, uri: str, include: Sequence[str] = (), exclude: Sequence[str] = ()
) -> Source:
    """Give a source another name, address or globs; what was learned of its tables stays. Errors: `NotFound`,
    `UsageError` for unusable texts or a name that is taken."""
    source = get_source(session, source_id)
    before = _place(source)
    readable(name, uri, *include, *exclude)
    if name != source.name:
        if session.exec(select(Source.id).where(Source.name == name)).first() is not None:
            raise UsageError(f"there is a source named {name!r} already", remedy="choose another name")
        _nameable(name)
    source.name, source.uri, source.include, source.exclude = name, uri, list(include), list(exclude)
    _record(session, "edit", source, before)
    return source


def _nameable(name: str) -> None:
    if not name or "/" in name or name != name.strip():
        raise UsageError(f"{name!r} cannot name a source", remedy="use letters, digits, dots, dashes or underscores")


def readable(*texts: str) -> None:
    """Refuse texts that cannot be written as UTF-8. Errors: `UsageError`."""
    for text in texts:
        if unreadable(text):
            shown = text.encode("ascii", "backslashreplace").decode()
            raise UsageError(f"{shown!r} holds a character that is no text", remedy="write it as UTF-8")


def allow(session: Session, source_id: int, roots: Sequence[str]) -> None:
    """Make these the folders, beside the source's own, that its tables' logs may name files of."""
    readable(*roots)
    source = get_source(session, source_id)
    before, source.allowed = _place(source), list(roots)
    _record(session, "allow", source, before)


def list_sources(session: Session) -> list[Source]:
    """All sources by name."""
    return list(session.exec(select(Source).order_by(Source.name)))


def get_source(session: Session, ref: str | int) -> Source:
    """The source of that name or id. Errors: `NotFound`."""
    query = select(Source).where(Source.name == ref if isinstance(ref, str) else Source.id == ref)
    source = session.exec(query).first()
    if source is None:
        raise _not_found("source", str(ref), list(session.exec(select(Source.name))))
    return source


def set_crawled(session: Session, source_id: int) -> None:
    """The source has been looked through just now."""
    session.exec(update(Source).where(col(Source.id) == source_id).values(crawled_at=now()))


def upsert_tables(session: Session, source_id: int, found: Iterable[tuple[str, str]]) -> list[Table]:
    """The tables ``(name, uri)`` of a source, made where they are new, in the order of their names. What is known of an
    address under another name, as when the source is another folder of the same lake now, goes on under this one."""
    addresses = dict(found)
    known = _of_source(session, source_id)
    same = _recognised(known, addresses)
    _rename(session, source_id, known, {key: name for key, (name, _) in same.items()})
    for table in known:
        if table.id in same and table.uri != same[table.id][1]:
            table.uri = same[table.id][1]
    session.flush()
    rows = [{"source_id": source_id, "name": name, "uri": addresses[name]} for name in sorted(addresses)]
    insert_new(session, Table, rows)
    return [table for table in _of_source(session, source_id) if table.name in addresses]


def would_lose(session: Session, source_id: int, found: Iterable[tuple[str, str]]) -> list[str]:
    """Names of the tables that a source would not have any more if it held what was found."""
    known = _of_source(session, source_id)
    same = _recognised(known, dict(found))
    return [table.name for table in known if table.status not in GONE and table.id not in same]


def _of_source(session: Session, source_id: int) -> Sequence[Table]:
    return session.exec(select(Table).where(Table.source_id == source_id).order_by(Table.name)).all()


def _recognised(known: Iterable[Table], found: Mapping[str, str]) -> dict[int, tuple[str, str]]:
    """By its id, the name and address of each known table that is among those found (addresses by name): one of its
    address is the same table, whatever it is called, and if there is none, one of its name."""
    rest, same = dict(found), {}
    fits: tuple[Callable[[Table], str | None], ...] = (
        lambda table: table.name if rest.get(table.name) == table.uri else None,
        lambda table: at.get(table.uri),
        lambda table: table.name if table.name in rest else None,
    )
    for fit in fits:
        at = {uri: name for name, uri in rest.items()}
        for table in known:
            if table.id not in same and (name := fit(table)) in rest:
                same[table.id] = (name, rest.pop(name))
    return same


def _rename(session: Session, source_id: int, known: Iterable[Table], names: Mapping[int, str]) -> None:
    """Give tables these names, and what refers to them. One that is gone and had such a name is told by its address."""
    moved = [(table, names[table.id]) for table in known if names.get(table.id, table.name) != table.name]
    wanted, source = {name for _, name in moved}, session.get_one(Source, source_id).name
    called = {f"{source}/{table.name}": f"{source}/{name}" for table, name in moved}
    for table in known:
        if table.id not in names and table.name in wanted:
            table.name = f"{table.name} ({table.uri})"
    for final in (False, True):  # names may be swapped: no two tables may have one on the way
        for table, name in moved:
            table.name = name if final else f"{table.id} on its way to {name}"
        session.flush()
    for row in session.exec(select(RuleRow)) if moved else ():  # only references name another table
        if (old := row.body.get("other")) in called:
            row.sentence = row.sentence.replace(f" {old}.", f" {called[old]}.")
            row.body = {**row.body, "other": called[old], "sentence": row.sentence}


def under(session: Session, source_id: int, folders: Iterable[str]) -> list[int]:
    """Ids of the tables of a source that lie under some of its folders and were there when it was last looked at."""
    beginnings = tuple(f"{folder}/" for folder in folders)
    if not beginnings:
        return []
    known = select(Table.id, Table.name).where(Table.source_id == source_id, col(Table.status).not_in(GONE))
    return [key for key, name in session.exec(known.order_by(Table.name)) if name.startswith(beginnings)]


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
        raise _not_found("table", ref, [name for _, name in names] + [f"{source}/{name}" for source, name in names])
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


def mark_gone(session: Session, source_id: int, keep: Collection[int], wanted: Callable[[str], bool]) -> None:
    """Tables of the source that were not found this time: excluded where it does not want their name any more, which is
    no trouble of theirs, else vanished."""
    known = session.exec(select(Table.id, Table.name).where(Table.source_id == source_id)).all()
    missing = [(key, name) for key, name in known if key not in keep]
    error = TableVanished("the table is no longer under its source")
    told = {"error_kind": error.kind, "error": error.cause, "remedy": error.remedy}
    vanished = [key for key, name in missing if wanted(name)]
    excluded = [key for key, name in missing if not wanted(name)]
    for status, ids, said in (("vanished", vanished, told), ("excluded", excluded, dict.fromkeys(told))):
        session.exec(update(Table).where(col(Table.id).in_(ids)).values(status=status, **said))


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
        raise _not_found("column", name, [one.name for one in list_columns(session, table_id)])
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


def remove_source(session: Session, source_id: int) -> None:
    """Forget a source with its tables and what people decided, which needs a second person where showing values does.
    Errors: `NotFound`, `Held`."""
    source = get_source(session, source_id)
    item = audit.Item("source", source_id, source.name, source.name)
    approvals.hold(session, "remove", {"source": source_id}, item, audit.actor_of(session), "forget")
    _record(session, "remove", source, _place(source), after=False)
    for table_id in session.exec(select(Table.id).where(Table.source_id == source_id)).all():
        remove_table(session, table_id)  # type: ignore[arg-type]
    session.exec(update(Run).where(col(Run.source_id) == source_id).values(source_id=None))
    session.exec(delete(AlertRoute).where(col(AlertRoute.source_id) == source_id))
    session.exec(delete(Source).where(col(Source.id) == source_id))


def _not_found(what: str, ref: str, names: Sequence[str]) -> NotFound:
    if what == "source" and "/" in ref:  # a place, by whoever has not registered it yet
        remedy = f"`assay source add NAME {shlex.quote(ref)}` registers a place; then give its name"
        return NotFound(f"no source is called {ref!r}", remedy=remedy)
    nearest = difflib.get_close_matches(ref, sorted(set(names)), n=3, cutoff=0.6)
    hint = f"did you mean {' or '.join(nearest)}?" if nearest else f"`assay {what} list` shows those there are"
    return NotFound(
        f"no {what} {ref!r}", remedy="see the columns of the table" if what == "column" and not nearest else hint
    )
