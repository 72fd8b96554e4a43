"""The ledger of false alarms: who is demoted, for what, and when they are believed again. On both databases."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from singly import get_version, upsert_table
from sqlalchemy import update
from sqlmodel import Session, col, select

from catalog.checks.budget import Account, settle
from catalog.errors import UsageError
from catalog.roles import everyone_here
from catalog.rules.rule import Rule
from catalog.rules.verdict import PASSED, VIOLATED, Verdict
from catalog.store.access import audit
from catalog.store.access.undo import undo
from catalog.store.expectations import budget, rules
from catalog.store.incidents import causes, outcomes
from catalog.store.lake import batches, sources, tables, versions
from catalog.store.models import Incident, Outcome, RuleEvent, RuleRow, Table, now
from catalog.store.pages import home
from catalog.store.pages.rules import find_rules

PRICE = Rule("history", "price", {"bound": 1}, 0.001, "Prices stay.", "avh")
SKU = Rule("pattern", "sku", {"bound": 1}, 0.001, "SKUs look alike.", "strings")
BUDGET = 1.0


@pytest.fixture
def table(db: Session) -> Table:
    table = upsert_table(db, sources.add_source(db, "lake", "/lake").id, "orders", "/lake/orders")
    rules.put_rules(db, table.id, [PRICE, SKU], learners=["avh", "strings"], since_version=-1)
    tables.set_columns(db, table.id, [["price", "double"], ["sku", "string"]])
    days = [{"number": n, "committed_at": now() - timedelta(days=30 - n), "batch": "snapshot"} for n in range(40)]
    versions.record_versions(db, table.id, days)
    return table


def rule(db: Session, table: Table, kind: str) -> RuleRow:
    return next(row for row in rules.active_rules(db, table.id) if row.kind == kind)


def judge(db: Session, table: Table, number: int, **said: str) -> list[Outcome]:
    """Every rule judges a version; those named break."""
    rows = [
        outcomes.outcome_row(table.id, number, row.id, Verdict(said.get(row.kind, PASSED), f"{row.kind} {number}"))
        for row in rules.active_rules(db, table.id)
    ]
    new = outcomes.record_outcomes(db, rows)
    outcomes.follow_up(db, new)
    versions.mark_judged(db, table.id, number)
    return new


def false_alarm(db: Session, table: Table, number: int, kind: str) -> None:
    judge(db, table, number, **{kind: VIOLATED})
    opened = db.exec(select(Incident).where(Incident.status != "resolved", Incident.kind == kind)).one()
    outcomes.resolve(db, opened.id, "FalsePositive", actor="ann")


def test_expected_is_set_against_what_people_said(db: Session, table: Table) -> None:
    for number in range(5):
        judge(db, table, number)
    false_alarm(db, table, 5, "history")
    judge(db, table, 6, pattern=VIOLATED)
    found = budget.ledger(db, table.id, BUDGET)
    assert (found.judged, found.false, found.unlabelled, found.confirmed, found.demoted) == (7, 1, 1, 0, 0)
    assert found.expected == pytest.approx(14 * 0.001)
    assert not found.over
    assert {one.kind: (one.false, one.unlabelled, one.judged) for one in found.accounts} == {
        "history": (1, 0, 7),
        "pattern": (0, 1, 7),
    }


def test_what_several_rules_break_in_is_one_false_alarm_of_the_table(db: Session, table: Table) -> None:
    """A change that people wanted breaks many rules at once: none of them is silenced for it."""
    judge(db, table, 0, history=VIOLATED, pattern=VIOLATED)
    for opened in db.exec(select(Incident).where(Incident.status != "resolved")).all():
        outcomes.resolve(db, opened.id, "FalsePositive", actor="ann")
    found = budget.ledger(db, table.id, BUDGET)
    assert (found.false, found.over, sum(one.false for one in found.accounts)) == (1, False, 2)
    assert home.totals(db)["false_alarms_month"] == 1
    assert budget.settle(db, table.id, BUDGET) == []
    judge(db, table, 1)
    false_alarm(db, table, 2, "pattern")
    (change,) = budget.settle(db, table.id, BUDGET)
    assert change.rule_id == rule(db, table, "pattern").id


@pytest.mark.parametrize("kind", ["schema", "volume", "declared", "declared_wait"])
def test_what_is_always_told_is_demoted_by_people_only(kind: str) -> None:
    wrong = Account(1, kind, "", judged=30, false=3, false_at=frozenset([1, 2, 3]))
    assert settle([wrong], budget=0) == []
    assert [change.demoted for change in settle([replace(wrong, kind="history")], budget=0)] == [True]
    (back,) = settle([replace(wrong, demoted=True)], budget=0)
    assert "by people only" in back.reason


def test_one_false_alarm_demotes_nobody_and_the_second_its_rule(db: Session, table: Table) -> None:
    false_alarm(db, table, 0, "history")
    assert budget.settle(db, table.id, BUDGET) == []
    false_alarm(db, table, 1, "history")
    (change,) = budget.settle(db, table.id, BUDGET)
    row = rule(db, table, "history")
    assert change.demoted
    assert row.level_now == "warning"
    assert "2 false alarms in 30 days" in (row.demotion or "")
    assert rule(db, table, "pattern").level_now == "error"
    assert [event.what for event in rules.events(db, row)] == ["demoted"]
    assert budget.settle(db, table.id, BUDGET) == []  # once


def test_a_demoted_rule_opens_a_warning_that_nobody_is_counted_for(db: Session, table: Table) -> None:
    budget.demote(db, rule(db, table, "history"), "for a test")
    judge(db, table, 0, history=VIOLATED, pattern=VIOLATED)
    assert {one.kind: one.level for one in db.exec(select(Incident))} == {"history": "warning", "pattern": "error"}
    assert [one.status for one in db.exec(select(Outcome).where(Outcome.status == VIOLATED))] == [VIOLATED] * 2
    (account,) = [one for one in budget.accounts(db, table.id) if one.demoted]
    assert account.unlabelled == 1
    assert home.totals(db)["open_errors"] == 1


def test_a_warning_that_goes_on_after_a_promotion_is_an_alarm(db: Session, table: Table) -> None:
    row = rule(db, table, "history")
    budget.demote(db, row, "for a test")
    judge(db, table, 0, history=VIOLATED)
    budget.promote_by_person(db, row.id, "ann")
    judge(db, table, 1, history=VIOLATED)
    warned = db.exec(select(Incident)).one()
    assert (warned.level, warned.first_version, warned.last_version) == ("error", 0, 1)


@pytest.mark.parametrize("reason", ["FalsePositive", "OutOfBounds"])
def test_a_person_says_of_a_warning_whether_it_was_right(db: Session, table: Table, reason: str) -> None:
    row = rule(db, table, "history")
    budget.demote(db, row, "for a test")
    row.demoted_at = now() - timedelta(days=31)
    for number in range(8):
        judge(db, table, number, **({"history": VIOLATED} if number == 4 else {}))
    warned = db.exec(select(Incident)).one()
    assert budget.settle(db, table.id, BUDGET) == []  # nobody has said anything yet
    warned.opened_at = now() - timedelta(days=40)
    assert budget.settle(db, table.id, BUDGET) == []  # nor for longer
    warned.opened_at = now()
    outcomes.resolve(db, warned.id, reason, actor="ann")
    right = reason != "FalsePositive"
    assert get_version(db, table.id, 4).label == ("incident" if right else "healthy")
    found = budget.ledger(db, table.id, BUDGET)
    assert (found.false, found.confirmed, found.unlabelled) == (int(not right), int(right), 0)
    assert [change.demoted for change in budget.settle(db, table.id, BUDGET)] == [False] * right


def test_an_incident_that_was_open_before_the_demotion_is_extended(db: Session, table: Table) -> None:
    judge(db, table, 0, history=VIOLATED)
    budget.demote(db, rule(db, table, "history"), "for a test")
    judge(db, table, 1, history=VIOLATED)
    assert db.exec(select(Incident)).one().last_version == 1


def test_a_table_over_its_budget_demotes_the_least_credible_until_it_is_within(db: Session, table: Table) -> None:
    false_alarm(db, table, 0, "history")
    false_alarm(db, table, 1, "pattern")
    db.exec(update(RuleRow).where(col(RuleRow.kind) == "pattern").values(fpr=0.2))  # it said so
    (change,) = budget.settle(db, table.id, BUDGET)
    assert change.rule_id == rule(db, table, "history").id
    assert "more than its budget of 1" in change.reason
    assert [one.demoted for one in budget.settle(db, table.id, 0.0)] == [True]  # nothing is tolerated: the other too


def test_a_demotion_outlives_relearning(db: Session, table: Table) -> None:
    budget.demote(db, rule(db, table, "history"), "for a test")
    again = Rule("history", "price", {"bound": 2}, 0.001, "Prices stay.", "avh")
    rules.put_rules(db, table.id, [again], learners="avh", since_version=3)
    row = rule(db, table, "history")
    assert (row.revision, row.level_now, row.demotion) == (2, "warning", "for a test")


def test_a_rule_that_behaved_for_a_whole_window_is_promoted(db: Session, table: Table) -> None:
    row = rule(db, table, "history")
    budget.demote(db, row, "for a test")
    row.demoted_at = now() - timedelta(days=31)
    for number in range(6):
        judge(db, table, number)
    assert budget.settle(db, table.id, BUDGET) == []  # too few versions to tell
    judge(db, table, 6)
    (change,) = budget.settle(db, table.id, BUDGET)
    assert (change.demoted, row.level_now, row.demotion) == (False, "error", None)
    assert [event.what for event in rules.events(db, row)] == ["promoted", "demoted"]


def test_a_person_promotes_and_the_past_is_forgiven(db: Session, table: Table) -> None:
    for number in range(2):
        false_alarm(db, table, number, "history")
    budget.settle(db, table.id, BUDGET)
    row = budget.promote_by_person(db, rule(db, table, "history").id, "ann")
    assert row.level_now == "error"
    assert budget.settle(db, table.id, BUDGET) == []
    latest = db.exec(select(RuleEvent).order_by(col(RuleEvent.id).desc())).first()
    assert latest is not None
    assert (latest.what, latest.actor) == ("promoted", "ann")
    with pytest.raises(UsageError, match="not demoted"):
        budget.promote_by_person(db, row.id, "ann")


def test_alarms_before_the_window_are_forgotten(db: Session, table: Table) -> None:
    for number in range(2):
        false_alarm(db, table, number, "history")
    db.exec(update(Incident).values(opened_at=now() - timedelta(days=40)))
    assert budget.settle(db, table.id, BUDGET) == []
    assert budget.ledger(db, table.id, BUDGET).false == 0


def test_ledgers_list_the_worst_table_first(db: Session, table: Table) -> None:
    other = upsert_table(db, table.source_id, "stock", "/lake/stock")
    versions.record_versions(db, other.id, [{"number": 0, "committed_at": now()}])
    rules.put_rules(db, other.id, [SKU], learners="strings", since_version=-1)
    judge(db, other, 0)
    for number in range(2):
        false_alarm(db, table, number, "history")
    found = budget.ledgers(db, BUDGET)
    assert [(one.table, one.false, one.over) for one in found] == [("orders", 2, True), ("stock", 0, False)]


def test_a_program_that_becomes_a_vocabulary_stays_the_same_rule(db: Session, table: Table) -> None:
    """Its demotion, its paused status and its past are kept."""
    budget.demote(db, rule(db, table, "pattern"), "for a test")
    rules.set_rule_status(db, rule(db, table, "pattern").id, "paused", "ann")
    again = Rule("vocabulary", "sku", {"bound": 2}, 0.001, "SKUs are known.", "strings")
    rules.put_rules(db, table.id, [again], learners="strings", since_version=3)
    (item,) = find_rules(db, table_id=table.id, column="sku", limit=1000).items
    assert (item.RuleRow.kind, item.RuleRow.revision, item.RuleRow.status) == ("vocabulary", 2, "paused")
    assert item.RuleRow.demotion == "for a test"


def test_a_table_that_was_made_again_owes_nothing(db: Session, table: Table) -> None:
    """Nothing of its predecessor is counted, judged by or kept; what people decided is."""
    for number in range(2):
        false_alarm(db, table, number, "history")
    budget.settle(db, table.id, BUDGET)
    paused = rules.set_rule_status(db, rule(db, table, "pattern").id, "paused", "ann")
    other = upsert_table(db, table.source_id, "stock", "/lake/stock")
    versions.record_versions(db, other.id, [{"number": 0, "committed_at": now()}])
    batches.forget_history(db, table.id)
    found = budget.ledger(db, table.id, BUDGET)
    assert (found.judged, found.false, found.demoted) == (0, 0, 0)
    assert rules.active_rules(db, table.id) == []
    assert (paused.status, paused.since_version) == ("paused", 0)
    assert versions.list_versions(db, table.id) == []
    assert len(versions.list_versions(db, other.id)) == 1
    assert (table.status, table.seen_version, table.replaced_version) == ("new", -1, 39)
    rules.put_rules(db, table.id, [PRICE], learners="avh", since_version=0)
    assert rule(db, table, "history").level_now == "error"


def test_an_answer_taken_back_in_the_audit_log_counts_no_more(db: Session, table: Table) -> None:
    ann = everyone_here("ann")
    for number in range(2):
        false_alarm(db, table, number, "history")
    answered = audit.find_events(db)[0]
    assert (answered.kind, answered.action) == ("incident", "resolve")
    budget.settle(db, table.id, BUDGET)
    assert rule(db, table, "history").level_now == "warning"
    made = undo(db, answered.id, by=ann, false_alarm_budget=BUDGET)
    assert (made.action, made.undoes) == ("reopen", answered.id)
    assert rule(db, table, "history").level_now == "error"


def test_the_cause_that_a_person_names_is_in_the_audit_log(db: Session, table: Table) -> None:
    ann = everyone_here("ann")
    judge(db, table, 0, history=VIOLATED)
    incident = db.exec(select(Incident)).one()
    incident.cause = "scale"
    causes.correct_cause(db, incident, "decimal_mark", actor="ann")
    causes.correct_cause(db, incident, "decimal_mark", actor="ann")  # says nothing new
    outcomes.resolve(db, incident.id, "OutOfBounds", actor="ann")
    answer, correction = audit.find_events(db, kind="incident")
    assert (correction.actor, correction.kind, correction.before, correction.after, correction.reason) == (
        *("ann", "incident", {"cause": None}, {"cause": "decimal_mark"}),
        "named was scale",
    )
    with pytest.raises(UsageError, match=f"undo event {answer.id} first"):
        undo(db, correction.id, by=ann, false_alarm_budget=1.0)
    undo(db, answer.id, by=ann, false_alarm_budget=1.0)
    assert incident.status == "new"


def test_a_corrected_cause_is_taken_back(db: Session, table: Table) -> None:
    judge(db, table, 0, history=VIOLATED)
    incident = db.exec(select(Incident)).one()
    causes.correct_cause(db, incident, "scale", actor="ann")
    (event,) = audit.find_events(db, kind="incident")
    undo(db, event.id, by=everyone_here("bob"), false_alarm_budget=1.0)
    assert incident.corrected is None
    assert causes.judged_causes(db) == {}
