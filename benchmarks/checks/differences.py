"""Whether two answers are the same, and where they are not, the reason: each is tested, none is taken on trust."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.checks.demands import Demand, quoted

CLOSE = 1e-9  # sums of floats depend on the order of rows
NULL = "\0null"  # our bin of nulls
RANK = 0.01  # deequ's error of a quantile, in ranks
SPREAD = 0.05  # deequ's standard error of an estimated number of distinct values
#: Asks DuckDB for one row of a table ``t``.
Proof = Callable[[str], tuple[Any, ...]]


@dataclass(frozen=True)
class Difference:
    """An answer of deequ's or DuckDB's that is not ours. `reason`: empty where none was found."""

    table: str
    figure: str
    ours: Any
    deequ: Any
    duckdb: Any
    reason: str


def plain(answer: Any) -> Any:
    """An answer without what only names differ in: a failure for want of data is no value, deequ's bin of nulls is
    ours where no text has its name."""
    if isinstance(answer, Mapping) and "error" in answer:
        return None
    return answer


def same(a: Any, b: Any) -> bool:
    """Equal answers: nothing and nothing, numbers but for rounding, histograms bin by bin.

    >>> same(None, {"error": "Empty state"}), same(0.1 + 0.2, 0.3), same(float("nan"), float("nan")), same(1, None)
    (True, True, True, False)
    >>> same({"a": 1, NULL: 2}, {"a": 1, "NullValue": 2})
    True
    """
    a, b = plain(a), plain(b)
    if a is None or b is None:
        return a is None and b is None
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        if "NullValue" in b and "NullValue" not in a:
            b = {NULL if name == "NullValue" else name: rows for name, rows in b.items()}
        return {k: v for k, v in a.items() if v} == {k: v for k, v in b.items() if v}
    if isinstance(a, str) or isinstance(b, str):
        return bool(a == b)
    a, b = float(a), float(b)
    return a == b or (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=CLOSE, abs_tol=1e-12)


def reason_of(demand: Demand, ours: Any, deequ: Any, duckdb: Any, proof: Proof) -> str:
    """Why deequ's answer is another one; empty where nothing that is known explains it."""
    known = _REASONS.get(demand.name)
    return "" if known is None else known(demand, plain(ours), plain(deequ), plain(duckdb), proof)


def _estimated(demand: Demand, ours: Any, deequ: Any, duckdb: Any, proof: Proof) -> str:
    if same(ours, duckdb) and None not in (ours, deequ) and abs(deequ - ours) <= max(1.0, 4 * SPREAD * ours):
        return "deequ estimates the number of distinct values with a standard error of 5%; ours is the count"
    return ""


def _ranked(demand: Demand, ours: Any, deequ: Any, duckdb: Any, proof: Proof) -> str:
    """Quantiles: deequ's is some value whose rank is near enough, ours the exact one between neighbours."""
    if deequ is None or ours is None:
        return ""
    column, q = quoted(demand.columns[0]), demand.arguments["q"]
    if math.isnan(deequ):
        (nans,) = proof(f"SELECT count(*) FILTER (isnan({column})) FROM t")
        wrong = nans > 0 and same(ours, duckdb) and not math.isnan(ours)
        return "deequ's estimate of quantiles loses its order where a value is NaN; ours is exact" if wrong else ""
    told = f"CAST('{deequ!r}' AS DOUBLE)"
    below, upto, there = proof(
        f"SELECT count(*) FILTER ({column} < {told}), count(*) FILTER ({column} <= {told}), count({column}) FROM t"
    )
    slack = RANK + 1 / there
    if below / there - slack <= q <= upto / there + slack and _near(ours, duckdb):
        return "deequ gives a value whose rank is within 1%; ours is the exact quantile, between neighbours"
    return ""


def _near(ours: Any, duckdb: Any) -> bool:
    """DuckDB computes quantiles of numbers in single precision in single precision."""
    return duckdb is None or same(ours, duckdb) or math.isclose(float(ours), float(duckdb), rel_tol=1e-6)


def _wrapped(demand: Demand, ours: Any, deequ: Any, duckdb: Any, proof: Proof) -> str:
    """Spark 3.5 adds bigints in 64 bits and says nothing where the sum leaves them."""
    if deequ is None or not same(ours, duckdb):
        return ""
    column = quoted(demand.columns[0])
    kept = f"WHERE {column} > 1" if demand.where else ""
    total, there = proof(f"SELECT sum(CAST({column} AS HUGEINT)), count({column}) FROM t {kept}")
    wrapped = (int(total) + 2**63) % 2**64 - 2**63
    if wrapped != int(total) and same(wrapped / there if demand.name == "Mean" else wrapped, deequ):
        return "the sum leaves 64 bits: Spark 3.5 wraps around without a word, ours is exact"
    return ""


def _named_null(demand: Demand, ours: Any, deequ: Any, duckdb: Any, proof: Proof) -> str:
    if ours is None or deequ is None:
        return ""
    joined = dict(ours)
    joined["NullValue"] = joined.get("NullValue", 0) + joined.pop(NULL, 0)
    if same(joined, deequ):
        return "deequ counts nulls as the text NullValue, which is in the column; ours keeps them apart"
    return ""


def _no_number(demand: Demand, ours: Any, deequ: Any, duckdb: Any, proof: Proof) -> str:
    if ours is None or deequ is None:
        return ""
    column = quoted(demand.columns[0])
    (strange,) = proof(f"SELECT count(*) FILTER (isnan({column}) OR isinf({column})) FROM t")
    moved = dict(deequ) | {"String": deequ["String"] - strange, "Fractional": deequ["Fractional"] + strange}
    if strange and same(ours, moved):
        return "deequ calls NaN and infinities of a column of doubles texts; ours goes by the type of the column"
    return ""


def _single(demand: Demand, ours: Any, deequ: Any, duckdb: Any, proof: Proof) -> str:
    """A number in single precision: the double that it is, or the double that its shortest text reads as."""
    if None not in (ours, deequ) and (duckdb is None or same(ours, duckdb)) and float(str(np.float32(ours))) == deequ:
        return "deequ reads the shortest text of a number in single precision as a double; ours is the number itself"
    return ""


def _constant(demand: Demand, ours: Any, deequ: Any, duckdb: Any, proof: Proof) -> str:
    a, b = map(quoted, demand.columns)
    (constant,) = proof(
        f"SELECT min({a}) = max({a}) OR min({b}) = max({b}) FROM t WHERE {a} IS NOT NULL AND {b} IS NOT NULL"
    )
    if constant and ours is None and (duckdb is None or math.isnan(duckdb)):
        return "a column is constant, so that there is no correlation; deequ answers NaN, or what rounding leaves"
    return ""


_REASONS: dict[str, Callable[[Demand, Any, Any, Any, Proof], str]] = {
    "ApproxCountDistinct": _estimated,
    "ExactQuantile": _ranked,
    "Mean": _wrapped,
    "Sum": _wrapped,
    "Correlation": _constant,
    "Minimum": _single,
    "Maximum": _single,
    "Histogram": _named_null,
    "DataType": _no_number,
}
