"""Marks in the broker on tables whose crawl is queued, so that the watcher queues each once.

A mark goes when the crawl is over; what arrived meanwhile is news again at the next look. Marks of a task that was lost
run out by themselves.
"""

from __future__ import annotations

from collections.abc import Sequence

from redis.exceptions import RedisError

from catalog.settings import Settings
from workers.broker import connect

PREFIX = "assay:queued:"


def claim(settings: Settings, table_ids: Sequence[int]) -> list[int]:
    """Mark the tables; those that were not marked before. Errors: `RedisError`."""
    seconds = max(60, 2 * settings.task_timeout)
    with connect(settings) as client, client.pipeline(transaction=False) as pipe:
        for table_id in table_ids:
            pipe.set(f"{PREFIX}{table_id}", 1, nx=True, ex=seconds)
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
