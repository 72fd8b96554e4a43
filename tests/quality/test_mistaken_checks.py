"""Checks that nothing could meet, or that do not fit their columns: refused where they are declared."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from catalog.declared.check import Check
from catalog.declared.constraint import Constraint
from catalog.declared.files import FileError, read_checks, write_checks
from catalog.declared.fitting import misfit, misfits
from catalog.errors import UsageError


@pytest.mark.parametrize(
    ("kind", "columns", "told", "cause"),
    [
        ("has_quantile", ["a"], {"q": 95, "at_most": 1}, "q is 95, and must be 0 to 1"),
        ("is_between", ["a"], {"low": 10, "high": 1}, "low is above high"),
        ("is_between", ["a"], {"low": "2026-02-01", "high": "2026-01-01"}, "low is above high"),
        ("is_between", ["a"], {"low": 1, "high": 1, "exclusive": True}, "nothing lies between"),
        ("is_between", ["a"], {"low": 1, "exclusive": "no"}, "exclusive is 'no', not true or false"),
        ("has_length_between", ["a"], {"low": -4}, "low is -4, and must be 0 or more"),
        ("has_length_between", ["a"], {"high": 2.5}, "high is 2.5, not a whole number"),
        ("is_complete", ["a"], {"at_least": 95}, "at_least is 95, and a share is 0 to 1"),
        ("has_uniqueness", ["a"], {"at_most": -0.1}, "at_most is -0.1, and a share is 0 to 1"),
        ("has_data_type", ["a"], {"type": "Integer"}, "type is 'Integer', not one of Integral"),
        ("has_column", ["a"], {"type": "foo"}, "type is 'foo', which is no type"),
        ("has_column", ["a"], {"type": 5}, "type is 5, not a text"),
        ("has_pattern", ["a"], {"pattern": 12}, "pattern is 12, not a text"),
        ("has_no_pattern", ["a"], {"pattern": "a)"}, "pattern is no regular expression: a . closes nothing"),
        ("references", ["a"], {"other": "b", "version": -1}, "version is -1, and must be 0 or more"),
        (
            "references",
            ["a"],
            {"other": "b", "version": "x"},
            "version is 'x', not a whole",
        ),
        (
            "has_no_anomaly",
            ["a"],
            {"metric": "Mean", "strategy": "SimpleThreshold", "lower": 3, "upper": 1},
            "lower is above upper",
        ),
        ("has_no_anomaly", ["a"], {"metric": "Mean", "strategy": "HoltWinters", "period": 1}, "must be 2 or more"),
    ],
)
def test_arguments_that_nothing_meets_are_refused_where_a_check_is_declared(
    kind: str, columns: list[str], told: dict[str, Any], cause: str
) -> None:
    """But one that was declared before anybody asked is read, and judged as it stands."""
    arguments = {name: value for name, value in told.items() if name not in ("at_least", "at_most")}
    stored = Constraint(kind, tuple(columns), arguments, told.get("at_least"), told.get("at_most"))
    assert Constraint.from_json(stored.to_json()) == stored
    with pytest.raises(UsageError, match=cause) as error:
        Check("t").with_constraint(stored)
    assert error.value.remedy
    assert [one.cause for one in misfits(Check("t", (stored,)), [])] == [f"{stored.name}: {error.value.cause}"]
    with pytest.raises(FileError, match="line 3: .*" + cause):
        read_checks(write_checks([Check("t", (stored,))]))


COLUMNS = [
    ("n", "bigint"),
    ("d", "date"),
    ("at", "timestamp"),
    ("s", "string"),
    ("a", "decimal(10,2)"),
    ("b", "binary"),
]


@pytest.mark.parametrize(
    ("check", "told"),
    [
        (
            Check("t").is_in("a", values=["abc"]),
            "is_in_a: a is decimal(10,2): a decimal is compared with text; "
            "give what fits the type, or ask satisfies with a CAST",
        ),
        (Check("t").has_pattern("a", pattern="x"), "a is decimal(10,2): a decimal is compared with text"),
        (Check("t").has_max("d", at_most=3), "column d: values of type date are no numbers; dates are compared by"),
        (Check("t").is_unique("m"), "column m: values of type map<string,string> cannot be grouped by"),
        (Check("t").has_correlation("n", "s", at_most=1), "column s: values of type string are no numbers; ask what"),
        (Check("t").satisfies(condition="a > 'x'"), "in 'a > 'x'': a decimal is compared with text; write a CAST"),
    ],
)
def test_what_does_not_fit_a_column_is_told_in_the_words_of_the_check(check: Check, told: str) -> None:
    (error,) = misfits(check, [*COLUMNS, ("m", "map<string,string>")])
    assert told in str(error)


def test_a_bound_that_is_a_date_leads_to_the_check_that_takes_one() -> None:
    with pytest.raises(UsageError, match="2026-02-01, not a number; give a number; dates are compared by is_between"):
        Constraint("has_max", ("d",), at_most=date(2026, 2, 1))  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["is_positive", "is_non_negative"])
def test_a_date_is_neither_above_nor_below_0(kind: str) -> None:
    wrong = {name: misfit(Constraint(kind, (name,)), COLUMNS) for name, _ in COLUMNS}
    assert [name for name, error in wrong.items() if error is not None] == ["d", "at", "b"]
    assert "is asked of numbers, and it is date" in str(wrong["d"])


@pytest.mark.parametrize(
    "check",
    [
        Check("t", (Constraint("has_pattern", ("s",), {"pattern": "(["}),)),
        Check("t").satisfies(condition="s RLIKE '*a'"),
        Check("t").is_complete("n").where(r"s RLIKE 'a{2}(\\'"),
    ],
)
def test_what_is_no_regular_expression_is_refused(check: Check) -> None:
    (error,) = misfits(check, COLUMNS)
    assert "is no regular expression" in str(error)


@pytest.mark.parametrize("pattern", [r"^\p{L}+$", r"\Q([\E", r"[a-z&&[^b]]", r"(?<year>\d{4})", r"a++", r"(?i)x(?s).y"])
def test_expressions_that_only_java_reads_are_taken(pattern: str) -> None:
    assert misfits(Check("t").has_pattern("s", pattern=pattern), COLUMNS) == []
