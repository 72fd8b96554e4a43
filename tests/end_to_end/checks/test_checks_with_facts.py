"""Checks that ask for more than a table's own rows, on a real lake: another table, the past, the schema, the time."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from sqlmodel import delete, select

from catalog.declared.check import Check
from catalog.declared.files import read_checks
from catalog.errors import NotFound, UsageError
from catalog.flow.checking.replaying import replay_version
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source
from catalog.flow.declared.counting import apply_checks, table_of
from catalog.flow.declared.present import judge_present
from catalog.flow.declared.preview import preview
from catalog.flow.reading.sources import add_source
from catalog.store.expectations.declared import checks_of
from catalog.store.models import Incident, Outcome, PartState, Version
from catalog.store.pages.rules import find_outcomes

pytestmark = pytest.mark.spark


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    write_deltalake(tmp_path / "lake" / "customers", pa.table({"id": [1, 2, 3]}))
    for version in range(6):
        write_orders(tmp_path / "lake", version, [1, 2, 3, 1])
    return tmp_path / "lake"


def write_orders(lake: Path, number: int, customers: list[int | None], amount: float = 10.0) -> None:
    moment = datetime.now(UTC) - timedelta(hours=2)
    rows = len(customers)
    columns = {
        "id": list(range(number * 10, number * 10 + rows)),
        "customer": pa.array(customers, pa.int32()),
        "amount": [amount + number % 3 + n for n in range(rows)],
        "at": pa.array([moment] * rows, pa.timestamp("us", "UTC")),
    }
    write_deltalake(lake / "orders", pa.table(columns), mode="append")


def kept(context: Context, version: int) -> dict[str, Outcome]:
    with context.reading() as session:
        found = find_outcomes(session, table_id=table_of(context, "shop/orders").id, version=version, limit=1000).items
    return {rule.learner.removeprefix("declared:"): one for one, rule in found if rule.kind == "declared"}


def statuses(context: Context, version: int) -> dict[str, str]:
    return {name: one.status for name, one in kept(context, version).items()}


def test_a_check_across_tables_follows_both(context: Context, lake: Path) -> None:
    source = add_source(context, "shop", str(lake))
    crawl_source(context, source.id)
    file = """
tables:
  shop/orders:
    - references: customer
      other: customers
      other_columns: [id]
    - has_same_size:
      other: shop/customers
      at_least: 1
      at_most: 100
      name: sizes
    - has_same_schema:
      other: shop/customers
      level: warning
    - references: customer
      other: shop/customers
      other_columns: [id]
      version: 0
      name: as_at_first
"""
    apply_checks(context, read_checks(file))
    table = table_of(context, "shop/orders")
    judge_present(context, table.id)
    expected = {
        "references_customer": "passed",
        "sizes": "passed",
        "has_same_schema": "violated",
        "as_at_first": "passed",
    }
    assert statuses(context, 5) == expected
    first = kept(context, 5)
    assert first["references_customer"].replay["others"] == {"shop/customers": 0}
    assert "customer is int here, missing there" in first["has_same_schema"].sentence
    with context.reading() as session:  # of which only a warning broke
        query = select(Version.label).where(Version.table_id == table.id, Version.number == 5)
        assert session.exec(query).one() is None

    write_deltalake(lake / "customers", pa.table({"id": [1, 2]}), mode="overwrite")  # customer 3 is gone
    crawl_source(context, source.id)
    again = kept(context, 5)
    assert statuses(context, 5) == expected | {"references_customer": "violated"}
    said = again["references_customer"]
    assert (said.value, said.replay["others"]) == (0.75, {"shop/customers": 1})
    assert said.sentence.startswith("6 of 24 rows have a value in customer that the other table lacks.")
    assert [one["others"] for one in said.replay["earlier"]] == [{"shop/customers": 0}]
    assert again["as_at_first"].replay["others"] == {"shop/customers": 0}
    with context.reading() as session:
        incident = session.exec(
            select(Incident).where(Incident.kind == "declared", Incident.column_name == "customer")
        ).one()
        version = session.exec(select(Version).where(Version.table_id == table.id, Version.number == 5)).one()
        pairs = [
            pair
            for pair in find_outcomes(session, table_id=table.id, version=5, limit=1000).items
            if pair[1].kind == "declared"
        ]
    assert (incident.status, incident.passed_version) == ("new", None)
    assert version.violated >= 2
    assert replay_version(context, table, 5, pairs).same, "with the other table's version that was kept"

    write_deltalake(lake / "customers", pa.table({"id": [3]}), mode="append")
    crawl_source(context, source.id)
    assert statuses(context, 5) == expected
    with context.reading() as session:
        assert session.get_one(Incident, incident.id).passed_version == 5
    write_orders(lake, 6, [9, None])
    crawl_source(context, source.id)
    assert kept(context, 6)["references_customer"].sentence.startswith("1 of 25 rows")
    with context.reading() as session:  # what is missing there is no change of the values here
        alone = session.get_one(Incident, incident.id)
        assert (alone.cause, alone.lead_id, "that the other table lacks" in alone.sentence) == ("", None, True)


def test_a_verdict_on_two_tables_tells_what_of_the_other_one_is_gone(context: Context, lake: Path) -> None:
    source = add_source(context, "shop", str(lake))
    crawl_source(context, source.id)
    check = Check("shop/orders").references("customer", other="customers", other_columns=["id"])
    apply_checks(context, [check])
    table = table_of(context, "shop/orders")
    judge_present(context, table.id)

    def replayed(version: int = 5) -> Any:
        with context.reading() as session:
            found = find_outcomes(session, table_id=table.id, version=version, limit=1000).items
        (again,) = replay_version(context, table, version, [one for one in found if one[1].kind == "declared"]).again
        return again

    assert replayed().how == "same"
    away = lake.parent / "away"
    os.rename(lake / "customers", away)
    assert replayed().how == "cannot be said again"
    assert replayed().why.startswith("shop/customers, version 0, that it was compared with cannot be read any more: ")
    crawl_source(context, source.id)
    write_orders(lake, 6, [1, 2])
    crawl_source(context, source.id)
    assert statuses(context, 6) == {"references_customer": "violated"}
    assert "It cannot be judged: " in kept(context, 6)["references_customer"].sentence
    assert "customers" in kept(context, 6)["references_customer"].sentence
    assert replayed(6).how == "same", "it could not be read then either"
    os.rename(away, lake / "customers")
    crawl_source(context, source.id)
    assert replayed().how == "same"
    assert statuses(context, 6) == {"references_customer": "passed"}, "judged again when the other one came back"
    with context.transaction() as session:
        session.exec(delete(PartState).where(PartState.table_id == table_of(context, "shop/customers").id))
    for file in (lake / "customers").glob("*.parquet"):
        file.unlink()
    assert replayed().how == "cannot be said again"
    assert ".parquet" in replayed().why
    apply_checks(context, [check.references("customer", other="customers", other_columns=["id"], name="again")])
    os.rename(lake / "customers", lake / "moved")
    crawl_source(context, source.id)
    with context.reading() as session:
        assert {rule.constraint.other for _, rule in checks_of(session, table.id or 0)} == {"shop/moved"}


def test_mistakes_about_another_table_are_told_with_their_line(context: Context, lake: Path) -> None:
    source = add_source(context, "shop", str(lake))
    crawl_source(context, source.id)
    head = "tables:\n  shop/orders:\n    - is_unique: id\n    - references: customer\n      other: "
    with pytest.raises(NotFound, match=r"line 4: .*nope"):
        apply_checks(context, read_checks(head + "shop/nope\n"))
    with pytest.raises(UsageError, match="line 4: customers has no column 'customer'"):
        apply_checks(context, read_checks(head + "shop/customers\n"))
    apply_checks(context, read_checks(head + "shop/customers\n      other_columns: [id]\n      version: 77\n"))
    table = table_of(context, "shop/orders")
    judge_present(context, table.id)
    assert statuses(context, 5) == {"is_unique_id": "passed", "references_customer": "violated"}
    assert "no version 77" in kept(context, 5)["references_customer"].sentence


def test_a_figure_is_compared_with_its_own_past(context: Context, lake: Path) -> None:
    source = add_source(context, "shop", str(lake))
    crawl_source(context, source.id)
    told: dict[str, Any] = {"metric": "Mean", "strategy": "OnlineNormal", "scope": "batch"}
    check = Check("shop/orders").has_no_anomaly("amount", **told).is_fresh("at", at_most=24, scope="batch")
    check = check.has_column("amount", type="double").has_column_count(at_most=4)
    found = preview(context, table_of(context, "shop/orders"), check)
    assert [verdict.status for _, verdict in found["has_no_anomaly_amount"]][:2] == ["not_applicable"] * 2
    apply_checks(context, [check])
    judge_present(context, table_of(context, "shop/orders").id)
    assert set(statuses(context, 5).values()) == {"passed"}
    past = kept(context, 5)["has_no_anomaly_amount"].replay["past"]
    assert [number for number, _ in past] == [0, 1, 2, 3, 4], "read from the versions that the log still tells of"
    write_orders(lake, 6, [1, 2], amount=10_000.0)
    crawl_source(context, source.id)
    wrong = kept(context, 6)["has_no_anomaly_amount"]
    assert (wrong.status, wrong.low is not None) == ("violated", True)
    assert [number for number, _ in wrong.replay["past"]] == [0, 1, 2, 3, 4, 5]
    write_orders(lake, 7, [1, 2, 3, 1])
    crawl_source(context, source.id)
    after = kept(context, 7)["has_no_anomaly_amount"]
    assert after.status == "passed"
    assert 6 not in [number for number, _ in after.replay["past"]], "what was wrong is no part of the past"


def test_a_table_that_is_not_updated_is_told_while_time_goes_by(context: Context, lake: Path) -> None:
    log = DeltaTable(str(lake / "orders")).history()
    assert log
    source = add_source(context, "shop", str(lake))
    crawl_source(context, source.id)
    apply_checks(context, [Check("shop/orders").is_updated(at_most=1e-7)])
    crawl_source(context, source.id)
    with context.reading() as session:
        found = find_outcomes(session, table_id=table_of(context, "shop/orders").id, version=5, limit=1000).items
    waits = [one for one, rule in found if rule.kind == "declared_wait"]
    assert [one.status for one in waits] == ["violated"]
    assert waits[0].sentence.startswith("The version after 5 has not come for ")


def test_tables_with_too_many_values_are_compared_by_a_join(
    context: Context, lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("catalog.store.lake.parts.LARGEST", 10)  # bytes: no part of values is kept
    write_deltalake(lake / "nets", pa.table({"net.id": [1, 2, 9], "net.paid": [1, 1, 1]}))
    write_deltalake(lake / "keys", pa.table({"key.id": [1, 2]}))
    source = add_source(context, "shop", str(lake))
    crawl_source(context, source.id)
    told: dict[str, Any] = {"other": "shop/customers", "other_columns": ["id"]}
    check = Check("shop/orders").references("customer", **told).matches_table("customer", **told)
    check = check.references("customer", **told, where="id < 4 AND customer > 2", scope="batch", name="none_asked")
    apply_checks(context, [check.is_unique("id")])
    judge_present(context, table_of(context, "shop/orders").id)
    said = kept(context, 5)
    assert "too many distinct values" in said["is_unique_id"].sentence
    assert (said["references_customer"].status, said["references_customer"].value) == ("passed", 1.0)
    assert (said["matches_table_customer"].status, said["matches_table_customer"].value) == ("violated", 0.125)
    assert said["matches_table_customer"].sentence.startswith("21 of 24 rows are not in the other table, 0 of its 3")
    assert said["none_asked"].status == "not_applicable"
    dotted = Check("shop/nets").references(
        "net.id", other="shop/keys", other_columns=["key.id"], where="`net.paid` > 0", name="dotted"
    )
    apply_checks(context, [dotted])
    (one,) = judge_present(context, table_of(context, "shop/nets").id).said
    assert (one.verdict.status, one.verdict.sentence[:12]) == ("violated", "1 of 3 rows "), "dots lead into no struct"
