"""A crawl goes on part by part: it holds the states of a table while it works on it and no longer, learns while others
are still read, and lets others in. Tables of many files are judged alike whether their states are merged along a tree
or all at once."""

from __future__ import annotations

import gc
import random
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from singly import count_merged_states
from sqlmodel import select

from catalog.errors import Cancelled
from catalog.flow import crawl as flow_crawl
from catalog.flow.context import Context, Progress
from catalog.flow.crawl import crawl_source
from catalog.flow.learning.index import indexed
from catalog.flow.reading import states as flow_states
from catalog.flow.reading.sources import add_source
from catalog.history.series import TableMetrics
from catalog.states.table import TableState
from catalog.states.tree import FLAT
from catalog.store import runs
from catalog.store.models import Outcome, RuleRow, Run, Table, Tag, Version, now
from workers import tasks

pytestmark = pytest.mark.spark

#: Metrics that are the same however states are merged.
EXACT = ("row_count", "complete_ratio", "dist_val_count", "unique_ratio", "min", "max", "mean", "str_len")


def batch(seed: int, rows: int = 40, *, bad: bool = False) -> pa.Table:
    rng = random.Random(seed)
    codes = [None if bad and i % 2 else f"AB-{rng.randrange(10**6):06d}" for i in range(rows)]
    return pa.table({"code": codes, "x": [rng.gauss(5, 2) for _ in range(rows)], "part": [i % 40 for i in range(rows)]})


def test_no_state_outlives_its_portion(context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for table in range(6):
        write_deltalake(str(tmp_path / "lake" / f"t{table}"), batch(table))
    held: list[int] = []

    def count() -> None:
        gc.collect()
        held.append(sum(isinstance(one, TableState) for one in gc.get_objects()))

    take_in, learn_all = flow_crawl._take_in, flow_crawl.learn_all

    def portion(*args: Any) -> None:
        take_in(*args)
        count()

    def learning(*args: Any) -> Any:
        count()
        return learn_all(*args)

    monkeypatch.setattr(flow_crawl, "PORTION", 2)
    monkeypatch.setattr(flow_crawl, "_take_in", portion)
    monkeypatch.setattr(flow_crawl, "learn_all", learning)
    count()
    summary = crawl_source(context, add_source(context, "lake", str(tmp_path / "lake")).id or 0)
    assert (summary["tables"], summary["failed"]) == (6, 0)
    assert summary["rules"] > 0
    assert len(held) == 5
    assert max(held) == held[0]


def learned(context: Context) -> dict[str, list[Any]]:
    """What is in force in the end; whether a table is late is asked of the clock."""
    with context.reading() as session:
        rules = session.exec(select(RuleRow).where(RuleRow.status == "active", RuleRow.kind != "freshness"))
        tags = session.exec(select(Tag))
        return {
            "rules": sorted((one.table_id, one.kind, one.column_name, one.fingerprint, one.fpr) for one in rules),
            "tags": sorted((one.column_id, one.domain, one.score, repr(one.evidence)) for one in tags),
        }


def of_tables(context: Context, *, early: bool) -> int:
    """How many tables have rules of values, of which nothing counts as learned yet (`early`) or something does."""
    with context.reading() as session:
        told = select(Table.id, Table.learned_at).join(RuleRow).where(RuleRow.learner == "strings").distinct()
        return sum((at is None) == early for _, at in session.exec(told))


@pytest.fixture
def apart(context: Context, tmp_path: Path, spark_settings: Any, spark: object) -> Any:
    """A lake of six tables that is crawled by two, and another catalog, for a crawl all at once."""
    for table in range(6):
        write_deltalake(str(tmp_path / "lake" / f"t{table}"), batch(table))
    (tmp_path / "other").mkdir()
    other = Context(spark_settings.model_copy(update={"home": tmp_path / "other"}))
    other.__dict__["spark"] = spark
    yield str(tmp_path / "lake"), other
    other.close()


def test_tables_are_learned_from_and_free_while_others_are_read(
    context: Context, apart: tuple[str, Context], monkeypatch: pytest.MonkeyPatch
) -> None:
    lake, other = apart
    crawl_source(other, add_source(other, "lake", lake).id or 0)
    take_in, early, free, told = flow_crawl._take_in, [], [], []
    keep = runs.progress

    def part(*args: Any) -> None:
        early.append(of_tables(context, early=True))
        mine = {one.table.id for one in args[1].tables}
        with context.reading() as session:
            every = set(session.exec(select(Table.id)))
        with runs.table_lock(context.engine, sorted(every)) as lock:
            free.append(lock.held == every - mine)
        take_in(*args)

    def listen(session: Any, run_id: int, done: int = 0, total: int = 0, phase: str = "") -> bool:
        told.append(phase)
        return keep(session, run_id, done, total, phase)

    monkeypatch.setattr(flow_crawl, "PORTION", 2)
    monkeypatch.setattr(flow_crawl, "EARLY_SHARE", 10.0)  # whatever it costs
    monkeypatch.setattr(flow_crawl, "_take_in", part)
    monkeypatch.setattr(runs, "progress", listen)
    monkeypatch.setattr(Progress, "INTERVAL", 0.0)
    source = add_source(context, "lake", lake).id or 0
    with context.transaction() as session:
        run_id = runs.queue_run(session, "crawl", "lake", source_id=source).id
        runs.start_run(session, run_id)
    crawl_source(context, source, run_id)
    assert early == [0, 2, 4]
    assert free == [True] * 3, "what was judged is free, what is read now is not"
    assert any(phase.endswith("; 4 tables learned") for phase in told)
    assert (of_tables(context, early=True), of_tables(context, early=False)) == (0, 6)
    assert learned(context) == learned(other), "the whole lake decides in the end"


def test_learning_early_takes_no_more_than_its_share(
    context: Context, apart: tuple[str, Context], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flow_crawl, "PORTION", 1)
    monkeypatch.setattr(flow_crawl, "EARLY_SHARE", 1e-9)
    found: list[int] = []
    learn = flow_crawl._learn
    monkeypatch.setattr(flow_crawl, "_learn", lambda *a: (found.append(of_tables(context, early=True)), learn(*a)))
    crawl_source(context, add_source(context, "lake", apart[0]).id or 0)
    assert found == [1], "what the first one took tells what others take"


@pytest.mark.parametrize("how", [Cancelled, KeyboardInterrupt])
def test_a_crawl_that_ends_in_the_middle_keeps_what_it_learned_and_goes_on(
    context: Context, apart: tuple[str, Context], monkeypatch: pytest.MonkeyPatch, how: type[BaseException]
) -> None:
    lake, other = apart
    crawl_source(other, add_source(other, "lake", lake).id or 0)
    source = add_source(context, "lake", lake).id or 0
    take_in, parts = flow_crawl._take_in, []

    def part(*args: Any) -> None:
        parts.append(args[1])
        if len(parts) == 3:
            raise how("stopped")
        take_in(*args)

    with monkeypatch.context() as patched:
        patched.setattr(flow_crawl, "PORTION", 2)
        patched.setattr(flow_crawl, "EARLY_SHARE", 10.0)
        patched.setattr(flow_crawl, "_take_in", part)
        with pytest.raises(how):
            crawl_source(context, source)
    assert of_tables(context, early=True) == 4
    assert len(indexed(context)) == 4
    for _ in range(2):  # a second one finds nothing new
        crawl_source(context, source)
        assert learned(context) == learned(other)
    with context.reading() as session:
        assert not session.exec(select(Run).where(Run.status == "running")).all()


def test_what_waits_for_the_worker_is_done_between_the_parts_of_a_crawl(
    context: Context, apart: tuple[str, Context], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_deltalake(str(tmp_path / "small" / "late"), batch(9))
    monkeypatch.setattr(flow_crawl, "PORTION", 2)
    sources = [add_source(context, name, str(tmp_path / name)).id or 0 for name in ("lake", "small")]
    with context.transaction() as session:
        first, second = (runs.queue_run(session, "crawl", "a crawl", source_id=one) for one in sources)
        second.queued_at = now() - timedelta(seconds=2 * tasks.PASSED_OVER_SECONDS)
    tasks.crawl_run(context, first.id)
    tasks.crawl_run(context, second.id)  # its message comes at last
    with context.reading() as session:
        told = [runs.get_run(session, one.id) for one in (first, second)]
    assert [(run.status, run.attempts, run.stats["tables"]) for run in told] == [("done", 1, 6), ("done", 1, 1)]
    assert told[0].started_at < told[1].started_at < told[1].finished_at < told[0].finished_at
    assert len(indexed(context)) == 7, "neither loses what the other put into the index"
    assert of_tables(context, early=False) == 7


def test_verdicts_are_those_of_a_flat_merge(
    context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spark_settings: Any, spark: object
) -> None:
    lake = str(tmp_path / "lake")
    for version in range(9):
        write_deltalake(f"{lake}/parts", batch(version, 2000), mode="overwrite", partition_by=["part"])
    (tmp_path / "other").mkdir()
    flat = Context(spark_settings.model_copy(update={"home": tmp_path / "other"}))
    flat.__dict__["spark"] = spark

    def crawl() -> None:
        for one, files in ((context, FLAT), (flat, 10**6)):
            monkeypatch.setattr(flow_states, "FLAT", files)
            summary = crawl_source(one, source[one])
            assert (summary["tables"], summary["failed"]) == (1, 0)

    source = {one: add_source(one, "lake", lake).id or 0 for one in (context, flat)}
    crawl()
    write_deltalake(f"{lake}/parts", batch(20, 2000), mode="overwrite", partition_by=["part"])
    write_deltalake(f"{lake}/parts", batch(21, 2000, bad=True), mode="overwrite", partition_by=["part"])
    crawl()

    said, metrics = [], []
    for one in (context, flat):
        with one.reading() as session:
            table = session.exec(select(Table)).one()
            pairs = session.exec(select(Outcome, RuleRow).where(Outcome.rule_id == RuleRow.id)).all()
            said.append(sorted((o.version, r.kind, r.column_name, o.status) for o, r in pairs))
            rows = session.exec(select(Version).order_by(Version.number))  # type: ignore[arg-type]
            metrics.append([TableMetrics.decode(row.metrics) for row in rows if row.metrics])
            kept = count_merged_states(session, table.id or 0)
        assert (kept > 0) == (one is context)
    assert said[0] == said[1]
    assert any(status == "violated" for *_, status in said[0])
    assert len(metrics[0]) == len(metrics[1]) == 11
    for tree, all_at_once in zip(*metrics, strict=True):
        assert tree.rows == all_at_once.rows
        assert tree.table == pytest.approx(all_at_once.table)
        for column in ("code", "x"):
            ours, theirs = (
                {name: value for name, value in m.columns[column].items() if name in EXACT} for m in (tree, all_at_once)
            )
            assert ours == pytest.approx(theirs, rel=1e-12)
        assert tree.columns["x"]["median"] == pytest.approx(all_at_once.columns["x"]["median"], abs=0.1)
    flat.close()
