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

import numpy as np

from catalog.errors import StateError
from catalog.history import distances as d
from catalog.history import numbers
from catalog.history.calendar.seasons import Floats, shortfall
from catalog.history.rewrites import rewriting
from catalog.history.times import (
    beside_past,
    circular_emd,
    duplicated,
    leap_of_rows,
    repeated,
    same_rows,
    shares,
    time_leap,
    times_kept,
    turn_of,
)
from catalog.metrics.registry import kept
from catalog.states.column import ColumnState
from catalog.states.metrics import MICROSECONDS_A_DAY, metrics
from catalog.states.parts.calendar import Calendar, calendar_of_values
from catalog.states.parts.shapes import RUNS, coarsen
from catalog.states.parts.summaries import Quantiles
from catalog.states.table import TableState

#: Distinct values per row from which a column identifies rows. Chosen: a few may come twice.
UNIQUE = 0.9
_VERSION = b"\x01"


@dataclass(frozen=True)
class TableMetrics:
    """The metrics of one batch.

    Parameters
    ----------
    rows : rows of the batch.
    columns : metric name -> value, by column.
    table : metrics of whole rows.
    at : when it was committed, where that is known; not encoded, its version has it.

    >>> one = TableMetrics(2, {"a": {"row_count": 2.0}})
    >>> TableMetrics.decode(one.encode()) == one
    True
    """

    rows: int
    columns: dict[str, dict[str, float]] = field(default_factory=dict)
    table: dict[str, float] = field(default_factory=dict)
    at: datetime | None = None

    @property
    def on(self) -> date | None:
        """The day of its commit."""
        return None if self.at is None else self.at.date()

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


def of_columns(past: Past) -> list[TableMetrics | None]:
    """The past without the batches at its beginning of which nothing but their rows is known."""
    return list(past[next((at for at, one in enumerate(past) if one is not None and one.columns), 0) :])


def column_series(past: Past, column: str | None) -> list[Mapping[str, float]]:
    """The metrics of one column (None: of the table's rows) in each batch; empty for a hole.

    >>> column_series([TableMetrics(7, {"a": {"mean": 1.0}}), None], "a")
    [{'mean': 1.0}, {}]
    """
    if column is None:
        return [{} if m is None else m.of_table() for m in past]
    return [{} if m is None else m.columns.get(column, {}) for m in past]


def since_filled(series: Sequence[Mapping[str, float]]) -> Sequence[Mapping[str, float]]:
    """The metrics of a column from the first batch on in which it held a value; all where it never did.

    >>> since_filled([{"complete_ratio": 0.0}, {}, {"complete_ratio": 0.5}, {"complete_ratio": 0.0}])
    [{'complete_ratio': 0.5}, {'complete_ratio': 0.0}]
    """
    held = (m.get("filled_ratio", m.get("complete_ratio", 1.0 if m else 0.0)) > 0 for m in series)
    return series[next((at for at, filled in enumerate(held) if filled), 0) :]


def observe_metrics(current: TableState, previous: TableState | None) -> TableMetrics:
    """All metrics of the batch `current`; those of two distributions against `previous`, the batch of the same kind
    before.

    A column that changed its kind is compared with nothing.
    """
    columns = {}
    for name, column in current.columns.items():
        before = previous.columns.get(name) if previous is not None else None
        columns[name] = column_metrics(column, before, ahead_of(current, column))
    return TableMetrics(current.rows, columns, table_metrics(current, previous))


def table_metrics(current: TableState, previous: TableState | None) -> dict[str, float]:
    """The metrics of whole rows: how many stand twice, how many the batch before has, whether it has all of them;
    finite values only. Rows with a value of another kind are other rows: such batches are not compared."""
    found = {"duplicate_ratio": duplicated(current.row_distinct)}
    if previous is not None and previous.rows and _kinds(previous) == _kinds(current):
        found["repeated_ratio"] = repeated(current.row_distinct, previous.row_distinct)
        found["unchanged"] = float(same_rows(current, previous))
    return {name: value for name, value in found.items() if math.isfinite(value)}


def _kinds(state: TableState) -> list[tuple[str, str]]:
    return [(name, column.kind) for name, column in state.of_rows.items()]


def paced(now: TableMetrics, past: Past, waited: float | None) -> TableMetrics:
    """The same metrics with what they are beside their past: the `shortfall` of rows, and of columns of times the
    `pace`, by how many days times moved on otherwise than they usually do, and otherwise than time did, the lesser of
    both; and how far `stray` ones lie outside. A delivery that is late, or was left out, is no news of its values:
    times move by their usual step, or with the calendar. Nor is it any where rows were added to those that there were
    (`times_kept`), or came and went among times that stay (`leap_of_rows`). `waited`: days since the batch before."""
    now = replace(now, table=now.table | shortfall_of(now.rows, past, now.at))
    if waited is None:
        return now
    columns = {
        name: of | beside_past(of, column_series(past, name), waited) if "time_span" in of else of
        for name, of in now.columns.items()
    }
    return replace(now, columns=columns)


def shortfall_of(rows: int, past: Past, at: datetime | None) -> dict[str, float]:
    """The `shortfall` of a batch of so many rows, committed then, behind others; empty where nothing is usual yet."""
    found = shortfall(*zip(*rows_at(past), (rows, at), strict=True))
    return {} if found is None else {"shortfall": found}


def rows_at(past: Past) -> list[tuple[float, datetime | None]]:
    """How many rows each batch has, NaN for a hole, and when it was committed."""
    return [(math.nan, None) if one is None else (one.rows, one.at) for one in past]


def ahead_of(table: TableState, column: ColumnState) -> ColumnState | None:
    """The time column in front of a time column; None where there is none."""
    return next((table.columns.get(one.column) for one in column.before), None)


def column_metrics(
    current: ColumnState, previous: ColumnState | None, ahead: ColumnState | None = None
) -> dict[str, float]:
    """The metrics of one column, finite values only; those of one state as `catalog.states.metrics` says. `ahead` is
    the time column in front of it."""
    found = {name: value for name, value in metrics(current).items() if kept(name, current.kind)}
    if previous is not None and previous.kind == current.kind and previous.non_null and current.non_null:
        found |= {name: float(value) for name, value in _two(current, previous) if math.isfinite(value)}
    if ahead is not None and _dated(ahead) and _dated(current) and not found.get("times_kept"):
        found["gap"] = 24 * (_middle(current) - _middle(ahead))
    return found


def _magnitudes(q: Quantiles) -> Quantiles:
    """The summary of the decimal logarithms of numbers other than 0."""
    kept = np.isfinite(q.values) & (q.values != 0)
    logs, weights = np.log10(np.abs(q.values[kept])), q.weights[kept]
    order = np.argsort(logs, kind="stable")
    return Quantiles(logs[order], weights[order], q.error)


def _two(c: ColumnState, p: ColumnState) -> Iterator[tuple[str, float]]:
    if c.kind == "number":
        yield from _two_numbers(c, p)
    if c.calendar is not None and p.calendar is not None:
        yield from _two_calendars(c, p, c.calendar, p.calendar)
    if c.kind == "time" and _dated(c) and _dated(p):
        yield "time_leap", time_leap(c, p)
    if c.kind not in ("string", "number", "boolean", "time"):
        return
    pairs = d.paired_values(c, p)
    yield "new_values", (new := d.new_values(pairs))
    yield "lost_values", (lost := d.lost_values(pairs))
    if c.kind == "time" and _dated(c) and _dated(p):
        yield "times_kept", float(times_kept(c, p, lost))
        yield "leap_of_rows", leap_of_rows(c, p, max(new, lost))
    if c.kind in ("string", "number"):
        found = rewriting(c, p)
        yield "rewritten_ratio", found.share if found is not None else 0.0
    if min(one.distinct.estimate() / one.non_null for one in (c, p)) >= UNIQUE:
        yield "reused_ratio", repeated(c.distinct, p.distinct)
    if c.kind in ("string", "boolean"):
        yield from _of_pairs("", pairs)
    elif c.table is not None and p.table is not None:
        yield "L_1", d.l_1(pairs)  # numbers and times of few values, compared value by value
    if c.kind == "string" and c.shapes is not None and p.shapes is not None:
        yield "Pat_wide", _widened(c, p)
        before = _patterns(p, c.shapes.level)
        # of values that mostly have a form of their own the next are in new ones as well
        if 2 * sum(n for n in before.values() if n == 1) <= p.non_null:
            shapes = d.paired_counts(_patterns(c, p.shapes.level), before)
            yield "Pat_new", d.new_values(shapes)
            yield from _of_pairs("Pat_", shapes)


def _dated(column: ColumnState) -> bool:
    """Whether a time column holds days, rather than times of day."""
    return column.quantiles is not None and len(column.quantiles.values) > 0 and isinstance(column.low, date)


def _middle(column: ColumnState) -> float:
    """The median of times, in days since 1970."""
    assert column.quantiles is not None
    return column.quantiles.median() / MICROSECONDS_A_DAY


def _two_calendars(c: ColumnState, p: ColumnState, now: Calendar, before: Calendar) -> Iterator[tuple[str, float]]:
    if sum(now.hours) and sum(before.hours):
        x, y = shares(now.hours), shares(before.hours)
        yield "hour_EMD", circular_emd(x, y)
        yield "hour_turn", abs(turn_of(now.hours, before.hours))
    if sum(now.weekdays) and sum(before.weekdays):
        a, b = shares(now.weekdays), shares(before.weekdays)
        # a day that many rows hold is one day: that it went on says no more of the week than a single row would
        moved = float(np.abs((a - _most_frequent_day(c)) - (b - _most_frequent_day(p))).sum())
        yield "weekday_L_1", min(float(np.abs(a - b).sum()), moved)


def _most_frequent_day(state: ColumnState) -> Floats:
    """The share of the times that are the most frequent one, at the day of the week that it is."""
    values, counts = zip(*state.frequent.items[:1], strict=True) if state.frequent.items else ((), ())
    calendar = calendar_of_values(values, np.array(counts))
    return np.zeros(7) if calendar is None else np.array(calendar.weekdays) / state.non_null


def _of_pairs(prefix: str, pairs: d.Pairs) -> Iterator[tuple[str, float]]:
    yield f"{prefix}L_1", d.l_1(pairs)
    yield f"{prefix}L_inf", d.l_inf(pairs)
    yield f"{prefix}Cosine", d.cosine(pairs)
    yield f"{prefix}Chisquared", d.chi_squared(pairs)
    js = "JS_div"
    yield f"{prefix}{js}", d.js_values(pairs)
    yield f"{prefix}KL_div", d.kl_values(pairs)


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
