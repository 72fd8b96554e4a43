"""Changes of rows that were appended, where they should have been merged: told from a table's second version on, by a
key of one column or of several."""

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
from catalog.learners.keys import TOGETHER
from catalog.store.lake import tables
from catalog.store.models import Incident, KeyLoad, PartState
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
        "30 rows (9.1%) repeat a value of `orders.order_id`, which was unique. "
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


def test_a_load_that_comes_again_is_told_where_no_column_is_called_a_key(context: Context, tmp_path: Path) -> None:
    root = tmp_path / "lake"
    uri = str(root / "reports")

    def reports(number: int) -> pa.Table:
        return load(number).drop_columns(["order_id"]).append_column("entry", load(number)["order_id"])

    for number in range(4):
        write_deltalake(uri, reports(number), mode="append")
    source = add_source(context, "lake", str(root)).id or 0
    crawl_source(context, source)
    with context.reading() as session:
        table_id = tables.get_table(session, "lake/reports").id or 0
    for number in (4, 1):  # versions 4 and 5
        write_deltalake(uri, reports(number), mode="append")
    crawl_source(context, source)
    with context.reading() as session:
        (incident,) = (one for one in session.exec(select(Incident)).all() if one.lead_id is None)
        said = find_outcomes(session, table_id=table_id, limit=100).items
        table = tables.get_table(session, table_id)
    statuses = {one.version: one for one, row in said if row.kind == "new_rows"}
    assert {number: one.status for number, one in statuses.items()} == {4: "passed", 5: "violated"}
    assert (incident.cause, incident.first_version) == ("loaded_again", 5)
    assert incident.sentence == (
        "About 600 rows (100%) of this load are rows that an earlier load has already, most of them version 1. The "
        "rows are the same: probably loaded twice."
    )
    entries = [row["entry"] for row in statuses[5].rows or []]
    assert entries[0] == entries[1] != entries[2] == entries[3]
    replayed = replay_version(context, table, 5, [one for one in said if one[0].version == 5])
    assert replayed.same, replayed.again


ORDERS, LINES = 100, 4


def lines(day: int, orders: int = ORDERS) -> pa.Table:
    """Lines of the orders of a day; an article is sold in several orders, once in each of these."""
    both = [(day * ORDERS + order, line) for order in range(orders) for line in range(LINES)]
    return pa.table(
        {
            "order_id": [order for order, _ in both],
            "line_no": [line for _, line in both],
            "article": [f"article {(order * 7 + line * line) % 23}" for order, line in both],
            "quantity": [float(order % 5 + line) for order, line in both],
        }
    )


def together(context: Context, table_id: int) -> dict[str, list[str]]:
    """The rules in force on several columns: kind and columns."""
    with context.reading() as session:
        found = find_rules(session, table_id=table_id, status="active", limit=50).items
        rows = [one.RuleRow for one in found if one.RuleRow.learner == TOGETHER]
        return {row.kind: row.body["params"]["columns"] for row in rows}


def test_lines_that_come_twice_in_a_load_or_in_two_are_told(context: Context, tmp_path: Path) -> None:
    root = tmp_path / "lake"
    uri = str(root / "order_lines")
    for day in range(3):
        write_deltalake(uri, lines(day), mode="append")
    source = add_source(context, "lake", str(root)).id or 0
    crawl_source(context, source)
    with context.reading() as session:
        table_id = tables.get_table(session, "lake/order_lines").id or 0
        kept = {(one.column_name, one.number) for one in session.exec(select(KeyLoad))}
        counted = {one.part for one in session.exec(select(PartState))}
    assert together(context, table_id) == {kind: ["order_id", "line_no"] for kind in ("key", "new_key")}
    assert kept >= {("order_id + line_no", number) for number in range(3)}
    assert len(counted) == 1  # of those that are no key nothing is kept

    write_deltalake(uri, pa.concat_tables([lines(3), lines(3, orders=10)]), mode="append")  # version 3
    write_deltalake(uri, lines(1), mode="append")  # version 4: as version 1
    write_deltalake(uri, lines(5), mode="append")
    crawl_source(context, source)
    with context.reading() as session:
        said = find_outcomes(session, table_id=table_id, limit=200).items
        incidents = {one.first_version: one for one in session.exec(select(Incident)) if one.lead_id is None}
        table = tables.get_table(session, table_id)
    keyed = {(rule.kind, one.version): one for one, rule in said if rule.learner == TOGETHER}
    assert {place: one.status for place, one in keyed.items()} == {
        ("key", 3): "violated", ("key", 4): "passed", ("key", 5): "passed",
        ("new_key", 3): "passed", ("new_key", 4): "violated", ("new_key", 5): "passed",
    }  # fmt: skip
    assert keyed["key", 3].sentence == (
        "Columns 'order_id' and 'line_no': 40 rows (9.09%) repeat a value of another, expected none."
    )
    rows = [(row["order_id"], row["line_no"]) for row in keyed["key", 3].rows or []]
    assert rows[:4] == [(300, 0), (300, 0), (300, 1), (300, 1)]
    again = [(row["order_id"], row["line_no"]) for row in keyed["new_key", 4].rows or []]
    assert again[0] == again[1] != again[2]
    assert {number: one.cause for number, one in incidents.items()} == {3: "duplicates", 4: "loaded_again"}
    assert set(incidents[4].columns) == {"order_id", "line_no"}
    for number in (3, 4):
        replayed = replay_version(context, table, number, [one for one in said if one[0].version == number])
        assert replayed.same, replayed.again


def test_what_is_one_in_some_versions_only_is_no_key(context: Context, tmp_path: Path) -> None:
    """Nor are columns beside one that identifies rows by itself."""
    root = tmp_path / "lake"
    whole = pa.concat_tables([lines(0), lines(1)])
    for version in (pa.concat_tables([whole, whole.slice(0, 50)]), whole):
        write_deltalake(str(root / "once_repeated"), version, mode="overwrite")
        numbered = whole.append_column("id", pa.array(range(len(whole))))
        write_deltalake(str(root / "numbered"), numbered, mode="overwrite")
        write_deltalake(str(root / "plain"), whole, mode="overwrite")
    crawl_source(context, add_source(context, "lake", str(root)).id or 0)
    with context.reading() as session:
        names = ("once_repeated", "numbered", "plain")
        ids = {name: tables.get_table(session, f"lake/{name}").id or 0 for name in names}
    found = {name: together(context, table_id) for name, table_id in ids.items()}
    assert found == {"once_repeated": {}, "numbered": {}, "plain": {"key": ["order_id", "line_no"]}}
