"""Doing a piece of work from the command line: by the running service where there is one, else in this process."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from catalog.cli import console
from catalog.errors import AssayError, BrokerError, Cancelled, DeliveryError, Interrupted, StoreError
from catalog.flow.alerting import telling
from catalog.flow.context import Context, beating, repeating
from catalog.flow.guard import end_failed, no_room
from catalog.store import runs
from catalog.store.models import Run, Source, Table
from workers.broker import workers_alive
from workers.names import CRAWL

AGAIN_SECONDS = 2  # until tables that another process crawls are looked at again; chosen
#: How long such tables are waited for; a bound: a pipeline is told before it gives up itself. Workers wait as long.
BUSY_SECONDS = 600
#: How long no worker may be there before a command does its work itself; chosen: one that is restarted is back before.
LOST_SECONDS = 60.0


def start(context: Context, kind: str, title: str, *, source: Source | None = None, table: Table | None = None) -> int:
    """A new run in the catalog; its id."""
    with context.transaction() as session:
        run = runs.queue_run(
            session, kind, title, source_id=source.id if source else None, table_id=table.id if table else None
        )
    assert run.id is not None
    return run.id


def crawl(
    context: Context,
    *,
    source: Source | None = None,
    table: Table | None = None,
    wait: bool = True,
    quiet: bool = False,
) -> tuple[int, dict[str, Any] | None]:
    """Crawl a source or a table; the run's id, and what it told at its end (None without waiting). Tables that another
    process crawls are waited for; those that it still had after `BUSY_SECONDS` are counted as "busy". Where all workers
    die meanwhile it is done here.

    Errors: `AssayError` when the run failed, `Cancelled` when somebody cancelled it.
    """
    name = source.name if source else table.name if table else ""
    served = workers_alive(context.settings)  # asked first: whoever is stopped meanwhile leaves no run behind
    run_id = start(context, "crawl", name, source=source, table=table)
    if served:
        send(context, run_id)
        if not wait:
            return run_id, None
        try:
            return run_id, follow(context, run_id, quiet=quiet, each=_Alive(context).look)
        except _Deserted:
            console.remark(f"no worker has been there for {LOST_SECONDS:.0f} s: doing it here")
    return run_id, here(context, run_id, source=source, table=table, wait=wait, quiet=quiet)


class _Deserted(Exception):
    """No worker is left to do what was queued."""


class _Alive:
    """Looks now and then whether a worker is still there; raises `_Deserted` when none has been for long."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.looked = self.seen = time.monotonic()

    def look(self) -> None:
        moment = time.monotonic()
        if moment - self.looked < AGAIN_SECONDS:
            return
        self.looked = moment
        if workers_alive(self.context.settings):
            self.seen = moment
        elif moment - self.seen > LOST_SECONDS:
            raise _Deserted


def send(context: Context, run_id: int) -> None:
    """Hand a run to the workers. Errors: `BrokerError`; the run then says so itself."""
    from kombu.exceptions import OperationalError  # Celery takes a while to load: only the one who sends waits for it
    from redis.exceptions import RedisError

    from workers.app import make_app

    try:
        make_app(context.settings, with_tasks=False).send_task(CRAWL, kwargs={"run_id": run_id}, retry=False)
    except (OperationalError, RedisError, OSError) as error:
        cause = BrokerError(f"the task queue does not answer: {error}", remedy="see that `assay up` runs")
        with context.transaction() as session:
            runs.fail_run(session, run_id, cause)
        raise cause from error


def here(
    context: Context,
    run_id: int,
    *,
    source: Source | None = None,
    table: Table | None = None,
    wait: bool = True,
    quiet: bool = False,
) -> dict[str, Any]:
    """Do a run in this process; with `wait`, tables that another process crawls are waited for. Ctrl-C cancels it: what
    was done is kept."""
    with _cancellable(context, run_id):
        from catalog.flow import crawl as flow  # brings pyspark, which only the one who crawls needs

        work: Callable[[], dict[str, Any]]
        if source is not None:
            work = partial(flow.crawl_source, context, source.id or 0, run_id)
        else:
            work = partial(flow.crawl_tables, context, [(table and table.id) or 0], run_id)
        return do(context, run_id, "crawl", partial(_when_free, work) if wait else work, quiet=quiet)


def _when_free(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Crawl until no table is left to another process, or time is up; one that died holds its tables until their lease
    runs out. What is read after the other has a table is new: it may have read the log before the latest version."""
    deadline = time.monotonic() + BUSY_SECONDS
    stats = work()
    judged = stats["versions_judged"]
    if stats["busy"]:
        console.remark(f"another crawl has {console.count(stats['busy'], 'table')}: waiting for it")
    while stats["busy"] and time.monotonic() < deadline:
        time.sleep(AGAIN_SECONDS)
        stats = work()
        judged += stats["versions_judged"]
    return stats | {"versions_judged": judged}


@contextmanager
def _cancellable(context: Context, run_id: int) -> Iterator[None]:
    """Ctrl-C, or being told to end, cancels the run, whenever it comes: none is left that waits for nobody.

    Errors: `Interrupted`.
    """
    try:
        yield
    except KeyboardInterrupt as error:
        context.last_words(partial(runs.end_cancelled, run_id=run_id))
        raise Interrupted("interrupted") from error


def do(
    context: Context, run_id: int, title: str, work: Callable[[], dict[str, Any]], *, quiet: bool = False
) -> dict[str, Any]:
    """Do a piece of work in this process as a run: its progress is shown, how it ended is told on the run.

    Errors: those of the work; `DeliveryError` where what was found could not be recorded.
    """
    try:
        with _cancellable(context, run_id):
            with context.transaction() as session:
                runs.start_run(session, run_id)
            with _watched(context, run_id, title, quiet), beating(context, run_id), telling(context):
                stats = work()
    except Cancelled:
        context.last_words(partial(runs.end_cancelled, run_id=run_id))
        raise
    except Exception as error:
        found = no_room(error) or error
        if not isinstance(found, StoreError):
            end_failed(context, run_id, error)
            raise
        with suppress(StoreError):
            end_failed(context, run_id, found)
        raise DeliveryError(f"the results could not be recorded: {found.cause}", remedy=found.remedy) from error
    try:
        context.last_words(partial(runs.finish_run, run_id=run_id, stats=stats))
    except StoreError as error:
        raise DeliveryError(f"the results could not be recorded: {error.cause}", remedy=error.remedy) from error
    return stats


def follow(
    context: Context,
    run_id: int,
    *,
    quiet: bool = False,
    each: Callable[[], None] | None = None,
    seconds: float | None = None,
) -> dict[str, Any]:
    """Show a queued run's progress until it ends; what it tells then. `each` is called at every look.

    Errors: `AssayError` with the run's cause and remedy when it failed, `Cancelled` when it was cancelled.
    """
    deadline = time.monotonic() + seconds if seconds else None
    with console.bar("crawl", quiet) as tell:
        while True:
            with context.reading() as session:
                run = runs.get_run(session, run_id)
            tell(run.done, run.total, run.phase)
            if each:
                each()
            if run.status in console.ENDED and run.error != runs.INTERRUPTED:
                break
            if deadline and time.monotonic() > deadline:
                raise AssayError(
                    f"run {run_id} did not end in {seconds:.0f} s", remedy="see `assay run list` and the worker's log"
                )
            time.sleep(0.2)
    if run.status == "failed":
        raise AssayError(run.error or "the run failed", remedy=run.remedy)
    if run.status == "cancelled":
        raise Cancelled(f"run {run_id} was cancelled", remedy="start it again: what was done is kept")
    return run.stats


@contextmanager
def _watched(context: Context, run_id: int, title: str, quiet: bool) -> Iterator[None]:
    """A progress bar fed from the run's row while the block works."""

    def watch(tell: Callable[[int, int, str], None]) -> None:
        with suppress(AssayError), context.reading() as session:
            run: Run = runs.get_run(session, run_id)
            tell(run.done, run.total, run.phase)

    with console.bar(title, quiet) as tell, repeating(partial(watch, tell), 0.3, "progress"):
        yield


def until(ready: Callable[[], bool], seconds: float, what: str) -> None:
    """Wait until something is so. Errors: `AssayError` when it is not in time."""
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            raise AssayError(f"{what} took longer than {seconds:.0f} s", remedy="see the logs in ASSAY_HOME/logs")
        time.sleep(0.1)


@contextmanager
def stop_signals() -> Iterator[threading.Event]:
    """An event that SIGINT or SIGTERM sets, for as long as the block runs."""
    asked = threading.Event()
    before = {name: signal.signal(name, lambda *_: asked.set()) for name in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield asked
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)
