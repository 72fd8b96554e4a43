"""The figures of a column that people look at, as small JSON; and what of them may be shown of a sensitive column."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from catalog.metrics.registry import METRICS, REVEALING
from catalog.states.column import ColumnState
from catalog.states.metrics import bounds, metrics
from catalog.tags.privacy.masking import FLAG, blank, mask_all

#: Most frequent values and shapes that are shown; a bound of space.
SHOWN = 8
#: Different values that whoever knows the trade can list, and tell apart by their lengths: sexes, marital states, blood
#: groups, what a ward treats. Chosen.
FEW = 50


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

    Of few different values, as flags are, lengths and shapes tell which they are.

    >>> private_profile({"top": [["Yes", 9], ["No", 4]], "shapes": [["Aaa", 9]], "metrics": {"str_len": 2.7}})
    {'top': [['aaa', 9], ['aaa', 4]], 'metrics': {}}
    >>> private_profile({"rows": 9, "nulls": 0, "distinct": 2, "low": "Female", "top": [["Male", 5], ["Female", 4]]})
    {'rows': 9, 'nulls': 0, 'distinct': 2, 'low': 'aaa', 'top': [['aaa', 5], ['aaa', 4]]}
    """
    shown = {name: value for name, value in profile.items() if name != "quartiles"}
    for name in ("low", "high"):
        if name in shown:
            shown[name] = mask_all(shown[name])
    if isinstance(shown.get("top"), list):
        shown["top"] = [[mask_all(one[0]), *one[1:]] for one in shown["top"] if isinstance(one, list) and one]
    if isinstance(shown.get("metrics"), dict):
        shown["metrics"] = {name: value for name, value in shown["metrics"].items() if name not in REVEALING}
    return _without_shapes(shown) if told_by_shape(shown) else shown


def told_by_shape(profile: Mapping[str, Any]) -> bool:
    """Whether the shape of a masked value tells which it is, by the column's display figures, masked or not: its values
    are all of true and false, or few, each in several rows, and of different shapes.

    >>> told_by_shape({"rows": 9, "nulls": 0, "distinct": 2, "top": [["Male", 5], ["Female", 4]]})
    True

    Codes that are all as long, and values that hardly repeat, are not told by it.

    >>> told_by_shape({"rows": 9, "nulls": 0, "distinct": 2, "top": [["A01", 5], ["B02", 4]]})
    False
    >>> told_by_shape({"rows": 3, "nulls": 0, "distinct": 3, "top": [["Ann", 1], ["Joseph", 1], ["Eva", 1]]})
    False
    """
    shapes = {mask_all(one[0]) for one in profile.get("top") or [] if one[0] is not None}
    if profile.get("kind") == "boolean" or shapes == {FLAG}:
        return True
    rows, distinct = (profile.get("rows") or 0) - (profile.get("nulls") or 0), profile.get("distinct") or 0
    # twice: as often as a value has to be there at least to repeat
    return distinct <= FEW and rows >= 2 * distinct and len(shapes) > 1


def _without_shapes(shown: Mapping[str, Any]) -> dict[str, Any]:
    """What may be told of masked values that their shapes tell, also of those whose shapes were kept before."""
    out = {name: value for name, value in shown.items() if name != "shapes"}
    out |= {name: FLAG for name in ("low", "high") if shown.get(name) is not None}
    if shown.get("top"):
        out["top"] = [[blank(one[0]), *one[1:]] for one in shown["top"]]
    if isinstance(shown.get("metrics"), dict):
        told = {name for name, metric in METRICS.items() if not metric.series or "boolean" in metric.series}
        out["metrics"] = {name: value for name, value in shown["metrics"].items() if name in told}
    return out
