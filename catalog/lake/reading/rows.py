"""Offending rows: the few rows a violation shows, fetched from the batch's own files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from catalog.domains.missing import markers_among
from catalog.errors import UnsupportedTable, UsageError
from catalog.evidence.clauses.meaning import accepts
from catalog.lake.reading.files import ReadPlan, read_file
from catalog.lake.scanning.delta import absolute, normal, read_version
from catalog.lake.types import DataFile, TableInfo
from catalog.measures.tuples import tuple_hashes
from catalog.predicates.engine import evaluate
from catalog.predicates.predicate import Predicate
from catalog.states.folding.fold import leaves, opened

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MOST_COMPARED = 1_000_000  # rows among which values that repeat are looked for to show some; a bound of memory
Which = Callable[[pa.RecordBatch], pa.Array]
_LONGEST = 500  # characters of a cell that is shown; a bound


def offending_rows(
    info: TableInfo,
    files: Iterable[DataFile],
    column: str | None,
    offenders: dict[str, Any],
    limit: int,
    options: dict[str, str] | None = None,
    *,
    spark: SparkSession | None = None,
    version: int | None = None,
    beside: Iterable[DataFile] = (),
) -> list[dict[str, Any]]:
    """Up to `limit` rows of `files` that break the rule, as JSON data in table order of the columns.

    Parameters
    ----------
    column : dotted leaf name; of one inside lists a row breaks the rule if any of its elements does.
    offenders : ``{"regex": r}`` rows whose value is there and does not match all of r (RE2 syntax);
        ``{"domain": name}`` does not belong to the known domain (dates: in that ``"order"``); ``{"null": true}`` rows
        without a value, or ``false`` with one; ``{"missing": true}`` null, empty or a marker such as NA, or ``false``
        none of these; ``{"outside": [low, high]}`` (either may be None), ``{"inside": [low, high]}``;
        ``{"not_in": [...]}``; ``{"repeated": true}`` rows whose value another of the first `MOST_COMPARED` rows holds,
        too, side by side; ``{"again": version}`` rows whose value a row of the files `beside`, of that version, holds,
        behind that one; of both, ``"columns"`` names several whose values are taken together, in place of `column`;
        ``{"condition": sql}`` rows that meet a condition (`catalog.predicates`), whatever the column.
    spark, version : only for tables that Spark's Delta reader must read.

    Raises `catalog.errors.TableError` when a file cannot be read, `UsageError` for offenders that are none of these.
    """
    if not offenders or limit <= 0:
        return []
    plan = ReadPlan.of(info, options)
    if "condition" in offenders:
        condition = Predicate(offenders["condition"])
        return _first(_whole(info, plan, files, spark, version), lambda batch: _meets(batch, condition), limit)
    wanted = _Key(tuple(offenders.get("columns") or [column or ""]))
    if wanted.columns == ("",):
        return []
    if column and not {"repeated", "again"} & offenders.keys():
        rows = _batches(info, plan, files, column, offenders, spark, version)
        return _first(rows, lambda batch: wrong_rows(batch, column, offenders), limit)
    sides = [list(beside), list(files)]
    if info.reader != "files":
        whole = [list(_through_spark(info, plan, side, spark, version)) if side else [] for side in sides]
        again = _twice(whole[0], whole[1], wanted, limit)
        return _side_by_side([part for side in whole for part in side], wanted, again, limit)
    narrow = [(part for file in side for part in _narrow(plan, file, wanted.columns)) for side in sides]
    again = _twice(narrow[0], narrow[1], wanted, limit)
    rows = _holding(plan, [*sides[0], *sides[1]], wanted.columns, lambda part: wanted.among(part, again))
    return _side_by_side(rows, wanted, again, limit)


@dataclass(frozen=True)
class _Key:
    """What rows are told apart by: a column's values, or the hashes of those of several together."""

    columns: tuple[str, ...]

    def of(self, batch: pa.RecordBatch) -> pa.Array:
        values = [leaf(batch, column) for column in self.columns]
        if len(values) == 1:
            return values[0]
        hashes, there = tuple_hashes(values)
        return pa.array(hashes, mask=~there)

    def among(self, batch: pa.RecordBatch, some: pa.Array) -> pa.Array:
        return wrong(self.of(batch), {"among": some})


def read_rows(
    info: TableInfo, files: Iterable[DataFile], limit: int, options: dict[str, str] | None = None
) -> pa.Table:
    """The first `limit` rows of some data files, all columns, in table order.

    Raises `UnsupportedTable` for a table that only Spark's Delta reader reads rightly, `TableError` for a bad file.
    """
    if info.reader != "files":
        raise UnsupportedTable(f"the rows of {info.name} can only be read by Spark", remedy="drill a copy of the table")
    plan = ReadPlan.of(info, options)
    found: list[pa.RecordBatch] = []
    for file in files:
        constants = plan.constants(file.partition_values)
        for part in read_file(plan, file):
            found.append(_with(plan, part, constants))
            if sum(batch.num_rows for batch in found) >= limit:
                return pa.Table.from_batches(found).slice(0, limit)
    return pa.Table.from_batches(found or [plan.empty()])


def column_values(
    info: TableInfo,
    files: Iterable[DataFile],
    column: str,
    options: dict[str, str] | None = None,
    spark: SparkSession | None = None,
) -> Iterator[pa.Array]:
    """The values of one leaf column, nulls left out, read with no more than that column takes.

    Parameters
    ----------
    spark : only for tables that Spark's Delta reader must read.

    Raises `TableError` for a bad file.
    """
    plan = ReadPlan.of(info, options)
    if info.reader != "files":
        for part in _through_spark(info, plan, files, spark, None, column):
            yield leaf(part, column).drop_null()
        return
    for file in files:
        for part in _narrow(plan, file, (column,)):
            yield leaf(part, column).drop_null()


def _whole(
    info: TableInfo, plan: ReadPlan, files: Iterable[DataFile], spark: SparkSession | None, version: int | None
) -> Iterator[pa.RecordBatch]:
    """All rows of the files, all columns."""
    if info.reader != "files":
        yield from _through_spark(info, plan, files, spark, version)
        return
    for file in files:
        constants = plan.constants(file.partition_values)
        yield from (_with(plan, part, constants) for part in read_file(plan, file))


def _first(batches: Iterable[pa.RecordBatch], which: Which, limit: int) -> list[dict[str, Any]]:
    """The first rows that are ones, as JSON data."""
    rows: list[dict[str, Any]] = []
    for batch in batches:
        found = batch.filter(which(batch))
        rows += [{name: plain(value) for name, value in row.items()} for row in found.slice(0, limit).to_pylist()]
        if len(rows) >= limit:
            break
    return rows[:limit]


def _meets(batch: pa.RecordBatch, condition: Predicate) -> pa.Array:
    """Which rows meet a condition; never null."""
    (said,) = evaluate(dict(leaves(batch)), [condition])
    return said.fill_null(False)


def _twice(earlier: Iterable[pa.RecordBatch], batches: Iterable[pa.RecordBatch], key: _Key, limit: int) -> pa.Array:
    """The first values that several of the first `MOST_COMPARED` rows hold, or rows of both where there are `earlier`
    ones; as many as `limit` rows can show."""
    before, now = (_values(one, key) for one in (earlier, batches))
    if now is None:
        return pa.array([])
    counted = pc.value_counts(now)
    values = counted.field("values")
    known = pc.greater(counted.field("counts"), 1) if before is None else pc.is_in(values, before.cast(values.type))
    return values.filter(known).slice(0, -(-limit // 2))


def _values(batches: Iterable[pa.RecordBatch], key: _Key) -> pa.Array | None:
    """The values of the first `MOST_COMPARED` rows; None of no rows."""
    read, rows = [], 0
    for batch in batches:
        read.append(key.of(batch))
        rows += batch.num_rows
        if rows >= MOST_COMPARED:
            break
    return pa.chunked_array(read).combine_chunks().drop_null() if read else None


def _side_by_side(batches: Iterable[pa.RecordBatch], key: _Key, values: pa.Array, limit: int) -> list[dict[str, Any]]:
    """The first rows that hold one of some values; rows with the same value follow each other."""
    kept: list[pa.RecordBatch] = []
    for batch in batches if len(values) else ():
        kept.append(batch.filter(key.among(batch, values)))
        if sum(one.num_rows for one in kept) >= 2 * limit:
            break
    if not kept:
        return []
    places = pa.chunked_array([pc.index_in(key.of(one), values) for one in kept])
    rows = pa.Table.from_batches(kept).take(pc.sort_indices(places)).slice(0, limit)
    return [{name: plain(value) for name, value in row.items()} for row in rows.to_pylist()]


def _batches(
    info: TableInfo,
    plan: ReadPlan,
    files: Iterable[DataFile],
    column: str,
    offenders: dict[str, Any],
    spark: SparkSession | None,
    version: int | None,
) -> Iterator[pa.RecordBatch]:
    """Whole rows of those files that hold an offender."""
    if info.reader != "files":
        yield from _through_spark(info, plan, files, spark, version)
        return
    yield from _holding(plan, files, (column,), lambda part: wrong_rows(part, column, offenders))


def _holding(
    plan: ReadPlan, files: Iterable[DataFile], columns: Sequence[str], which: Which
) -> Iterator[pa.RecordBatch]:
    """Whole rows of those files of which some row is one, by no more than some columns."""
    for file in files:
        if any(pc.any(which(part)).as_py() for part in _narrow(plan, file, columns)):
            constants = plan.constants(file.partition_values)
            yield from (_with(plan, part, constants) for part in read_file(plan, file))


def _narrow(plan: ReadPlan, file: DataFile, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """The rows of a file with no more than what some leaf columns take."""
    top = [item.name for item in plan.data_fields() if any(_holds(item.name, column) for column in columns)]
    constants = plan.constants(file.partition_values)
    yield from (_with(plan, part, constants) for part in read_file(plan, file, columns=top or None))


def _with(plan: ReadPlan, batch: pa.RecordBatch, constants: dict[str, tuple[Any, pa.DataType]]) -> pa.RecordBatch:
    """The batch with its partition columns, in table order."""
    columns = {name: batch.column(i) for i, name in enumerate(batch.schema.names) if name}
    columns |= {name: pa.repeat(pa.scalar(value, kind), batch.num_rows) for name, (value, kind) in constants.items()}
    return pa.record_batch({item.name: columns[item.name] for item in plan.fields() if item.name in columns})


def _through_spark(
    info: TableInfo,
    plan: ReadPlan,
    files: Iterable[DataFile],
    spark: SparkSession | None,
    version: int | None,
    column: str | None = None,
) -> Iterator[pa.RecordBatch]:
    """The rows of some files; of one leaf column no more than that takes."""
    if spark is None:
        raise UnsupportedTable(f"the rows of {info.name} can only be fetched with a Spark session", remedy="give one")
    wanted = {absolute(info.uri, file.path, info.roots) for file in files}
    frame = read_version(spark, info.uri, info.version if version is None else version, plan)
    if column is not None:
        top = [name for name in frame.columns[:-1] if _holds(name, column)]
        frame = frame.select(*(frame[f"`{name.replace('`', '``')}`"] for name in (*top, frame.columns[-1])))
    for batch in frame.toArrow().to_batches():
        addresses = batch.column(batch.num_columns - 1)
        ours = [address for address in pc.unique(addresses).to_pylist() if normal(address) in wanted]
        rows = batch.filter(pc.is_in(addresses, pa.array(ours, addresses.type)))
        yield rows.drop_columns([rows.schema.names[-1]])


def _holds(top: str, column: str) -> bool:
    """Whether a leaf may lie in a top-level column."""
    return column.strip("`") == top or column.lstrip("`").startswith((f"{top}.", f"{top}["))


def leaf(batch: pa.RecordBatch, column: str) -> pa.Array:
    """The values of a leaf column; null where a struct above it is null. Raises `UsageError` when there is none."""
    return opened(batch, column)[0]


def wrong_rows(batch: pa.RecordBatch, column: str, offenders: dict[str, Any]) -> pa.Array:
    """Which rows break the rule, in themselves or in one of their elements; never null."""
    values, rows = opened(batch, column)
    broken = wrong(values, offenders)
    return broken if rows is None else pa.array(np.isin(np.arange(batch.num_rows), rows[np.asarray(broken)]))


def wrong(values: pa.Array, offenders: dict[str, Any]) -> pa.Array:
    """Which values break the rule; never null."""
    match offenders:
        case {"null": bool(wanted)}:
            return values.is_null() if wanted else values.is_valid()
        case {"missing": bool(wanted)}:
            markers = pa.array(["", *sorted(markers_among(pc.unique(text := values.cast(pa.string())).to_pylist()))])
            missing = pc.or_(values.is_null(), pc.fill_null(pc.is_in(text, markers), False))
            return missing if wanted else pc.invert(missing)
        case {"regex": pattern}:
            text = values if pa.types.is_string(values.type) else values.cast(pa.string())
            found = pc.invert(_matches(text, pattern))
        case {"domain": name}:
            text = values if pa.types.is_string(values.type) else values.cast(pa.string())
            found = pc.invert(_each(text, lambda value: accepts(name, offenders.get("order", ""), value)))
        case {"outside": [low, high]}:
            numbers = _comparable(values)
            none = pa.nulls(len(values), pa.bool_())
            below = none if low is None else pc.less(numbers, _scalar(low, numbers.type))
            above = none if high is None else pc.greater(numbers, _scalar(high, numbers.type))
            found = pc.or_(pc.fill_null(below, False), pc.fill_null(above, False))
        case {"inside": [low, high]}:
            found = pc.and_(pc.invert(wrong(values, {"outside": [low, high]})), values.is_valid())
        case {"among": pa.Array() as some}:
            found = pc.is_in(values, some.cast(values.type))
        case {"not_in": allowed}:
            known = pa.array([item for item in allowed if item is not None], pa.string())
            found = pc.invert(pc.is_in(values.cast(pa.string()), known))
            found = pc.and_(found, values.is_valid())
        case _:
            raise UsageError(f"offenders {offenders!r} are none that rows can be found by")
    return pc.fill_null(found, False)


#: How learned expressions are anchored at the end (`catalog.patterns.language.regex.whole`); RE2 has no look-ahead.
_END = r"(?![\s\S])"


def _matches(text: pa.Array, pattern: str) -> pa.Array:
    """Whether all of each text matches. RE2, whose time is linear, runs what it can; expressions with look-ahead go to
    Python's engine, over the distinct values only."""
    bare = pattern.removeprefix("^").removesuffix(_END)
    if "(?=" not in bare and "(?!" not in bare and "(?<" not in bare:
        try:
            return pc.match_substring_regex(text, f"^(?:{bare})\\z")
        except pa.ArrowException as error:
            raise UsageError(f"the expression {pattern!r} cannot be used ({error})", remedy="correct it") from error
    try:
        wanted = re.compile(bare)
    except re.error as error:
        raise UsageError(f"the expression {pattern!r} cannot be used ({error})", remedy="correct it") from error
    return _each(text, lambda value: wanted.fullmatch(value) is not None)


def _each(text: pa.Array, holds: Callable[[str], bool]) -> pa.Array:
    """Whether something holds of each text, asked once of each distinct one."""
    known = text.dictionary_encode()
    fits = [value is not None and holds(value) for value in known.dictionary.to_pylist()]
    return pc.take(pa.array(fits, pa.bool_()), known.indices)


def _comparable(values: pa.Array) -> pa.Array:
    """Numbers as float64, times as they are, strings as the numbers they write."""
    kind = values.type
    if pa.types.is_temporal(kind):
        return values
    if pa.types.is_string(kind):
        numbers = pc.match_substring_regex(values, r"^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$")
        return pc.utf8_trim_whitespace(pc.if_else(numbers, values, None)).cast(pa.float64())
    return values.cast(pa.float64(), safe=False)


def _scalar(bound: Any, kind: pa.DataType) -> pa.Scalar:
    """A bound as a value of the column's type: times are given as ISO text or as epoch microseconds."""
    if pa.types.is_temporal(kind) and isinstance(bound, str):
        moment = datetime.fromisoformat(bound)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        bound = moment.timestamp() * 1e6
    if pa.types.is_timestamp(kind):
        return pa.scalar(round(bound), pa.timestamp("us")).cast(pa.int64()).cast(kind)
    if pa.types.is_date(kind):
        return pa.scalar(date.fromtimestamp(0).fromordinal(719163 + int(bound // 86_400_000_000)), kind)
    return pa.scalar(float(bound), pa.float64())


def plain(value: Any) -> Any:
    """A value as JSON data; long texts are cut."""
    match value:
        case None | bool() | int():
            return value
        case float():
            return value if value == value and abs(value) != float("inf") else str(value)
        case str():
            return value if len(value) <= _LONGEST else value[:_LONGEST] + "…"
        case bytes():
            return plain(value.hex())
        case date():  # and datetime
            return value.isoformat()
        case Decimal():
            return str(value)
        case dict():
            return {str(key): plain(item) for key, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
        case _:
            return str(value)
