"""What waits for a second person where a source is forgotten, and numbers that are not given again."""

from __future__ import annotations

import pytest
from singly import upsert_table
from sqlmodel import Session

from catalog.errors import Held, UsageError
from catalog.roles import Identity
from catalog.store.access import approvals, people
from catalog.store.access.answers import answer
from catalog.store.lake import sources, tables
from catalog.store.meaning import levels
from catalog.store.models import Approval, LakeColumn, Source, Table

BOB = "bob"


def _lake(db: Session, name: str) -> LakeColumn:
    source = sources.add_source(db, name, f"/{name}")
    table = upsert_table(db, source.id, "people", f"/{name}/people")
    return tables.set_columns(db, table.id, [["note", "string"]])[0]


@pytest.fixture
def bob(db: Session) -> Identity:
    for name in ("ann", BOB):
        people.add_user(db, name, "correct horse battery", "admin", actor="local")
    approvals.require(db, True, actor="ann")
    return people.identity_of(people.get_user(db, BOB))


def test_a_request_about_a_forgotten_column_is_not_carried_out_on_another(db: Session, bob: Identity) -> None:
    note = _lake(db, "a")
    levels.set_level(db, note.id, "secret", actor="ann")
    with pytest.raises(Held):
        levels.set_level(db, note.id, "internal", actor="ann", reason="only words")
    with pytest.raises(Held, match="forget source a"):
        sources.remove_source(db, db.get_one(Table, note.table_id).source_id)
    assert db.get(Source, 1) is not None
    answer(db, 2, True, by=bob)
    assert db.get(Source, 1) is None
    level = db.get_one(Approval, 1)
    assert (level.status, level.answer) == ("rejected", "its table was forgotten")
    other = _lake(db, "b")
    levels.set_level(db, other.id, "personal", actor="ann")
    with pytest.raises(UsageError, match="was rejected"):
        answer(db, 1, True, by=bob)
    assert other.level == "personal"


def test_forgetting_one_table_needs_a_second_person_too(db: Session, bob: Identity) -> None:
    table = db.get_one(Table, _lake(db, "a").table_id)
    table.status = "vanished"
    db.flush()
    with pytest.raises(Held, match="forget table a/people"):
        tables.forget_table(db, table.id)
    answer(db, 1, True, by=bob)
    assert db.get(Table, table.id) is None


def test_numbers_are_given_once(db: Session) -> None:
    """A decision, a report or a link that names one does not come to mean something else."""
    first = _lake(db, "a")
    told = first.id, first.table_id, db.get_one(Table, first.table_id).source_id
    sources.remove_source(db, told[2])
    db.flush()
    second = _lake(db, "b")
    now = second.id, second.table_id, db.get_one(Table, second.table_id).source_id
    assert all(new > old for new, old in zip(now, told, strict=True))
