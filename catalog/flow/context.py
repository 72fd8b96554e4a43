"""What every step of the flow needs: settings, the catalog's engine, a Spark session when one is asked for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import structlog
from sqlalchemy import Engine
from sqlmodel import Session

from catalog.errors import Cancelled, NoRoom, StoreError
from catalog.flow.learning.domains import take_up
from catalog.roles import LOCAL
from catalog.settings import Settings
from catalog.store import runs
from catalog.store.engine import make_engine, session, upgrade
from catalog.wording import counted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

log = structlog.get_logger()

#: A file that keeps room for the last words of a run on a full disk; chosen: a few hundred pages of the database.
ROOM, ROOM_BYTES = "room", 1 << 20
#: A run is thought lost after `runs.STALE_SECONDS` without a sign of life.
RUN_BEAT_SECONDS = runs.STALE_SECONDS / 5


class Context:
    """Opened lazily, so that a step that needs no Spark starts no JVM.

    Parameters
    ----------
    settings : the settings in force.

    `actor` is the name under which decisions are written down (`catalog.store.access.audit`).
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.actor = LOCAL
        self._spark: SparkSession | None = None
        self.rights: frozenset[str] | None = None
        take_up(settings.domains)

    @cached_property
    def engine(self) -> Engine:
        """The catalog's engine, its schema brought up to date."""
        home = self.settings.make_home()
        _keep_room(home / ROOM)
        engine = make_engine(self.settings.database)
        upgrade(engine)
        return engine

    @property
    def spark(self) -> SparkSession:
        """The Spark session, another one where the JVM of the last has ended."""
        from catalog.lake.scanning import session as spark

        if self._spark is None or spark.has_ended():
            self._spark = spark.session(self.settings)
        return self._spark

    @property
    def options(self) -> dict[str, str]:
        """Options of the object store."""
        return self.settings.storage_options

    def transaction(self) -> AbstractContextManager[Session]:
        """A short transaction that may write: committed at the end, rolled back when something is raised. What is
        decided in it is `actor`'s."""
        return session(self.engine, actor=self.actor, rights=self.rights)

    def reading(self) -> AbstractContextManager[Session]:
        """A short look at the catalog that writes nothing."""
        return session(self.engine, write=False)

    def last_words(self, write: Callable[[Session], object]) -> None:
        """A transaction that ends a run: on a full disk it gets the room that is kept for it. Errors: `StoreError`."""
        try:
            with self.transaction() as opened:
                write(opened)
        except NoRoom:
            (self.settings.home / ROOM).unlink(missing_ok=True)
            with self.transaction() as opened:
                write(opened)

    def close(self) -> None:
        if "engine" in self.__dict__:
            self.engine.dispose()
            del self.__dict__["engine"]


def _keep_room(file: Path) -> None:
    """Make the file that keeps room, where there is any."""
    if file.exists():
        return
    try:
        file.touch(0o600)
        file.write_bytes(bytes(ROOM_BYTES))
    except OSError:
        with suppress(OSError):
            file.unlink(missing_ok=True)


class Progress:
    """Tells a run how far it is, at most a few times a second, and hears whether it was cancelled.

    Without a run (``run_id`` None) nothing is written and nothing cancels. Work of several phases is planned: its total
    is told before the first and stays, and what is done never falls.
    """

    INTERVAL = 0.5

    def __init__(self, context: Context, run_id: int | None) -> None:
        self.context, self.run_id = context, run_id
        self.phase, self.pieces, self.of = "", 0, 0
        self.planned = 0
        self.learned = 0  # tables whose first tags and rules are there while others are still read
        self._before, self._worth = 0, 0  # units of the plan: of the phases that are over, of this one
        self._granted = 0
        self._told = 0.0

    def plan(self, units: int) -> None:
        """All work to come is worth so many `units`; phases that were granted none do not count."""
        self.planned = units

    def grant(self, units: int) -> Progress:
        """The next phase is worth so many units of the plan, however many pieces it turns out to have."""
        self._granted = units
        return self

    def begin(self, phase: str, total: int) -> None:
        """A new phase with `total` pieces of work."""
        self._before += self._worth
        self._worth, self._granted = self._granted, 0
        self.phase, self.pieces, self.of = phase, 0, total
        self._tell()

    @property
    def done(self) -> int:
        if not self.planned:
            return self.pieces
        return min(self._before + self._worth * min(self.pieces, self.of) // max(self.of, 1), self.planned)

    @property
    def total(self) -> int:
        return self.planned or self.of

    @property
    def words(self) -> str:
        """The phase, with its own figures where those of the whole work are told beside it."""
        told = f"{self.phase}, {self.pieces:,} of {self.of:,}" if self.planned and self.of > 1 else self.phase
        return f"{told}; {counted(self.learned, 'table')} learned" if self.learned else told

    def advance(self, pieces: int = 1) -> None:
        self.pieces += pieces
        if time.monotonic() - self._told >= self.INTERVAL:
            self._tell()

    def _tell(self) -> None:
        if self.run_id is None:
            return
        self._told = time.monotonic()
        with self.context.transaction() as opened:
            cancelled = runs.progress(opened, self.run_id, self.done, self.total, self.words)
        if cancelled:
            raise Cancelled("the run was cancelled", remedy="start it again: what was done is kept")


@contextmanager
def repeating(work: Callable[[], object], seconds: float, name: str) -> Iterator[None]:
    """Do something every so many seconds, in a thread of that name, while a block goes on. It must not raise."""
    stopped = threading.Event()

    def rounds() -> None:
        while not stopped.wait(seconds):
            work()

    thread = threading.Thread(target=rounds, name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()


def beating(context: Context, run_id: int) -> AbstractContextManager[None]:
    """Say on the run every so often that it is worked on, also while a step takes long to tell of progress."""

    def beat() -> None:
        try:
            with context.transaction() as session:
                runs.progress(session, run_id)
        except StoreError as error:
            log.warning("the run could not be told alive", run_id=run_id, error=str(error))

    return repeating(beat, RUN_BEAT_SECONDS, "run-beat")
