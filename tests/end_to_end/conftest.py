"""A catalog of its own for each test, with the Spark session of the whole run."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import structlog
from assay_command import Assay, Within

from catalog.cli import console
from catalog.flow.context import Context
from catalog.settings import Settings, get_settings


@pytest.fixture
def home(tmp_path: Path, sqlite_template: Path, furnished: Callable[[Path], Path]) -> Path:
    """A home with an empty catalog."""
    home = furnished(tmp_path / "home")
    shutil.copy(sqlite_template, home / "assay.db")
    return home


@pytest.fixture
def context(spark: object, spark_settings: Settings, home: Path) -> Iterator[Context]:
    context = Context(spark_settings.model_copy(update={"home": home}))
    context.__dict__["spark"] = spark
    yield context
    context.close()


@pytest.fixture(autouse=True)
def terminal() -> None:
    """A console keeps the width of the terminal it was made in: each test sees one of its own."""
    console.out.cache_clear()
    console.err.cache_clear()


@pytest.fixture
def assay(tmp_path: Path, spark_settings: Settings, furnished: Callable[[Path], Path]) -> Assay:
    home = furnished(tmp_path / "home")  # empty, as a newcomer's
    return Assay(spark_settings.model_copy(update={"home": home, "port": 0, "watch_seconds": 0.5}))


@pytest.fixture
def within(
    assay: Assay, spark: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Within]:
    for name, value in assay.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("RUST_LOG", "off")  # the command sets it
    yield Within(assay.settings, capsys)
    get_settings.cache_clear()
    structlog.reset_defaults()
