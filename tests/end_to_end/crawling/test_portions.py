"""A crawl holds the states of a table while it works on it and no longer, and tables of many files are judged alike
whether their states are merged along a tree or all at once."""

from __future__ import annotations

import gc
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from singly import count_merged_states
from sqlmodel import select

from catalog.flow import crawl as flow_crawl
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source
from catalog.flow.reading import states as flow_states
from catalog.flow.reading.sources import add_source
from catalog.history.series import TableMetrics
from catalog.states.table import TableState
from catalog.states.tree import FLAT
from catalog.store.models import Outcome, RuleRow, Table, Version

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
