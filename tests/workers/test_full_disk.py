"""A run that a full disk ends says so, wherever it runs, and keeps what was done."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from sqlmodel import select

from catalog.cli import work
from catalog.errors import DeliveryError, NoRoom
from catalog.flow.context import ROOM, Context
from catalog.flow.guard import guarded
from catalog.settings import Settings
from catalog.store import runs
from catalog.store.lake import sources
from catalog.store.models import Run, Table
from workers import tasks


@pytest.fixture
def full(spark_settings: Settings, tmp_path: Path) -> Any:
    """A catalog whose database cannot grow while the file that keeps room is there."""
    settings = spark_settings.model_copy(update={"home": tmp_path / "home"})
    context = Context(settings)
    _ = context.engine
    assert (settings.home / ROOM).stat().st_size > 1 << 19

    def limit(connection: Any, *_: Any) -> None:
        pages = 1 if (settings.home / ROOM).exists() else 1 << 30  # no less than there are
        connection.execute(f"PRAGMA max_page_count={pages}")

    event.listen(context.engine, "checkout", limit)
    yield context
    context.close()


def begun(context: Context) -> int:
    with context.transaction() as session:
        return runs.queue_run(session, "crawl", "lake").id


def grow(context: Context, done: list[int]) -> dict[str, Any]:
    """Work that keeps something small, and then more than there is room for."""
    done.append(begun(context))
    with context.transaction() as session:
        runs.queue_run(session, "crawl", "x" * (1 << 20))
    return {}


def refused(context: Context, done: list[int]) -> dict[str, Any]:
    done.append(begun(context))
    raise OSError(errno.ENOSPC, "No space left on device", "/home/index")


@pytest.mark.parametrize("how", [grow, refused])
def test_a_run_of_the_command_line_says_that_the_disk_is_full(
    full: Context, how: Callable[..., dict[str, Any]]
) -> None:
    run_id, done = begun(full), []
    with pytest.raises(DeliveryError, match="could not be recorded: there is no room left for ") as told:
        work.do(full, run_id, "crawl", lambda: how(full, done), quiet=True)
    assert "what was done is kept" in told.value.remedy
    _is_told(full, run_id, done)


@pytest.mark.parametrize("how", [grow, refused])
def test_a_run_of_a_worker_says_that_the_disk_is_full(full: Context, how: Callable[..., dict[str, Any]]) -> None:
    run_id, done = begun(full), []
    tasks._as_run(full, run_id, lambda: how(full, done))
    _is_told(full, run_id, done)


def _is_told(context: Context, run_id: int, done: list[int]) -> None:
    with context.reading() as session:
        run = runs.get_run(session, run_id)
        assert done == [one for one in session.exec(select(Run.id)) if one != run_id]
    assert run.status == "failed"
    assert (run.error or "").startswith("there is no room left for ")
    assert (run.remedy or "").startswith("make room there")


def test_a_full_disk_is_no_trouble_of_the_table_at_hand(full: Context) -> None:
    with full.transaction() as session:
        source = sources.add_source(session, "lake", "/lake")
        (table,) = sources.upsert_tables(session, source.id, [("t", "/lake/t")])

    def step() -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "/home/groups/1.arrow")

    with pytest.raises(NoRoom, match=r"/home/groups/1\.arrow"):
        guarded(full, table, step, {})
    with full.reading() as session:
        assert session.exec(select(Table.status, Table.error)).one() == ("new", None)
