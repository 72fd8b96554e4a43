"""Worker processes, and waiting for what they do."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from catalog.settings import Settings
from workers.broker import workers_alive

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
                env={**os.environ, **self.settings.as_environment()},
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


def until(
    ready: Callable[[], bool], what: str, log: Path | None = None, seconds: float = PATIENCE, *, every: float = 0.2
) -> None:
    """Wait until something is so; the end of the log tells why it is not. To look takes processor time from what is
    waited for, and some seconds are waited in all cases: often (`every`) looks who may come too late."""
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            told = log.read_text()[-4000:] if log and log.exists() else ""
            pytest.fail(f"waited {seconds:.0f} s, but never: {what}\n{told}")
        time.sleep(every)
