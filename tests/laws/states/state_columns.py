"""Columns for the laws of states: every kind, from a seed, and a naive model to hold states against."""

from __future__ import annotations

import datetime as dt
import itertools
import random
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

WORDS = ["alpha", "Beta", "GAMMA 7", "δέλτα", "", "x" * 300, "naïve café", "日本", "a\x00b", "-1.50", "1e3", "007"]
DAY = dt.datetime(2024, 2, 29, 12)


def cell(kind: str, r: random.Random, spread: int) -> Any:
    """One value of a kind; about `spread` distinct ones."""
    i = min(int(r.expovariate(1 / spread)), 4 * spread) if r.random() < 0.5 else r.randrange(spread)
    return {
        "word": lambda: WORDS[i % len(WORDS)] + (str(i) if i >= len(WORDS) else ""),
        "code": lambda: f"AB-{i:05d}",
        "hex": lambda: f"{(i * 2654435761) % 2**32:08x}-{i % 7:x}",
        "prose": lambda: " ".join(
            r.choice(["the", "quick", "brown", "Fox,", "jumps;", "over"]) for _ in range(r.randrange(9))
        ),
        "numeral": lambda: f"{i / 8:.3f}",
        "int": lambda: i - spread // 2,
        "huge": lambda: (1 << 62) + i * 1_000_003,
        "float": lambda: i / 7 - 3,
        "odd float": lambda: [float("nan"), float("inf"), -0.0, 0.0, i * 1e-3][i % 5],
        "decimal": lambda: Decimal(i) / 4,
        "huge decimal": lambda: Decimal(i + 1) * 10**25,
        "bool": lambda: i % 3 == 0,
        "date": lambda: DAY.date() + dt.timedelta(days=i),
        "instant": lambda: (DAY + dt.timedelta(seconds=i * 77)).replace(tzinfo=dt.UTC),
    }[kind]()


TYPES = {
    "int": pa.int64(), "huge": pa.int64(), "float": pa.float64(), "odd float": pa.float64(),
    "decimal": pa.decimal128(12, 2),
    "huge decimal": pa.decimal128(38, 0), "bool": pa.bool_(), "date": pa.date32(), "instant": pa.timestamp("us", "UTC"),
}  # fmt: skip
KINDS = ["word", "code", "hex", "prose", "numeral", *TYPES]


@st.composite
def columns(draw: st.DrawFn, kinds: list[str] = KINDS) -> pa.Array:
    """An Arrow column of 0 to 1,500 rows."""
    kind = draw(st.sampled_from(kinds))
    size = draw(st.sampled_from([0, 1, 2, 20, 150, 600, 1500]))
    spread = draw(st.sampled_from([1, 5, 100, 140, 1000, 100_000]))
    r = random.Random(draw(st.integers(0, 10**6)))
    nulls = draw(st.sampled_from([0.0, 0.1, 1.0]))
    cells = [None if r.random() < nulls else cell(kind, r, spread) for _ in range(size)]
    return pa.array(cells, TYPES.get(kind, pa.string()))


@dataclass
class Naive:
    """What a state should say, counted one cell after another."""

    rows: int
    nulls: int
    nans: int
    counts: Counter[Any]

    @classmethod
    def of(cls, array: pa.Array) -> Naive:
        cells = array.to_pylist()
        present = [c for c in cells if c is not None]
        numbers = [c for c in present if c == c]
        return cls(len(cells), len(cells) - len(present), len(present) - len(numbers), Counter(numbers))

    @property
    def n(self) -> int:
        return sum(self.counts.values())

    @property
    def ordered(self) -> list[Any]:
        return sorted(self.counts.elements())


def split(array: pa.Array, cuts: list[float]) -> list[pa.Array]:
    """The column cut at these shares of its rows."""
    edges = [0, *sorted(int(c * len(array)) for c in cuts), len(array)]
    return [array.slice(a, b - a) for a, b in itertools.pairwise(edges)]
