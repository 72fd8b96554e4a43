"""The tasks: one per flow step, thin. They carry ids; a task whose row has vanished returns calmly."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import structlog
from celery import Celery, Task
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, col, delete, select

from catalog.errors import AssayError, Cancelled, NoRoom, NotFound, StoreError
from catalog.flow import alerting, crawl, report, watch
from catalog.flow.checking import trial
from catalog.flow.context import Context, beating
from catalog.flow.declared.present import run_check
from catalog.flow.declared.preview import run_preview
from catalog.flow.guard import end_failed
from catalog.flow.rows import unmasking
from catalog.flow.upgrades.difference import work_out
from catalog.settings import Settings
from catalog.store import runs
from catalog.store.domains import upgrades
from catalog.store.lake import sources
from catalog.store.models import Lease
from catalog.vault import Vault
from workers.broker import connect
from workers.names import ALERTS, ANSWER, CRAWL, CRAWL_SOURCE, CRAWL_TABLES, REPORTS, TICK, UNMASK, WARM
from workers.queueing import clear, names, queue_tables

log = structlog.get_logger()

#: The catalog may be away for a moment (a restart, a long migration); everything else is final and told on the run.
PASSING = (StoreError, OperationalError)
#: Tables that another process crawls are waited for: that process may be dead and its lease not run out yet; bounds.
BUSY_SECONDS, BUSY_TRIES = 5, 120

#: A run that has waited for so long waits for a worker that is busy; chosen: an idle one takes what comes at once.
PASSED_OVER_SECONDS = 2.0


class Busy(Exception):
    """Another process has some of the tables; the run goes on when it has not any more."""

    def __init__(self, run_id: int, stats: dict[str, Any]) -> None:
        super().__init__(f"{stats['busy']} tables are crawled by another process")
        self.run_id, self.stats = run_id, stats


class FlowTask(Task):
    """A step of the flow, tried again when the catalog does not answer."""

    autoretry_for = PASSING
    max_retries = 30
    retry_backoff = 2
    retry_backoff_max = 60
    retry_jitter = True


def register(app: Celery, settings: Settings) -> None:
    """Add the tasks to an application. The context is opened by the first task, in the process that runs it."""
    context = Context(settings)
    add = partial(app.task, base=FlowTask, bind=True)
    add(with_context(crawl_run, context), name=CRAWL)
    add(with_context(crawl_source, context), name=CRAWL_SOURCE)
    add(with_context(crawl_tables, context), name=CRAWL_TABLES)
    add(with_context(tick, context), name=TICK)
    add(with_context(warm, context), name=WARM)
    add(with_context(reports, context), name=REPORTS)
    add(with_context(tell, context), name=ALERTS)
    add(with_context(unmask, context), name=UNMASK)


def with_context(step: Callable[..., Any], context: Context) -> Callable[..., Any]:
    """The step as the body of a task: its context is given, and busy tables are waited for outside the worker."""

    def run(task: Task, *args: Any, **kwargs: Any) -> Any:
        try:
            return step(context, *args, **kwargs)
        except Busy as busy:
            if task.request.retries < BUSY_TRIES:
                more = {} if task.name == CRAWL or len(args) > 1 else {"run_id": busy.run_id}
                again = {"kwargs": {**kwargs, **more}, "countdown": BUSY_SECONDS, "max_retries": BUSY_TRIES}
                raise task.retry(exc=busy, **again) from busy
            with context.transaction() as session:
                runs.finish_run(session, busy.run_id, busy.stats)

    run.__name__, run.__doc__, run.__module__ = step.__name__, step.__doc__, step.__module__
    return run


def crawl_run(context: Context, run_id: int) -> None:
    """Do what a queued run says: crawl its source or its table, drill its table's rules, judge it by checks that are
    new, try one, or work out what an upgrade would change."""
    with context.reading() as session:
        try:
            run = runs.get_run(session, run_id)
        except NotFound:
            return
    steps = {"drill": trial.run_drill, "check": run_check, "preview": run_preview}
    if run.kind in steps and run.table_id is not None:
        _as_run(context, run_id, partial(steps[run.kind], context, run.table_id, run_id))
    elif run.kind == upgrades.RUN:
        _as_run(context, run_id, partial(work_out, context, run_id, with_rules=True))
    elif tables := runs.tables_of(run):
        crawl_tables(context, tables, run_id)
    elif run.source_id is not None:
        crawl_source(context, run.source_id, run_id)


def crawl_source(context: Context, source_id: int, run_id: int | None = None) -> None:
    """Find the tables of a source and take in what is new of them."""
    with context.reading() as session:
        try:
            source = sources.get_source(session, source_id)
        except NotFound:
            return
    if run_id is None:
        with context.transaction() as session:
            run_id = runs.queue_run(session, "crawl", source.name, source_id=source_id).id
    between = partial(others, context, run_id)
    _as_run(context, run_id, partial(crawl.crawl_source, context, source_id, run_id, between))


def crawl_tables(context: Context, table_ids: Sequence[int], run_id: int | None = None) -> None:
    """Take in what is new of some tables."""
    with context.reading() as session:
        present = names(session, table_ids)
    ids = [table_id for table_id in table_ids if table_id in present]
    if ids:
        if run_id is None:
            with context.transaction() as session:
                run_id = queue_tables(session, ids)
        between = partial(others, context, run_id)
        _as_run(context, run_id, lambda: crawl.crawl_tables(context, ids, run_id, between=between) | {runs.TABLES: ids})
    clear(context.settings, table_ids)


def others(context: Context, run_id: int, put_away: Callable[[], None]) -> None:
    """Between two parts of a long crawl: do what waits for this worker meanwhile. The message of a run that was done
    here finds nothing left to do when it comes.

    Parameters
    ----------
    put_away : what the crawl does first, where anything waits.
    """
    with context.reading() as session:
        waiting = [one for one in runs.waiting_runs(session, PASSED_OVER_SECONDS) if one != run_id]
    if waiting:
        put_away()
    for one in waiting:
        try:
            crawl_run(context, one)
        except Busy:
            with context.transaction() as session:
                runs.wait_again(session, one)


def tick(context: Context) -> list[int]:
    """Look for new versions once: the ids of the tables that have some."""
    return watch.tick(context)


def reports(context: Context) -> list[str]:
    """Write the scheduled reports that are due: their files."""
    return [str(path) for path in report.make_due(context)]


def warm(context: Context) -> None:
    """Start the Spark session before it is needed, so that the first new version does not wait for it."""
    context.spark.range(1).count()


def tell(context: Context) -> None:
    """Send the alerts that are due, those among them that were not taken before."""
    alerting.deliver(context)


UNMASKED = {"column": unmasking.column_values, "incident": unmasking.incident_rows}


def unmask(context: Context, ticket: str, kind: str, item_id: int, levels: Sequence[str]) -> None:
    """Read values afresh and hand them, sealed, to the page that waits for them. The broker passes them on and keeps
    nothing: where nobody waits any more they are gone."""
    try:
        told: dict[str, Any] = {"found": UNMASKED[kind](context, item_id, levels)}
    except AssayError as error:
        told = {"cause": error.cause, "remedy": error.remedy}
    except Exception as error:
        log.exception("values could not be read", kind=kind, item_id=item_id)
        told = {"cause": f"the values could not be read ({type(error).__name__})", "remedy": "see the worker's log"}
    sealed = Vault(context.settings).seal(json.dumps(told, default=str))
    with connect(context.settings) as client:
        client.publish(ANSWER + ticket, sealed)


def _as_run(context: Context, run_id: int | None, work: Callable[[], dict[str, Any]]) -> None:
    """Do the work of a run, and tell on it how it ended. A run that is over or was taken back is left alone."""
    assert run_id is not None
    with context.transaction() as session:
        wanted = runs.start_run(session, run_id)
        release_dead(session)
    if not wanted:
        return
    try:
        with beating(context, run_id), alerting.telling(context):
            stats = work()
    except Cancelled:
        context.last_words(partial(runs.end_cancelled, run_id=run_id))
    except AssayError as error:
        if isinstance(error, PASSING) and not isinstance(error, NoRoom):
            raise
        end_failed(context, run_id, error)
    except OperationalError:
        raise
    except Exception as error:
        log.exception("a run failed", run_id=run_id)
        end_failed(context, run_id, error)
    else:
        if stats.get("busy"):
            raise Busy(run_id, stats)
        context.last_words(partial(runs.finish_run, run_id=run_id, stats=stats))


def release_dead(session: Session) -> None:
    """Give back what processes of this machine held that are no more, before their leases run out."""
    prefix = f"{socket.gethostname()}:"
    for holder in session.exec(select(Lease.holder).distinct()):
        if holder.startswith(prefix) and not _lives(int(holder.removeprefix(prefix).split(":")[0])):
            session.exec(delete(Lease).where(col(Lease.holder) == holder))


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
