"""Runs with their progress, and leases that keep two workers off the same table.

The functions take a session and never commit; `TableLock` works in transactions of its own, because a lock that others
cannot see yet is none.
"""

from __future__ import annotations

import os
import socket
import threading
import time
import uuid
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Engine, and_, delete, or_, update
from sqlmodel import Session, col, func, select

from catalog.errors import AssayError, NotFound, StoreError
from catalog.store.engine import chunks, dialect_insert, session
from catalog.store.models import Lease, Run, Source, Table, now
from catalog.tags.privacy.inside import without_values

LEASE_SECONDS = 60.0  # chosen: several beats, so that one that is late loses nothing
STALE_SECONDS = 90.0  # chosen: a run without a sign of life for so long is lost
WAITS_SECONDS = 3600.0  # chosen
LONG_SECONDS = 60.0  # chosen: a crawl that takes longer shuts nobody out of what it has read
#: Under which the figures of a crawl of several tables say of which.
TABLES = "table_ids"
INTERRUPTED = "the worker stopped before it was done"


def queue_run(
    current: Session,
    kind: str,
    title: str = "",
    *,
    source_id: int | None = None,
    table_id: int | None = None,
    stats: dict[str, Any] | None = None,
) -> Run:
    """A new run that waits for a worker. `kind`: crawl, check, preview, demo, drill, upgrade; `stats`: what it is
    asked, until it says what it did."""
    run = Run(kind=kind, title=title, source_id=source_id, table_id=table_id, stats=stats or {})
    current.add(run)
    current.flush()
    return run


def start_run(current: Session, run_id: int) -> bool:
    """A worker takes the run. False when there is nothing left to do: it is done, failed or cancelled, or gone.

    A run that is running already is taken over: its task was delivered again because its worker was lost.
    """
    run = current.get(Run, run_id, with_for_update=True)
    if run is None:
        return False
    interrupted = run.status == "failed" and run.error == INTERRUPTED
    if run.status not in ("queued", "running") and not interrupted:
        return False
    run.status, run.error, run.remedy, run.finished_at = "running", None, None, None
    run.attempts += 1
    run.started_at = run.started_at or now()
    run.heartbeat_at = now()
    current.flush()
    return True


def progress(
    current: Session, run_id: int, done: int | None = None, total: int | None = None, phase: str | None = None
) -> bool:
    """Say how far a run is, and that its worker lives (`recover_runs` may have thought otherwise, and is taken back).
    True when somebody asked it to stop."""
    values: dict[str, Any] = {"done": done, "total": total, "phase": phase}
    values = {name: value for name, value in values.items() if value is not None}
    query = update(Run).where(col(Run.id) == run_id, or_(col(Run.status) == "running", _interrupted()))
    values |= {"status": "running", "error": None, "remedy": None, "finished_at": None, "heartbeat_at": now()}
    current.exec(query.values(**values).execution_options(synchronize_session=False))
    cancel = current.exec(select(Run.cancel).where(Run.id == run_id)).first()
    return bool(cancel)


def finish_run(current: Session, run_id: int, stats: dict[str, Any] | None = None) -> None:
    """The run did its work: all of it, phases that turned out to have nothing to do among it."""
    _end(current, run_id, "done", stats=stats or {}, done=col(Run.total), phase="")


def fail_run(current: Session, run_id: int, error: Exception) -> None:
    """The run could not do its work: cause and remedy stay on it."""
    cause = error.cause if isinstance(error, AssayError) else f"{type(error).__name__}: {error}"
    remedy = error.remedy if isinstance(error, AssayError) else "see the worker's log"
    _end(current, run_id, "failed", error=without_values(cause), remedy=remedy or None)


def end_cancelled(current: Session, run_id: int, stats: dict[str, Any] | None = None) -> None:
    """The run stopped because it was asked to; what it was asked to do stays on it unless it says what it did."""
    _end(current, run_id, "cancelled", **({"stats": stats} if stats else {}))


def cancel_run(current: Session, run_id: int) -> Run:
    """A person stops a run: a queued one at once, a running one when it next reports its progress.
    Errors: `NotFound`."""
    run = current.get(Run, run_id, with_for_update=True)
    if run is None:
        raise NotFound(f"no run {run_id}", remedy="the page Runs and `assay run list` show those there are")
    if run.status in ("queued", "running"):
        run.cancel = True
        if run.status == "queued":
            run.status, run.finished_at = "cancelled", now()
    current.flush()
    return run


def last_of_table(current: Session, table_id: int, kind: str) -> tuple[Run | None, Run | None]:
    """The last run of a kind on a table that did its work, and the one that is under way or failed since."""
    query = select(Run).where(Run.table_id == table_id, Run.kind == kind).order_by(col(Run.id).desc())
    newest = current.exec(query.limit(1)).first()
    done = current.exec(query.where(Run.status == "done").limit(1)).first()
    return done, newest if newest is not None and (done is None or newest.id != done.id) else None


def get_run(current: Session, run_id: int) -> Run:
    """Errors: `NotFound`."""
    run = current.get(Run, run_id)
    if run is None:
        raise NotFound(f"no run {run_id}", remedy="the page Runs and `assay run list` show those there are")
    return run


def current_runs(current: Session) -> list[Run]:
    """What runs or waits now, oldest first."""
    query = select(Run).where(col(Run.status).in_(("queued", "running")))
    return list(current.exec(query.order_by(col(Run.queued_at), col(Run.id))))


def waiting_runs(current: Session, seconds: float) -> list[int]:
    """Ids of the runs that have waited for a worker for so long, oldest first; none that is taken for lost."""
    since, until = now() - timedelta(seconds=WAITS_SECONDS), now() - timedelta(seconds=seconds)
    query = select(Run.id).where(Run.status == "queued", col(Run.queued_at) > since, col(Run.queued_at) < until)
    return list(current.exec(query.order_by(col(Run.queued_at), col(Run.id))))


def wait_again(current: Session, run_id: int) -> None:
    """A run whose tables somebody else has waits for the next worker."""
    query = update(Run).where(col(Run.id) == run_id, col(Run.status) == "running")
    current.exec(query.values(status="queued").execution_options(synchronize_session=False))


def busy_tables(current: Session) -> set[int]:
    """Ids of the tables that a process has locked, or whose source or which themselves a run under way is about; where
    the crawl of a source takes longer than `LONG_SECONDS`, those of its tables that nobody has read yet.

    A run that has waited for a worker longer than `WAITS_SECONDS` is taken for lost.
    """
    waits = (col(Run.status) == "queued") & (col(Run.queued_at) > now() - timedelta(seconds=WAITS_SECONDS))
    is_long = (col(Run.status) == "running") & (col(Run.started_at) < now() - timedelta(seconds=LONG_SECONDS))
    query = select(Run.source_id, Run.table_id, is_long)
    query = query.where(Run.kind == "crawl", (col(Run.status) == "running") | waits)
    under_way = current.exec(query).all()
    busy = {table_id for _, table_id, _ in under_way if table_id is not None}
    for source_id, _, long in under_way:
        of_source = select(Table.id).where(Table.source_id == source_id)
        if source_id is not None:
            busy |= set(current.exec(of_source.where(col(Table.seen_version) < 0) if long else of_source))
    leased = current.exec(select(Lease.name).where(Lease.expires_at > _clock(current), col(Lease.name).like("table:%")))
    return busy | {int(name.removeprefix("table:")) for name in leased}


def cancelled_crawls(current: Session) -> dict[int, datetime]:
    """Sources whose last crawl was cancelled, by id, with when it ended: nobody wants it taken up at once."""
    last = select(func.max(Run.id)).where(Run.kind == "crawl", col(Run.source_id).is_not(None))
    last = last.group_by(col(Run.source_id))
    query = select(Run.source_id, Run.finished_at).where(col(Run.id).in_(last), Run.status == "cancelled")
    return {source_id: at for source_id, at in current.exec(query) if source_id is not None and at is not None}


def resting_tables(current: Session) -> set[int]:
    """Ids of the tables of these sources, and of those whose own last crawl was cancelled since their source was looked
    through."""
    resting = cancelled_crawls(current)
    found = set(current.exec(select(Table.id).where(col(Table.source_id).in_(resting)))) if resting else set()
    return found | _resting_alone(current)


def _resting_alone(current: Session) -> set[int]:
    looked = current.exec(select(func.min(Source.crawled_at))).one()
    cancelled = select(func.min(Run.id)).where(Run.kind == "crawl", Run.status == "cancelled")
    cancelled = cancelled.where(col(Run.source_id).is_(None))
    since = current.exec(cancelled if looked is None else cancelled.where(col(Run.finished_at) >= looked)).one()
    if since is None:
        return set()
    query = select(Run).where(Run.kind == "crawl", col(Run.id) >= since, col(Run.source_id).is_(None))
    last = {table_id: run for run in current.exec(query.order_by(col(Run.id))) for table_id in tables_of(run)}
    stopped = {table_id: run.finished_at for table_id, run in last.items() if run.status == "cancelled"}
    crawled = select(Table.id, Source.crawled_at).join(Source, col(Source.id) == col(Table.source_id))
    found: set[int] = set()
    for part in chunks(sorted(stopped)):
        for table_id, at in current.exec(crawled.where(col(Table.id).in_(part))):
            if at is None or (ended := stopped[table_id]) is None or ended >= at:
                found.add(table_id)
    return found


def tables_of(run: Run) -> list[int]:
    """The tables that a crawl of some tables is of."""
    return [run.table_id] if run.table_id is not None else list(run.stats.get(TABLES, ()))


def recover_runs(current: Session, stale_seconds: float = STALE_SECONDS) -> list[int]:
    """Mark runs whose worker has not been heard of for so long as failed; if their task is delivered again, `start_run`
    takes them up. Returns their ids."""
    limit = now() - timedelta(seconds=stale_seconds)
    query = (
        update(Run)
        .where(col(Run.status) == "running", func.coalesce(Run.heartbeat_at, Run.started_at) < limit)
        .values(status="failed", error=INTERRUPTED, remedy="it goes on by itself, or start it again", finished_at=now())
        .returning(col(Run.id))
        .execution_options(synchronize_session=False)
    )
    return sorted(key for (key,) in current.execute(query))


def acquire(current: Session, names: Iterable[str], holder: str, seconds: float = LEASE_SECONDS) -> set[str]:
    """Take or renew leases for `seconds`. Returns the names that `holder` has now; others hold the rest."""
    held: set[str] = set()
    clock = _clock(current)
    table = Lease.__table__  # type: ignore[attr-defined]
    for part in chunks(sorted(set(names)), 1000):
        rows = [{"name": name, "holder": holder, "expires_at": clock + seconds} for name in part]
        statement = dialect_insert(current, table).values(rows)
        mine_or_free = (table.c.holder == holder) | (table.c.expires_at < clock)
        statement = statement.on_conflict_do_update(
            index_elements=[table.c.name],
            set_={"holder": statement.excluded.holder, "expires_at": statement.excluded.expires_at},
            where=mine_or_free,
        )
        held.update(name for (name,) in current.execute(statement.returning(table.c.name)))
    return held


def release(current: Session, names: Iterable[str], holder: str) -> None:
    """Give leases back; those that `holder` does not have stay as they are."""
    for part in chunks(sorted(set(names))):
        current.exec(delete(Lease).where(col(Lease.name).in_(part), col(Lease.holder) == holder))


class TableLock:
    """Leases on tables for the time of a ``with`` block, renewed in the background.

    Parameters
    ----------
    engine : the catalog's database.
    table_ids : tables to lock; those that somebody else has are left out.
    seconds : time after which the lease of a killed process runs out.

    `held` are the ids of the tables that are ours: work on these only. `check()` raises `StoreError` when they are not
    ours any more (this process was stopped for longer than the lease).
    """

    def __init__(self, engine: Engine, table_ids: Sequence[int], *, seconds: float = LEASE_SECONDS) -> None:
        self.holder = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self.held: set[int] = set()
        self._engine, self._ids, self._seconds = engine, sorted(set(table_ids)), seconds
        self._stop, self._changing = threading.Event(), threading.Lock()
        self._lost = False
        self._thread = threading.Thread(target=self._renew, name="table-lock", daemon=True)

    def __enter__(self) -> TableLock:
        self.held = self._acquire(self._ids)
        if self.held:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        if self.held:
            with session(self._engine) as current:
                release(current, map(_lease_name, self.held), self.holder)

    def give_back(self, ids: Iterable[int]) -> None:
        """Let others have these tables before the block ends."""
        with self._changing:
            free = self.held & set(ids)
            self.held = self.held - free
            if free:
                with session(self._engine) as current:
                    release(current, map(_lease_name, free), self.holder)

    def check(self) -> None:
        """Errors: `StoreError` when the lock was lost."""
        if self._lost:
            raise StoreError("the lock on the table was lost", remedy="the step is done again by whoever has it now")

    def _acquire(self, ids: Iterable[int]) -> set[int]:
        names = {_lease_name(key): key for key in ids}
        if not names:
            return set()
        with session(self._engine) as current:
            return {names[name] for name in acquire(current, names, self.holder, self._seconds)}

    def _renew(self) -> None:
        last = time.monotonic()
        while not self._stop.wait(self._seconds / 4):
            try:
                with self._changing:
                    self._lost |= self._acquire(self.held) != self.held
                last = time.monotonic()
            except StoreError:  # tried again: the lease lasts for some more attempts
                self._lost |= time.monotonic() - last > self._seconds


def table_lock(engine: Engine, table_ids: int | Sequence[int], *, seconds: float = LEASE_SECONDS) -> TableLock:
    """``with table_lock(engine, ids) as lock: crawl(lock.held)``: see `TableLock`."""
    return TableLock(engine, [table_ids] if isinstance(table_ids, int) else table_ids, seconds=seconds)


def _lease_name(table_id: int) -> str:
    return f"table:{table_id}"


def _clock(current: Session) -> float:
    """Seconds since 1970 by the one clock that all processes share: PostgreSQL's, or this machine's."""
    if current.get_bind().dialect.name == "postgresql":
        return float(current.execute(select(func.extract("epoch", func.clock_timestamp()))).scalar_one())
    return time.time()


def _end(current: Session, run_id: int, status: str, **values: Any) -> None:
    unfinished = or_(col(Run.status).in_(("queued", "running")), _interrupted())
    values = {"error": None, "remedy": None, **values, "status": status, "finished_at": now()}
    current.exec(update(Run).where(col(Run.id) == run_id, unfinished).values(**values))


def _interrupted() -> Any:
    """Whether a run was only thought to be lost."""
    return and_(col(Run.status) == "failed", col(Run.error) == INTERRUPTED)
