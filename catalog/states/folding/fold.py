"""The one fold from Arrow to states: whoever brings the batches, equal rows leave equal states.

Vectorised over whole columns; takes about as long as reading the batch (benchmarks/speed/scan.py). Struct leaves become
columns ``a.b``; a null struct makes its leaves null. What lists hold is columns ``a[]``, ``a[].b`` with a value for
each element (`catalog.states.elements`). No type and no cell makes it fail.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
import pyarrow as pa

from catalog.errors import UsageError
from catalog.states import elements
from catalog.states.column import ColumnState
from catalog.states.elements import EACH, ELEMENT, Path
from catalog.states.folding import leaf
from catalog.states.folding.hashing import hash_rows, hash_values, list_parts, simple
from catalog.states.folding.kinds import is_any_list, kind_of, type_name
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
    ahead: dict[Path, tuple[str, pa.Array]] = {}  # the time column in front, of rows and of the elements of each list
    within, places = _Within(data), _places(data.schema)
    lists = {path[:at] for _, path in places for at, step in enumerate(path) if step == EACH}
    inside: dict[Path, Hashes] = {}  # the hashes of what lists hold, of which those of the lists are made

    def hashes_at(path: Path) -> Hashes:
        if path not in inside:
            inside[path] = hash_rows(within.at(path), lambda part: hashes_at((*path, part)))
        return inside[path]

    for name, path in sorted(places, key=lambda place: (1, -len(place[1])) if place[1] in lists else (0, 0)):
        if name in constants:
            continue
        of, array = list_at(path), within.at(path)
        state, hashes, valid = leaf.fold_leaf(array, partial(hashes_at, path) if path in lists else None)
        if is_moment(array.type):
            state = replace(state, before=(before(*ahead[of], array),) if of in ahead else ())
            ahead[of] = name, array
        columns[name] = state
        if of:  # the list that holds the elements speaks for them in its rows
            inside[path] = np.zeros(len(array), np.uint64) if hashes is None else hashes
            continue
        if rows and hashes is not None:
            row_hashes += hashes * salt(name)
        if valid is not None:
            complete &= valid
    columns = {name: columns[name] for name, _ in places if name in columns}
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
    """(dotted name, array) of every leaf that has a value a row; a name that is taken is set in backticks.

    >>> [name for name, _ in leaves(pa.table({"a": [{"b": 1, "c": {"d": 2}}], "a.b": [3], "e": [[4]]}))]
    ['a.b', 'a.c.d', '`a.b`', 'e']
    """
    within = _Within(data)
    for name, path in _places(data.schema):
        if not list_at(path):
            yield name, within.at(path)


def opened(data: pa.RecordBatch, column: str) -> tuple[pa.Array, np.ndarray | None]:
    """The values of a leaf, and the row of each where they are elements of lists. Raises `UsageError` where there is
    none of that name.

    >>> values, rows = opened(pa.record_batch({"e": [[1, 2], None, [3]]}), "e[]")
    >>> values.to_pylist(), rows.tolist()
    ([1, 2, 3], [0, 0, 2])
    """
    path = next((path for name, path in _places(data.schema) if name == column), None)
    if path is None:
        raise UsageError(f"there is no column {column!r}", remedy="give the dotted name of a leaf column")
    within, rows = _Within(data), None
    for at in [at for at, step in enumerate(path) if step == EACH]:
        starts, ends, _ = within.elements(path[:at])
        above = np.arange(len(starts)) if rows is None else rows
        rows = np.repeat(above, ends - starts)
    return within.at(path), rows


def list_at(path: Path) -> Path:
    """The place of the elements of the innermost list around a leaf; empty for a leaf of rows."""
    return path[: max((at + 1 for at, step in enumerate(path) if step == EACH), default=0)]


@lru_cache(maxsize=256)
def _places(schema: pa.Schema) -> tuple[tuple[str, Path], ...]:
    fields = ((field.name, field.type) for field in schema)
    return tuple((name, path) for name, path, _ in elements.leaves(fields, _inside))


def _inside(kind: pa.DataType) -> list[tuple[str | None, pa.DataType]]:
    """What a type consists of, as `catalog.states.elements.Inside`."""
    if isinstance(kind, pa.BaseExtensionType):
        return _inside(kind.storage_type)
    if pa.types.is_struct(kind):
        return [(field.name, field.type) for field in kind]
    if pa.types.is_map(kind):
        return [(ELEMENT, pa.struct([("key", kind.key_type), ("value", kind.item_type)]))]
    return [(ELEMENT, kind.value_type)] if is_any_list(kind) else []


class _Within:
    """The arrays of a batch by their places, each taken out once."""

    def __init__(self, data: pa.RecordBatch | pa.Table) -> None:
        self.data = data
        self.known: dict[Path, pa.Array] = {}
        self.lists: dict[Path, tuple[np.ndarray, np.ndarray, pa.Array]] = {}

    def at(self, path: Path) -> pa.Array:
        if path not in self.known:
            self.known[path] = self._taken(path)
        return self.known[path]

    def _taken(self, path: Path) -> pa.Array:
        if len(path) == 1:
            return storage(one_array(self.data.column(path[0])))
        if path[-1] == EACH:
            return storage(self.elements(path[:-1])[2])
        for at, child in enumerate(self.at(path[:-1]).flatten()):
            self.known[*path[:-1], at] = storage(child)
        return self.known[path]

    def elements(self, path: Path) -> tuple[np.ndarray, np.ndarray, pa.Array]:
        """Where the elements of each list start and end, and these (`list_parts`)."""
        if path not in self.lists:
            self.lists[path] = list_parts(simple(self.at(path)))
        return self.lists[path]


def storage(array: pa.Array) -> pa.Array:
    """An array without extension types."""
    return storage(array.storage) if isinstance(array.type, pa.BaseExtensionType) else array


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
