"""The audit log: what each decision leaves there, and taking it back."""

from __future__ import annotations

import pytest
from singly import put_tags, upsert_table
from sqlmodel import Session, select

from catalog.errors import UsageError
from catalog.roles import ROLES, Forbidden, Identity, everyone_here
from catalog.store.access import audit
from catalog.store.access.undo import undo
from catalog.store.lake import tables
from catalog.store.meaning import tags
from catalog.store.models import AuditEvent, Tag
from catalog.tags.proposal import TagProposal

ANN = everyone_here("ann")


def _tag(db: Session) -> Tag:
    source = tables.add_source(db, "shop", "/lake")
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
    source = tables.add_source(db, "shop", "/lake", ["a/*"])
    tables.edit_source(db, source.id, "store", "/lake2")
    edit = audit.find_events(db)[0]
    assert (edit.before["name"], edit.after["name"]) == ("shop", "store")
    tables.remove_source(db, source.id)
    removal = audit.find_events(db)[0]
    assert (removal.action, removal.before["uri"], removal.after) == ("remove", "/lake2", {})
    undo(db, removal.id, by=ANN, false_alarm_budget=1.0)
    assert [(one.name, one.uri) for one in tables.list_sources(db)] == [("store", "/lake2")]
    assert db.exec(select(AuditEvent.undoes)).all()[-1] == removal.id


def test_a_change_of_name_is_taken_back_once(db: Session) -> None:
    source = tables.add_source(db, "shop", "/lake")
    tables.edit_source(db, source.id, "store", "/lake")
    edit = audit.find_events(db)[0]
    made = undo(db, edit.id, by=ANN, false_alarm_budget=1.0)
    assert tables.get_source(db, source.id).name == "shop"
    with pytest.raises(UsageError, match=f"taken back by event {made.id}"):
        undo(db, edit.id, by=ANN, false_alarm_budget=1.0)
