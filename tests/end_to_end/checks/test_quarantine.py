"""A quarantine holds each row once for each check and version, and lies where nothing else does."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from catalog.declared.check import Check
from catalog.errors import DeliveryError, MissingFile, UsageError
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source
from catalog.flow.declared.counting import apply_checks, table_of
from catalog.flow.declared.present import judge_present
from catalog.flow.reading.sources import add_source
from catalog.flow.rows.failing import failing_rows
from catalog.flow.rows.quarantine import quarantine

pytestmark = pytest.mark.spark

ROWS = pa.table(
    {
        "id": pa.array([1, None, 7, 7]),
        "x": pa.array([1.5, None, float("nan"), float("nan")]),
        "tags": pa.array([None, [], [("a", "b")], [("a", "b")]], pa.map_(pa.string(), pa.string())),
        "deep": [None, {"n": None}, {"n": [1]}, {"n": [1]}],
    }
)
COMPLETE = Check("shop/orders").is_complete("id")


@pytest.fixture
def lake(context: Context, tmp_path: Path) -> Path:
    for name in ("orders", "other"):
        write_deltalake(tmp_path / "lake" / name, ROWS)
    crawl_source(context, add_source(context, "shop", str(tmp_path / "lake")).id)
    apply_checks(context, [COMPLETE.is_unique("id"), Check("shop/other").is_complete("id").is_unique("id")])
    return tmp_path / "lake"


def kept(into: Path) -> Counter[Any]:
    rows = DeltaTable(into).to_pyarrow_table().to_pylist()
    return Counter((row["assay_table"], row["assay_rule"], row["assay_version"], row["id"]) for row in rows)


def test_no_row_is_kept_twice_whatever_is_asked_for(context: Context, lake: Path, tmp_path: Path) -> None:
    orders, into = table_of(context, "shop/orders"), tmp_path / "kept"
    assert quarantine(context, orders, str(into), names=["is_complete_id"])["added"] == 1
    told = quarantine(context, orders, str(into))
    assert (told["rows"], told["added"]) == ({"is_complete_id": 1, "is_unique_id": 2}, 2)
    found = Counter(
        {("shop/orders", "is_complete_id", 0, None): 1, ("shop/orders", "is_unique_id", 0, 7): 2}  # two equal rows
    )
    assert kept(into) == found
    apply_checks(context, [COMPLETE.is_unique("id").satisfies(condition="id <> 1", name="not_one")])
    assert quarantine(context, orders, str(into))["added"] == 2, "of a check that came later"
    assert quarantine(context, table_of(context, "shop/other"), str(into))["added"] == 3, "another table's equal rows"
    found += Counter({("shop/orders", "not_one", 0, key): 1 for key in (1, None)})
    found += Counter({("shop/other", rule, 0, key): n for (_, rule, _, key), n in found.items() if rule != "not_one"})
    write_deltalake(
        lake / "orders", ROWS.append_column("more", pa.array(list("abcd"))), mode="append", schema_mode="merge"
    )
    crawl_source(context, orders.source_id)
    later = quarantine(context, table_of(context, "shop/orders"), str(into))
    assert later["added"] == sum(later["rows"].values()) == 2 + 6 + 4
    assert quarantine(context, table_of(context, "shop/orders"), str(into))["added"] == 0
    assert quarantine(context, orders, str(into), version=0)["added"] == 0, "kept before the column came"
    assert sum(kept(into).values()) == sum(found.values()) + 12


def test_rows_that_a_check_allows_are_kept_where_it_is_named(context: Context, lake: Path, tmp_path: Path) -> None:
    """As `assay check run --rows` does, which names the checks that are broken."""
    orders, into = table_of(context, "shop/orders"), tmp_path / "kept"
    allowing = Check("shop/orders").satisfies(condition="id <> 1", name="some", at_least=0)
    apply_checks(context, [allowing])
    judge_present(context, orders.id or 0)
    assert quarantine(context, orders, str(into))["rows"] == {}
    assert failing_rows(context, orders, None, (), 10) == ([], False)
    assert quarantine(context, orders, str(into), names=["some"])["rows"] == {"some": 2}
    apply_checks(context, [Check("shop/orders", (*allowing.constraints, *COMPLETE.constraints))])
    judge_present(context, orders.id or 0)
    DeltaTable(lake / "orders").optimize.compact()
    crawl_source(context, orders.source_id)
    assert quarantine(context, table_of(context, "shop/orders"), str(into))["rows"] == {"is_complete_id": 1}


def test_a_check_that_spark_cannot_evaluate_is_named(context: Context, lake: Path, tmp_path: Path) -> None:
    orders = table_of(context, "shop/orders")
    apply_checks(context, [COMPLETE.satisfies(condition="size(id) > 3", name="odd")])
    with pytest.raises(UsageError, match="Spark cannot evaluate the check odd"):
        failing_rows(context, orders, None, (), 10)


def test_a_quarantine_lies_where_nothing_else_does(context: Context, lake: Path, tmp_path: Path) -> None:
    orders = table_of(context, "shop/orders")
    (tmp_path / "link").symlink_to(lake / "orders")
    (tmp_path / "file").write_text("x")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("x")
    write_deltalake(tmp_path / "strange", pa.table({"id": ["text"]}))
    for into, cause in {
        str(lake / "orders"): "is orders itself",
        str(lake / "orders" / "kept"): "lies in the table orders",
        str(lake / "other" / "kept"): "lies in the table other",
        str(lake / "x" / ".." / "orders"): "is orders itself",
        f"file://{lake}/orders": "is orders itself",
        str(tmp_path / "link"): "is orders itself",
        str(lake / "other"): "no quarantine",
        str(lake): "would hide it",
        str(tmp_path): "would hide it",
        str(tmp_path / "file"): "is no folder",
        str(tmp_path / "full"): "holds other things",
        str(tmp_path / "strange"): "no quarantine",
        "kept": "neither an absolute path nor an address",
        "s3://bucket/kept": "another kind of store",
        "nosuch://x/kept": "another kind of store",
        "http://169.254.169.254/kept": "another kind of store",
    }.items():
        with pytest.raises(UsageError, match=cause):
            quarantine(context, orders, into)
    with pytest.raises(DeliveryError, match="cannot be written to"):
        quarantine(context, orders, "/proc/kept")
    assert DeltaTable(lake / "orders").version() == DeltaTable(lake / "other").version() == 0
    assert sorted(one.name for one in lake.iterdir()) == ["orders", "other"]
    into = lake / "quarantine" / "orders"
    assert quarantine(context, orders, str(into))["added"] == 3
    crawl_source(context, orders.source_id)
    assert quarantine(context, orders, str(into))["added"] == 0, "though it is a table of the catalog now"


def test_rows_of_a_version_whose_files_are_gone_are_told_by_these(context: Context, lake: Path, tmp_path: Path) -> None:
    orders = table_of(context, "shop/orders")
    table = DeltaTable(lake / "orders")
    (gone,) = [uri.rpartition("/")[2] for uri in table.file_uris()]
    table.delete("id = 1")
    table.vacuum(0, dry_run=False, enforce_retention_duration=False)
    crawl_source(context, orders.source_id)
    orders = table_of(context, "shop/orders")
    for look in (
        lambda: failing_rows(context, orders, 0, (), 10),
        lambda: quarantine(context, orders, str(tmp_path / "kept"), version=0),
    ):
        with pytest.raises(MissingFile, match=f"data files of this version are gone: {gone}"):
            look()
    assert len(failing_rows(context, orders, 1, (), 10)[0]) == 3
    assert failing_rows(context, orders, 1, (), 2)[1]
