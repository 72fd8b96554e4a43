"""The figures of a column that people look at, as small JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from catalog.states.column import ColumnState
from catalog.states.metrics import bounds, metrics
from catalog.tags.privacy.figures import private_profile

#: Most frequent values and shapes that are shown.
SHOWN = 8


def profile(
    column: ColumnState, hide: Callable[[Any], Any] = lambda value: value, *, private: bool = False
) -> dict[str, Any]:
    """Display figures of a column's state; `hide` masks each value shown that needs it, `private` leaves out all."""
    show = lambda value: None if value is None else hide(_short(value))  # noqa: E731
    found: dict[str, Any] = {
        "kind": column.kind,
        "rows": column.rows,
        "nulls": column.nulls,
        "empties": column.empties,
        "nans": column.nans,
        "distinct": round(column.distinct.estimate()),
        "distinct_exact": column.distinct.exact,
        "bounds": {name: [round(low, 9), round(high, 9)] for name, (low, high) in bounds(column).items()},
        "metrics": {name: round(value, 9) for name, value in metrics(column).items()},
        "low": show(column.low),
        "high": show(column.high),
        "top": [[show(value), count] for value, count in column.frequent.items[:SHOWN]],
    }
    if column.quantiles is not None and column.non_null:
        found["rank_error"] = round(column.quantiles.error, 6)
        found["quartiles"] = [float(column.quantiles.quantile(q)) for q in (0.05, 0.25, 0.5, 0.75, 0.95)]
    if column.shapes is not None:
        found["shapes"] = [[shape.text[:120], shape.count] for shape in column.shapes.items[:SHOWN]]
    return private_profile(found) if private else found


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= 80 else text[:79] + "…"
