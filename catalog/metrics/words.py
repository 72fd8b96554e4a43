"""Metrics and their bands as people read them."""

from __future__ import annotations

import math

from catalog.metrics.registry import METRICS, is_share

#: Of sums of floating point: so near to a whole row is one. A bound.
_ROUNDING = 1e-6


def clip(name: str, low: float | None, high: float) -> tuple[float | None, float]:
    """A band without the part that no value can reach.

    >>> clip("complete_ratio", 0.9, 1.1), clip("len_std", -2.0, 3.0), clip("mean", -2.0, 3.0), clip("L_1", None, 7.0)
    ((0.9, 1.0), (0.0, 3.0), (-2.0, 3.0), (None, 2.0))
    """
    least, greatest = (METRICS[name].least, METRICS[name].greatest) if name in METRICS else (None, None)
    high = high if greatest is None else min(high, greatest)
    if low is not None and least is not None:
        low = max(low, least)
    return low, high


def whole(name: str, low: float, high: float) -> tuple[float, float]:
    """A band of a metric that counts rows, out to whole rows: none is narrower than what may be counted.

    >>> whole("row_count", 2.001, 7.083), whole("row_count", -math.inf, 7.0), whole("mean", 2.001, 7.083)
    ((2.0, 8.0), (-inf, 7.0), (2.001, 7.083))
    """
    if METRICS[name].unit != "rows":
        return low, high
    least = math.floor(low + _ROUNDING) if math.isfinite(low) else low
    return float(least), float(math.ceil(high - _ROUNDING) if math.isfinite(high) else high)


def band(name: str, low: float | None, high: float, more: int = 0, ends: str = "{} to {}") -> str:
    """A band for people, without an end that no value can go beyond; `ends` joins two of them.

    >>> band("complete_ratio", 0.9, 1.1), band("zero_ratio", -0.1, 0.2), band("mean", -2.0, 3.0), band("L_1", None, 0.5)
    ('at least 90%', 'at most 20%', '-2 to 3', 'at most 0.5')
    >>> band("complete_ratio", 1.0, 1.0), band("zero_ratio", -0.1, 1.1), band("zero_ratio", -0.1, 0.0)
    ('100%', '0% to 100%', '0%')
    >>> band("row_count", 139.0, math.inf)
    'at least 139'
    """
    low, high = clip(name, low, high)
    if not math.isfinite(high):
        return "anything" if low is None else f"at least {number(name, low, more)}"
    least, full = METRICS[name].least if name in METRICS else None, is_share(name) and high >= 1.0
    said = None if low is None else number(name, low, more), number(name, high, more)
    if said[0] == said[1]:
        return said[1]
    if low is not None and full and low != least:
        return f"at least {said[0]}"
    if low is None or (low == least and not full):
        return f"at most {said[1]}"
    return ends.format(*said)


def number(name: str, x: float, more: int = 0) -> str:
    """A metric's value for people, in `more` digits than usual.

    >>> number("new_values", 0.0312), number("mean", 1234567.0), number("mean", 0.000123)
    ('3.12%', '1,234,567', '0.000123')
    >>> number("top_ratio", 1.0), number("top_ratio", 0.99974), number("top_ratio", 0.998)  # not quite all is not all
    ('100%', '99.974%', '99.8%')
    >>> number("hour_mean", 13.25), number("hour_mean", -0.5), number("hour_mean", 24.25)
    ('13:15', '23:30', '00:15')
    """
    if is_share(name):
        missing = float(f"{100 * (1 - x):.{2 + more}g}")
        return f"{100 - missing:.10g}%" if 0 < missing < 1 else f"{100 * x:.{3 + more}g}%"
    if name in METRICS and METRICS[name].unit == "time of day":
        minutes = round(60 * x) % (24 * 60)
        return f"{minutes // 60:02d}:{minutes % 60:02d}"
    if abs(x) >= 1000:
        return f"{x:,.{more}f}"
    return f"{x:.{4 + more}g}"


def beside(name: str, value: float, low: float | None, high: float) -> tuple[str, str]:
    """(a value, the band it is held against) for people, in so many digits that what differs is not said alike.

    >>> beside("zero_ratio", 0.54891, 0.54937, 0.578), beside("len_std", 3.1, -1.0, 3.0)
    (('54.89%', '54.94% to 57.8%'), ('3.1', 'at most 3'))
    >>> beside("unique_ratio", 0.033, 0.03368, 0.03372), beside("row_count", 1000.0, None, 1000.0)
    (('3.3%', '3.368% to 3.372%'), ('1,000', 'at most 1,000'))
    """
    different = {value, *(end for end in clip(name, low, high) if end is not None and math.isfinite(end))}
    more = next((m for m in range(6) if len({number(name, x, m) for x in different}) == len(different)), 0)
    return number(name, value, more), band(name, low, high, more)
