"""Groups in sorted files say what groups in memory say, however they were cut, grew and shrank."""

from __future__ import annotations

import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.lake.scanning.spill import RunFiles
from catalog.measures.groups import runs
from catalog.measures.groups.frequency import Frequencies, frequencies, merge_frequencies
from catalog.measures.groups.runs import merge_runs, sorted_run
from catalog.measures.groups.stored import Grown, Stored, less, run_of
from catalog.measures.groups.tally import add_tallies, tally_of

TYPES = {
    "whole": (pa.int64(), st.integers(-(2**63), 2**63 - 1) | st.integers(-4, 4)),
    "float": (pa.float64(), st.sampled_from([0.0, -0.0, 1.5, -2.0, 1e300, math.inf, -math.inf, math.nan, 1e-5])),
    "text": (pa.string(), st.text(max_size=3) | st.sampled_from(["a", "b"])),
    "money": (pa.decimal128(10, 2), st.decimals(-5, 5, places=2)),
}
FIGURES = ("rows", "nulls", "distinct", "singletons", "duplicates", "uniqueness", "distinctness", "unique_value_ratio")
Column = tuple[str, list[Any]]


@st.composite
def columns(draw: st.DrawFn) -> Column:
    name = draw(st.sampled_from(sorted(TYPES)))
    return name, draw(st.lists(st.none() | TYPES[name][1], max_size=40))


def groups(kind: str, values: list[Any]) -> Frequencies:
    exact = [Decimal(one) if kind == "money" and one is not None else one for one in values]
    return frequencies([pa.array(exact, TYPES[kind][0])])


def stored(*parts: Frequencies, room: int = 3) -> Stored:
    """As in a file: several chunks."""
    pieces = list(merge_runs([sorted_run(one.table) for one in parts if one.table.num_rows], room))
    empty = sorted_run(parts[0].table).slice(0, 0)
    table = pa.concat_tables([piece.select(empty.column_names) for piece in pieces]) if pieces else empty
    tally = add_tallies(tally_of(piece["rows"].to_numpy()) for piece in pieces)
    return Stored("", sum(one.nulls for one in parts), tally, open=lambda name: table)


def alike(one: Any, other: Any) -> None:
    assert [getattr(one, name) for name in FIGURES] == [getattr(other, name) for name in FIGURES]
    assert one.entropy == (None if other.entropy is None else pytest.approx(other.entropy, abs=1e-12))
    assert one == other


@settings(deadline=None, max_examples=150)
@given(columns(), st.integers(0, 40), st.integers(0, 40), st.integers(1, 9))
def test_a_run_of_many_pieces_is_the_merge(column: Column, a: int, b: int, room: int) -> None:
    kind, values = column
    a, b = sorted((a, b))
    parts = [groups(kind, some) for some in (values[:a], values[a:b], values[b:])]
    alike(stored(*parts, room=room), groups(kind, values))


@settings(deadline=None, max_examples=150)
@given(columns(), st.integers(0, 40), st.integers(0, 40))
def test_what_came_and_went_changes_stored_groups_exactly(column: Column, a: int, b: int) -> None:
    kind, values = column
    a, b = sorted((a, b))
    gone, stays, come = (groups(kind, some) for some in (values[:a], values[a:b], values[b:]))
    grown = Grown(stored(gone, stays), merge_frequencies([come, *less([gone])]))
    whole = groups(kind, values[a:])
    alike(grown, whole)
    alike(stored(gone, stays, *less([gone])), stays)
    numbers = kind in ("whole", "float") and not any(one is not None and math.isnan(one) for one in values)
    if numbers and whole.rows:
        places = list(range(whole.rows))
        assert grown.ordered(places) == whole.ordered(places)
        base = stored(gone, stays, come)
        assert base.ordered(places) == groups(kind, values).ordered(places)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.none() | st.sampled_from("ab"), st.none() | st.integers(0, 2)), max_size=20), st.integers()
)
def test_several_columns_are_groups_too(rows: list[Any], cut: int) -> None:
    def counted(some: list[Any]) -> Frequencies:
        return frequencies([pa.array([a for a, _ in some], pa.string()), pa.array([b for _, b in some], pa.int64())])

    at = cut % (len(rows) + 1)
    grown, whole = Grown(stored(counted(rows[:at])), counted(rows[at:])), counted(rows)
    alike(grown, whole)
    found, expected = grown.mutual_information(), whole.mutual_information()
    assert found == (None if expected is None else pytest.approx(expected, abs=1e-9))


def test_equal_hashes_are_not_equal_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "hash_rows", lambda array: runs.np.zeros(len(array), runs.np.uint64))
    first, second = groups("text", ["a", "b", "b"]), groups("text", ["b", "c", None])
    alike(stored(first, second), groups("text", ["a", "b", "b", "b", "c", None]))
    alike(Grown(stored(first), second), groups("text", ["a", "b", "b", "b", "c", None]))


def test_a_column_that_became_wider_is_the_same_column() -> None:
    narrow, wide = frequencies([pa.array([1, -2], pa.int32())]), groups("whole", [1, 3])
    alike(stored(narrow, wide), groups("whole", [1, -2, 1, 3]))
    alike(Grown(stored(narrow), wide), groups("whole", [1, -2, 1, 3]))
    alike(Grown(stored(wide), narrow), groups("whole", [1, -2, 1, 3]))
    floats = groups("float", [1.0, 2.5])
    alike(Grown(stored(wide), floats), groups("float", [1.0, 1.0, 2.5, 3.0]))
    assert Grown(stored(wide), floats).quantile(0.5) == 1.75


def test_a_file_holds_what_it_was_given(tmp_path: Path) -> None:
    files, given_ = RunFiles(tmp_path), groups("text", ["a", "b", "b", None])
    kept = files.write("some-part", merge_runs([run_of(given_)]), given_.nulls)
    again = Stored.decode(kept.encode(), files.open)
    alike(again, given_)
    assert again.size == sum(file.stat().st_size for file in tmp_path.iterdir()) > 0
    assert files.sweep({"another"}) == 0
    assert files.sweep({"some-part"}, older=0) == 0
    assert files.sweep({"another"}, older=0) == 1
    assert list(tmp_path.iterdir()) == []
