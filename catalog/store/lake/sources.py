"""Sources, and which tables each has. Each function takes a session and leaves the commit to its caller."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import delete, update
from sqlmodel import Session, col, select

from catalog.errors import TableVanished, UsageError
from catalog.store.access import approvals, audit
from catalog.store.engine import insert_new, unreadable
from catalog.store.lake.renames import rename_tables
from catalog.store.lake.tables import not_found, remove_table
from catalog.store.models import (
    GONE,
    AlertRoute,
    Run,
    Source,
    Table,
    now,
)


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
        own = session.exec(select(Table.name).where(Table.source_id == source_id)).all()
        rename_tables(session, {f"{source.name}/{table}": f"{name}/{table}" for table in own})
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
        raise not_found("source", str(ref), list(session.exec(select(Source.name))))
    return source


def set_crawled(session: Session, source_id: int) -> None:
    """The source has been looked through just now."""
    session.exec(update(Source).where(col(Source.id) == source_id).values(crawled_at=now()))


def upsert_tables(
    session: Session, source_id: int, found: Iterable[tuple[str, str]], moved: Mapping[int, str] | None = None
) -> list[Table]:
    """The tables ``(name, uri)`` of a source, made where they are new, in the order of their names. What is known of an
    address under another name, as when the source is another folder of the same lake now, goes on under this one; so
    does what is known of a table that was `moved` (its id: the name that it has now), which the audit log tells."""
    addresses = dict(found)
    known = _of_source(session, source_id)
    same = _recognised(known, addresses)
    told = {table.id: (table, {"name": table.name, "uri": table.uri}) for table in known if table.id in (moved or {})}
    same |= {key: (name, addresses[name]) for key, name in (moved or {}).items()}
    _rename(session, source_id, known, {key: name for key, (name, _) in same.items()})
    for table in known:
        if table.id in same and table.uri != same[table.id][1]:
            table.uri = same[table.id][1]
    session.flush()
    for table, before in told.values():
        item, after = audit.of_table(session, "table", table.id, table.id), {"name": table.name, "uri": table.uri}
        audit.record(session, audit.ASSAY, "move", item, before=before, after=after, reason="its log has the same id")
    rows = [{"source_id": source_id, "name": name, "uri": addresses[name]} for name in sorted(addresses)]
    insert_new(session, Table, rows)
    return [table for table in _of_source(session, source_id) if table.name in addresses]


def unrecognised(
    session: Session, source_id: int, found: Iterable[tuple[str, str]]
) -> tuple[list[Table], dict[str, str]]:
    """The tables of a source that are not among those found, and of those found (addresses by name) the ones that are
    none of its tables."""
    known, addresses = _of_source(session, source_id), dict(found)
    same = _recognised(known, addresses)
    taken = {name for name, _ in same.values()}
    lost = [table for table in known if table.id not in same]
    return lost, {name: uri for name, uri in addresses.items() if name not in taken}


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
    rename_tables(session, called)


def under(session: Session, source_id: int, folders: Iterable[str]) -> list[int]:
    """Ids of the tables of a source that lie in some of its folders, or are one, and were there when it was last looked
    at."""
    beginnings = tuple(f"{folder}/" for folder in folders)
    if not beginnings:
        return []
    known = select(Table.id, Table.name).where(Table.source_id == source_id, col(Table.status).not_in(GONE))
    return [key for key, name in session.exec(known.order_by(Table.name)) if f"{name}/".startswith(beginnings)]


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
