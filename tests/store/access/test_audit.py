"""The audit log: what each decision leaves there, and taking it back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from singly import put_tags, upsert_table
from sqlmodel import Session, select

from catalog.errors import UsageError
from catalog.reports.facts import Scope
from catalog.roles import ROLES, Forbidden, Identity, everyone_here
from catalog.rules.rule import Rule
from catalog.store.access import audit, owners
from catalog.store.access.undo import undo
from catalog.store.alerts import routes
from catalog.store.expectations import learners, rules
from catalog.store.glossary import terms
from catalog.store.lake import batches, sources, tables, versions
from catalog.store.meaning import tags
from catalog.store.models import AlertRoute, AuditEvent, LakeColumn, Table, Tag, Version, now
from catalog.store.reports import schedules
from catalog.tags.proposal import TagProposal

ANN = everyone_here("ann")


def _tag(db: Session) -> Tag:
    source = sources.add_source(db, "shop", "/lake")
    table = upsert_table(db, source.id, "people", "/lake/people")
    column = tables.set_columns(db, table.id, [["mail", "string"]])[0]
    put_tags(db, column.id, [TagProposal("email", "E-mail address", 0.9, 1.0, True, {})], 1)
    return db.exec(select(Tag)).one()


def test_a_decision_is_taken_back_once(db: Session) -> None:
    tag = _tag(db)
    tags.decide_tag(db, tag.id, "rejected", "bob", "a business's")
    event = audit.find_events(db)[0]
    assert (event.actor, event.action, event.reason, event.item) == (
        "bob",
        "reject",
        "a business's",
        "shop/people mail: email",
    )
    assert (event.before, event.after) == (
        {"status": "proposed", "sensitive": True},
        {"status": "rejected", "sensitive": False},
    )
    with pytest.raises(Forbidden, match="the role is author"):
        undo(db, event.id, by=Identity("eve", ROLES["author"], "author"), false_alarm_budget=1.0)
    made = undo(db, event.id, by=ANN, false_alarm_budget=1.0)
    assert (made.actor, made.undoes, made.after["sensitive"]) == ("ann", event.id, True)
    assert db.get_one(Tag, tag.id).status == "proposed"
    with pytest.raises(UsageError, match=f"taken back by event {made.id}"):
        undo(db, event.id, by=ANN, false_alarm_budget=1.0)


def test_a_decision_with_later_ones_is_not_taken_back(db: Session) -> None:
    tag = _tag(db)
    tags.decide_tag(db, tag.id, "accepted", "bob")
    first = audit.find_events(db)[0]
    tags.decide_tag(db, tag.id, "rejected", "ann", "no")
    with pytest.raises(UsageError, match="decided about the same since"):
        undo(db, first.id, by=ANN, false_alarm_budget=1.0)
    assert db.get_one(Tag, tag.id).status == "rejected"


def test_a_forgotten_source_is_registered_again(db: Session) -> None:
    source = sources.add_source(db, "shop", "/lake", ["a/*"])
    sources.edit_source(db, source.id, "store", "/lake2")
    edit = audit.find_events(db)[0]
    assert (edit.before["name"], edit.after["name"]) == ("shop", "store")
    sources.remove_source(db, source.id)
    removal = audit.find_events(db)[0]
    assert (removal.action, removal.before["uri"], removal.after) == ("remove", "/lake2", {})
    undo(db, removal.id, by=ANN, false_alarm_budget=1.0)
    assert [(one.name, one.uri) for one in sources.list_sources(db)] == [("store", "/lake2")]
    assert db.exec(select(AuditEvent.undoes)).all()[-1] == removal.id


def test_a_change_of_name_is_taken_back_once(db: Session) -> None:
    source = sources.add_source(db, "shop", "/lake")
    sources.edit_source(db, source.id, "store", "/lake")
    edit = audit.find_events(db)[0]
    made = undo(db, edit.id, by=ANN, false_alarm_budget=1.0)
    assert sources.get_source(db, source.id).name == "shop"
    with pytest.raises(UsageError, match=f"taken back by event {made.id}"):
        undo(db, edit.id, by=ANN, false_alarm_budget=1.0)


def _last(db: Session) -> AuditEvent:
    return audit.find_events(db)[0]


def _take_back(db: Session) -> AuditEvent:
    """Takes the last decision back; a second time it cannot be."""
    event = _last(db)
    made = undo(db, event.id, by=ANN, false_alarm_budget=1.0)
    with pytest.raises(UsageError, match=f"taken back by event {made.id}"):
        undo(db, event.id, by=ANN, false_alarm_budget=1.0)
    return made


def test_choices_about_tables_and_sources_are_taken_back(db: Session) -> None:
    table = db.get_one(Table, db.get_one(LakeColumn, _tag(db).column_id).table_id)
    batches.set_mode(db, table.id, "increment")
    _take_back(db)
    assert not table.mode_pinned
    learners.choose_for_table(db, table.id, "fmdv", {"r": 0.2})
    shape, ours = Rule("pattern", "a", {"clauses": []}, 0.1, "Of one form.", "fmdv"), "strings"
    found = [shape, replace(shape, column="b", learner=ours)]
    rules.put_rules(db, table.id, found, learners=["fmdv", ours], since_version=0)
    learners.choose_for_table(db, table.id, "avh", {"delta": 0.01})
    _take_back(db)
    assert {"fmdv", ours} <= {row.learner for row in rules.active_rules(db, table.id)}
    chosen = learners.learners_of(db, table).words()
    assert chosen["strings"].startswith("fmdv")
    assert table.learners["strings"]["settings"] == {"r": 0.2}
    assert chosen["history"] == "ours"
    learners.choose_for_table(db, table.id, "fmdv-h", {})
    assert {row.learner for row in rules.active_rules(db, table.id)} & {"fmdv", ours} == {ours}
    learners.choose_for_source(db, table.source_id, "cmdv", {})
    _take_back(db)
    assert learners.of_source(sources.get_source(db, table.source_id)).words()["strings"] == "ours"
    versions.record_versions(db, table.id, [{"number": 1, "committed_at": now(), "batch": "snapshot"}])
    batches.label_version(db, table.id, 1, "incident")
    _take_back(db)
    assert db.exec(select(Version.label)).one() is None


def test_what_was_made_is_taken_back(db: Session) -> None:
    terms.put_term(db, "margin", "What is left.", actor="ann")
    _take_back(db)
    assert not terms.list_terms(db)
    owners.set_owner(db, "source", sources.add_source(db, "shop", "/lake").id, "finance", actor="ann")
    schedules.add_schedule(db, "privacy", "month", "pdf", Scope(owner="finance"), actor="ann")
    _take_back(db)
    assert not schedules.list_schedules(db)
    made = schedules.add_schedule(db, "privacy", "month", "pdf", Scope(owner="finance"), actor="ann")
    schedules.remove_schedule(db, made.id, actor="ann")
    _take_back(db)
    (again,) = schedules.list_schedules(db)
    assert (again.kind, again.every, again.owner) == ("privacy", "month", "finance")
    routes.add_route(db, "mail", "sealed", "shown", actor="ann")
    routes.set_active(db, "mail", False, actor="ann")
    _take_back(db)
    assert routes.get_route(db, "mail").active
    routes.add_route(db, "other", "sealed", "shown", actor="ann")
    _take_back(db)
    assert [one.name for one in db.exec(select(AlertRoute))] == ["mail"]


def test_settings_are_taken_back_one_by_one(db: Session) -> None:
    owners.set_default_owner(db, "finance", actor="ann")
    first = _last(db)
    owners.set_team(db, "sales", ["bob"], actor="ann")
    _take_back(db)
    assert owners.teams(db) == {}
    undo(db, first.id, by=ANN, false_alarm_budget=1.0)
    assert owners.default_owner(db) is None


def test_a_decision_about_another_side_of_a_thing_stands_in_no_way(db: Session) -> None:
    _tag(db)
    owners.set_owner(db, "table", 1, "finance", actor="ann")
    owned = _last(db)
    terms.describe(db, "table", 1, text="Who buys.", actor="ann")
    undo(db, owned.id, by=ANN, false_alarm_budget=1.0)
    assert db.get_one(Table, 1).owner is None
    assert db.get_one(Table, 1).description == "Who buys."
