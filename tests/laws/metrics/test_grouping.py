"""Rows are taken together by their values, of every type."""

from __future__ import annotations

import math
from collections import Counter
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.measures.groups.grouping import grouped

_MOMENTS = st.integers(-5, 5).map(lambda days: datetime(2024, 1, 1) + timedelta(days))
TYPES: dict[pa.DataType, st.SearchStrategy[Any]] = {
    pa.float64(): st.floats() | st.integers(-4, 4).map(float),
    pa.float32(): st.floats(width=32),
    pa.int64(): st.integers(-(2**63), 2**63 - 1) | st.integers(-4, 4).map(lambda n: n << 40),
    pa.uint64(): st.integers(0, 2**64 - 1) | st.integers(0, 4),
    pa.int32(): st.integers(-4, 4),
    pa.timestamp("us"): _MOMENTS,
    pa.date64(): _MOMENTS.map(lambda one: one.date()),
    pa.decimal128(20, 2): st.decimals(-5, 5, places=2).map(lambda one: Decimal(one) + 0),
    pa.string(): st.text(max_size=2),
    pa.bool_(): st.booleans(),
}


@st.composite
def columns(draw: st.DrawFn, rows: int) -> pa.Array:
    kind = draw(st.sampled_from(list(TYPES)))
    return pa.array(draw(st.lists(st.none() | TYPES[kind], min_size=rows, max_size=rows)), kind)


def _named(value: Any) -> Any:
    """What makes a value of its own: NaNs are alike, the zeros are not."""
    if isinstance(value, float):
        return "nan" if math.isnan(value) else (value, math.copysign(1, value))
    return value


@settings(deadline=None, max_examples=150)
@given(st.data(), st.integers(0, 30), st.integers(1, 2))
def test_groups_are_those_that_counting_finds(data: st.DataObject, rows: int, how_many: int) -> None:
    arrays = [data.draw(columns(rows)) for _ in range(how_many)]
    names = [f"g{at}" for at in range(how_many)]
    table = pa.table(dict(zip(names, arrays, strict=True)))
    nans = [pa.array([math.nan if one != one else one for one in a.to_pylist()], a.type) for a in arrays]
    found = grouped(pa.table(dict(zip(names, nans, strict=True))), names)
    assert found.schema.types == [*table.schema.types, pa.int64()]
    told = {tuple(map(_named, row[:-1])): row[-1] for row in zip(*found.to_pydict().values(), strict=True)}
    assert told == Counter(tuple(map(_named, row)) for row in zip(*table.to_pydict().values(), strict=True))
    assert sum(told.values()) == rows


def test_a_column_in_chunks_and_slices_is_one() -> None:
    whole = pa.array([1.0, 2.0, None, 2.0, 1.0, 3.0])
    table = pa.table({"g0": pa.chunked_array([whole.slice(1, 2), whole.slice(3)]), "n": [1, 2, 3, 4, 5]})
    assert grouped(table, ["g0"], ["n"]).to_pydict() == {"g0": [2.0, None, 1.0, 3.0], "n": [4, 2, 4, 5]}
