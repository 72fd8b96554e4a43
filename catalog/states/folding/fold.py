"""The one fold from Arrow to states: whoever brings the batches, equal rows leave equal states.

Vectorised over whole columns; takes about as long as reading the batch (benchmarks/speed/scan.py). Struct leaves become
columns ``a.b``; a null struct makes its leaves null. No type and no cell makes it fail.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from catalog.states.column import ColumnState
from catalog.states.folding import leaf
from catalog.states.folding.hashing import hash_values
from catalog.states.folding.kinds import kind_of, type_name
from catalog.states.folding.sorting import tally
from catalog.states.parts.calendar import before, is_moment
from catalog.states.parts.distinct import sample
from catalog.states.parts.exact import canonical, fits
from catalog.states.parts.order import order_of_one
from catalog.states.table import TABULAR, TableState

Hashes = np.ndarray


def fold(
    data: pa.RecordBatch | pa.Table, *, constants: Mapping[str, tuple[Any, pa.DataType]] | None = None
) -> TableState:
    """Fold a batch of rows to its state.

    Parameters
    ----------
    data : the rows.
    constants : columns that hold one value in every row (partition columns), as (value or None, Arrow type).

    >>> state = fold(pa.table({"x": ["a", "a", "b", None]}))
    >>> state.rows, state.complete_rows, state.columns["x"].values()
    (4, 3, [('a', 2), ('b', 1)])
    >>> state.columns["x"].distinct.estimate(), state.columns["x"].shapes.items[0]
    (2.0, Shape(text='a', count=3, low='a', high='b'))
    """
    constants = constants or {}
    rows = data.num_rows
    row_hashes = np.zeros(rows, np.uint64)
    complete = np.ones(rows, np.bool_)
    columns: dict[str, ColumnState] = {}
    ahead: tuple[str, pa.Array] | None = None  # the time column in front
    for name, array in leaves(data):
        if name in constants:
            continue
        state, hashes, valid = leaf.fold_leaf(array)
        if is_moment(array.type):
            state = replace(state, before=() if ahead is None else (before(*ahead, array),))
            ahead = name, array
        columns[name] = state
        if rows and hashes is not None:
            row_hashes += hashes * salt(name)
        if valid is not None:
            complete &= valid
    for name, (value, kind) in constants.items():
        columns[name] = _constant(value, kind, rows)
        if value is None:
            complete[:] = False
        elif rows:
            row_hashes += hash_values([_scalar(value, kind)]) * salt(name)
    return TableState(rows, int(np.count_nonzero(complete)), columns, _row_distinct(row_hashes))


@lru_cache(maxsize=4096)
def salt(name: str) -> np.uint64:
    """An odd multiplier of a column's hashes in the hash of a row."""
    return np.uint64(hash_values([name])[0] | np.uint64(1))


def _row_distinct(hashes: Hashes) -> Any:
    unique, counts = tally(hashes)
    return sample(unique, counts, leaf.sample_size(len(hashes), len(unique)))


def leaves(data: pa.RecordBatch | pa.Table) -> Iterator[tuple[str, pa.Array]]:
    """(dotted name, array) of every leaf; a name that is taken is set in backticks.

    >>> [name for name, _ in leaves(pa.table({"a": [{"b": 1, "c": {"d": 2}}], "a.b": [3]}))]
    ['a.b', 'a.c.d', '`a.b`']
    """
    taken: set[str] = set()
    for field, column in zip(data.schema, data.columns, strict=True):
        for name, array in _unnest(field.name, one_array(column)):
            while name in taken:
                name = f"`{name}`"
            taken.add(name)
            yield name, array


def one_array(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """A column as one array."""
    if not isinstance(column, pa.ChunkedArray):
        return column
    if column.num_chunks == 1:
        return column.chunk(0)
    if column.num_chunks == 0:
        return pa.nulls(0).cast(column.type) if not pa.types.is_nested(column.type) else pa.array([], column.type)
    combined = column.combine_chunks()
    # more than 2 GB of strings stay in chunks: use 64-bit offsets then
    if isinstance(combined, pa.ChunkedArray):
        wide = {pa.string(): pa.large_string(), pa.binary(): pa.large_binary()}.get(column.type, column.type)
        combined = pa.concat_arrays([c.cast(wide) for c in column.chunks])
    return combined


def _unnest(name: str, array: pa.Array) -> Iterator[tuple[str, pa.Array]]:
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        yield from _unnest(name, array.storage)
    elif pa.types.is_struct(kind) and kind.num_fields:
        for field, child in zip(kind, array.flatten(), strict=True):
            yield from _unnest(f"{name}.{field.name}", child)
    else:
        yield name, array


def _scalar(value: Any, kind: pa.DataType) -> Any:
    """A partition value as the cell it stands for; text is read as the type says."""
    scalar = pa.scalar(value).cast(kind) if isinstance(value, str) else pa.scalar(value, kind)
    return leaf.python_value(scalar)


def _constant(value: Any, kind: pa.DataType, rows: int) -> ColumnState:
    name = kind_of(kind)
    if value is None or rows == 0:
        state, _, _ = leaf.fold_leaf(pa.nulls(0, kind))
        return ColumnState(state.kind, state.type, rows, rows, table=state.table, sketch=state.sketch)
    cell = _scalar(value, kind)
    nan = isinstance(cell, float) and cell != cell
    if name not in TABULAR or not fits([cell]):
        state, _, _ = leaf.fold_leaf(pa.array([cell] * rows, kind))
        return state
    table = () if nan else canonical([(cell, rows)])
    order = order_of_one(cell, rows) if name == "string" else None
    return ColumnState(
        name, type_name(kind), rows, 0, rows if cell == "" else 0, rows if nan else 0, table, order=order
    )
