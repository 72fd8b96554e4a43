"""The library on data frames: every maker's frames, clear errors for what is none, and an import that costs nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from catalog import check, compare, learn, profile, tag
from catalog.errors import UsageError

ROWS = {"id": [1, 2, 3, 3], "name": ["ann", "bob", None, "eve"]}
FRAMES = [
    pa.table(ROWS),
    pa.table(ROWS).to_batches()[0],
    pd.DataFrame(ROWS),
    pl.DataFrame(ROWS),
    pl.DataFrame(ROWS).lazy(),
]


@pytest.mark.parametrize(
    "frame", FRAMES, ids=lambda frame: f"{type(frame).__module__.split('.')[0]}-{type(frame).__name__}"
)
def test_every_makers_frame_is_judged_alike(frame: object) -> None:
    report = check("people").is_unique("id").is_complete("name").warn().has_size(at_least=1).run(frame)
    assert [one.status for one in report.results] == ["violated", "violated", "passed"]
    assert report.status == "error"
    assert not report.passed
    assert report.failing(frame).to_pylist() == [
        {"id": 3, "name": None, "failed_checks": ["is_unique_id", "is_complete_name"]},
        {"id": 3, "name": "eve", "failed_checks": ["is_unique_id"]},
    ]
    assert "1 of 4 rows" in str(report)


@pytest.mark.parametrize("wrong", [{"id": [1]}, [1, 2], None, "orders.csv", 5, object()])
def test_what_is_no_frame_is_said(wrong: object) -> None:
    for use in (
        profile,
        tag,
        check().has_size(at_least=1).run,
        lambda frame: compare(frame, frame),
        lambda frame: learn(frame, "id"),
    ):
        with pytest.raises(UsageError, match="is no data frame") as error:
            use(wrong)
        assert error.value.remedy


def test_columns_that_share_a_name_are_refused() -> None:
    with pytest.raises(UsageError, match="are named 'a'"):
        profile(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]))


def test_nested_columns_have_dotted_names() -> None:
    frame = pa.table({"who": [{"mail": "ann@example.org"}, {"mail": None}]})
    assert profile(frame)["who.mail"]["complete_ratio"] == 0.5
    assert check().is_complete("who.mail").run(frame).status == "error"


def test_a_condition_that_does_not_fit_fails_alone() -> None:
    report = check().satisfies(condition="nope > 1").has_size(at_least=1).run(pa.table(ROWS))
    assert [one.status for one in report.results] == ["violated", "passed"]
    assert "there is no column 'nope'" in report.results[0].sentence


def test_rows_whose_key_occurs_twice_break_that_it_is_unique() -> None:
    frame = pd.DataFrame({"id": [1, 2, 2, None, None, 3, 3], "n": range(7)}, index=[0] * 7)
    one = check().is_unique("id").where("n <> 6").has_no_duplicates("id", "n").is_unique("nope")
    found = one.failing(frame).to_pylist()
    assert [(row["n"], row["failed_checks"]) for row in found] == [(1, ["is_unique_id"]), (2, ["is_unique_id"])]
    nan = check().is_unique("x").failing(pa.table({"x": [float("nan"), float("nan"), 0.0, -0.0, None, None]}))
    assert str(nan["x"].to_pylist()) == "[nan, nan, 0.0, -0.0]", "as Spark has it"


@pytest.mark.parametrize(
    "array",
    [
        pa.array([np.float16(1), np.float16(2), None]),
        pa.array([b"a", b"b", None], pa.binary_view()),
        pa.array(["a", "b", None], pa.string_view()),
        pa.array(["a", "b", None]).dictionary_encode(),
        pa.RunEndEncodedArray.from_arrays(pa.array([1, 2, 3], pa.int32()), pa.array(["a", "b", None])),
    ],
)
def test_packed_values_are_judged_as_what_they_are(array: pa.Array) -> None:
    one = check().is_unique("x").has_count_distinct("x", at_least=2).is_complete("x")
    assert [each.status for each in one.run(pa.table({"x": array})).results] == ["passed", "passed", "violated"]


def test_numbers_that_arrow_cannot_hold_are_told() -> None:
    with pytest.raises(UsageError, match="cannot be read as Arrow"):
        check().is_unique("id").run(pd.DataFrame({"id": [2**70, 1]}))


def test_equal_frames_have_no_cause_and_a_lost_column_has_one() -> None:
    frame = pa.table({"id": list(range(200)), "city": ["Rome", "Oslo"] * 100})
    assert compare(frame, frame) == []
    assert [one.cause for one in compare(frame, frame.drop_columns("city"))] == ["schema"]
    nulls = frame.set_column(1, "city", pa.array([None, "Oslo"] * 100))
    assert [one.cause for one in compare(frame, nulls)] == ["nulls"]
    hardly = frame.set_column(1, "city", pa.array([*[None] * 190, *["Oslo"] * 10]))
    assert [one.cause for one in compare(hardly, frame)] == ["filled"]


def test_a_column_that_is_not_there_or_not_of_text_cannot_be_learned() -> None:
    with pytest.raises(UsageError, match="there is no column 'x'"):
        learn(pa.table(ROWS), "x")
    with pytest.raises(UsageError, match="not of text"):
        learn(pa.table(ROWS), "id")


def test_importing_the_package_loads_nothing() -> None:
    heavy = ("pyarrow", "polars", "pyspark", "duckdb", "sqlglot")
    code = f"import sys, catalog; print([name for name in {heavy} if name in sys.modules])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "[]"


def test_what_a_check_needs_is_given_by_place_or_by_name() -> None:
    orders = pl.DataFrame({"id": [1, 2], "a": ["x", "y"]})
    by_place = check().satisfies("id > 1").is_in("a", ["x", "y"]).has_pattern("a", "^x", at_least=0.5)
    by_name = check().satisfies(condition="id > 1").is_in("a", values=["x", "y"])
    assert by_place == by_name.has_pattern("a", pattern="^x", at_least=0.5)
    assert [one.status for one in by_place.run(orders).results] == ["violated", "passed", "passed"]
    for wrong in (
        lambda: check().satisfies("id > 1", "a", "b"),
        lambda: check().is_complete("id", "a"),
    ):
        with pytest.raises(UsageError, match=r"takes (no|1) column.*, not") as error:
            wrong()
        assert "assay check kinds" in error.value.remedy


def test_what_no_frame_can_tell_is_said() -> None:
    for frame, cause in (
        (pd.Series([1, 2], name="id"), "one column"),
        (pl.Series("id", [1, 2]), "one column"),
        (pl.DataFrame({"id": [object(), object()]}), "holds Python objects"),
        (pl.LazyFrame({"id": [object(), object()]}), "holds Python objects"),
    ):
        with pytest.raises(UsageError, match=cause):
            profile(frame)
    with pytest.raises(UsageError, match="no rate of false alarms"):
        learn(pl.DataFrame({"a": ["x"]}), "a", budget=5)
    with pytest.raises(UsageError, match="no column 'a'") as error:
        learn(pl.DataFrame(), "a")
    assert error.value.remedy == "the frame has no columns"


def test_a_frame_without_a_name_is_told_of_without_one() -> None:
    before = pl.DataFrame({"id": list(range(50)), "a": ["x"] * 50})
    (gone,) = compare(before, before.drop("a"))
    assert gone.sentence.startswith("Columns of the table have changed: `a` removed")
    (cents,) = compare(before.drop("a"), before.drop("a") * 100)
    assert "`id`" in cents.sentence


@pytest.mark.parametrize("make", [pa.table, pd.DataFrame, pl.DataFrame, pl.LazyFrame])
def test_rows_whose_key_another_frame_lacks_are_told_apart(make: Callable[[dict[str, Any]], Any]) -> None:
    orders = make({"id": [1, 2, 3, 4], "customer": ["a", "b", None, "z"], "shop": [1, 1, 1, None]})
    customers = pa.table({"key": pa.array(["a", "b"], pa.large_string()), "at": pa.array([1, 2], pa.int16())})
    wanted = check().references("customer", other="c", other_columns=["key"])
    wanted = wanted.references("customer", "shop", other="c", other_columns=["key", "at"], where="id > 1", name="both")
    report = wanted.run(orders, others={"c": customers})
    found = {row["id"]: row["failed_checks"] for row in report.failing(orders).to_pylist()}
    assert found == {2: ["both"], 3: ["both"], 4: ["references_customer", "both"]}
    lost = wanted.run(orders, others={"c": pa.table({"key": [1], "at": [1]})})
    assert "cannot be compared" in lost.results[0].sentence
    assert lost.failing(orders).num_rows == 0


@pytest.mark.parametrize("value", ["a", b"a", date(2024, 1, 1), datetime(2024, 1, 1), time(1), timedelta(1), True])
def test_quantiles_of_what_is_no_number_are_a_mistake_of_that_check_alone(value: object) -> None:
    wanted = check("t").has_quantile("x", q=0.5, at_least=0).has_interquartile_range("x", at_most=1).is_complete("x")
    report = wanted.has_quantile("n", q=0.5, at_least=0).run(pa.table({"x": [value, value], "n": [1, 2]}))
    assert [one.status for one in report.results] == ["violated", "violated", "passed", "passed"]
    assert "have no quantile; ask it of a column of numbers" in report.results[0].sentence


def test_a_lazy_frame_whose_query_fails_says_so() -> None:
    with pytest.raises(UsageError, match=r'the query of the lazy frame fails .*"nope"'):
        profile(pl.LazyFrame({"a": [1]}).select(pl.col("nope")))
