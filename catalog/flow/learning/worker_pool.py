"""Learning from many tables on all cores.

Learning is Python through and through, so that threads do not help, and a Celery worker's process may have no children
by `multiprocessing`. Workers are therefore programs of their own (``python -m catalog.flow.learning.worker_pool``),
which get the index and then one table after the other through their standard input, learn as this process does, store
what they learned, and answer with what they counted. This process works too; what a worker that died left undone is
done here. A table's rules depend on its own states and on the index alone: who learns them makes no difference.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Any

import structlog

from catalog.domains.domain import Domain
from catalog.errors import TableError
from catalog.evidence.pattern_index.index import PatternIndex
from catalog.flow.context import Context
from catalog.flow.guard import guarded
from catalog.flow.learning.propose import due, known_domains, propose
from catalog.flow.reading.states import States
from catalog.settings import get_settings
from catalog.store import runs
from catalog.store.lake import tables
from catalog.store.models import Table

log = structlog.get_logger()
Counts = dict[str, Any]

#: Columns for each worker below which starting it (a second of one core) costs more than it saves; chosen.
COLUMNS_EACH = 400
MOST_WORKERS = 3  # each takes some 300 MB; a bound of memory


@dataclass(frozen=True)
class Job:
    """A table to learn from: its latest version, the keys of its files, the number of its columns, what its tags are
    made with; whether it `is_early`, with patterns of a part of the lake."""

    table_id: int
    version: int
    keys: tuple[str, ...]
    columns: int = 0
    tagged: str | None = None
    is_early: bool = False


def learn(context: Context, index: PatternIndex, domains: Sequence[Domain], job: Job) -> Counts:
    """Tag and learn one table; what was counted, ``failed`` among it when the table could not be learned from. One that
    another process crawls, or whose next version it took in since, is left to it."""
    counts: Counts = {}
    with runs.table_lock(context.engine, job.table_id) as lock:
        with context.reading() as session:
            table = tables.get_table(session, job.table_id)
        if not lock.held or table.seen_version != job.version:
            return counts
        found = guarded(context, table, partial(_learn, context, index, domains, job, table), counts)
    return counts | (found or {})


def _learn(context: Context, index: PatternIndex, domains: Sequence[Domain], job: Job, table: Table) -> Counts:
    state = States(context, job.table_id).merged(job.keys)
    if state is None:
        raise TableError(f"a state of table {table.name!r} is missing", remedy="crawl the table again")
    return propose(context, table, job.version, state, index, domains, due(context, table), job.tagged, job.is_early)


def learn_all(context: Context, index: PatternIndex, jobs: Iterable[Job]) -> Iterator[Counts]:
    """Tag and learn many tables, here and in workers; the counts of each, in no order. Closing it stops the workers."""
    waiting = deque(jobs)
    columns = sum(job.columns for job in waiting)
    domains = known_domains(context)
    done: SimpleQueue[Counts] = SimpleQueue()
    wanted = _how_many(columns)
    carried = pickled(index) if wanted > 0 else b""  # before anyone works with it: it remembers what it is asked
    workers = [Worker(context, carried, waiting, done) for _ in range(wanted)]
    try:
        while waiting or any(worker.is_alive() for worker in workers):
            if waiting:
                yield learn(context, index, domains, waiting.popleft())
            else:
                for worker in workers:
                    worker.join()
            while not done.empty():
                yield done.get()
    finally:
        for worker in workers:
            worker.stop()


def pickled(what: PatternIndex | Job) -> bytes:
    """What goes to a worker."""
    return pickle.dumps(what, protocol=pickle.HIGHEST_PROTOCOL)


def _how_many(columns: int) -> int:
    """Workers that are worth their start: none for a few tables, never more than there are other cores."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores - 1, MOST_WORKERS, columns // COLUMNS_EACH)


class Worker(Thread):
    """A worker process, and the thread that hands it one job after the other.

    Parameters
    ----------
    index : the pickled index.
    waiting : the jobs that nobody has begun; `done` gets the counts of each that was done.
    """

    def __init__(self, context: Context, index: bytes, waiting: deque[Job], done: SimpleQueue[Counts]) -> None:
        super().__init__(name="worker", daemon=True)
        self.index, self.waiting, self.done = index, waiting, done
        self.stopping = False
        self.process = subprocess.Popen(
            [sys.executable, "-m", "catalog.flow.learning.worker_pool"],
            env={**os.environ, **context.settings.as_environment()},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.start()

    def run(self) -> None:
        job: Job | None = None
        try:
            self._send(self.index)
            while True:
                try:
                    job = self.waiting.pop()  # from the end: this process begins at the start
                except IndexError:
                    return
                self._send(pickled(job))  # its own look at the catalog costs less than sending a state
                self.done.put(pickle.load(self.process.stdout))  # type: ignore[arg-type]  # noqa: S301 - our own child
                job = None
        except (OSError, EOFError, pickle.UnpicklingError, ValueError) as error:
            if job is not None:
                self.waiting.append(job)
            if not self.stopping:
                log.warning("a worker ended", error=str(error))

    def _send(self, what: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(what)
        self.process.stdin.flush()

    def stop(self) -> None:
        """End the process, at once if it works still: what it has answered is stored."""
        self.stopping = True
        self.process.kill()
        self.process.wait()
        self.join()
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError):  # what was never sent cannot be sent any more
                pipe.close()  # type: ignore[union-attr]


def serve() -> None:
    """Be a worker: take jobs until nobody sends any."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anyone prints is no answer
    context = Context(get_settings())
    index: PatternIndex = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the process that started this one
    domains = known_domains(context)
    while True:
        try:
            job: Job = pickle.load(sys.stdin.buffer)  # noqa: S301
        except EOFError:
            return
        pickle.dump(learn(context, index, domains, job), answers)
        answers.flush()


if __name__ == "__main__":
    serve()
