"""Outcomes once for ever, the incidents that follow, and what a person says of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from singly import get_version, record_outcome, upsert_table
from sqlmodel import Session

from catalog.causes.cause import Cause
from catalog.causes.diagnose import Diagnosis
from catalog.declared.constraint import Constraint
from catalog.errors import CorruptLog, NotFound, UsageError
from catalog.rules.kinds.declared import DeclaredRule
from catalog.rules.rule import Rule
from catalog.rules.verdict import NOT_APPLICABLE, PASSED, VIOLATED, Verdict
from catalog.store import runs
from catalog.store.access import people
from catalog.store.engine import make_engine, session
from catalog.store.expectations import rules
from catalog.store.incidents import causes, outcomes
from catalog.store.lake import sources, tables, versions
from catalog.store.models import Incident, Outcome, RuleRow, Table
from catalog.store.pages import home, work
from catalog.store.pages import rules as rule_pages
from catalog.store.pages.rules import find_outcomes

PATTERN = Rule("pattern", "mail", {"pattern": "a+"}, 0.001, "Keeps to a+.", "fmdv")
HISTORY = Rule("history", "mail", {"low": 1}, 0.001, "Stays.", "avh", level="warning")
BAD = Verdict(VIOLATED, "3 rows do not match.", {"rows": 3}, {"pattern": "a+"}, "match", 0.97, 0.99, float("inf"))
GOOD = Verdict(PASSED, "All rows match.", metric="match", value=float("nan"))


@pytest.fixture
def table(db: Session) -> Table:
    table = upsert_table(db, sources.add_source(db, "lake", "/lake").id, "orders", "/lake/orders")
    start = datetime(2024, 1, 1, tzinfo=UTC)
    rows = [{"number": n, "committed_at": start + timedelta(days=n), "batch": "snapshot"} for n in range(12)]
    versions.record_versions(db, table.id, rows)
    return table


@pytest.fixture
def rule(db: Session, table: Table) -> RuleRow:
    rules.put_rules(db, table.id, [PATTERN], learners="fmdv", since_version=0)
    return rules.active_rules(db, table.id)[0]


Judge = Callable[..., Incident | None]


@pytest.fixture
def judge(db: Session, table: Table, rule: RuleRow) -> Judge:
    """Record a verdict of a version, with what follows from it, as a crawl does."""

    def judge(version: int, verdict: Verdict, by: RuleRow = rule) -> Incident | None:
        new = outcomes.record_outcomes(db, [outcomes.outcome_row(table.id, version, by.id, verdict)])
        outcomes.mark_passed(db, new)
        found = [outcomes.open_or_update_incident(db, one)[0] for one in new if one.status == VIOLATED]
        db.expire_all()
        return found[0] if found else None

    return judge


def test_an_outcome_is_recorded_once_and_stays_as_it_was(db: Session, table: Table, rule: RuleRow) -> None:
    row = outcomes.outcome_row(table.id, 3, rule.id, BAD, replay={"index": "r7"}, rows=[{"mail": "x***"}])
    first = record_outcome(db, row)
    assert first is not None
    assert record_outcome(db, row | {"status": PASSED}) is None
    db.expire_all()
    assert (first.status, first.value, first.high) == (VIOLATED, 0.97, float("inf"))
    assert first.detail == {"observed": {"rows": 3}, "expected": {"pattern": "a+"}, "offenders": {}}
    assert (first.replay, first.rows) == ({"index": "r7"}, [{"mail": "x***"}])
    new = outcomes.record_outcomes(db, [row, row | {"version": 4}, row | {"version": 2}])
    assert [one.version for one in new] == [2, 4]
    assert [one.status for one, _ in find_outcomes(db, table_id=table.id, limit=1000).items] == [VIOLATED] * 3


def test_what_is_no_number_is_null_on_both_databases(db: Session, table: Table, rule: RuleRow) -> None:
    kept = record_outcome(db, outcomes.outcome_row(table.id, 1, rule.id, GOOD))
    db.expire_all()
    assert kept is not None
    assert (kept.value, kept.rows) == (None, None)


def test_bad_versions_extend_the_open_incident(db: Session, judge: Judge) -> None:
    first = judge(5, BAD)
    assert judge(6, replace(BAD, sentence="later")) == first
    assert first is not None
    assert (first.first_version, first.last_version, first.sentence) == (5, 6, BAD.sentence)
    judge(4, replace(BAD, sentence="earlier"))
    assert (first.first_version, first.last_version, first.sentence) == (4, 6, "earlier")
    assert judge(6, BAD) is None  # the outcome is there already: nothing follows from it again
    assert len(work.find_incidents(db).items) == 1


def test_opening_twice_for_the_same_outcome_changes_nothing(db: Session, table: Table, rule: RuleRow) -> None:
    outcome = record_outcome(db, outcomes.outcome_row(table.id, 3, rule.id, BAD))
    assert outcome is not None
    first, opened = outcomes.open_or_update_incident(db, outcome)
    again, reopened = outcomes.open_or_update_incident(db, outcome)
    assert (opened, reopened, again.id) == (True, False, first.id)
    good = record_outcome(db, outcomes.outcome_row(table.id, 4, rule.id, GOOD))
    assert good is not None
    with pytest.raises(ValueError, match="passed"):
        outcomes.open_or_update_incident(db, good)


def test_a_version_that_passes_is_noted_but_resolves_nothing(judge: Judge) -> None:
    incident = judge(5, BAD)
    assert incident is not None
    judge(4, GOOD)
    assert incident.passed_version is None
    judge(8, GOOD)
    judge(7, GOOD)
    judge(9, Verdict(NOT_APPLICABLE, "No rows."))
    assert (incident.passed_version, incident.status) == (7, "new")
    judge(10, BAD)
    assert (incident.passed_version, incident.last_version) == (None, 10)


def test_other_kinds_columns_and_revisions(db: Session, table: Table, judge: Judge) -> None:
    first = judge(5, BAD)
    assert first is not None
    wanted = [replace(PATTERN, params={"pattern": "b+"}), replace(PATTERN, column="name")]
    rules.put_rules(db, table.id, wanted, learners="fmdv", since_version=5)
    rules.put_rules(db, table.id, [HISTORY], learners="avh", since_version=5)
    by = {(row.kind, row.column_name): row for row in rules.active_rules(db, table.id)}
    assert judge(6, BAD, by["pattern", "mail"]) == first  # a new revision is the same demand
    other = judge(6, BAD, by["pattern", "name"])
    warning = judge(6, BAD, by["history", "mail"])
    assert other is not None
    assert warning is not None
    assert len({first.id, other.id, warning.id}) == 3
    assert (first.level, warning.level) == ("error", "warning")
    assert [one.id for one, _ in work.find_incidents(db).items if one.kind == "history"] == [warning.id]
    assert len(work.find_incidents(db, table_id=table.id, status="open").items) == 3


def test_a_false_alarm_makes_its_versions_healthy(db: Session, table: Table, judge: Judge) -> None:
    incident = judge(5, BAD)
    assert incident is not None
    judge(6, GOOD)
    judge(7, BAD)
    outcomes.resolve(db, incident.id, "FalsePositive", actor="ann", comment="a new shop")
    db.expire_all()
    assert (incident.status, incident.reason, incident.actor) == ("resolved", "FalsePositive", "ann")
    labels = {one.number: one.label for one in versions.list_versions(db, table.id) if one.label}
    assert labels == {5: "healthy", 7: "healthy"}


def test_a_real_incident_keeps_its_versions_from_the_learners(db: Session, table: Table, judge: Judge) -> None:
    incident = judge(5, BAD)
    assert incident is not None
    versions.set_version(db, table.id, 5, metrics=b"m")
    versions.set_version(db, table.id, 6, metrics=b"m")
    outcomes.resolve(db, incident.id, "OutOfBounds", actor="ann")
    assert [point.number for point in versions.metric_series(db, table.id, "snapshot")] == [6]


def test_a_false_alarm_does_not_clear_what_another_incident_calls_bad(db: Session, table: Table, judge: Judge) -> None:
    rules.put_rules(db, table.id, [HISTORY], learners="avh", since_version=0)
    history = next(row for row in rules.active_rules(db, table.id) if row.kind == "history")
    real, false = judge(5, BAD), judge(5, BAD, history)
    judge(6, BAD, history)
    assert real is not None
    assert false is not None
    outcomes.resolve(db, real.id, "Duplicates", actor="ann")
    outcomes.resolve(db, false.id, "FalsePositive", actor="ann")
    labels = {one.number: one.label for one in versions.list_versions(db, table.id) if one.label}
    assert labels == {5: "incident", 6: "healthy"}


def test_after_resolving_a_new_bad_version_opens_a_new_incident(db: Session, table: Table, judge: Judge) -> None:
    first = judge(5, BAD)
    assert first is not None
    outcomes.resolve(db, first.id, "Other", actor="ann", comment="known")
    second = judge(6, BAD)
    assert second is not None
    assert second.id != first.id
    rules.put_rules(db, table.id, [replace(PATTERN, params={})], learners="fmdv", since_version=0)
    relearned = rules.active_rules(db, table.id)[0]
    assert judge(5, BAD, relearned) == first  # a person has decided on version 5
    assert len(work.find_incidents(db, status="open").items) == 1


def test_resolving_needs_a_reason_and_an_open_incident(db: Session, judge: Judge) -> None:
    incident = judge(5, BAD)
    assert incident is not None
    with pytest.raises(UsageError, match="FalsePositive, Expected, MissingData"):
        outcomes.resolve(db, incident.id, "dunno", actor="ann")
    with pytest.raises(UsageError, match="comment"):
        outcomes.resolve(db, incident.id, "Other", actor="ann")
    with pytest.raises(NotFound):
        outcomes.resolve(db, 999, "Other", actor="ann")
    outcomes.resolve(db, incident.id, "MissingData", actor="ann")
    with pytest.raises(UsageError, match="already"):
        outcomes.resolve(db, incident.id, "MissingData", actor="ann")
    with pytest.raises(UsageError, match="resolved"):
        outcomes.set_incident(db, incident.id, actor="ann", status="new")


def test_an_open_incident_is_acknowledged_and_assigned(db: Session, judge: Judge) -> None:
    incident = judge(5, BAD)
    assert incident is not None
    outcomes.set_incident(db, incident.id, actor="ann", status="acknowledged")
    with pytest.raises(UsageError, match="to whom"):
        outcomes.set_incident(db, incident.id, actor="ann", status="assigned")
    outcomes.set_incident(db, incident.id, actor="ann", status="assigned", assignee="bob")
    db.expire_all()
    assert (incident.status, incident.assignee) == ("assigned", "bob")
    people.add_user(db, "bob", "correct horse battery", "admin", actor="bob")
    with pytest.raises(NotFound, match="nobody is called 'bop'") as misspelt:
        outcomes.set_incident(db, incident.id, actor="ann", status="assigned", assignee="bop")
    assert misspelt.value.remedy == "did you mean bob?"
    with pytest.raises(UsageError, match="new, acknowledged"):
        outcomes.set_incident(db, incident.id, actor="ann", status="resolved")
    judge(6, BAD)
    assert (incident.status, incident.last_version) == ("assigned", 6)


def test_series_and_latest_outcomes_span_revisions(db: Session, table: Table, rule: RuleRow, judge: Judge) -> None:
    for version in (1, 2):
        judge(version, GOOD)
    rules.put_rules(db, table.id, [replace(PATTERN, params={})], learners="fmdv", since_version=2)
    second = rules.active_rules(db, table.id)[0]
    judge(3, BAD, second)
    assert [one.version for one in rule_pages.outcomes_of_demand(db, second)] == [1, 2, 3]
    assert [one.version for one in rule_pages.outcomes_of_demand(db, second, limit=2)] == [2, 3]
    latest = rule_pages.last_outcomes(db, [rule.id, second.id])
    assert {key: one.version for key, one in latest.items()} == {rule.id: 2, second.id: 3}
    assert [(one.version, by.revision) for one, by in find_outcomes(db, table_id=table.id, limit=1000).items] == [
        (3, 2),
        (2, 1),
        (1, 1),
    ]
    assert len(find_outcomes(db, table_id=table.id, status=VIOLATED, limit=1000).items) == 1
    assert len(find_outcomes(db, table_id=table.id, version=2, limit=1000).items) == 1


def test_outcomes_are_counted_on_their_version(db: Session, table: Table, rule: RuleRow, judge: Judge) -> None:
    rules.put_rules(db, table.id, [HISTORY], learners="avh", since_version=0)
    history = next(row for row in rules.active_rules(db, table.id) if row.kind == "history")
    judge(5, BAD)
    judge(5, BAD)  # was there: counted once
    judge(5, GOOD, history)
    judge(6, Verdict(NOT_APPLICABLE, "No rows."))
    five, six = get_version(db, table.id, 5), get_version(db, table.id, 6)
    assert (five.passed, five.violated, five.expected_alarms) == (1, 1, 0.002)
    assert (six.passed, six.violated, six.expected_alarms, six.judged_at) == (0, 0, 0.0, None)
    assert five.judged_at is not None


def test_home_counts_what_there_is(db: Session, table: Table, judge: Judge) -> None:
    bad = upsert_table(db, table.source_id, "bad", "/bad")
    tables.mark_error(db, bad.id, CorruptLog("no JSON"))
    tables.set_columns(db, table.id, [["mail", "string"]])
    judge(4, GOOD)
    judge(5, BAD)
    for version in (3, 4, 5):  # nothing was said of the third
        versions.mark_judged(db, table.id, version)
    versions.set_version(db, table.id, 4, judged_at=datetime.now(UTC) - timedelta(days=2))
    versions.put_file_states(db, [(table.id, "f", 10, 1000, b"state")])
    runs.start_run(db, runs.queue_run(db, "crawl").id)
    held = home.totals(db)
    assert {status: number for status, number in held["statuses"].items() if number} == {"new": 1, "error": 1}
    assert (held["columns"], held["tags"], held["rules"], held["open_errors"]) == (1, {}, {"active": 1}, 1)
    assert (held["judged_day"], home.navigation(db)["runs"]) == ({"passed": 0, "violated": 1}, 1)
    states = versions.state_totals(db)
    assert (states.state_bytes, states.ratio) == (5, 0.005)


RECORD = """
from catalog.store.incidents import causes, outcomes
from catalog.store.engine import make_engine, session
engine = make_engine(sys.argv[1])
table_id, number = int(sys.argv[2]), int(sys.argv[4])
rule_ids = [int(one) for one in sys.argv[3].split(",")]
#go
new = 0
for version in range(10):
    version = (version * 7 + number * 3) % 10  # each in another order
    with session(engine) as current:
        rows = [
            dict(table_id=table_id, version=version, rule_id=one, status="violated", sentence="bad")
            for one in (rule_ids if number % 2 else reversed(rule_ids))
        ]
        recorded = outcomes.record_outcomes(current, rows)
        for outcome in recorded:
            outcomes.open_or_update_incident(current, outcome)
        new += len(recorded)
print(new)
"""


def test_processes_that_judge_the_same_record_each_outcome_once(url: str, together: Callable[..., list[str]]) -> None:
    engine = make_engine(url)
    with session(engine) as current:
        table = upsert_table(current, sources.add_source(current, "lake", "/").id, "t", "/t")
        wanted = [replace(PATTERN, column=f"c{n}") for n in range(5)]
        rules.put_rules(current, table.id, wanted, learners="fmdv", since_version=0)
        ids = ",".join(str(row.id) for row in rules.active_rules(current, table.id))
    answers = together(RECORD, 4, url, str(table.id), ids)
    assert sum(map(int, answers)) == 50
    with session(engine, write=False) as current:
        found: list[Any] = find_outcomes(current, table_id=table.id, limit=1000).items
        assert len({(one.version, one.rule_id) for one, _ in found}) == len(found) == 50
        incidents = [item.Incident for item in work.find_incidents(current).items]
    assert sorted(one.column_name for one in incidents) == [f"c{n}" for n in range(5)]
    assert {(one.first_version, one.last_version) for one in incidents} == {(0, 9)}
    assert all(isinstance(one, Outcome) for one, _ in found)
    engine.dispose()


def test_each_declared_check_of_a_column_has_its_own_incident(db: Session, table: Table, judge: Judge) -> None:
    demands = [Constraint("is_complete", ("mail",)), Constraint("has_pattern", ("mail",), {"pattern": "@"})]
    declared = [DeclaredRule.of(one) for one in demands]
    names = {one.learner for one in declared}
    rules.put_rules(db, table.id, declared, learners=names, since_version=0)
    by_learner = {one.learner: one for one in rules.active_rules(db, table.id)}
    complete, pattern = (by_learner[one.learner] for one in declared)
    first, second = judge(2, BAD, complete), judge(2, BAD, pattern)
    assert first is not None
    assert second is not None
    assert first.id != second.id
    assert [one.check_name for one in (first, second)] == ["is_complete_mail", "has_pattern_mail"]
    outcomes.resolve(db, first.id, "MissingData", actor="eve")
    judge(3, GOOD, complete)
    judge(3, BAD, pattern)
    assert (first.status, first.last_version) == ("resolved", 2)
    assert (second.status, second.first_version, second.last_version, second.passed_version) == ("new", 2, 3, None)
    judge(4, GOOD, pattern)
    later = judge(4, BAD, complete)
    assert later is not None
    assert later.id not in (first.id, second.id)
    assert second.passed_version == 4
    assert {one.learner for _, one in causes.details(db, second)} == {"declared:has_pattern_mail"}
    with pytest.raises(UsageError, match="is open"):
        outcomes.reopen(db, first.id, actor="eve")  # the same check broke again meanwhile


def test_an_answer_that_is_taken_back_leaves_the_incident_with_whom_it_was_given_to(db: Session, judge: Judge) -> None:
    incident = judge(5, BAD)
    assert incident is not None
    outcomes.set_incident(db, incident.id, actor="eve", status="assigned", assignee="ann")
    outcomes.resolve(db, incident.id, "OutOfBounds", actor="ann")
    assert outcomes.reopen(db, incident.id, actor="eve").status == "assigned"
    outcomes.set_incident(db, incident.id, actor="eve", status="new")
    outcomes.resolve(db, incident.id, "OutOfBounds", actor="ann")
    again = outcomes.reopen(db, incident.id, actor="eve")
    assert (again.status, again.assignee) == ("new", None)


def test_checks_that_broke_for_no_known_cause_are_answered_one_by_one(
    db: Session, table: Table, rule: RuleRow, judge: Judge
) -> None:
    demands = [Constraint("is_complete", ("mail",)), Constraint("has_pattern", ("mail",), {"pattern": "@"})]
    declared = [DeclaredRule.of(one) for one in demands]
    rules.put_rules(db, table.id, declared, learners={one.learner for one in declared}, since_version=0)
    found = [judge(2, BAD, one) for one in rules.active_rules(db, table.id)]
    cause = Cause("unknown", "unknown", 0.0, ("mail",), {}, "Nobody knows.", "", "", {})
    causes.name_causes(db, table.id, 2, [Diagnosis(cause, covers=("mail",))])
    assert [one.lead_id for one in found if one is not None] == [None] * 3
    known = Cause("nulls", "nulls", 0.9, ("mail",), {}, "Values are missing.", "", "", {})
    causes.name_causes(db, table.id, 2, [Diagnosis(known, covers=("mail",))])
    assert [one.lead_id for one in found if one is not None].count(None) == 1
