"""Rules for other people's tools: what each of their formats can express, and what is lost on the way.

A rule is taken apart into demands that the formats know: a share of the rows is filled, matches a regular expression or
is among values; a figure of the column or table lies between two ends; columns are there. What is none of these is lost
with its reason: what compares with earlier batches, what checks values by a validator, waits.

Written by the documentation of the formats (ODCS v3.1, DQDL, GX 1, DQX, Delta); none of these tools was run here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from catalog.metrics.registry import METRICS
from catalog.metrics.words import clip
from catalog.rules.clauses.band import BandClause
from catalog.rules.clauses.strings import StringClause
from catalog.rules.kinds.schema import SchemaRule
from catalog.rules.rule import Rule

FILLED, MATCHES, AMONG, BETWEEN, PRESENT = "filled", "matches", "among", "between", "present"
#: Figures that the formats know, by metric: as GX, DQDL and SQL call them.
FIGURES = {
    "row_count": ("expect_table_row_count_to_be_between", "RowCount", "COUNT(*)"),
    "dist_val_count": ("expect_column_unique_value_count_to_be_between", "DistinctValuesCount", "COUNT(DISTINCT {})"),
    "mean": ("expect_column_mean_to_be_between", "Mean", "AVG({})"),
    "std": ("expect_column_stdev_to_be_between", "StandardDeviation", "STDDEV_SAMP({})"),
    "min": ("expect_column_min_to_be_between", "Min", "MIN({})"),
    "max": ("expect_column_max_to_be_between", "Max", "MAX({})"),
}
NO_DQDL = ("min", "max")  # DQDL has no such figure of a column
#: What is lost of every demand.
NOTES = (
    "A share is compared as it is; here it takes more of few rows.",
    "Missing is null there; here empty texts and markers such as NA are missing too.",
)
NO_RULE = "no format knows such a rule"
EARLIER = "it compares with earlier batches"
IN_TIME = "points in time have no such figure there"
VALIDATOR = "values are checked by a validator, not by a regular expression"
HIDDEN = "it would list values of a sensitive column"


@dataclass(frozen=True)
class Demand:
    """One thing that formats know. `least`: the share of the rows that has to conform; `low`, `high`: of a figure."""

    what: str
    column: str = ""
    least: float = 1.0
    regex: str = ""
    values: tuple[str, ...] = ()
    figure: str = ""
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Lost:
    """A demand that a format cannot express: whose, in words, and why."""

    column: str
    words: str
    why: str


def demands(rule: Rule, *, private: bool = False) -> tuple[list[Demand], list[Lost]]:
    """A rule taken apart; `private`: nothing may list values of its column.

    >>> clauses = [{"kind": "formats", "accepted": ["SO<digit>{5}"], "theta": 0.01}]
    >>> found, lost = demands(Rule("pattern", "id", {"clauses": clauses, "rows": 9}, 0.01, "x.", "strings"))
    >>> found[0].what, found[0].least, lost
    ('matches', 0.99, [])
    """
    found: list[Demand] = []
    lost: list[Lost] = []
    column = rule.column or ""
    if isinstance(rule, SchemaRule):
        return [Demand(PRESENT, name) for name, _ in rule.columns], []
    for clause in rule.clauses:
        made: Demand | str = NO_RULE
        if private and clause.tells:
            made = HIDDEN
        elif isinstance(clause, StringClause):
            made = _of_strings(clause, column)
        elif isinstance(clause, BandClause):
            made = _of_band(clause, column)
        if isinstance(made, str):
            lost.append(Lost(column, clause.sentence(private=private), made))
        else:
            found.append(made)
    if not rule.clauses:
        lost.append(Lost(column, rule.said(private=private), NO_RULE))
    return found, lost


def _of_strings(clause: StringClause, column: str) -> Demand | str:
    least = round(1 - clause.theta, 6)
    if clause.guards:
        return "what becomes of usual values when they are damaged is no readable expression"
    if clause.of_missing:
        return Demand(FILLED, column, least)
    if clause.kind == "value":
        return Demand(AMONG, column, least, values=clause.accepted)
    try:
        return Demand(MATCHES, column, least, regex=clause.candidate.regex())
    except ValueError:
        return VALIDATOR


def _of_band(clause: BandClause, column: str) -> Demand | str:
    if clause.lag or clause.log:
        return EARLIER
    if clause.metric == "complete_ratio":
        if clause.high < 1:
            return "nothing demands that values are missing"
        return Demand(FILLED, column, math.floor(1e4 * max(clause.low or 0.0, 0.0)) / 1e4)
    if clause.metric not in FIGURES:
        return "no format knows this figure"
    if clause.kind == "time" and METRICS[clause.metric].unit == "value":
        return IN_TIME
    low, high = clip(clause.metric, clause.low, clause.high)
    bounded = low is not None and low != METRICS[clause.metric].least
    return Demand(BETWEEN, column, figure=clause.metric, low=low if bounded else None, high=high)


# ---------------------------------------------------------------------------------------------- formats


def dqdl(table: str, found: Iterable[Demand]) -> tuple[str, list[Lost]]:
    """AWS Glue's language.

    >>> print(dqdl("t", [Demand(FILLED, "id", 0.99), Demand(BETWEEN, figure="row_count", low=1.0, high=9.0)])[0])
    Rules = [
        Completeness "id" >= 0.99,
        (RowCount >= 1) and (RowCount <= 9)
    ]
    """
    lines, lost = [], []
    for one in found:
        name = json.dumps(one.column, ensure_ascii=False)
        share = "" if one.least >= 1 else f" with threshold >= {one.least:g}"
        if one.what == PRESENT:
            lines.append(f"ColumnExists {name}")
        elif one.what == FILLED:
            lines.append(f"IsComplete {name}" if one.least >= 1 else f"Completeness {name} >= {one.least:g}")
        elif one.what == MATCHES:
            lines.append(f"ColumnValues {name} matches {json.dumps(one.regex, ensure_ascii=False)}{share}")
        elif one.what == AMONG:
            lines.append(f"ColumnValues {name} in {json.dumps(list(one.values), ensure_ascii=False)}{share}")
        elif one.figure in NO_DQDL:
            lost.append(_no_figure(one))
        else:
            figure = f"{FIGURES[one.figure][1]} {name if one.column else ''}".strip()
            ends = [("(" + f"{figure} {sign} {end:g}" + ")") for sign, end in _ends(one)]
            lines.append(" and ".join(ends) if len(ends) > 1 else ends[0].strip("()"))
    return "Rules = [\n" + ",\n".join(f"    {line}" for line in lines) + "\n]", lost


def gx(table: str, found: Iterable[Demand]) -> tuple[dict[str, Any], list[Lost]]:
    """An expectation suite of Great Expectations."""
    suite = []
    for one in found:
        kwargs: dict[str, Any] = {"column": one.column} if one.column else {}
        kind = {
            PRESENT: "expect_column_to_exist",
            FILLED: "expect_column_values_to_not_be_null",
            MATCHES: "expect_column_values_to_match_regex",
            AMONG: "expect_column_values_to_be_in_set",
        }.get(one.what) or FIGURES[one.figure][0]
        if one.what == MATCHES:
            kwargs["regex"] = one.regex
        elif one.what == AMONG:
            kwargs["value_set"] = list(one.values)
        if one.what == BETWEEN:
            kwargs |= {"min_value": one.low, "max_value": one.high}
        elif one.what != PRESENT and one.least < 1:
            kwargs["mostly"] = one.least
        suite.append({"type": kind, "kwargs": kwargs})
    return {"name": table, "expectations": suite}, []


def odcs(table: str, found: Iterable[Demand]) -> tuple[dict[str, Any], list[Lost]]:
    """A data contract of the Open Data Contract Standard."""
    properties: dict[str, dict[str, Any]] = {}
    of_table: list[dict[str, Any]] = []
    for one in found:
        quality = of_table
        if one.column:
            quality = properties.setdefault(one.column, {"name": one.column, "quality": []})["quality"]
        bad = {"mustBeLessOrEqualTo": round(100 * (1 - one.least), 4), "unit": "percent"}
        if one.what == FILLED:
            quality.append({"type": "library", "metric": "nullValues", **bad})
        elif one.what in (MATCHES, AMONG):
            given = {"pattern": one.regex} if one.what == MATCHES else {"validValues": list(one.values)}
            quality.append({"type": "library", "metric": "invalidValues", "arguments": given, **bad})
        elif one.what == BETWEEN:
            ends = {"mustBeGreaterOrEqualTo": one.low, "mustBeLessOrEqualTo": one.high}
            ends = {name: end for name, end in ends.items() if end is not None}
            if one.figure == "row_count":
                quality.append({"type": "library", "metric": "rowCount", **ends})
            else:
                asked = FIGURES[one.figure][2].format("{property}")
                query = f"SELECT {asked} FROM {{object}}"  # noqa: S608 - the format's own placeholders
                quality.append({"type": "sql", "query": query, **ends})
    named = {
        "name": table,
        "properties": [one if one["quality"] else {"name": one["name"]} for one in properties.values()],
    }
    head = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": table, "version": "1.0.0", "status": "draft"}
    return {**head, "schema": [named | ({"quality": of_table} if of_table else {})]}, []


def dqx(table: str, found: Iterable[Demand]) -> tuple[list[dict[str, Any]], list[Lost]]:
    """Checks of Databricks' DQX, which look at single rows."""
    rows, lost = _of_rows(found)
    made = []
    for one in rows:
        given: dict[str, Any] = {"column": one.column}
        if one.what == MATCHES:
            given["regex"] = one.regex
        elif one.what == AMONG:
            given["allowed"] = list(one.values)
        function = {FILLED: "is_not_null", MATCHES: "regex_match", AMONG: "is_in_list"}[one.what]
        made.append({"criticality": "error", "check": {"function": function, "arguments": given}})
    return made, lost


def check(table: str, found: Iterable[Demand]) -> tuple[str, list[Lost]]:
    r"""Constraints of a Delta table, which look at single rows.

    >>> print(check("t", [Demand(AMONG, "s", values=("it's",)), Demand(FILLED, "id", 0.9)])[0])
    ALTER TABLE `t` ADD CONSTRAINT `assay_1` CHECK (`s` IS NULL OR `s` IN ('it\'s'));
    """
    rows, lost = _of_rows(found)
    lines = []
    for number, one in enumerate(rows, 1):
        name = ".".join(f"`{part.replace('`', '``')}`" for part in one.column.split("."))
        told = {
            FILLED: f"{name} IS NOT NULL",
            MATCHES: f"{name} IS NULL OR {name} RLIKE {_quoted(one.regex)}",
            AMONG: f"{name} IS NULL OR {name} IN ({', '.join(map(_quoted, one.values))})",
        }[one.what]
        lines.append(f"ALTER TABLE `{table}` ADD CONSTRAINT `assay_{number}` CHECK ({told});")
    return "\n".join(lines), lost


Writer = Callable[[str, Sequence[Demand]], tuple[Any, list[Lost]]]
FORMATS: dict[str, Writer] = {"odcs": odcs, "dqdl": dqdl, "dqx": dqx, "gx": gx, "check": check}


def _ends(one: Demand) -> list[tuple[str, float]]:
    return [(sign, end) for sign, end in ((">=", one.low), ("<=", one.high)) if end is not None]


def _of_rows(found: Iterable[Demand]) -> tuple[list[Demand], list[Lost]]:
    """The demands that each row keeps by itself."""
    kept, lost = [], []
    for one in found:
        if one.what == PRESENT:
            continue  # a table's columns are there before its constraints are
        if one.what == BETWEEN:
            lost.append(_no_figure(one))
        elif one.least < 1:
            lost.append(Lost(one.column, f"{one.what}: {one.least:.2%} of the rows", "single rows are looked at"))
        else:
            kept.append(one)
    return kept, lost


def _no_figure(one: Demand) -> Lost:
    ends = " and ".join(f"{sign} {end:g}" for sign, end in _ends(one))
    return Lost(one.column, f"{one.figure} {ends}", "the format has no such figure")


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
