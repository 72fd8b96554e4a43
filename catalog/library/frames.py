"""Data frames of any maker as Arrow: pandas, polars, Arrow and Spark, without importing any of them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from catalog.errors import UsageError
from catalog.states.folding.fold import leaves
from catalog.states.folding.hashing import simple

Frame = Any
_ONE_TYPE = "give each column one type that Arrow has: cast it, to a text say"


def as_arrow(frame: Frame) -> pa.Table:
    """A frame as an Arrow table.

    Parameters
    ----------
    frame : ``pyarrow.Table`` or ``RecordBatch``, ``pandas.DataFrame``, ``polars.DataFrame`` or ``LazyFrame``,
        ``pyspark.sql.DataFrame``, or whatever exports the Arrow C stream. A Spark frame is brought to this process.

    Raises `UsageError` for anything else, and for a frame whose columns share a name.

    >>> import polars
    >>> as_arrow(polars.DataFrame({"a": [1, 2]})).num_rows
    2
    >>> as_arrow({"a": [1]})
    Traceback (most recent call last):
    catalog.errors.UsageError: what is a dict is no data frame; give a pandas, polars, Arrow or Spark frame
    """
    table = _converted(frame)
    _once(table.column_names)
    return table


def _once(names: list[Any]) -> None:
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"two columns of the frame are named {twice!r}", remedy="rename one of them")


def _converted(frame: Frame) -> pa.Table:
    if isinstance(frame, pa.Table):
        return frame
    if isinstance(frame, pa.RecordBatch):
        return pa.Table.from_batches([frame])
    made = f"{type(frame).__module__}.{type(frame).__name__}"
    if made.endswith(".Series"):
        raise UsageError("a Series is one column, no data frame", remedy="give series.to_frame('its name')")
    names = list(frame.columns) if made.startswith(("pandas.", "pyspark.")) and hasattr(frame, "columns") else []
    _once(names)
    try:
        if made.startswith("pandas."):
            return pa.Table.from_pandas(frame, preserve_index=False)
        if made.startswith("pyspark."):
            return frame.toArrow()
        if made.startswith("polars.") and hasattr(frame, "collect"):
            frame = _collected(frame)
        if made.startswith("polars.") and hasattr(frame, "columns"):
            return _of_polars(frame)
        if hasattr(frame, "__arrow_c_stream__"):
            return pa.table(frame)
    except UnicodeError as error:
        raise UsageError(f"the frame holds what is no text ({error})", remedy="replace such characters") from error
    except (pa.ArrowException, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise UsageError(f"the frame cannot be read as Arrow ({error})", remedy=_ONE_TYPE) from error
    raise UsageError(
        f"what is a {type(frame).__name__} is no data frame", remedy="give a pandas, polars, Arrow or Spark frame"
    )


def _collected(frame: Any) -> Any:
    """Raises `UsageError` for a query that fails."""
    from polars.exceptions import PolarsError

    try:
        return frame.collect()
    except PolarsError as error:
        first = str(error).partition("\n")[0]
        raise UsageError(
            f"the query of the lazy frame fails ({first})", remedy="correct it; collect() shows it"
        ) from error


def _of_polars(frame: Any) -> pa.Table:
    """Raises `UsageError` for columns of Python objects: what polars tells Arrow of them are places in memory."""
    objects = [name for name, kind in frame.schema.items() if str(kind).startswith("Object")]
    if objects:
        raise UsageError(f"column {objects[0]!r} holds Python objects", remedy=_ONE_TYPE)
    return frame.to_arrow()


_NAMES = {
    "int64": "bigint", "int32": "int", "int16": "smallint", "int8": "tinyint", "float": "float", "bool": "boolean",
    "large_string": "string", "string_view": "string", "date32[day]": "date", "large_binary": "binary",
}  # fmt: skip


def schema_of(table: pa.Table) -> list[list[str]]:
    """Leaf columns with their types, named as tables of a lake name them.

    >>> schema_of(pa.table({"a": [1], "at": pa.array([0], pa.timestamp("us", "UTC"))}))
    [['a', 'bigint'], ['at', 'timestamp']]
    """
    return [[name, _type_name(array.type)] for name, array in leaves(table)]


def _type_name(kind: pa.DataType) -> str:
    if pa.types.is_timestamp(kind):
        return "timestamp" if kind.tz else "timestamp_ntz"
    return _NAMES.get(str(kind), str(kind).replace("decimal128", "decimal").replace(", ", ","))


def leaf_columns(table: pa.Table) -> dict[str, pa.Array]:
    """Leaf columns by dotted name, without what only wraps or packs their values."""
    return {name: simple(array) for name, array in leaves(table)}
