"""Counted parts of data files: kept once, forgotten with what they were counted of."""

from __future__ import annotations

import pytest
from singly import upsert_table
from sqlmodel import Session, select

from catalog.store.lake import batches, parts, sources, tables, versions
from catalog.store.models import PartState, Table


@pytest.fixture
def table(db: Session) -> Table:
    return upsert_table(db, sources.add_source(db, "lake", "/lake").id, "orders", "/lake/orders")


def kept(db: Session) -> list[tuple[str, str]]:
    db.expire_all()
    return sorted((one.part, one.file_key) for one in db.exec(select(PartState)))


def put(db: Session, table: Table, *names: tuple[str, str], state: bytes = b"x") -> None:
    told = {"table_id": table.id, "state": state, "error": None}
    rows = [told | {"part": part, "file_key": file} for part, file in names]
    parts.put_parts(db, rows)


def test_a_part_of_a_file_is_kept_once(db: Session, table: Table) -> None:
    put(db, table, ("a", "f1"), ("b", "f1"))
    put(db, table, ("a", "f1"), state=b"another")
    assert kept(db) == [("a", "f1"), ("b", "f1")]
    assert parts.known_parts(db, table.id, ["a"]) == {("a", "f1")}
    assert parts.parts_of(db, table.id, "a", ["f1", "f2"])["f1"].state == b"x"


def test_a_part_that_is_too_large_says_so_instead(db: Session, table: Table) -> None:
    put(db, table, ("a", "f1"), state=b"x" * (parts.LARGEST + 1))
    one = parts.parts_of(db, table.id, "a", ["f1"])["f1"]
    assert one.state is None
    assert one.error == "too many distinct values to keep"


def test_parts_go_with_their_rule_their_file_and_their_table(db: Session, table: Table) -> None:
    put(db, table, ("a", "f1"), ("b", "f1"))
    parts.drop_parts(db, table.id, ["b"])
    assert kept(db) == [("b", "f1")]
    versions.forget_states(db, table.id)
    assert kept(db) == []
    put(db, table, ("a", "f1"))
    batches.forget_history(db, table.id)
    assert kept(db) == []
    put(db, table, ("a", "f1"))
    tables.remove_table(db, table.id)
    db.commit()
    assert kept(db) == []
