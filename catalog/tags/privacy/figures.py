"""The figures of a column that people look at, as small JSON; and what of them may be shown of a sensitive column."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from catalog.metrics.registry import METRICS, REVEALING
from catalog.states.column import ColumnState
from catalog.states.metrics import bounds, metrics
from catalog.tags.privacy.masking import FLAG, mask_all

#: Most frequent values and shapes that are shown; a bound of space.
SHOWN = 8


def profile(
    column: ColumnState, hide: Callable[[Any], Any] = lambda value: value, *, private: bool = False
) -> dict[str, Any]:
    """Display figures of a column's state; `hide` masks each value shown that needs it, `private` leaves out all."""

    def show(value: Any) -> Any:
        return None if value is None else hide(_short(value))

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


def private_profile(profile: Mapping[str, Any]) -> dict[str, Any]:
    """A column's display figures without values: those of rows by their shape, averages, quartiles and extremes left
    out.

    >>> private_profile({"rows": 2, "low": "a1", "quartiles": [1.0], "metrics": {"min": 1.0, "std": 2.0}})
    {'rows': 2, 'low': 'a9', 'metrics': {'std': 2.0}}

    The lengths and shapes of flags tell which they are.

    >>> private_profile({"top": [["Yes", 9], ["No", 4]], "shapes": [["Aaa", 9]], "metrics": {"str_len": 2.7}})
    {'top': [['aaa', 9], ['aaa', 4]], 'metrics': {}}
    """
    shown = {name: value for name, value in profile.items() if name != "quartiles"}
    for name in ("low", "high"):
        if name in shown:
            shown[name] = mask_all(shown[name])
    if isinstance(shown.get("top"), list):
        shown["top"] = [[mask_all(one[0]), *one[1:]] for one in shown["top"] if isinstance(one, list) and one]
    if isinstance(shown.get("metrics"), dict):
        shown["metrics"] = {name: value for name, value in shown["metrics"].items() if name not in REVEALING}
    return _private_flags(shown) if _are_flags(shown) else shown


def _are_flags(shown: Mapping[str, Any]) -> bool:
    """Whether values that are masked are all of true and false."""
    return shown.get("kind") == "boolean" or {one[0] for one in shown.get("top") or [] if one[0] is not None} == {FLAG}


def _private_flags(shown: Mapping[str, Any]) -> dict[str, Any]:
    """What may be told of masked flags, also of those whose shapes were kept before."""
    out = {name: value for name, value in shown.items() if name != "shapes"}
    out |= {name: FLAG for name in ("low", "high") if shown.get(name) is not None}
    if shown.get("top"):
        out["top"] = [[one[0] and FLAG, *one[1:]] for one in shown["top"]]
    if isinstance(shown.get("metrics"), dict):
        told = {name for name, metric in METRICS.items() if not metric.series or "boolean" in metric.series}
        out["metrics"] = {name: value for name, value in shown["metrics"].items() if name in told}
    return out
