"""Sources: where tables are looked for, and the tables found there."""

from __future__ import annotations

from catalog.flow.context import Context, Progress
from catalog.lake.discover import discover
from catalog.store import batches, tables
from catalog.store.models import Source


def add_source(
    context: Context, name: str, uri: str, include: list[str] | None = None, exclude: list[str] | None = None
) -> Source:
    """Register a folder or address under which Delta tables lie. Nothing is read yet."""
    with context.transaction() as session:
        return tables.add_source(session, name, uri, include or [], exclude or [])


def find_tables(context: Context, source: Source, progress: Progress) -> list[int]:
    """Register every table found under the source; mark those that are gone. Returns ids, in order of name."""
    progress.begin("finding tables", 0)
    found = sorted(discover(source.uri, source.include, source.exclude, context.options))
    with context.transaction() as session:
        ids = [table.id for table in tables.upsert_tables(session, source.id, found)]
        batches.mark_vanished(session, source.id, keep=set(ids))
        tables.set_crawled(session, source.id)
    return ids
