"""A real worker over a real broker: it crawls, waits for locks, hears cancel, and ignores what has vanished."""

from __future__ import annotations

from pathlib import Path

import pytest
from growing_lake import grow
from processes import Workers, until
from sqlmodel import func, select

from catalog.cli import work
from catalog.flow.context import Context
from catalog.flow.reading.sources import add_source
from catalog.settings import Settings
from catalog.store import runs
from catalog.store.lake import tables
from catalog.store.models import Outcome, Run
from workers.app import make_app
from workers.broker import connect
from workers.names import CRAWL, CRAWL_SOURCE, CRAWL_TABLES, QUEUE
from workers.schedule import Scheduler

pytestmark = [pytest.mark.spark, pytest.mark.slow]

TABLES = 3


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("lake")
    grow(root, TABLES, range(12))
    return root


@pytest.fixture(scope="module")
def crawled(context: Context, lake: Path, workers: Workers) -> list[int]:
    """Ids of the lake's tables, after the worker crawled them."""
    workers.start()
    source = add_source(context, "grown", str(lake))
    run = follow(context, queue(context, source_id=source.id), workers)
    assert (run.status, run.error, run.stats["tables"]) == ("done", None, TABLES)
    with context.reading() as session:
        return sorted(table_id for table_id, *_ in tables.watch_list(session))


def queue(context: Context, **of: int | None) -> int:
    with context.transaction() as session:
        run_id = runs.queue_run(session, "crawl", "test", **of).id
    assert run_id is not None
    work.send(context, run_id)
    return run_id


def follow(context: Context, run_id: int, workers: Workers) -> Run:
    """The run once it has ended."""

    def run() -> Run:
        with context.reading() as session:
            return runs.get_run(session, run_id)

    until(lambda: run().status in ("done", "failed", "cancelled"), f"run {run_id} ends", workers.log)
    return run()


def judged(context: Context, table_id: int) -> int:
    with context.reading() as session:
        return tables.get_table(session, table_id).judged_version


def idle(settings: Settings) -> bool:
    with connect(settings) as client:
        return not client.llen(QUEUE) and not client.hlen("unacked")


def test_a_crawl_goes_through_the_queue(context: Context, crawled: list[int]) -> None:
    assert len(crawled) == TABLES
    assert [judged(context, table_id) for table_id in crawled] == [11] * TABLES


def test_tasks_whose_rows_have_vanished_return_calmly(
    context: Context, crawled: list[int], settings: Settings, workers: Workers
) -> None:
    app = make_app(settings, with_tasks=False)
    app.send_task(CRAWL, kwargs={"run_id": 99_999})
    app.send_task(CRAWL_SOURCE, args=[99_999])
    app.send_task(CRAWL_TABLES, args=[[99_999]])
    until(lambda: idle(settings), "the queue is empty", workers.log)
    with context.reading() as session:
        assert not session.exec(select(Run).where(Run.status == "failed")).all()
    follow(context, queue(context, table_id=crawled[0]), workers)  # and the worker lives


def test_a_new_version_is_noticed_queued_once_and_judged(
    context: Context, crawled: list[int], lake: Path, settings: Settings, workers: Workers
) -> None:
    scheduler = Scheduler(settings, make_app(settings, with_tasks=False))
    assert scheduler.look() == []
    grow(lake, 1, range(12, 13))
    assert scheduler.look() == [crawled[0]]
    assert scheduler.look() == []  # it waits in the queue already
    until(lambda: judged(context, crawled[0]) == 12, "the new version is judged", workers.log)
    until(lambda: scheduler.look() == [] and idle(settings), "nothing is left to do", workers.log)
    with context.reading() as session:
        counts = session.exec(
            select(Outcome.rule_id, func.count()).where(Outcome.version == 12).group_by(Outcome.rule_id)
        ).all()
    assert counts
    assert all(count == 1 for _, count in counts)


def test_a_table_that_somebody_else_crawls_is_waited_for(
    context: Context, crawled: list[int], lake: Path, workers: Workers
) -> None:
    before = judged(context, crawled[0])
    with runs.table_lock(context.engine, crawled) as lock:
        assert lock.held == set(crawled)
        grow(lake, 1, range(before + 1, before + 2))
        run_id = queue(context, table_id=crawled[0])

        def attempted() -> bool:
            with context.reading() as session:
                return runs.get_run(session, run_id).attempts >= 2

        until(attempted, "the worker tries again", workers.log)
        assert judged(context, crawled[0]) == before
    assert follow(context, run_id, workers).status == "done"
    assert judged(context, crawled[0]) == before + 1


def test_a_queued_run_that_was_cancelled_never_starts(context: Context, crawled: list[int], workers: Workers) -> None:
    with context.transaction() as session:
        run_id = runs.queue_run(session, "crawl", "cancelled", table_id=crawled[0]).id
        assert run_id is not None
        runs.cancel_run(session, run_id)
    work.send(context, run_id)
    other = follow(context, queue(context, table_id=crawled[1]), workers)
    assert other.status == "done"
    with context.reading() as session:
        run = runs.get_run(session, run_id)
    assert (run.status, run.started_at, run.attempts) == ("cancelled", None, 0)


def test_a_running_crawl_hears_cancel_and_goes_on_later(
    context: Context, crawled: list[int], tmp_path: Path, workers: Workers
) -> None:
    grow(tmp_path, 30, range(8))
    source = add_source(context, "wide", str(tmp_path))
    run_id = queue(context, source_id=source.id)

    def scanning() -> bool:
        with context.reading() as session:
            return runs.get_run(session, run_id).phase.startswith("scanning")

    until(scanning, "the scan begins", workers.log, every=0.02)
    with context.transaction() as session:
        assert runs.cancel_run(session, run_id).status == "running"
    assert follow(context, run_id, workers).status == "cancelled"
    again = follow(context, queue(context, source_id=source.id), workers)
    assert (again.status, again.stats["tables"], again.stats["failed"]) == ("done", 30, 0)
