"""Metrics of one column as functions of its state.

The names of tables 3 and 4 of "Auto-Validate by-History" (single-distribution metrics), the ratios that data-quality
checks speak of, and what is ours beside them (`catalog.metrics.registry` says it in words). Profiles, the series of a
table's batches and exports all ask here: a metric of one state is computed nowhere else. One that does not exist (the
mean of no rows) is absent, never NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.domains.missing import is_missing
from catalog.states.column import ColumnState
from catalog.states.parts.calendar import Calendar
from catalog.states.parts.exact import as_float
from catalog.states.parts.moments import Moments
from catalog.states.parts.summaries import Quantiles

#: Days that systems write where there is no date.
NO_DATES = frozenset({(1970, 1, 1), (1900, 1, 1), (1899, 12, 30), (9999, 12, 31), (1, 1, 1)})
#: Where one hour holds so many of a batch's times, it is when something ran, not when things happened: the average
#: then tells how late that was. Chosen.
ONE_HOUR = 0.9
#: Metrics of how exact times are, in the order of `Calendar.whole`.
WHOLE = ("full_second_ratio", "full_minute_ratio", "full_hour_ratio", "midnight_ratio")
#: Times are kept in microseconds and said in days.
MICROSECONDS_A_DAY = 86_400_000_000.0


def metrics(state: ColumnState) -> dict[str, float]:
    """Every single-distribution metric that the state has.

    ``row_count``; ratios of all rows: ``complete_ratio``, ``null_ratio``, ``empty_ratio``, ``nan_ratio``,
    ``filled_ratio``; of the rows that are not null: ``unique_ratio`` (distinct / rows), ``uniqueness`` (values of one
    row / rows), ``dist_val_count``, ``top_ratio`` (share of the most frequent value), ``entropy`` (nats, where all
    values are listed); numbers, times (days since 1970), lists (lengths): ``min max mean median sum range std variance
    skewness kurtosis q25 q75``; numbers alone: the zero and negative shares, deciles, and how they are written;
    strings: ``str_len`` (mean length), ``char_len`` (mean letters), ``digit_len``, ``punc_len``, ``min_len``,
    ``max_len``, ``parsed_ratio``, ``garbled_ratio``, ``marked_ratio`` (of the values listed), and the numeric ones
    where cells are numbers; times: ``ordered_ratio``, ``hour_mean``, ``time_span`` (days), ``no_date_ratio``, and how
    many are whole seconds, minutes, hours and days (`WHOLE`).

    >>> from catalog.states.folding.fold import fold
    >>> import pyarrow as pa
    >>> m = metrics(fold(pa.table({"x": ["a", "a", "b", None]})).columns["x"])
    >>> m["complete_ratio"], round(m["unique_ratio"], 4), m["dist_val_count"], round(m["entropy"], 6)
    (0.75, 0.6667, 2.0, 0.636514)
    """
    out: dict[str, float] = {}
    for compute in COMPUTED:
        out.update(compute(state))
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
        unlisted = frequent.most_unlisted
        most = max(frequent.items[0][1] + frequent.undercount, unlisted)
        found["top_ratio"] = frequent.items[0][1] / rows, min(most / rows, 1.0)
        if state.kind == "string":
            marked = _marked(state)
            found["marked_ratio"] = marked / rows, min((marked + max(frequent.undercount, unlisted)) / rows, 1.0)
    return found


def _counts(state: ColumnState) -> Iterator[tuple[str, float]]:
    rows = state.rows
    yield "row_count", float(rows)
    if rows:
        yield "complete_ratio", state.complete_ratio
        yield "null_ratio", state.nulls / rows
        yield "empty_ratio", state.empties / rows
        if state.kind in ("string", "list", "binary"):
            yield "filled_ratio", (state.non_null - state.empties) / rows
        if state.kind == "number":
            yield "nan_ratio", state.nans / rows


def _frequencies(state: ColumnState) -> Iterator[tuple[str, float]]:
    """How often values come, as shares of the rows that are not null; the entropy is that of the values listed, of
    which NaN is none."""
    distinct, rows, counted = state.distinct, state.non_null, state.non_null - state.nans
    if not rows:
        return
    yield "dist_val_count", distinct.estimate()
    yield "unique_ratio", distinct.estimate() / rows
    yield "uniqueness", distinct.singletons() / rows
    frequent = state.frequent
    if frequent.items:
        yield "top_ratio", frequent.items[0][1] / rows
    if frequent.exact and frequent.items and counted:
        yield "entropy", abs(math.fsum(-c / counted * math.log(c / counted) for _, c in frequent.items))


def _strings(state: ColumnState) -> Iterator[tuple[str, float]]:
    lengths = state.lengths
    if state.kind != "string" or lengths is None or not lengths.n:
        return
    n = lengths.n
    yield "str_len", lengths.chars / n
    yield "char_len", lengths.letters / n
    yield "digit_len", lengths.digits / n
    yield "punc_len", lengths.punctuation / n
    yield "upper_len", lengths.upper / n
    yield "space_len", lengths.spaces / n
    yield "other_len", lengths.other / n
    yield "min_len", float(lengths.shortest)
    yield "max_len", float(lengths.longest)
    yield "len_std", math.sqrt(max(lengths.m2, 0.0) / n)
    yield "parsed_ratio", state.parsed / n
    if state.garbled is not None:
        yield "garbled_ratio", state.garbled / n
    yield "marked_ratio", _marked(state) / n


def _marked(state: ColumnState) -> int:
    """Rows of the listed values that are words for a missing one; of a word that is not listed nothing is known."""
    return sum(count for value, count in state.frequent.items if isinstance(value, str) and is_missing(value))


def _sizes(state: ColumnState) -> Iterator[tuple[str, float]]:
    """Of numbers, times in days, lengths of lists, and strings that are numbers."""
    moments, quantiles = state.moments, state.quantiles
    if moments is None and quantiles is None:
        return
    found: dict[str, float] = {}
    if moments is not None:
        found |= _moments(moments)
    if quantiles is not None:
        found |= {"median": quantiles.median(), "q25": quantiles.quantile(0.25), "q75": quantiles.quantile(0.75)}
    low, high = _ends(state, quantiles)
    if state.kind == "time":
        found = {name: value / _per_day(name) for name, value in found.items()}
        low, high = (None if end is None else end / MICROSECONDS_A_DAY for end in (low, high))
    if low is not None and high is not None:
        found |= {"min": low, "max": high, "range": high - low}
    yield from found.items()


def _moments(moments: Moments) -> Mapping[str, float]:
    return {
        "mean": moments.mean,
        "sum": _float(moments.total),
        "std": moments.deviation,
        "variance": moments.variance,
        "skewness": moments.skewness,
        "kurtosis": moments.kurtosis,
    }


def _ends(state: ColumnState, quantiles: Quantiles | None) -> tuple[float | None, float | None]:
    """Least and largest number: exact ones where the column is of numbers, of the parsed cells otherwise."""
    if state.kind != "string":
        return (None, None) if state.low is None else (as_float(state.low), as_float(state.high))
    if quantiles is None or len(quantiles.values) == 0:
        return None, None
    return float(quantiles.values[0]), float(quantiles.values[-1])


def _per_day(name: str) -> float:
    return {"skewness": 1.0, "kurtosis": 1.0, "variance": MICROSECONDS_A_DAY**2}.get(name, MICROSECONDS_A_DAY)


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.nan


def _numbers(state: ColumnState) -> Iterator[tuple[str, float]]:
    """Of numbers alone: deciles, zeros (of the rows that are not null), negative ones (of those that are numbers), and
    how they are written."""
    m, q = state.moments, state.quantiles
    if state.kind != "number" or m is None or q is None or not m.n:
        return
    yield "low_decile", q.quantile(0.1)
    yield "high_decile", q.quantile(0.9)
    n = state.non_null
    below, zero = (float(q.weights[test].sum()) / q.n for test in (q.values < 0, q.values == 0))
    yield "negative_ratio", below
    unlisted = min(zero, state.frequent.most_unlisted / n)  # a point of the summary stands for its neighbours too
    yield "zero_ratio", next((c / n for value, c in state.frequent.items if _is_zero(value)), unlisted)
    yield from _digits(q)


def _is_zero(value: Any) -> bool:
    return value is not None and not isinstance(value, str) and value == 0


def _digits(q: Quantiles) -> Iterator[tuple[str, float]]:
    """How numbers are written, of the points of their summary: magnitudes and decimal places.

    Averages of logarithms stay quiet where the mean of a heavy tail jumps, and a lost digit moves them by as much as
    it moves a small number. Off by at most the summary's rank error times the range of the logarithms.
    """
    finite = np.isfinite(q.values)
    values, weights = np.abs(q.values[finite]), q.weights[finite].astype(float)
    if not len(values):
        return
    yield "decimals", float(np.average([_decimals(v) for v in values.tolist()], weights=weights))
    rows = weights.sum()
    logs, weights = np.log10(values[values > 0]), weights[values > 0]
    if 2 * weights.sum() >= rows:  # of few numbers other than 0, one row would decide
        middle = float(np.average(logs, weights=weights))
        yield "log_mean", middle
        yield "log_std", math.sqrt(float(np.average((logs - middle) ** 2, weights=weights)))


def _decimals(x: float) -> int:
    """Decimal places of the shortest text that reads back as `x`.

    >>> [_decimals(x) for x in (3.0, 0.25, 1e-05, 12345.678, 1e22)]
    [0, 2, 5, 3, 0]
    """
    digits, _, exponent = repr(x).partition("e")
    places = len(digits.partition(".")[2].rstrip("0"))
    return max(places - int(exponent or 0), 0)


def _times(state: ColumnState) -> Iterator[tuple[str, float]]:
    """Of times alone: how they follow the time column in front, when of the day they fall, how many days they span, how
    many of them stand for no date."""
    if state.kind != "time":
        return
    both = sum(one.rows for one in state.before)
    if both:
        yield "ordered_ratio", 1 - sum(one.earlier for one in state.before) / both
    calendar = state.calendar or Calendar((), ())
    hours = np.asarray(calendar.hours, float)
    if hours.sum() and hours.max() < ONE_HOUR * hours.sum():
        yield "hour_mean", mean_hour(hours)
    for name, rows in zip(WHOLE, calendar.whole, strict=False):
        yield name, rows / hours.sum()
    q = state.quantiles
    if q is not None and len(q.values) and isinstance(state.low, date):  # datetime is a date
        yield "time_span", (q.quantile(0.9) - q.quantile(0.1)) / MICROSECONDS_A_DAY
        strange = sum(n for value, n in state.frequent.items if is_no_date(value))
        yield "no_date_ratio", strange / state.non_null


def is_no_date(value: Any) -> bool:
    """Whether a time is a day that systems write where there is none."""
    return isinstance(value, date) and (value.year, value.month, value.day) in NO_DATES


def mean_hour(hours: NDArray[np.float64]) -> float:
    """The direction of 24 counts round the clock, 0..24: their circular mean (Mardia, Jupp, "Directional statistics",
    section 2.2). Anywhere where all hours are alike.

    >>> night = np.zeros(24)
    >>> night[[23, 0]] = 1.0
    >>> round(mean_hour(night), 6) % 24, round(mean_hour(np.roll(night, 3)), 6)
    (0.0, 3.0)
    """
    turns = 2j * np.pi * (np.arange(24) + 0.5) / 24
    return float(np.angle((hours * np.exp(turns)).sum())) / (2 * np.pi) * 24 % 24


#: What computes metrics of one state.
COMPUTED: tuple[Callable[[ColumnState], Iterator[tuple[str, float]]], ...] = (
    _counts,
    _frequencies,
    _strings,
    _sizes,
    _numbers,
    _times,
)
