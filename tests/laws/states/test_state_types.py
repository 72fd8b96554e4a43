"""Every Arrow type and every hostile cell or name goes through the fold, whole and in parts."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from catalog.states.encoding import decode, encode
from catalog.states.folding.fold import fold
from catalog.states.folding.hashing import hash_rows
from catalog.states.metrics import metrics
from catalog.states.parts.distinct import truncate
from catalog.states.table import TableState, merge

N = 700
DAY = dt.datetime(2020, 1, 1)


def some(make: Callable[[int], Any], kind: pa.DataType | None = None) -> pa.Array:
    """700 cells, every seventh null."""
    return pa.array([None if i % 7 == 3 else make(i) for i in range(N)], kind)


def odd_float(i: int) -> float:
    return [i / 3, float("nan"), float("inf"), -float("inf"), -0.0][i % 5] if i % 2 else i * 0.7


def raw_strings(make: Callable[[int], bytes]) -> pa.Array:
    """A string column whose bytes nobody checked."""
    return pa.Array.from_buffers(pa.string(), N, pa.array([make(i) for i in range(N)], pa.binary()).buffers())


def hostile(i: int) -> str | None:
    return ["x" * 100_000, "\0a", "😀é日本", "a\u0301", "", None, "\ud7ff"][i % 7]


COLUMNS: dict[str, Callable[[], pa.Array]] = {
    "string": lambda: some(lambda i: f"v{i}"),
    "large string": lambda: some(lambda i: f"v{i % 300}", pa.large_string()),
    "string view": lambda: some(lambda i: f"w{i}", pa.string_view()),
    "dictionary": lambda: some(lambda i: f"d{i % 9}").dictionary_encode(),
    "dictionary of numbers": lambda: some(lambda i: i).dictionary_encode(),
    "null": lambda: pa.nulls(N),
    "half": lambda: pa.array(np.arange(N).astype(np.float16)),
    "float": lambda: some(lambda i: i / 3, pa.float32()),
    "odd double": lambda: some(odd_float),
    "duration": lambda: some(lambda i: dt.timedelta(seconds=i)),
    "time32": lambda: some(lambda i: dt.time(i % 24, 1), pa.time32("s")),
    "time64": lambda: some(lambda i: dt.time(i % 24, 1, 2, i), pa.time64("us")),
    "time in nanoseconds": lambda: pa.array(range(N), pa.time64("ns")),
    "date": lambda: some(lambda i: DAY.date() + dt.timedelta(days=i)),
    "date64": lambda: some(lambda i: DAY.date() + dt.timedelta(days=i), pa.date64()),
    "instant": lambda: some(lambda i: DAY + dt.timedelta(seconds=i), pa.timestamp("us", "UTC")),
    "instant elsewhere": lambda: some(lambda i: DAY + dt.timedelta(hours=i), pa.timestamp("ms", "Europe/Berlin")),
    "nanoseconds": lambda: some(lambda i: 1577836800000000000 + i, pa.timestamp("ns")),
    "year 38504": lambda: some(lambda i: 2**60 if i == 5 else i, pa.timestamp("us")),
    "year 142 million": lambda: some(lambda i: 2**52 if i == 5 else i, pa.timestamp("s")),
    "before Christ": lambda: some(lambda i: -(2**40) - i, pa.timestamp("s")),
    "decimal": lambda: some(lambda i: Decimal(i) / 4, pa.decimal128(10, 2)),
    "decimal32": lambda: some(lambda i: Decimal(i) / 4, pa.decimal32(9, 2)),
    "decimal38": lambda: some(lambda i: Decimal(i) * 10**30, pa.decimal128(38, 2)),
    "decimal256": lambda: some(lambda i: Decimal(i) * 10**50, pa.decimal256(70, 2)),
    "boolean": lambda: some(lambda i: i % 3 == 0),
    "uint64": lambda: some(lambda i: 2**64 - 1 - i, pa.uint64()),
    "uint8": lambda: some(lambda i: i % 256, pa.uint8()),
    "binary": lambda: some(lambda i: bytes([i % 256, 255]) * (i % 5)),
    "fixed binary": lambda: some(lambda i: uuid.UUID(int=i).bytes, pa.binary(16)),
    "binary view": lambda: some(lambda i: bytes([i % 256]), pa.binary_view()),
    "list": lambda: some(lambda i: list(range(i % 4))),
    "large list": lambda: some(lambda i: ["a"] * (i % 4), pa.large_list(pa.string())),
    "fixed list": lambda: some(lambda i: [i, 2], pa.list_(pa.int32(), 2)),
    "list view": lambda: some(lambda i: [i] * (i % 3), pa.list_view(pa.int32())),
    "list of lists": lambda: some(lambda i: [[i], [None], None], pa.list_(pa.list_(pa.int64()))),
    "list of structs": lambda: some(lambda i: [{"a": i, "b": "x"}]),
    "map": lambda: some(lambda i: [("k", i)], pa.map_(pa.string(), pa.int64())),
    "struct": lambda: some(lambda i: {"a": i, "b": {"c": str(i), "d": [i]}}),
    "empty struct": lambda: some(lambda i: {}, pa.struct([])),
    "uuid": lambda: some(lambda i: uuid.UUID(int=i).bytes, pa.uuid()),
    "json": lambda: pa.ExtensionArray.from_storage(pa.json_(), some(lambda i: f'{{"a":{i}}}')),
    "calendar interval": lambda: some(lambda i: (1, 2, i), pa.month_day_nano_interval()),
    "runs": lambda: pa.RunEndEncodedArray.from_arrays(pa.array([100, N], pa.int32()), pa.array(["a", "b"])),
    "union": lambda: pa.UnionArray.from_dense(
        pa.array([0] * N, pa.int8()), pa.array(range(N), pa.int32()), [pa.array(range(N))]
    ),
    "a.b`c": lambda: some(lambda i: i),
    "'; DROP TABLE x; --": lambda: some(lambda i: i),
    "": lambda: some(lambda i: i),
    "no UTF-8": lambda: raw_strings(lambda i: [b"\xff\xfe", b"ok", b"\xc3", b"\x80"][i % 4]),
    "much that is no UTF-8": lambda: raw_strings(lambda i: bytes([200, i % 256, i // 256])),
    "hostile": lambda: some(hostile),
    "many hostile": lambda: some(lambda i: (hostile(i) or "") + "z" * i),
}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize(("offset", "length"), [(0, N), (3, 650), (0, 50), (0, 0), (10, 1)])
def test_any_column_goes_through(name: str, offset: int, length: int) -> None:
    data = pa.table([COLUMNS[name]().slice(offset, length)], names=[name])
    whole = fold(data)
    assert whole.rows == length
    assert decode(encode(whole)) == whole
    assert merge(whole, TableState.empty()) == whole
    half = length // 2
    merged = merge(fold(data.slice(0, half)), fold(data.slice(half)))
    assert decode(encode(merged)) == merged
    assert merged.complete_rows == whole.complete_rows
    for leaf, column in merged.columns.items():
        other = whole.columns[leaf]
        assert (column.kind, column.type) == (other.kind, other.type)
        assert (column.rows, column.nulls, column.nans, column.empties) == (
            other.rows, other.nulls, other.nans, other.empties,
        )  # fmt: skip
        assert (column.low, column.high) == (other.low, other.high)
        shared = column.distinct.hashes < np.uint64(min(column.distinct.threshold, other.distinct.threshold, 2**64 - 1))
        common = other.distinct.hashes < np.uint64(min(column.distinct.threshold, other.distinct.threshold, 2**64 - 1))
        assert column.distinct.hashes[shared].tolist() == other.distinct.hashes[common].tolist()
        assert column.distinct.counts[shared].tolist() == other.distinct.counts[common].tolist()
        if other.moments is not None and column.moments is not None and not isinstance(other.moments.total, float):
            assert (column.moments.n, column.moments.total) == (other.moments.n, other.moments.total)
        assert all(value == value for value in metrics(column).values())


def test_chunked_columns_are_one_column() -> None:
    parts = [pa.array(["a", None]), pa.array(["b"]), pa.array([], pa.string())]
    assert fold(pa.table({"x": pa.chunked_array(parts)})) == fold(pa.table({"x": ["a", None, "b"]}))


def test_a_null_struct_makes_its_leaves_null() -> None:
    data = pa.table({"s": pa.array([{"a": 1, "b": None}, None], pa.struct([("a", pa.int64()), ("b", pa.string())]))})
    state = fold(data)
    assert {name: c.nulls for name, c in state.columns.items()} == {"s.a": 1, "s.b": 2}
    assert state.complete_rows == 0


NESTED: dict[str, Callable[[], pa.Array]] = {
    "lists of lists": lambda: some(lambda i: [[i, None], None, []][: i % 4], pa.list_(pa.list_(pa.int64()))),
    "structs": lambda: some(lambda i: [{"a": i / 3, "b": [str(i)], "c": None}, None, {"a": None}][: i % 4]),
    "maps": lambda: some(lambda i: [("k", [True]), (str(i), None)], pa.map_(pa.string(), pa.list_(pa.bool_()))),
    "nothing": lambda: some(lambda i: [None] * (i % 3), pa.list_(pa.null())),
    "five deep": lambda: some(lambda i: [[[[[i]], None]]]),
    "flags and days": lambda: some(lambda i: [{"a": i % 2 == 0, "b": DAY.date(), "c": Decimal(i).scaleb(-2)}]),
}


@pytest.mark.parametrize("name", NESTED)
def test_hashes_of_lists_are_those_of_their_rows_by_themselves(name: str) -> None:
    """They are made of what was hashed of their elements."""
    array = NESTED[name]().slice(2)
    found = fold(pa.table({"x": array})).columns["x"].distinct
    assert set(found.hashes.tolist()) <= set(truncate(hash_rows(array)).tolist())
    assert found.estimate() == pytest.approx(len(set(map(str, array.drop_null().to_pylist()))), rel=0.2)


def test_a_thousand_columns() -> None:
    state = fold(pa.table({f"c{i}": [i, None, 2] for i in range(1000)}))
    assert len(state.columns) == 1000
    assert decode(encode(state)) == state


def test_a_record_batch_is_a_table() -> None:
    batch = pa.record_batch({"x": ["a", "b"], "y": [1.5, None]})
    assert fold(batch) == fold(pa.Table.from_batches([batch]))


def test_a_cut_value_is_still_counted_under_its_own_hash() -> None:
    long = ["y" * 300 + str(i % 5) for i in range(400)]
    state = fold(pa.table({"x": long}))
    merged = merge(state, state).columns["x"]
    assert merged.distinct.estimate() == 5
    assert sorted(count for _, count in merged.frequent.items) == [160] * 5
    assert all(len(value) == 256 for value, _ in merged.frequent.items)
    assert merged.values() is None
