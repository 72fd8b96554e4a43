"""A table that recovers, a crawl nobody doubles, progress that never falls, runs that live, results undelivered."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import accumulate
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from sqlmodel import Session, select

from catalog.cli import work
from catalog.errors import DeliveryError
from catalog.flow import context as flow_context
from catalog.flow import crawl as flow
from catalog.flow.context import Context, Progress
from catalog.flow.crawl import crawl_source, crawl_tables
from catalog.flow.reading.sources import add_source, find_tables
from catalog.flow.watch import due_sources, tick
from catalog.settings import Settings
from catalog.store import runs
from catalog.store.lake import sources, tables
from catalog.store.models import Run, Source, now
from workers.app import make_app
from workers.broker import Broker, connect
from workers.names import ALIVE
from workers.queueing import queue_tables
from workers.schedule import PATIENCE, Scheduler


def rows(day: int) -> pa.Table:
    return pa.table({"id": list(range(day * 30, day * 30 + 30)), "code": [f"C{i % 7}" for i in range(30)]})


def lake_of(root: Path, count: int, versions: int = 1) -> Path:
    for table in range(count):
        for day in range(versions):
            write_deltalake(str(root / f"t{table}"), rows(day), mode="append")
    return root


@pytest.fixture
def plain(spark_settings: Settings, tmp_path: Path) -> Any:
    """A context of its own that needs no Spark."""
    (tmp_path / "home").mkdir()
    opened = Context(spark_settings.model_copy(update={"home": tmp_path / "home"}))
    yield opened
    opened.close()


def registered(context: Context, root: Path) -> tuple[Source, list[int]]:
    source = add_source(context, "lake", str(root))
    with context.reading() as session:
        source = sources.get_source(session, source.id)
    return source, find_tables(context, source, Progress(context, None))[0]


@pytest.mark.spark
def test_a_table_whose_file_came_back_is_watched_again(context: Context, tmp_path: Path) -> None:
    root = lake_of(tmp_path / "lake", 1, versions=3)
    crawl_source(context, add_source(context, "lake", str(root)).id or 0)
    before = set(DeltaTable(str(root / "t0")).file_uris())
    write_deltalake(str(root / "t0"), rows(3), mode="append")
    (new,) = set(DeltaTable(str(root / "t0")).file_uris()) - before
    path = Path(new.removeprefix("file://"))
    away = path.rename(tmp_path / "away")
    with context.reading() as session:
        table = tables.get_table(session, "t0")
    assert table.status == "watched"
    told = crawl_tables(context, [table.id])
    assert (told["failed"], told["failed_tables"]) == (1, [table.id])
    with context.reading() as session:
        broken = tables.get_table(session, "t0")
    assert (broken.status, bool(broken.error), bool(broken.remedy)) == ("error", True, True)
    away.rename(path)
    assert crawl_tables(context, [table.id])["failed"] == 0
    with context.reading() as session:
        again = tables.get_table(session, "t0")
    assert (again.status, again.error, again.judged_version) == ("watched", None, 3)


def test_files_that_were_read_before_are_missed_when_they_go_or_are_damaged(context: Context, tmp_path: Path) -> None:
    root = lake_of(tmp_path / "lake", 1, versions=3)
    crawl_source(context, add_source(context, "lake", str(root)).id or 0)
    with context.reading() as session:
        table = tables.get_table(session, "t0")
    path = Path(DeltaTable(table.uri).file_uris()[0].removeprefix("file://"))
    whole = path.read_bytes()

    def told() -> tuple[str, str]:
        crawl_tables(context, [table.id])
        with context.reading() as session:
            found = tables.get_table(session, "t0")
        return found.status, found.error or ""

    for damage, said in ((path.unlink, "missing"), (lambda: path.write_bytes(whole[:200]), "damaged")):
        damage()
        status, error = told()
        assert status == "error"
        assert said in error
        assert path.name in error
        path.write_bytes(whole)
        assert told() == ("watched", "")


@contextmanager
def closed(folder: Path) -> Iterator[None]:
    """Nobody may list the folder, not even root: this thread lays down what lets it read everything."""
    libc = ctypes.CDLL(None, use_errno=True)
    head, now = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    assert libc.capget(head, now) == 0
    without = (ctypes.c_uint32 * 6)(*now)
    without[0] &= ~0b110  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH
    folder.chmod(0)
    assert libc.capset(head, without) == 0
    try:
        yield
    finally:
        assert libc.capset(head, now) == 0
        folder.chmod(0o755)


def test_tables_in_a_folder_that_cannot_be_listed_are_not_gone(context: Context, tmp_path: Path) -> None:
    lake_of(tmp_path / "lake" / "shut", 2, versions=2)
    root = lake_of(tmp_path / "lake", 1, versions=2)
    source = add_source(context, "lake", str(root)).id or 0
    assert crawl_source(context, source)["tables"] == 3
    with closed(root / "shut"):
        for _ in range(2):
            summary = crawl_source(context, source)
            assert (summary["failed"], summary["closed"], summary["closed_folders"]) == (2, 1, ["shut"])
    with context.reading() as session:
        told = {table.name: (table.status, table.error) for table in tables.every_table(session)}
    assert told["t0"] == ("watched", None)
    for name in ("shut/t0", "shut/t1"):
        assert "no longer under its source" not in (told[name][1] or "")
        assert "PermissionError" in (told[name][1] or "")
        assert told[name][0] == "error", "what cannot be looked at is not gone"
    for place in ("shut/t0", "shut/t0/_delta_log"):
        with closed(root / place):
            crawl_source(context, source)
        with context.reading() as session:
            assert tables.get_table(session, "shut/t0").status == "error", place
    write_deltalake(str(root / "shut" / "t0"), rows(3), mode="append")
    assert crawl_source(context, source)["failed"] == 0
    with context.reading() as session:
        again = {table.name: (table.status, table.judged_version) for table in tables.every_table(session)}
    assert again == {"t0": ("watched", 1), "shut/t0": ("watched", 2), "shut/t1": ("watched", 1)}


@pytest.mark.parametrize("words", [("crawl", "lake"), ("check", "run", "lake/t0")])
def test_a_job_that_is_stopped_says_so_and_leaves_no_run_behind(
    plain: Context, tmp_path: Path, words: tuple[str, ...]
) -> None:
    _, ids = registered(plain, lake_of(tmp_path / "lake", 1))
    environment = {**os.environ, **plain.settings.as_environment()}
    command = [sys.executable, "-m", "catalog.cli", *words]
    with runs.table_lock(plain.engine, ids):
        job = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
        assert "waiting for it" in job.stderr.readline()
        job.send_signal(signal.SIGTERM)
        _, told = job.communicate(timeout=120)
    assert job.returncode == 130
    assert told.endswith("assay: interrupted; start it again: what was done is kept\n"), told
    with plain.reading() as session:
        assert [run.status for run in session.exec(select(Run))] == ["cancelled"]


def test_what_was_queued_for_workers_that_died_is_done_here(
    plain: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(work, "LOST_SECONDS", 1.0)
    (tmp_path / "lake").mkdir()
    source, _ = registered(plain, tmp_path / "lake")
    with Broker(plain.settings), connect(plain.settings) as client:
        client.set(f"{ALIVE}killed", 1, ex=3)  # as one that was killed leaves it, until it runs out
        run_id, stats = work.crawl(plain, source=source, quiet=True)
    assert stats["tables"] == 0
    assert "doing it here" in capsys.readouterr().err
    with plain.reading() as session:
        assert runs.get_run(session, run_id).status == "done"


def test_a_table_that_gets_no_further_is_queued_at_last_as_seldom_as_its_source(plain: Context, tmp_path: Path) -> None:
    _, ids = registered(plain, lake_of(tmp_path / "lake", 1))
    scheduler = Scheduler(plain.settings, make_app(plain.settings, with_tasks=False))
    waits = []
    for _ in range(12):
        scheduler._remember(ids)
        waits.append(scheduler._stuck[ids[0]][1])
    assert waits[1] == PATIENCE * waits[0]
    assert waits == sorted(waits)
    assert waits[-1] == plain.settings.crawl_seconds
    assert sum(at < 2400 for at in accumulate(waits)) <= 6, "runs of the first forty minutes"
    scheduler.context.close()


def test_a_table_that_gets_no_further_waits_on_when_the_scheduler_is_started_again(
    plain: Context, tmp_path: Path
) -> None:
    _, ids = registered(plain, lake_of(tmp_path / "lake", 2))
    with Broker(plain.settings):
        for at in range(4):
            scheduler = Scheduler(plain.settings, make_app(plain.settings, with_tasks=False))
            asked = scheduler._patient(ids)
            assert asked == (ids if at < 2 else ids[1:]), "the second time it came no further"
            scheduler._remember([one for one in asked if one == ids[0]])
            scheduler.context.close()
        again = Scheduler(plain.settings, make_app(plain.settings, with_tasks=False))
        assert again._patient(ids[1:]) == ids[1:]
        assert again._patient(ids) == ids, "without news it is forgotten"
        again.context.close()


def test_tables_whose_crawl_was_cancelled_rest_until_their_source_is_crawled(plain: Context, tmp_path: Path) -> None:
    source, ids = registered(plain, lake_of(tmp_path / "lake", 3))

    def queued(tables: list[int], end: Callable[[Session, int], object]) -> list[int]:
        with plain.transaction() as session:
            run_id = queue_tables(session, tables)
            end(session, run_id)
        return tick(plain)

    def stopped(session: Session, run_id: int) -> None:
        runs.start_run(session, run_id)
        runs.cancel_run(session, run_id)
        runs.end_cancelled(session, run_id)

    assert queued(ids[:2], runs.cancel_run) == ids[2:], (
        "what was stopped before it began is not taken up by the watcher"
    )
    assert queued(ids, stopped) == []
    with plain.transaction() as session:
        sources.get_source(session, source.id).crawled_at = now() + timedelta(seconds=1)
    assert tick(plain) == ids
    assert queued(ids[:1], stopped) == ids, "that was before"
    with plain.transaction() as session:
        sources.get_source(session, source.id).crawled_at = now() - timedelta(seconds=60)
    assert tick(plain) == []


def test_a_long_crawl_shuts_nobody_out_of_tables_that_were_read(plain: Context, tmp_path: Path) -> None:
    source, ids = registered(plain, lake_of(tmp_path / "lake", 3))
    run_id = work.start(plain, "crawl", "lake", source=source)
    with plain.transaction() as session:
        runs.start_run(session, run_id)
        tables.update_table(session, ids[0], seen_version=0)
    write_deltalake(str(tmp_path / "lake" / "t0"), rows(1), mode="append")
    assert tick(plain) == []
    with plain.transaction() as session:
        session.get_one(Run, run_id).started_at = now() - timedelta(seconds=2 * runs.LONG_SECONDS)
    assert tick(plain) == ids[:1]


def test_a_source_whose_crawl_was_cancelled_rests_until_it_is_crawled_again(plain: Context, tmp_path: Path) -> None:
    source, ids = registered(plain, lake_of(tmp_path / "lake", 3))
    hourly = Context(plain.settings.model_copy(update={"crawl_seconds": 3600.0}))

    def crawled(end: Callable[[Session, int], object], ago: float = 0.0) -> tuple[list[int], list[int]]:
        """A crawl that ended so, long ago: the tables that are read again, and the sources."""
        run_id = work.start(plain, "crawl", "lake", source=source)
        with plain.transaction() as session:
            runs.start_run(session, run_id)
            end(session, run_id)
            runs.get_run(session, run_id).finished_at = now() - timedelta(seconds=ago)
            sources.get_source(session, source.id).crawled_at = now() - timedelta(seconds=4000)
        return tick(plain), [one.id for one in due_sources(hourly)]

    assert crawled(runs.end_cancelled) == ([], []), "what was stopped is not taken up by the watcher"
    assert crawled(runs.end_cancelled, ago=3700) == ([], [source.id]), "its next regular crawl comes"
    assert crawled(runs.finish_run) == (ids, [source.id])
    hourly.close()


def test_tables_of_a_crawl_under_way_are_not_queued_again(plain: Context, tmp_path: Path) -> None:
    root = lake_of(tmp_path / "lake", 3)
    source, ids = registered(plain, root)
    assert tick(plain) == ids
    run_id = work.start(plain, "crawl", "lake", source=source)
    assert tick(plain) == []  # it waits for a worker
    with plain.transaction() as session:
        runs.start_run(session, run_id)
    assert tick(plain) == []
    with plain.transaction() as session:
        runs.finish_run(session, run_id)
    with runs.table_lock(plain.engine, ids[:2]):
        assert tick(plain) == ids[2:]
    assert tick(plain) == ids
    lost = work.start(plain, "crawl", "lake", source=source)
    with plain.transaction() as session:
        session.get_one(Run, lost).queued_at = now() - timedelta(seconds=2 * runs.WAITS_SECONDS)
    assert tick(plain) == ids  # whoever queued it, it is not done


@pytest.mark.spark
def test_progress_has_one_total_and_never_falls(
    context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flow, "PORTION", 2)
    monkeypatch.setattr(Progress, "INTERVAL", 0.0)
    told: list[tuple[int, int, str]] = []
    keep = runs.progress

    def listen(session: Any, run_id: int, done: int = 0, total: int = 0, phase: str = "") -> bool:
        told.append((done, total, phase))
        return keep(session, run_id, done, total, phase)

    monkeypatch.setattr(runs, "progress", listen)
    root = lake_of(tmp_path / "lake", 5, versions=2)
    (root / "t3" / "_delta_log" / f"{1:020d}.json").write_text("{broken")
    source = add_source(context, "lake", str(root))
    run_id = work.start(context, "crawl", "lake", source=source)
    with context.transaction() as session:
        runs.start_run(session, run_id)
    crawl_source(context, source.id, run_id)
    known = [(done, total) for done, total, phase in told if phase != "finding tables"]
    assert {total for _, total in known} == {25}  # five tables, five things done to each
    assert [done for done, _ in known] == sorted(done for done, _ in known)
    assert known[-1][0] >= 20
    assert any(phase.startswith("scanning files, ") for _, _, phase in told)


def test_a_crawl_of_the_command_line_tells_that_it_lives(plain: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow_context, "RUN_BEAT_SECONDS", 0.05)
    run_id = work.start(plain, "crawl", "lake")

    def long_step() -> dict[str, Any]:
        with plain.transaction() as session:
            session.get_one(Run, run_id).heartbeat_at = now() - timedelta(seconds=2 * runs.STALE_SECONDS)
        time.sleep(1.0)
        with plain.transaction() as session:
            assert runs.recover_runs(session) == []
        return {"tables": 1}

    assert work.do(plain, run_id, "crawl", long_step, quiet=True) == {"tables": 1}


def test_what_cannot_be_recorded_ends_with_4(plain: Context) -> None:
    run_id = work.start(plain, "crawl", "lake")

    def lose_the_database() -> dict[str, Any]:
        plain.engine.dispose()
        database = plain.settings.home / "assay.db"
        for file in database.parent.glob("assay.db*"):
            file.unlink()
        database.mkdir()
        return {"tables": 1}

    with pytest.raises(DeliveryError, match="could not be recorded"):
        work.do(plain, run_id, "crawl", lose_the_database, quiet=True)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_what_cannot_be_printed_or_written_ends_with_4(plain: Context, tmp_path: Path) -> None:
    _ = plain.engine
    environment = {**os.environ, "ASSAY_HOME": str(plain.settings.home)}

    def end(words: str, out: Any) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-m", "catalog.cli", *words.split()],
            env=environment, stdout=out, stderr=subprocess.PIPE, text=True, timeout=120, check=False,
        )  # fmt: skip
        return done.returncode, done.stderr

    with open("/dev/full", "w") as full:
        code, said = end("table list --json", full)
    assert (code, "cannot be written" in said, "Traceback" in said) == (4, True, False)
    code, said = end("export outcomes /dev/full/out.csv", subprocess.DEVNULL)
    assert (code, "Traceback" in said) == (3, False)  # no such folder
    (tmp_path / "out.csv").mkdir()  # something else is in its place
    code, said = end(f"export tags {tmp_path / 'out.csv'}", subprocess.DEVNULL)
    assert (code, "cannot be written" in said) == (4, True)
