"""Changes of rows that were appended, where they should have been merged: told from a table's second version on."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from sqlmodel import select

from catalog.flow.checking.replaying import replay_version
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


def load(number: int) -> pa.Table:
    return pa.concat_tables([orders(2 * number), orders(2 * number + 1)])


def judged(context: Context, table_id: int) -> dict[int, str]:
    """What the rule on keys of earlier loads said of each version."""
    with context.reading() as session:
        said = find_outcomes(session, table_id=table_id, limit=100).items
    return {outcome.version: outcome.status for outcome, rule in said if rule.kind == "new_key"}


def test_a_load_that_comes_again_is_told_with_the_load_that_it_was(context: Context, tmp_path: Path) -> None:
    """Of a load whose rows were deleted nothing is said: it is loaded again because of that."""
    root = tmp_path / "lake"
    uri = str(root / "orders")
    for number in range(3):
        write_deltalake(uri, load(number), mode="append")
    source = add_source(context, "lake", str(root)).id or 0
    crawl_source(context, source)
    with context.reading() as session:
        table_id = tables.get_table(session, "lake/orders").id or 0
        (rule,) = (one.RuleRow for one in find_rules(session, table_id=table_id, kind="new_key", limit=9).items)
    assert rule.column_name == "order_id"
    for number in (3, 1):  # versions 3 and 4
        write_deltalake(uri, load(number), mode="append")
    crawl_source(context, source)
    DeltaTable(uri).delete(f"order_id >= {2 * ROWS} AND order_id < {4 * ROWS}")  # version 5: both loads of these rows
    write_deltalake(uri, load(1), mode="append")  # version 6
    crawl_source(context, source)
    assert judged(context, table_id) == {3: "passed", 4: "violated", 5: "not_applicable", 6: "passed"}
    with context.reading() as session:
        (incident,) = (one for one in session.exec(select(Incident)).all() if one.lead_id is None)
        said = find_outcomes(session, table_id=table_id, limit=100).items
        (broken,) = ((one, row) for one, row in said if (row.kind, one.status) == ("new_key", "violated"))
        table = tables.get_table(session, table_id)
    assert (incident.cause, incident.first_version) == ("loaded_again", 4)
    assert incident.sentence == (
        "About 600 rows (100%) of this load carry a value of `orders.order_id` that an earlier load has already, most "
        "of them version 1. The rows are the same: probably loaded twice."
    )
    ids = [row["order_id"] for row in broken[0].rows or []]
    assert ids[0] == ids[1] != ids[2] == ids[3]
    replayed = replay_version(context, table, 3, [one for one in said if one[0].version == 3])
    assert replayed.same, replayed.again
