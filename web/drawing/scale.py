"""The scale of a chart: which values it has to show, the round numbers beside them, where they lie in the drawing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

WIDTH, HEIGHT = 480, 170
LEFT, RIGHT, TOP, BOTTOM = 54, 10, 10, 24
#: What figures are of that are not plain numbers: shares 0..1, and points in time, in days since 1970.
SHARE, DATE = "share", "date"
ROOM = 2.0  # chosen: so many times the height of what passed are on either side for its band, then for outliers
ALIKE = 1e-3  # of values that differ by less an axis tells no difference: its figures have four digits
SAME = 1e-12  # of numbers that differ by less, only the last digits of computing do; a bound of rounding
FEWEST_DAYS = 4.0  # that an axis of dates has, so that each of its labels is another day; a bound


@dataclass(frozen=True)
class Point:
    """A metric of one version. `low`, `high`: the expected band, None where it is open or unknown. `status` as in
    `catalog.rules.verdict`, or None where the version was not judged by this rule."""

    version: int
    value: float | None
    low: float | None = None
    high: float | None = None
    status: str | None = None
    at: datetime | None = None


def nice_ticks(low: float, high: float, count: int = 4) -> list[float]:
    """Round numbers that cover low..high.

    >>> nice_ticks(0, 97)
    [0.0, 25.0, 50.0, 75.0, 100.0]
    >>> nice_ticks(5, 5), nice_ticks(5, 5.000000000000001), nice_ticks(0, 4e-14)
    ([4.0, 5.0, 6.0], [4.0, 5.0, 6.0], [0.0, 1e-14, 2e-14, 3e-14, 4e-14])
    """
    if not high - low > SAME * max(abs(low), abs(high)):
        pad = abs(low) * 0.2 or 1.0
        return [low - pad, float(low), low + pad]
    raw = (high - low) / count
    digits = math.floor(math.log10(raw))
    power = 10.0**digits
    step = next(power * m for m in (1, 2, 2.5, 5, 10) if power * m >= raw * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(i * step, 2 - digits) for i in range(first, last + 1)]


def value_range(points: Sequence[Point]) -> tuple[float, float]:
    """The values a chart has to show well: what passed, and of its band and then of the rest no more than `ROOM`.

    One value a thousand times too large would flatten everything else; it is marked at the edge, with its figure. So
    would the band of a rule that knows little of its table yet; it is cut at the edge.

    >>> value_range([Point(1, 5.0, 4.0, 6.0, "passed"), Point(2, 5000.0, 4.0, 6.0, "violated")])
    (4.0, 10.0)
    >>> value_range([Point(1, 5.0), Point(2, 7.0, -900.0, 900.0, "passed")])
    (1.0, 11.0)
    """
    values, calm = _finite(p.value for p in points), _finite(p.value for p in points if p.status != "violated")
    low, high = _within(calm or values, _ends(points))
    return _within([low, high], values)


def share_range(points: Sequence[Point]) -> tuple[float, float]:
    """The same of shares, which have ends: no value is far off their scale, and only the band is cut."""
    return _within(_finite(p.value for p in points), _ends(points))


def _ends(points: Sequence[Point]) -> list[float]:
    """The ends of the bands."""
    return _finite(end for p in points for end in (p.low, p.high))


def _finite(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None and math.isfinite(value)]


def _within(shown: Sequence[float], more: Sequence[float]) -> tuple[float, float]:
    """The ends of what is `shown`, and of `more` as much as lies within `ROOM` on either side; all of it where what is
    shown is all the same to who reads the axis.

    >>> _within([2.0, 1.9999999999999998], [0.0, 5.0]), _within([], [1.0]), _within([3.0, 4.0], [90.0])
    ((0.0, 5.0), (0.0, 1.0), (3.0, 6.0))
    """
    low, high = min(shown, default=0.0), max(shown, default=0.0)
    every = [*more, low, high]
    if high - low <= ALIKE * max(abs(low), abs(high)):
        return min(every), max(every)
    reach = ROOM * (high - low)
    return max(min(every), low - reach), min(max(every), high + reach)


#: Shares that come below this are drawn from 0% on. Of those above, whose last per cents matter, the axis is broken.
HALF = 0.5


class Scale:
    """From versions (evenly spaced) and values to places in the drawing."""

    def __init__(self, points: Sequence[Point], unit: str) -> None:
        self.unit = unit
        share = unit == SHARE
        low, high = (share_range if share else value_range)(points)
        if share and low < HALF:
            low = min(low, 0.0)
        if unit == DATE and high - low < FEWEST_DAYS:
            low, high = math.floor(low) - 1.0, math.floor(low) - 1.0 + FEWEST_DAYS
        ticks = [tick for tick in nice_ticks(low, high) if tick >= 0 or low < 0]  # nothing below what cannot be
        self.ticks = [tick for tick in ticks if tick <= 1] if share and high <= 1 and ticks[0] < 1 else ticks
        self.low, self.high = self.ticks[0], self.ticks[-1]
        self.step = (WIDTH - LEFT - RIGHT) / max(1, len(points) - 1)
        self.lone = len(points) == 1

    def x(self, place: int) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) / 2 if self.lone else LEFT + place * self.step, 1)

    def y(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM), 1)

    def outside(self, value: float) -> bool:
        return not self.low <= value <= self.high
