"""Noticing new versions: a look at the next commit file of every table, without a JVM."""

from __future__ import annotations

from catalog.flow.context import Context
from catalog.lake.logs.watch import news
from catalog.store import runs
from catalog.store.lake import tables


def tick(context: Context) -> list[int]:
    """Ids of the tables that have news since they were last crawled; costs microseconds a table.

    A table that is gone has news too: crawling it records the error on it. Tables that are being crawled, or whose
    source is, are left out: what comes meanwhile is news at the first look after it.
    """
    with context.reading() as session:
        busy = runs.busy_tables(session)
        watched = [one for one in tables.watch_list(session) if one.table_id not in busy]
    ids = {one.uri: one.table_id for one in watched}
    versions, stamps = {one.uri: one.version for one in watched}, {one.uri: one.stamp for one in watched}
    return [ids[uri] for uri in news(versions, context.options, stamps)]
