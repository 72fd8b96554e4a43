"""A real catalog in SQLite, filled by the store's own functions, and the application over it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import Engine

sys.path.insert(0, str(Path(__file__).parent))

from shop import fill

from catalog.settings import Settings
from catalog.store.engine import make_engine, upgrade
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


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, int]]:
    """A catalog file that tests copy, and the ids in it."""
    path = tmp_path_factory.mktemp("catalog") / "assay.db"
    engine = make_engine(f"sqlite:///{path}")
    upgrade(engine)
    ids = fill(engine)
    engine.dispose()
    return path, ids


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


@pytest.fixture
def site(tmp_path: Path, filled: tuple[Path, dict[str, int]]) -> Iterator[Site]:
    """The shop's catalog, without an access token."""
    opened = open_site(tmp_path, filled)
    yield opened
    opened.engine.dispose()


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory, filled: tuple[Path, dict[str, int]]) -> Iterator[Site]:
    """The shop's catalog for tests that only read."""
    opened = open_site(tmp_path_factory.mktemp("shelf"), filled)
    yield opened
    opened.engine.dispose()


@pytest.fixture
def empty_site(tmp_path: Path) -> Iterator[Site]:
    """A catalog in which nothing is registered."""
    opened = open_site(tmp_path, None)
    yield opened
    opened.engine.dispose()


@pytest.fixture
def guarded_site(tmp_path: Path, filled: tuple[Path, dict[str, int]]) -> Iterator[Site]:
    """The shop's catalog behind an access token."""
    opened = open_site(tmp_path, filled, access_token=TOKEN, host="0.0.0.0")  # noqa: S104 - nothing is bound
    yield opened
    opened.engine.dispose()
