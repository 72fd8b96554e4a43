"""Distances between two batches of numbers, from summaries of both (Auto-Validate-by-History, table 3).

A summary of many numbers holds one point for each bucket of rows. Taken for steps, points of two batches that hold
nearly the same are up to a bucket apart, and the distance jumps where a column passes the number of values that are
kept one by one. So a summary is read as what it stands for: rows spread evenly between the middles of neighbouring
buckets, with a step only where one value holds more rows than a bucket. Both sides are read alike, with the buckets
of the coarser one; of states that hold every value all distances are exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.states.parts.summaries import POINTS, Quantiles

Floats = NDArray[np.float64]
Rows = NDArray[Any]  # integers or floats

ALIKE = 1e-9  # shares of rows that differ by less are the same but for rounding; a bound
BINS = 20  # bins of numeric divergences: twentieths of the earlier distribution; chosen: 5% each


@dataclass(frozen=True)
class Curve:
    """A distribution function: at `values`, ascending, it rises from `left` to `right`, and between two of them evenly.

    >>> c = curve(np.array([0.0, 10]), np.array([1, 1]))
    >>> c.at(np.array([-1.0, 0, 5, 10])).tolist(), c.below(np.array([0.0, 10])).tolist()
    ([0.0, 0.5, 0.5, 1.0], [0.0, 0.5])
    """

    values: Floats
    left: Floats
    right: Floats
    rows: float

    def at(self, x: Floats) -> Floats:
        """Share of rows <= each of `x`."""
        i = np.searchsorted(self.values, x, side="right") - 1
        return np.where(self._held(x, i), self.right[i], self._between(x, i))

    def below(self, x: Floats) -> Floats:
        """Share of rows < each of `x`."""
        i = np.searchsorted(self.values, x, side="right") - 1
        return np.where(self._held(x, i), self.left[i], self._between(x, i))

    def _held(self, x: Floats, i: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.asarray((i >= 0) & (self.values[i] == x))

    def _between(self, x: Floats, i: NDArray[np.int64]) -> Floats:
        """The function between value i and the next; 0 before the first, 1 from the last on."""
        last = len(self.values) - 1
        a, b = np.clip(i, 0, last), np.clip(i + 1, 0, last)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            part = (x - self.values[a]) / (self.values[b] - self.values[a])
        part = np.where(np.isfinite(part), part, 0.0)
        inside = self.right[a] + part * (self.left[b] - self.right[a])
        return np.asarray(np.where(i < 0, 0.0, np.where(i >= last, 1.0, inside)))

    def inverse(self, shares: Floats) -> Floats:
        """The least value at which the function reaches each of `shares`, 0 < share < 1."""
        i = np.clip(np.searchsorted(self.right, shares - 1e-12), 0, len(self.values) - 1)
        before = np.clip(i - 1, 0, None)
        gap = self.left[i] - self.right[before]
        sloped = (shares < self.left[i]) & (i > 0) & (gap > 0)
        part = np.where(sloped, (shares - self.right[before]) / np.where(gap > 0, gap, 1.0), 1.0)
        with np.errstate(invalid="ignore", over="ignore"):
            found = self.values[before] + part * (self.values[i] - self.values[before])
        return np.where(sloped & np.isfinite(found), found, self.values[i])


def curve(values: Floats, weights: Rows, bucket: float = 0.0) -> Curve:
    """The distribution function of ascending `values` that stand for `weights` rows each.

    bucket : share of the rows of which one point of a summary is the middle; 0 where every value is listed.
    """
    rows = float(weights.sum())
    upto = np.cumsum(weights, dtype=float) / rows
    half = np.minimum(weights / rows, bucket) / 2
    left = np.concatenate(([0.0], upto[:-1])) + half
    return Curve(values, left, np.concatenate((upto[:-1] - half[:-1], [1.0])), rows)


def curves(a: Quantiles, b: Quantiles) -> tuple[Curve, Curve]:
    """Both batches' distribution functions, read alike: as summaries where one of them is one."""
    bucket = 1 / (POINTS - 2) if a.error or b.error else 0.0
    return curve(a.values, a.weights, bucket), curve(b.values, b.weights, bucket)


def emd(x: Curve, y: Curve) -> float:
    """Earth mover's (1-Wasserstein) distance: the area between the two distribution functions, in the values' unit.

    Of summaries off by at most the sum of both rank errors times the joint range.

    >>> emd(curve(np.array([0.0, 1]), np.array([1, 1])), curve(np.array([5.0, 6]), np.array([1, 1])))
    5.0
    >>> emd(curve(np.array([0.0, math.inf]), np.array([1, 1])), curve(np.array([2.0, math.inf]), np.array([1, 1])))
    1.0
    """
    points = np.union1d(x.values, y.values)
    if len(points) < 2:
        return 0.0
    a, b = (x.at(points) - y.at(points))[:-1], (x.below(points) - y.below(points))[1:]
    ends = np.abs(a) + np.abs(b)
    crossed = a * b < 0  # the functions cross in between: two triangles
    heights = np.where(crossed, (a * a + b * b) / np.where(ends > 0, 2 * ends, 1.0), ends / 2)
    with np.errstate(over="ignore"):
        widths = np.diff(points)
    widths[np.isinf(widths) & (heights < ALIKE)] = 0.0  # both reach to infinity alike
    return float(heights @ widths)


def ks(x: Curve, y: Curve) -> float:
    """Two-sample Kolmogorov-Smirnov statistic, 0..1; of summaries off by at most the sum of both rank errors.

    >>> ks(curve(np.array([1.0, 2]), np.array([1, 1])), curve(np.array([2.0, 3]), np.array([1, 1])))
    0.5
    """
    points = np.union1d(x.values, y.values)
    if not len(points):
        return 0.0
    return float(max(np.abs(x.at(points) - y.at(points)).max(), np.abs(x.below(points) - y.below(points)).max()))


def binned(x: Curve, y: Curve, bins: int = BINS) -> tuple[Floats, Floats]:
    """Rows of both samples in bins cut at the quantiles of the second, the earlier one.

    A value of both sides that holds a bin's rows gets a bin alone.
    """
    cuts = np.unique(y.inverse(np.arange(1, bins) / bins))
    heavy = cuts[(y.at(cuts) - y.below(cuts) >= 1 / bins) & (x.at(cuts) > x.below(cuts))]
    alone = np.isin(cuts, heavy)
    counts = []
    for side in (x, y):
        upto, before = side.at(cuts), side.below(cuts)
        ends = np.concatenate((np.where(alone, before, upto), [1.0]))
        shares = np.concatenate((ends - np.concatenate(([0.0], upto)), (upto - before)[alone]))
        counts.append(np.maximum(shares, 0.0) * side.rows)
    used = (counts[0] + counts[1]) > 1e-9
    return counts[0][used], counts[1][used]


def cohen_d(n1: int, mean1: float, m2_1: float, n2: int, mean2: float, m2_2: float) -> float:
    """Cohen's d: difference of the means in pooled standard deviations (magnitude); `m2_*` = sums of squared
    deviations.

    Two constants have d 0 when equal; unequal ones have no d (NaN): any difference is infinite in units of no spread.

    >>> cohen_d(2, 1.5, 0.5, 2, 3.5, 0.5)
    2.828...
    """
    if n1 + n2 <= 2:
        return math.nan
    pooled = math.sqrt(max(m2_1 + m2_2, 0.0) / (n1 + n2 - 2))
    if pooled == 0:
        return 0.0 if mean1 == mean2 else math.nan
    return abs(mean1 - mean2) / pooled
