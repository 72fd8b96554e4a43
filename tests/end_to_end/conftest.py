"""A catalog of its own for each test, with the Spark session of the whole run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog.flow.context import Context
from catalog.settings import Settings


@pytest.fixture
def context(spark: object, spark_settings: Settings, tmp_path: Path) -> Iterator[Context]:
    home = tmp_path / "home"
    home.mkdir()
    context = Context(spark_settings.model_copy(update={"home": home}))
    context.__dict__["spark"] = spark
    yield context
    context.close()
