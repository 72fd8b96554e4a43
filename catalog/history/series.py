"""A table's history as numbers: the metrics of each batch, computed from its state and that of the batch before.

Names are those of Auto-Validate-by-History, tables 3 and 4; what is ours beside them is said in words in
`catalog.metrics.registry`. A metric that cannot be computed is absent, never NaN: no numbers, no min; no batch before,
no distance.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any

import numpy as np

from catalog.errors import StateError
from catalog.history import distances as d
from catalog.history import numbers
from catalog.history.times import circular_emd, duplicated, repeated, shares
from catalog.states.column import ColumnState
from catalog.states.metrics import MICROSECONDS_A_DAY, frequencies
from catalog.states.parts.calendar import Calendar
from catalog.states.parts.shapes import RUNS, coarsen
from catalog.states.parts.sketches import Quantiles
from catalog.states.table import TableState

_VERSION = b"\x01"


@dataclass(frozen=True)
class TableMetrics:
    """The metrics of one batch.

    Parameters
    ----------
    rows : rows of the batch.
    columns : metric name -> value, by column.
    table : metrics of whole rows.

    >>> one = TableMetrics(2, {"a": {"row_count": 2.0}})
    >>> TableMetrics.decode(one.encode()) == one
    True
    """

    rows: int
    columns: dict[str, dict[str, float]] = field(default_factory=dict)
    table: dict[str, float] = field(default_factory=dict)

    def of_table(self) -> dict[str, float]:
        """All metrics of the table, the number of rows among them."""
        return {"row_count": float(self.rows), **self.table}

    def encode(self) -> bytes:
        """A version byte and compressed JSON: some 1.5 kB a dozen columns."""
        text = json.dumps([self.rows, self.columns, self.table], ensure_ascii=False, separators=(",", ":"))
        return _VERSION + zlib.compress(text.encode("utf-8", "surrogatepass"), 6)

    @classmethod
    def decode(cls, data: bytes) -> TableMetrics:
        """Inverse of `encode`. Raises `StateError` for damaged bytes or those of another version."""
        if data[:1] != _VERSION:
            raise StateError(f"metrics are of version {data[:1].hex() or 'none'}, not {_VERSION.hex()}")
        try:
            rows, columns, *table = json.loads(zlib.decompress(data[1:]))  # earlier releases had none of the table
            by_column = {str(name): dict(metrics) for name, metrics in columns.items()}
            return cls(int(rows), by_column, dict(table[0]) if table else {})
        except (ValueError, TypeError, AttributeError, zlib.error) as error:
            raise StateError(f"metrics cannot be read: {error}") from error


#: A table's batches, oldest first; None for one that is not healthy or not known: nothing is compared with it.
Past = Sequence["TableMetrics | None"]


def without(past: Past, columns: Collection[str]) -> list[TableMetrics | None]:
    """The past without some columns: what they were says nothing of what they are."""
    return [
        None if m is None else replace(m, columns={name: of for name, of in m.columns.items() if name not in columns})
        for m in past
    ]


def column_series(past: Past, column: str | None) -> list[Mapping[str, float]]:
    """The metrics of one column (None: of the table's rows) in each batch; empty for a hole.

    >>> column_series([TableMetrics(7, {"a": {"mean": 1.0}}), None], "a")
    [{'mean': 1.0}, {}]
    """
    if column is None:
        return [{} if m is None else m.of_table() for m in past]
    return [{} if m is None else m.columns.get(column, {}) for m in past]


def observe_metrics(current: TableState, previous: TableState | None) -> TableMetrics:
    """All metrics of the batch `current`; those of two distributions against `previous`, the batch of the same kind
    before.

    A column that changed its kind is compared with nothing.
    """
    columns = {}
    for name, column in current.columns.items():
        before = previous.columns.get(name) if previous is not None else None
        columns[name] = column_metrics(column, before)
    return TableMetrics(current.rows, columns, table_metrics(current, previous))


def table_metrics(current: TableState, previous: TableState | None) -> dict[str, float]:
    """The metrics of whole rows: how many stand twice, how many the batch before has; finite values only."""
    found = {"duplicate_ratio": duplicated(current.row_distinct)}
    if previous is not None and previous.rows and list(previous.columns) == list(current.columns):
        found["repeated_ratio"] = repeated(current.row_distinct, previous.row_distinct)
    return {name: value for name, value in found.items() if math.isfinite(value)}


def column_metrics(current: ColumnState, previous: ColumnState | None) -> dict[str, float]:
    """The metrics of one column; finite values only."""
    pairs = list(_single(current))
    if previous is not None and previous.kind == current.kind and previous.non_null and current.non_null:
        pairs += _two(current, previous)
    return {name: float(value) for name, value in pairs if math.isfinite(value)}


def _single(c: ColumnState) -> Iterator[tuple[str, float]]:
    yield "row_count", c.rows
    if c.rows == 0:
        return
    yield "complete_ratio", c.complete_ratio
    if c.kind in ("string", "list"):
        yield "filled_ratio", (c.non_null - c.empties) / c.rows
    if c.non_null == 0:
        return
    if c.kind in ("string", "number", "boolean", "time"):
        known = frequencies(c)
        yield from ((name, known[name]) for name in ("dist_val_count", "unique_ratio", "top_ratio") if name in known)
    if c.kind == "number":
        yield from _numbers(c)
    elif c.kind == "time":
        yield from _times(c)
    elif c.kind == "string":
        yield from _strings(c)


def _numbers(c: ColumnState) -> Iterator[tuple[str, float]]:
    m, q = c.moments, c.quantiles
    if m is None or q is None or not m.n:
        return
    low, high = _number(c.low), _number(c.high)
    yield "min", low
    yield "max", high
    yield "range", high - low
    yield "mean", m.mean
    yield "sum", float(m.total)
    yield "std", m.deviation
    yield "median", q.median()
    yield "low_decile", q.quantile(0.1)
    yield "high_decile", q.quantile(0.9)
    below, zero = (float(q.weights[test].sum()) / q.n for test in (q.values < 0, q.values == 0))
    yield "negative_ratio", below
    unlisted = min(zero, c.frequent.floor / c.non_null)  # a point of the summary stands for its neighbours too
    yield "zero_ratio", next((n / c.non_null for value, n in c.frequent.items if _is_zero(value)), unlisted)
    yield from _digits(q)


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


def _magnitudes(q: Quantiles) -> Quantiles:
    """The summary of the decimal logarithms of numbers other than 0."""
    kept = np.isfinite(q.values) & (q.values != 0)
    logs, weights = np.log10(np.abs(q.values[kept])), q.weights[kept]
    order = np.argsort(logs, kind="stable")
    return Quantiles(logs[order], weights[order], q.error)


def _decimals(x: float) -> int:
    """Decimal places of the shortest text that reads back as `x`.

    >>> [_decimals(x) for x in (3.0, 0.25, 1e-05, 12345.678, 1e22)]
    [0, 2, 5, 3, 0]
    """
    digits, _, exponent = repr(x).partition("e")
    places = len(digits.partition(".")[2].rstrip("0"))
    return max(places - int(exponent or 0), 0)


def _is_zero(value: Any) -> bool:
    return not isinstance(value, str) and value is not None and not isinstance(value, (date, datetime)) and value == 0


def _number(value: Any) -> float:
    """A low or high as a float: overflowing integers become infinite, so that the metric is left out."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _times(c: ColumnState) -> Iterator[tuple[str, float]]:
    """Times in days since 1970, of the summary: units that a sentence can say."""
    q = c.quantiles
    if q is None or not len(q.values):
        return
    day = MICROSECONDS_A_DAY
    low, high = float(q.values[0]) / day, float(q.values[-1]) / day
    yield "min", low
    yield "max", high
    yield "range", high - low
    yield "median", q.median() / day
    both = sum(one.rows for one in c.before)
    if both:
        yield "ordered_ratio", 1 - sum(one.earlier for one in c.before) / both


def _strings(c: ColumnState) -> Iterator[tuple[str, float]]:
    n = c.lengths
    if n is None or not n.n:
        return
    yield "str_len", n.mean
    yield "char_len", n.letters / n.n
    yield "digit_len", n.digits / n.n
    yield "punc_len", n.punctuation / n.n
    yield "upper_len", n.upper / n.n
    yield "space_len", n.spaces / n.n
    yield "other_len", n.other / n.n
    yield "min_len", n.shortest
    yield "max_len", n.longest
    yield "len_std", math.sqrt(max(n.m2, 0.0) / n.n)
    yield "parsed_ratio", c.parsed / n.n
    if c.garbled is not None:
        yield "garbled_ratio", c.garbled / n.n


def _two(c: ColumnState, p: ColumnState) -> Iterator[tuple[str, float]]:
    if c.kind == "number":
        yield from _two_numbers(c, p)
    if c.calendar is not None and p.calendar is not None:
        yield from _two_calendars(c.calendar, p.calendar)
    if c.kind not in ("string", "number", "boolean", "time"):
        return
    profile = d.values_profile(c, p)
    yield "new_values", d.new_values(profile)
    yield "lost_values", d.lost_values(profile)
    if c.kind in ("string", "boolean"):
        yield from _two_profiles("", profile)
    elif c.table is not None and p.table is not None:
        yield "L_1", d.l_1(profile)  # numbers and times of few values, compared value by value
    if c.kind == "string" and c.shapes is not None and p.shapes is not None:
        shapes = d.counts_profile(_patterns(c, p.shapes.level), _patterns(p, c.shapes.level))
        yield "Pat_new", d.new_values(shapes)
        yield "Pat_wide", _widened(c, p)
        yield from _two_profiles("Pat_", shapes)


def _two_calendars(c: Calendar, p: Calendar) -> Iterator[tuple[str, float]]:
    if sum(c.hours) and sum(p.hours):
        yield "hour_EMD", circular_emd(shares(c.hours), shares(p.hours))
    if sum(c.weekdays) and sum(p.weekdays):
        yield "weekday_L_1", float(np.abs(shares(c.weekdays) - shares(p.weekdays)).sum())


def _two_profiles(prefix: str, profile: d.Profile) -> Iterator[tuple[str, float]]:
    yield f"{prefix}L_1", d.l_1(profile)
    yield f"{prefix}L_inf", d.l_inf(profile)
    yield f"{prefix}Cosine", d.cosine(profile)
    yield f"{prefix}Chisquared", d.chi_squared(profile)
    js = "JS_div"
    yield f"{prefix}{js}", d.js_values(profile)
    yield f"{prefix}KL_div", d.kl_values(profile)


def _two_numbers(c: ColumnState, p: ColumnState) -> Iterator[tuple[str, float]]:
    a, b, m, n = c.quantiles, p.quantiles, c.moments, p.moments
    if a is None or b is None or m is None or n is None or not len(a.values) or not len(b.values):
        return
    x, y = numbers.curves(a, b)
    yield "EMD", numbers.emd(x, y)
    yield "KS_dist", numbers.ks(x, y)
    magnitudes = [_magnitudes(q) for q in (a, b)]
    if all(2 * m.n >= q.n for m, q in zip(magnitudes, (a, b), strict=True)):
        yield "log_EMD", numbers.emd(*numbers.curves(*magnitudes))
    counts = numbers.binned(x, y)
    yield "JS_div", d.js_div(*counts)
    yield "KL_div", d.kl_div(*counts)
    yield "Cohen_d", numbers.cohen_d(m.n, m.mean, m.m2, n.n, n.mean, n.m2)


def _patterns(c: ColumnState, other_level: int) -> dict[str, float]:
    """Rows by pattern: runs of one class collapsed (the paper's algorithm 2, which joins both cases; here case matters,
    so that a change of case is a change of pattern), coarsened to the other side's level."""
    assert c.shapes is not None
    found: dict[str, float] = {}
    for shape in c.shapes.items:
        text = coarsen(shape.text, c.shapes.level | other_level | RUNS)
        found[text] = found.get(text, 0) + shape.count
    if c.shapes.other:
        found["\x00other"] = float(c.shapes.other)
    return found


def _widened(c: ColumnState, p: ColumnState) -> float:
    """Of the shapes whose position-wise bounds both batches know, by rows: the share of positions with a character
    before the earlier least or after the earlier greatest one. NaN where no shape is shared."""
    assert c.shapes is not None
    assert p.shapes is not None
    before = {s.text: s for s in p.shapes.items if s.low}
    rows = wide = 0.0
    for shape in c.shapes.items:
        old = before.get(shape.text)
        if not shape.low or old is None:
            continue
        positions = zip(shape.low, shape.high, old.low, old.high, strict=True)
        rows += shape.count
        wide += shape.count * sum(a < x or b > y for a, b, x, y in positions) / len(shape.low)
    return wide / rows if rows else math.nan
