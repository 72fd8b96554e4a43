"""A real broker and real worker processes over a throw-away home."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from processes import Workers

from catalog.flow.context import Context
from catalog.settings import Settings
from workers.broker import Broker


@pytest.fixture(scope="module")
def settings(
    tmp_path_factory: pytest.TempPathFactory, spark_settings: Settings, furnished: Callable[[Path], Path]
) -> Settings:
    """An empty home that uses the jars and the starter index of the set-up; a worker is missed after four seconds."""
    home = furnished(tmp_path_factory.mktemp("home"))
    return spark_settings.model_copy(
        update={"home": home, "redis_url": "", "database_url": "", "spark_memory": "1g", "task_timeout": 4}
    )


@pytest.fixture(scope="module")
def broker(settings: Settings) -> Iterator[Broker]:
    with Broker(settings) as broker:
        yield broker


@pytest.fixture(scope="module")
def workers(settings: Settings, broker: Broker) -> Iterator[Workers]:
    workers = Workers(settings, settings.home / "worker.log")
    yield workers
    workers.stop()


@pytest.fixture(scope="module")
def context(settings: Settings) -> Iterator[Context]:
    context = Context(settings)
    yield context
    context.close()
