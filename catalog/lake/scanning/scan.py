"""The scan: data files in, encoded states out, in one Spark job for the files of many tables.

Spark spreads the work and restarts what fails; the rows never enter the JVM. Each Spark task gets a list of (data
file, row groups), reads them with Arrow in its Python worker and folds them there. Only the DataFrame API is used
(``range`` and ``mapInArrow``), so that the same code runs locally, on a cluster and over Spark Connect. Executors need
this package installed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from catalog.errors import AssayError, UnreadableFile
from catalog.lake.reading.files import SLICE, ReadPlan, read_file, row_groups
from catalog.lake.scanning.delta import scan_delta
from catalog.lake.scanning.tasks import SCHEMA, Answer, Result, Task, answer, failure, fold_batch, quiet_worker
from catalog.lake.types import DataFile
from catalog.states.encoding import decode, encode
from catalog.states.table import TableState, merge_all

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: A file larger than this (bytes) is split by row groups; smaller ones share a Spark task up to this size; chosen:
#: some seconds of one core.
SPLIT = 32 << 20
#: What a file costs beside its bytes: opening it, expressed in bytes read; chosen.
_OPENING = 1 << 18
#: Cells decoded at a time: a slice has fewer rows where a table has many columns; a bound of memory.
_CELLS = 8 << 20
#: Work of one Spark job, in bytes: results come back, and a stop takes effect, after each job; a bound of memory.
_WAVE = 512 << 20


@dataclass(frozen=True)
class Unit:
    """Part of a task: some row groups of its file (None: all). `task` and `plan` are positions in lists."""

    task: int
    plan: int
    file: DataFile
    groups: tuple[int, int] | None
    weight: int


def scan(spark: SparkSession, tasks: Iterable[Task], options: dict[str, str] | None = None) -> Iterator[Result]:
    """Fold every task's file; one result per task, in no order. Never raises for what is wrong with a file.

    Tasks of tables that only Spark's Delta reader reads rightly go to `catalog.lake.scanning.delta.scan_delta`. Closing
    the iterator stops the running jobs.

    Parameters
    ----------
    options : of the object store, as in `catalog.settings.Settings.storage_options`.
    """
    tasks = list(tasks)
    own = [task for task in tasks if task.info.reader == "files"]
    if own:
        yield from _scan_files(spark, own, options or {})
    rest = [task for task in tasks if task.info.reader != "files"]
    if rest:
        left: list[Task] = []
        yield from scan_delta(spark, rest, options, left)
        # without the columns that only Spark reads: better than without the table
        yield from _scan_files(spark, [replace(t, info=replace(t.info, reader="files")) for t in left], options or {})


def _scan_files(spark: SparkSession, tasks: list[Task], options: dict[str, str]) -> Iterator[Result]:
    plans, units, failed = plan_units(tasks, options)
    yield from failed
    parts: dict[int, int] = {}
    for unit in units:
        parts[unit.task] = parts.get(unit.task, 0) + 1
    waiting: dict[int, list[Answer]] = {}
    stopped = Event()
    jobs = (partial(run_surely, spark, plans, wave, stopped) for wave in waves(units))
    for rows in _two_at_a_time(spark, jobs, stopped):
        for row in rows:
            number = row[0]
            waiting.setdefault(number, []).append(row)
            if len(waiting[number]) == parts[number]:
                yield join_parts(tasks[number], waiting.pop(number))


def plan_units(tasks: list[Task], options: dict[str, str]) -> tuple[list[ReadPlan], list[Unit], list[Result]]:
    """Split the tasks: plans by table, units of work, and results of files too damaged to plan."""
    plans: list[ReadPlan] = []
    numbers: dict[tuple[Any, ...], int] = {}
    units: list[Unit] = []
    failed: list[Result] = []
    for number, task in enumerate(tasks):
        made = replace(ReadPlan.of(task.info, options), uri=task.uri)
        key = (made.uri, made.schema, made.partitions, made.by_id, made.variants)
        if key not in numbers:
            numbers[key] = len(plans)
            plans.append(made)
        plan = numbers[key]
        if task.file.size <= SPLIT:
            units.append(Unit(number, plan, task.file, None, task.file.size + _OPENING))
            continue
        try:
            groups = row_groups(plans[plan], task.file)
        except Exception as error:
            failed.append(failure(task, told(task.file, error)))
            continue
        units += [Unit(number, plan, task.file, span, weight) for span, weight in _spans(groups, task.file.size)]
    return plans, units, failed


def _spans(groups: list[tuple[int, int]], size: int) -> list[tuple[tuple[int, int], int]]:
    """Runs of row groups (first, end) of about `SPLIT` bytes each, with their weights."""
    total = sum(stored for _, stored in groups) or 1
    spans: list[tuple[tuple[int, int], int]] = []
    start, weight = 0, 0
    for number, (_, stored) in enumerate(groups):
        weight += stored * size // total
        if weight >= SPLIT or number == len(groups) - 1:
            spans.append(((start, number + 1), weight + _OPENING))
            start, weight = number + 1, 0
    return spans or [((0, 0), _OPENING)]


def waves(units: list[Unit]) -> Iterator[list[list[Unit]]]:
    """Jobs, each a list of bins (one Spark task each), big units first so that none is left for the end.

    >>> u = [Unit(i, 0, DataFile(str(i), 1), None, weight) for i, weight in enumerate([1, SPLIT, 2])]
    >>> [[[unit.weight for unit in bin] for bin in wave] for wave in waves(u)]
    [[[33554432], [2, 1]]]
    """
    bins: list[list[Unit]] = []
    filled = total = 0
    for unit in sorted(units, key=lambda unit: -unit.weight):
        if not bins or filled + unit.weight > SPLIT:
            if total >= _WAVE:
                yield bins
                bins, total = [], 0
            bins.append([])
            filled = 0
        bins[-1].append(unit)
        filled += unit.weight
        total += unit.weight
    if bins:
        yield bins


def run_surely(
    spark: SparkSession, plans: list[ReadPlan], bins: list[list[Unit]], stopped: Event | None = None
) -> list[Answer]:
    """As `_run`; when a file brings the Python worker itself down, the job is cut until that file is alone."""
    try:
        return _run(spark, plans, bins)
    except Exception:
        if stopped is not None and stopped.is_set():
            raise
        spark.range(1).count()  # raises when it is the session that is gone
        units = [unit for units in bins for unit in units]
        if len(units) == 1:
            lost = UnreadableFile(f"reading the data file {units[0].file.path} brings the Python worker down")
            return [(units[0].task, None, 0, lost.kind, str(lost))]
        middle = len(units) // 2
        halves = ([units[:middle]], [units[middle:]])
        return [row for half in halves for row in run_surely(spark, plans, half, stopped)]


def _run(spark: SparkSession, plans: list[ReadPlan], bins: list[list[Unit]]) -> list[Answer]:
    """One Spark job: (task number, state, rows, kind, error) of every unit."""
    used = sorted({unit.plan for units in bins for unit in units})
    place = {plan: i for i, plan in enumerate(used)}
    work = [[replace(unit, plan=place[unit.plan]) for unit in units] for units in bins]
    frame = spark.range(0, len(work), 1, len(work)).mapInArrow(Folder([plans[i] for i in used], work), SCHEMA)
    return list(zip(*frame.toArrow().to_pydict().values(), strict=True))


@dataclass(frozen=True)
class Folder:
    """What runs in the Python workers: bin numbers in, a row for every unit of those bins out."""

    plans: list[ReadPlan]
    bins: list[list[Unit]]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        quiet_worker()
        for batch in batches:
            for number in batch.column(0).to_pylist():
                for unit in self.bins[number]:
                    yield answer(unit.task, *fold_unit(self.plans[unit.plan], unit))


def fold_unit(plan: ReadPlan, unit: Unit) -> tuple[bytes | None, int, str | None, str | None]:
    """State, rows, error kind and error of a unit. What goes wrong in a file is its result, never the job's end."""
    try:
        state = fold_file(plan, unit.file, range(*unit.groups) if unit.groups else None)
        return encode(state), state.rows, None, None
    except Exception as error:
        known = told(unit.file, error)
        return None, 0, known.kind, str(known)


def told(file: DataFile, error: Exception) -> AssayError:
    """What went wrong with a file, as an error of its table."""
    if isinstance(error, AssayError):
        return error
    return UnreadableFile(f"the data file {file.path} cannot be folded ({type(error).__name__}: {str(error)[:300]})")


def fold_file(plan: ReadPlan, file: DataFile, groups: range | None = None) -> TableState:
    """The state of a data file, read and folded slice by slice. Raises `catalog.errors.TableError`."""
    constants = plan.constants(file.partition_values)
    fields = plan.data_fields()
    rows = max(4096, min(SLICE, _CELLS // max(1, len(fields))))
    states = [
        fold_batch(batch, constants) for batch in read_file(plan, file, groups=groups, slice_rows=rows, views=True)
    ]
    if not states:
        return fold_batch(plan.empty(), constants)
    return states[0] if len(states) == 1 else merge_all(states)


def join_parts(task: Task, parts: list[Answer]) -> Result:
    """The result of a task from the answers of its units; the first error stands for all."""
    for _, _, _, kind, error in parts:
        if kind is not None:
            return Result(task.table_key, task.file.key, None, 0, kind, error)
    _, state, rows, _, _ = parts[0]
    if len(parts) > 1:
        merged = merge_all(decode(part) for _, part, *_ in parts if part is not None)
        state, rows = encode(merged), merged.rows
    return Result(task.table_key, task.file.key, state, rows)


def _two_at_a_time(spark: SparkSession, jobs: Iterator[Any], stopped: Event) -> Iterator[list[Answer]]:
    """Run jobs in order, the next one already submitted, so that a job's last tasks leave no core idle."""
    tag = f"assay-scan-{os.getpid()}-{id(jobs)}"

    def tagged(job: Any) -> list[Answer]:
        spark.addTag(tag)
        try:
            return job()
        finally:
            spark.removeTag(tag)

    with ThreadPoolExecutor(2) as pool:
        running: set[Future[list[Answer]]] = set()
        try:
            for job in jobs:
                running.add(pool.submit(tagged, job))
                if len(running) == 2:
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        yield future.result()
            for future in list(running):
                yield future.result()
                running.discard(future)
        finally:
            stopped.set()
            if running:
                spark.interruptTag(tag)
