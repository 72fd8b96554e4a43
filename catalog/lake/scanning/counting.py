"""Counting the parts that declared checks ask for: data files in, encoded parts out, in Spark's Python workers.

A file is read once for all parts that are missing of it, and only the columns that these need.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from catalog.errors import AssayError, MissingFile, UnreadableFile, UsageError
from catalog.lake.reading.failing import answer, names_in_sql
from catalog.lake.reading.files import ReadPlan, read_file
from catalog.lake.scanning.delta import absolute, normal, read_version, spark_error
from catalog.lake.scanning.scan import SPLIT
from catalog.lake.scanning.spill import Folding, RunFiles
from catalog.lake.scanning.tasks import Task, quiet_worker
from catalog.measures.part import Part, fold_parts
from catalog.predicates.engine import check
from catalog.predicates.kinds import NeedsSpark
from catalog.predicates.predicate import Predicate, PredicateError, renamed
from catalog.states.folding.fold import leaves

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SCHEMA = "task long, part string, state binary, error string, gone boolean, lasting boolean"


@dataclass(frozen=True)
class Counted:
    """A part of a file.

    Parameters
    ----------
    state : encoded. error : why there is none.
    gone : the file is not there any more. lasting : whether the same would be found again: of a condition that does not
        fit the file it would, of a file that could not be read, or a Spark that ran out of memory, who knows.
    """

    table_key: Any
    file_key: str
    part: str
    state: bytes | None
    error: str | None = None
    gone: bool = False
    lasting: bool = True


def count_parts(
    spark: SparkSession,
    tasks: Sequence[tuple[Task, Sequence[Part]]],
    options: dict[str, str] | None = None,
    files: RunFiles | None = None,
) -> Iterator[Counted]:
    """Count parts of data files, in no order; never raises for what is wrong with a file or a part.

    Parameters
    ----------
    tasks : a file and the parts that are wanted of it.
    files : where groups go that are too many to be kept in the catalog; Spark's workers must see that folder.
    """
    own: list[tuple[Task, Sequence[Part]]] = []
    others: list[tuple[Task, Sequence[Part]]] = []
    for task, parts in tasks:
        spark_only = set(parts) if task.info.reader != "files" else _spark_only(ReadPlan.of(task.info, options), parts)
        ours = [part for part in parts if part not in spark_only]
        own += [(task, ours)] if ours else []
        others += [(task, [part for part in parts if part in spark_only])] if spark_only else []
    for bins in _bins(own):
        work = [
            [(at, ReadPlan.of(task.info, options), task.file, tuple(parts)) for at, task, parts in one] for one in bins
        ]
        frame = spark.range(0, len(work), 1, len(work)).mapInArrow(_Counter(work, files), _SCHEMA)
        flat = {at: task for one in bins for at, task, _ in one}
        for at, *found in zip(*frame.toArrow().to_pydict().values(), strict=True):
            yield Counted(flat[at].table_key, flat[at].file.key, *found)
    for task, parts in others:
        yield from _through_spark(spark, task, parts, options, files)


def _spark_only(plan: ReadPlan, parts: Sequence[Part]) -> set[Part]:
    """The parts whose conditions have to be evaluated by Spark."""
    types = {name: array.type for name, array in leaves(plan.empty())}
    types |= {name: kind for name, (_, kind) in plan.constants({}).items()}
    found = set()
    for part in parts:
        try:
            if not all(check(one, types) for one in part.conditions):
                found.add(part)
        except PredicateError:  # it does not fit the table: counting says so
            continue
    return found


def _bins(tasks: Sequence[tuple[Task, Sequence[Part]]]) -> Iterator[list[list[tuple[int, Task, Sequence[Part]]]]]:
    """Jobs of at most 64 Spark tasks, each of files of about `SPLIT` bytes."""
    bins: list[list[tuple[int, Task, Sequence[Part]]]] = []
    filled = SPLIT
    for at, (task, parts) in enumerate(tasks):
        if filled + task.file.size > SPLIT:
            if len(bins) == 64:
                yield bins
                bins = []
            bins.append([])
            filled = 0
        bins[-1].append((at, task, parts))
        filled += task.file.size
    if bins:
        yield bins


@dataclass(frozen=True)
class _Counter:
    """What runs in the Python workers: bin numbers in, a row for every part of every file out."""

    bins: list[list[tuple[int, ReadPlan, Any, tuple[Part, ...]]]]
    files: RunFiles | None = None

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        quiet_worker()
        for batch in batches:
            for number in batch.column(0).to_pylist():
                for at, plan, file, parts in self.bins[number]:
                    try:
                        found = count_file(plan, file, parts, self.files)
                    except Exception as error:  # the file's own: no other is held back by it
                        own = error if isinstance(error, AssayError) else _unread(error)
                        found = {part.key: own for part in parts}
                    yield _rows(at, parts, found)


def _unread(error: Exception) -> UnreadableFile:
    return UnreadableFile(f"it cannot be read ({type(error).__name__})", remedy="")


def _rows(at: int, parts: Iterable[Part], found: Mapping[str, Any]) -> pa.RecordBatch:
    listed = [(part, found[part.key]) for part in parts]
    states = [None if isinstance(one, Exception) else part.encode(one) for part, one in listed]
    errors = [_said(one) if isinstance(one, Exception) else None for _, one in listed]
    keys = pa.array([part.key for part, _ in listed], pa.string())
    gone = pa.array([isinstance(one, MissingFile) for _, one in listed], pa.bool_())
    lasting = pa.array([_lasting(one) for _, one in listed], pa.bool_())
    tasks = pa.array([at] * len(listed), pa.int64())
    columns = [tasks, keys, pa.array(states, pa.binary()), pa.array(errors, pa.string()), gone, lasting]
    return pa.record_batch(columns, names=["task", "part", "state", "error", "gone", "lasting"])


def _lasting(found: Any) -> bool:
    return not isinstance(found, Exception) or isinstance(found, UsageError | NeedsSpark)


def _said(error: Exception) -> str:
    return "the condition needs Spark here" if isinstance(error, NeedsSpark) else str(error)


def count_file(plan: ReadPlan, file: Any, parts: Sequence[Part], files: RunFiles | None = None) -> dict[str, Any]:
    """Every part's state of one file, slice by slice; an error in place of one that could not be counted.

    Groups beyond `LARGEST` bytes are put into `files`, so that memory is bounded by a slice and a few pieces of them;
    without `files` there is no bound.
    """
    constants = plan.constants(file.partition_values)
    wanted = {name.casefold() for part in parts for name in part.reads}
    top = [
        f.name
        for f in plan.data_fields()
        if any(n == f.name.casefold() or n.startswith(f.name.casefold() + ".") for n in wanted)
    ]
    folding = {part.key: Folding(part, f"{part.key}-{_digest(file.key)}", files) for part in parts}
    failed: dict[str, Exception] = {}
    slices = read_file(plan, file, columns=top or None) if plan.data_fields() else iter(())
    for batch in _or_empty(slices, plan):
        columns = dict(leaves(batch)) | {
            name: pa.repeat(pa.scalar(value, kind), batch.num_rows) for name, (value, kind) in constants.items()
        }
        columns.pop("", None)
        for key, state in fold_parts(
            columns, batch.num_rows, [part for part in parts if part.key not in failed]
        ).items():
            if isinstance(state, Exception):
                failed[key] = state
            else:
                folding[key].add(state)
    return {part.key: failed[part.key] if part.key in failed else folding[part.key].whole() for part in parts}


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _or_empty(batches: Iterator[pa.RecordBatch], plan: ReadPlan) -> Iterator[pa.RecordBatch]:
    """A file without rows still says whether its columns are there."""
    none = True
    for batch in batches:
        none = False
        yield batch
    if none:
        yield plan.empty()


#: Columns that hold Spark's answers to conditions, by their fingerprints.
_ANSWER = "assay_answer_"


def _answered(part: Part) -> Part:
    """The part on rows to which Spark's answers to its conditions were added as columns."""
    told = [
        None if text is None else f"`{_ANSWER}{Predicate(text).fingerprint}`" for text in (part.predicate, part.where)
    ]
    return Part(part.kind, part.columns, *told)


def _through_spark(
    spark: SparkSession, task: Task, parts: Sequence[Part], options: dict[str, str] | None, files: RunFiles | None
) -> Iterator[Counted]:
    """A file that only Spark's Delta reader reads rightly: its rows come through Spark to the same fold. A part that
    cannot be counted keeps no other from it."""
    try:
        found = _found_by_spark(spark, task, parts, options)
    except AssayError as error:
        found = {part.key: error for part in parts}
    except Exception as error:
        told = spark_error(error, task.uri)
        if len(parts) > 1 and not isinstance(told, MissingFile):  # one of them, in some row: each by itself tells which
            for part in parts:
                yield from _through_spark(spark, task, [part], options, files)
            return
        found = {part.key: told if isinstance(told, MissingFile) else _uncounted(error) for part in parts}
    for part in parts:
        one = found[part.key]
        failed = isinstance(one, Exception)
        if not failed:
            folding = Folding(part, f"{part.key}-{_digest(task.file.key)}", files)
            folding.add(one)
            one = folding.whole()
        yield Counted(
            task.table_key,
            task.file.key,
            part.key,
            None if failed else part.encode(one),
            _said(one) if failed else None,
            isinstance(one, MissingFile),
            _lasting(one),
        )


def _found_by_spark(
    spark: SparkSession, task: Task, parts: Sequence[Part], options: dict[str, str] | None
) -> dict[str, Any]:
    """Every part's state of a file; an error in place of one whose conditions Spark refuses before it reads a row."""
    from pyspark.errors import AnalysisException

    plan = ReadPlan.of(task.info, options)
    where = absolute(task.uri, task.file.path, task.info.roots)
    version = task.info.version if task.version is None else task.version
    frame = read_version(spark, task.uri, version, plan)
    address, names = frame.columns[-1], names_in_sql(frame)
    answers, refused = [], {}
    for key, condition in {one.fingerprint: one for part in parts for one in part.conditions}.items():
        column = answer(frame, renamed(condition.text, names)).alias(_ANSWER + key)
        try:
            frame.select(column)
            answers.append(column)
        except AnalysisException as error:
            refused[key] = _uncounted(error)
    wrong = [(part.key, refused.get(one.fingerprint)) for part in parts for one in part.conditions]
    found: dict[str, Any] = {key: error for key, error in wrong if error is not None}
    answered = {part.key: _answered(part) for part in parts if part.key not in found}
    if not answered:
        return found
    table = frame.select("*", *answers).toArrow()
    addresses = table.column(address)
    ours = [one for one in pc.unique(addresses).to_pylist() if normal(one) == where]
    rows = table.filter(pc.is_in(addresses, pa.array(ours, addresses.type))).drop_columns([address])
    states = fold_parts(dict(leaves(rows)), rows.num_rows, list(answered.values()))
    return found | {key: states[part.key] for key, part in answered.items()}


#: What Spark says of a condition that does not fit its columns (a state of SQL of class 42), or a value that it meets
#: (22). What a task raised is told within a page of Java's calls.
_OF_CONDITION = re.compile(r"(\[[A-Z][A-Z0-9_.]+\]) ([^\n]+?)\.? SQLSTATE: (22|42)")

_OF_REGEX = re.compile(r"PatternSyntaxException: ([^\n]+)")


def _uncounted(error: Exception) -> AssayError:
    """Why Spark could not count a part; of a condition that is wrong, in Spark's words: but where these may quote a
    value of a row, by the name of the error alone.

    >>> str(_uncounted(ValueError("[CANNOT_PARSE_TIMESTAMP] Text 'Ann' could not be parsed. SQLSTATE: 22007")))
    'Spark cannot evaluate it on the values of some row: [CANNOT_PARSE_TIMESTAMP]; correct the condition'
    """
    text = str(error)
    said = _OF_CONDITION.findall(text)
    if said:
        name, words, of = said[-1]
        if ".PATTERN" in name:  # Spark then quotes it, and it may be a row's
            return PredicateError("its regular expression cannot be read", remedy="correct it")
        told = f": {name} {words[:300]}" if of == "42" else f" on the values of some row: {name}"
        return PredicateError(f"Spark cannot evaluate it{told}", remedy="correct the condition")
    regex = _OF_REGEX.search(text)
    if regex is not None:
        return PredicateError(f"its regular expression cannot be read: {regex[1]}", remedy="correct it")
    return UnreadableFile(f"it cannot be counted ({type(error).__name__})", remedy="")
