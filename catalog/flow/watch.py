"""Noticing new versions: a look at the next commit file of every table, without a JVM."""

from __future__ import annotations

from datetime import timedelta

from catalog.flow.context import Context
from catalog.lake.logs.watch import news
from catalog.store import runs
from catalog.store.lake import sources, tables
from catalog.store.models import Source, now


def tick(context: Context) -> list[int]:
    """Ids of the tables that have news since they were last crawled; costs microseconds a table.

    A table that is gone has news too: crawling it records the error on it. Tables that are being crawled, or whose
    source is, are left out: what comes meanwhile is news at the first look after it. So are those of a source whose
    crawl was cancelled, until it is crawled again.
    """
    with context.reading() as session:
        left_out = runs.busy_tables(session) | runs.resting_tables(session)
        watched = [one for one in tables.watch_list(session) if one.table_id not in left_out]
    ids = {one.uri: one.table_id for one in watched}
    versions, stamps = {one.uri: one.version for one in watched}, {one.uri: one.stamp for one in watched}
    return [ids[uri] for uri in news(versions, context.options, stamps)]


def due_sources(context: Context) -> list[Source]:
    """Sources that were not looked through for as long as the settings say, unless a crawl waits or goes on already.
    One whose crawl was cancelled rests for as long from then."""
    before = now() - timedelta(seconds=context.settings.crawl_seconds)
    with context.reading() as session:
        busy = {run.source_id for run in runs.current_runs(session)}
        resting = runs.cancelled_crawls(session)
        known = [one for one in sources.list_sources(session) if one.id not in busy]
    last = [(one, max(one.crawled_at, resting.get(one.id, one.crawled_at))) for one in known if one.crawled_at]
    return [one for one, at in last if at < before]
