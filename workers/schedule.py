"""The scheduler: looks at the transaction logs every few seconds, and for new tables every hour.

A loop of its own rather than Celery's beat: a look costs milliseconds and no JVM, so it is done here and only news is
queued. Two schedulers at once do no harm: a table is queued once, by whoever marks it first.
"""

from __future__ import annotations

import signal
import threading
import time
from typing import Any

import structlog
from celery import Celery
from kombu.exceptions import OperationalError as BrokerDown
from redis.exceptions import RedisError

from catalog.errors import AssayError
from catalog.flow.context import Context
from catalog.flow.report import any_due
from catalog.flow.watch import due_sources, tick
from catalog.settings import Settings
from catalog.store import runs
from catalog.store.alerts import deliveries
from catalog.store.lake import tables
from workers.names import ALERTS, CRAWL, CRAWL_TABLES, REPORTS
from workers.queueing import Stuck, claim, clear, keep_stuck, queue_tables, stuck_before

log = structlog.get_logger()

#: Seconds between two looks for runs whose worker is gone; chosen.
RECOVER_SECONDS = 30.0
#: Seconds between two looks for alerts that are due; chosen.
TELL_SECONDS = 15.0
#: A table that has news and whose crawl gets no further (a broken log, say) is queued after so many times as long each
#: time, at last as seldom as its source is crawled; chosen: a store that is away for a minute is no reason to wait for
#: that, and a log that stays broken fills no list of runs.
PATIENCE = 4
#: Seconds between two looks for reports that are due; one that is asked for twice is the same file; chosen.
REPORT_SECONDS = 300.0


class Scheduler:
    """Queues what is due until it is stopped.

    Parameters
    ----------
    settings : tell where catalog and broker are and how often to look.
    app : the Celery application tasks are sent with.
    """

    def __init__(self, settings: Settings, app: Celery) -> None:
        self.settings, self.app = settings, app
        self.context = Context(settings)
        self.stopped = threading.Event()
        self._recovered = self._told = 0.0
        self._reported = float("-inf")
        self._stuck: dict[int, Stuck] | None = None  # what the broker keeps, once it was asked

    def run(self) -> None:
        """Look, queue, sleep, until `stop`; trouble is logged and tried again."""
        while not self.stopped.is_set():
            started = time.monotonic()
            try:
                self.look()
            except (AssayError, RedisError, BrokerDown, OSError) as error:
                log.warning("the scheduler could not look", error=str(error))
            self.stopped.wait(max(0.05, self.settings.watch_seconds - (time.monotonic() - started)))
        self.context.close()

    def stop(self, *_: Any) -> None:
        self.stopped.set()

    def look(self) -> list[int]:
        """One look: the ids of the tables that were queued."""
        self.crawl_due_sources()
        self.make_due_reports()
        if time.monotonic() - self._recovered > RECOVER_SECONDS:
            self._recovered = time.monotonic()
            with self.context.transaction() as session:
                runs.recover_runs(session)
        self.tell()
        fresh = claim(self.settings, self._patient(tick(self.context)))
        if fresh:
            with self.context.transaction() as session:
                run_id = queue_tables(session, fresh)
            try:
                self.app.send_task(CRAWL_TABLES, kwargs={"table_ids": fresh, "run_id": run_id})
            except Exception as error:
                clear(self.settings, fresh)
                with self.context.transaction() as session:
                    runs.fail_run(session, run_id, error)
                raise
            self._remember(fresh)
        return fresh

    def tell(self) -> None:
        """Queue the sending of alerts, where some are due or an incident may ask for one."""
        if time.monotonic() - self._told < TELL_SECONDS:
            return
        self._told = time.monotonic()
        with self.context.reading() as session:
            wanted = deliveries.anything(session)
        if wanted:
            self.app.send_task(ALERTS, expires=60)  # a worker that is busy tells meanwhile itself

    def _patient(self, table_ids: list[int]) -> list[int]:
        """The tables whose time has come; those without news are forgotten."""
        known = self._known()
        stuck = {key: known[key] for key in table_ids if key in known}
        if stuck != known:
            keep_stuck(self.settings, stuck)
        self._stuck = stuck
        moment = time.time()
        return [key for key in table_ids if key not in stuck or moment >= stuck[key][2]]

    def _known(self) -> dict[int, Stuck]:
        if self._stuck is None:
            self._stuck = stuck_before(self.settings)
        return self._stuck

    def _remember(self, table_ids: list[int]) -> None:
        """Wait longer each time for a table that was queued before and has not come further since."""
        with self.context.reading() as session:
            seen = {one.table_id: one.version for one in tables.watch_list(session)}
        stuck = self._known()
        for key in table_ids:
            before = stuck.get(key)
            again = before is not None and before[0] == seen.get(key)
            longer = min(self.settings.crawl_seconds, PATIENCE * before[1]) if before else 0.0
            wait = longer if again else self.settings.watch_seconds
            stuck[key] = (seen.get(key, -1), wait, time.time() + (wait if again else 0.0))
        keep_stuck(self.settings, stuck)

    def crawl_due_sources(self) -> None:
        """Queue a crawl of each source that was not looked through for long, unless one waits already."""
        for source in due_sources(self.context):
            with self.context.transaction() as session:
                run = runs.queue_run(session, "crawl", source.name, source_id=source.id)
            self.app.send_task(CRAWL, kwargs={"run_id": run.id})

    def make_due_reports(self) -> None:
        """Queue the making of scheduled reports, where one is due."""
        if time.monotonic() - self._reported > REPORT_SECONDS and any_due(self.context):
            self._reported = time.monotonic()
            self.app.send_task(REPORTS)


def serve(settings: Settings, app: Celery) -> None:
    """Run the scheduler until SIGTERM or SIGINT."""
    scheduler = Scheduler(settings, app)
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, scheduler.stop)
    scheduler.run()
