"""The scan through Spark's own Delta reader, for tables whose files we do not read rightly ourselves.

The same fold gets its batches from the JVM instead of from the files, and still keeps one state per data file: Spark
says of every row which file it comes from. Slower (about a second a table and version), so only used where needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc

from catalog.errors import AssayError, CorruptLog, MissingFile, TableError, UnreadableFile, UnsupportedTable
from catalog.lake.logs.log import files_at
from catalog.lake.logs.schema import Field, simple_name
from catalog.lake.reading.confinement import remote_place
from catalog.lake.reading.deletion import vector_place
from catalog.lake.reading.files import ReadPlan, conform
from catalog.lake.reading.storage import Storage
from catalog.lake.scanning.tasks import Result, Task, answer, failure, fold_batch, quiet_worker
from catalog.states.encoding import decode, encode
from catalog.states.table import TableState, merge_all

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

_FILE = "__assay_file"
#: What a session of another machine must be started with.
_SET_UP = (
    "start the cluster with spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension and "
    "spark.sql.catalog.spark_catalog=org.apache.spark.sql.delta.catalog.DeltaCatalog"
)
_SCHEMA = "unit long, state binary, rows long, kind string, error string"


def scan_delta(
    spark: SparkSession, tasks: Iterable[Task], options: dict[str, str] | None = None, left: list[Task] | None = None
) -> Iterator[Result]:
    """As `catalog.lake.scanning.scan.scan`, through Spark's Delta reader: one Spark job per table and version.

    What Spark reports of a table is the result of that table's tasks; the other tables go on. Where the session is one
    without Delta, the tasks are added to `left` instead.
    """
    groups: dict[tuple[str, int], list[Task]] = {}
    for task in tasks:
        version = task.info.version if task.version is None else task.version
        groups.setdefault((task.uri, version), []).append(task)
    for (uri, version), group in groups.items():
        try:
            yield from list(_scan_version(spark, uri, version, group, options or {}))
        except AssayError as error:
            yield from (failure(task, error) for task in group)
        except Exception as error:
            if left is not None and lacks_delta(error):
                left += group
                continue
            told = spark_error(error, uri)
            yield from (failure(task, told) for task in group)


def _scan_version(
    spark: SparkSession, uri: str, version: int, tasks: list[Task], options: dict[str, str]
) -> Iterator[Result]:
    info = tasks[0].info
    plan = ReadPlan.of(info, options)
    for file in files_at(uri, version, options, info.roots):  # Spark would follow the log wherever it leads
        absolute(uri, file.path, info.roots)
        if file.deletion_vector and (place := vector_place(file.deletion_vector)):
            absolute(uri, place, info.roots)
    places = {absolute(uri, task.file.path, info.roots): number for number, task in enumerate(tasks)}
    frame = read_version(spark, uri, version, plan)
    folder = RowFolder(_ordered(plan), places)
    answers = frame.mapInArrow(folder, _SCHEMA).toArrow().to_pydict()
    found: dict[int, list[bytes]] = {}
    for number, state, kind, error in zip(*(answers[name] for name in ("unit", "state", "kind", "error")), strict=True):
        if kind is not None:
            raise UnreadableFile(error)
        found.setdefault(number, []).append(state)
    for number, task in enumerate(tasks):
        parts = [decode(state) for state in found.get(number, [])]
        if parts:
            state = merge_all(parts) if len(parts) > 1 else parts[0]
        else:  # every row of the file is deleted
            empty = pa.record_batch({"": pa.nulls(0)})
            state = fold_batch(conform(empty, _ordered(plan), [None] * len(plan.fields())), {})
        yield Result(task.table_key, task.file.key, encode(state), state.rows)


def read_version(spark: SparkSession, uri: str, version: int, plan: ReadPlan) -> DataFrame:
    """A version of the table: data columns, then partition columns, then the address of each row's file."""
    frame = spark.read.format("delta").option("versionAsOf", version).load(uri)
    columns = [_column(frame, item).alias(item.name) for item in _ordered(plan)]
    return frame.select(*columns, frame["_metadata.file_path"].alias(_FILE))


def _column(frame: DataFrame, item: Field) -> Column:
    column = frame["`" + item.name.replace("`", "``") + "`"]
    # Arrow has no type for variants: they come as JSON text
    return column.cast(_without_variants(item.type)) if "variant" in simple_name(item.type) else column


def _without_variants(kind: Any) -> str:
    """A type as Spark's DDL, with text for variants.

    >>> _without_variants({"type": "struct", "fields": [{"name": "a b", "type": "variant"}]})
    'struct<`a b`:string>'
    """
    if not isinstance(kind, dict):
        return "string" if kind == "variant" else simple_name(kind)
    match kind["type"]:
        case "array":
            return f"array<{_without_variants(kind['elementType'])}>"
        case "map":
            return f"map<{_without_variants(kind['keyType'])},{_without_variants(kind['valueType'])}>"
        case "struct":
            quoted = [("`" + f["name"].replace("`", "``") + "`", _without_variants(f["type"])) for f in kind["fields"]]
            return "struct<" + ",".join(f"{name}:{inner}" for name, inner in quoted) + ">"
        case other:
            return _without_variants(other)


def _ordered(plan: ReadPlan) -> list[Field]:
    fields = plan.fields()
    return [*plan.data_fields(), *(item for item in fields if item.name in plan.partitions)]


@dataclass(frozen=True)
class RowFolder:
    """What runs in the Python workers: batches of rows in, a state per file out. `places`: file address -> task."""

    fields: list[Field]
    places: dict[str, int]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        quiet_worker()
        states: dict[int, list[TableState]] = {}
        try:
            for batch in batches:
                for number, part in self.parts(batch):
                    found = [part.column(i) for i in range(len(self.fields))]
                    states.setdefault(number, []).append(fold_batch(conform(part, self.fields, found), {}))
            for number, parts in states.items():
                state = merge_all(parts) if len(parts) > 1 else parts[0]
                yield answer(number, encode(state), state.rows, None, None)
        except Exception as error:
            yield answer(0, None, 0, "unreadable_file", str(UnreadableFile(f"{type(error).__name__}: {error}")))

    def parts(self, batch: pa.RecordBatch) -> Iterator[tuple[int, pa.RecordBatch]]:
        """A batch cut by file, without the rows of files nobody asked for."""
        files = batch.column(batch.num_columns - 1)
        for address in pc.unique(files).to_pylist():
            number = self.places.get(normal(address))
            if number is not None:
                whole = pc.all(pc.equal(files, address)).as_py()
                yield number, batch if whole else batch.filter(pc.equal(files, address))


def absolute(uri: str, path: str, roots: tuple[str, ...] = ()) -> str:
    """The address of a data file in the form in which addresses are compared; raises `OutsideSource`."""
    storage = Storage(uri, {}, roots)
    if storage.local is not None:
        storage.place(path)
        where = "/" + path[len("file:") :].lstrip("/") if path.startswith("file:") else path
        return str(storage.local.absolute() / where)
    folder, name = remote_place(uri, path, roots or (uri,))
    return normal(f"{folder}/{name}", decoded=True)


def normal(address: str, *, decoded: bool = False) -> str:
    """An address without percent signs and without the varying number of slashes after ``file:``.

    >>> normal("file:///lake/t/a%20b.parquet") == normal("/lake/t/a b.parquet", decoded=True)
    True
    """
    address = address if decoded else unquote(address)
    return "/" + address[len("file:") :].lstrip("/") if address.startswith("file:") else address


def lacks_delta(error: BaseException) -> bool:
    """Whether Spark says that its session was not set up for Delta."""
    text = str(error)
    return (
        "EXTENSION_AND_CATALOG" in text
        or "find data source: delta" in text
        or ("DATA_SOURCE_NOT_FOUND" in text and "delta" in text)
    )


def spark_errors() -> tuple[type[Exception], ...]:
    """What Spark raises: errors that it has names for, and those of the JVM that it has none for."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    return PySparkException, Py4JError


def spark_error(error: BaseException, uri: str) -> TableError:
    """What Spark raised, as an error of the table, told by its message."""
    text = str(error)
    first = next((line.strip() for line in text.splitlines() if line.strip()), type(error).__name__)[:300]
    if lacks_delta(error):
        return UnsupportedTable(f"the Spark session is not set up for Delta ({first})", remedy=_SET_UP)
    if "FILE_NOT_EXIST" in text or "FileNotFoundException" in text or "FILE_NOT_FOUND" in text:
        return MissingFile(f"a data file of {uri} is missing ({first})")
    if "UNSUPPORTED_FEATURES" in text or "InvalidProtocolVersion" in text:
        return UnsupportedTable(f"Spark's Delta reader does not support {uri} ({first})")
    if re.search(r"DELTA_[A-Z_]*(LOG|VERSION)(?![A-Z])", text):
        return CorruptLog(f"Spark cannot replay the log of {uri} ({first})")
    return UnreadableFile(f"Spark cannot read {uri} ({first})")
