"""What every step of the flow needs: settings, the catalog's engine, a Spark session when one is asked for."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING

from sqlalchemy import Engine
from sqlmodel import Session

from catalog.errors import Cancelled
from catalog.settings import Settings
from catalog.store import runs
from catalog.store.engine import make_engine, session, upgrade

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Context:
    """Opened lazily, so that a step that needs no Spark starts no JVM.

    Parameters
    ----------
    settings : the settings in force.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    @cached_property
    def engine(self) -> Engine:
        """The catalog's engine, its schema brought up to date."""
        self.settings.home.mkdir(parents=True, exist_ok=True)
        engine = make_engine(self.settings.database)
        upgrade(engine)
        return engine

    @cached_property
    def spark(self) -> SparkSession:
        from catalog.lake import session as spark

        return spark.session(self.settings)

    @property
    def options(self) -> dict[str, str]:
        """Options of the object store."""
        return self.settings.storage_options

    def transaction(self) -> AbstractContextManager[Session]:
        """A short transaction that may write: committed at the end, rolled back when something is raised."""
        return session(self.engine)

    def reading(self) -> AbstractContextManager[Session]:
        """A short look at the catalog that writes nothing."""
        return session(self.engine, write=False)

    def close(self) -> None:
        if "engine" in self.__dict__:
            self.engine.dispose()
            del self.__dict__["engine"]


class Progress:
    """Tells a run how far it is, at most a few times a second, and hears whether it was cancelled.

    Without a run (``run_id`` None) nothing is written and nothing cancels.
    """

    INTERVAL = 0.5

    def __init__(self, context: Context, run_id: int | None) -> None:
        self.context, self.run_id = context, run_id
        self.phase, self.done, self.total = "", 0, 0
        self._told = 0.0

    def begin(self, phase: str, total: int) -> None:
        """A new phase with `total` pieces of work."""
        self.phase, self.done, self.total = phase, 0, total
        self._tell()

    def advance(self, pieces: int = 1) -> None:
        self.done += pieces
        if time.monotonic() - self._told >= self.INTERVAL:
            self._tell()

    def _tell(self) -> None:
        if self.run_id is None:
            return
        self._told = time.monotonic()
        with self.context.transaction() as opened:
            cancelled = runs.progress(opened, self.run_id, self.done, self.total, self.phase)
        if cancelled:
            raise Cancelled("the run was cancelled", remedy="start it again: what was done is kept")
