"""Kill -9 in the middle of a crawl: what was begun is finished, and every outcome is there exactly once."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from growing_lake import grow
from processes import Workers, until
from sqlmodel import col, func, select

from catalog.cli import work
from catalog.flow.context import Context
from catalog.flow.reading.sources import add_source
from catalog.store import runs
from catalog.store.expectations import rules
from catalog.store.lake import tables
from catalog.store.models import Outcome, Run, Source, Table

pytestmark = [pytest.mark.spark, pytest.mark.slow]

TABLES, LEARNED, MORE = 6, 12, 20


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("lake")
    grow(root, TABLES, range(LEARNED))
    return root


@pytest.fixture(scope="module")
def source(context: Context, lake: Path, workers: Workers) -> Source:
    """The lake, crawled and learned from."""
    workers.start()
    source = add_source(context, "killed", str(lake))
    run_id = begin(context, source)
    until(lambda: get(context, run_id).status == "done", "the first crawl ends", workers.log)
    return source


def begin(context: Context, source: Source) -> int:
    run_id = work.start(context, "crawl", source.name, source=source)
    work.send(context, run_id)
    return run_id


def get(context: Context, run_id: int) -> Run:
    with context.reading() as session:
        return runs.get_run(session, run_id)


def outcomes_from(context: Context, version: int) -> int:
    with context.reading() as session:
        return session.exec(select(func.count()).select_from(Outcome).where(col(Outcome.version) >= version)).one()


def child_of(pid: int) -> int:
    """The process in which a worker's tasks run."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    if not children.exists():
        pytest.skip("children of a process are read from /proc")
    return int(children.read_text().split()[0])


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def assert_complete(context: Context, first: int, last: int, expected: dict[int, set[int]]) -> None:
    """Every rule that was active before says something of every version, once."""
    with context.reading() as session:
        for table_id, wanted in expected.items():
            said = session.exec(
                select(Outcome.version, Outcome.rule_id).where(
                    Outcome.table_id == table_id, col(Outcome.version) >= first
                )
            ).all()
            assert len(said) == len(set(said))
            assert set(said) == {(version, rule) for version in range(first, last + 1) for rule in wanted}
            assert session.get_one(Table, table_id).judged_version == last


def active(context: Context) -> dict[int, set[int]]:
    with context.reading() as session:
        ids = [table_id for table_id, *_ in tables.watch_list(session)]
        found = {
            table_id: {row.id or 0 for row in rules.active_rules(session, table_id) if row.kind != "freshness"}
            for table_id in ids
        }
    assert all(found.values())
    return found


@pytest.mark.parametrize("who", ["worker", "child"])
def test_a_killed_crawl_goes_on_where_it_was(
    context: Context, source: Source, lake: Path, workers: Workers, who: str
) -> None:
    with context.reading() as session:
        first = max(version for _, _, version, _ in tables.watch_list(session)) + 1
    last = first + MORE - 1
    grow(lake, TABLES, range(first, last + 1))
    expected = active(context)
    everything = MORE * sum(map(len, expected.values()))
    worker = workers.processes[-1]
    child = child_of(worker.pid)

    run_id = begin(context, source)
    until(lambda: outcomes_from(context, first) > 0, "judging begins", workers.log, every=0.02)
    os.kill(worker.pid if who == "worker" else child, signal.SIGKILL)
    until(lambda: not lives(child), "the child is gone", workers.log)
    said = outcomes_from(context, first)
    assert 0 < said < everything
    assert get(context, run_id).status == "running"

    if who == "worker":
        worker.wait()
        time.sleep(0.5)
        assert outcomes_from(context, first) == said  # nobody works on it
        workers.start()
    until(lambda: get(context, run_id).status == "done", "the crawl goes on and ends", workers.log)
    assert get(context, run_id).attempts >= 2
    assert_complete(context, first, last, expected)
