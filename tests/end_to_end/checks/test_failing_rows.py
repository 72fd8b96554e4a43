"""Rows that break declared checks: as a frame, in a file, in a quarantine; whatever only Spark can answer too."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, write_deltalake

from catalog import check
from catalog.cli.rules.rows import check_place, write_failing, write_rows
from catalog.declared.check import Check
from catalog.errors import NotFound, UsageError
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source
from catalog.flow.declared.counting import apply_checks, table_of
from catalog.flow.reading.sources import add_source
from catalog.flow.rows.failing import failing_frame, failing_rows
from catalog.flow.rows.quarantine import quarantine
from catalog.store.access import audit

pytestmark = pytest.mark.spark

ORDERS = pa.table(
    {
        "id": [1, 2, 3, 3, None],
        "customer": [1, 2, 9, None, 1],
        "email": ["ann@example.org", "bob@example.org", "eve@example.org", "joe@example.org", "kim@example.org"],
        "code": ["AB", "ab", "xY", None, "AB"],
    }
)
#: A look-behind is what only Java's expressions know.
ONLY_SPARK = "code RLIKE '(?<=A)B'"


@pytest.fixture
def context_with_checks(context: Context, tmp_path: Path) -> Context:
    lake = tmp_path / "lake"
    write_deltalake(lake / "customers", pa.table({"key": pa.array([1, 2], pa.int32())}))
    write_deltalake(lake / "orders", ORDERS.slice(0, 1))
    write_deltalake(lake / "orders", ORDERS.slice(1), mode="append")
    source = add_source(context, "shop", str(lake))
    crawl_source(context, source.id)
    one = (
        Check("shop/orders")
        .is_complete("id", hint="ask the till")
        .is_unique("id")
        .references("customer", other="shop/customers", other_columns=["key"])
        .satisfies(condition=ONLY_SPARK, name="only_spark")
        .is_complete("code", name="new_rows", scope="batch")
        .has_size(at_least=1)
    )
    apply_checks(context, [one])
    return context


def test_rows_are_found_by_what_they_break(context_with_checks: Context) -> None:
    context = context_with_checks
    table = table_of(context, "shop/orders")
    number, frame, chosen = failing_frame(context, table)
    assert number == 1
    assert len(chosen) == 5, "no row breaks a size"
    assert frame.columns == [*ORDERS.column_names, "failed_checks"]
    found = {(row["id"], row["customer"]): sorted(row["failed_checks"]) for row in frame.toArrow().to_pylist()}
    assert found == {
        (2, 2): ["only_spark"],
        (3, 9): ["is_unique_id", "only_spark", "references_customer"],
        (3, None): ["is_unique_id", "new_rows", "only_spark"],
        (None, 1): ["is_complete_id"],
    }
    number, frame, _ = failing_frame(context, table, 0, ["is_unique_id", "only_spark"])
    assert (number, frame.count()) == (0, 0)
    with pytest.raises(NotFound, match="no check 'has_size'"):
        failing_frame(context, table, None, ["has_size"])


def test_rows_are_masked_unless_somebody_answers_for_it(context_with_checks: Context, tmp_path: Path) -> None:
    context = context_with_checks
    table = table_of(context, "shop/orders")
    shown, more = failing_rows(context, table, None, ["is_complete_id"], 10)
    assert not more
    assert [row["email"] for row in shown] == ["aaa@aaaaaaa.aaa"]
    plain, _ = failing_rows(context, table, None, ["is_complete_id"], 10, levels={"personal"}, reason="complaint 7")
    assert [row["email"] for row in plain] == ["kim@example.org"]
    with context.reading() as session:
        (event, *_) = audit.find_events(session, kind="values")
    told = {"version": 1, "rows": 1, "checks": ["is_complete_id"], "levels": ["personal"]}
    assert (event.action, event.reason, event.after) == ("unmask", "complaint 7", told)
    for suffix in ("csv", "jsonl", "parquet"):
        write_rows(tmp_path / f"rows.{suffix}", list(shown[0]), shown)
    with (tmp_path / "rows.csv").open() as file:
        (line,) = csv.DictReader(file)
    assert (line["id"], line["failed_checks"]) == ("", '["is_complete_id"]')
    assert json.loads((tmp_path / "rows.jsonl").read_text())["failed_checks"] == ["is_complete_id"]
    assert pq.read_table(tmp_path / "rows.parquet").num_rows == 1


def test_a_file_without_rows_has_its_columns(context_with_checks: Context, tmp_path: Path) -> None:
    context = context_with_checks
    table = table_of(context, "shop/orders")
    named = [*ORDERS.column_names, "failed_checks"]
    for names in ((), ("is_unique_id",)):  # no check is broken; one is asked of a version that it holds in
        for suffix in ("csv", "jsonl", "parquet"):
            assert write_failing(context, table, 0, names, tmp_path / f"rows.{suffix}", 10) == (0, False)
        assert list(csv.reader((tmp_path / "rows.csv").open())) == [named]
        assert (tmp_path / "rows.jsonl").read_text() == ""
        assert pq.read_table(tmp_path / "rows.parquet").column_names == named


def test_a_quarantine_keeps_each_version_once(context_with_checks: Context, tmp_path: Path) -> None:
    context, into = context_with_checks, str(tmp_path / "quarantine" / "orders")
    table = table_of(context, "shop/orders")
    names = ["is_complete_id", "is_unique_id"]
    told = quarantine(context, table, into, names=names)
    assert told["rows"] == {"is_complete_id": 1, "is_unique_id": 2}
    kept: list[dict[str, Any]] = DeltaTable(into).to_pyarrow_table().to_pylist()
    assert sorted((row["assay_rule"], row["assay_version"], row["email"]) for row in kept) == [
        ("is_complete_id", 1, "kim@example.org"),
        ("is_unique_id", 1, "eve@example.org"),
        ("is_unique_id", 1, "joe@example.org"),
    ]
    assert {row["assay_reason"] for row in kept} == {
        "every row has a value in id (ask the till)",
        "no value of id occurs twice",
    }
    quarantine(context, table, into, names=names)
    assert DeltaTable(into).to_pyarrow_table().num_rows == 3, "once, however often it is asked for"
    quarantine(context, table, into, names=["only_spark"])
    assert DeltaTable(into).to_pyarrow_table().num_rows == 6
    for place, cause in ((table.uri, "is orders itself"), ("relative/place", "neither an absolute path")):
        with pytest.raises(UsageError, match=cause):
            quarantine(context, table, place)


def test_the_library_finds_rows_of_a_spark_frame(context: Context) -> None:
    frame = context.spark.createDataFrame(ORDERS.to_pandas().astype(object).where(ORDERS.to_pandas().notna(), None))
    customers = context.spark.createDataFrame([(1.0,), (2.0,)], ["key"])
    wanted = check("orders").satisfies(condition=ONLY_SPARK).references("customer", other="c", other_columns=["key"])
    found = wanted.failing(frame, others={"c": customers})
    assert sorted(row["email"][:3] for row in found.collect()) == ["bob", "eve", "joe"]
    arrow = check("orders").is_complete("id").failing(ORDERS)
    assert arrow.column("failed_checks").to_pylist() == [["is_complete_id"]]


@pytest.mark.parametrize(("name", "cause"), [("rows.xls", "cannot be written"), ("gone/rows.csv", "no folder")])
def test_where_no_rows_can_be_written_is_said_first(tmp_path: Path, name: str, cause: str) -> None:
    with pytest.raises(UsageError, match=cause):
        check_place(tmp_path / name)
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(UsageError, match="is a folder"):
        check_place(tmp_path / "folder.csv")
    check_place(tmp_path / "rows.csv")


def test_a_column_with_a_dot_in_its_name_is_no_field_of_a_struct(context: Context, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    inner = [{"x.y": 1, "z": 1}, {"x.y": 2, "z": None}, {"x.y": 2, "z": 3}]
    rows = pa.table({"id": [1, 2, 3], "net.amount": [1.0, None, -3.0], "per.son": ["a", "b", "c"], "s": inner})
    write_deltalake(lake / "nets", rows)
    write_deltalake(lake / "people", pa.table({"per.son": ["a", "b"]}))
    source = add_source(context, "shop", str(lake))
    crawl_source(context, source.id)
    one = (
        Check("shop/nets")
        .is_complete("net.amount", name="given")
        .is_positive("net.amount", where="s.z IS NOT NULL", name="positive")
        .satisfies(condition="`net.amount` > 0 AND `per.son` RLIKE '(?<!x)a'", name="only_spark")
        .is_unique("s.x.y", name="once")
        .is_complete("s.z", name="inside")
        .references("per.son", other="shop/people", name="known")
    )
    apply_checks(context, [one])
    broken = {
        row["id"]: sorted(row["failed_checks"])
        for row in failing_rows(context, table_of(context, "shop/nets"), None, (), 9)[0]
    }
    assert broken == {2: ["given", "inside", "once", "only_spark"], 3: ["known", "once", "only_spark", "positive"]}
    moved = quarantine(context, table_of(context, "shop/nets"), str(tmp_path / "kept"))
    assert moved["rows"] == {"given": 1, "inside": 1, "known": 1, "once": 2, "only_spark": 2, "positive": 1}
