"""Great Expectations: suites of expectations in JSON, of release 1 and of those before it.

``python -m benchmarks.exchange --tool gx`` runs what is written (docs/figures/exchange.md). A share (`mostly`) is one
of the values there, without nulls.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from catalog.declared.constraint import Constraint
from catalog.declared.kinds.sql import literal
from catalog.errors import UsageError
from catalog.measures.metrics import quoted
from catalog.rules.exchange.bands import Band, figure
from catalog.rules.exchange.demands import (
    NO_CHECK,
    SHARE,
    Asked,
    Lost,
    Made,
    Noted,
    ask,
    each,
    filled,
    is_there,
    is_whole,
    limited,
    of_values,
    row_condition,
)
from catalog.rules.exchange.documents import list_of, map_of, mapping, name_of, number_of, text_of
from catalog.rules.exchange.queries import of_failing_rows
from catalog.rules.exchange.rows import (
    accepts_empty,
    among,
    in_time,
    lengths,
    matching,
    not_matching,
    satisfies,
    within,
)

#: Figures by the name that an expectation has for them.
_FIGURES = {
    "expect_table_row_count_to_be_between": "has_size",
    "expect_table_column_count_to_be_between": "has_column_count",
    "expect_column_unique_value_count_to_be_between": "has_count_distinct",
    "expect_column_proportion_of_unique_values_to_be_between": "has_distinctness",
    "expect_column_proportion_of_non_null_values_to_be_between": "has_completeness",
    "expect_column_mean_to_be_between": "has_mean",
    "expect_column_stdev_to_be_between": "has_standard_deviation",
    "expect_column_min_to_be_between": "has_min",
    "expect_column_max_to_be_between": "has_max",
    "expect_column_sum_to_be_between": "has_sum",
}
#: The end that all rows keep, what `is_between` and ``strict_`` call it, and how one row lies to the other end.
_EXTREMES = {
    "expect_column_min_to_be_between": ("min_value", "low", "min", "earlier"),
    "expect_column_max_to_be_between": ("max_value", "high", "max", "later"),
}
_WRITTEN = {kind: name for name, kind in _FIGURES.items()}
_OF_SAMPLE = "there of a sample (divided by n - 1), here of all rows"
_LEVELS = ("warning", "info")
_SQL = "unexpected_rows_expectation"


# ------------------------------------------------------------------------------------------------------- reading


def read(data: Any) -> Iterator[Asked]:
    """The demands of a suite, or of a list of expectations."""
    suite = {"expectations": data} if isinstance(data, list) else map_of(data, "the suite")
    table = suite.get("name") or suite.get("expectation_suite_name")
    for number, one in enumerate(list_of(suite.get("expectations"), "expectations"), 1):
        told = mapping(one)
        kind = str(told.get("type") or told.get("expectation_type") or "?")
        kwargs = mapping(told.get("kwargs"))
        severity = str(told.get("severity") or kwargs.get("severity") or "").lower()
        hint = told.get("description") or told.get("notes") or mapping(told.get("meta")).get("notes")
        yield ask(
            f"{number}: {kind}" + (f" of {kwargs['column']}" if "column" in kwargs else ""),
            table if isinstance(table, str) else "",
            partial(expectation, kind, kwargs),
            level="warning" if severity in _LEVELS else "error",
            hint=hint,
        )


def expectation(kind: str, kwargs: Mapping[str, Any]) -> Made:
    """The check that an expectation is. Raises `UsageError` for one that has none.

    >>> told = {"column": "c", "value_set": ["a"], "mostly": 0.9}
    >>> expectation("expect_column_values_to_be_in_set", told).checks[0].where
    '`c` IS NOT NULL'
    """
    kind = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind).lower()
    where, least = _where(kwargs), number_of(kwargs.get("mostly", 1), "mostly")
    if not 0 <= least <= 1:
        raise UsageError("mostly is no share of 0 to 1")
    return each(_made(kind, kwargs), lambda one: limited(_mostly(one, least), where))


def _mostly(one: Constraint, least: float) -> Constraint:
    if least >= 1:
        return one
    if one.kind == "is_complete":
        return filled(one.columns[0], least)
    if row_condition(one) is None:
        raise UsageError("a share of the rows is not counted of such a demand")
    where = one.where or (is_there(one.columns[0]) if one.columns else None)
    return Constraint(one.kind, one.columns, one.arguments, least, where=where)


def _where(kwargs: Mapping[str, Any]) -> str | None:
    """The condition on rows in SQL; those in other words are not read."""
    condition = kwargs.get("row_condition")
    if condition in (None, ""):
        return None
    if kwargs.get("condition_parser") != "spark" or not isinstance(condition, str):
        raise UsageError("its row_condition is not in SQL", remedy="write it for the parser spark")
    return condition


def _made(kind: str, kwargs: Mapping[str, Any]) -> Made:
    if kind in _FIGURES or kind in ("expect_table_row_count_to_equal", "expect_table_column_count_to_equal"):
        return _figure(kind, kwargs)
    if kind == _SQL:
        query = text_of(kwargs.get("unexpected_rows_query"), "unexpected_rows_query")
        return of_failing_rows(query.replace("{{", "{").replace("}}", "}"))
    if kind == "expect_table_columns_to_match_ordered_list":
        return Constraint("has_columns", tuple(_names(kwargs, "column_list")))
    if kind == "expect_table_columns_to_match_set" and kwargs.get("exact_match") is False:
        return Constraint("has_column", tuple(_names(kwargs, "column_set")))
    if kind in ("expect_compound_columns_to_be_unique", "expect_multicolumn_values_to_be_unique"):
        if kwargs.get("ignore_row_if", "all_values_are_missing") != "all_values_are_missing":
            raise UsageError("rows with one missing value are left out there")
        return Constraint("is_unique", tuple(_names(kwargs, "column_list")))
    if kind.startswith("expect_column_pair_"):
        return _pair(kind, kwargs)
    build = _OF_COLUMN.get(kind)
    if build is None:
        raise UsageError(f"there is no check like {kind[:80]}")
    return build(name_of(kwargs.get("column")), kwargs)


def _names(kwargs: Mapping[str, Any], key: str) -> list[str]:
    return [name_of(one) for one in list_of(kwargs.get(key), key)]


def _figure(kind: str, kwargs: Mapping[str, Any]) -> Made:
    columns: tuple[str, ...] = () if "_table_" in kind else (name_of(kwargs.get("column")),)
    if kind.endswith("_to_equal"):
        value = number_of(kwargs.get("value"), "value")
        return figure(_FIGURES[kind.replace("_to_equal", "_to_be_between")], columns, Band(value, value))
    if kind in _EXTREMES and any(map(in_time, (kwargs.get("min_value"), kwargs.get("max_value")))):
        return _dated(columns[0], kind, kwargs)
    made = figure(_FIGURES[kind], columns, _ends(kwargs))
    if kind == "expect_column_stdev_to_be_between" and isinstance(made, Constraint):
        return Noted((made,), _OF_SAMPLE)
    return made


def _dated(column: str, kind: str, kwargs: Mapping[str, Any]) -> Made:
    """The earliest or latest date: no row lies beyond the end that all rows keep. The other end asks that one row does,
    which no check here says.

    >>> told = {"min_value": "2020-01-01", "max_value": "2020-12-31"}
    >>> _dated("day", "expect_column_max_to_be_between", told).note
    'there at least one date has to be 2020-01-01 or later, too'
    """
    kept, name, side, sense = _EXTREMES[kind]
    other = "max_value" if kept == "min_value" else "min_value"
    if kwargs.get(kept) is None:
        raise UsageError(f"no check asks that at least one date is {kwargs[other]} or {sense}")
    one = within(column, {name: kwargs[kept]}, exclusive=kwargs.get(f"strict_{side}") is True)
    if kwargs.get(other) is None:
        return one
    return Noted((one,), f"there at least one date has to be {kwargs[other]} or {sense}, too")


def _ends(kwargs: Mapping[str, Any]) -> Band:
    low, high = (
        None if kwargs.get(name) is None else number_of(kwargs[name], name) for name in ("min_value", "max_value")
    )
    return Band(low, high, kwargs.get("strict_min") is True, kwargs.get("strict_max") is True)


def _pair(kind: str, kwargs: Mapping[str, Any]) -> Made:
    a, b = name_of(kwargs.get("column_A"), "column_A"), name_of(kwargs.get("column_B"), "column_B")
    named = {
        "expect_column_pair_values_a_to_be_greater_than_b": "is_greater_or_equal"
        if kwargs.get("or_equal") is True
        else "is_greater_than",
        "expect_column_pair_values_to_be_equal": "is_equal_to",
    }
    if kind not in named:
        raise UsageError(f"there is no check like {kind[:80]}")
    left_out = {"both_values_are_missing": " OR ", "either_value_is_missing": " AND ", "neither": ""}
    word = left_out.get(str(kwargs.get("ignore_row_if", "both_values_are_missing")))
    if word is None:
        raise UsageError("ignore_row_if is none that is known")
    return Constraint(named[kind], (a, b), where=word.join(map(is_there, (a, b))) if word else None)


def _between(column: str, kwargs: Mapping[str, Any]) -> Made:
    low, high = kwargs.get("min_value"), kwargs.get("max_value")
    strict = kwargs.get("strict_min") is True, kwargs.get("strict_max") is True
    if strict[0] == strict[1] or low is None or high is None:
        return within(column, {"low": low, "high": high}, exclusive=strict[0] if low is not None else strict[1])
    return [within(column, {"low": low}, exclusive=strict[0]), within(column, {"high": high}, exclusive=strict[1])]


def _quantiles(column: str, kwargs: Mapping[str, Any]) -> Made:
    told = map_of(kwargs.get("quantile_ranges"), "quantile_ranges")
    pairs = zip(list_of(told.get("quantiles"), "quantiles"), list_of(told.get("value_ranges"), "ranges"), strict=False)
    made: list[Constraint] = []
    for q, ends in pairs:
        both = [*list_of(ends, "a range"), None, None][:2]
        low, high = (None if one is None else number_of(one, "an end") for one in both)
        made.append(Constraint("has_quantile", (column,), {"q": number_of(q, "a quantile")}, low, high))
    return made


def _any_of(column: str, kwargs: Mapping[str, Any], found: Callable[[str, str], Constraint]) -> Made:
    patterns = [text_of(one, "a pattern") for one in list_of(kwargs.get("regex_list"), "regex_list")]
    if found is matching and kwargs.get("match_on", "any") != "all":
        return matching(column, "|".join(f"(?:{one})" for one in patterns))
    return [found(column, one) for one in patterns]


def _like(denied: str) -> Callable[[str, Mapping[str, Any]], Made]:
    def make(column: str, kwargs: Mapping[str, Any]) -> Made:
        pattern = literal(text_of(kwargs.get("like_pattern"), "like_pattern"))
        return satisfies(f"{quoted(column)} IS NULL OR {quoted(column)} {denied}LIKE {pattern}")

    return make


_OF_COLUMN: dict[str, Callable[[str, Mapping[str, Any]], Made]] = {
    "expect_column_to_exist": lambda c, k: Constraint("has_column", (c,)),
    "expect_column_values_to_not_be_null": lambda c, k: Constraint("is_complete", (c,)),
    "expect_column_values_to_be_null": lambda c, k: satisfies(f"{quoted(c)} IS NULL"),
    "expect_column_values_to_be_unique": lambda c, k: Constraint("is_unique", (c,)),
    "expect_column_values_to_be_in_set": lambda c, k: among(c, list_of(k.get("value_set"), "value_set")),
    "expect_column_distinct_values_to_be_in_set": lambda c, k: among(c, list_of(k.get("value_set"), "value_set")),
    "expect_column_values_to_not_be_in_set": lambda c, k: among(
        c, list_of(k.get("value_set"), "value_set"), denied=True
    ),
    "expect_column_values_to_match_regex": lambda c, k: matching(c, text_of(k.get("regex"), "regex")),
    "expect_column_values_to_not_match_regex": lambda c, k: not_matching(c, text_of(k.get("regex"), "regex")),
    "expect_column_values_to_match_regex_list": lambda c, k: _any_of(c, k, matching),
    "expect_column_values_to_not_match_regex_list": lambda c, k: _any_of(c, k, not_matching),
    "expect_column_values_to_match_like_pattern": _like(""),
    "expect_column_values_to_not_match_like_pattern": _like("NOT "),
    "expect_column_values_to_be_between": _between,
    "expect_column_value_lengths_to_be_between": lambda c, k: lengths(c, k.get("min_value"), k.get("max_value")),
    "expect_column_value_lengths_to_equal": lambda c, k: lengths(c, k.get("value"), k.get("value")),
    "expect_column_median_to_be_between": lambda c, k: figure("has_quantile", (c,), _ends(k), q=0.5),
    "expect_column_quantile_values_to_be_between": _quantiles,
}


# ------------------------------------------------------------------------------------------------------- writing


def write(table: str, found: Iterable[Constraint]) -> tuple[dict[str, Any], list[Lost]]:
    """An expectation suite of these checks; what is lost of them.

    >>> write("t", [Constraint("is_complete", ("id",), at_least=0.9)])[0]["expectations"]
    [{'type': 'expect_column_values_to_not_be_null', 'kwargs': {'column': 'id', 'mostly': 0.9}}]
    """
    suite: list[dict[str, Any]] = []
    lost: list[Lost] = []
    for one in found:
        said = _said(one)
        if not said:
            column = one.columns[0] if len(one.columns) == 1 else ""
            lost.append(Lost(column, one.sentence, SHARE if row_condition(one) else NO_CHECK))
        beside: dict[str, Any] = {"severity": "warning"} if one.level == "warning" else {}
        beside |= {"meta": {"notes": one.hint}} if one.hint else {}
        suite += [{"type": kind, "kwargs": kwargs, **beside} for kind, kwargs in said]
    return {"name": table, "expectations": suite}, lost


def _said(one: Constraint) -> list[tuple[str, dict[str, Any]]]:
    """Type and arguments of the expectations that a check is; none where there is no such."""
    if one.kind == "has_column" and "type" not in one.arguments:
        return [("expect_column_to_exist", {"column": name}) for name in one.columns]
    if one.kind == "has_columns":
        return [("expect_table_columns_to_match_ordered_list", {"column_list": list(one.columns)})]
    if one.kind in _WRITTEN and one.where is None and one.kind != "has_completeness":
        kwargs = {"column": one.columns[0]} if one.columns else {}
        return [(_WRITTEN[one.kind], kwargs | {"min_value": one.at_least, "max_value": one.at_most})]
    if one.kind == "is_unique" and one.where is None and is_whole(one):
        if len(one.columns) > 1:
            return [("expect_compound_columns_to_be_unique", {"column_list": list(one.columns)})]
        return [("expect_column_values_to_be_unique", {"column": one.columns[0]})]
    of_rows = _of_rows(one)
    if of_rows is not None and (one.at_most is None or one.at_most >= 1):
        kind, kwargs = of_rows
        kwargs = {"column": one.columns[0], **kwargs}
        return [(kind, kwargs if is_whole(one) else kwargs | {"mostly": one.at_least})]
    if row_condition(one) is not None and is_whole(one):
        # {batch} is filled in by str.format, to which {3} of a regular expression is a place too
        condition = str(one.failing()).replace("{", "{{").replace("}", "}}")
        query = f"SELECT * FROM {{batch}} WHERE {condition}"  # noqa: S608 - the format's own place
        return [(_SQL, {"unexpected_rows_query": query})]
    return []


def _of_rows(one: Constraint) -> tuple[str, dict[str, Any]] | None:
    """An expectation on values, where it is asked of those alone that are there, or where nulls pass a whole demand."""
    told, start = one.arguments, "expect_column_value"
    if one.kind in ("is_complete", "has_completeness"):
        return (start + "s_to_not_be_null", {}) if one.where is None and one.at_least is not None else None
    if one.kind == "has_pattern":
        known = of_values(one) and not accepts_empty(told["pattern"])
        return (start + "s_to_match_regex", {"regex": told["pattern"]}) if known else None
    if not of_values(one) and not (one.where is None and is_whole(one)):
        return None
    match one.kind:
        case "is_in":
            return start + "s_to_be_in_set", {"value_set": list(told["values"])}
        case "is_not_in":
            return start + "s_to_not_be_in_set", {"value_set": list(told["values"])}
        case "is_between":
            ends = {"min_value": told.get("low"), "max_value": told.get("high")}
            strict = {"strict_min": True, "strict_max": True} if told.get("exclusive") else {}
            return start + "s_to_be_between", ends | strict
        case "has_length_between":
            return start + "_lengths_to_be_between", {"min_value": told.get("low"), "max_value": told.get("high")}
    return None
