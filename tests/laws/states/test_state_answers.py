"""Known answers: what deequ's users rely on where it is a matter of states, and where deequ is known to be wrong."""

from __future__ import annotations

import math
import random
import string
from collections import Counter
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from catalog.states.column import ColumnState
from catalog.states.folding.fold import fold
from catalog.states.folding.hashing import hash_value
from catalog.states.folding.sorting import ascending, smallest
from catalog.states.metrics import metrics
from catalog.states.parts.shapes import shape_of
from catalog.states.table import TableState, merge_all


def column(cells: list[object], kind: pa.DataType | None = None) -> ColumnState:
    return fold(pa.table({"x": pa.array(cells, kind)})).columns["x"]


def uniqueness(state: ColumnState) -> tuple[float, float, float]:
    """deequ's Uniqueness and Distinctness (of non-null rows) and UniqueValueRatio (the paper's Uniqueness)."""
    d = state.distinct
    return d.singletons() / state.non_null, d.estimate() / state.non_null, d.singletons() / d.estimate()


def test_frequencies_of_a_small_column() -> None:
    state = column(["a", "a", "b", None])
    m = metrics(state)
    assert m["complete_ratio"] == 0.75
    assert uniqueness(state) == (1 / 3, 2 / 3, 0.5)
    assert state.distinct.estimate() == 2
    assert m["entropy"] == pytest.approx(0.636514, abs=1e-6)
    assert state.values() == [("a", 2), ("b", 1)]
    assert state.nulls == 1  # null is no value of its own name


def test_distinct_values_are_counted_without_what_else_a_table_of_values_tells() -> None:
    few, many = column(["a", "a", "b", "", None]), column([f"{i}" for i in range(5000)])
    assert few.different == few.distinct.estimate() == 3
    assert many.different == many.distinct.estimate()
    again = column(["a", "b"])
    assert again.different == 2
    assert "parts" not in vars(again), "nothing else is worked out for it"


def test_the_word_null_value_is_a_value() -> None:
    assert column(["NullValue", None]).values() == [("NullValue", 1)]


def test_the_empty_table_has_counts_and_no_metrics() -> None:
    for state in (column([], pa.string()), column([], pa.int64())):
        assert metrics(state) == {"row_count": 0.0}
        assert state.distinct.estimate() == 0
    assert fold(pa.table({"x": pa.array([], pa.string())})).row_distinct.estimate() == 0


def test_a_column_of_nulls_is_wholly_incomplete() -> None:
    m = metrics(column([None, None], pa.string()))
    assert m == {"row_count": 2.0, "complete_ratio": 0.0, "null_ratio": 1.0, "empty_ratio": 0.0, "filled_ratio": 0.0}


def test_entropy() -> None:
    assert metrics(column(["a", "a", "a", "b"]))["entropy"] == pytest.approx(0.5623351446)
    assert metrics(column(["a", "a"]))["entropy"] == 0


def test_moments_of_one_to_six() -> None:
    m = metrics(column([1, 2, 3, 4, 5, 6]))
    assert m["std"] == pytest.approx(1.707825, abs=1e-6)  # of the population
    assert m["variance"] == pytest.approx(2.916667, abs=1e-6)
    assert m["kurtosis"] == pytest.approx(-1.268571, abs=1e-6)
    assert (m["median"], m["min"], m["max"], m["range"], m["sum"]) == (3.5, 1, 6, 5, 21)


def test_huge_integers_stay_exact() -> None:
    state = column([3_000_000_000, 3_000_000_010])
    assert (state.low, state.high) == (3_000_000_000, 3_000_000_010)
    state = column([2**63 - 1, 1])
    assert state.moments is not None
    assert state.moments.total == 2**63
    assert state.moments.mean == pytest.approx(4.6e18, rel=0.01)
    many = column([2**63 - 1 - i for i in range(1000)])
    assert many.moments is not None
    assert many.moments.total == 1000 * (2**63 - 1) - 499_500
    assert (many.low, many.high) == (2**63 - 1000, 2**63 - 1)


def test_decimals_stay_exact() -> None:
    cells = [Decimal("0.10") * i + Decimal(10) ** 30 for i in range(500)]
    state = column(cells, pa.decimal128(38, 2))
    assert state.moments is not None
    assert state.moments.total == sum(cells)
    assert (state.low, state.high) == (cells[0], cells[-1])
    short = column([Decimal("0.10") * i for i in range(500)], pa.decimal128(12, 2))
    assert short.moments is not None
    assert short.moments.total == Decimal("12475.00")


def test_merged_frequencies_are_those_of_the_union() -> None:
    parts = [fold(pa.table({"x": pa.array(cells, pa.string())})) for cells in (["a", "b"], ["b", "c"], [])]
    state = merge_all(parts).columns["x"]
    assert state.rows == 4
    assert uniqueness(state) == (0.5, 0.75, 2 / 3)
    assert state.distinct.estimate() == 3
    assert metrics(state)["entropy"] == pytest.approx(1.039721, abs=1e-6)


def test_duplicate_rows() -> None:
    rows = fold(pa.table({"a": ["a", "a", None, "b"], "b": [None, None, None, 1]}))
    assert rows.row_distinct.estimate() == 3
    assert rows.complete_rows == 1
    swapped = fold(pa.table({"a": ["x", "y"], "b": ["y", "x"]}))
    assert swapped.row_distinct.estimate() == 2


def test_nan_is_present_and_no_number() -> None:
    state = column([1.0, float("nan"), None, float("nan")])
    assert (state.nulls, state.nans, state.low, state.high) == (1, 2, 1.0, 1.0)
    assert metrics(state)["complete_ratio"] == 0.75
    assert metrics(state)["mean"] == 1.0


def test_infinity_is_an_extreme_and_spoils_no_mean() -> None:
    state = column([1.0, math.inf, -math.inf])
    assert (state.low, state.high) == (-math.inf, math.inf)
    m = metrics(state)
    assert m["mean"] == 1.0
    assert "max" not in m


@pytest.mark.parametrize("size", [3, 1000])
def test_equal_numbers_of_all_types_are_one_value(size: int) -> None:
    cells = list(range(size))
    types = [pa.int8(), pa.int32(), pa.int64(), pa.uint64(), pa.float32(), pa.float64(), pa.decimal128(20, 3)]
    parts = [fold(pa.table({"x": pa.array(cells, t)})) for t in types if size < 100 or t != pa.int8()]
    merged = merge_all(parts).columns["x"]
    assert set(merged.distinct.counts.tolist()) == {len(parts)}
    assert merged.distinct.estimate() == pytest.approx(size, rel=0.15)
    assert merge_all(fold(pa.table({"x": [z]})) for z in (0.0, -0.0)).columns["x"].distinct.estimate() == 1


def test_hashes_never_change() -> None:
    # XXH3-64 of the empty string is published; the others pin what is stored
    assert [hex(hash_value(v)) for v in ("", "assay", 0, 1, 0.5, Decimal("0.5"), True)] == [
        "0x2d06800538d394c2", "0xec260ebc9a765a0b", "0xe220a8397b1dcdaf", "0x910a2dec89025cc1",
        "0x9839d029a1525335", "0x9839d029a1525335", "0x910a2dec89025cc1",
    ]  # fmt: skip


def test_numbers_written_as_text() -> None:
    cells = ["1", "-2.50", "+3", "1e2", ".5", "1.", "NaN", "", "1,000", "0x1f", " 4", "--4", None]
    state = column(cells)
    assert state.parsed == 4
    assert state.moments is not None
    assert state.moments.total == 101.5 + 0.0
    many = column([*cells, *[f"{i}.25" for i in range(400)]])
    assert many.table is None
    assert many.parsed == 404
    plain = column([str(i) for i in range(400)])
    assert plain.moments is not None
    assert (plain.parsed, plain.moments.total) == (400, 79_800.0)
    assert metrics(plain)["max"] == 399


def test_numbers_are_the_same_in_short_and_in_long_columns() -> None:
    odd = [
        "1",
        "-0",
        "+7.25",
        "1e5",
        "1E-5",
        "1e999",
        "9" * 40,
        "12\n",
        "１２",
        "1_000",
        "inf",
        "1.e3",
        "0x10",
        "1 2",
        "-",
        "",
    ]
    few = column(odd)
    many = column([*odd, *[f"item {i}" for i in range(500)]])
    assert many.table is None
    assert few.parsed == many.parsed == 7
    assert few.quantiles == many.quantiles
    assert few.moments == many.moments


def test_shapes_and_bounds() -> None:
    state = column([f"AB-{i:03d}" for i in range(100, 700)])
    (shape,) = state.shapes.items  # type: ignore[union-attr]
    assert (shape.text, shape.count, shape.low, shape.high) == ("AA-000", 600, "AB-100", "AB-699")


@pytest.mark.parametrize(
    ("cells", "level", "text"),
    [
        ([f"{i * 2654435761 % 2**32:08x}-{i * 40503 % 2**16:04x}" for i in range(3000)], 2, "XXXXXXXX-XXXX"),
        ([f"{'A' * (i % 9 + 1)}{'b' * (i % 17)} {'7' * (i % 23 + 1)}" for i in range(3000)], 1, "Aa 0"),
        (["".join(random.Random(i).choices(string.printable, k=30)) for i in range(3000)], 7, None),
    ],
)
def test_too_many_shapes_are_coarsened(cells: list[str], level: int, text: str | None) -> None:
    shapes = column(cells).shapes
    assert shapes is not None
    assert shapes.level == level
    assert len(shapes.items) <= 64
    if text:
        assert shapes.items[0].text == text
        assert shapes.other < 0.01 * len(cells)


@pytest.mark.parametrize(
    "odd", [None, "ORD-12345a", "ORD-1234", "ord-123456", "ORD_123456", "ORD-12345é", "ORD-12345€", ""]
)
@pytest.mark.parametrize("at", [0, 700, 4999])
def test_a_column_of_one_form_has_the_shapes_of_its_cells(odd: str | None, at: int) -> None:
    """Whether its shape is read off all cells at once, or a single cell stands against it."""
    cells = [f"ORD-{n * 37 % 1_000_000:06d}" for n in range(5000)]
    cells[at] = cells[at] if odd is None else odd
    found = {shape.text: shape for shape in column(list(cells)).shapes.items}
    assert {text: shape.count for text, shape in found.items()} == Counter(map(shape_of, cells))
    known = ("ORD-000000", "ORD-199999") if odd is None or odd.isascii() else ("", "")
    assert (found["AAA-000000"].low, found["AAA-000000"].high) == known


def test_values_are_sorted_and_the_smallest_found() -> None:
    rng = np.random.default_rng(5)
    doubles = np.concatenate([rng.normal(size=3000), [np.inf, -np.inf, 5e-324, -5e-324, 0.0, 1e308, -1e308] * 2])
    assert ascending(rng.permutation(doubles)).tolist() == sorted(doubles.tolist())
    even, uneven = (rng.integers(0, top, 5000, dtype=np.uint64) for top in (2**64 - 1, 2**40))
    for hashes in (even, uneven, np.full(5000, 2**64 - 1, np.uint64), even[:0]):
        for size in (1, 16, 1300, 5000, 9000):
            found = smallest(hashes, size)
            assert hashes[found].tolist() == sorted(hashes.tolist())[:size]
            assert len(set(found.tolist())) == len(found)


def test_partition_columns_are_constants() -> None:
    data = pa.table({"x": [1, 2]})
    state = fold(data, constants={"day": ("2024-01-05", pa.date32()), "gone": (None, pa.string())})
    data = data.append_column("day", pa.array(["2024-01-05"] * 2).cast(pa.date32()))
    assert state == fold(data.append_column("gone", pa.nulls(2, pa.string())))
    assert fold(pa.table({"x": []}), constants={"day": ("2024-01-05", pa.date32())}).rows == 0
    assert TableState.empty().rows == 0
