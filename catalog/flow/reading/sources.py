"""Sources: where tables are looked for, and the tables found there."""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from catalog.errors import OutsideSource, UsageError
from catalog.flow.context import Context, Progress
from catalog.lake.logs.discover import discover, selected
from catalog.lake.reading.confinement import refuse_metadata
from catalog.store.lake import sources
from catalog.store.models import Source

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
    """Raise `UsageError` for what is neither an absolute path nor an address, or is where clouds keep credentials."""
    if not address.startswith("/") and "://" not in address:
        raise UsageError(
            f"{address!r} is neither an absolute path nor an address",
            remedy="give a path like /data/lake, or an address like s3://bucket/lake",
        )
    try:
        refuse_metadata(address)
    except OutsideSource as error:
        raise UsageError(error.cause, remedy=error.remedy) from error


def find_tables(context: Context, source: Source, progress: Progress) -> list[int]:
    """Register every table found under the source; mark those that are gone or left out. Returns ids, in order of name.

    What lies in a folder that cannot be listed is not gone: its tables are among the ids, and their reading says why.
    """
    progress.begin("finding tables", 0)
    closed: list[str] = []

    def note(folder: str, error: OSError) -> None:
        log.warning("a folder cannot be listed", source=source.name, folder=folder[:300], error=str(error)[:300])
        closed.append(folder)

    chosen = (source.include, source.exclude, context.options)
    found = sorted(discover(source.uri, *chosen, on_error=note, roots=source.allowed))
    with context.transaction() as session:
        ids = [table.id for table in sources.upsert_tables(session, source.id, found)]
        ids += sources.under(session, source.id, closed)
        sources.mark_gone(session, source.id, set(ids), lambda name: selected(name, source.include, source.exclude))
        sources.set_crawled(session, source.id)
    return ids
