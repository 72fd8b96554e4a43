"""A column's display figures as they may be shown of a sensitive column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from catalog.metrics.registry import REVEALING
from catalog.tags.privacy.masking import mask_all

#: Figures of a profile that are values of the column, or lie so near to one that they tell it.
VALUES = REVEALING


def private_profile(profile: Mapping[str, Any]) -> dict[str, Any]:
    """A column's display figures without values: those of rows by their shape, quartiles and extremes left out. A
    column of one value would tell it by its mean.

    >>> private_profile({"rows": 2, "low": "a1", "quartiles": [1.0], "metrics": {"min": 1.0, "mean": 2.0}})
    {'rows': 2, 'low': 'a9', 'metrics': {'mean': 2.0}}
    """
    shown = {name: value for name, value in profile.items() if name != "quartiles"}
    for name in ("low", "high"):
        if name in shown:
            shown[name] = mask_all(shown[name])
    if isinstance(shown.get("top"), list):
        shown["top"] = [[mask_all(one[0]), *one[1:]] for one in shown["top"] if isinstance(one, list) and one]
    if isinstance(shown.get("metrics"), dict):
        hidden = VALUES | {"mean"} if (profile.get("distinct") or 0) == 1 else VALUES
        shown["metrics"] = {name: value for name, value in shown["metrics"].items() if name not in hidden}
    return shown
