"""Migrations: what they make is what models says, on both databases, however many start at once."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlmodel import SQLModel

import catalog.store.models  # noqa: F401
from catalog.errors import StoreError
from catalog.rules.rule import Rule
from catalog.store.engine import make_engine, upgrade
from catalog.store.migrations import MIGRATIONS, newest_revision


def _script() -> ScriptDirectory:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    return ScriptDirectory.from_config(config)


def test_migrations_make_what_the_models_say(empty_url: str) -> None:
    engine = make_engine(empty_url)
    upgrade(engine)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, SQLModel.metadata) == []
        made = sqlalchemy.inspect(connection)
        unique = {one["name"] for one in made.get_indexes("incident") if one["unique"]}
        assert "uq_incident_open" in unique  # partial: compare_metadata does not look at it on SQLite
    engine.dispose()


def test_upgrading_again_changes_nothing(empty_url: str) -> None:
    engine = make_engine(empty_url)
    upgrade(engine)
    upgrade(engine)
    with engine.connect() as connection:
        version = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalars().all()
    assert version == [_script().get_current_head()]
    engine.dispose()


def test_there_is_one_line_of_revisions() -> None:
    assert len(_script().get_heads()) == 1
    assert newest_revision() == _script().get_current_head()  # told by the names of the files, without Alembic


UPGRADE = """
from catalog.store.engine import make_engine, upgrade
#go
upgrade(make_engine(sys.argv[1]))
print("done")
"""


def test_processes_that_start_at_once_upgrade_once(empty_url: str, together: Callable[..., list[str]]) -> None:
    assert together(UPGRADE, 4, empty_url) == ["done"] * 4


def test_a_file_that_another_process_is_making_is_waited_for(tmp_path: Path) -> None:
    maker = sqlite3.connect(tmp_path / "assay.db", isolation_level=None, check_same_thread=False)
    maker.execute("BEGIN IMMEDIATE")  # SQLite refuses to change the journal's mode now, at once
    threading.Timer(0.5, lambda: maker.execute("COMMIT")).start()
    engine = make_engine(f"sqlite:///{tmp_path}/assay.db")
    upgrade(engine)
    with engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
    engine.dispose()
    maker.close()


def test_a_schema_of_a_newer_program_is_refused(empty_url: str) -> None:
    engine = make_engine(empty_url)
    upgrade(engine)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreError, match="newer"):
        upgrade(engine)
    engine.dispose()


def test_outcomes_that_are_there_are_counted_on_their_versions(empty_url: str) -> None:
    """Revision 0002 sums up what revision 0001 kept one by one."""
    engine = make_engine(empty_url)
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        for statement in OLD_ROWS.strip().split(";\n"):
            connection.exec_driver_sql(statement)
        command.upgrade(config, "0002")
        rows = connection.exec_driver_sql(
            "SELECT number, passed, violated, expected_alarms FROM lake_version ORDER BY number"
        ).all()
    assert [tuple(row) for row in rows] == [(0, 1, 1, 0.75), (1, 0, 0, 0.0)]
    engine.dispose()


OLD_ROWS = """
INSERT INTO source VALUES (1, 's', '/', '[]', '[]', '2024-01-01 00:00:00', NULL);
INSERT INTO lake_table (id, source_id, name, uri, status, mode, mode_pinned, seen_version, judged_version,
    first_version, rows, bytes, files, partition_columns, properties, found_at)
    VALUES (1, 1, 't', '/t', 'watched', 'snapshot', false, 1, 1, 0, 0, 0, 0, '[]', '{}', '2024-01-01 00:00:00');
INSERT INTO lake_version (id, table_id, number, committed_at, operation, commit_info, batch, files_added, files_removed,
    schema_columns, status) VALUES
    (1, 1, 0, '2024-01-01 00:00:00', 'WRITE', '{}', 'snapshot', 1, 0, '[]', 'judged'),
    (2, 1, 1, '2024-01-02 00:00:00', 'WRITE', '{}', 'snapshot', 1, 0, '[]', 'known');
INSERT INTO rule (id, table_id, column_name, kind, learner, revision, fingerprint, status, level, fpr, sentence, body,
    since_version, actor, created_at) VALUES
    (1, 1, 'a', 'pattern', 'fmdv', 1, 'f', 'active', 'error', 0.5, 's', '{}', 0, 'assay', '2024-01-01 00:00:00'),
    (2, 1, 'b', 'pattern', 'fmdv', 1, 'f', 'active', 'error', 0.25, 's', '{}', 0, 'assay', '2024-01-01 00:00:00'),
    (3, 1, 'c', 'pattern', 'fmdv', 1, 'f', 'active', 'error', 0.125, 's', '{}', 0, 'assay', '2024-01-01 00:00:00');
INSERT INTO outcome (id, table_id, version, rule_id, status, sentence, detail, replay, judged_at) VALUES
    (1, 1, 0, 1, 'passed', 's', '{}', '{}', '2024-01-01 00:00:00'),
    (2, 1, 0, 2, 'violated', 's', '{}', '{}', '2024-01-01 00:00:00'),
    (3, 1, 0, 3, 'not_applicable', 's', '{}', '{}', '2024-01-01 00:00:00')
"""


def test_what_was_said_of_sensitive_columns_before_is_hidden(empty_url: str) -> None:
    """Revision 0005 takes the values out of sentences and figures that older programs kept; only of sensitive ones."""
    words = "every value is “Marburg fever”"
    clauses = [{"kind": "value", "accepted": ["Marburg fever"], "theta": 0.0, "risk": 0.01, "words": words}]
    body = Rule("vocabulary", "illness", {"clauses": clauses}, 0.01, f"{words}.", "strings").to_json()
    lowest = [{"metric": "min", "lag": 0, "log": False, "low": 31337, "high": 31338}]
    pay = Rule("history", "pay", {"clauses": lowest}, 0.01, "Column 'pay': minimum from 31,337 to 31,338.", "avh")
    engine = make_engine(empty_url)
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    tables = sqlalchemy.MetaData()
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        for statement in OLD_ROWS.strip().split(";\n"):
            connection.exec_driver_sql(statement)
        command.upgrade(config, "0004")
        tables.reflect(connection)
        column, rule, outcome, incident = (
            tables.tables[name] for name in ("lake_column", "rule", "outcome", "incident")
        )
        for number, (name, sensitive) in enumerate((("a", True), ("b", False), ("c", True)), 1):
            row = {"id": number, "table_id": 1, "name": name, "type": "string", "position": number}
            connection.execute(column.insert().values(**row, sensitive=sensitive, profile={}))
        for number, told in ((1, body), (2, body), (3, pay.to_json())):
            said = {"sentence": told["sentence"]}
            connection.execute(rule.update().where(rule.c.id == number).values(body=told, **said))
            figures = {"metric": "min", "value": 9.0, "low": 31337.0, "high": 31338.0} if number == 3 else {}
            detail = {"observed": {"min": 9}, "expected": {"min": [31337, 31338]}} if number == 3 else {"x": words}
            broke = {"status": "violated", "detail": detail, **said, **figures}
            connection.execute(outcome.update().where(outcome.c.id == number).values(**broke))
        row = {"id": 1, "table_id": 1, "kind": "vocabulary", "column_name": "a", "outcome_id": 1, "first_version": 0}
        row |= {"last_version": 0, "level": "error", "status": "new", "sentence": f"{words}."}
        moment = datetime(2026, 1, 1, tzinfo=UTC)
        connection.execute(incident.insert().values(**row, opened_at=moment, updated_at=moment))
        command.upgrade(config, "head")
        told = {one.id: one.sentence for one in connection.execute(sqlalchemy.select(rule))}
        said = {one.id: one for one in connection.execute(sqlalchemy.select(outcome))}
        opened = connection.execute(sqlalchemy.select(incident.c.sentence)).scalar_one()
        kept = connection.execute(sqlalchemy.select(rule.c.body).where(rule.c.id == 1)).scalar_one()
        command.downgrade(config, "0004")
        command.upgrade(config, "head")  # what is hidden already stays as it is
        again = {one.id: one.sentence for one in connection.execute(sqlalchemy.select(outcome))}
    hidden = "every value is one of 1 known value."
    assert told == {
        1: hidden,
        2: f"{words}.",
        3: "Column 'pay': minimum as usual (hidden, since the column is sensitive).",
    }
    assert (said[1].sentence, opened, said[2].sentence) == (hidden, hidden, f"{words}.")
    assert said[3].sentence == "Column 'pay': minimum is not as expected (hidden, since the column is sensitive)."
    assert (said[3].value, said[3].low, said[3].high) == (None, None, None)
    assert "Marburg" not in str(said[1])
    assert "3133" not in str(said[3])
    assert kept == body  # what judging needs is still there
    assert again == {number: one.sentence for number, one in said.items()}
    engine.dispose()


def test_rows_figures_and_evidence_are_hidden_leaf_by_leaf(empty_url: str) -> None:
    """Leaves of structs in kept rows, figures of numbers, what only some values hold, new domains."""
    engine = make_engine(empty_url)
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    tables = sqlalchemy.MetaData()
    row = {"customer": {"email": "ann.lee", "age": 41}, "ip": "192.0.2.7", "note": "ask a@b.io", "other": "flu"}
    figures = {"rows": 9, "quartiles": [31337.0], "metrics": {"min": 31337.0, "mean": 4.0}}
    listed = (("customer.email", True), ("customer.age", False), ("ip", False), ("note", True), ("other", False))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        for statement in OLD_ROWS.strip().split(";\n"):
            connection.exec_driver_sql(statement)
        command.upgrade(config, "0005")
        tables.reflect(connection)
        column, tag, outcome = (tables.tables[name] for name in ("lake_column", "tag", "outcome"))
        moment = datetime(2026, 1, 1, tzinfo=UTC)
        for number, (name, sensitive) in enumerate(listed, 1):
            one = {"id": number, "table_id": 1, "name": name, "type": "string", "position": number}
            connection.execute(column.insert().values(**one, sensitive=sensitive, profile=figures))
        said = (("email", 1, True, {"failing": ["bob"]}), ("ipv4", 3, False, {}), ("email", 4, True, {"inside": True}))
        for number, (domain, of, sensitive, evidence) in enumerate(said, 1):
            one = {"id": number, "column_id": of, "domain": domain, "sensitive": sensitive, "evidence": evidence}
            rest = {"title": "", "score": 0.9, "match_share": 1.0, "generic": False, "status": "proposed", "version": 1}
            times = {"created_at": moment, "updated_at": moment}
            connection.execute(tag.insert().values(**one, **rest, **times, actor="assay"))
        connection.execute(outcome.update().where(outcome.c.id == 2).values(rows=[row]))
        command.upgrade(config, "head")
        columns = {one.name: one for one in connection.execute(sqlalchemy.select(column))}
        kept = connection.execute(sqlalchemy.select(outcome.c.rows).where(outcome.c.id == 2)).scalar_one()
        told = connection.execute(sqlalchemy.text("SELECT contains FROM tag ORDER BY id")).scalars().all()
        evidence = connection.execute(sqlalchemy.select(tag.c.evidence).order_by(tag.c.id)).scalars().all()
    assert [name for name, one in columns.items() if one.sensitive] == ["customer.email", "ip"]
    assert columns["ip"].profile == {"rows": 9, "metrics": {}}
    assert columns["other"].profile == figures
    masked = {"customer": {"email": "aaa.aaa", "age": 41}, "ip": "999.9.9.9", "note": "aaa a@a.aa", "other": "flu"}
    assert kept == [masked]
    assert [bool(one) for one in told] == [False, False, True]
    assert evidence == [{"failing": ["aaa"]}, {}, {}]
    engine.dispose()


def test_examples_of_sensitive_columns_that_are_there_are_masked(empty_url: str) -> None:
    engine = make_engine(empty_url)
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    tables = sqlalchemy.MetaData()
    clauses = [{"kind": "value", "accepted": ["flu"], "theta": 0.0, "risk": 0.01, "words": "every value is “flu”"}]
    told = Rule("vocabulary", "a", {"clauses": clauses}, 0.01, "every value is “flu”.", "strings")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        for statement in OLD_ROWS.strip().split(";\n"):
            connection.exec_driver_sql(statement)
        command.upgrade(config, "0034")
        tables.reflect(connection)
        column, rule = tables.tables["lake_column"], tables.tables["rule"]
        for number, (name, sensitive) in enumerate((("a", True), ("b", False)), 1):
            row = {"id": number, "table_id": 1, "name": name, "type": "string", "position": number}
            connection.execute(column.insert().values(**row, sensitive=sensitive, profile={"rows": 9}))
            body = replace(told, column=name, evidence={"examples": {"passing": ["flu"], "breaking": ["x@b.io"]}})
            connection.execute(rule.update().where(rule.c.id == number).values(column_name=name, body=body.to_json()))
        command.upgrade(config, "head")
        kept = connection.execute(sqlalchemy.select(rule.c.body).order_by(rule.c.id)).scalars().all()
    shown = [one["evidence"]["examples"] for one in kept if one and "evidence" in one and "examples" in one["evidence"]]
    assert shown == [{"passing": ["aaa"], "breaking": ["a@a.aa"]}, {"passing": ["flu"], "breaking": ["a@a.aa"]}]
    assert kept[0]["params"] == told.params  # what judging needs is still there
    engine.dispose()
