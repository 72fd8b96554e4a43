"""Queueing the crawl of tables with news: the run's row, and a mark in the broker so that each is queued once.

A mark goes when the crawl is over; what arrived meanwhile is news again at the next look. Marks of a task that was lost
run out by themselves.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress

from redis.exceptions import RedisError
from sqlmodel import Session, col, select

from catalog.settings import Settings
from catalog.store import runs
from catalog.store.engine import chunks
from catalog.store.models import Table
from workers.broker import connect

PREFIX, STUCK = "assay:queued:", "assay:stuck"
#: Of a table that was queued: the version seen then, the seconds that it waits when it comes no further, and until when
#: (seconds since 1970, so that a scheduler that is started again goes on waiting).
Stuck = tuple[int, float, float]
MARK_SECONDS = 3600  # a bound


def claim(settings: Settings, table_ids: Sequence[int]) -> list[int]:
    """Mark the tables; those that were not marked before. Errors: `RedisError`."""
    if not table_ids:
        return []
    with connect(settings) as client, client.pipeline(transaction=False) as pipe:
        for table_id in table_ids:
            pipe.set(f"{PREFIX}{table_id}", 1, nx=True, ex=MARK_SECONDS)
        return [table_id for table_id, fresh in zip(table_ids, pipe.execute(), strict=True) if fresh]


def clear(settings: Settings, table_ids: Sequence[int]) -> None:
    """Take the marks away; without a broker there are none."""
    if not table_ids:
        return
    try:
        with connect(settings) as client:
            client.delete(*(f"{PREFIX}{table_id}" for table_id in table_ids))
    except (RedisError, OSError):
        pass


def stuck_before(settings: Settings) -> dict[int, Stuck]:
    """What `keep_stuck` kept last; nothing where no broker answers."""
    try:
        with connect(settings) as client:
            kept = json.loads(client.get(STUCK) or "{}")
        return {int(key): (int(seen), float(wait), float(until)) for key, (seen, wait, until) in kept.items()}
    except (RedisError, OSError, ValueError, TypeError):
        return {}


def keep_stuck(settings: Settings, stuck: Mapping[int, Stuck]) -> None:
    """Keep for the next scheduler which tables wait and how long; without a broker nothing is queued either."""
    with suppress(RedisError, OSError), connect(settings) as client:
        client.set(STUCK, json.dumps(stuck))


def names(session: Session, table_ids: Sequence[int]) -> dict[int, str]:
    """Names of the tables that are in the catalog, by id."""
    return {
        table_id: name
        for part in chunks(list(table_ids))
        for table_id, name in session.exec(select(Table.id, Table.name).where(col(Table.id).in_(part)))
        if table_id is not None
    }


def queue_tables(session: Session, table_ids: Sequence[int]) -> int:
    """A run for the crawl of some tables; its id."""
    first = names(session, table_ids[:1]).get(table_ids[0], "a table that is gone")
    title = first if len(table_ids) == 1 else f"{first} and {len(table_ids) - 1} more"
    one = table_ids[0] if len(table_ids) == 1 else None
    run = runs.queue_run(session, "crawl", title, table_id=one, stats={runs.TABLES: list(table_ids)})
    assert run.id is not None
    return run.id
