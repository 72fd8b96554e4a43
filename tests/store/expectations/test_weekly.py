"""The lake's weekly budget of false alarms: what is told, what is held back, what comes again. On both databases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from singly import upsert_table
from sqlalchemy import Engine, update
from sqlmodel import Session, col, select

from catalog.errors import UsageError
from catalog.roles import everyone_here
from catalog.rules.kinds.strings import UNPROVEN
from catalog.rules.rule import Rule
from catalog.rules.verdict import MEANT, PASSED, VIOLATED, Verdict
from catalog.store import engine as stored
from catalog.store.access import audit
from catalog.store.access.undo import undo
from catalog.store.expectations import allowance, budget, rules, weekly
from catalog.store.incidents import outcomes
from catalog.store.lake import sources, tables, versions
from catalog.store.models import Incident, RuleRow, Table, Version, now
from catalog.store.pages.rules import find_outcomes

PRICE = Rule("history", "price", {"bound": 1}, 0.02, "Prices stay.", "avh")
ROWS = Rule("volume", None, {"bound": 1}, 0.02, "Rows stay.", "avh")
SKU = Rule("data_pattern", "sku", {"bound": 1}, 0.02, "SKUs look alike.", "strings")
TABLES, DAYS = 10, 10


@pytest.fixture(scope="module")
def written(kept: Engine) -> Engine:
    with stored.session(kept) as db:
        _write(db)
    return kept


@pytest.fixture
def db(written: Engine) -> Iterator[Session]:
    """A session of the catalog with the lake; what the test writes is taken back."""
    with stored.session(written) as current:
        yield current
        current.rollback()


@pytest.fixture
def empty(engine: Engine) -> Iterator[Session]:
    with stored.session(engine) as current:
        yield current


@pytest.fixture
def lake(db: Session) -> list[Table]:
    """Ten tables of which a version came every day: 70 versions a week that state 4.2 false alarms, and as many
    false alarms as were stated."""
    return list(db.exec(select(Table).order_by(col(Table.id))))


def _write(db: Session) -> None:
    source = sources.add_source(db, "lake", "/lake").id
    made = []
    for at in range(TABLES):
        table = upsert_table(db, source, f"orders{at}", f"/lake/orders{at}")
        rules.put_rules(db, table.id, [PRICE, ROWS, SKU], learners=["avh", "strings"], since_version=-1)
        tables.set_columns(db, table.id, [["price", "double"], ["sku", "string"]])
        days = [
            {"number": n, "committed_at": now() - timedelta(days=DAYS - n), "batch": "snapshot"} for n in range(DAYS)
        ]
        versions.record_versions(db, table.id, days)
        made.append(table)
    for table in made:
        for number in range(DAYS - 2):
            wrong = {"volume": None} if number == 0 and table in made[-5:] else {}
            for told in judge(db, table, number, **wrong):
                outcomes.resolve(db, told.id, "FalsePositive", actor="ann")
    db.exec(update(Version).values(judged_at=Version.committed_at).where(col(Version.judged_at).is_not(None)))


def judge(
    db: Session, table: Table, number: int, allowed: float = 1.0, rewritten: str = "", mean: float | None = None,
    **p: float | None,
) -> list[Incident]:  # fmt: skip
    """Every rule judges a version; of those named, the p-value of what they found, and the mean that is out; the column
    whose cause is sure. The incidents that are open after it."""
    active = rules.active_rules(db, table.id)
    seen: dict[str, Any] = {"observed": {"mean": mean}, "expected": {"mean": [2.0, 3.0]}} if mean is not None else {}
    said = [
        (row, Verdict(VIOLATED, f"{row.kind} {number}", p_value=p[row.kind], **seen))
        if row.kind in p
        else (row, Verdict(PASSED, f"{row.kind} {number}"))
        for row in active
    ]
    at = now() - timedelta(days=DAYS - number)
    told = weekly.choose(db, table.id, at, said, allowed, {rewritten})
    rows = [
        outcomes.outcome_row(
            *(table.id, number, row.id, one), held_back=row.id in told.held_back, anyway=row.id in told.anyway
        )
        for row, one in said
    ]
    outcomes.follow_up(db, outcomes.record_outcomes(db, rows))
    versions.mark_judged(db, table.id, number)
    return list(db.exec(select(Incident).where(Incident.table_id == table.id, Incident.status != "resolved")))


def test_what_the_week_has_no_room_for_is_a_warning_until_it_is_improbable_enough(
    db: Session, lake: list[Table]
) -> None:
    (quiet,) = judge(db, lake[0], DAYS - 2, history=0.018)
    assert quiet.level == "warning"
    (again,) = judge(db, lake[0], DAYS - 1, history=0.018)
    assert (again.id, again.level) == (quiet.id, "warning")
    versions.record_versions(db, lake[0].id, [{"number": DAYS, "committed_at": now(), "batch": "snapshot"}])
    (more,) = judge(db, lake[0], DAYS, history=1e-6)
    assert (more.id, more.level) == (quiet.id, "error")
    (sure,) = judge(db, lake[1], DAYS - 2, history=1e-6)
    assert sure.level == "error"
    week = weekly.last_week(db)
    assert (week.raised - 5, week.false - 5, week.held_back) == (2, 0, 0)
    judge(db, lake[2], DAYS - 2, history=0.018)
    assert weekly.last_week(db).held_back == 1


def test_what_a_week_is_told_to_expect_counts_versions_that_were_not_judged(db: Session, lake: list[Table]) -> None:
    """As what holds findings back does: a page that says less denies its own warning."""
    before, stated = weekly.expected_of_week(db), weekly.last_week(db).stated
    came = [
        {"number": DAYS + at, "committed_at": now() - timedelta(hours=at + 1), "batch": "snapshot"} for at in range(9)
    ]
    versions.record_versions(db, lake[0].id, came)
    assert weekly.expected_of_week(db) > before
    assert weekly.last_week(db).stated == stated


def test_versions_of_one_moment_share_the_budget(db: Session, lake: list[Table]) -> None:
    at = now() - timedelta(days=1)
    active = rules.active_rules(db, lake[0].id)
    said = [(row, Verdict(VIOLATED, "Prices.", p_value=0.018)) for row in active if row.kind == "history"]
    others = update(Version).where(col(Version.table_id) != lake[0].id)
    db.exec(others.values(committed_at=at + timedelta(minutes=1)))
    assert not weekly.choose(db, lake[0].id, at, said, 1.0).held_back  # they come later
    db.exec(others.values(committed_at=at))
    assert weekly.choose(db, lake[0].id, at, said, 1.0).held_back


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)  # figures of a budget, the same whoever keeps the rows
@pytest.mark.parametrize("past", [1, 20])
def test_the_first_week_of_a_lake_tells_no_more_than_any_other(empty: Session, past: int) -> None:
    """Twenty tables of one version each, or of one a day, that state two false alarms a day: each is judged for the
    first time. Of what healthy versions may show, in steps of its chance, no more is told on this day than the week
    allows in all, and of the tables whose past is known no more than a seventh of it."""
    source, count = sources.add_source(empty, "new", "/new").id, 20
    rate, start = 0.1, now() - timedelta(days=past)
    price = replace(PRICE, fpr=rate)
    made = [upsert_table(empty, source, f"orders{at}", f"/new/orders{at}") for at in range(count)]
    for table in made:
        rules.put_rules(empty, table.id, [price], learners=["avh"], since_version=past - 1)
        days = [{"number": n, "committed_at": start + timedelta(days=n), "batch": "snapshot"} for n in range(past)]
        versions.record_versions(empty, table.id, days)
    told = 0
    for at, table in enumerate(made):
        when = start + timedelta(days=past, minutes=at)
        versions.record_versions(empty, table.id, [{"number": past, "committed_at": when, "batch": "snapshot"}])
        (row,) = rules.active_rules(empty, table.id)
        for step in range(20):
            said = [(row, Verdict(VIOLATED, "Prices.", p_value=rate * (step + 0.5) / 20))]
            told += not weekly.choose(empty, table.id, when, said, 1.0).held_back
        outcomes.record_outcomes(empty, [outcomes.outcome_row(table.id, past, row.id, Verdict(PASSED, "Prices."))])
    assert 0 < rate * told / 20 <= (1.0 if past == 1 else 1 / 7)


@pytest.mark.parametrize(("batch", "level"), [("increment", "error"), ("snapshot", "warning")])
def test_what_comes_again_in_other_rows_is_told(db: Session, lake: list[Table], batch: str, level: str) -> None:
    db.exec(update(Version).where(col(Version.table_id).in_([lake[0].id, lake[1].id])).values(batch=batch))
    (quiet,) = judge(db, lake[0], DAYS - 2, history=0.018)
    assert quiet.level == "warning"
    (again,) = judge(db, lake[0], DAYS - 1, history=0.018)
    assert (again.id, again.level) == (quiet.id, level)
    (held,) = judge(db, lake[1], DAYS - 2, history=0.018)
    outcomes.resolve(db, held.id, "FalsePositive", actor="ann")  # somebody has said that it is nothing
    (told,) = judge(db, lake[1], DAYS - 1, history=0.018)
    assert told.level == "warning"


@pytest.mark.parametrize(("later", "level"), [(1, "warning"), (2, "error")])
def test_what_is_found_in_yesterdays_rows_again_has_not_come_again(
    db: Session, lake: list[Table], later: int, level: str
) -> None:
    """A job that replaces yesterday and today brings the rows of a day twice."""
    versions.record_versions(db, lake[0].id, [{"number": DAYS, "committed_at": now()}])
    own = update(Version).where(col(Version.table_id) == lake[0].id)
    db.exec(own.values(batch="increment", commit_info={"batch": "rewrite", "partitions": 2}))
    (quiet,) = judge(db, lake[0], DAYS - 2, history=0.018)
    assert quiet.level == "warning"
    (again,) = judge(db, lake[0], DAYS - 2 + later, history=0.018)
    assert (again.id, again.level) == (quiet.id, level)


def test_a_finding_whose_cause_is_sure_needs_to_be_less_improbable(db: Session, lake: list[Table]) -> None:
    assert [one.level for one in judge(db, lake[0], DAYS - 2, history=0.006)] == ["warning"]
    assert [one.level for one in judge(db, lake[1], DAYS - 2, history=0.006, rewritten="sku")] == ["warning"]
    assert [one.level for one in judge(db, lake[2], DAYS - 2, history=0.006, rewritten="price")] == ["error"]
    assert [one.level for one in judge(db, lake[3], DAYS - 2, history=0.018, rewritten="price")] == ["warning"]


def test_a_larger_budget_and_what_is_no_statistic_are_told(db: Session, lake: list[Table]) -> None:
    assert [one.level for one in judge(db, lake[0], DAYS - 2, allowed=10.0, history=0.018)] == ["error"]
    assert [one.level for one in judge(db, lake[1], DAYS - 2, data_pattern=None)] == ["error"]
    assert [one.level for one in judge(db, lake[2], DAYS - 2, volume=None)] == ["error"]
    assert [one.level for one in judge(db, lake[4], DAYS - 2, volume=0.018)] == ["warning"]  # a few rows beyond a band
    both = judge(db, lake[3], DAYS - 2, data_pattern=None, history=0.018)
    assert [one.level for one in both] == ["error", "error"]  # people look at the version anyway


def test_a_lake_whose_alarms_are_false_must_show_more(db: Session, lake: list[Table]) -> None:
    assert [one.level for one in judge(db, lake[0], DAYS - 2, history=1.7e-3)] == ["error"]
    for table in lake[5:]:
        (told,) = judge(db, table, DAYS - 2, history=1e-6)
        outcomes.resolve(db, told.id, "FalsePositive", actor="ann")
    assert [one.level for one in judge(db, lake[1], DAYS - 2, history=1.7e-3)] == ["warning"]
    assert [one.level for one in judge(db, lake[2], DAYS - 2, history=1e-8)] == ["error"]


def test_alarms_that_nobody_answered_count_in_part_until_somebody_does(db: Session, lake: list[Table]) -> None:
    """All five that were answered were false: five more that wait are as likely to be, as far as one knows."""
    assert [one.level for one in judge(db, lake[0], DAYS - 2, history=1.7e-3)] == ["error"]
    waiting = [one for table in lake[5:] for one in judge(db, table, DAYS - 2, history=1e-6)]
    week, likely = weekly.last_week(db), weekly.likely_false(db, 1.0)
    lakes = (2 * (10 / 7) / 11 + 5) / (2 + 5)  # of eleven alarms ten days may bring 10 / 7 false ones
    own = (2 * lakes + 1) / (2 + 1)  # of the tables with an answer, all of them false
    assert (week.unanswered, likely) == (6, pytest.approx(5 * own + lakes, rel=1e-4))
    assert [one.level for one in judge(db, lake[1], DAYS - 2, history=1.4e-3)] == ["warning"]
    for one in waiting:
        outcomes.resolve(db, one.id, "MissingData", actor="ann")
    assert weekly.last_week(db).unanswered == 1
    assert [one.level for one in judge(db, lake[2], DAYS - 2, history=1.4e-3)] == ["error"]


def test_what_breaks_in_another_way_while_an_alarm_waits_is_put_to_the_budget(db: Session, lake: list[Table]) -> None:
    for table in lake[:3]:
        versions.record_versions(db, table.id, [{"number": DAYS, "committed_at": now(), "batch": "snapshot"}])
    (first,) = judge(db, lake[0], DAYS - 2, history=1e-6, mean=0.0)
    judge(db, lake[0], DAYS - 1)
    both = judge(db, lake[0], DAYS, history=0.018, mean=9.0)
    assert [(one.id == first.id, one.level) for one in both] == [(True, "error"), (False, "warning")]
    for table, passes in ((lake[1], True), (lake[2], False)):  # the same goes on: nobody is told of anything else
        (first,) = judge(db, table, DAYS - 2, history=1e-6, mean=0.0)
        judge(db, table, DAYS - 1, **({} if passes else {"history": 1e-6}))
        (again,) = judge(db, table, DAYS, history=0.018, mean=0.0 if passes else 9.0)
        assert (again.id, again.level, again.last_version) == (first.id, "error", DAYS)
        found = find_outcomes(db, table_id=table.id, version=DAYS, status=VIOLATED, limit=9).items
        assert not any(one.detail.get(weekly.HELD_BACK) for one, _ in found)


def test_another_budget_is_tried_on_what_was_held_back_and_on_what_was_told(db: Session, lake: list[Table]) -> None:
    for table, p in zip(lake[:4], (0.018, 0.006, 0.0035, 1e-6), strict=True):
        judge(db, table, DAYS - 2, history=p)
    try_it = partial(allowance.try_allowance, db, default=1.0)
    assert [one.table for one in try_it(3.0).more] == ["lake/orders1", "lake/orders2"]
    assert try_it(3.0).sentence == "With 3 a week, 2 alarms more would have been raised in the last 30 days."
    assert len(try_it(10.0).more) == 3
    assert (try_it(1.0).more, try_it(1.0).fewer) == ((), ())
    assert try_it(0.5).fewer == ()
    assert [one.table for one in try_it(1e-6).fewer] == ["lake/orders3"]
    for wrong in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(UsageError, match="above 0"):
            try_it(wrong)


def test_what_is_allowed_is_set_by_people_and_undone(db: Session, lake: list[Table]) -> None:
    assert (allowance.allowed_a_week(db, 1.0), allowance.is_set(db)) == (1.0, False)
    allowance.allow_a_week(db, 4.0, actor="ann", reason="a month of trial")
    assert (allowance.allowed_a_week(db, 1.0), allowance.is_set(db)) == (4.0, True)
    assert allowance.usual_a_week(db, 1.0) == pytest.approx(1.0, abs=0.01)  # it was 1 for all of the month
    (event,) = audit.find_events(db, kind="setting")
    assert (event.actor, event.before, event.after) == ("ann", {"value": None}, {"value": 4.0})
    event_id = event.id
    undo(db, event_id, by=everyone_here("ann"), false_alarm_budget=1.0)
    assert (allowance.allowed_a_week(db, 1.0), allowance.is_set(db)) == (1.0, False)


def test_a_budget_that_was_just_raised_does_not_count_as_spent(db: Session, lake: list[Table]) -> None:
    """More was told from now on only: what was called false stands against what was allowed until then."""
    for number, usual, level in ((0, None, "error"), (1, 1.0, "warning")):
        active = rules.active_rules(db, lake[number].id)
        said = [(row, Verdict(VIOLATED, "x", p_value=0.012)) for row in active if row.kind == "history"]
        told = weekly.choose(db, lake[number].id, now(), said, 3.0, (), usual)
        assert ("warning" if told.held_back else "error") == level


def test_true_changes_are_no_false_alarms_of_the_week(db: Session, lake: list[Table]) -> None:
    before = weekly.last_week(db)
    for table, reason in zip(lake[5:7], ("Expected", "FalsePositive"), strict=True):
        (told,) = judge(db, table, DAYS - 2, history=1e-6)
        outcomes.resolve(db, told.id, reason, actor="ann")
    week = weekly.last_week(db)
    assert (week.raised - before.raised, week.false - before.false) == (2, 1)


def test_strings_are_held_to_the_same_budget(db: Session, lake: list[Table]) -> None:
    codes = Rule("pattern", "code", {"bound": 1}, 0.02, "Codes look alike.", "strings")
    for table in lake:
        rules.put_rules(db, table.id, [PRICE, ROWS, SKU, codes], learners=["avh", "strings"], since_version=-1)
    assert [one.level for one in judge(db, lake[0], DAYS - 2, pattern=0.018)] == ["warning"]
    assert [one.level for one in judge(db, lake[1], DAYS - 2, pattern=1e-6)] == ["error"]


def test_what_nobody_was_told_of_costs_a_table_nothing(db: Session, lake: list[Table]) -> None:
    (quiet,) = judge(db, lake[0], DAYS - 2, history=0.018)
    (sure,) = judge(db, lake[1], DAYS - 2, history=1e-6)
    assert (quiet.level, sure.level) == ("warning", "error")
    for one in (quiet, sure):
        outcomes.resolve(db, one.id, "FalsePositive", actor="ann")
    assert budget.settle(db, lake[0].id, 0) == []
    assert [change.demoted for change in budget.settle(db, lake[1].id, 0)] == [True]


def test_a_demoted_rule_is_heard_where_its_false_alarms_explain_nothing(db: Session, lake: list[Table]) -> None:
    """Once wrong where a hundredth of an alarm was allowed: it must show more, and more than what was called false."""
    believed, more, much, as_before, silenced = lake[:5]
    for table in lake[:5]:
        row = next(one for one in rules.active_rules(db, table.id) if one.kind == "history")
        row.fpr = 0.001
        if table is believed:
            continue
        (told,) = judge(db, table, DAYS - 2, history=1.1e-7 if table is as_before else 2e-4)
        outcomes.resolve(db, told.id, "FalsePositive", actor="ann")
        if table is silenced:
            budget.demote_by_person(db, row.id, "it is never right", actor="ann")
        else:
            budget.demote(db, row, "too many false alarms")

    def level(table: Table, p: float) -> str:
        (found,) = judge(db, table, DAYS - 1, history=p)
        return found.level

    assert [level(believed, 6e-5), level(more, 6e-5), level(much, 1e-7)] == ["error", "warning", "error"]
    assert [level(as_before, 1e-7), level(silenced, 1e-9)] == ["warning", "warning"]
    heard = find_outcomes(db, table_id=much.id, version=DAYS - 1, status=VIOLATED, limit=9).items[0][0]
    assert (heard.detail.get(weekly.ANYWAY), heard.detail.get(weekly.HELD_BACK)) == (True, None)


def test_demoted_rules_hold_nothing_back(db: Session, lake: list[Table]) -> None:
    row = next(one for one in rules.active_rules(db, lake[0].id) if one.kind == "history")
    row.demoted_at = now()
    db.flush()
    (warned,) = judge(db, lake[0], DAYS - 2, history=0.018)
    outcome = find_outcomes(db, table_id=lake[0].id, version=DAYS - 2, status=VIOLATED, limit=1000).items[0][0]
    assert (warned.level, outcome.detail.get(weekly.HELD_BACK)) == ("warning", None)
    assert isinstance(row, RuleRow)


def test_what_replays_showed_of_the_other_tables_is_summed_once_a_table(db: Session, lake: list[Table]) -> None:
    told = {"replays_on_its_past": 20, "alarms_in_replays": 2, "expected_in_replays": 0.25, "replayed_until_version": 9}
    assert [one.versions for one in rules.replayed(db, lake[0].id)] == [0, 0]
    for table in lake[:3]:
        again = [replace(one, evidence=told) for one in (PRICE, ROWS)]
        rules.put_rules(db, table.id, again, learners=["avh"], since_version=DAYS)
    own, others = rules.replayed(db, lake[0].id)
    assert (own.versions, own.alarms, own.expected, own.until) == (20, 2, 0.25, 9)
    assert (others.versions, others.alarms, others.expected) == (40, 4, 0.5)


def test_what_breaks_what_one_version_taught_is_told_only_beside_others_or_with_a_sure_cause(
    db: Session, lake: list[Table]
) -> None:
    active = {row.kind: row for row in rules.active_rules(db, lake[0].id)}
    said = [(active["data_pattern"], Verdict(VIOLATED, "SKUs.", {UNPROVEN: True}, p_value=1e-9))]
    beside = [*said, (active["history"], Verdict(VIOLATED, "Prices.", p_value=1e-9))]
    choose = partial(weekly.choose, db, lake[0].id, now(), budget=100.0)  # there is room for everything
    assert choose(verdicts=said).held_back == {active["data_pattern"].id}
    assert not choose(verdicts=said, rewritten={"sku"}).held_back
    assert not choose(verdicts=beside).held_back


def test_what_somebody_may_have_meant_is_a_warning_however_much_room_there_is(db: Session, lake: list[Table]) -> None:
    assert [one.level for one in judge(db, lake[0], DAYS, 1000.0, "price", history=MEANT)] == ["warning"]
    told = judge(db, lake[1], DAYS, 1000.0, history=MEANT, volume=None)
    assert [one.level for one in told] == ["error", "error"], "what is told is told with all that was found"


def test_columns_that_move_together_are_told_where_one_of_them_would_not_be(db: Session, lake: list[Table]) -> None:
    more = [replace(PRICE, column=f"price{k}") for k in range(30)]
    rules.put_rules(db, lake[0].id, [PRICE, ROWS, *more], learners=["avh"], since_version=-1)
    opened = judge(db, lake[0], DAYS - 2, history=0.008)
    assert {one.level for one in opened} == {"error"}
    assert len(opened) == 31
    (alone,) = judge(db, lake[1], DAYS - 2, history=0.008)
    assert alone.level == "warning"
