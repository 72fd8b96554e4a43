"""Rows that name what another table does not have: learned, told once it is sure, taken back when the others come."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from sqlmodel import select

from catalog.demo.lake import date_commit
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source
from catalog.flow.reading.sources import add_source
from catalog.flow.references import learning
from catalog.flow.references.judging import Lacking, join
from catalog.store.lake import tables
from catalog.store.models import Incident, KeySample, now
from catalog.store.pages.rules import find_outcomes, find_rules

pytestmark = pytest.mark.spark

CUSTOMERS = 200
LOST = 12_345


def write(path: Path, table: pa.Table, version: int, days_ago: float, mode: str = "append") -> None:
    write_deltalake(str(path), table, mode=mode)
    date_commit(path, version, now() - timedelta(days=days_ago))


def customers(ids: Iterable[int]) -> pa.Table:
    some = list(ids)
    return pa.table({"customer_id": some, "name": [f"customer {number}" for number in some]})


def orders(first: int, new: Iterable[int] = ()) -> pa.Table:
    """300 orders of known customers, and one of each new customer."""
    named = [number % CUSTOMERS for number in range(300)] + list(new)
    return pa.table({"order_id": range(first, first + len(named)), "customer_id": named})


def said(context: Context, source: int) -> dict[int, str]:
    with context.reading() as session:
        table_id = tables.get_table(session, "lake/orders").id or 0
        found = find_outcomes(session, table_id=table_id, limit=100).items
    return {outcome.version: outcome.status for outcome, rule in found if rule.kind == "reference"}


def leaders(context: Context) -> list[Incident]:
    with context.reading() as session:
        return [one for one in session.exec(select(Incident)).all() if one.lead_id is None]


def test_orders_of_customers_that_come_late_or_never_or_went(context: Context, tmp_path: Path) -> None:
    root = tmp_path / "lake"
    write(root / "customers", customers(range(CUSTOMERS)), 0, 4)
    write(root / "orders", orders(0), 0, 4)
    write(root / "customers", customers(range(CUSTOMERS, CUSTOMERS + 20)), 1, 3)
    write(root / "orders", orders(1000, range(CUSTOMERS, CUSTOMERS + 20)), 1, 3)
    source = add_source(context, "lake", str(root)).id or 0
    crawl_source(context, source)
    with context.reading() as session:
        table_id = tables.get_table(session, "lake/orders").id or 0
        rules = [one.RuleRow for one in find_rules(session, table_id=table_id, kind="reference", limit=9).items]
    assert [(rule.column_name, rule.body["other"]) for rule in rules] == [("customer_id", "lake/customers")]

    # an hour ago orders came of customers that are not there yet: they usually take a day
    late = range(300, 320)
    write(root / "orders", orders(2000, late), 2, 1 / 24)
    crawl_source(context, source)
    assert said(context, source) == {2: "not_applicable"}
    write(root / "customers", customers(late), 2, 0.5 / 24)
    crawl_source(context, source)
    assert said(context, source) == {2: "passed"}
    assert leaders(context) == []

    # customers came since, and not these
    write(root / "orders", orders(3000, range(901, 915)), 3, 0.4 / 24)
    write(root / "customers", customers(range(400, 420)), 3, 0.3 / 24)
    crawl_source(context, source)
    assert said(context, source)[3] == "violated"
    (incident,) = leaders(context)
    assert (incident.cause, incident.first_version) == ("orphans", 3)
    assert incident.sentence == (
        "14 rows (4.5%) of `orders` name a `customer_id` that `customers` does not have: 901, 902, 903 and 11 more."
    )
    with context.reading() as session:
        found = find_outcomes(session, table_id=table_id, limit=100).items
        (broken,) = (outcome for outcome, _ in found if outcome.status == "violated")
    assert {row["customer_id"] for row in broken.rows or []} <= set(range(901, 915))
    assert broken.rows

    # they come after all
    write(root / "customers", customers(range(901, 915)), 4, 0.2 / 24)
    crawl_source(context, source)
    assert said(context, source)[3] == "passed"


def test_customers_that_were_lost_are_named_and_those_that_stay_away_are_told(context: Context, tmp_path: Path) -> None:
    root = tmp_path / "lake"
    for version, days in enumerate((6, 5)):
        write(root / "customers", customers(range(CUSTOMERS)), version, days, mode="overwrite" if version else "append")
        write(root / "orders", orders(1000 * version), version, days)
    source = add_source(context, "lake", str(root)).id or 0
    crawl_source(context, source)
    write(root / "customers", customers(range(CUSTOMERS - 50)), 2, 4, mode="overwrite")
    write(root / "orders", orders(2000), 2, 3.9)
    crawl_source(context, source)
    (incident,) = (one for one in leaders(context) if one.cause == "orphans")
    assert incident.sentence == (
        "50 rows (17%) of `orders` name a `customer_id` that `customers` does not have: 150, 151, 152 and 47 more. "
        "`customers` lost 50 rows in its version 2."
    )
    write(root / "customers", customers(range(CUSTOMERS)), 3, 3.5, mode="overwrite")
    crawl_source(context, source)
    assert said(context, source) == {2: "passed"}
    write(root / "orders", orders(3000, range(901, 915)), 3, 3)  # two days and more: they never took as long
    crawl_source(context, source)
    assert said(context, source)[3] == "violated"


def test_what_names_no_rows_is_asked_ever_less_often(
    context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A single order of 20,000 names no customer: no sample shows it, so that only both columns themselves tell."""
    root = tmp_path / "lake"
    many = range(20_000)
    sold = pa.table({"order_id": list(many), "customer_id": list(many)})
    write(root / "customers", customers(number for number in many if number != LOST), 0, 9)
    write(root / "orders", sold, 0, 9)
    asked: list[str] = []

    def counting(*args: Any) -> Lacking:
        asked.append(args[3].column)
        return join(*args)

    monkeypatch.setattr(learning, "join", counting)
    source = add_source(context, "lake", str(root)).id or 0
    times = []
    for version in range(1, 9):
        crawl_source(context, source)
        times.append(len(asked))
        sold = pa.table({"order_id": range(version * 20_000, (version + 1) * 20_000), "customer_id": list(many)})
        write(root / "orders", sold, version, 9 - version)
    assert times == [1, 1, 2, 2, 2, 2, 3, 3]  # after 2 versions more, after 4, after 8
    with context.reading() as session:
        refused = [one.refused for one in session.exec(select(KeySample)) if one.refused]
    assert refused == [{"lake/customers": [3, 6, 0]}]
