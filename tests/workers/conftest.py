"""A real broker and real worker processes over a throw-away home."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from catalog.flow.context import Context
from catalog.service import as_environment
from catalog.settings import Settings
from workers.broker import Broker, workers_alive

PATIENCE = 180.0


class Workers:
    """Starts worker processes and ends those it started."""

    def __init__(self, settings: Settings, log: Path) -> None:
        self.settings, self.log = settings, log
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self) -> subprocess.Popen[bytes]:
        """A worker that beats."""
        with open(self.log, "ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "catalog.cli", "worker"],
                env={**os.environ, **as_environment(self.settings)},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.processes.append(process)
        until(lambda: workers_alive(self.settings) > 0, "a worker beats", self.log)
        return process

    def stop(self) -> None:
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(30)
                except subprocess.TimeoutExpired:
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
        self.processes.clear()


def until(ready: Callable[[], bool], what: str, log: Path | None = None, seconds: float = PATIENCE) -> None:
    """Wait until something is so; the end of the log tells why it is not."""
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            told = log.read_text()[-4000:] if log and log.exists() else ""
            pytest.fail(f"waited {seconds:.0f} s, but never: {what}\n{told}")
        time.sleep(0.02)


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory, jars_home: Path) -> Settings:
    home = tmp_path_factory.mktemp("home")
    (jars_home / "jars").mkdir(parents=True, exist_ok=True)
    (home / "jars").symlink_to(jars_home / "jars", target_is_directory=True)
    return Settings(
        home=home, redis_url="", database_url="", spark_master="local[2]", spark_memory="1g", task_timeout=4
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
