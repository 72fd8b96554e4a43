"""Counted parts are commutative monoids: any partition of the rows, in any order, leaves the same figures."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.errors import AssayError, StateError, UsageError
from catalog.measures.groups.across import pair
from catalog.measures.groups.frequency import frequencies, merge_frequencies
from catalog.measures.metrics import part_of, value
from catalog.measures.part import Part, State, fold_parts

PARTS = [
    Part("matches"),
    Part("matches", predicate="n > 0", where="s IS NOT NULL"),
    Part("matches", predicate="length(s) > 1"),
    Part("frequencies", ("s",)),
    Part("frequencies", ("s", "n"), where="n >= 0"),
    Part("frequencies", ("x",)),
    Part("numbers", ("n",)),
    Part("numbers", ("m",)),
    Part("lengths", ("s",)),
    Part("pair", ("n", "x")),
    Part("types", ("s",)),
    Part("sample", ("s", "n")),
]
ROW = st.tuples(
    st.none() | st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3),
    st.none() | st.sampled_from(["", "a", "1", "1.0", "true", "é" * 3]),
    st.none() | st.sampled_from([0.0, -0.0, 1.5, -2.0, 1e10]),
    st.none() | st.decimals(-1000, 1000, places=2),
)


def columns(rows: list[tuple[Any, ...]]) -> dict[str, pa.Array]:
    n, s, x, m = zip(*rows, strict=True) if rows else ((), (), (), ())
    return {
        "n": pa.array(n, pa.int64()),
        "s": pa.array(s, pa.string()),
        "x": pa.array(x, pa.float64()),
        "m": pa.array([None if v is None else Decimal(v) for v in m], pa.decimal128(10, 2)),
    }


def fold(rows: list[tuple[Any, ...]]) -> dict[str, State]:
    found = fold_parts(columns(rows), len(rows), PARTS)
    assert not any(isinstance(state, Exception) for state in found.values()), found
    return found  # type: ignore[return-value]


def told(part: Part, state: State) -> Any:
    """A state as something that can be compared: sums of floats to rounding."""
    if part.kind == "frequencies":
        return state
    return pytest.approx(state.to_json(), rel=1e-6, abs=1e-6) if part.kind == "pair" else state


@settings(deadline=None, max_examples=60)
@given(st.lists(ROW, max_size=24), st.integers(0, 24), st.integers(0, 24))
def test_any_partition_leaves_the_state_of_the_whole(rows: list[tuple[Any, ...]], a: int, b: int) -> None:
    a, b = sorted((a, b))
    whole = fold(rows)
    pieces = [fold(rows[:a]), fold(rows[a:b]), fold(rows[b:]), fold([])]
    for part in PARTS:
        states = [piece[part.key] for piece in pieces]
        merged = part.merge(states)
        backwards = part.merge([part.merge(states[2:]), part.merge(states[:2])])
        for one in (merged, backwards):
            if part.kind == "frequencies":
                assert one == whole[part.key]
            elif part.kind == "pair":
                assert one.n == whole[part.key].n  # type: ignore[union-attr]
            elif part.kind in ("numbers", "lengths"):
                exact = ("low", "high", "zeros", "n", "total")
                assert [getattr(one, name) for name in exact] == [getattr(whole[part.key], name) for name in exact]
            else:
                assert one == whole[part.key]


@settings(deadline=None, max_examples=60)
@given(st.lists(ROW, max_size=12))
def test_states_survive_their_encoding(rows: list[tuple[Any, ...]]) -> None:
    for part, state in zip(PARTS, fold(rows).values(), strict=True):
        assert part.decode(part.encode(state)) == state


def test_bytes_of_another_version_are_refused() -> None:
    part = PARTS[0]
    data = part.encode(fold([])[part.key])
    with pytest.raises(StateError):
        part.decode(b"\xff" + data[1:])
    with pytest.raises(StateError):
        part.decode(data[:3])


def test_a_bad_condition_fails_alone() -> None:
    good, missing, mixed = PARTS[1], Part("matches", predicate="nope = 1"), Part("matches", predicate="s > 1")
    text = Part("numbers", ("s",))
    found = fold_parts(columns([(1, "a", 1.0, None)]), 1, [missing, good, mixed, text])
    assert isinstance(found[missing.key], AssayError)
    assert isinstance(found[mixed.key], AssayError)
    assert isinstance(found[text.key], UsageError)
    assert found[good.key] == fold([(1, "a", 1.0, None)])[good.key]


def test_five_hundred_columns_and_two_hundred_histograms_are_one_pass() -> None:
    wide = {f"c{at}": pa.array([at, at + 1, None]) for at in range(500)}
    parts = [part_of("Completeness", (name,)) for name in wide]
    parts += [part_of("Entropy", (name,)) for name in list(wide)[:200]]
    found = fold_parts(wide, 3, parts)
    assert [value("Completeness", found[p.key]) for p in parts[:500]] == [pytest.approx(2 / 3)] * 500  # type: ignore[arg-type]
    assert all(not isinstance(state, Exception) for state in found.values())


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from([None, "a", "b", "c"]), st.sampled_from([None, 1, 2])), max_size=20),
    st.lists(st.tuples(st.sampled_from([None, "a", "b", "d"]), st.sampled_from([None, 1, 2])), max_size=20),
    st.integers(0, 20),
)
def test_two_tables_are_compared_as_multisets_however_they_are_cut(own: Any, other: Any, cut: int) -> None:
    def counted(rows: Any) -> Any:
        pieces = [rows[:cut], rows[cut:]]
        found = [
            frequencies([pa.array([a for a, _ in one], pa.string()), pa.array([b for _, b in one], pa.int64())])
            for one in pieces
        ]
        return merge_frequencies(found)

    def there(rows: Any) -> Counter[Any]:
        return Counter(row for row in rows if row != (None, None))

    found, mine, theirs = pair(counted(own), counted(other)), there(own), there(other)
    assert found.alike == (mine & theirs).total()
    assert found.found == sum(count for row, count in mine.items() if row in theirs)
