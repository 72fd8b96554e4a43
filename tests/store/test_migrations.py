"""Migrations: what they make is what models.py says, on both databases, however many start at once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import sqlalchemy
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
