"""deequ's suggested constraints (its default rules, as published), and its normal bounds, for `benchmarks.lived`.

Constraints are suggested from one healthy version and asked of the next; suggested anew from every version that is
called healthy, so that the rival forgets nothing that the product may learn. Approximate counts are exact here.

Normal bounds are its batch and online strategies: a metric is an anomaly where it lies further from the mean of those
of all healthy versions before than so many of their standard deviations (3 in deequ).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl
import pyarrow as pa

#: What the curves are drawn at: constraints that break together, and standard deviations.
TOGETHER = (1, 2, 3, 5, 10)
SIGMAS = (3.0, 4.0, 6.0, 10.0, 20.0, 50.0)
FOR_SURE = 1e9
MOST_VALUES = 120  # distinct values up to which there is a histogram
Z = 1.96


@dataclass(frozen=True)
class Constraint:
    """A demand on one column; `holds` answers for the column of another version (None: it is gone)."""

    column: str
    kind: str
    holds: Callable[[pl.Series | None], bool]


def suggest(table: pa.Table) -> list[Constraint]:
    """deequ's default suggestions: completeness, type, categorical range, fractional range, sign."""
    found = []
    for name, cells in _columns(table).items():
        rows, there = len(cells), cells.drop_nulls()
        if not rows:
            continue
        complete = len(there) / rows
        if complete == 1:
            found.append(_complete(name, 1.0))
        elif complete > 0.2:
            found.append(_complete(name, _lower(complete, rows)))
        if there.dtype.is_numeric():
            found.append(Constraint(name, "type", lambda s: s is None or not s.len() or s.dtype.is_numeric()))
            if len(there) and float(there.min()) >= 0:  # type: ignore[arg-type]
                found.append(Constraint(name, "sign", _not_negative))
        if there.dtype in (pl.String, pl.Int64) and 0 < there.n_unique() <= MOST_VALUES:
            found += _range(name, there)
    return found


def broken(constraints: list[Constraint], table: pa.Table) -> list[tuple[str, str]]:
    """(column, kind) of the constraints that a version breaks."""
    columns = _columns(table)
    return [(c.column, c.kind) for c in constraints if not c.holds(columns.get(c.column))]


def metrics(table: pa.Table) -> dict[tuple[str, str], float]:
    """The metrics that deequ's users put bounds on: rows, and of each column completeness, distinct values, mean,
    deviation, minimum, maximum."""
    found = {("", "rows"): float(table.num_rows)}
    for name, cells in _columns(table).items():
        there = cells.drop_nulls()
        if not len(cells):
            continue
        found[name, "completeness"] = len(there) / len(cells)
        found[name, "distinct"] = float(there.n_unique())
        if there.dtype.is_numeric() and len(there):
            for metric in ("mean", "std", "min", "max"):
                value = getattr(there.cast(pl.Float64), metric)()
                if value is not None and math.isfinite(value):
                    found[name, metric] = float(value)
    return found


class NormalBounds:
    """Means and deviations of metrics over the healthy versions so far."""

    def __init__(self) -> None:
        self._past: dict[tuple[str, str], list[float]] = {}

    def learn(self, values: dict[tuple[str, str], float]) -> None:
        for key, value in values.items():
            self._past.setdefault(key, []).append(value)

    def far(self, values: dict[tuple[str, str], float]) -> list[tuple[str, str, float]]:
        """(column, metric, standard deviations from the mean), of metrics that left their mean at all; `FOR_SURE` where
        all before were one value."""
        found = []
        for (column, metric), value in values.items():
            past = np.asarray(self._past.get((column, metric), []))
            if len(past) > 1 and value != past.mean():
                spread = float(past.std(ddof=1))
                found.append((column, metric, abs(value - float(past.mean())) / spread if spread else FOR_SURE))
        return found


def _columns(table: pa.Table) -> dict[str, pl.Series]:
    return {name: pl.Series(name, table[name]) for name in table.column_names}


def _complete(name: str, share: float) -> Constraint:
    kind = "complete" if share == 1 else "completeness"
    return Constraint(name, kind, lambda s: s is not None and (not len(s) or 1 - s.null_count() / len(s) >= share))


def _not_negative(cells: pl.Series | None) -> bool:
    if cells is None or not cells.dtype.is_numeric():
        return False
    return bool((cells.drop_nulls() >= 0).all())


def _range(name: str, there: pl.Series) -> list[Constraint]:
    counts = there.value_counts(sort=True)
    singletons = counts.filter(pl.col("count") == 1).height / counts.height
    if singletons <= 0.1:
        return [_within(name, set(counts[name]), 1.0, "range")]
    shares = (counts["count"].cum_sum() / len(there)).to_list()
    top = next(i for i, share in enumerate(shares) if share >= 0.9 or i + 1 == len(shares))
    if singletons <= 0.4 and shares[top] < 1:
        return [_within(name, set(counts[name][: top + 1]), _lower(shares[top], len(there)), "fractional range")]
    return []


def _within(name: str, allowed: set[object], share: float, kind: str) -> Constraint:
    def holds(cells: pl.Series | None) -> bool:
        there = [] if cells is None else cells.drop_nulls().to_list()
        return not there or sum(value in allowed for value in there) / len(there) >= share

    return Constraint(name, kind, holds)


def _lower(share: float, rows: int) -> float:
    """Wald's lower bound, rounded down to per cents."""
    return math.floor(100 * (share - Z * math.sqrt(share * (1 - share) / rows))) / 100
