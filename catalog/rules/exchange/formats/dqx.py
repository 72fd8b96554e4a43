"""Databricks' DQX: checks in YAML, on single rows and, by `sql_query`, on figures of all of them.

``python -m benchmarks.exchange --tool dqx`` runs what is written (docs/figures/exchange.md). A bare text among allowed
values is an expression there, so texts are written in quotes of their own; where a contract has them bare, as older
releases took them, they are read as texts.
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
    AGE,
    NO_CHECK,
    OF_TAGS,
    Asked,
    Lost,
    Made,
    Noted,
    all_there,
    ask,
    each,
    is_named,
    is_whole,
    of_values,
    row_condition,
)
from catalog.rules.exchange.documents import entries, list_of, mapping, name_of, number_of, text_of
from catalog.rules.exchange.queries import figure_of, of_violation
from catalog.rules.exchange.rows import (
    accepts_empty,
    among,
    compared,
    matching,
    not_matching,
    not_refuted,
    plain,
    satisfies,
    within,
)

_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"", re.S)
_BARE = "a text without quotes of its own is read as the text; newer releases of DQX take it for a column"
_EACH = "there of every row, here of the newest value"
_AGGREGATES = {
    "sum": "has_sum", "avg": "has_mean", "mean": "has_mean", "min": "has_min", "max": "has_max",
    "count_distinct": "has_count_distinct", "stddev": "has_standard_deviation",
}  # fmt: skip
#: What a query of DQX calls its rows, and the column that says whether they are wrong.
_VIEW, _VIOLATED = "input_view", "condition"
_CLOCK = "it asks for a value by the clock"


# ------------------------------------------------------------------------------------------------------- reading


def read(data: Any) -> Iterator[Asked]:
    """The demands of a list of checks."""
    for number, one in enumerate(list_of(data, "the list of checks"), 1):
        told, inner = mapping(one), mapping(mapping(one).get("check"))
        name, arguments = str(inner.get("function") or "?"), mapping(inner.get("arguments"))
        columns = entries(inner.get("for_each_column")) or [None]
        level = "warning" if told.get("criticality") == "warn" else "error"
        for column in columns:
            given = dict(arguments)
            if column is not None:
                given["columns" if isinstance(column, list) else "column"] = column
            yield ask(
                f"{number}: {name}" + (f" of {given['column']}" if isinstance(given.get("column"), str) else ""),
                "",
                partial(function, name, given),
                where=told.get("filter"),
                level=level,
                name=told.get("name") if len(columns) == 1 else None,
            )


def function(name: str, told: Mapping[str, Any]) -> Made:
    """The check that a function with its arguments is. Raises `UsageError` for one that has none."""
    if name == "sql_query":
        return _query(told)
    if any("{{" in str(one) for one in told.values()):
        raise UsageError("it has places that are filled in when it runs")
    if name == "is_unique":
        return _unique(tuple(_names(told.get("columns"))), told)
    if name == "foreign_key":
        return _foreign_key(told)
    if name.startswith("is_aggr_"):
        return _aggregate(name, told)
    if name == "sql_expression":
        condition = text_of(told.get("expression"), "the expression")
        return not_refuted(f"NOT ({condition})" if told.get("negate") is True else condition)
    build = _OF_COLUMN.get(name)
    if build is None:
        raise UsageError(OF_TAGS if name.startswith("is_valid_") else f"there is no check like {name[:80]}")
    return build(name_of(told.get("column", told.get("col_name"))), told)


def _names(given: Any) -> list[str]:
    return [name_of(one) for one in list_of(given, "columns")]


def _unique(columns: tuple[str, ...], told: Mapping[str, Any]) -> Constraint:
    """Rows that lack one of several values are alike to none there, unless it is said."""
    lacking = len(columns) > 1 and told.get("nulls_distinct") is not False
    return Constraint("is_unique", columns, where=all_there(columns) if lacking else None)


def _query(told: Mapping[str, Any]) -> Made:
    if told.get("merge_columns") or told.get("negate") is True:
        raise UsageError("its query speaks of single rows by a key, or is turned round")
    place = str(told.get("input_placeholder") or _VIEW)
    return of_violation(text_of(told.get("query"), "the query"), place, str(told.get("condition_column") or _VIOLATED))


def _foreign_key(told: Mapping[str, Any]) -> Constraint:
    if told.get("negate") is True:
        raise UsageError("values that are not to be in another table are not looked for")
    other = text_of(told.get("ref_table"), "ref_table")
    theirs = {"other": other, "other_columns": _names(told.get("ref_columns"))}
    return Constraint("references", tuple(_names(told.get("columns"))), theirs)


def _aggregate(name: str, told: Mapping[str, Any]) -> Made:
    if told.get("group_by"):
        raise UsageError("figures of groups are not looked at")
    limit = number_of(told.get("limit"), "the limit")
    band = {"is_aggr_not_greater_than": Band(high=limit), "is_aggr_not_less_than": Band(low=limit),
            "is_aggr_equal": Band(limit, limit)}.get(name)  # fmt: skip
    if band is None:
        raise UsageError(f"there is no check like {name[:80]}")
    kind, column = str(told.get("aggr_type", "count")), name_of(told.get("column"))
    if kind == "count":
        return figure("has_size", (), band, where=None if column == "*" else f"{quoted(column)} IS NOT NULL")
    if kind not in _AGGREGATES:
        raise UsageError(f"{kind[:40]} is no figure that is known")
    return figure(_AGGREGATES[kind], (column,), band)


def _listed(column: str, told: Mapping[str, Any], key: str, denied: bool = False) -> Made:
    if told.get("case_sensitive") is False:
        raise UsageError("values without regard to case are not compared")
    given = list_of(told.get(key, told.get("allowed")), key)
    values = [_value(one) for one in given]
    made = among(column, values, denied=denied)
    bare = any(isinstance(one, str) and not _QUOTED.fullmatch(one) for one in given)
    return Noted((made,), _BARE) if bare else made


def _value(given: Any) -> Any:
    """A value as it is meant: a text in quotes of its own, or anything else as it stands.

    >>> _value("'it\\\\'s'"), _value("3"), _value("open")
    ("it's", 3, 'open')
    """
    if isinstance(given, str) and (found := _QUOTED.fullmatch(given)):
        return re.sub(r"\\(.)", r"\1", found[1] if found[1] is not None else found[2], flags=re.S)
    if isinstance(given, str) and given.isdigit():
        return int(given)
    return plain(given)


def _limit(sign: str) -> Callable[[str, Mapping[str, Any]], Made]:
    def make(column: str, told: Mapping[str, Any]) -> Made:
        given = told.get("limit", told.get("value"))
        if isinstance(given, str) and not _QUOTED.fullmatch(given) and not given.isdigit() and sign in (">=", "<="):
            if re.fullmatch(r"\d{4}-\d\d-\d\d.*", given):
                return within(column, {"low" if sign == ">=" else "high": given})
            return compared(column, sign, given)
        value = _value(given)
        if sign in ("=", "!="):
            return among(column, [value], denied=sign == "!=")
        return within(column, {"low" if sign == ">=" else "high": value})

    return make


def _range(column: str, told: Mapping[str, Any]) -> Made:
    return within(column, {"low": told.get("min_limit"), "high": told.get("max_limit")})


def _outside(column: str, told: Mapping[str, Any]) -> Made:
    inside = within(column, {"low": told.get("min_limit"), "high": told.get("max_limit")})
    name = quoted(column)
    return satisfies(f"{name} IS NULL OR NOT ({row_condition(inside)})")


def _not_empty(column: str, told: Mapping[str, Any]) -> Constraint:
    if told.get("trim_strings") is True:
        return satisfies(f"{quoted(column)} IS NULL OR trim({quoted(column)}) <> ''")
    return Constraint("is_not_empty", (column,))


def _there_and_not_empty(column: str, told: Mapping[str, Any]) -> Made:
    return [_not_empty(column, told), Constraint("is_complete", (column,))]


def _fresh(column: str, told: Mapping[str, Any]) -> Made:
    if told.get("base_timestamp") is not None:
        raise UsageError(_CLOCK)
    age = number_of(told.get("max_age_minutes"), "max_age_minutes") / 60
    return Noted((Constraint("is_fresh", (column,), at_most=age),), f"{_EACH}; {AGE}")


def _regex(column: str, told: Mapping[str, Any]) -> Made:
    pattern = text_of(told.get("regex"), "regex")
    return not_matching(column, pattern) if told.get("negate") is True else matching(column, pattern)


def _in_list_and_there(column: str, told: Mapping[str, Any]) -> Made:
    made = each(_listed(column, told, "allowed"), lambda one: one)
    return Noted((*made.checks, Constraint("is_complete", (column,))), made.note)


_OF_COLUMN: dict[str, Callable[[str, Mapping[str, Any]], Made]] = {
    "is_not_null": lambda c, k: Constraint("is_complete", (c,)),
    "is_null": lambda c, k: satisfies(f"{quoted(c)} IS NULL"),
    "is_not_empty": _not_empty,
    "is_not_null_and_not_empty": _there_and_not_empty,
    "is_in_list": lambda c, k: _listed(c, k, "allowed"),
    "value_is_in_list": lambda c, k: _listed(c, k, "allowed"),
    "is_not_null_and_is_in_list": _in_list_and_there,
    "value_is_not_null_and_is_in_list": _in_list_and_there,
    "is_not_in_list": lambda c, k: _listed(c, k, "forbidden", denied=True),
    "is_equal_to": _limit("="),
    "is_not_equal_to": _limit("!="),
    "is_not_less_than": _limit(">="),
    "not_less_than": _limit(">="),
    "is_not_greater_than": _limit("<="),
    "not_greater_than": _limit("<="),
    "is_in_range": _range,
    "is_not_in_range": _outside,
    "regex_match": _regex,
    "is_data_fresh": _fresh,
}


# ------------------------------------------------------------------------------------------------------- writing


def write(table: str, found: Iterable[Constraint]) -> tuple[list[dict[str, Any]], list[Lost]]:
    """Checks of DQX of these checks; what is lost of them.

    >>> write("t", [Constraint("is_in", ("s",), {"values": ["a", 1]})])[0][0]["check"]
    {'function': 'is_in_list', 'arguments': {'column': 's', 'allowed': ["'a'", 1]}}
    """
    made, lost = [], []
    for one in found:
        said = _said(one)
        if said is None:
            lost.append(Lost(one.columns[0] if len(one.columns) == 1 else "", one.sentence, NO_CHECK))
            continue
        name, arguments = said
        head = {"name": one.name} if is_named(one) else {}
        head |= {"criticality": "warn" if one.level == "warning" else "error"}
        # a function on values passes over rows that have none by itself; a query of a share would count them as kept to
        by_itself = of_values(one) and name != "sql_query"
        head |= {"filter": one.where} if one.where is not None and not by_itself else {}
        made.append({**head, "check": {"function": name, "arguments": arguments}})
    return made, lost


def _said(one: Constraint) -> tuple[str, dict[str, Any]] | None:
    if one.kind == "is_unique" and is_whole(one):
        more = {"nulls_distinct": False} if len(one.columns) > 1 else {}
        return "is_unique", {"columns": list(one.columns)} | more
    condition = row_condition(one)
    if condition is None or not is_whole(one):
        return _of_figure(one)
    column = {"column": one.columns[0]} if one.columns else {}
    told = one.arguments
    if one.kind in ("is_complete", "has_completeness"):
        return "is_not_null", column
    if one.kind in ("is_in", "is_not_in"):
        values = [literal(value) if isinstance(value, str) else value for value in told["values"]]
        return ("is_in_list", column | {"allowed": values}) if one.kind == "is_in" else (
            "is_not_in_list", column | {"forbidden": values})  # fmt: skip
    if one.kind == "has_pattern" and of_values(one) and not accepts_empty(told["pattern"]):
        return "regex_match", column | {"regex": told["pattern"]}
    # the condition is null of no row, or the row is to break it
    return "sql_expression", {"expression": f"COALESCE({condition}, FALSE)" if not of_values(one) else _or_null(one)}


def _of_figure(one: Constraint) -> tuple[str, dict[str, Any]] | None:
    asked = figure_of(one)
    if asked is None:
        return None
    ends = [f"{asked} {sign} {end!r}" for sign, end in (("<", one.at_least), (">", one.at_most)) if end is not None]
    query = f"SELECT {' OR '.join(ends)} AS {_VIOLATED} FROM {{{{ {_VIEW} }}}}"  # noqa: S608 - the format's own place
    return "sql_query", {"query": query, "condition_column": _VIOLATED}


def _or_null(one: Constraint) -> str:
    return f"{quoted(one.columns[0])} IS NULL OR COALESCE({row_condition(one)}, FALSE)"
