"""Changes of rows that were appended, where they should have been merged: told from a table's second version on."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from sqlmodel import select

from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source
from catalog.flow.reading.sources import add_source
from catalog.store.lake import tables
from catalog.store.models import Incident
from catalog.store.pages.rules import find_outcomes, find_rules

pytestmark = pytest.mark.spark

ROWS = 300


def orders(day: int, state: str = "new") -> pa.Table:
    ids = range(day * ROWS, (day + 1) * ROWS)
    return pa.table(
        {
            "order_id": list(ids),
            "customer_id": [number % 70 for number in ids],
            "state": [state] * ROWS,
            "placed": [f"2026-01-{day + 1:02d}T{number % 24:02d}:00:00Z" for number in ids],
        }
    )


def test_an_order_that_comes_again_changed_is_told_with_its_rows(context: Context, tmp_path: Path) -> None:
    root = tmp_path / "lake"
    write_deltalake(str(root / "orders"), orders(0), mode="append")
    source = add_source(context, "lake", str(root)).id or 0
    crawl_source(context, source)
    with context.reading() as session:
        table_id = tables.get_table(session, "lake/orders").id or 0
        keys = [one.RuleRow.column_name for one in find_rules(session, table_id=table_id, kind="key", limit=9).items]
    assert keys == ["order_id"]  # of a customer there are several orders
    write_deltalake(str(root / "orders"), orders(1), mode="append")
    changed = pa.concat_tables([orders(2), orders(2, "paid").slice(0, 30)])
    write_deltalake(str(root / "orders"), changed, mode="append")
    crawl_source(context, source)
    with context.reading() as session:
        (incident,) = session.exec(select(Incident)).all()
        said = find_outcomes(session, table_id=table_id, limit=100).items
    assert incident.first_version == 2
    assert incident.sentence == (
        "30 rows (9.1%) hold a value of `orders.order_id` that another row holds, too, where every row had its own. "
        "Probably changes that were appended and not merged."
    )
    statuses = {outcome.version: outcome for outcome, rule in said if rule.kind == "key"}
    assert {version: one.status for version, one in statuses.items()} == {1: "passed", 2: "violated"}
    rows = statuses[2].rows or []
    assert [row["order_id"] for row in rows[:4]] == [600, 600, 601, 601]
    assert {row["state"] for row in rows[:2]} == {"new", "paid"}
