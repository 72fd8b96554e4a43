"""Answers that deequ's users rely on, one by one, and where deequ is wrong the right ones."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
import pytest

from catalog.declared.constraint import Constraint
from catalog.measures.metrics import part_of, value
from catalog.measures.part import Part, fold_parts

N = None


def figure(name: str, columns: dict[str, list[Any]], on: tuple[str, ...] = (), **told: Any) -> Any:
    """A metric of a small table."""
    arguments = {key: told.pop(key) for key in ("q", "type") if key in told}
    part = part_of(name, on, **told)
    data = {name: pa.array(values) for name, values in columns.items()}
    rows = len(next(iter(columns.values())))
    state = fold_parts(data, rows, [part])[part.key]
    assert not isinstance(state, Exception), state
    return value(name, state, **arguments)


A = {"x": ["a", "a", "b", N]}
PAIRS = {"x": ["a", "a", N, "b"], "y": [N, N, N, 1]}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Completeness", 0.75),
        ("Uniqueness", 1 / 3),
        ("Distinctness", 2 / 3),
        ("UniqueValueRatio", 0.5),
        ("CountDistinct", 2),
        ("Entropy", 0.636514),
        ("DuplicateRows", 2),
    ],
)
def test_one_column_with_a_null(name: str, expected: float) -> None:
    assert figure(name, A, ("x",)) == pytest.approx(expected, abs=1e-6)


def test_rows_drop_out_of_groups_only_where_all_columns_are_null() -> None:
    assert figure("Uniqueness", PAIRS, ("x", "y")) == pytest.approx(1 / 3)
    assert figure("CountDistinct", PAIRS, ("x", "y")) == 2
    assert figure("DuplicateRows", PAIRS, ("x", "y")) == 2


def test_nulls_pass_a_range() -> None:
    among = "x IS NULL OR x IN ('a', 'b')"
    assert figure("Compliance", {"x": ["a", "b", N, "c"]}, predicate=among) == 0.75
    assert figure("Compliance", {"x": pa.array([N, N], pa.string()).to_pylist()}, predicate="x IS NULL OR TRUE") == 1.0
    assert figure("Compliance", {"x": [1, 5, N, 11]}, predicate="x IS NULL OR x BETWEEN 1 AND 10") == 0.75


def test_a_comparison_fails_where_either_side_is_null() -> None:
    assert figure("Compliance", {"a": [1, 3, N, 5], "b": [2, N, 4, 4]}, predicate="a < b") == 0.25


def test_a_condition_that_is_null_throughout_has_no_value() -> None:
    assert figure("Compliance", {"x": [1, 2, N]}, predicate="x > 1") == pytest.approx(1 / 3)
    part = Part("matches", predicate="x > 1")
    state = fold_parts({"x": pa.array([N, N], pa.int64())}, 2, [part])[part.key]
    assert value("Compliance", state) is None


def test_a_where_that_no_row_meets_has_no_value_but_a_size() -> None:
    for name in ("Completeness", "Uniqueness", "Minimum"):
        assert figure(name, {"x": [1, 2]}, ("x",), where="x > 5") is None
    assert figure("Size", {"x": [1, 2]}, where="x > 5") == 0


def test_an_empty_table() -> None:
    empty = {"x": pa.array([], pa.int64()).to_pylist()}
    assert figure("Size", empty) == 0
    part = part_of("CountDistinct", ("x",))
    state = fold_parts({"x": pa.array([], pa.int64())}, 0, [part])[part.key]
    assert [value(name, state) for name in ("CountDistinct", "DuplicateRows", "Entropy", "Uniqueness")] == [0, 0, N, N]
    part = part_of("Mean", ("x",))
    assert value("Mean", fold_parts({"x": pa.array([], pa.int64())}, 0, [part])[part.key]) is None


def test_entropy_and_mutual_information() -> None:
    assert figure("Entropy", {"x": ["a", "a", "a", "b"]}, ("x",)) == pytest.approx(0.5623351446)
    independent = {"x": ["a", "a", "b", "b"], "y": ["c", "d", "c", "d"]}
    assert figure("MutualInformation", independent, ("x", "y")) == pytest.approx(0, abs=1e-12)
    halves = {"x": ["a", "a", "b"], "y": ["x", N, "y"]}
    assert figure("MutualInformation", halves, ("x", "y")) == pytest.approx(0.5013591)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["1", "-2", "+ 3", "- 4", "1"], "Integral"),
        (["1.0", "1e5", "1E-5"], "Fractional"),
        (["true"], "Boolean"),
        ([".5"], "String"),
        (["1."], "String"),
        (["TRUE"], "String"),
        ([""], "String"),
        (["1,000"], "String"),
        (["NaN"], "String"),
        (["2020-01-01"], "String"),
        (["--4"], "String"),
        (["1", "1.0"], "Fractional"),
        (["1", "true"], "String"),
        (["1", N], "Integral"),
        ([" 1"], "Integral"),
        (["1e", "1"], "String"),
        (["false", "true", N], "Boolean"),
        (["+", "1"], "String"),
    ],
)
def test_types_of_texts(texts: list[str | None], expected: str) -> None:
    part = part_of("DataType", ("x",))
    state = fold_parts({"x": pa.array(texts, pa.string())}, len(texts), [part])[part.key]
    assert state.inferred == expected  # type: ignore[union-attr]


def test_a_pattern_is_found_anywhere_and_a_null_fails() -> None:
    texts = {"x": ["xay", N, "", "a"]}
    assert figure("Compliance", texts, predicate="x <> '' AND x RLIKE 'a'") == 0.5
    assert figure("Compliance", {"x": [""]}, predicate="x <> '' AND x RLIKE '^$'") == 0


def test_moments_and_exact_quantiles() -> None:
    six = {"x": [1, 2, 3, 4, 5, 6]}
    for name, expected in [("StandardDeviation", 1.707825), ("Variance", 2.916667), ("Kurtosis", -1.268571)]:
        assert figure(name, six, ("x",)) == pytest.approx(expected, abs=1e-6)
    assert figure("InterquartileRange", six, ("x",)) == 2.5
    assert figure("ExactQuantile", six, ("x",), q=0.5) == 3.5


def test_three_bins_of_equal_width() -> None:
    part = part_of("Entropy", ("x",))
    state = fold_parts({"x": pa.array([1, 2, 3, 4, 5, 6])}, 6, [part])[part.key]
    assert [rows for _, _, rows in state.bins(3)] == [2, 2, 2]  # type: ignore[union-attr]


def test_large_integers_are_exact_and_do_not_overflow() -> None:
    assert figure("Minimum", {"x": [3_000_000_000, 3_000_000_010]}, ("x",)) == 3_000_000_000
    assert figure("Mean", {"x": [2**63 - 1, 1]}, ("x",)) == pytest.approx(4.6e18, rel=0.01)
    assert figure("Sum", {"x": [2**63 - 1, 1]}, ("x",)) == 2**63


def test_groups_of_three_files() -> None:
    part = part_of("Uniqueness", ("x",))
    files = [pa.array(values, pa.string()) for values in (["a", "b"], ["b", "c"], [])]
    merged = part.merge([fold_parts({"x": one}, len(one), [part])[part.key] for one in files])  # type: ignore[misc]
    found = {
        n: value(n, merged) for n in ("Uniqueness", "Distinctness", "UniqueValueRatio", "CountDistinct", "Entropy")
    }
    assert found == pytest.approx(
        {"Uniqueness": 0.5, "Distinctness": 0.75, "UniqueValueRatio": 2 / 3, "CountDistinct": 3, "Entropy": 1.039721},
        abs=1e-6,
    )


def test_same_columns_under_another_filter_are_another_state() -> None:
    table = {"g": ["p", "p", "q"], "x": ["a", "a", "b"]}
    assert figure("Uniqueness", table, ("x",)) == pytest.approx(1 / 3)
    assert figure("Uniqueness", table, ("x",), where="g = 'p'") == 0.0
    assert part_of("Uniqueness", ("x",)).key != part_of("Uniqueness", ("x",), where="g = 'p'").key


def test_a_histogram_keeps_null_apart_from_any_text() -> None:
    part = part_of("Entropy", ("x",))
    state = fold_parts({"x": pa.array(["NullValue", N, N])}, 3, [part])[part.key]
    assert state.histogram() == [(N, 2, pytest.approx(2 / 3)), ("NullValue", 1, pytest.approx(1 / 3))]  # type: ignore[union-attr]


def test_a_histogram_of_no_rows_has_no_bin() -> None:
    part = part_of("Entropy", ("x",))
    assert part.merge([]).histogram() == []  # type: ignore[union-attr]


def test_a_pattern_that_no_value_can_match_is_violated_not_inapplicable() -> None:
    constraint = Constraint("has_pattern", ("x",), {"pattern": "a"})
    states = fold_parts({"x": pa.array([N, N], pa.string())}, 2, constraint.parts)
    assert constraint.judge(states).value == 0.0  # type: ignore[arg-type]


def test_nan_is_present_and_makes_the_mean_what_it_is() -> None:
    numbers = {"x": [1.0, math.nan]}
    assert figure("Completeness", numbers, ("x",)) == 1.0
    assert math.isnan(figure("Mean", numbers, ("x",)))
    assert figure("Minimum", numbers, ("x",)) == 1.0


def test_a_constant_column_has_no_correlation() -> None:
    assert figure("Correlation", {"x": [1, 1, 1], "y": [1, 2, 3]}, ("x", "y")) is None
    assert math.isnan(figure("Correlation", {"x": [1.0, math.nan], "y": [1.0, 2.0]}, ("x", "y")))
    assert figure("Correlation", {"x": [1, 2, 3], "y": [2, 4, 6]}, ("x", "y")) == pytest.approx(1)


def test_a_column_that_is_constant_but_for_rounding_has_no_correlation() -> None:
    x = [699051.3713000689] * 3  # whose mean is not the value itself
    assert figure("Correlation", {"x": x, "y": [1, 2, 3]}, ("x", "y")) is None
