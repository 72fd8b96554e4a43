"""What a rule from history found, in words, and the rows that it points to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from catalog.history.times import ends_of, reach
from catalog.metrics.sayings import finding
from catalog.metrics.words import clip, number
from catalog.rules.deviation import Deviation
from catalog.states.metrics import MICROSECONDS_A_DAY


def finite(x: float) -> float | None:
    return x if math.isfinite(x) else None


def in_words(f: Deviation, kind: str = "", ends: tuple[float, float] | None = None) -> str:
    """A finding in words; of a sampled figure with the least and the largest value (`ends`) that it may have.

    >>> in_words(Deviation("unique_ratio", 0.9975, 0.999, 1.0, 2.0), "string", (0.991, 0.9991))
    'different values come to about 99.75% of the rows (99.1% to 99.91% in 95 of 100 samples), expected at least 99.9%'
    """
    sampled = ""
    if ends is not None:
        low, high = (number(f.metric, end) for end in clip(f.metric, *ends))  # type: ignore[arg-type]
        sampled = f"{low} to {high} in 95 of 100 samples"
    return finding(f.metric, f.value, finite(f.low), f.high, kind, sampled)


def offenders_of(
    worst: Deviation, values: Mapping[str, float], earlier: Sequence[Mapping[str, float]]
) -> dict[str, Any]:
    """Rows can be pointed at for nulls, for a new extreme, and for times far outside of all before."""
    if worst.metric == "stray" and (ends := ends_of(earlier)):
        low, high = ends[0] - reach(ends, values["min"]), ends[1] + reach(ends, values["max"])
        return {"outside": [low * MICROSECONDS_A_DAY, high * MICROSECONDS_A_DAY]}
    if worst.metric == "complete_ratio" and worst.value < worst.low:
        return {"null": True}
    if worst.metric in ("min", "max"):
        return {"outside": [finite(worst.low), finite(worst.high)]}
    return {}
