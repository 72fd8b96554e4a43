"""Which rows are one incident: those of one cause in a version, and of one meaning over the tables of a night."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from singly import put_tags, upsert_table
from sqlmodel import Session, col, select

from catalog.causes import Cause
from catalog.causes.diagnose import Diagnosis
from catalog.rules.rule import Rule
from catalog.rules.verdict import VIOLATED, Verdict
from catalog.store.alerts import deliveries, routes
from catalog.store.expectations import rules
from catalog.store.incidents import causes, outcomes
from catalog.store.incidents.hidden import hide_causes
from catalog.store.lake import sources, tables, versions
from catalog.store.meaning.tags import decide_tag, refresh_sensitive
from catalog.store.models import Incident, Table, Tag
from catalog.store.pages import home, work
from catalog.store.pages import tables as table_pages
from catalog.store.schemas.incidents import IncidentOut
from catalog.tags.privacy.levels import ABOUT
from catalog.tags.proposal import TagProposal

BAD = Verdict(VIOLATED, "The mean is 5,780, expected 48 to 90.", {"mean": 5780.0}, {"mean": [48.0, 90.0]}, "mean")
CENTS = Cause(
    "scale", "scale_100", 0.97, ("amount",), {"factor": 100}, "Amounts are 100 times.", "divide by 100", "Yes."
)


def made(db: Session, source: int, name: str) -> Table:
    """A table of two columns with a rule each; `amount` is tagged as money."""
    table = upsert_table(db, source, name, f"/lake/{name}")
    columns = tables.set_columns(db, table.id, [["amount", "double"], ["state", "string"]])
    put_tags(db, columns[0].id, [TagProposal("money", "Money", 0.9, 1.0, False)], 1)
    rule = Rule("history", "amount", {"clauses": []}, 0.001, "Stays.", "avh")
    rules.put_rules(db, table.id, [rule, replace(rule, column="state")], learners="avh", since_version=0)
    start = datetime(2026, 1, 1, tzinfo=UTC)
    known = [{"number": n, "committed_at": start + timedelta(days=n), "batch": "snapshot"} for n in range(9)]
    versions.record_versions(db, table.id, known)
    return table


def broken(
    db: Session, table: Table, version: int, found: list[Diagnosis], *columns: str, said: Verdict = BAD
) -> list[Incident]:
    """Record that rules on these columns broke in a version that was diagnosed so."""
    active = [row for row in rules.active_rules(db, table.id) if row.column_name in columns]
    told = [outcomes.outcome_row(table.id, version, row.id, said) for row in active]
    outcomes.follow_up(db, outcomes.record_outcomes(db, told))
    leads = causes.name_causes(db, table.id, version, found)
    db.flush()
    return leads


@pytest.fixture
def source(db: Session) -> int:
    return sources.add_source(db, "lake", "/lake").id or 0


def test_rows_of_one_cause_are_one_incident_and_of_two_are_two(db: Session, source: int) -> None:
    table = made(db, source, "payments")
    both = Diagnosis(replace(CENTS, columns=("amount", "state")), (), ("amount", "state"))
    (lead,) = broken(db, table, 3, [both], "amount", "state")
    assert (lead.column_name, lead.sentence, lead.columns) == ("amount", CENTS.sentence, ["amount", "state"])
    assert [i.Incident.id for i in work.find_incidents(db, status="open").items] == [lead.id]
    assert home.navigation(db)["incidents"] == work.incident_counts(db)["open"] == 1
    assert table_pages.table_lines(db, [table])[0].incidents == 1
    assert len(causes.details(db, lead)) == 2
    assert broken(db, table, 3, [both]) == [lead]  # again
    assert broken(db, table, 4, [replace(both, cause=replace(CENTS, sentence="Else."))], "amount", "state") == [lead]
    assert (lead.sentence, lead.last_version) == (CENTS.sentence, 4)

    other = made(db, source, "orders")
    typo = Diagnosis(Cause("typo", "typo", 0.9, ("state",), {}, "A new value."), (("case", 0.1),), ("state",))
    two = broken(db, other, 3, [Diagnosis(CENTS, (), ("amount",)), typo], "amount", "state")
    assert {one.cause for one in two} == {"scale", "typo"}
    told = [IncidentOut.of(one) for one in work.incident_lines(db, [(one, other) for one in two])]
    assert told[1].others == [{"cause": "case", "confidence": 0.1}]


@pytest.mark.parametrize("waiting", ["days_moved", "unknown"])
def test_what_breaks_for_another_cause_is_not_hidden_behind_an_alarm_that_waits(
    db: Session, source: int, waiting: str
) -> None:
    table = made(db, source, "payments")
    moved = Diagnosis(Cause(waiting, waiting, 0.9, ("state",), {}, "Times moved."), (), ("state",))
    (old,) = broken(db, table, 3, [moved], "state")
    twice = Diagnosis(Cause("duplicates", "part_twice", 0.9, (), {}, "Rows twice."), (), ("amount", "state"))
    (new,) = broken(db, table, 4, [twice], "amount", "state")
    assert (new.column_name, new.cause, new.lead_id) == ("amount", "duplicates", None)
    assert (old.cause, old.last_version, old.lead_id) == (waiting, 4, None)
    listed = [one.Incident.sentence for one in work.find_incidents(db, status="open").items]
    assert listed == ["Rows twice.", "Times moved."]


def test_a_fault_is_not_hidden_behind_the_one_of_the_day_before(db: Session, source: int) -> None:
    """Cents for euros, the next day no values in a third of the rows, then cents again; nobody has answered yet."""
    routes.add_route(db, "all", "sealed", "Slack", actor="ann")
    table = made(db, source, "payments")
    cents = Diagnosis(CENTS, (), ("amount",))
    empty = Diagnosis(Cause("nulls", "nulls", 0.95, ("amount",), {}, "A third is missing."), (), ("amount",))
    missing = Verdict(VIOLATED, "Missing.", {"null_ratio": 0.33}, {"null_ratio": [0.0, 0.01]}, "null_ratio")
    (old,) = broken(db, table, 3, [cents], "amount")
    assert deliveries.plan(db) == 1
    for version in (4, 5):
        (new,) = broken(db, table, version, [empty], "amount", said=missing)
        assert broken(db, table, version, [empty]) == [new]  # again
        assert (new.cause, new.first_version, new.last_version, new.lead_id) == ("nulls", 4, version, None)
        assert (old.cause, old.sentence, old.last_version) == ("scale", CENTS.sentence, 3)
        assert deliveries.plan(db) == (1 if version == 4 else 0)
    assert broken(db, table, 6, [cents], "amount") == [old]
    assert (old.last_version, new.last_version, deliveries.plan(db)) == (6, 5, 0)
    unsure = replace(empty, cause=replace(empty.cause, cause="case", confidence=0.6))
    assert broken(db, table, 7, [unsure], "amount", said=missing) == [new]
    assert new.cause == "nulls"
    listed = [one.Incident.sentence for one in work.find_incidents(db, status="open").items]
    assert listed == ["A third is missing.", CENTS.sentence]


@pytest.mark.parametrize("first", ["amount", "state"])
def test_what_a_diagnosis_tells_first_is_listed_first(db: Session, source: int, first: str) -> None:
    table = made(db, source, "payments")
    cents, typo = (
        Diagnosis(CENTS, (), ("amount",)),
        Diagnosis(Cause("typo", "typo", 0.9, ("state",), {}, "A new value."), (), ("state",)),
    )
    broken(db, table, 3, [cents, typo] if first == "amount" else [typo, cents], "amount", "state")
    listed = [one.Incident.column_name for one in work.find_incidents(db, status="open").items]
    assert listed == [first, "state" if first == "amount" else "amount"]


def test_columns_of_one_meaning_that_break_alike_in_a_night_are_one_incident(db: Session, source: int) -> None:
    first, second, third = (made(db, source, name) for name in ("payments", "refunds", "fees"))
    one = Diagnosis(CENTS, (), ("amount",))
    (lead,) = broken(db, first, 3, [one], "amount")
    (spread,) = broken(db, second, 3, [one], "amount")
    assert spread.spread_id == lead.id
    assert work.incident_lines(db, [(lead, first)])[0].tables == ["payments", "refunds"]
    assert [i.Incident.id for i in work.find_incidents(db, status="open").items] == [lead.id]
    assert [i.Incident.id for i in work.find_incidents(db, table_id=second.id).items] == [spread.id]
    # another factor is another cause, and so is a column that means something else
    tenth = replace(one, cause=replace(CENTS, key="scale_10"))
    (alone,) = broken(db, third, 3, [tenth], "amount")
    assert alone.spread_id is None
    outcomes.resolve(db, lead.id, "OutOfBounds", actor="ann")
    assert {i.status for i in causes.members(db, lead)} == {"resolved"}
    tables.remove_table(db, first.id)
    db.expire_all()
    assert db.get_one(Incident, spread.id).spread_id is None


def test_a_column_that_is_gone_is_not_one_of_another_type_elsewhere(db: Session, source: int) -> None:
    first, second, third = (made(db, source, name) for name in ("payments", "refunds", "fees"))
    sizes = ({"retyped": ["amount"], "gone": []}, {"retyped": [], "gone": ["amount"]}, {"gone": ["amount"]})
    changed = [
        Diagnosis(Cause("schema", "schema", 0.9, ("amount",), size, "Changed."), (), ("amount",)) for size in sizes
    ]
    (retyped,) = broken(db, first, 3, [changed[0]], "amount")
    (gone,) = broken(db, second, 3, [changed[1]], "amount")
    (too,) = broken(db, third, 3, [changed[2]], "amount")
    assert (retyped.spread_id, gone.spread_id, too.spread_id) == (None, None, gone.id)


@pytest.mark.parametrize(("domain", "generic"), [("category", True), (ABOUT, False)])
def test_columns_of_one_kind_alone_are_incidents_of_their_own(
    db: Session, source: int, domain: str, generic: bool
) -> None:
    """That two columns hold codes, or tell of persons, is no reason to tell their owners of one only."""
    first, second = (made(db, source, name) for name in ("payments", "refunds"))
    for tag in db.exec(select(Tag).where(col(Tag.domain) == "money")):
        tag.domain, tag.generic = domain, generic
    one = Diagnosis(CENTS, (), ("amount",))
    broken(db, first, 3, [one], "amount")
    (own,) = broken(db, second, 3, [one], "amount")
    assert own.spread_id is None


def test_a_rejected_meaning_spreads_nothing(db: Session, source: int) -> None:
    first, second = (made(db, source, name) for name in ("payments", "refunds"))
    for tag in db.exec(select(Tag).where(col(Tag.domain) == "money")):
        tag.status = "rejected"
    one = Diagnosis(CENTS, (), ("amount",))
    broken(db, first, 3, [one], "amount")
    (own,) = broken(db, second, 3, [one], "amount")
    assert own.spread_id is None


def test_the_headline_follows_the_largest_finding_and_much_worse_is_told_once(db: Session, source: int) -> None:
    """A change of signs that begins in an eighth of the rows and takes all of them while nobody answers."""
    routes.add_route(db, "all", "sealed", "Slack", actor="ann")
    table = made(db, source, "payments")
    told = []
    for version, share in ((3, 0.12), (4, 0.2), (5, 0.9), (6, 1.0), (7, 0.5)):
        sentence = f"Amounts have the other sign in {share:.0%} of the rows."
        sign = Cause("sign", "sign", 0.9, ("amount",), {"share": share}, sentence, "", "")
        (lead,) = broken(db, table, version, [Diagnosis(sign, (), ("amount",))], "amount")
        told.append((lead.sentence.split()[6], deliveries.plan(db)))
    assert told == [("12%", 1), ("20%", 0), ("90%", 1), ("100%", 0), ("100%", 0)]
    assert [one.event for one in deliveries.find_deliveries(db).items] == ["opened worse", "opened"]
    assert (lead.diagnosis["size"], lead.diagnosis["first_share"]) == ({"share": 1.0}, 0.12)
    assert [said.version for said, _ in causes.details(db, lead)] == [7, 6, 5, 4, 3]
    assert [one.Incident.id for one in work.find_incidents(db, status="open").items] == [lead.id]


def test_an_incident_of_the_schema_tells_all_that_has_changed_since(db: Session, source: int) -> None:
    routes.add_route(db, "all", "sealed", "Slack", actor="ann")
    table = made(db, source, "payments")
    rename, gone = "column 'state' was renamed to 'region'", "column 'amount' is gone"
    told = []
    for version, damage in ((3, [rename]), (4, [rename]), (5, [rename, gone]), (6, [gone])):
        sentence = f"Columns of `payments` have changed: {'; '.join(damage)}."
        changed = Cause("schema", "schema", 0.99, ("state",), {"share": 1.0, "damage": damage}, sentence)
        (lead,) = broken(db, table, version, [Diagnosis(changed, (), ("state",))], "state")
        told.append((gone in lead.sentence, deliveries.plan(db)))
    assert told == [(False, 1), (False, 0), (True, 1), (True, 0)]
    assert rename in lead.sentence


def test_who_hears_of_an_incident_when_it_is_much_worse_already_hears_of_it_once(db: Session, source: int) -> None:
    routes.add_route(db, "all", "sealed", "Slack", actor="ann")
    table = made(db, source, "payments")
    for version, share in ((3, 0.12), (4, 0.9)):
        sign = Cause("sign", "sign", 0.9, ("amount",), {"share": share}, f"{share:.0%}.", "", "")
        broken(db, table, version, [Diagnosis(sign, (), ("amount",))], "amount")
    assert [deliveries.plan(db), deliveries.plan(db)] == [1, 0]
    assert [one.event for one in deliveries.find_deliveries(db).items] == ["opened"]


def test_a_column_that_turned_out_to_be_sensitive_keeps_the_share_that_broke(db: Session, source: int) -> None:
    """That nobody knows the cause is not said as if it were of the column."""
    table = made(db, source, "people")
    said = Verdict(VIOLATED, "26 of 76 values (34%) are not street addresses, expected at most 1%; before mostly X.",
                   {}, {}, "nonconforming", 0.34, 0.0, 0.01)  # fmt: skip
    unknown = Diagnosis(Cause("unknown", "unknown", 0.0, ("state",), {}, "Values are not usual."), (), ("state",))
    (lead,) = broken(db, table, 3, [unknown], "state", said=said)
    hide_causes(db, table.id or 0, ["state"])
    told = "26 of 76 values (34%) are not street addresses, expected at most 1%"
    assert lead.sentence == f"Values in `people.state` are not what they usually are: {told}."


def test_what_is_decided_of_one_column_leaves_the_causes_of_others_alone(db: Session, source: int) -> None:
    """Of a column that was sensitive when the cause was found it is told without values as it is."""
    table = made(db, source, "people")
    pay, state = tables.list_columns(db, table.id)
    put_tags(db, pay.id, [TagProposal("salary", "Salary", 0.9, 1.0, True)], 1)
    put_tags(db, state.id, [TagProposal("us_state", "State", 0.9, 1.0, False)], 1)
    (lead,) = broken(db, table, 3, [Diagnosis(CENTS, (), ("amount",))], "amount")
    told = lead.sentence, dict(lead.diagnosis)
    for column in (pay, state):
        for tag in db.exec(select(Tag).where(Tag.column_id == column.id, Tag.domain != "money")).all():
            decide_tag(db, tag.id, "accepted", "ann")
    (said,) = db.exec(select(Tag).where(Tag.column_id == state.id)).all()
    decide_tag(db, said.id, "rejected", "ann")
    refresh_sensitive(db, [pay.id, state.id], [pay.id, state.id])
    db.refresh(lead)
    assert (lead.sentence, lead.diagnosis) == told
    put_tags(db, state.id, [TagProposal("diagnosis", "Diagnosis", 0.9, 1.0, True)], 2)
    db.refresh(lead)
    assert (lead.sentence, lead.diagnosis) == told, "another column of the table is sensitive now"


def test_a_fault_of_all_rows_is_not_hidden_behind_a_new_value_in_a_few(db: Session, source: int) -> None:
    table = made(db, source, "ranges")
    new = Cause("new_values", "new_values", 0.82, ("state",), {"share": 0.09}, "There is a new value.")
    (old,) = broken(db, table, 3, [Diagnosis(new, (), ("state",))], "state")
    swapped = Cause("swapped", "columns_swapped", 0.99, ("state", "amount"), {"share": 1.0}, "They are swapped.")
    missing = Verdict(VIOLATED, "Others.", {"null_ratio": 0.33}, {"null_ratio": [0.0, 0.01]}, "null_ratio")
    (worse,) = broken(db, table, 4, [Diagnosis(swapped, (), ("state", "amount"))], "state", "amount", said=missing)
    assert (worse.cause, worse.first_version, old.last_version, old.cause) == ("swapped", 4, 3, "new_values")
