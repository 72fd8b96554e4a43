"""The formats of other tools that demands are written in.

Written by their documentation (ODCS v3.1, DQDL, GX 1, DQX, Delta). What was written for a table of nine columns was run
by Great Expectations 1.24 on its rows (19 of 19 expectations met), and read without complaint by DQX 0.17's own check
and the model of `open-data-contract-standard` 3.2; DQDL was run nowhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from catalog.rules.exchange.demands import AMONG, BETWEEN, FILLED, MATCHES, PRESENT, Demand, Lost

ROWS_ALONE = "single rows are looked at"  # what a format of constraints cannot express
#: Figures by metric, as Great Expectations, DQDL and SQL call them.
_NAMES = {
    "row_count": ("expect_table_row_count_to_be_between", "RowCount", "COUNT(*)"),
    "dist_val_count": ("expect_column_unique_value_count_to_be_between", "DistinctValuesCount", "COUNT(DISTINCT {})"),
    "mean": ("expect_column_mean_to_be_between", "Mean", "AVG({})"),
    "std": ("expect_column_stdev_to_be_between", "StandardDeviation", "STDDEV_SAMP({})"),
    "min": ("expect_column_min_to_be_between", "Min", "MIN({})"),
    "max": ("expect_column_max_to_be_between", "Max", "MAX({})"),
}
NO_DQDL = ("min", "max")  # DQDL has no such figure of a column


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
            figure = f"{_NAMES[one.figure][1]} {name if one.column else ''}".strip()
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
        }.get(one.what) or _NAMES[one.figure][0]
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
                asked = _NAMES[one.figure][2].format("{property}")
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
        lines.append(f"ALTER TABLE `{table.replace('`', '``')}` ADD CONSTRAINT `assay_{number}` CHECK ({told});")
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
            lost.append(Lost(one.column, "the column is there", ROWS_ALONE))
        elif one.what == BETWEEN:
            lost.append(_no_figure(one))
        elif one.least < 1:
            lost.append(Lost(one.column, f"{one.what}: {one.least:.2%} of the rows", ROWS_ALONE))
        else:
            kept.append(one)
    return kept, lost


def _no_figure(one: Demand) -> Lost:
    ends = " and ".join(f"{sign} {end:g}" for sign, end in _ends(one))
    return Lost(one.column, f"{one.figure} {ends}", "the format has no such figure")


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
