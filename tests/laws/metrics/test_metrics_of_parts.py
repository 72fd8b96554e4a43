"""Every metric of declared checks is a function of a merged state: parts of a table, its deltas and the table agree."""

from __future__ import annotations

import copy
import math
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.declared.check import Check
from catalog.measures.metrics import FIGURES, part_of, value
from catalog.measures.part import State, fold_parts
from catalog.measures.sample import merge_samples, sample_of

ROW = st.tuples(
    st.none() | st.integers(-(2**53), 2**53) | st.integers(-3, 3),
    st.none() | st.floats(-1e6, 1e6),
    st.none() | st.sampled_from(["", "a", "b", "1", "1.0", "true", "a b"]),
    st.none() | st.integers(0, 10**15),
)
ROWS = st.lists(ROW, max_size=24)
#: Columns and arguments that a metric is asked of.
ASKED = {
    "Size": ((), {}),
    "Compliance": ((), {}),
    "MutualInformation": (("s", "n"), {}),
    "Predictability": (("s", "n", "x"), {}),
    "Correlation": (("n", "x"), {}),
    "ExactQuantile": (("n",), {"q": 0.3}),
    "DataType": (("s",), {"type": "Integral"}),
    "NewestTime": (("t",), {}),
    **{name: (("s",), {}) for name in ("MinLength", "MaxLength", "MeanLength")},
    **{name: (("s", "n"), {}) for name in ("Uniqueness", "Distinctness", "UniqueValueRatio", "DuplicateRows")},
}
States = dict[str, State]


def columns(rows: list[Any]) -> dict[str, pa.Array]:
    n, x, s, t = zip(*rows, strict=True) if rows else ((), (), (), ())
    return {
        "n": pa.array(n, pa.int64()),
        "x": pa.array(x, pa.float64()),
        "s": pa.array(s, pa.string()),
        "t": pa.array(t, pa.int64()).cast(pa.timestamp("us")),
    }


def asked(name: str, where: str | None) -> Any:
    names, arguments = ASKED.get(name, (("n",), {}))
    predicate = "n > 0" if name == "Compliance" else None
    return part_of(name, names, predicate=predicate, where=where), arguments


def figures(states: States, where: str | None) -> dict[str, Any]:
    found = {}
    for name in FIGURES:
        part, arguments = asked(name, where)
        found[name] = value(name, states[part.key], **arguments)
    return found


def fold(rows: list[Any], where: str | None) -> States:
    found = fold_parts(columns(rows), len(rows), [asked(name, where)[0] for name in FIGURES])
    assert not any(isinstance(state, Exception) for state in found.values()), found
    return found  # type: ignore[return-value]


def merged(pieces: list[States], where: str | None) -> States:
    parts = {part.key: part for part in (asked(name, where)[0] for name in FIGURES)}
    return {key: part.merge([piece[key] for piece in pieces]) for key, part in parts.items()}


def same(one: dict[str, Any], other: dict[str, Any]) -> None:
    for name in FIGURES:
        a, b = one[name], other[name]
        if isinstance(a, float) and isinstance(b, float) and not (math.isnan(a) or math.isnan(b)):
            # moments beyond the second of nearly equal large numbers lose digits in any order of additions
            loose = name in ("Skewness", "Kurtosis", "Correlation")
            assert a == pytest.approx(b, rel=1e-4 if loose else 1e-7, abs=1e-4 if loose else 1e-7), name
        else:
            assert a == b or (a != a and b != b), (name, a, b)


def test_every_metric_is_asked() -> None:
    assert ASKED.keys() <= FIGURES.keys()
    assert set(fold([], None)) == {asked(name, None)[0].key for name in FIGURES}


@settings(deadline=None, max_examples=60)
@given(ROWS, st.lists(st.integers(0, 24), max_size=4), st.sampled_from([None, "n >= 0"]), st.randoms())
def test_a_metric_of_merged_parts_is_that_of_all_rows(rows: list[Any], cuts: list[int], where: Any, luck: Any) -> None:
    edges = sorted({0, len(rows), *(min(cut, len(rows)) for cut in cuts)})
    pieces = [fold(rows[a:b], where) for a, b in pairwise(edges)] + [fold([], where)]
    luck.shuffle(pieces)
    same(figures(merged(pieces, where), where), figures(fold(rows, where), where))


@settings(deadline=None, max_examples=40)
@given(ROWS, ROWS, ROWS)
def test_merging_is_associative_and_commutative_with_the_empty_state_and_changes_no_input(
    a: list[Any], b: list[Any], c: list[Any]
) -> None:
    one, two, three = (fold(rows, None) for rows in (a, b, c))
    before = copy.deepcopy([figures(state, None) for state in (one, two, three)])
    left = merged([merged([one, two], None), three], None)
    right = merged([one, merged([two, three], None)], None)
    turned = merged([three, two, one], None)
    same(figures(left, None), figures(right, None))
    same(figures(left, None), figures(turned, None))
    same(figures(merged([left, fold([], None)], None), None), figures(left, None))
    same(figures(merged([], None), None), figures(fold([], None), None))
    for was, state in zip(before, (one, two, three), strict=True):
        same(was, figures(state, None))


@settings(deadline=None, max_examples=40)
@given(ROWS, ROWS, ROWS)
def test_deltas_have_their_own_metrics_beside_those_of_the_whole(a: list[Any], b: list[Any], c: list[Any]) -> None:
    """Three deltas, each from the states before it: its own figures and those of the table so far."""
    kept: States = merged([], None)
    so_far: list[Any] = []
    for delta in (a, b, c):
        own = fold(delta, None)
        kept, so_far = merged([kept, own], None), so_far + delta
        same(figures(own, None), figures(fold(delta, None), None))
        same(figures(kept, None), figures(fold(so_far, None), None))


@settings(deadline=None, max_examples=40)
@given(ROWS, ROWS, ROWS, ROWS)
def test_one_partition_is_replaced_by_its_own_state(de: Any, us: Any, cn: Any, again: Any) -> None:
    partitions = {name: fold(rows, None) for name, rows in (("de", de), ("us", us), ("cn", cn))}
    partitions["us"] = fold(again, None)  # nothing of the others is read
    same(figures(merged(list(partitions.values()), None), None), figures(fold(de + again + cn, None), None))


@settings(deadline=None, max_examples=40)
@given(ROWS, st.integers(0, 24))
def test_checks_are_judged_by_merged_states_without_a_look_at_data(rows: list[Any], cut: int) -> None:
    check = (
        Check("t")
        .is_complete("n")
        .is_unique("s")
        .has_mean("x", at_least=0)
        .has_entropy("s", at_most=1)
        .satisfies(condition="n > 0")
        .where("s <> 'a'")
        .has_correlation("n", "x", at_least=0)
        .has_data_type("s", type="String")
    )
    pieces = [fold_parts(columns(some), len(some), check.parts) for some in (rows[:cut], rows[cut:])]
    states = {part.key: part.merge([piece[part.key] for piece in pieces]) for part in check.parts}  # type: ignore[misc]
    whole = fold_parts(columns(rows), len(rows), check.parts)
    assert [one.status for one in check.judge(states)] == [one.status for one in check.judge(whole)]


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 30)), max_size=60), st.integers(0, 60))
def test_a_sample_that_is_full_is_the_same_however_rows_were_cut(rows: list[Any], cut: int) -> None:
    def counted(some: list[Any]) -> Any:
        return sample_of([pa.array([a for a, _ in some], pa.string()), pa.array([b for _, b in some], pa.int64())])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("catalog.measures.sample.KEPT", 10)
        whole, parts = counted(rows), merge_samples([counted(rows[:cut]), counted(rows[cut:])])
    assert parts == whole
    assert whole.table.num_rows == min(10, len(set(rows)))
    assert whole.rows == len(rows)


def test_predictability_is_what_words_tell() -> None:
    brands = ["Acme", "Bolt", "Cord"] * 200
    names = pa.array([f"{brand} shoe {at}" for at, brand in enumerate(brands)])
    numbers = pa.array([Decimal(at % 7) for at in range(600)], pa.decimal128(3, 0))
    wrong = [brands[(at + 1) % 3] if at % 5 == 2 else one for at, one in enumerate(brands)]
    found = {
        "told": sample_of([pa.array(brands), names]).predictability,
        "untold": sample_of([pa.array(brands), numbers]).predictability,
        "both": sample_of([pa.array(brands), numbers, names]).predictability,
        "damaged": sample_of([pa.array(wrong), names]).predictability,
    }
    assert found["told"] == found["both"] == 1.0
    assert found["untold"] is not None
    assert found["untold"] < 0.6
    assert found["damaged"] < 1.0  # type: ignore[operator]
    assert sample_of([pa.nulls(3, pa.string()), pa.array(["a", "b", "c"])]).predictability is None
