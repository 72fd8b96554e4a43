"""Levels of sensitivity: from tags, by hand, over a crawl, and what they hide."""

from __future__ import annotations

import pytest
from singly import upsert_table
from sqlmodel import Session, select

from catalog.errors import Held, UsageError
from catalog.flow.learning.propose import believed
from catalog.roles import everyone_here
from catalog.store.access import approvals, audit, people
from catalog.store.access.answers import answer
from catalog.store.access.undo import undo
from catalog.store.lake import sources, tables
from catalog.store.meaning import acting, levels, privacy, tags
from catalog.store.models import LakeColumn, Tag
from catalog.store.pages.tables import TableFilter, find_tables
from catalog.tags.acting.sql import statements
from catalog.tags.proposal import TagProposal

ANN = everyone_here("ann")


@pytest.fixture
def columns(db: Session) -> dict[str, LakeColumn]:
    source = sources.add_source(db, "shop", "/lake")
    table = upsert_table(db, source.id, "people", "/lake/people")
    names = ("mail", "password", "note")
    made = {one.name: one for one in tables.set_columns(db, table.id, [[name, "string"] for name in names])}
    tables.set_profile(db, table.id, {name: {"rows": 2, "low": "carla", "high": "zoe"} for name in names})
    _tag(db, made)
    return made


def _tag(db: Session, made: dict[str, LakeColumn]) -> None:
    found = {"mail": "email", "password": "password"}
    tags.put_table_tags(
        db,
        {made[name].id: [TagProposal(domain, domain, 0.9, 1.0, True, {})] for name, domain in found.items()}
        | {made["note"].id: []},
        1,
    )
    for one in made.values():
        db.refresh(one)


def test_levels_come_from_tags_and_tables_inherit_them(db: Session, columns: dict[str, LakeColumn]) -> None:
    assert {name: one.level for name, one in columns.items()} == {
        "mail": "personal",
        "password": "secret",
        "note": "internal",
    }
    table = columns["mail"].table_id
    assert levels.table_levels(db, [table]) == {table: "secret"}
    found = [find_tables(db, TableFilter(level=name)).total for name in ("public", "internal", "personal", "secret")]
    assert found == [0, 1, 1, 1]


def test_a_level_by_hand_holds_and_hides(db: Session, columns: dict[str, LakeColumn]) -> None:
    note = levels.set_level(db, columns["note"].id, "secret", actor="ann")
    assert note.sensitive
    hide = privacy.hiding(db, note.table_id)
    assert hide.row({"note": "carla 7"}) == {"note": "aaaaa 9"}
    assert privacy.shown_profile(note, hide)["low"] == "aaaaa"
    assert note.profile["low"] == "aaaaa"  # at rest too
    _tag(db, columns)  # a crawl tags again
    assert (note.level, note.sensitive) == ("secret", True)
    event = audit.find_events(db, limit=1)[0]
    assert (event.action, event.before["level"], event.after["level"]) == ("level", "internal", "secret")
    with pytest.raises(UsageError, match="shows values"):
        levels.set_level(db, note.id, None, actor="ann")
    undo(db, event.id, by=ANN, false_alarm_budget=1.0, reason="a mistake")
    assert (note.level, note.sensitive, note.hand_level) == ("internal", False, None)


def test_what_shows_values_needs_a_reason_and_a_second_person(db: Session, columns: dict[str, LakeColumn]) -> None:
    mail = columns["mail"]
    with pytest.raises(UsageError, match="shows values"):
        levels.set_level(db, mail.id, "internal", actor="ann")
    with pytest.raises(UsageError, match="no level"):
        levels.set_level(db, mail.id, "open", actor="ann", reason="x")
    for name in ("ann", "bob"):
        people.add_user(db, name, "correct horse battery", "admin", actor="local")
    approvals.require(db, True, actor="ann")
    levels.set_level(db, mail.id, "secret", actor="ann")  # to hide more needs nobody
    with pytest.raises(UsageError, match="shows values"):  # who may see personal values may not see secret ones
        levels.set_level(db, mail.id, "personal", actor="ann")
    with pytest.raises(Held):
        levels.set_level(db, mail.id, "personal", actor="ann", reason="only an address")
    assert mail.level == "secret"
    with pytest.raises(Held):
        levels.set_level(db, mail.id, "public", actor="ann", reason="a business's")
    assert mail.sensitive
    answer(db, 2, True, by=people.identity_of(people.get_user(db, "bob")))
    assert (mail.level, mail.sensitive) == ("public", False)
    _tag(db, columns)
    assert not mail.sensitive
    assert privacy.hiding(db, mail.table_id).row({"mail": "a@b.io"}) == {"mail": "a@a.aa"}  # by itself an address


def test_a_column_that_a_person_said_to_hold_names_in_some_values_is_hidden_whole(
    db: Session, columns: dict[str, LakeColumn]
) -> None:
    """Names are told from other words by dictionaries, which do not know all of them; an address is told by its form,
    so that the other values of its column stay readable."""
    note = columns["note"]
    some = [TagProposal(one, one, 0.6, 0.1, True, contains=True) for one in ("person_name", "email")]
    tags.put_table_tags(db, {note.id: some}, 1)
    of = {tag.domain: tag.id for tag in db.exec(select(Tag).where(Tag.column_id == note.id))}
    tags.decide_tag(db, of["email"], "accepted", "ann")
    assert (note.level, privacy.hiding(db, note.table_id).cell("note", "see Moreno")) == ("internal", "see Moreno")
    tags.decide_tag(db, of["person_name"], "accepted", "ann")
    db.refresh(note)
    assert (note.level, privacy.hiding(db, note.table_id).cell("note", "see Moreno")) == ("personal", "aaa Aaaaaa")
    said = "\n".join(statements("t", acting.meanings(db, note.table_id), system="unity"))
    assert "'sensitivity' = 'personal'" in said
    assert "SET MASK" in said
    accepted = audit.find_events(db, limit=1)[0]
    with pytest.raises(UsageError, match="leaving open 'person_name' shows values"):
        tags.decide_tag(db, of["person_name"], "proposed", "ann")
    undo(db, accepted.id, by=ANN, false_alarm_budget=1.0)
    db.refresh(note)
    assert (note.level, note.sensitive) == ("internal", False)


def test_other_systems_are_told_the_level_that_a_person_said(db: Session, columns: dict[str, LakeColumn]) -> None:
    """Also of a column that no tag speaks of; one that is public by hand is not told as sensitive."""
    for tag in db.exec(select(Tag).where(Tag.sensitive)).all():
        tags.decide_tag(db, tag.id, "accepted", "ann")
    levels.set_level(db, columns["note"].id, "personal", actor="ann")
    levels.set_level(db, columns["mail"].id, "public", actor="ann", reason="a list of firms")
    said = statements("t", acting.meanings(db, columns["mail"].table_id), system="unity")
    of = {name: "\n".join(one for one in said if f"`{name}`" in one) for name in columns}
    assert "sensitive" not in of["mail"]
    assert "MASK" not in of["mail"]
    assert "'sensitivity' = 'secret'" in of["password"]
    assert "COMMENT 'Assay: sensitive'" in of["note"]
    assert "'sensitivity' = 'personal'" in of["note"]
    assert "SET MASK" in of["note"]


def test_what_people_said_of_a_column_tells_what_its_numbers_are(db: Session, columns: dict[str, LakeColumn]) -> None:
    """An average is asked of no identifier: what is proposed counts until somebody rejects it."""
    table, mail = columns["mail"].table_id, db.exec(select(Tag).where(Tag.column_id == columns["mail"].id)).one()
    assert tags.decided_domains(db, table) == {}
    proposed = [
        TagProposal("email", "email", 0.9, 1.0, True),
        TagProposal("iban", "IBAN", 0.9, 0.1, True, contains=True),
    ]
    assert believed(proposed, {}) == {"email"}
    tags.decide_tag(db, mail.id, "rejected", "ann", "a list of names")
    assert tags.decided_domains(db, table) == {"mail": {"email": False}}
    assert believed(proposed, {"email": False, "phone": True}) == {"phone"}


def test_a_level_holds_for_the_same_table_under_a_second_source(db: Session, columns: dict[str, LakeColumn]) -> None:
    note = columns["note"]
    tables.update_table(db, note.table_id, properties={"id": "5f0c"})
    second = upsert_table(db, sources.add_source(db, "mine", "/lake/people").id, "people", "/lake/people")
    tables.update_table(db, second.id, properties={"id": "5f0c"})
    levels.set_level(db, note.id, "secret", actor="ann")
    (copied,) = tables.set_columns(db, second.id, [["note", "string"]])
    tables.set_profile(db, second.id, {"note": {"rows": 2, "low": "carla", "high": "zoe"}})
    tags.put_table_tags(db, {copied.id: []}, 1)
    db.refresh(copied)
    assert (copied.level, copied.sensitive) == ("secret", True)
    assert "carla" not in str(copied.profile)
    levels.set_level(db, note.id, None, actor="ann", reason="it was a test")
    db.refresh(copied)
    assert copied.level == "internal"
    levels.set_level(db, note.id, "personal", actor="ann")  # and of a table that is there already
    db.refresh(copied)
    assert copied.level == "personal"
    levels.set_level(db, copied.id, "internal", actor="ann", reason="as an approver says of this very column")
    db.refresh(copied)
    assert copied.level == "internal"
