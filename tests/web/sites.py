"""A real catalog in SQLite, filled by the store's own functions, and the application over it.

By a name of its own: which ``conftest`` is the last depends on what else is run.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import Engine

from catalog.settings import Settings
from catalog.store.engine import upgrade
from web.app import create_app

TOKEN = "s3cret-token"  # noqa: S105 - of these tests only


@dataclass(frozen=True)
class Site:
    """An application with its catalog and the ids of what is in it."""

    app: FastAPI
    client: TestClient
    engine: Engine
    ids: dict[str, int]
    settings: Settings


def open_site(home: Path, filled: tuple[Path, dict[str, int]] | None, **values: object) -> Site:
    """An application over a copy of the filled catalog, or over an empty one."""
    home.mkdir(parents=True, exist_ok=True)
    ids: dict[str, int] = {}
    if filled is not None:
        shutil.copy(filled[0], home / "assay.db")
        ids = filled[1]
    settings = Settings(home=home, **values)  # type: ignore[arg-type]
    app = create_app(settings)
    if filled is None:
        upgrade(app.state.engine)
    client = TestClient(app, base_url="http://127.0.0.1:8420", follow_redirects=False)
    return Site(app, client, app.state.engine, ids, settings)
