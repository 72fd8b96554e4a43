"""The figures that are read off counted parts, by the names deequ's users know.

Where the paper and deequ define a name in two ways both figures are here, each under its own name. A figure is None
where it has no value: an empty table, a column of nothing but nulls, a `where` that no row meets.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from catalog.errors import UsageError
from catalog.measures.counts import Matches
from catalog.measures.groups.frequency import Groups
from catalog.measures.numbers import Numbers, Pair
from catalog.measures.part import Part, State
from catalog.measures.types import TypeCounts
from catalog.predicates.predicate import parts

Value = float | int | None


@dataclass(frozen=True)
class Figure:
    """One metric.

    Parameters
    ----------
    name : as in deequ, or the paper's where deequ has none.
    kind : of the part it is read off (`Part.kind`).
    columns : how many columns it takes (0: the table's, -1: one or more).
    words : what it is, for people; ``{column}`` stands for the columns.
    share : whether it lies in 0..1. tells : whether it may reveal a value of the column.
    read : the figure of a state; further arguments are those of the metric (a quantile, a type).
    undefined : why there may be none though there are rows, in words.
    """

    name: str
    kind: str
    columns: int
    words: str
    read: Callable[..., Value]
    share: bool = False
    tells: bool = False
    undefined: str = ""


def quantile(state: Groups, q: float) -> Value:
    """Exact quantile of the numbers of one column, linear between neighbours (half of 1..6 is 3.5).

    Raises `UsageError` where `q` is not in 0..1.
    """
    if not 0 <= q <= 1:
        raise UsageError(f"quantile {q!r} is not in 0..1", remedy="give a share, such as 0.95")
    return state.quantile(q)


def _of_matches(name: str) -> Callable[[Matches], Value]:
    return lambda state: getattr(state, name)


def _of_frequencies(name: str) -> Callable[[Groups], Value]:
    return lambda state: getattr(state, name)


def _moment(name: str) -> Callable[[Numbers], Value]:
    return lambda state: state.moment(name)


def _range(state: Numbers) -> Value:
    if state.minimum is None or state.maximum is None:
        return None
    return float(Fraction(state.maximum) - Fraction(state.minimum)) if state.special is None else math.nan


def _iqr(state: Groups) -> Value:
    low, high = quantile(state, 0.25), quantile(state, 0.75)
    return None if low is None or high is None else high - low


def _type_share(state: TypeCounts, type: str) -> Value:
    return state.share(type)


def _correlation(state: Pair) -> Value:
    return state.correlation


_ALL = (
    Figure("Size", "matches", 0, "number of rows", _of_matches("rows")),
    Figure(
        "Completeness", "matches", 1, "share of rows of {column} that are not null", _of_matches("share"), share=True
    ),
    Figure("Compliance", "matches", 0, "share of rows that meet the condition", _of_matches("share"), share=True),
    Figure(
        "Uniqueness",
        "frequencies",
        -1,
        "share of rows with a value of {column} that occurs once",
        _of_frequencies("uniqueness"),
        share=True,
    ),
    Figure(
        "UniqueValueRatio",
        "frequencies",
        -1,
        "share of the distinct values of {column} that occur once",
        _of_frequencies("unique_value_ratio"),
        share=True,
    ),
    Figure(
        "Distinctness",
        "frequencies",
        -1,
        "distinct values of {column} per row",
        _of_frequencies("distinctness"),
        share=True,
    ),
    Figure("CountDistinct", "frequencies", -1, "number of distinct values of {column}", _of_frequencies("distinct")),
    Figure(
        "DuplicateRows",
        "frequencies",
        -1,
        "rows with a value of {column} that occurs more than once",
        _of_frequencies("duplicates"),
    ),
    Figure("Entropy", "frequencies", 1, "entropy of {column} in nats", _of_frequencies("entropy")),
    Figure(
        "MutualInformation",
        "frequencies",
        2,
        "mutual information of {column} in nats",
        lambda s: s.mutual_information(),
    ),
    Figure("ExactQuantile", "frequencies", 1, "quantile of {column}", quantile, tells=True),
    Figure("InterquartileRange", "frequencies", 1, "distance of the quartiles of {column}", _iqr),
    Figure("Minimum", "numbers", 1, "minimum of {column}", lambda s: s.minimum, tells=True),
    Figure("Maximum", "numbers", 1, "maximum of {column}", lambda s: s.maximum, tells=True),
    Figure("Range", "numbers", 1, "range of {column}", _range, tells=True),
    Figure("Mean", "numbers", 1, "mean of {column}", lambda s: s.mean),
    Figure("Sum", "numbers", 1, "sum of {column}", lambda s: s.total, tells=True),
    Figure("StandardDeviation", "numbers", 1, "standard deviation of {column}", _moment("deviation")),
    Figure("Variance", "numbers", 1, "variance of {column}", _moment("variance")),
    Figure("Skewness", "numbers", 1, "skewness of {column}", _moment("skewness")),
    Figure("Kurtosis", "numbers", 1, "excess kurtosis of {column}", _moment("kurtosis")),
    Figure("ZerosCount", "numbers", 1, "zeros in {column}", lambda s: s.zeros),
    Figure("NewestTime", "times", 1, "newest {column}, in microseconds since 1970", lambda s: s.maximum, tells=True),
    Figure("MinLength", "lengths", 1, "shortest text of {column}, in characters", lambda s: s.minimum),
    Figure("MaxLength", "lengths", 1, "longest text of {column}, in characters", lambda s: s.maximum),
    Figure("MeanLength", "lengths", 1, "mean length of the texts of {column}", lambda s: s.mean),
    Figure("Correlation", "pair", 2, "correlation of {column}", _correlation),
    Figure(
        "Predictability",
        "sample",
        -1,
        "predictability of the first of {column} by the others (F1 on held-out rows, 20,000 different ones at most)",
        lambda s: s.predictability,
        share=True,
        undefined="There are too few different rows: it is tried on a fifth of them, held out of the others.",
    ),
    Figure("DataType", "types", 1, "share of the values of {column} that are of the type", _type_share, share=True),
)
FIGURES: dict[str, Figure] = {figure.name: figure for figure in _ALL}


def part_of(
    name: str, columns: tuple[str, ...] = (), *, predicate: str | None = None, where: str | None = None
) -> Part:
    """The part that a metric is read off. Raises `UsageError` for an unknown metric, or columns it does not take.

    >>> part_of("Completeness", ("a b",)).predicate
    '`a b` IS NOT NULL'
    """
    figure = FIGURES.get(name)
    if figure is None:
        raise UsageError(f"there is no metric {name!r}", remedy="use one of " + ", ".join(FIGURES))
    if (figure.columns >= 0 and len(columns) != figure.columns) or (figure.columns < 0 and not columns):
        wanted = (
            "one or more columns" if figure.columns < 0 else f"{figure.columns} column" + "s" * (figure.columns != 1)
        )
        raise UsageError(f"{name} takes {wanted}, not {len(columns)}", remedy="correct the check")
    if name == "Completeness":
        return Part("matches", predicate=f"{quoted(columns[0])} IS NOT NULL", where=where)
    return Part(figure.kind, tuple(columns), predicate, where)


def quoted(column: str) -> str:
    """A dotted column name for a predicate; a name that holds a dot itself is given as it is written, in backticks.

    >>> quoted("a.b c")
    '`a`.`b c`'
    """
    if column.startswith("`"):
        return column
    return ".".join("`" + part.replace("`", "``") + "`" for part in column.split("."))


def unquoted(column: str) -> str:
    """A column that SQL writes in backticks, as people name it.

    >>> unquoted("`a.b`"), unquoted("a.b")
    ('a.b', 'a.b')
    """
    return ".".join(parts(column)) if column.startswith("`") else column


def value(name: str, state: State, **arguments: Any) -> Value:
    """A metric's figure of a state.

    >>> from catalog.measures.groups.frequency import frequencies
    >>> import pyarrow as pa
    >>> numbers = frequencies([pa.array([1, 2, 3, 4, 5, 6])])
    >>> value("ExactQuantile", numbers, q=0.5), value("InterquartileRange", numbers)
    (3.5, 2.5)
    """
    return FIGURES[name].read(state, **arguments)
