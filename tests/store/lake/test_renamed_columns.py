"""What is known of a column goes on under its new name: rules, decisions, incidents, the metrics of its past."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from singly import put_tags, upsert_table
from sqlmodel import Session, select

from catalog.declared.constraint import Constraint
from catalog.history.earlier import Again
from catalog.history.series import TableMetrics
from catalog.learners.keys import TOGETHER, learn_together
from catalog.rules.rule import Rule
from catalog.rules.verdict import VIOLATED, Verdict
from catalog.store.expectations import clauses, rules
from catalog.store.expectations.declared import checks_of, put_check
from catalog.store.incidents import outcomes
from catalog.store.lake import keys, sources, tables, versions
from catalog.store.lake.renames import rename_columns
from catalog.store.meaning import privacy
from catalog.store.models import AuditEvent, ClauseDecision, Incident, RuleEvent, RuleRow, Table, Version
from catalog.store.pages.columns import find_tags
from catalog.tags.proposal import TagProposal

CLAUSES = [{"metric": name, "lag": 0, "log": False, "low": 1.0, "high": 2.0} for name in ("mean", "min")]
AMOUNT = Rule("history", "amount", {"clauses": CLAUSES, "batches": 9}, 0.001, "Column 'amount': x.", "avh")


@pytest.fixture
def table(db: Session) -> Table:
    """`amount` and `price` have rules, a tag and an open incident each; of `amount` a person decided about a clause."""
    table = upsert_table(db, sources.add_source(db, "lake", "/lake").id, "orders", "/lake/orders")
    columns = tables.set_columns(db, table.id, [["amount", "double"], ["price", "double"], ["id", "bigint"]])
    for column in columns[:2]:
        put_tags(db, column.id, [TagProposal(f"of_{column.name}", "t", 0.9, 1.0, True, {})], 1)
    rules.put_rules(db, table.id, [AMOUNT, replace(AMOUNT, column="price")], learners=["avh"], since_version=-1)
    start = datetime(2026, 1, 1, tzinfo=UTC)
    versions.record_versions(
        db, table.id, [{"number": n, "committed_at": start + timedelta(n), "batch": "increment"} for n in range(3)]
    )
    past = TableMetrics(7, {"amount": {"mean": 1.5}, "price": {"mean": 9.0}, "id": {"mean": 4.0}})
    for number in range(3):
        versions.set_version(db, table.id, number, metrics=past.encode() if number else b"of another release")
    found = {row.column_name: row for row in rules.active_rules(db, table.id)}
    told = [outcomes.outcome_row(table.id, 2, row.id, Verdict(VIOLATED, "Out.")) for row in found.values()]
    for one in outcomes.record_outcomes(db, told):
        incident, _ = outcomes.open_or_update_incident(db, one)
        incident.columns = ["amount", "id"]
    clauses.decide_clause(db, found["amount"].id, "min", "rejected", actor="ann")
    db.flush()
    db.expire_all()
    return table


def in_force(db: Session, table: Table) -> dict[str, RuleRow]:
    return {row.column_name: row for row in rules.active_rules(db, table.id)}


def pasts(db: Session, table: Table) -> list[dict[str, float]]:
    known = db.exec(select(Version.metrics).where(Version.table_id == table.id, Version.number > 0)).all()
    return [{name: of["mean"] for name, of in TableMetrics.decode(data or b"").columns.items()} for data in known]


def test_all_follows_a_new_name(db: Session, table: Table) -> None:
    before = in_force(db, table)["amount"]
    key, fingerprint = before.id, before.fingerprint
    rename_columns(db, table.id, {"amount": "total"}, version=3)
    db.expire_all()
    row = in_force(db, table)["total"]
    assert (row.id, set(in_force(db, table))) == (key, {"total", "price"})
    rule = rules.as_rule(row)
    assert (rule.column, rule.sentence, row.fingerprint) == (
        "total",
        "Column 'total': the average is 1 to 2.",
        rule.fingerprint,
    )
    assert row.fingerprint != fingerprint
    assert {one.column_name for one in db.exec(select(ClauseDecision))} == {"total"}
    assert {one.column_name for one in db.exec(select(RuleEvent))} == {"total"}
    assert {(one.column_name, tuple(one.columns)) for one in db.exec(select(Incident))} == {
        ("total", ("total", "id")),
        ("price", ("total", "id")),
    }
    assert pasts(db, table) == [{"total": 1.5, "price": 9.0, "id": 4.0}] * 2
    assert {(one.LakeColumn.name, one.Tag.domain) for one in find_tags(db, limit=1000).items} == {
        ("price", "of_price"),
        ("total", "of_amount"),
    }
    # what is learned next goes on with what was decided: the clause that a person rejected stays away
    rules.put_rules(db, table.id, [replace(AMOUNT, column="total")], learners=["avh"], since_version=3)
    learned = rules.as_rule(in_force(db, table)["total"])
    assert [one["metric"] for one in learned.params["clauses"]] == ["mean"]


def test_a_name_that_another_column_had(db: Session, table: Table) -> None:
    """`price` was dropped, `amount` is called so now: nothing of the old `price` judges it."""
    key = in_force(db, table)["amount"].id
    rename_columns(db, table.id, {"amount": "price"}, version=3)
    db.expire_all()
    assert {name: row.id for name, row in in_force(db, table).items()} == {"price": key}
    assert pasts(db, table) == [{"price": 1.5, "id": 4.0}] * 2
    assert [one.Tag.domain for one in find_tags(db, limit=1000).items] == ["of_amount"]
    assert {one.column_name for one in db.exec(select(Incident))} == {"price", "price (dropped before version 3)"}


def test_names_that_are_swapped(db: Session, table: Table) -> None:
    ids = {name: row.id for name, row in in_force(db, table).items()}
    rename_columns(db, table.id, {"amount": "price", "price": "amount"}, version=3)
    db.expire_all()
    assert {name: row.id for name, row in in_force(db, table).items()} == {
        "price": ids["amount"],
        "amount": ids["price"],
    }
    assert pasts(db, table) == [{"price": 1.5, "amount": 9.0, "id": 4.0}] * 2


def test_keys_of_several_columns_follow(db: Session, table: Table) -> None:
    found = learn_together(("id", "price"), 2, [Again(0, 90)])
    rules.put_rules(db, table.id, found, learners=TOGETHER, since_version=1)
    place = {"table_id": table.id, "column_name": "id + price", "number": 1, "files": [], "sample": b""}
    keys.put_key_loads(db, [place])
    rename_columns(db, table.id, {"price": "line"}, version=3)
    db.expire_all()
    rows = [row for row in rules.active_rules(db, table.id) if row.learner == TOGETHER]
    assert [row.body["params"]["columns"] for row in rows] == [["id", "line"]] * 2
    assert rows[0].sentence.startswith("Each id and line together once")
    assert [one.column_name for one in keys.key_loads(db, table.id)] == ["id + line"]
    rename_columns(db, table.id, {}, {"line"}, version=4)
    assert TOGETHER not in {row.learner for row in rules.active_rules(db, table.id)}


def test_a_column_dropped_and_added_anew_starts_from_nothing(db: Session, table: Table) -> None:
    rename_columns(db, table.id, {}, {"price"}, version=3)
    db.expire_all()
    assert set(in_force(db, table)) == {"amount"}
    assert pasts(db, table) == [{"amount": 1.5, "id": 4.0}] * 2
    rules.put_rules(db, table.id, [AMOUNT, replace(AMOUNT, column="price")], learners=["avh"], since_version=3)
    assert set(in_force(db, table)) == {"amount", "price"}


def test_declared_checks_and_their_conditions_follow(db: Session, table: Table) -> None:
    """Columns, conditions on rows and on what is asked, and what another table's check says of these columns."""
    other = upsert_table(db, table.source_id, "refunds", "/lake/refunds")
    tables.set_columns(db, other.id, [["order", "bigint"]])
    mine = [
        Constraint("is_complete", ("amount",), where="price > 1", name="filled"),
        Constraint("satisfies", (), {"condition": "Amount >= price AND id IS NOT NULL"}, name="covers"),
        Constraint("is_unique", ("amount", "id"), name="once"),
        Constraint("has_column", ("amount",), name="there"),
        Constraint("references", ("id",), {"other": "lake/refunds", "other_columns": ["order"]}, name="known"),
    ]
    for one in mine:
        put_check(db, table.id, one, actor="ann")
    theirs = Constraint("references", ("order",), {"other": "lake/orders", "other_columns": ["id"]}, name="ordered")
    put_check(db, other.id, theirs, actor="ann")
    keys = {row.learner: row.id for row, _ in checks_of(db, table.id)}
    rename_columns(db, table.id, {"amount": "sum paid", "id": "order"}, version=3)
    db.expire_all()
    found = {rule.constraint.name: rule.constraint for _, rule in checks_of(db, table.id)}
    assert (found["filled"].columns, found["filled"].where) == (("sum paid",), "price > 1")
    assert found["covers"].arguments["condition"] == "`sum paid` >= price AND `order` IS NOT NULL"
    assert found["once"].columns == ("sum paid", "order")
    assert found["there"].columns == ("amount",)  # a demand on the name itself
    assert (found["known"].columns, found["known"].arguments["other_columns"]) == (("order",), ["order"])
    ((_, other_rule),) = checks_of(db, other.id)
    assert other_rule.constraint.arguments["other_columns"] == ["order"]
    rows = {row.learner: row for row, _ in checks_of(db, table.id)}
    assert {name: row.id for name, row in rows.items()} == keys
    assert rows["declared:filled"].column_name == "sum paid"
    for row, rule in checks_of(db, table.id):
        assert (row.fingerprint, row.sentence) == (rule.fingerprint, rule.constraint.sentence)
    told = db.exec(select(AuditEvent).where(AuditEvent.action == "rename").order_by(AuditEvent.id)).all()
    assert len(told) == 5
    assert (told[1].actor, told[1].before["check"], told[1].after["check"]) == (
        "assay",
        "every row meets Amount >= price AND id IS NOT NULL",
        "every row meets `sum paid` >= price AND `order` IS NOT NULL",
    )


def test_what_names_a_table_follows_its_source(db: Session, table: Table) -> None:
    other = upsert_table(db, table.source_id, "refunds", "/lake/refunds")
    asked = Constraint("references", ("order",), {"other": "lake/orders", "other_columns": ["id"]}, name="ordered")
    put_check(db, other.id, asked, actor="ann")
    source = sources.get_source(db, table.source_id)
    sources.edit_source(db, source.id, "shop", source.uri)
    [(row, rule)] = checks_of(db, other.id)
    assert (rule.constraint.other, row.fingerprint) == ("shop/orders", rule.fingerprint)
    told = db.exec(select(AuditEvent).where(AuditEvent.action == "rename")).one()
    assert told.reason == "the other table is called shop/orders now"


def test_what_is_masked_for_what_came_into_it_stays_so_under_its_new_name(db: Session, table: Table) -> None:
    tables.update_table(db, table.id, mode="increment")
    privacy.note_arrived(db, table.id, 2, {"amount": "personal", "price": "secret"})
    rename_columns(db, table.id, {"amount": "price"}, version=3)
    assert privacy.arrived(db, table.id) == {"price": "personal"}
