"""Sources: where tables are looked for, and the tables found there."""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from catalog.addresses import lake_address
from catalog.errors import AssayError, OutsideSource, TableVanished, UsageError
from catalog.flow.context import Context, Progress
from catalog.lake.logs.discover import discover, selected
from catalog.lake.logs.log import read_table
from catalog.lake.logs.replaying import list_log
from catalog.lake.reading.confinement import refuse_metadata
from catalog.store.lake import sources
from catalog.store.models import Source, Table

log = structlog.get_logger()


def add_source(
    context: Context, name: str, uri: str, include: list[str] | None = None, exclude: list[str] | None = None
) -> Source:
    """Register a folder or address under which Delta tables lie. Nothing is read yet."""
    _usable(uri)
    with context.transaction() as session:
        return sources.add_source(session, name, uri, include or [], exclude or [])


def allow(context: Context, ref: str | int, roots: Sequence[str]) -> Source:
    """Let the logs of a source's tables name files of these folders, beside the source's own: all that are allowed, in
    place of those before. Errors: `NotFound`, `UsageError` for an address that cannot be used."""
    for root in roots:
        _usable(root)
    with context.transaction() as session:
        source = sources.get_source(session, ref)
        sources.allow(session, source.id, roots)
        session.refresh(source)
        return source


def _usable(address: str) -> None:
    """Raise `UsageError` for an address at which no lake may lie, or where clouds keep credentials."""
    try:
        refuse_metadata(address)
        lake_address(address)
    except OutsideSource as error:
        raise UsageError(error.cause, remedy=error.remedy) from error


def find_tables(context: Context, source: Source, progress: Progress) -> tuple[list[int], list[str]]:
    """Register every table found under the source; mark those that are gone or left out. Returns ids, in order of name,
    and the folders that cannot be listed.

    What lies in a folder that cannot be listed is not gone: its tables are among the ids, and their reading says why.
    """
    progress.begin("finding tables", 0)
    closed: list[str] = []

    def note(folder: str, error: OSError) -> None:
        log.warning("a folder cannot be listed", source=source.name, folder=folder[:300], error=str(error)[:300])
        closed.append(folder)

    chosen = (source.include, source.exclude, context.options)
    found = sorted(discover(source.uri, *chosen, on_error=note, roots=source.allowed))
    moved = _moved(context, source, found, closed)
    with context.transaction() as session:
        ids = [table.id for table in sources.upsert_tables(session, source.id, found, moved)]
        ids += sources.under(session, source.id, closed)
        sources.mark_gone(session, source.id, set(ids), lambda name: selected(name, source.include, source.exclude))
        sources.set_crawled(session, source.id)
    return ids, closed


def _moved(context: Context, source: Source, found: Sequence[tuple[str, str]], closed: Sequence[str]) -> dict[int, str]:
    """Tables that lie in another folder now, by id, with the name that they have there: their log is gone, and one that
    was just found has the same id in it. Where the old log is still there, the new one is a copy."""
    with context.reading() as session:
        lost, new = sources.unrecognised(session, source.id, found)
        unseen = set(sources.under(session, source.id, closed))
    roots, moved = (source.uri, *source.allowed), {}
    waiting = {table.id: table for table in lost if table.id not in unseen and table.properties.get("id")}
    for name, uri in new.items() if waiting else ():
        try:
            known_by = read_table(uri, context.options, roots=roots).properties["id"]
        except AssayError:  # its own crawl says why
            continue
        same = (one for one in waiting.values() if one.properties["id"] == known_by and _is_gone(context, one, roots))
        table = next(same, None)
        if table is not None:
            moved[waiting.pop(table.id).id] = name
            log.info("a table was moved", source=source.name, table=table.name, now=name)
    return moved


def _is_gone(context: Context, table: Table, roots: Sequence[str]) -> bool:
    """Whether a table's log is no longer where it was."""
    try:
        list_log(table.uri, context.options, roots)
    except TableVanished:
        return True
    except AssayError:
        return False
    return False
