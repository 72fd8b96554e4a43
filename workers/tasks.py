"""The tasks: one per flow step, thin. They carry ids; a task whose row has vanished returns calmly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import structlog
from celery import Celery, Task
from sqlalchemy.exc import OperationalError

from catalog.errors import AssayError, Cancelled, NotFound, StoreError
from catalog.flow import crawl, watch
from catalog.flow.context import Context
from catalog.settings import Settings
from catalog.store import runs, tables
from workers import marks
from workers.names import CRAWL, CRAWL_SOURCE, CRAWL_TABLES, TICK, WARM

log = structlog.get_logger()

#: The catalog may be away for a moment (a restart, a long migration); everything else is final and told on the run.
PASSING = (StoreError, OperationalError)


class FlowTask(Task):
    """A step of the flow, tried again when the catalog does not answer."""

    autoretry_for = PASSING
    max_retries = 5
    retry_backoff = 2
    retry_backoff_max = 60
    retry_jitter = True


def register(app: Celery, settings: Settings) -> None:
    """Add the tasks to an application. The context is opened by the first task, in the process that runs it."""
    context = Context(settings)
    add = partial(app.task, base=FlowTask)
    add(partial_named(crawl_run, context), name=CRAWL)
    add(partial_named(crawl_source, context), name=CRAWL_SOURCE)
    add(partial_named(crawl_tables, context), name=CRAWL_TABLES)
    add(partial_named(tick, context), name=TICK)
    add(partial_named(warm, context), name=WARM)


def partial_named(step: Callable[..., Any], context: Context) -> Callable[..., Any]:
    """The step with its context, as a function of the task's arguments."""

    def run(*args: Any, **kwargs: Any) -> Any:
        return step(context, *args, **kwargs)

    run.__name__, run.__doc__, run.__module__ = step.__name__, step.__doc__, step.__module__
    return run


def crawl_run(context: Context, run_id: int) -> None:
    """Do what a queued run says: crawl its source, or its table."""
    with context.reading() as session:
        try:
            run = runs.get_run(session, run_id)
        except NotFound:
            return
    if run.table_id is not None:
        crawl_tables(context, [run.table_id], run_id)
    elif run.source_id is not None:
        crawl_source(context, run.source_id, run_id)


def crawl_source(context: Context, source_id: int, run_id: int | None = None) -> None:
    """Find the tables of a source and take in what is new of them."""
    with context.reading() as session:
        try:
            source = tables.get_source(session, source_id)
        except NotFound:
            return
    if run_id is None:
        with context.transaction() as session:
            run_id = runs.queue_run(session, "crawl", source.name, source_id=source_id).id
    _as_run(context, run_id, partial(crawl.crawl_source, context, source_id, run_id))


def crawl_tables(context: Context, table_ids: Sequence[int], run_id: int | None = None) -> None:
    """Take in what is new of some tables."""
    names = []
    with context.reading() as session:
        for table_id in table_ids:
            try:
                names.append((table_id, tables.get_table(session, table_id).name))
            except NotFound:
                log.info("the table is gone", table_id=table_id)
    try:
        if names:
            if run_id is None:
                run_id = _watch_run(context, names)
            _as_run(context, run_id, partial(crawl.crawl_tables, context, [key for key, _ in names], run_id))
    finally:
        marks.clear(context.settings, table_ids)


def _watch_run(context: Context, names: Sequence[tuple[int, str]]) -> int | None:
    title = names[0][1] if len(names) == 1 else f"{names[0][1]} and {len(names) - 1} more"
    only = names[0][0] if len(names) == 1 else None
    with context.transaction() as session:
        return runs.queue_run(session, "crawl", title, table_id=only).id


def tick(context: Context) -> list[int]:
    """Look for new versions once: the ids of the tables that have some."""
    return watch.tick(context)


def warm(context: Context) -> None:
    """Start the Spark session before it is needed, so that the first new version does not wait for it."""
    context.spark.range(1).count()


def _as_run(context: Context, run_id: int | None, work: Callable[[], dict[str, Any]]) -> None:
    """Do the work of a run, and tell on it how it ended. A run that is over or was taken back is left alone."""
    assert run_id is not None
    with context.transaction() as session:
        wanted = runs.start_run(session, run_id)
    if not wanted:
        return
    try:
        stats = work()
    except Cancelled:
        with context.transaction() as session:
            runs.end_cancelled(session, run_id)
    except PASSING:
        raise
    except AssayError as error:
        with context.transaction() as session:
            runs.fail_run(session, run_id, error)
    except Exception as error:
        log.exception("a run failed", run_id=run_id)
        with context.transaction() as session:
            runs.fail_run(session, run_id, error)
    else:
        with context.transaction() as session:
            runs.finish_run(session, run_id, stats)
