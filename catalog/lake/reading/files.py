"""Reading one data file as the table means it.

What a Parquet file holds and what the table says its rows are differ: columns are missing (null), renamed (column
mapping), in another order or of a narrower type, partition values are only in the log, and a deletion vector takes rows
away. Here all of that is put right, so that every batch has the table's own data columns with their own types.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from catalog.errors import AssayError, MissingFile, UnreadableFile
from catalog.lake.logs.schema import Field, arrow_type, parse_schema, readable, typed
from catalog.lake.reading.deletion import deleted_rows
from catalog.lake.reading.storage import Storage
from catalog.lake.types import DataFile, TableInfo
from catalog.states.folding.kinds import is_any_list

#: Rows that are decoded and folded at a time: bounds the memory of a task.
SLICE = 1 << 18


@dataclass(frozen=True)
class ReadPlan:
    """How to read data files of a table: all a worker needs, as JSON data.

    `schema` is the log's schema text, `partitions` the partition columns, `by_id` whether columns are found by the
    field ids in the files (column mapping mode ``id``). `roots`: folders that paths may lead to; none: the table's own.
    `variants`: whether variants come as text, as from Spark; else they are left out as all types nobody here reads.
    """

    uri: str
    schema: str
    partitions: tuple[str, ...] = ()
    by_id: bool = False
    options: dict[str, str] = field(default_factory=dict)
    roots: tuple[str, ...] = ()
    variants: bool = False

    @classmethod
    def of(cls, info: TableInfo, options: dict[str, str] | None = None) -> ReadPlan:
        mode = info.properties.get("configuration", {}).get("delta.columnMapping.mode", "none")
        return cls(
            info.uri,
            info.properties["schema"],
            info.partition_columns,
            mode == "id",
            options or {},
            info.roots,
            info.reader != "files",
        )

    def fields(self) -> tuple[Field, ...]:
        """All columns of the table that can be read, in its order."""
        return self._fields

    @cached_property
    def _fields(self) -> tuple[Field, ...]:
        kinds = [(item, readable(item.type, variants=self.variants)) for item in parse_schema(self.schema)]
        return tuple(replace(item, type=kind) for item, kind in kinds if kind is not None)

    def data_fields(self) -> list[Field]:
        return [item for item in self.fields() if item.name not in self.partitions]

    def empty(self) -> pa.RecordBatch:
        """A batch of the data columns without rows."""
        return conform(pa.record_batch({"": pa.nulls(0)}), self.data_fields(), [None] * len(self.data_fields()))

    def constants(self, values: dict[str, str | None]) -> dict[str, tuple[Any, pa.DataType]]:
        """The partition columns of a file with that `partition_values`, typed, in table order."""
        return {
            item.name: (typed(values.get(item.physical, values.get(item.name)), item.type), arrow_type(item.type))
            for item in self.fields()
            if item.name in self.partitions
        }


def row_groups(plan: ReadPlan, file: DataFile) -> list[tuple[int, int]]:
    """Rows and stored bytes of each row group; raises `MissingFile` or `UnreadableFile`."""
    with open_file(plan, file.path) as parquet:
        groups = [parquet.metadata.row_group(i) for i in range(parquet.metadata.num_row_groups)]
        return [(group.num_rows, group.total_byte_size) for group in groups]


def open_file(plan: ReadPlan, path: str) -> pq.ParquetFile:
    """A data file, open; raises `MissingFile` or `UnreadableFile`."""
    storage = Storage(plan.uri, plan.options, plan.roots)
    try:
        return pq.ParquetFile(storage.open(path), coerce_int96_timestamp_unit="us", pre_buffer=storage.local is None)
    except AssayError:
        raise
    except FileNotFoundError as error:
        raise MissingFile(f"the data file {path} is missing") from error
    except Exception as error:  # each store's client, and each codec, raises its own
        raise UnreadableFile(f"the data file {path} cannot be read ({type(error).__name__}: {error})") from error


def read_file(
    plan: ReadPlan,
    file: DataFile,
    *,
    groups: range | None = None,
    columns: list[str] | None = None,
    slice_rows: int = SLICE,
    views: bool = False,
) -> Iterator[pa.RecordBatch]:
    """The rows of a data file (of its row groups `groups`), in batches of the table's data columns.

    Parameters
    ----------
    groups : indices of row groups; None reads all.
    columns : top-level data columns to read; None reads all.
    views : whether strings may come as Arrow string views: faster, for who folds them.

    Raises `MissingFile` or `UnreadableFile`. A file without data columns gives batches of one column of nulls named
    ``""``, which only tell how many rows there are.
    """
    fields = [item for item in plan.data_fields() if columns is None or item.name in columns]
    with open_file(plan, file.path) as parquet:
        meta, schema, vector = parquet.metadata, parquet.schema_arrow, file.deletion_vector
        deleted = deleted_rows(plan.uri, vector, plan.options, plan.roots, meta.num_rows) if vector else None
        found = _match(schema, fields, by_id=plan.by_id)
        chosen = sorted({i for i in found if i is not None})
        place = {index: position for position, index in enumerate(chosen)}
        names = [schema.names[i] for i in chosen]
        wanted = groups if groups is not None else range(meta.num_row_groups)
        sizes = [meta.row_group(i).num_rows for i in range(meta.num_row_groups)]
        at = sum(sizes[: wanted.start])
        local = _simple_local_file(plan, file, parquet, chosen) if views and deleted is None else None
        try:
            for batch in (
                _polars_batches(local, names, at, sum(sizes[i] for i in wanted), slice_rows)
                if local is not None
                else _arrow_batches(parquet, wanted, names, slice_rows)
            ):
                arrays = [None if i is None else batch.column(place[i]) for i in found]
                conformed = conform(batch, fields, arrays, views=views)
                yield conformed if deleted is None else _without(conformed, at, deleted)
                at += batch.num_rows
        except (OSError, ValueError, pa.ArrowException, pl.exceptions.PolarsError) as error:
            raise UnreadableFile(
                f"the data file {file.path} cannot be read ({type(error).__name__}: {str(error)[:200]})"
            ) from error


def _arrow_batches(parquet: pq.ParquetFile, groups: range, names: list[str], size: int) -> Iterator[pa.RecordBatch]:
    """Batches of the named top-level columns; rows are counted even where no column is wanted."""
    everything = len(names) == len(parquet.schema_arrow.names)
    for group in groups:
        if names:
            yield from parquet.iter_batches(
                size, row_groups=[group], columns=None if everything else names, use_threads=False
            )
        else:
            rows = parquet.metadata.row_group(group).num_rows
            yield from (pa.record_batch({"": pa.nulls(min(size, rows - at))}) for at in range(0, rows, size))


def _polars_batches(path: Path, names: list[str], at: int, rows: int, size: int) -> Iterator[pa.RecordBatch]:
    """As `_arrow_batches` by polars' reader, which takes less than half the time for strings."""
    frame = pl.scan_parquet(path, glob=False, hive_partitioning=False, use_statistics=False).select(names)
    for start in range(at, at + rows, size):
        part = frame.slice(start, min(size, at + rows - start)).collect().rechunk()
        yield from part.to_arrow(compat_level=pl.CompatLevel.newest()).combine_chunks().to_batches()


#: Arrow types on whose reading polars and Arrow agree to the bit.
_SIMPLE = {
    arrow_type(name) for name in ("string", "long", "integer", "short", "byte", "float", "double", "boolean", "date")
}
#: Below this size (bytes) the faster reader's start costs more than it saves; chosen.
_WORTH = 1 << 19


def _simple_local_file(plan: ReadPlan, file: DataFile, parquet: pq.ParquetFile, chosen: list[int]) -> Path | None:
    """The path of a file that the faster reader may read, else None."""
    storage = Storage(plan.uri, plan.options, plan.roots)
    if storage.local is None or file.size < _WORTH or not chosen:
        return None
    kinds = parquet.schema_arrow.types
    place = storage.place(file.path)
    return Path(place) if all(kinds[i] in _SIMPLE for i in chosen) and place.isprintable() else None


def _match(schema: pa.Schema, fields: list[Field], *, by_id: bool) -> list[int | None]:
    """For each wanted column its position in the file, None where the file lacks it.

    Names are compared exactly, then without case (Delta's columns have no case).
    """
    exact = {name: i for i, name in enumerate(schema.names)}
    folded = {name.lower(): i for i, name in enumerate(schema.names)}
    ids = {}
    if by_id:
        for i, item in enumerate(schema):
            told = (item.metadata or {}).get(b"PARQUET:field_id")
            if told is not None:
                ids[int(told)] = i
    return [
        ids[item.id] if item.id in ids else exact.get(item.physical, folded.get(item.physical.lower()))
        for item in fields
    ]


def conform(
    batch: pa.RecordBatch, fields: list[Field], found: list[pa.Array | None], *, views: bool = False
) -> pa.RecordBatch:
    """The table's columns from what a reader found: nulls for missing ones, every type the table's own (strings may
    stay views where `views` says so)."""
    if not fields:
        return pa.record_batch({"": pa.nulls(batch.num_rows)})
    arrays = [
        pa.nulls(batch.num_rows, arrow_type(item.type))
        if array is None
        else array
        if views and array.type == pa.string_view() and arrow_type(item.type) == pa.string()
        else _cast(array, item.type)
        for item, array in zip(fields, found, strict=True)
    ]
    return pa.record_batch(arrays, names=[item.name for item in fields])


def _cast(array: pa.Array, kind: Any) -> pa.Array:
    """An array as the type `kind` of the table: struct fields by physical name, everything else by a safe cast."""
    wanted = arrow_type(kind)
    if array.type == wanted:
        return array
    if isinstance(array, pa.ExtensionArray):
        return _cast(array.storage, kind)
    if not isinstance(kind, dict) or kind["type"] not in ("struct", "array", "map"):
        if pa.types.is_integer(array.type) and pa.types.is_decimal(wanted):
            array = array.cast(pa.decimal128(38, wanted.scale))  # Arrow asks for the digits the old type might have
        return array.cast(wanted)
    if is_any_list(array.type) and kind["type"] == "array":  # lists with other offsets than the table's
        array = array.cast(pa.list_(array.type.value_type))
    array = pa.concat_arrays([array])  # a copy without offset: the parts below are taken whole
    mask = array.is_null()
    match kind["type"]:
        case "struct":
            return _cast_struct(array, kind, mask)
        case "array":
            values = _cast(array.values, kind["elementType"])
            return pa.ListArray.from_arrays(array.offsets, values, type=wanted, mask=mask)
        case _:
            keys, items = _cast(array.keys, kind["keyType"]), _cast(array.items, kind["valueType"])
            return pa.MapArray.from_arrays(array.offsets, keys, items, type=wanted, mask=mask)


def _cast_struct(array: pa.StructArray, kind: dict[str, Any], mask: pa.BooleanArray) -> pa.StructArray:
    children, fields = [], []
    for item in kind["fields"]:
        physical = (item.get("metadata") or {}).get("delta.columnMapping.physicalName", item["name"])
        index = array.type.get_field_index(physical)
        if index < 0:
            index = array.type.get_field_index(item["name"])
        wanted = arrow_type(item["type"])
        children.append(_cast(array.field(index), item["type"]) if index >= 0 else pa.nulls(len(array), wanted))
        fields.append(pa.field(item["name"], wanted))
    return pa.StructArray.from_arrays(children, fields=fields, mask=mask)


def _without(batch: pa.RecordBatch, start: int, deleted: np.ndarray) -> pa.RecordBatch:
    """The batch, whose first row is row `start` of the file, without the deleted rows."""
    first, last = np.searchsorted(deleted, np.array([start, start + batch.num_rows], np.uint64))
    if first == last:
        return batch
    keep = np.ones(batch.num_rows, bool)
    keep[(deleted[first:last] - np.uint64(start)).astype(np.int64)] = False
    return batch.filter(pa.array(keep))
