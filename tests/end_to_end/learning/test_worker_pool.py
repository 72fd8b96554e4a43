"""Learning in worker processes: the same rules, tags and figures as by one process, whatever becomes of them."""

from __future__ import annotations

import multiprocessing
import random
import shutil
import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from sqlalchemy import update
from sqlmodel import select

from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source
from catalog.flow.learning import worker_pool
from catalog.flow.learning.index import open_index
from catalog.flow.reading.sources import add_source
from catalog.learners.keys import TOGETHER
from catalog.settings import Settings
from catalog.store.lake import tables
from catalog.store.models import LakeColumn, RuleRow, Table, Tag

pytestmark = [pytest.mark.spark, pytest.mark.slow]

TABLES, DAYS = 5, 8


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("lake")
    for number in range(TABLES):
        rng = random.Random(number)
        for _ in range(DAYS):
            rows = range(100 + rng.randrange(9))
            columns: dict[str, list[Any]] = {
                "id": [f"T{number}-{rng.randrange(10**6):06d}" for _ in rows],
                "mail": [f"user{rng.randrange(500)}@example.org" for _ in rows],
                "state": [rng.choice(["open", "paid", "sent"]) for _ in rows],
                "amount": [round(rng.lognormvariate(3, 0.5), 2) for _ in rows],
            }
            write_deltalake(str(root / f"t{number}"), pa.table(columns), mode="append")
    return root


@pytest.fixture(scope="module")
def crawled(spark: object, spark_settings: Settings, lake: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a catalog that one process learned."""
    home = tmp_path_factory.mktemp("crawled")
    context = Context(spark_settings.model_copy(update={"home": home}))
    context.__dict__["spark"] = spark
    crawl_source(context, add_source(context, "lake", str(lake)).id)  # too few columns for a worker
    context.close()
    return home


@pytest.fixture
def alone(context: Context, crawled: Path) -> Context:
    """That catalog."""
    shutil.copytree(crawled, context.settings.home, dirs_exist_ok=True)
    return context


def learned(context: Context) -> dict[str, Any]:
    """All that learning leaves, but for ids and times, and for freshness: whether a table is late is asked of the
    clock."""
    without = {"id", "created_at", "updated_at", "learned_at"}
    found: dict[str, Any] = {}
    with context.reading() as session:
        for model in (RuleRow, Tag, LakeColumn):
            listed = [one for one in session.exec(select(model)) if getattr(one, "kind", "") != "freshness"]
            rows = [one.model_dump(exclude=without) for one in listed]
            found[model.__name__] = sorted(rows, key=repr)
        found["status"] = [(one.name, one.status) for one in session.exec(select(Table).order_by(Table.name))]
    return found


def forget(context: Context) -> list[worker_pool.Job]:
    """Nothing was learned yet of states; what there is to learn. Keys of several columns are learned from files."""
    with context.transaction() as session:
        session.exec(update(RuleRow).where(RuleRow.learner != TOGETHER).values(status="superseded"))
        session.exec(update(Table).values(learned_at=None))
        for tag in session.exec(select(Tag)):
            session.delete(tag)
        listed = list(session.exec(select(Table).order_by(Table.id)))
    from catalog.flow.reading.observe import read_log

    return [worker_pool.Job(one.id, one.seen_version, tuple(read_log(context, one).latest_keys)) for one in listed]


def index_of(context: Context) -> bytes:
    return worker_pool.pickled(open_index(context.settings))


def active(found: dict[str, Any]) -> dict[str, Any]:
    rules = [one | {"revision": 0} for one in found["RuleRow"] if one["status"] == "active"]
    return {**found, "RuleRow": sorted(rules, key=repr)}


def test_helpers_learn_what_one_process_learns(
    alone: Context, spark: object, tmp_path: Path, lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "other"
    home.mkdir()
    other = Context(alone.settings.model_copy(update={"home": home}))
    other.__dict__["spark"] = spark
    started: list[worker_pool.Worker] = []
    run = worker_pool.Worker.run
    monkeypatch.setattr(worker_pool.Worker, "run", lambda self: (started.append(self), run(self))[1])
    monkeypatch.setattr(worker_pool, "_how_many", lambda columns: 1 if columns == 4 * TABLES else 0)
    summary = crawl_source(other, add_source(other, "lake", str(lake)).id)
    assert len(started) == 1
    assert (summary["tables"], summary["failed"]) == (TABLES, 0)
    found = learned(other)
    assert found == learned(alone)
    assert len(found["RuleRow"]) > 4 * TABLES
    other.close()


def test_helpers_do_their_share(alone: Context) -> None:
    before = active(learned(alone))
    waiting, done = deque(forget(alone)), SimpleQueue[worker_pool.Counts]()
    worker = worker_pool.Worker(alone, index_of(alone), waiting, done)
    worker.join()
    worker.stop()
    assert not waiting
    assert done.qsize() == TABLES
    assert active(learned(alone)) == before


def test_what_a_dead_helper_left_is_done(alone: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    before = active(learned(alone))
    jobs = forget(alone)
    monkeypatch.setattr(worker_pool, "_how_many", lambda columns: 1)
    sent = worker_pool.Worker._send

    def dies(self: worker_pool.Worker, what: bytes) -> None:
        sent(self, what)
        if what is not self.index:
            self.process.kill()

    monkeypatch.setattr(worker_pool.Worker, "_send", dies)
    assert len(list(worker_pool.learn_all(alone, open_index(alone.settings), jobs))) == TABLES
    assert active(learned(alone)) == before


def test_a_table_that_cannot_be_learned_from_is_told_by_the_helper(alone: Context) -> None:
    job = forget(alone)[0]
    waiting, done = (
        deque([worker_pool.Job(job.table_id, job.version, ("no such file",))]),
        SimpleQueue[worker_pool.Counts](),
    )
    worker = worker_pool.Worker(alone, index_of(alone), waiting, done)
    worker.join()
    worker.stop()
    assert done.get() == {"failed": 1, "failed_tables": [job.table_id]}
    with alone.reading() as session:
        table = tables.get_table(session, job.table_id)
    assert (table.status, "is missing" in (table.error or "")) == ("error", True)


def test_closing_ends_the_helpers(alone: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a cancelled run does."""
    made: list[worker_pool.Worker] = []
    init = worker_pool.Worker.__init__
    monkeypatch.setattr(worker_pool.Worker, "__init__", lambda self, *all: (init(self, *all), made.append(self))[0])
    monkeypatch.setattr(worker_pool, "_how_many", lambda columns: 2)
    work: Iterator[worker_pool.Counts] = worker_pool.learn_all(alone, open_index(alone.settings), forget(alone))
    next(work)
    work.close()  # type: ignore[attr-defined]
    assert len(made) == 2
    assert all(one.process.poll() is not None and not one.is_alive() for one in made)


def _in_a_daemon(settings: Settings, jobs: list[worker_pool.Job]) -> None:
    """What a Celery worker's process is: it may have no children by multiprocessing."""
    assert multiprocessing.current_process().daemon
    context = Context(settings)
    waiting, done = deque(jobs), SimpleQueue[worker_pool.Counts]()
    worker = worker_pool.Worker(context, index_of(context), waiting, done)
    worker.join()
    worker.stop()
    sys.exit(0 if done.qsize() == len(jobs) else 1)


def test_helpers_work_for_a_daemonic_process(alone: Context) -> None:
    before = active(learned(alone))
    process = multiprocessing.get_context("spawn").Process(
        target=_in_a_daemon, args=(alone.settings, forget(alone)), daemon=True
    )
    process.start()
    process.join(120)
    assert process.exitcode == 0
    assert active(learned(alone)) == before
