"""Migrations: what they make is what models.py says, on both databases, however many start at once."""

from __future__ import annotations

from collections.abc import Callable

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
from catalog.store.engine import MIGRATIONS, make_engine, upgrade


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


UPGRADE = """
from catalog.store.engine import make_engine, upgrade
#go
upgrade(make_engine(sys.argv[1]))
print("done")
"""


def test_processes_that_start_at_once_upgrade_once(empty_url: str, together: Callable[..., list[str]]) -> None:
    assert together(UPGRADE, 4, empty_url) == ["done"] * 4


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
