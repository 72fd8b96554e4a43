"""Kinds that are read off what is counted of one table: sizes, values, numbers, texts, conditions on rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from catalog.declared.kinds.arguments import Argument
from catalog.declared.kinds.kind import ALL_ROWS, MANY, OPEN, REPEATED, Kind, Told
from catalog.declared.kinds.sql import (
    all_there,
    among,
    between,
    castable_type,
    compared,
    length_between,
    literal,
    number_is,
    or_null,
    pattern,
)
from catalog.measures.metrics import FIGURES, quoted
from catalog.predicates.regexes import regex_mistake

_VALUES = Argument("list", "the values that are allowed", example=["EUR", "USD"])


def _no_pattern(given: str) -> str:
    mistake = regex_mistake(given)
    return f"is no regular expression: {mistake}" if mistake else ""


_PATTERN = Argument(
    "str", "regular expression, found anywhere in the value", example="^[A-Z]{2}[0-9]+$", wrong=_no_pattern
)
_CONDITION = Argument("str", "condition in SQL on one row", example="price >= cost", condition=True)
_BOUNDS = {
    "low": Argument("value", "smallest value; a date as 2026-01-31", False, 0),
    "high": Argument("value", "largest value", False, 100),
}
_LENGTHS = {
    "low": Argument("int", "fewest characters", False, 0, least=0),
    "high": Argument("int", "most characters", False, 100, least=0),
}
_READ_AS = ("Integral", "Fractional", "Numeric", "Boolean", "String")
#: What can be compared with 0; a text is read as a number.
_COUNTABLE = ("integer", "decimal", "double", "float", "text", "null")


def _by_row(
    name: str,
    group: str,
    columns: tuple[int, int],
    words: str,
    predicate: Callable[[Told], str],
    deequ: str = "",
    **arguments: Argument,
) -> Kind:
    return Kind(name, group, columns, words, "Compliance", predicate, ALL_ROWS, arguments, deequ)


def _figure(
    name: str,
    group: str,
    figure: str,
    deequ: str = "",
    band: tuple[float | None, float | None] = OPEN,
    words: str = "",
    **arguments: Argument,
) -> Kind:
    takes = FIGURES[figure].columns
    columns = (1, MANY) if takes < 0 else (takes, takes)
    pick = tuple(arguments)
    return Kind(
        name,
        group,
        columns,
        words or FIGURES[figure].words.replace("{column}", "{columns}"),
        figure,
        None,
        band,
        arguments,
        deequ,
        lambda told: {key: told.arguments[key] for key in pick if key in told.arguments},
    )


_THERE, _ONCE, _NUMBERS, _TEXTS, _ROWS = (
    "Values that are there",
    "Values that occur once",
    "Numbers",
    "Texts",
    "Conditions on rows",
)
COUNTED: tuple[Kind, ...] = (
    _figure("has_size", "Size", "Size", "hasSize"),
    _figure("is_complete", _THERE, "Completeness", "isComplete", ALL_ROWS, "every row has a value in {columns}"),
    _figure("has_completeness", _THERE, "Completeness", "hasCompleteness"),
    _by_row("are_complete", _THERE, (2, MANY), "every row has a value in {columns}", all_there("AND"), "areComplete"),
    _by_row(
        "are_any_complete",
        _THERE,
        (2, MANY),
        "every row has a value in one of {columns}",
        all_there("OR"),
        "areAnyComplete",
    ),
    replace(
        _figure("is_unique", _ONCE, "Uniqueness", "isUnique", ALL_ROWS, "no value of {columns} occurs twice"),
        by_key=REPEATED,
    ),
    _figure("has_uniqueness", _ONCE, "Uniqueness", "hasUniqueness"),
    _figure("has_distinctness", _ONCE, "Distinctness", "hasDistinctness"),
    _figure("has_unique_value_ratio", _ONCE, "UniqueValueRatio", "hasUniqueValueRatio"),
    _figure("has_count_distinct", _ONCE, "CountDistinct", "hasNumberOfDistinctValues"),
    replace(
        _figure("has_no_duplicates", _ONCE, "DuplicateRows", "", (0, 0), "no two rows are alike in {columns}"),
        by_key=REPEATED,
    ),
    _figure("has_duplicates", _ONCE, "DuplicateRows"),
    _figure("has_entropy", _ONCE, "Entropy", "hasEntropy"),
    _figure("has_mutual_information", _ONCE, "MutualInformation", "hasMutualInformation"),
    replace(
        _figure("has_predictability", _ONCE, "Predictability", "hasPredictability of the paper"), columns=(2, MANY)
    ),
    _figure("has_min", _NUMBERS, "Minimum", "hasMin"),
    _figure("has_max", _NUMBERS, "Maximum", "hasMax"),
    _figure("has_range", _NUMBERS, "Range"),
    _figure("has_mean", _NUMBERS, "Mean", "hasMean"),
    _figure("has_sum", _NUMBERS, "Sum", "hasSum"),
    _figure("has_standard_deviation", _NUMBERS, "StandardDeviation", "hasStandardDeviation"),
    _figure("has_variance", _NUMBERS, "Variance"),
    _figure("has_skewness", _NUMBERS, "Skewness"),
    _figure("has_kurtosis", _NUMBERS, "Kurtosis"),
    _figure("has_zeros", _NUMBERS, "ZerosCount"),
    _figure(
        "has_quantile",
        _NUMBERS,
        "ExactQuantile",
        "hasExactQuantile",
        q=Argument("float", "which quantile, 0..1", example=0.95, least=0, most=1),
    ),
    _figure("has_interquartile_range", _NUMBERS, "InterquartileRange"),
    _figure("has_correlation", _NUMBERS, "Correlation", "hasCorrelation"),
    replace(
        _by_row(
            "is_non_negative",
            _NUMBERS,
            (1, 1),
            "every value of {columns} is 0 or more",
            number_is(">="),
            "isNonNegative",
        ),
        takes=_COUNTABLE,
    ),
    replace(
        _by_row("is_positive", _NUMBERS, (1, 1), "every value of {columns} is above 0", number_is(">"), "isPositive"),
        takes=_COUNTABLE,
    ),
    _by_row(
        "is_between",
        _NUMBERS,
        (1, 1),
        "every value of {columns} is {low} to {high}",
        or_null(between),
        "isContainedIn",
        low=_BOUNDS["low"],
        high=_BOUNDS["high"],
        exclusive=Argument("bool", "whether the bounds themselves are out", False, False),
    ),
    _by_row(
        "is_less_than",
        _NUMBERS,
        (2, 2),
        "every row has the first of {columns} below the second",
        compared("<"),
        "isLessThan",
    ),
    _by_row(
        "is_less_or_equal",
        _NUMBERS,
        (2, 2),
        "every row has the first of {columns} at most the second",
        compared("<="),
        "isLessThanOrEqualTo",
    ),
    _by_row(
        "is_greater_than",
        _NUMBERS,
        (2, 2),
        "every row has the first of {columns} above the second",
        compared(">"),
        "isGreaterThan",
    ),
    _by_row(
        "is_greater_or_equal",
        _NUMBERS,
        (2, 2),
        "every row has the first of {columns} at least the second",
        compared(">="),
        "isGreaterThanOrEqualTo",
    ),
    _by_row("is_equal_to", _NUMBERS, (2, 2), "every row has {columns} equal", compared("=")),
    _by_row(
        "is_in",
        _TEXTS,
        (1, 1),
        "every value of {columns} is one of {values}",
        or_null(among),
        "isContainedIn",
        values=_VALUES,
    ),
    _by_row(
        "is_not_in",
        _TEXTS,
        (1, 1),
        "no value of {columns} is one of {values}",
        or_null(lambda told: f"NOT ({among(told)})"),
        values=_VALUES,
    ),
    _by_row(
        "has_share_of",
        _TEXTS,
        (1, 1),
        "every value of {columns} is {value}",
        lambda told: f"{quoted(told.column)} <=> {literal(told.arguments['value'])}",
        value=Argument("value", "the value", example="DE"),
    ),
    _by_row(
        "has_pattern",
        _TEXTS,
        (1, 1),
        "every value of {columns} matches {pattern}",
        pattern,
        "hasPattern",
        pattern=_PATTERN,
    ),
    _by_row(
        "has_no_pattern",
        _TEXTS,
        (1, 1),
        "no value of {columns} matches {pattern}",
        or_null(lambda told: f"NOT ({pattern(told)})"),
        pattern=_PATTERN,
    ),
    _by_row(
        "has_length_between",
        _TEXTS,
        (1, 1),
        "every value of {columns} is {low} to {high} characters long",
        or_null(length_between),
        low=_LENGTHS["low"],
        high=_LENGTHS["high"],
    ),
    _by_row(
        "is_trimmed",
        _TEXTS,
        (1, 1),
        "no value of {columns} begins or ends with a space",
        or_null(lambda told: f"{quoted(told.column)} = trim({quoted(told.column)})"),
    ),
    _by_row(
        "is_not_empty",
        _TEXTS,
        (1, 1),
        "no value of {columns} is an empty text",
        or_null(lambda told: f"{quoted(told.column)} <> ''"),
    ),
    _by_row(
        "is_castable",
        _TEXTS,
        (1, 1),
        "every value of {columns} can be read as {type}",
        or_null(lambda told: f"CAST({quoted(told.column)} AS {castable_type(told)}) IS NOT NULL"),
        type=Argument("str", "type in SQL: INT, BIGINT, DOUBLE, BOOLEAN", example="DOUBLE"),
    ),
    _figure("has_min_length", _TEXTS, "MinLength", "hasMinLength"),
    _figure("has_max_length", _TEXTS, "MaxLength", "hasMaxLength"),
    _figure("has_mean_length", _TEXTS, "MeanLength"),
    _figure(
        "has_data_type",
        _TEXTS,
        "DataType",
        "hasDataType",
        ALL_ROWS,
        "every value of {columns} reads as {type}",
        type=Argument("str", ", ".join(_READ_AS[:-1]) + " or " + _READ_AS[-1], example="Integral", choices=_READ_AS),
    ),
    _by_row(
        "satisfies",
        _ROWS,
        (0, 0),
        "every row meets {condition}",
        lambda told: str(told.arguments["condition"]),
        "satisfies",
        condition=_CONDITION,
    ),
    _by_row(
        "satisfies_if",
        _ROWS,
        (0, 0),
        "every row that meets {premise} meets {condition}",
        lambda told: f"NOT COALESCE({told.arguments['premise']}, FALSE) OR ({told.arguments['condition']})",
        "satisfies with where",
        premise=Argument("str", "condition in SQL", example="paid", condition=True),
        condition=_CONDITION,
    ),
)
