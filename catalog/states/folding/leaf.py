"""The fold of one leaf column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from catalog.states.column import ColumnState
from catalog.states.folding import text
from catalog.states.folding.hashing import (
    EMPTY,
    filled,
    hash_decimals,
    hash_floats,
    hash_ints,
    hash_rows,
    hash_strings,
    hash_values,
    int64_of,
    list_parts,
    simple,
    valid,
)
from catalog.states.folding.kinds import kind_of, type_name
from catalog.states.folding.skeleton import MOST_BYTES, skeletons
from catalog.states.folding.sorting import ascending, first_rows, runs, smallest, tally
from catalog.states.parts.calendar import calendar_of_type
from catalog.states.parts.distinct import WRITTEN, Distinct, sample, truncate
from catalog.states.parts.exact import EXACT_VALUES, VALUE_BYTES, Parts, canonical, fits
from catalog.states.parts.garbled import garbled_of_cells
from catalog.states.parts.moments import WIDE, Moments, moments_of
from catalog.states.parts.order import order_of
from catalog.states.parts.summaries import LISTED, Frequent, cut_to_budget, quantiles_of

Hashes = NDArray[np.uint64]
Folded = tuple[ColumnState, Hashes | None, NDArray[np.bool_] | None]
SAMPLE = 256  # distinct values sampled of a large batch; a bound
BUDGET = 2048  # bytes of frequent values of a large batch; a bound


def sample_size(rows: int, distinct: int) -> int:
    """Distinct values sampled: fewer of a small batch, so that its state stays below its data.

    Half as many do where nearly all values differ: the rows then tell their number better (`Distinct.estimate`).
    """
    return min(SAMPLE // 2 if distinct > 0.9 * rows else SAMPLE, max(16, rows // 8))


def points(rows: int) -> int:
    """Points of the quantile summary of a batch."""
    return min(128, max(16, rows // 8))


def listed(rows: int) -> int:
    """Frequent values listed of a batch."""
    return min(LISTED, max(16, rows // 16))


def fold_leaf(array: pa.Array, hashed: Callable[[], Hashes] | None = None) -> Folded:
    """(state, hash of every row, which rows are not null or None for all). `hashed` makes the hashes of a list's rows
    where those of its elements are known."""
    kind, name = kind_of(array.type), type_name(array.type)
    array = simple(array, views=True)
    present = valid(array) if array.null_count else None
    if pa.types.is_null(array.type) or array.null_count == len(array):
        table = () if kind in ("string", "number", "boolean", "time", "other") and kind != "other" else None
        state = ColumnState(kind, name, len(array), len(array), table=table, sketch=Parts() if table is None else None)
        return state, None, np.zeros(len(array), np.bool_)
    if kind == "string":
        state, hashes = _strings(array, name, present)
    elif pa.types.is_floating(array.type):
        state, hashes = _floats(array, name, present)
    elif kind in ("number", "boolean", "time"):
        state, hashes = _integral(array, kind, name, present)
    else:
        state, hashes = _opaque(array, kind, name, present, hash_rows(array) if hashed is None else hashed())
    return state, hashes, present


def top(counts: NDArray[np.int64], hashes: Hashes, size: int) -> tuple[NDArray[np.int64], int]:
    """(indexes of the `size` largest counts, ties by smallest hash; the largest count left out)."""
    if len(counts) <= size:
        return np.lexsort((hashes, -counts)), 0
    if int(counts.max()) == 1:
        if bool((hashes[1:] > hashes[:-1]).all()):
            return np.arange(size), 1
        return smallest(hashes, size), 1
    edge, most_unlisted = (int(x) for x in np.partition(counts, (-size - 1, -size))[[-size, -size - 1]])
    above = np.flatnonzero(counts > edge)
    equal = np.flatnonzero(counts == edge)
    need = size - len(above)
    if len(equal) > need:
        equal = equal[np.argpartition(hashes[equal], need - 1)[:need]]
    chosen = np.concatenate((above, equal))
    return chosen[np.lexsort((hashes[chosen], -counts[chosen]))], most_unlisted


# ------------------------------------------------------------------------------------------------------------ strings


def _strings(array: pa.Array, name: str, present: NDArray[np.bool_] | None) -> tuple[ColumnState, Hashes]:
    cells = text.binary(array)
    all_hashes = hashes = hash_strings(cells)
    if present is not None:
        hashes, cells = all_hashes[present], cells.drop_nulls()
    unique, counts = tally(hashes)
    empty = np.uint64(EMPTY)
    at = int(np.searchsorted(unique, empty))
    empties = int(counts[at]) if at < len(unique) and unique[at] == empty else 0
    head = ColumnState("string", name, len(array), len(array) - len(cells), empties, order=order_of(cells))
    if len(unique) <= EXACT_VALUES:
        values = text.decode(cells.gather(first_rows(hashes, unique)))
        if fits(values):
            table: dict[str, int] = {}
            for value, count in zip(values, counts.tolist(), strict=True):  # damaged cells may become equal
                table[value] = table.get(value, 0) + count
            return replace(head, table=canonical(table.items())), all_hashes
    return replace(head, table=None, sketch=_sketch(cells, hashes, unique, counts)), all_hashes


def _sketch(cells: pl.Series, hashes: Hashes, unique: Hashes, counts: NDArray[np.int64]) -> Parts:
    """The parts of a column of many strings."""
    rows = len(cells)
    edges, data = text.buffers(cells)
    chosen, most_unlisted = _listed(edges, data, hashes, unique, counts)
    distinct = sample(unique, counts, sample_size(rows, len(unique)))
    wanted = np.union1d(chosen, np.arange(min(WRITTEN, len(distinct.hashes))))  # by their places, so by their hashes
    taken = text.decode(cells.gather(first_rows(hashes, unique[wanted])))
    written = dict(zip(wanted.tolist(), map(cut, taken), strict=True))
    values = [written[i] for i in chosen.tolist()]
    distinct = distinct.written([written[i] for i in range(min(WRITTEN, len(distinct.hashes)))])
    budget = min(BUDGET, max(256, len(data) // 16))
    frequent = _frequent(values, counts[chosen], unique[chosen], most_unlisted, budget)
    low, high = text.extremes(cells)
    lengths, shapes, numeric = text.shapes_and_lengths(cells, edges, data)
    moments, quantiles, parsed = None, None, 0
    if numeric != "none":
        moments, quantiles, parsed = text.numbers(cells, points(rows), all_plain=numeric == "all")
    garbled = garbled_of_cells(cells) if lengths.other else 0
    return Parts(moments, cut(low), cut(high), distinct, frequent, quantiles, lengths, shapes, parsed, garbled)


def _listed(
    edges: NDArray[np.int64], data: NDArray[np.uint8], hashes: Hashes, unique: Hashes, counts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], int]:
    """`top` of strings: of those that stand in one row each, the ones of the least skeletons."""
    size = listed(len(hashes))
    often = np.flatnonzero(counts > 1)
    need = size - len(often)
    if need <= 0 or len(data) > MOST_BYTES:
        return top(counts, unique, size)
    keys = skeletons(edges, data, hashes)
    rows = smallest(keys, 4 * size)
    rows = rows[np.lexsort((hashes[rows], keys[rows]))]
    at = np.searchsorted(unique, hashes[rows])
    once = at[counts[at] == 1][:need]
    if len(once) < need:
        return top(counts, unique, size)
    return np.concatenate((often[np.lexsort((unique[often], -counts[often]))], once)), 1


def _frequent(
    values: Sequence[Any], counts: NDArray[np.int64], hashes: Hashes, most_unlisted: int, budget: int
) -> Frequent:
    kept = cut_to_budget(values, budget)
    if kept < len(values):
        most_unlisted = max(most_unlisted, int(counts[kept]))
    items = tuple(zip(values[:kept], counts[:kept].tolist(), strict=True))
    return Frequent(items, most_unlisted, False, tuple(truncate(hashes[:kept]).tolist()))


def cut(value: str) -> str:
    """At most `VALUE_BYTES` bytes of a string."""
    if len(value) <= VALUE_BYTES // 4:
        return value
    raw = value.encode("utf-8", "replace")
    return value if len(raw) <= VALUE_BYTES else raw[:VALUE_BYTES].decode("utf-8", "ignore")


# ------------------------------------------------------------------------------------------------------------ numbers


def _floats(array: pa.Array, name: str, present: NDArray[np.bool_] | None) -> tuple[ColumnState, Hashes]:
    cells = filled(array, 0.0).astype(np.float64, copy=False)
    all_hashes = hash_floats(cells)
    if present is not None:
        all_hashes = np.where(present, all_hashes, np.uint64(0))
        cells = cells[present]
    nan = np.isnan(cells)
    nans = int(np.count_nonzero(nan))
    if nans:
        cells = cells[~nan]
    ordered = ascending(cells + 0.0)
    unique, counts = runs(ordered)
    counted = (len(array), array.null_count, 0, nans)
    if len(unique) <= EXACT_VALUES:
        table = canonical(zip(unique.tolist(), counts.tolist(), strict=True))
        return ColumnState("number", name, *counted, table=table), all_hashes
    finite = ordered[int(np.isneginf(ordered).sum()) : len(ordered) - int(np.isposinf(ordered).sum())]
    parts = _number_parts(unique, counts, hash_floats(unique), float, ordered, moments_of(finite))
    return ColumnState("number", name, *counted, table=None, sketch=parts), all_hashes


def _integral(array: pa.Array, kind: str, name: str, present: NDArray[np.bool_] | None) -> tuple[ColumnState, Hashes]:
    ints = int64_of(array)
    if ints is None:
        return _huge(array, kind, name)
    scale = array.type.scale if pa.types.is_decimal(array.type) else 0
    all_hashes = hash_decimals(ints, scale) if scale else hash_ints(ints)
    if present is not None:
        all_hashes = np.where(present, all_hashes, np.uint64(0))
        ints = ints[present]
    to_python = _reader(array.type)
    ordered = ascending(ints)
    unique, counts = runs(ordered)
    counted = (len(array), array.null_count, 0, 0)
    if len(unique) <= EXACT_VALUES:
        table: dict[Any, int] = {}
        for value, count in zip(map(to_python, unique.tolist()), counts.tolist(), strict=True):
            table[value] = table.get(value, 0) + count
        return ColumnState(kind, name, *counted, table=canonical(table.items())), all_hashes
    hashes = hash_decimals(unique, scale) if scale else hash_ints(unique)
    floats = ordered.astype(np.float64)
    if scale:
        floats /= 10.0**scale
    total: Any = int_sum(ordered)
    if scale:
        total = Decimal(total).scaleb(-scale, WIDE)
    parts = _number_parts(unique, counts, hashes, to_python, floats, moments_of(floats, total=total))
    if kind == "time":
        parts = replace(parts, calendar=calendar_of_type(ordered, array.type))
    return ColumnState(kind, name, *counted, table=None, sketch=parts), all_hashes


def int_sum(ordered: NDArray[np.int64]) -> int:
    """Exact sum of ascending 64-bit integers."""
    if max(abs(int(ordered[0])), abs(int(ordered[-1]))) * len(ordered) < 1 << 63:
        return int(ordered.sum())
    return (int((ordered >> 32).sum()) << 32) + int((ordered & 0xFFFFFFFF).sum())


def _number_parts(
    unique: NDArray[Any],
    counts: NDArray[np.int64],
    hashes: Hashes,
    to_python: Callable[[Any], Any],
    ordered: NDArray[np.float64],
    moments: Moments | None,
) -> Parts:
    """The parts of a column of many numbers or times; `unique` ascends, `ordered` holds all rows' doubles,
    ascending."""
    rows = len(ordered)
    sizes = hashes if unique[0] >= 0 else hash_floats(np.abs(unique.astype(np.float64)))  # whatever their signs
    chosen, most_unlisted = top(counts, sizes, listed(rows))
    values = [to_python(x) for x in unique[chosen].tolist()]
    frequent = _frequent(values, counts[chosen], hashes[chosen], most_unlisted, min(BUDGET, max(256, rows)))
    low, high = to_python(unique[0].item()), to_python(unique[-1].item())
    distinct = pick(hashes, counts, sample_size(rows, len(unique)))
    return Parts(moments, low, high, distinct, frequent, quantiles_of(ordered, points=points(rows)))


def pick(hashes: Hashes, counts: NDArray[np.int64], k: int) -> Distinct:
    """`sample` of hashes in any order."""
    known = (len(hashes), int(np.count_nonzero(counts == 1)))
    order = smallest(hashes, k + 1)
    small = sample(hashes[order], counts[order], k)
    return Distinct(small.hashes, small.counts, small.threshold, int(counts.sum()), known)


def _huge(array: pa.Array, kind: str, name: str) -> tuple[ColumnState, Hashes]:
    """Numbers beyond 64 bits, one by one: exact and slow."""
    all_hashes = hash_rows(array)
    tallied: dict[Any, int] = {}
    for value in array.drop_null().to_pylist():
        tallied[value] = tallied.get(value, 0) + 1
    values = sorted(tallied)
    counted = (len(array), array.null_count, 0, 0)
    if len(values) <= EXACT_VALUES:
        return ColumnState(kind, name, *counted, table=canonical(tallied.items())), all_hashes
    counts = np.array([tallied[v] for v in values], np.int64)
    floats = np.repeat(np.array([float(v) for v in values]), counts)
    total = sum(v * c for v, c in tallied.items()) if isinstance(values[0], int) else _decimal_sum(tallied)
    unique = np.arange(len(values))
    moments = moments_of(floats, total=total)
    parts = _number_parts(unique, counts, hash_values(values), values.__getitem__, floats, moments)
    return ColumnState(kind, name, *counted, table=None, sketch=parts), all_hashes


def _decimal_sum(tallied: dict[Decimal, int]) -> Decimal:
    total = Decimal(0)
    for value, count in tallied.items():
        total = WIDE.add(total, WIDE.multiply(value, Decimal(count)))
    return total


_EPOCH = datetime(1970, 1, 1)
_DAY = 86_400_000_000


def _reader(kind: pa.DataType) -> Callable[[int], Any]:
    """From the 64-bit integer of a type's cell to its Python value; times beyond Python's years 1 to 9999 are
    clamped."""
    t = pa.types
    if t.is_boolean(kind):
        return bool
    if t.is_decimal(kind):
        return lambda x: Decimal(x).scaleb(-kind.scale, WIDE)
    if t.is_date(kind):
        return lambda x: _datetime(x).date()
    if t.is_timestamp(kind):
        return (lambda x: _datetime(x).replace(tzinfo=UTC)) if kind.tz else _datetime
    if t.is_time(kind):
        return lambda x: (_EPOCH + timedelta(microseconds=x % _DAY)).time()
    return int


def _datetime(micros: int) -> datetime:
    try:
        return _EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        return datetime.max if micros > 0 else datetime.min


def python_value(scalar: pa.Scalar) -> Any:
    """A cell as the Python value that states hold; None for null."""
    if not scalar.is_valid:
        return None
    array = simple(
        pa.array([scalar.as_py()], scalar.type) if not pa.types.is_timestamp(scalar.type) else pa.repeat(scalar, 1)
    )
    if kind_of(array.type) in ("number", "time", "boolean") and not pa.types.is_floating(array.type):
        ints = int64_of(array)
        return array[0].as_py() if ints is None else _reader(array.type)(int(ints[0]))
    value = array[0].as_py()
    return value


# ------------------------------------------------------------------------------------------- binary, lists and others


def _opaque(
    array: pa.Array, kind: str, name: str, present: NDArray[np.bool_] | None, all_hashes: Hashes
) -> tuple[ColumnState, Hashes]:
    """Values that are counted by hash and length but not listed."""
    hashes = all_hashes if present is None else all_hashes[present]
    unique, counts = tally(hashes)
    rows = len(hashes)
    distinct = sample(unique, counts, sample_size(rows, len(unique)))
    frequent = Frequent((), int(counts.max(initial=0)), False)
    lengths = _element_counts(array, kind)
    if lengths is None:
        return ColumnState(
            kind, name, len(array), array.null_count, table=None, sketch=Parts(distinct=distinct, frequent=frequent)
        ), all_hashes
    if present is not None:
        lengths = lengths[present]
    ordered = ascending(lengths)
    floats = ordered.astype(np.float64)
    parts = Parts(
        moments_of(floats, total=int_sum(ordered)),
        int(ordered[0]),
        int(ordered[-1]),
        distinct,
        frequent,
        quantiles_of(floats, points=points(rows)),
    )
    empties = int(np.count_nonzero(ordered == 0))
    return ColumnState(kind, name, len(array), array.null_count, empties, table=None, sketch=parts), all_hashes


def _element_counts(array: pa.Array, kind: str) -> NDArray[np.int64] | None:
    """Elements of each list, bytes of each binary; None for what has no length."""
    if kind == "list":
        starts, ends, _ = list_parts(array)
        return ends - starts
    if kind == "binary":
        width = np.int64 if pa.types.is_large_binary(array.type) else np.int32
        offsets = np.frombuffer(array.buffers()[1], width)[array.offset : array.offset + len(array) + 1]
        return np.diff(offsets).astype(np.int64)
    return None
