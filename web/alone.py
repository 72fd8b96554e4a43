"""Runs that a person waits for on a page while no worker is there: each by a process of its own, one after the other.

The page itself loads no Spark and reads no lake (`workers.alone` does); what is queued for workers stays theirs.
"""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import Engine

from catalog.errors import UsageError
from catalog.settings import Settings
from catalog.store import runs
from catalog.store.engine import session


class Alone:
    """Starts the processes. `settings` are theirs too; `engine` is where a run is told that its process died."""

    def __init__(self, settings: Settings, engine: Engine) -> None:
        self._settings, self._engine = settings, engine
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="alone")
        self._process: subprocess.Popen[bytes] | None = None
        self._taken: set[int] = set()

    def start(self, run_id: int) -> None:
        """Do a run that is queued, after those that were asked for before it."""
        self._taken.add(run_id)
        self._pool.submit(self._do, run_id)

    def has(self, run_id: int | None) -> bool:
        """Whether a run waits here, or is done here now: it waits for no worker."""
        return run_id in self._taken

    def _do(self, run_id: int) -> None:
        try:
            command = [sys.executable, "-m", "workers.alone", str(run_id)]
            environment = {**os.environ, **self._settings.as_environment()}
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                command, env=environment, stdin=subprocess.DEVNULL
            )
            if code := self._process.wait():
                with session(self._engine) as writing:
                    died = UsageError(f"its process ended with {code}", remedy="see the page's log; then try again")
                    runs.fail_run(writing, run_id, died)
        finally:
            self._taken.discard(run_id)

    def close(self) -> None:
        """Take back what waits, and end what runs."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
