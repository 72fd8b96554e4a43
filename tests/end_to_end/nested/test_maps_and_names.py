# ruff: noqa: S608 - the SQL is made of our own paths
"""Entries of maps as columns, fields of elements that are renamed, and names with brackets on pages and commands."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pytest
from assay_command import Within
from deltalake import write_deltalake
from fastapi.testclient import TestClient

from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source, crawl_tables
from catalog.flow.reading.sources import add_source
from catalog.flow.watch import tick
from catalog.store.lake import tables
from web.app import create_app

pytestmark = pytest.mark.spark

CONTACTS = pa.map_(pa.string(), pa.string())


def orders(day: int, fault: bool = False) -> pa.Table:
    """A day's orders with whom to ask, by what for; some have nobody, of some nobody said."""
    rng = random.Random(day)

    def contact(number: int) -> str:
        mail = f"{rng.choice(('ann', 'bob', 'zoe'))}.hidden{rng.randrange(9999)}@secretmail.com"
        return mail.replace("@", " at ") if fault and number % 2 else mail

    contacts = [
        None if row % 40 == 3 else [(what, contact(row)) for what in ("billing", "delivery", "returns")[: row % 4]]
        for row in range(300)
    ]
    codes = [f"C-{rng.randrange(10_000):04d}" for _ in range(300)]
    return pa.table({"id": range(day * 300, day * 300 + 300), "contacts": pa.array(contacts, CONTACTS), "c[]": codes})


def test_entries_of_maps_are_told_and_shown_under_their_names(within: Within, tmp_path: Path) -> None:
    place = str(tmp_path / "lake" / "orders")
    for day in range(10):
        write_deltalake(place, orders(day), mode="append")
    within("source", "add", "shop", str(tmp_path / "lake"))
    within("crawl", "shop")
    write_deltalake(place, orders(10, fault=True), mode="append")
    within("crawl", "shop")
    names = [one["name"] for one in within.json("table", "show", "shop/orders")["columns"]]
    assert names == ["id", "contacts", "contacts[].key", "contacts[].value", "`c[]`"]
    column, odd = "contacts[].value", "`c[]`"
    for name in (column, odd):
        asked = within.json("rule", "list", "shop/orders", "--column", name)["items"]
        assert {one["column_name"] for one in asked} == {name}
    assert "secretmail" not in within("table", "values", "shop/orders", column).stdout
    told = [one for one in within.json("incident", "list")["items"] if one["column_name"] == column]
    assert told
    with TestClient(create_app(within.settings), base_url="http://127.0.0.1:8420") as client:
        listed = client.get("/api/v1/tables").json()["items"][0]["id"]
        columns = {one["name"]: one for one in client.get(f"/api/v1/tables/{listed}/columns").json()["items"]}
        assert columns[column]["sensitive"]
        for name in (column, odd):
            found = client.get(f"/api/v1/rules?table_id={listed}&column={quote(name)}").json()["items"]
            assert {one["column_name"] for one in found} == {name}
            page = client.get(f"/columns/{columns[name]['id']}")
            assert page.status_code == 200
            assert name in page.text
            assert "secretmail" not in page.text


def test_a_field_of_elements_that_is_renamed_keeps_what_is_known(context: Context, spark: Any, tmp_path: Path) -> None:
    uri = str(tmp_path / "lake" / "orders")
    spark.sql(
        f"CREATE TABLE delta.`{uri}` (id BIGINT, items ARRAY<STRUCT<sku: STRING, price: DOUBLE>>) USING delta "
        "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    )
    made = "transform(sequence(1, id % 4 + 1), i -> named_struct('sku', concat('S', id), 'price', i * 1.5D)) AS items"
    for start in range(0, 80, 20):
        frame = spark.range(start, start + 20, 1, 1).selectExpr("id", made)
        frame.write.format("delta").mode("append").save(uri)
    crawl_source(context, add_source(context, "lake", str(tmp_path / "lake")).id)
    with context.reading() as session:
        table = tables.every_table(session)[0]
        before = {one.name: one.id for one in tables.list_columns(session, table.id or 0)}
    spark.sql(f"ALTER TABLE delta.`{uri}` RENAME COLUMN items.element.price TO cost")
    spark.sql(f"INSERT INTO delta.`{uri}` VALUES (80, array(named_struct('sku', 'S80', 'cost', 9.5D)))")
    crawl_tables(context, tick(context))
    with context.reading() as session:
        found = tables.every_table(session)[0]
        after = {one.name: one for one in tables.list_columns(session, found.id or 0)}
    assert found.error is None
    assert list(after) == ["id", "items", "items[].sku", "items[].cost"]
    assert after["items[].cost"].id == before["items[].price"]
    assert after["items[].cost"].profile["nulls"] == 0
