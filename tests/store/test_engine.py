"""The engine: both databases behave alike, and keep what untrusted input brings."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy
from sqlalchemy import Engine
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, select

from catalog.errors import SettingError, StoreError, UsageError
from catalog.store.engine import insert_new, make_engine, session, upgrade
from catalog.store.lake import sources
from catalog.store.models import LakeColumn, Source, Table


def test_making_an_engine_connects_to_nothing() -> None:
    assert make_engine("postgresql://nobody@nowhere.invalid/none").url.host == "nowhere.invalid"
    assert make_engine("postgres://a@b/c").url.drivername == "postgresql+psycopg"


@pytest.mark.parametrize("address", ["mysql://a/b", "what", "", "oracle+none://x"])
def test_an_address_of_another_kind_is_refused_with_a_remedy(address: str) -> None:
    with pytest.raises(SettingError, match="sqlite:///path"):
        make_engine(address)


def test_sqlite_is_set_up_for_several_processes(tmp_path: Path) -> None:
    engine = make_engine(f"sqlite:///{tmp_path / 'a b' / 'c%d.db'}")
    with engine.connect() as connection:
        pragma = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "foreign_keys", "busy_timeout")
        }
    assert pragma == {"journal_mode": "wal", "foreign_keys": 1, "busy_timeout": 30_000}


def test_a_database_that_cannot_be_opened_says_so(tmp_path: Path) -> None:
    (tmp_path / "assay.db").write_text("this is not a database, it is a text that is long enough to be looked at" * 20)
    with pytest.raises((StoreError, sqlalchemy.exc.DatabaseError)):
        upgrade(make_engine(f"sqlite:///{tmp_path / 'assay.db'}"))
    with pytest.raises(StoreError, match="ASSAY_DATABASE_URL"):
        upgrade(make_engine("postgresql://nobody@/none?host=/nowhere"))


def test_a_session_commits_at_its_end_and_rolls_back_on_an_error(engine: Engine) -> None:
    with session(engine) as current:
        current.add(Source(name="kept", uri="/a"))
    with pytest.raises(IntegrityError), session(engine) as current:
        current.add_all([Source(name="lost", uri="/b"), Source(name="kept", uri="/again")])
    with session(engine, write=False) as current:
        kept = current.exec(select(Source)).all()
    assert [source.name for source in kept] == ["kept"]  # readable after the session


def test_foreign_keys_are_checked(engine: Engine) -> None:
    with pytest.raises(IntegrityError), session(engine) as current:
        current.add(Table(source_id=12345, name="orphan", uri="/x"))


def test_times_keep_their_moment_whatever_their_zone(engine: Engine) -> None:
    moment = datetime(2024, 2, 29, 23, 30, 1, 250, tzinfo=timezone(timedelta(hours=-5)))
    with session(engine) as current:
        current.add(Source(name="s", uri="/", crawled_at=moment))
    with session(engine) as current:
        found = current.exec(select(Source)).one().crawled_at
    assert found == moment
    assert found is not None
    assert found.utcoffset() == UTC.utcoffset(None)


def test_what_one_database_cannot_keep_is_cleaned_alike_on_both(db: Session) -> None:
    source = Source(name="a\x00b\ud800", uri="/")
    db.add(source)
    db.flush()
    table = Table(source_id=source.id, name="t", uri="/", properties={"a": float("nan"), "b": [float("inf"), "\x00"]})
    db.add(table)
    db.flush()
    db.expire_all()
    assert db.exec(select(Source)).one().name == "a\ufffdb\ufffd"
    assert db.exec(select(Source).where(Source.name == "a\x00b\ud800")).one()  # found by its own name
    assert db.exec(select(Table)).one().properties == {"a": None, "b": [None, "\x00"]}


def test_insert_new_ignores_what_is_there_and_fills_in_defaults(db: Session) -> None:
    rows = [{"name": name, "uri": "/"} for name in ("a", "b", "a")]
    assert sorted(insert_new(db, Source, rows, returning=[Source.name])) == [("a",), ("b",)]
    assert insert_new(db, Source, [*rows, {"name": "c", "uri": "/"}], returning=[Source.name]) == [("c",)]
    assert insert_new(db, Source, []) == []
    assert [source.include for source in db.exec(select(Source))] == [[], [], []]
    with pytest.raises(ValueError, match="colour"):
        insert_new(db, Source, [{"name": "x", "uri": "/", "colour": "red"}])


def test_a_reader_does_not_wait_for_a_writer(engine: Engine) -> None:
    """One that waited would wait for its own process, until the database gives up with an error."""
    with session(engine) as writer:
        writer.add(Source(name="s", uri="/"))
        writer.flush()
        with session(engine, write=False) as reader:
            assert reader.exec(select(Source)).all() == []


def test_a_writer_that_read_first_waits_for_another_instead_of_failing(engine: Engine) -> None:
    """The case in which SQLite fails at once without BEGIN IMMEDIATE, whatever its timeout."""

    def add(name: str) -> None:
        with session(engine) as current:
            current.exec(select(Source)).all()
            time.sleep(0.02)
            current.add(Source(name=name, uri="/"))

    threads = [threading.Thread(target=add, args=(str(number),)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with session(engine, write=False) as current:
        assert len(current.exec(select(Source)).all()) == 8


def _child(engine: Engine, queue: multiprocessing.Queue[str]) -> None:
    with session(engine) as current:
        current.add(Source(name=f"child {os.getpid()}", uri="/"))
    queue.put("done")


def test_a_forked_child_uses_connections_of_its_own(engine: Engine) -> None:
    with session(engine) as current:
        current.add(Source(name="parent", uri="/"))
    context = multiprocessing.get_context("fork")
    queue: multiprocessing.Queue[str] = context.Queue()
    children = [context.Process(target=_child, args=(engine, queue)) for _ in range(3)]
    for child in children:
        child.start()
    assert [queue.get(timeout=60) for _ in children] == ["done"] * 3
    for child in children:
        child.join(60)
    with session(engine, write=False) as current:
        assert len(current.exec(select(Source)).all()) == 4


def test_a_thousand_columns_are_inserted_in_one_go(db: Session) -> None:
    source = Source(name="s", uri="/")
    db.add(source)
    db.flush()
    table = Table(source_id=source.id, name="t", uri="/")
    db.add(table)
    db.flush()
    rows = [{"table_id": table.id, "name": f"c{n}", "type": "long", "position": n} for n in range(5000)]
    assert len(insert_new(db, LakeColumn, rows, returning=[LakeColumn.id])) == 5000


def test_json_holds_nothing_that_is_no_text(db: Session) -> None:
    """A lone surrogate passes through JSON as an escape, and could then be written on no page."""
    source = sources.add_source(db, "lake", "/lake")
    source.include = ["\ud800x", "\U0001f600"]
    db.flush()
    db.expire_all()
    assert sources.get_source(db, "lake").include == ["\ufffdx", "\U0001f600"]


def test_what_older_programs_stored_can_be_shown(db: Session) -> None:
    sources.add_source(db, "lake", "/lake")
    db.connection().exec_driver_sql("""UPDATE source SET include = '["\\ud800x"]'""")
    db.expire_all()
    assert sources.get_source(db, "lake").include == ["\ufffdx"]


def test_errors_quote_nothing_that_was_to_be_stored(db: Session) -> None:
    with pytest.raises(sqlalchemy.exc.DBAPIError) as caught:
        db.connection().execute(sqlalchemy.text("SELECT nothing FROM nowhere WHERE a = :a"), {"a": "ann.lee"})
    assert "ann.lee" not in str(caught.value)


@pytest.mark.parametrize("wrong", [{"name": "\ud800"}, {"uri": "/\udcff"}, {"include": ["a", "\ud800"]}])
def test_texts_that_are_none_are_refused(db: Session, wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="no text"):
        sources.add_source(db, **{"name": "lake", "uri": "/lake", **wrong})
