"""Runs and their progress; leases between processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine
from sqlmodel import Session

from catalog.errors import CorruptLog, NotFound, StoreError
from catalog.store import runs
from catalog.store.engine import session
from catalog.store.models import now
from catalog.store.pages import work
from catalog.store.runs import table_lock


def test_a_run_goes_from_queued_to_done(db: Session) -> None:
    run = runs.queue_run(db, "crawl", "lake")
    assert [one.id for one in runs.current_runs(db)] == [run.id]
    assert runs.start_run(db, run.id)
    assert runs.progress(db, run.id, 3, 10, "scan") is False
    runs.progress(db, run.id, phase="judge")
    db.expire_all()
    assert (run.status, run.done, run.total, run.phase, run.attempts) == ("running", 3, 10, "judge", 1)
    runs.finish_run(db, run.id, {"tables": 3})
    db.expire_all()
    assert (run.status, run.stats, run.done, run.phase) == ("done", {"tables": 3}, 10, "")
    assert run.finished_at is not None
    assert runs.start_run(db, run.id) is False  # its task was delivered once more
    runs.fail_run(db, run.id, ValueError("too late"))
    assert runs.get_run(db, run.id).status == "done"
    assert runs.current_runs(db) == []
    assert runs.start_run(db, 999) is False


def test_a_failed_run_says_why_and_what_to_do(db: Session) -> None:
    known, unknown = runs.queue_run(db, "crawl"), runs.queue_run(db, "check")
    runs.start_run(db, known.id)
    runs.fail_run(db, known.id, CorruptLog("no JSON", remedy="restore it"))
    runs.fail_run(db, unknown.id, ValueError("odd"))
    db.expire_all()
    assert (known.status, known.error, known.remedy) == ("failed", "no JSON", "restore it")
    assert (unknown.error, unknown.remedy) == ("ValueError: odd", "see the worker's log")


def test_cancelling_stops_a_queued_run_at_once_and_asks_a_running_one(db: Session) -> None:
    queued, running = runs.queue_run(db, "crawl"), runs.queue_run(db, "crawl")
    runs.start_run(db, running.id)
    assert runs.cancel_run(db, queued.id).status == "cancelled"
    assert runs.start_run(db, queued.id) is False
    assert runs.cancel_run(db, running.id).status == "running"
    assert runs.progress(db, running.id, 1) is True
    runs.end_cancelled(db, running.id, {"tables": 1})
    db.expire_all()
    assert (running.status, running.stats) == ("cancelled", {"tables": 1})
    assert runs.cancel_run(db, running.id).status == "cancelled"
    with pytest.raises(NotFound):
        runs.cancel_run(db, 999)


def test_a_run_whose_worker_was_lost_is_marked_and_taken_up_again(db: Session) -> None:
    lost, alive, queued = (runs.queue_run(db, "crawl") for _ in range(3))
    for run in (lost, alive):
        runs.start_run(db, run.id)
    lost.heartbeat_at = now() - timedelta(seconds=200)
    db.flush()
    assert runs.recover_runs(db, 90) == [lost.id]
    db.expire_all()
    assert (lost.status, lost.error) == ("failed", runs.INTERRUPTED)
    assert (alive.status, queued.status) == ("running", "queued")
    assert runs.start_run(db, lost.id)
    db.expire_all()
    assert (lost.status, lost.error, lost.finished_at, lost.attempts) == ("running", None, None, 2)


def test_a_run_that_was_thought_lost_goes_on_when_its_worker_speaks(db: Session) -> None:
    """A phase that takes long without a step forward looks like a lost worker."""
    slow, ended = runs.queue_run(db, "crawl"), runs.queue_run(db, "crawl")
    for run in (slow, ended):
        runs.start_run(db, run.id)
        run.heartbeat_at = now() - timedelta(seconds=200)
    db.flush()
    assert len(runs.recover_runs(db)) == 2
    runs.progress(db, slow.id, 5)
    runs.finish_run(db, ended.id, {"tables": 1})
    db.expire_all()
    assert (slow.status, slow.error, slow.finished_at, slow.done) == ("running", None, None, 5)
    assert (ended.status, ended.error, ended.stats) == ("done", None, {"tables": 1})


def test_runs_are_listed_latest_first(db: Session) -> None:
    ids = [runs.queue_run(db, kind).id for kind in ("crawl", "check", "crawl")]
    assert [run.id for run in work.find_runs(db).items] == ids[::-1]
    assert [run.id for run in work.find_runs(db, limit=1).items] == [ids[2]]
    assert work.find_runs(db, status="done").items == []


def test_a_lease_is_anothers_until_it_runs_out_or_is_given_back(db: Session) -> None:
    assert runs.acquire(db, ["a", "b"], "one", 100) == {"a", "b"}
    assert runs.acquire(db, ["b", "c"], "two", 100) == {"c"}
    assert runs.acquire(db, ["a"], "one", -1) == {"a"}  # renewed, and over
    assert runs.acquire(db, ["a"], "two", 100) == {"a"}
    runs.release(db, ["a", "b"], "one")  # a is not its own any more
    assert runs.acquire(db, ["a", "b"], "three", 100) == {"b"}
    assert runs.acquire(db, [], "three") == set()


def test_a_table_is_locked_for_the_time_of_the_block(engine: Engine) -> None:
    with table_lock(engine, [1, 2]) as first:
        with table_lock(engine, [2, 3]) as second:
            assert (first.held, second.held) == ({1, 2}, {3})
        with table_lock(engine, 3) as third:
            assert third.held == {3}
    with table_lock(engine, [1, 2, 3]) as last:
        assert last.held == {1, 2, 3}
        last.check()


def test_a_lock_is_renewed_while_its_block_lasts(engine: Engine) -> None:
    with table_lock(engine, 1, seconds=4) as first:  # renewed each quarter of it: a busy machine may be late by 2 s
        time.sleep(5)
        with table_lock(engine, 1) as second:
            assert second.held == set()
        first.check()


def test_a_lock_that_was_lost_says_so(engine: Engine) -> None:
    with table_lock(engine, 1, seconds=0.8) as first:
        with session(engine) as current:
            runs.release(current, ["table:1"], first.holder)
            runs.acquire(current, ["table:1"], "thief", 100)
        until = time.monotonic() + 20
        while not first._lost and time.monotonic() < until:  # it learns of it when it is renewed
            time.sleep(0.05)
        with pytest.raises(StoreError, match="lost"):
            first.check()


def held_in_time(engine: Engine, *table_ids: int, seconds: float = 20) -> set[int]:
    """What a lock holds once it holds all of these, or as time is up."""
    deadline = time.monotonic() + seconds
    while True:
        with table_lock(engine, table_ids) as lock:
            if lock.held == set(table_ids) or time.monotonic() > deadline:
                return lock.held
        time.sleep(0.05)


def test_a_lease_that_nobody_renews_runs_out(engine: Engine) -> None:
    with session(engine) as current:
        runs.acquire(current, ["table:1"], "other", 0.5)
    assert held_in_time(engine, 1, 2) == {1, 2}


CRAWL = """
from pathlib import Path
from catalog.store.engine import make_engine
from catalog.store.runs import table_lock
engine, inside = make_engine(sys.argv[1]), Path(sys.argv[2])
#go
turns = 0
while turns < 5:
    with table_lock(engine, 1) as lock:
        if lock.held:
            (inside / "one").touch(exist_ok=False)  # fails when somebody else is inside
            time.sleep(0.01)
            (inside / "one").unlink()
            turns += 1
    time.sleep(0.002)
print(turns)
"""


def test_one_table_is_not_crawled_by_two_processes_at_once(
    url: str, tmp_path: Path, together: Callable[..., list[str]]
) -> None:
    assert together(CRAWL, 2, url, str(tmp_path)) == ["5", "5"]


HOLD = """
import sys, time
from catalog.store.engine import make_engine
from catalog.store.runs import table_lock
with table_lock(make_engine(sys.argv[1]), 1, seconds=2) as lock:
    print(lock.held, flush=True)
    time.sleep(600)
"""


def test_a_killed_worker_blocks_a_table_no_longer_than_its_lease(url: str, engine: Engine) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLD, url], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "{1}\n"
        with table_lock(engine, 1) as early:
            assert early.held == set()
    finally:
        os.kill(holder.pid, signal.SIGKILL)
        holder.communicate()
    assert held_in_time(engine, 1) == {1}
