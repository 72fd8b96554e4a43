"""What lists hold is watched as columns are: tags, rules, causes and rows of a real Delta table of orders."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from sqlmodel import select

from catalog.declared.check import Check
from catalog.errors import UsageError
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source
from catalog.flow.reading.sources import add_source
from catalog.states.encoding import decode, encode
from catalog.states.table import TableState
from catalog.store.expectations.declared import fit_table
from catalog.store.lake import tables
from catalog.store.models import FileState, Incident, LakeColumn, Outcome, RuleRow, Table, Tag

pytestmark = pytest.mark.spark

ITEM = pa.struct([("sku", pa.string()), ("price", pa.float64()), ("weight", pa.float64()), ("mail", pa.string())])
SCHEMA = pa.schema([("order_id", pa.string()), ("items", pa.list_(ITEM)), ("labels", pa.list_(pa.string()))])


def orders(day: int, fault: str = "") -> pa.Table:
    """A day's orders of up to four items each; some have none, of some nobody said."""
    rng = random.Random(day)

    def item() -> dict[str, Any]:
        price = round(rng.lognormvariate(3.5, 0.5), 2)
        sku = f"SKU-{rng.randrange(10_000):04d}"
        return {
            "sku": f"{sku[4:]}/SKU" if fault == "skus" and rng.random() < 0.3 else sku,
            "price": None if fault == "nulls" and rng.random() < 0.3 else price,
            "weight": round(rng.lognormvariate(1.0, 0.4), 3) * (1000 if fault == "grams" else 1),
            "mail": f"{rng.choice(('ann', 'bob', 'zoe'))}.hidden{rng.randrange(9999)}@secretmail.com",
        }

    rows = [
        {
            "order_id": f"ORD-{day:04d}{i:05d}",
            "items": None if i % 50 == 7 else [item() for _ in range(rng.randrange(5))],
            "labels": [rng.choice(("gift", "fragile", "return")) for _ in range(rng.randrange(3))],
        }
        for i in range(300)
    ]
    return pa.Table.from_pylist(rows, SCHEMA)


def _begun(context: Context, lake: Path) -> tuple[int, Path]:
    place = lake / "orders"
    for day in range(14):
        write_deltalake(str(place), orders(day), mode="append")
    source = add_source(context, "shop", str(lake))
    crawl_source(context, source.id)
    return source.id or 0, place


def _told(context: Context) -> list[Incident]:
    with context.reading() as session:
        return list(session.exec(select(Incident).order_by(Incident.id)))


def test_elements_get_tags_and_rules_and_their_faults_are_told(context: Context, tmp_path: Path) -> None:
    source, place = _begun(context, tmp_path / "lake")
    with context.reading() as session:
        table = session.exec(select(Table)).one()
        columns = {one.name: one for one in tables.list_columns(session, table.id or 0)}
        tags = {name: [t.domain for t in session.exec(select(Tag).where(Tag.column_id == one.id))]
                for name, one in columns.items()}  # fmt: skip
        rules = {(one.column_name, one.kind): one.sentence for one in session.exec(select(RuleRow))}
        with pytest.raises(UsageError, match="inside a list"):
            fit_table(session, table, Check("t").is_complete("items[].price").constraints[0])
    assert list(columns) == [
        *("order_id", "items", "items[].sku", "items[].price", "items[].weight", "items[].mail", "labels", "labels[]"),
    ]
    assert "email" in tags["items[].mail"]
    assert columns["items[].mail"].sensitive
    assert not columns["items[].price"].sensitive
    assert ("items[].price", "history") in rules
    assert any(column == "items[].sku" and kind != "history" for column, kind in rules)
    assert not any(kind in ("key", "new_key", "reference") and "[]" in column for column, kind in rules)
    assert not any("of the rows" in said for (column, _), said in rules.items() if "[]" in column)

    write_deltalake(str(place), orders(14), mode="append")
    crawl_source(context, source)
    assert _told(context) == []  # a healthy version

    said, shown = {}, {}
    for day, fault in enumerate(("nulls", "grams", "skus"), 15):
        seen = len(_told(context))
        write_deltalake(str(place), orders(day, fault), mode="append")
        crawl_source(context, source)
        said[fault] = [(one.column_name, one.cause, one.sentence) for one in _told(context)[seen:]]
        with context.reading() as session:
            outcomes = session.exec(select(Outcome).where(Outcome.version == day, Outcome.status == "violated")).all()
            shown[fault] = [row for one in outcomes for row in one.rows or []]
    for fault, column, cause in (
        ("nulls", "items[].price", "nulls"), ("grams", "items[].weight", "scale"), ("skus", "items[].sku", None)
    ):  # fmt: skip
        assert any(name == column and (cause is None or why == cause) for name, why, _ in said[fault]), said
        assert shown[fault], fault
        assert not any("of the rows" in (words or "") for _, _, words in said[fault])
    assert any("items[].price" in (words or "") and "values" in (words or "") for _, _, words in said["nulls"])
    assert all(any(one["price"] is None for one in row["items"]) for row in shown["nulls"])
    assert any(any((one["sku"] or "").endswith("/SKU") for one in row["items"] or []) for row in shown["skus"])
    assert "secretmail" not in str(shown)  # other fields of the same element are shown
    assert "aaa.aaaaaa" in str(shown)


def test_elements_that_an_upgrade_brings_are_no_change_of_the_schema(context: Context, tmp_path: Path) -> None:
    source, place = _begun(context, tmp_path / "lake")
    with context.transaction() as session:  # what an earlier release would have left
        for row in session.exec(select(FileState)):
            state = decode(row.state)
            row.state = encode(TableState(state.rows, state.complete_rows, state.of_rows, state.row_distinct))
        for column in session.exec(select(LakeColumn)):
            if "[]" in column.name:
                for tag in session.exec(select(Tag).where(Tag.column_id == column.id)):
                    session.delete(tag)
                session.flush()
                session.delete(column)
        for rule in session.exec(select(RuleRow)):
            if "[]" in rule.column_name:
                rule.status = "superseded"
            elif rule.kind == "schema":
                old = [one for one in rule.body["params"]["columns"] if "[]" not in one[0]]
                rule.body = {**rule.body, "params": {**rule.body["params"], "columns": old}}
    write_deltalake(str(place), orders(14), mode="append")
    crawl_source(context, source)
    assert _told(context) == []
    with context.reading() as session:
        table = session.exec(select(Table)).one()
        assert "items[].price" in {one.name for one in tables.list_columns(session, table.id or 0)}
        passed = session.exec(select(Outcome.sentence).where(Outcome.version == 14)).all()
    assert not any("New:" in said for said in passed)
