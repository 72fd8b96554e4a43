"""Alembic migrations of the catalog's database; `catalog.store.engine.upgrade` runs them."""

from __future__ import annotations

from pathlib import Path

MIGRATIONS = Path(__file__).parent


def newest_revision() -> str:
    """The revision that this program knows as the newest, by the names of its migrations: no command should load what
    migrates only to learn that nothing is to be done."""
    return max(path.name[:4] for path in (MIGRATIONS / "versions").glob("[0-9][0-9][0-9][0-9]_*.py"))
