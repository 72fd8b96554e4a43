"""A metric that comes with a release: versions that were observed before have it after the next crawl, where the
states of their files are still there, and rules from history do without it until then."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from sqlalchemy import delete
from sqlmodel import col, select

from catalog.flow.checking import filling
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source
from catalog.flow.reading.sources import add_source
from catalog.history.series import TableMetrics
from catalog.metrics import registry
from catalog.states import metrics as computing
from catalog.states.column import ColumnState
from catalog.store.models import FileState, Outcome, RuleRow, Table, Version

pytestmark = pytest.mark.spark

VERSIONS = 9
GONE = 4


def deliver(root: Path, day: int) -> None:
    names = [f"{'Ab' if i % 5 else 'xy'}-{i + day}" for i in range(200)]
    write_deltalake(str(root / "t"), pa.table({"name": names, "n": list(range(day, 200 + day))}), mode="overwrite")


def capitals(state: ColumnState) -> Iterator[tuple[str, float]]:
    if state.kind == "string" and state.lengths is not None:
        yield "capital_ratio", state.lengths.upper / max(state.lengths.letters, 1)


def kept(context: Context) -> dict[int, TableMetrics]:
    with context.reading() as session:
        rows = session.exec(select(Version.number, Version.metrics).order_by(col(Version.number))).all()
    return {number: TableMetrics.decode(data) for number, data in rows if data is not None}


def test_older_versions_get_a_new_metric_at_the_next_crawl(
    context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for day in range(VERSIONS):
        deliver(tmp_path / "lake", day)
    source = add_source(context, "lake", str(tmp_path / "lake")).id or 0
    crawl_source(context, source)
    before = kept(context)
    assert list(before) == list(range(VERSIONS))
    with context.transaction() as session:  # of one version the states are gone
        keys = session.exec(select(FileState.key).order_by(col(FileState.modified_ms))).all()
        session.exec(delete(FileState).where(col(FileState.key) == keys[GONE]))

    shout = registry.Metric("share of capitals", resolution=0.02, slack=1.0, unit="share", series=frozenset({"string"}))
    monkeypatch.setitem(registry.METRICS, "capital_ratio", shout)
    monkeypatch.setitem(registry.JUDGED, "capital_ratio", shout)
    monkeypatch.setattr(computing, "COMPUTED", (*computing.COMPUTED, capitals))
    deliver(tmp_path / "lake", VERSIONS)
    summary = crawl_source(context, source)
    assert summary["failed"] == 0

    after = kept(context)
    has = {number: "capital_ratio" in metrics.columns["name"] for number, metrics in after.items()}
    assert has == {number: number != GONE for number in range(VERSIONS + 1)}
    for number, metrics in before.items():  # what was kept stays as it was
        name = {key: value for key, value in after[number].columns["name"].items() if key != "capital_ratio"}
        assert (name, after[number].columns["n"]) == (metrics.columns["name"], metrics.columns["n"])
        assert after[number].table == metrics.table
    with context.reading() as session:
        rule = session.exec(select(RuleRow).where(RuleRow.kind == "history", RuleRow.column_name == "name")).first()
        said = session.exec(select(Outcome).where(Outcome.version == VERSIONS)).all()
        table = session.exec(select(Table)).one()
    assert rule is not None
    assert {outcome.status for outcome in said} == {"passed"}
    assert table.measured == registry.fingerprint()


def test_a_crawl_with_the_same_metrics_reads_no_old_log(
    context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deliver(tmp_path / "lake", 0)
    source = add_source(context, "lake", str(tmp_path / "lake")).id or 0
    crawl_source(context, source)
    read: list[object] = []
    monkeypatch.setattr(filling, "whole_log", lambda *given: read.append(given))
    deliver(tmp_path / "lake", 1)
    assert crawl_source(context, source)["failed"] == 0
    assert read == []
