"""Metrics of one column as functions of its state.

The names of tables 3 and 4 of "Auto-Validate by-History" (single-distribution metrics), and the ratios that
data-quality checks speak of. A metric that does not exist (the mean of no rows) is absent, never NaN.
"""

from __future__ import annotations

import math
from typing import Any

from catalog.states.column import ColumnState
from catalog.states.parts.exact import as_float
from catalog.states.parts.sketches import Moments, Quantiles


def metrics(state: ColumnState) -> dict[str, float]:
    """Every single-distribution metric that the state has.

    ``row_count``; ratios of all rows: ``complete_ratio``, ``null_ratio``, ``empty_ratio``, ``nan_ratio``; of the rows
    that are not null: ``unique_ratio`` (distinct / rows), ``uniqueness`` (values of one row / rows),
    ``dist_val_count``, ``top_ratio`` (share of the most frequent value), ``entropy`` (nats, where all values are
    listed); numbers, times (days since 1970), lists (lengths): ``min max mean median sum range std variance
    skewness kurtosis q25 q75``, and the zero and negative shares where values are listed; strings: ``str_len`` (mean
    length), ``char_len`` (mean letters), ``digit_len``, ``punc_len``, ``min_len``, ``max_len``, ``parsed_ratio``, and
    the numeric ones where cells are numbers.

    >>> from catalog.states.folding.fold import fold
    >>> import pyarrow as pa
    >>> m = metrics(fold(pa.table({"x": ["a", "a", "b", None]})).columns["x"])
    >>> m["complete_ratio"], round(m["unique_ratio"], 4), m["dist_val_count"], round(m["entropy"], 6)
    (0.75, 0.6667, 2.0, 0.636514)
    """
    out: dict[str, float] = {"row_count": float(state.rows)}
    rows, present = state.rows, state.non_null
    if rows:
        out["complete_ratio"] = present / rows
        out["null_ratio"] = state.nulls / rows
        out["empty_ratio"] = state.empties / rows
        if state.kind == "number":
            out["nan_ratio"] = state.nans / rows
    if present:
        out |= frequencies(state)
    if state.kind == "string":
        out |= _strings(state)
    if state.moments is not None or state.quantiles is not None:
        out |= _numbers(state, state.moments, state.quantiles)
    return {name: value for name, value in out.items() if math.isfinite(value)}


def bounds(state: ColumnState) -> dict[str, tuple[float, float]]:
    """Those of the metrics about distinct and frequent values that are no counts but answers of a sample, each with the
    least and the largest value that it may have (of a sample in 95 of 100 cases). What is not among them is exact; for
    quantiles `Quantiles.error` says how far their rank is out.

    >>> from catalog.states.folding.fold import fold
    >>> from catalog.states.table import merge
    >>> import pyarrow as pa
    >>> one, other = (fold(pa.table({"x": range(n, n + 50_000)})) for n in (0, 49_900))
    >>> bounds(one.columns["x"])
    {}
    >>> low, high = bounds(merge(one, other).columns["x"])["unique_ratio"]
    >>> low < 0.999 < high
    True
    """
    rows = state.non_null
    found: dict[str, tuple[float, float]] = {}
    if not rows:
        return found
    distinct, frequent = state.distinct, state.frequent
    if not distinct.exact:
        low, high = distinct.bounds()
        once = distinct.singleton_bounds()
        found["dist_val_count"] = low, high
        found["unique_ratio"] = low / rows, high / rows
        found["uniqueness"] = once[0] / rows, once[1] / rows
    if frequent.undercount and frequent.items:
        most = max(frequent.items[0][1] + frequent.undercount, frequent.floor)
        found["top_ratio"] = frequent.items[0][1] / rows, min(most / rows, 1.0)
    return found


def frequencies(state: ColumnState) -> dict[str, float]:
    """How often values come, as shares of the rows that are not null; the entropy is that of the values listed, of
    which NaN is none."""
    distinct, rows, counted = state.distinct, state.non_null, state.non_null - state.nans
    out = {"dist_val_count": distinct.estimate()}
    out["unique_ratio"] = out["dist_val_count"] / rows
    out["uniqueness"] = distinct.singletons() / rows
    frequent = state.frequent
    if frequent.items:
        out["top_ratio"] = frequent.items[0][1] / rows
    if frequent.exact and frequent.items and counted:
        out["entropy"] = abs(math.fsum(-c / counted * math.log(c / counted) for _, c in frequent.items))
    return out


def _strings(state: ColumnState) -> dict[str, float]:
    lengths = state.lengths
    if lengths is None:
        return {}
    n = lengths.n
    return {
        "str_len": lengths.chars / n,
        "char_len": lengths.letters / n,
        "digit_len": lengths.digits / n,
        "punc_len": lengths.punctuation / n,
        "min_len": float(lengths.shortest),
        "max_len": float(lengths.longest),
        "len_std": math.sqrt(max(lengths.m2, 0.0) / n),
        "parsed_ratio": state.parsed / n,
    }


def _numbers(state: ColumnState, moments: Moments | None, quantiles: Quantiles | None) -> dict[str, float]:
    out: dict[str, float] = {}
    if moments is not None:
        out |= {
            "mean": moments.mean,
            "sum": _float(moments.total),
            "std": moments.deviation,
            "variance": moments.variance,
            "skewness": moments.skewness,
            "kurtosis": moments.kurtosis,
        }
    if quantiles is not None:
        out |= {"median": quantiles.median(), "q25": quantiles.quantile(0.25), "q75": quantiles.quantile(0.75)}
    low, high = _ends(state, quantiles)
    if state.kind == "time":
        out = {name: value / _per_day(name) for name, value in out.items()}
        low, high = (None if end is None else end / MICROSECONDS_A_DAY for end in (low, high))
    if low is not None and high is not None:
        out |= {"min": low, "max": high, "range": high - low}
    if state.table is not None and state.kind == "number" and state.non_null > state.nans:
        n = state.non_null
        out["zero_ratio"] = sum(c for v, c in state.table if v == 0) / n
        out["negative_ratio"] = sum(c for v, c in state.table if v < 0) / n
    return out


def _ends(state: ColumnState, quantiles: Quantiles | None) -> tuple[float | None, float | None]:
    """Least and largest number: exact ones where the column is of numbers, of the parsed cells otherwise."""
    if state.kind != "string":
        return (None, None) if state.low is None else (as_float(state.low), as_float(state.high))
    if quantiles is None or len(quantiles.values) == 0:
        return None, None
    return float(quantiles.values[0]), float(quantiles.values[-1])


#: Times are kept in microseconds and said in days.
MICROSECONDS_A_DAY = 86_400_000_000.0


def _per_day(name: str) -> float:
    return {"skewness": 1.0, "kurtosis": 1.0, "variance": MICROSECONDS_A_DAY**2}.get(name, MICROSECONDS_A_DAY)


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.nan
