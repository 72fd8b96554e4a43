"""Applications over a real catalog in SQLite, as fixtures."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from shop import fill
from sites import TOKEN, Site, open_site

from catalog.store.engine import make_engine, upgrade


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, int]]:
    """A catalog file that tests copy, and the ids in it."""
    path = tmp_path_factory.mktemp("catalog") / "assay.db"
    engine = make_engine(f"sqlite:///{path}")
    upgrade(engine)
    ids = fill(engine)
    engine.dispose()
    return path, ids


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
def empty_site(tmp_path: Path, sqlite_template: Path) -> Iterator[Site]:
    """A catalog in which nothing is registered."""
    shutil.copy(sqlite_template, tmp_path / "assay.db")
    opened = open_site(tmp_path, None)
    yield opened
    opened.engine.dispose()


@pytest.fixture
def guarded_site(tmp_path: Path, filled: tuple[Path, dict[str, int]]) -> Iterator[Site]:
    """The shop's catalog behind an access token."""
    opened = open_site(tmp_path, filled, access_token=TOKEN, host="0.0.0.0")  # noqa: S104 - nothing is bound
    yield opened
    opened.engine.dispose()
