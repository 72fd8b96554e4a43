"""Work for the workers: tasks are sent by name, after the run they carry is committed.

The names are said here as `workers.tasks` and `workers.app` say them, which this process does without: they import the
flow, and with it Spark. A test holds both to each other.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Collection
from typing import Any

from celery import Celery
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError
from sqlalchemy import Engine

from catalog.errors import BrokerError, UsageError
from catalog.settings import Settings
from catalog.store import runs
from catalog.store.engine import session
from catalog.store.models import Run, Source
from catalog.vault import Vault
from workers.broker import broker_url, connect

CRAWL, UNMASK, QUEUE = "assay.crawl", "assay.unmask", "assay"
ALIVE, ANSWER = "assay:worker:", "assay:answer:"
#: Seconds for which a page waits for values that a worker reads; a bound.
PATIENCE = 25.0
REMEDY = "`assay up` starts the task queue and a worker"


class Queue:
    """The task queue as the page sees it: it can send, and say why nothing would come of it.

    Parameters
    ----------
    settings : tell where the broker is. Nothing is connected before the first use.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._app = Celery("assay", broker=broker_url(settings), set_as_current=False)
        self._app.conf.update(
            task_default_queue=QUEUE,
            task_ignore_result=True,
            broker_connection_timeout=2.0,
            broker_transport_options={"socket_connect_timeout": 2.0, "socket_timeout": 5.0},
        )

    def trouble(self) -> str | None:
        """Why work would wait in vain, or None when a worker is there (asked with half a second's patience)."""
        try:
            with connect(self.settings, 0.5) as client:
                if next(client.scan_iter(f"{ALIVE}*", count=1000), None) is None:
                    return "no worker is running"
        except (RedisError, OSError):
            return "the task queue is not running"
        return None

    def send(self, name: str, *, lasts: float | None = None, **arguments: Any) -> None:
        """Hand a task over, which is dropped after so many seconds. Errors: `BrokerError` when the broker does not
        answer."""
        try:
            with connect(self.settings, 2.0) as client:
                client.ping()  # Celery would try for longer than a page may take
            self._app.send_task(name, kwargs=arguments, retry=False, expires=lasts)
        except (OperationalError, RedisError, OSError) as error:
            raise BrokerError(f"the task queue does not answer ({type(error).__name__})", remedy=REMEDY) from error

    def ask(self, kind: str, item_id: int, levels: Collection[str], seconds: float = PATIENCE) -> dict[str, Any]:
        """Values of a `column`, or the rows of an `incident`, that a worker reads from the lake now. They come sealed
        over a channel of the broker, which keeps nothing.

        Errors: `BrokerError` where no worker answers in time, `UsageError` with what the worker says.
        """
        trouble = self.trouble()
        if trouble:
            raise BrokerError(trouble, remedy=REMEDY)
        ticket, told = secrets.token_urlsafe(24), None
        try:
            with connect(self.settings, seconds + 2.0) as client, client.pubsub() as channel:
                channel.subscribe(ANSWER + ticket)
                asked = {"ticket": ticket, "kind": kind, "item_id": item_id, "levels": sorted(levels)}
                self.send(UNMASK, lasts=seconds, **asked)
                until = time.monotonic() + seconds
                while told is None and (left := until - time.monotonic()) > 0:
                    message = channel.get_message(ignore_subscribe_messages=True, timeout=left)
                    told = message["data"] if message else None
        except (RedisError, OSError) as error:
            raise BrokerError(f"the task queue does not answer ({type(error).__name__})", remedy=REMEDY) from error
        if told is None:
            raise BrokerError(
                f"the worker is busy: it did not answer in {seconds:.0f} s",
                remedy="ask again when its run is over; `assay table values` and `assay incident rows` read at once",
            )
        answer = json.loads(Vault(self.settings).open(told))
        if "found" not in answer:
            raise UsageError(answer["cause"], remedy=answer["remedy"])
        return dict(answer["found"])

    def close(self) -> None:
        self._app.close()


def crawl(queue: Queue, engine: Engine, source: Source) -> Run:
    """Queue a crawl of a source. Errors: `BrokerError`; the run then says so itself."""
    return start(queue, engine, "crawl", source.name, source_id=source.id)


def start(
    queue: Queue, engine: Engine, kind: str, title: str, *, stats: dict[str, Any] | None = None, **of: int | None
) -> Run:
    """Queue a run of a kind, of a source or a table; `stats` is what it is asked.

    Errors: `BrokerError`; the run then says so itself."""
    with session(engine) as writing:
        run = runs.queue_run(writing, kind, title, stats=stats, **of)
    assert run.id is not None
    try:
        queue.send(CRAWL, run_id=run.id)
    except BrokerError as error:
        with session(engine) as writing:
            runs.fail_run(writing, run.id, error)
        raise
    return run


def soon(
    queue: Queue, engine: Engine, kind: str, title: str, table_id: int | None = None, source_id: int | None = None
) -> Run | None:
    """Queue what follows from a decision that holds either way: None where no broker answers; the next crawl does it
    then."""
    try:
        return start(queue, engine, kind, title, table_id=table_id, source_id=source_id)
    except BrokerError:
        return None
