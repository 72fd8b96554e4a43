"""One change that stays is one incident until its state is accepted; answers can be taken back. On both databases."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from singly import upsert_table
from sqlmodel import Session, col, select

from catalog.checks.feedback import RIGHT
from catalog.errors import UsageError
from catalog.history.series import TableMetrics
from catalog.learners.schema import learn_schema
from catalog.rules.rule import Rule
from catalog.rules.verdict import PASSED, VIOLATED, Batch, Verdict
from catalog.states.table import TableState
from catalog.store.expectations import budget, rules
from catalog.store.incidents import outcomes, persistent
from catalog.store.lake import batches, sources, tables, versions
from catalog.store.models import Incident, RuleEvent, RuleRow, Table, Version, now
from catalog.store.pages import work

COLUMNS = [[name, "string"] for name in "abcdefgh"]
ROWS = Rule("volume", None, {"clauses": []}, 0.001, "Rows stay.", "avh")
LOOK = Rule("pattern", "a", {"clauses": []}, 0.001, "Values look alike.", "strings")


@pytest.fixture
def table(db: Session) -> Table:
    table = upsert_table(db, sources.add_source(db, "lake", "/lake").id, "orders", "/lake/orders")
    schema = learn_schema([(COLUMNS, None)] * 5)
    assert schema is not None
    rules.put_rules(db, table.id, [ROWS, LOOK, schema], learners=["avh", "strings", "schema"], since_version=-1)
    tables.set_columns(db, table.id, COLUMNS)
    return table


def current(db: Session, table: Table, kind: str) -> RuleRow:
    return next(row for row in rules.active_rules(db, table.id) if row.kind == kind)


def deliver(db: Session, table: Table, number: int, columns: list[list[str]]) -> Verdict:
    """A version with these columns comes and the schema rule in force judges it."""
    at = now() - timedelta(days=20) + timedelta(minutes=number)
    said = {"number": number, "committed_at": at, "batch": "snapshot", "schema_columns": columns}
    versions.record_versions(db, table.id, [said])
    row = current(db, table, "schema")
    verdict = rules.as_rule(row).judge(Batch(number, "snapshot", TableState(1, {}), None, columns, at))
    tell(db, table, number, row, verdict)
    return verdict


def tell(db: Session, table: Table, number: int, row: RuleRow, verdict: Verdict) -> None:
    outcomes.follow_up(db, outcomes.record_outcomes(db, [outcomes.outcome_row(table.id, number, row.id, verdict)]))
    versions.mark_judged(db, table.id, number)


def rows(db: Session, table: Table, number: int, value: float) -> Verdict:
    """The rule on rows judges a version that has so many, of 90 to 110."""
    versions.record_versions(db, table.id, [{"number": number, "committed_at": now(), "batch": "snapshot"}])
    status = PASSED if 90 <= value <= 110 else VIOLATED
    verdict = Verdict(status, "Rows.", {"row_count": value}, {"row_count": [90.0, 110.0]})
    tell(db, table, number, current(db, table, "volume"), verdict)
    return verdict


def found(db: Session) -> list[Incident]:
    return list(db.exec(select(Incident).order_by(col(Incident.id))))


def answer(db: Session, reason: str) -> None:
    (one,) = [incident for incident in found(db) if incident.status != "resolved"]
    outcomes.resolve(db, one.id, reason, actor="ann")


@pytest.mark.parametrize("right", RIGHT)
def test_an_accepted_schema_is_demanded_from_the_next_version_on(db: Session, table: Table, right: str) -> None:
    deliver(db, table, 0, COLUMNS)
    assert deliver(db, table, 1, COLUMNS[1:]).status == VIOLATED
    assert deliver(db, table, 2, COLUMNS[1:]).status == VIOLATED
    answer(db, right)
    assert [deliver(db, table, number, COLUMNS[1:]).status for number in range(3, 6)] == [PASSED] * 3
    (one,) = found(db)
    assert (one.first_version, one.last_version) == (1, 2)
    assert deliver(db, table, 6, COLUMNS[6:]).status == VIOLATED  # now nearly all are gone
    assert [incident.level for incident in found(db)] == ["error", "error"]


def test_rules_on_a_column_that_is_gone_end_when_that_was_expected(db: Session, table: Table) -> None:
    """Learning may wait for other answers: no version can be asked them any more. What people declared is theirs."""
    both = Rule("key", None, {"repeated": 0.0, "columns": ["a", "b"]}, 0.001, "a and b are a key.", "keys")
    other, own = replace(LOOK, column="b"), replace(LOOK, learner="declared:a_looks_alike")
    learners = ["keys", "strings", own.learner]
    rules.put_rules(db, table.id, [both, LOOK, other, own], learners=learners, since_version=-1)
    deliver(db, table, 0, COLUMNS)
    tables.set_columns(db, table.id, COLUMNS[1:])
    assert deliver(db, table, 1, COLUMNS[1:]).status == VIOLATED
    assert {row.column_name for row in rules.active_rules(db, table.id)} == {"", "a", "b"}
    answer(db, "Expected")
    left = {(row.kind, row.column_name, row.learner) for row in rules.active_rules(db, table.id)}
    assert left - {("schema", "", "schema")} == {
        ("volume", "", "avh"), ("pattern", "b", "strings"), ("pattern", "a", own.learner)
    }  # fmt: skip


def test_a_type_that_goes_to_and_fro_is_asked_about_until_it_came_back(db: Session, table: Table) -> None:
    def of_type(kind: str) -> list[list[str]]:
        return [[COLUMNS[0][0], kind], *COLUMNS[1:]]

    deliver(db, table, 0, COLUMNS)
    for number, kind in ((1, "bigint"), (2, "string")):
        assert deliver(db, table, number, of_type(kind)).status == VIOLATED
        answer(db, "FalsePositive")
    told = [deliver(db, table, 3 + at, of_type(kind)).status for at, kind in enumerate(("bigint", "string", "bigint"))]
    assert told == [PASSED] * 3
    assert deliver(db, table, 6, of_type("double")).status == VIOLATED


def test_a_type_that_was_wrong_once_is_wrong_again(db: Session, table: Table) -> None:
    damaged = [[COLUMNS[0][0], "bigint"], *COLUMNS[1:]]
    deliver(db, table, 0, COLUMNS)
    deliver(db, table, 1, damaged)
    answer(db, "MissingData")
    deliver(db, table, 2, COLUMNS)
    deliver(db, table, 3, COLUMNS[:-1])
    answer(db, "FalsePositive")  # the schema is learned again
    assert deliver(db, table, 4, damaged).status == VIOLATED


def test_a_confirmed_damage_of_the_schema_is_one_incident_until_more_is_damaged(db: Session, table: Table) -> None:
    deliver(db, table, 0, COLUMNS)
    deliver(db, table, 1, COLUMNS[1:])
    answer(db, "MissingData")
    for number in range(2, 8):
        assert deliver(db, table, number, COLUMNS[1:]).status == VIOLATED
    (one,) = found(db)
    assert (one.status, one.last_version) == ("resolved", 7)
    deliver(db, table, 8, COLUMNS[2:])
    assert [incident.status for incident in found(db)] == ["resolved", "new"]
    answer(db, "MissingData")
    deliver(db, table, 9, COLUMNS)
    deliver(db, table, 10, COLUMNS[2:])  # it was right in between: another time
    assert [incident.first_version for incident in found(db)] == [1, 8, 10]


def test_what_breaks_in_another_way_is_told_though_nobody_has_answered_what_broke_before(
    db: Session, table: Table
) -> None:
    for number, value in enumerate((100, 50, 48, 100, 50, 100, 300, 100, 50, 300)):
        rows(db, table, number, value)
    first, second = found(db)
    assert (first.first_version, first.last_version, first.since_version) == (1, 8, 0)  # the same change, whenever
    assert (second.first_version, second.last_version, second.since_version) == (6, 9, 5)
    assert [first.status, second.status] == ["new", "new"]
    outcomes.resolve(db, first.id, "FalsePositive", actor="ann")
    labels = dict(db.exec(select(Version.number, Version.label)).all())
    assert (labels[1], labels[2]) == ("healthy", "healthy")
    assert labels[6] is labels[9] is None  # another incident waits for its answer
    outcomes.reopen(db, first.id, actor="ann")
    outcomes.resolve(db, second.id, "Duplicates", actor="ann")
    assert [one.status for one in found(db)] == ["new", "resolved"]


def test_rows_that_are_missing_still_ask_again_in_the_same_incident(db: Session, table: Table) -> None:
    rows(db, table, 0, 100)
    rows(db, table, 1, 50)
    answer(db, "MissingData")
    rows(db, table, 2, 47)
    (one,) = found(db)
    assert (one.status, one.first_version, one.last_version) == ("new", 1, 2)
    assert "went on in version 2" in (one.taken_back or "")
    answer(db, "FalsePositive")  # so it is from now on: what was confirmed before stays confirmed
    labels = dict(db.exec(select(Version.number, Version.label)).all())
    assert (labels[1], labels[2]) == ("incident", "healthy")
    row = current(db, table, "volume")
    half, none = ({"observed": {"row_count": n}, "expected": {"row_count": [90.0, 110.0]}} for n in (52.0, 1.0))
    assert persistent.accepted(db, row, 3, half)
    assert not persistent.accepted(db, row, 3, none)
    rows(db, table, 3, 1)
    assert [incident.first_version for incident in found(db)] == [1, 3]


@pytest.mark.parametrize(("days", "asked"), [(2, [1]), (1, [1, 2])])
def test_yesterdays_rows_that_were_answered_are_one_incident_beside_other_rows_of_today(
    db: Session, table: Table, days: int, asked: list[int]
) -> None:
    """A fault of yesterday is a larger part of what a job brings that replaces two days, where today has few rows."""
    written = {"batch": "increment", "commit_info": {"batch": "rewrite", "partitions": days}}
    came = [{"number": number, "committed_at": now(), **written} for number in range(4)]
    versions.record_versions(db, table.id, came)
    rows(db, table, 0, 100)
    rows(db, table, 1, 70)
    answer(db, "FalsePositive")
    rows(db, table, 2, 20)
    assert [incident.first_version for incident in found(db)] == asked
    rows(db, table, 3, 1)  # all rows are others
    assert [incident.first_version for incident in found(db)] == ([1, 3] if days == 2 else asked)


def test_what_is_open_again_is_listed_though_its_leader_is_resolved(db: Session, table: Table) -> None:
    rows(db, table, 0, 100)
    rows(db, table, 1, 50)
    look(db, table, 1)
    leader, detail = sorted(found(db), key=lambda one: one.kind != "pattern")
    detail.lead_id = leader.id
    db.flush()
    outcomes.resolve(db, leader.id, "MissingData", actor="ann")
    assert work.find_incidents(db, status="open").items == []
    rows(db, table, 2, 47)
    assert [item.Incident.id for item in work.find_incidents(db, status="open").items] == [detail.id]


def test_rules_on_schema_and_rows_are_demoted_by_people_only(db: Session, table: Table) -> None:
    for number in range(0, 12, 2):
        rows(db, table, number, 100)
        rows(db, table, number + 1, 10)
        answer(db, "FalsePositive")
    assert budget.ledger(db, table.id, 1.0).over
    assert budget.settle(db, table.id, 1.0) == []
    row = current(db, table, "volume")
    with pytest.raises(UsageError, match="for a reason"):
        budget.demote_by_person(db, row.id, " ", "ann")
    budget.demote_by_person(db, row.id, "moving house", "ann")
    assert (row.level_now, row.demotion) == ("warning", "moving house")
    assert budget.settle(db, table.id, 1.0, moment=now() + timedelta(days=40)) == []  # nobody else promotes it
    budget.promote_by_person(db, row.id, "ann")
    row.demoted_at, row.demotion = now(), "an earlier release did"
    db.add(RuleEvent(table_id=table.id, kind="volume", learner="avh", what="demoted"))
    db.flush()
    (change,) = budget.settle(db, table.id, 1.0)
    assert (change.demoted, row.level_now) == (False, "error")


def look(db: Session, table: Table, number: int) -> None:
    versions.record_versions(db, table.id, [{"number": number, "committed_at": now(), "batch": "snapshot"}])
    tell(db, table, number, current(db, table, "pattern"), Verdict(VIOLATED, "Looks odd."))
    versions.set_version(db, table.id, number, label="suspect")


def test_an_answer_taken_back_undoes_what_followed_from_it(db: Session, table: Table) -> None:
    for number in (0, 1):
        look(db, table, number)
        answer(db, "FalsePositive")
    old = current(db, table, "pattern")
    looser = Rule("pattern", "a", {"clauses": [], "loose": True}, 0.001, "Anything.", "strings")
    rules.put_rules(db, table.id, [looser], learners="strings", since_version=1)
    (change,) = budget.settle(db, table.id, 5.0)
    assert change.demoted
    wrong = found(db)[1]
    moment = now()
    outcomes.reopen(db, wrong.id, actor="bob")
    (back,) = budget.reconsider(db, table.id, 5.0)
    row = current(db, table, "pattern")
    assert (wrong.status, wrong.reason, wrong.taken_back) == ("new", None, "FalsePositive by ann")
    assert not back.demoted
    assert (row.level_now, row.fingerprint, row.revision) == ("error", old.fingerprint, 3)
    assert dict(db.exec(select(Version.number, Version.label)).all()) == {0: "healthy", 1: "suspect"}
    assert batches.feedback_since(db, table.id, moment)
    with pytest.raises(UsageError, match="is open"):
        outcomes.reopen(db, wrong.id, actor="bob")
    with pytest.raises(UsageError, match=f"incident {wrong.id} of the same rule"):
        outcomes.reopen(db, found(db)[0].id, actor="bob")
    answer(db, "OutOfBounds")
    assert db.exec(select(Version.label).where(Version.number == 1)).one() == "incident"
    other: Any = outcomes.reopen(db, found(db)[0].id, actor="bob")
    assert other.status == "new"


@pytest.mark.parametrize("right", RIGHT)
def test_a_state_that_people_called_right_is_accepted_whatever_the_band_became(
    db: Session, table: Table, right: str
) -> None:
    """The rule is learned again from a past that the change is the last of: its band may be narrower than before."""
    share = Rule("history", "a", {"clauses": []}, 0.001, "Values stay.", "avh")
    rules.put_rules(db, table.id, [ROWS, LOOK, share], learners=["avh", "strings"], since_version=-1)

    def judged(number: int, value: float, band: list[float], metric: str = "complete_ratio") -> None:
        kept = TableMetrics(100, {"a": {metric: value}}).encode()
        versions.record_versions(db, table.id, [{"number": number, "committed_at": now(), "batch": "snapshot"}])
        versions.set_version(db, table.id, number, metrics=kept)
        tell(
            db, table, number, current(db, table, "history"), Verdict(VIOLATED, "Few.", {metric: value}, {metric: band})
        )

    judged(0, 0.0104, [0.0138, 0.93])
    answer(db, right)
    judged(1, 0.0099, [0.06, 0.63])
    assert [(one.status, one.last_version) for one in found(db)] == [("resolved", 1)]
    judged(2, 0.7, [0.06, 0.63])
    assert [one.status for one in found(db)] == ["resolved", "new"]
    answer(db, "FalsePositive")
    judged(3, 0.9, [0.0, 0.2], "new_values")
    answer(db, "FalsePositive")
    judged(4, 0.8, [0.0, 0.01], "new_values")  # another change than the one that was right
    assert [one.status for one in found(db)][-1] == "new"


def test_values_that_are_no_news_any_more_are_told_once(db: Session, table: Table) -> None:
    """What came in the version before is what the rule that was learned since knows, though it still breaks it."""

    def judged(number: int, share: float, pass_by: str, **seen: Any) -> None:
        versions.record_versions(db, table.id, [{"number": number, "committed_at": now(), "batch": "snapshot"}])
        words = f"values are numbers; at most {pass_by} others"
        clause = {"words": words, "broken": "no numbers", "nonconforming": round(200 * share), "share": share}
        observed = {"rows": 200, "clauses": [clause], **seen}
        tell(db, table, number, current(db, table, "pattern"), Verdict(VIOLATED, "Words.", observed, {}))

    judged(0, 0.04, "0.5%", new=["small letters", 8])
    answer(db, "FalsePositive")
    judged(1, 0.05, "2%")
    assert [(one.status, one.last_version) for one in found(db)] == [("resolved", 1)]
    judged(2, 0.05, "2%", new=["capitals", 10])
    assert [one.status for one in found(db)] == ["resolved", "new"]
