"""The full profile of a table: ours, read off the one scan's state, against deequ's, field by field."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from benchmarks.checks.demands import Demand, demands_of, numbered, shown
from benchmarks.checks.differences import NULL, SPREAD, Difference, Proof, reason_of, same
from catalog.measures.types import TypeCounts
from catalog.states.column import ColumnState
from catalog.states.metrics import bounds, metrics
from catalog.states.table import TableState

#: Figures of deequ's profile and the metrics of a state that answer them.
FIELDS = {
    "Completeness": ("completeness", "complete_ratio"),
    "Mean": ("mean", "mean"),
    "Minimum": ("minimum", "min"),
    "Maximum": ("maximum", "max"),
    "Sum": ("sum", "sum"),
    "StandardDeviation": ("stdDev", "std"),
}
_NUMERIC = frozenset(FIELDS) - {"Completeness"}


def compared(
    table: str, state: TableState, types: dict[str, TypeCounts], theirs: dict[str, Any], duckdb: dict[str, Any],
    proof: Proof,
) -> tuple[int, list[Difference]]:  # fmt: skip
    """How many figures of the profiles were compared, and those that differ.

    Parameters
    ----------
    types : our type counts of columns of text. theirs : deequ's profile by column. duckdb : answers by demand.
    """
    figures, found = 0, []
    for name, profile in theirs.items():
        if name not in state.columns:  # of the data files, not of the table: what Delta notes of changes
            continue
        column = state.columns[name]
        for demand, ours, deequ in _fields(name, column, types.get(name), profile):
            figures += 1
            duck = duckdb.get(demand.id)
            if same(ours, deequ) and (duck is None or same(ours, duck)):
                continue
            reason = _of_nans(column, demand.name, ours, deequ)
            if not reason and demand.name == "ApproxCountDistinct":
                reason = _estimated(column, ours, deequ, duck)
            reason = reason or reason_of(demand, ours, deequ, duck, proof)
            found.append(Difference(table, f"profile {demand.id}", ours, deequ, duck, reason))
    return figures, found


def _fields(
    name: str, column: ColumnState, types: TypeCounts | None, profile: dict[str, Any]
) -> Iterator[tuple[Demand, Any, Any]]:
    found = metrics(column)
    for figure, (theirs, ours) in FIELDS.items():
        if figure not in _NUMERIC or theirs in profile:
            yield Demand(figure, (name,), {}), found.get(ours), profile[theirs]
    estimate = found.get("dist_val_count", 0)
    yield Demand("ApproxCountDistinct", (name,), {}), estimate, profile["approximateNumDistinctValues"]
    if types is not None:
        yield Demand("InferredType", (name,), {}), types.inferred, profile["dataType"]
        yield Demand("DataType", (name,), {}), _counts(types), profile["typeCounts"]
    values = column.values()
    if profile["histogram"] and values is not None:
        bins = {shown(value): rows for value, rows in values} | ({NULL: column.nulls} if column.nulls else {})
        counted = {bin_: rows for bin_, rows, _ in profile["histogram"]}
        floats = column.type in ("double", "float")
        mine, others = (numbered(one) if floats else one for one in (bins, counted))
        yield Demand("Histogram", (name,), {}), mine, others


def _counts(types: TypeCounts) -> dict[str, int]:
    return dict(zip(("Unknown", "Fractional", "Integral", "Boolean", "String"), types.to_json(), strict=True))


def _of_nans(column: ColumnState, name: str, ours: Any, deequ: Any) -> str:
    """Our profile counts NaNs by themselves and describes the numbers; in deequ's one NaN is the answer of all."""
    if not column.nans:
        return ""
    if name == "Histogram":
        without = {bin_: rows for bin_, rows in deequ.items() if bin_ != "nan"}
        alike = deequ.get("nan") == column.nans and same(ours, without)
    elif name == "ApproxCountDistinct":
        alike = deequ == ours + 1
    else:
        alike = name in _NUMERIC and isinstance(deequ, float) and math.isnan(deequ)
    return "our profile counts NaNs apart and describes the other numbers; in deequ's NaN is a value" if alike else ""


def _estimated(column: ColumnState, ours: Any, deequ: Any, duckdb: Any) -> str:
    """Both profiles estimate: each has to be within what it states of the count."""
    low, high = bounds(column).get("dist_val_count", (ours, ours))
    margin = 0.005 * duckdb  # our bounds hold in 95 of 100 cases
    if low - margin <= duckdb <= high + margin and abs(deequ - duckdb) <= max(1.0, 4 * SPREAD * duckdb):
        return "both estimate the number of distinct values: ours within its stated bounds, deequ's with an error of 5%"
    return ""


def demands_for_duckdb(schema: Any) -> list[Demand]:
    """The demands that DuckDB answers for the fields of a profile."""
    return [
        one
        for one in demands_of(schema, set(), [])
        if one.where is None and one.name in (*FIELDS, "ApproxCountDistinct")
    ]
