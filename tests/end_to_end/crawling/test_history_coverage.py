"""Learning at registration from all versions that time travel reaches: what is lost is said, what changes no data is
no batch, and a person may say what a batch is."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from singly import get_version

from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source, crawl_tables
from catalog.flow.reading.sources import add_source
from catalog.store.expectations import rules
from catalog.store.lake import batches, tables, versions
from catalog.store.models import Table

pytestmark = pytest.mark.spark


def stock(day: int) -> pa.Table:
    rows = 200 + 3 * (day % 4)
    return pa.table({"sku": [f"SKU-{i:05d}" for i in range(rows)], "stock": [(7 * i + day) % 50 for i in range(rows)]})


def crawled(context: Context, lake: Path, name: str) -> Table:
    source = add_source(context, "lake", str(lake))
    crawl_source(context, source.id)
    with context.reading() as session:
        table = tables.get_table(session, name)
    assert table.error is None
    return table


def coverage_of(context: Context, table: Table) -> batches.HistoryCoverage:
    with context.reading() as session:
        return batches.history_coverage(session, tables.get_table(session, table.id))


def test_what_vacuum_took_is_said_and_the_rest_is_learned_from(context: Context, tmp_path: Path) -> None:
    uri = str(tmp_path / "lake" / "stock")
    for day in range(6):
        write_deltalake(uri, stock(day), mode="overwrite")
    DeltaTable(uri).vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False)  # versions 6 and 7
    for day in range(9):
        write_deltalake(uri, stock(6 + day), mode="overwrite")
    table = crawled(context, tmp_path / "lake", "stock")
    found = coverage_of(context, table)
    assert (found.mode, found.pinned) == ("snapshot", False)
    assert (found.gone, found.before, found.unread) == ([(0, 4)], 0, [])
    assert found.unchanged == 2  # the start and the end of VACUUM
    assert found.batches == found.learned == 10
    assert "Versions 0 to 4 are lost: VACUUM took their files." in found.words()
    with context.reading() as session:
        learned = [row for row in rules.active_rules(session, table.id) if row.kind == "history"]
        assert learned
        assert {row.body["params"]["batches"] for row in learned} == {10}
        assert [v.status for v in versions.list_versions(session, table.id) if v.number < 5] == ["lost"] * 5


def test_versions_whose_log_was_cleaned_away_are_said(context: Context, tmp_path: Path) -> None:
    uri = tmp_path / "lake" / "sales"
    for day in range(14):
        write_deltalake(str(uri), stock(day), mode="append")
        if day == 4:
            DeltaTable(str(uri)).create_checkpoint()
    for number in range(5):
        (uri / "_delta_log" / f"{number:020d}.json").unlink()
    found = coverage_of(context, crawled(context, tmp_path / "lake", "sales"))
    assert found.before == 5
    assert found.words()[1] == "Versions 0 to 4 are lost: their log was cleaned away."
    assert found.batches == 9


def test_versions_without_a_change_of_data_are_no_batches(context: Context, tmp_path: Path) -> None:
    uri = str(tmp_path / "lake" / "sales")
    for day in range(9):
        write_deltalake(uri, stock(day), mode="append")
        if day in (3, 6):
            DeltaTable(uri).optimize.compact()
    found = coverage_of(context, crawled(context, tmp_path / "lake", "sales"))
    assert (found.mode, found.batches, found.unchanged, found.rewrites) == ("increment", 9, 2, 0)


def test_a_person_says_what_a_batch_is(context: Context, tmp_path: Path) -> None:
    """The past is observed again, as the other kind; nothing that was learned of the first kind judges the second."""
    uri = str(tmp_path / "lake" / "sales")
    for day in range(10):
        write_deltalake(uri, stock(day), mode="append")
    table = crawled(context, tmp_path / "lake", "sales")
    assert coverage_of(context, table).mode == "increment"
    with context.transaction() as session:
        versions.set_version(session, table.id, 4, label="healthy")
        changed = batches.set_mode(session, table.id, "snapshot")
    assert (changed.mode, changed.mode_pinned, changed.judged_version) == ("snapshot", True, -1)
    with context.reading() as session:
        assert not [row for row in rules.active_rules(session, table.id) if row.kind in ("history", "volume")]
    write_deltalake(uri, stock(10), mode="append")
    crawl_tables(context, [table.id])
    found = coverage_of(context, table)
    assert (found.mode, found.pinned, found.batches) == ("snapshot", True, 11)
    with context.reading() as session:
        series = versions.metric_series(session, table.id, "snapshot")
        assert [point.batch_rows for point in series][:2] == [200, 403]  # the whole table, growing
        assert get_version(session, table.id, 4).label == "healthy"
        assert [row for row in rules.active_rules(session, table.id) if row.kind == "history"]
    with context.transaction() as session:
        batches.set_mode(session, table.id, "auto")
    crawl_tables(context, [table.id])
    assert (coverage_of(context, table).mode, coverage_of(context, table).pinned) == ("increment", False)


def test_a_long_past_is_read_as_far_as_the_setting_says(context: Context, tmp_path: Path) -> None:
    short = Context(context.settings.model_copy(update={"history_limit": 8}))
    short.__dict__["spark"] = context.spark
    uri = str(tmp_path / "lake" / "sales")
    for day in range(12):
        write_deltalake(uri, stock(day), mode="append")
    found = coverage_of(short, crawled(short, tmp_path / "lake", "sales"))
    assert (found.unread, found.batches) == ([(0, 3)], 8)
    assert "Versions 0 to 3 are not read: newer ones are enough (ASSAY_HISTORY_LIMIT)." in found.words()
    short.close()
