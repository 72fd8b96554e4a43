"""Bytes of states: they come back equal, are small, and damage is told."""

from __future__ import annotations

import io
import random
import string
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from state_columns import columns

from catalog.errors import StateError
from catalog.states import encoding
from catalog.states.encoding import decode, encode
from catalog.states.folding.fold import fold
from catalog.states.metrics import metrics
from catalog.states.table import TableState, merge
from catalog.states.wire import Writer


@settings(max_examples=80, deadline=None)
@given(columns(), columns())
def test_round_trip(a: pa.Array, b: pa.Array) -> None:
    for state in (fold(pa.table({"x": a})), merge(fold(pa.table({"x": a})), fold(pa.table({"x": b, "y": b})))):
        data = encode(state)
        back = decode(data)
        assert back == state
        assert encode(back) == data
        for name, column in state.columns.items():
            assert metrics(back.columns[name]) == metrics(column)
            assert back.columns[name].parts == column.parts


def test_counts_of_an_older_version_may_fall_short_by_as_much_as_others(monkeypatch: pytest.MonkeyPatch) -> None:
    put = encoding._put_frequent

    class Before:
        """A writer that leaves out the third number: by how much counts fall short."""

        def __init__(self, out: Writer) -> None:
            self.out, self.written = out, 0

        def __getattr__(self, name: str) -> Any:
            return getattr(self.out, name)

        def unsigned(self, number: int) -> None:
            self.written += 1
            if self.written != 3:
                self.out.unsigned(number)

    monkeypatch.setattr(encoding, "_put_frequent", lambda out, frequent: put(Before(out), frequent))
    state = fold(pa.table({"x": [f"v{i % 300}" for i in range(1000)]}))
    old = bytearray(encode(state))
    old[2] = 2
    frequent = decode(bytes(old)).columns["x"].frequent
    assert frequent == replace(state.columns["x"].frequent, undercount=frequent.most_unlisted)
    assert frequent.most_unlisted > 0


def test_the_empty_state_has_bytes() -> None:
    assert decode(encode(TableState.empty())) == TableState.empty()


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 255))
def test_damage_is_told(where: int, flip: int) -> None:
    data = bytearray(encode(fold(pa.table({"x": [f"v{i}" for i in range(300)], "y": list(range(300))}))))
    data[where % len(data)] ^= flip
    with pytest.raises(StateError):
        decode(bytes(data))


@given(st.binary(max_size=200))
def test_no_bytes_do_harm(data: bytes) -> None:
    with pytest.raises(StateError):
        decode(data)


def test_another_version_is_told() -> None:
    data = bytearray(encode(TableState.empty()))
    data[2] = 99
    with pytest.raises(StateError, match="version 99"):
        decode(bytes(data))


def table(rows: int) -> pa.Table:
    """Keys, hashes, dates, codes, words and numbers: half of it cannot be compressed."""
    r = random.Random(rows)
    n = np.random.default_rng(rows)
    return pa.table(
        {
            "id": list(range(rows)),
            "hash": ["".join(r.choices("0123456789abcdef", k=32)) for _ in range(rows)],
            "day": [f"2024-{r.randrange(1, 13):02d}-{r.randrange(1, 29):02d}" for _ in range(rows)],
            "state": r.choices(["new", "paid", "sent"], k=rows),
            "name": ["".join(r.choices(string.ascii_lowercase, k=r.randrange(3, 9))).title() for _ in range(rows)],
            "price": np.round(n.gamma(2, 30, rows), 2),
            "weight": n.normal(size=rows),
        }
    )


@pytest.mark.parametrize("compression", ["snappy", "zstd"])
@pytest.mark.parametrize("rows", [0, 1, 3, 10, 50, 120, 130, 200, 400, 1000, 5000, 20_000])
def test_a_state_is_never_larger_than_its_data(rows: int, compression: str) -> None:
    data = table(rows)
    file = io.BytesIO()
    pq.write_table(data, file, compression=compression)
    assert len(encode(fold(data))) <= file.getbuffer().nbytes


def test_the_state_of_a_large_file_takes_a_few_kilobytes_a_column() -> None:
    data = table(100_000)
    assert len(encode(fold(data))) < 3000 * data.num_columns
