"""Frequent values and quantiles of a column: mergeable summaries that bound what they leave out.

Frozen values; a merge takes any number of them at once (a flat merge loses least), changes none, and is deterministic.
Frequent values say the largest count that an unlisted one may have, quantiles by how much a rank may be out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

POINTS = 128  # points of a quantile summary; a bound
LISTED = 64  # frequent values listed; a bound

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Sizes:
    """How much the summaries of a merged column may hold: `points` of quantiles, frequent values `listed` in `budget`
    bytes, `shapes`."""

    points: int = POINTS
    listed: int = LISTED
    budget: int = 4096
    shapes: int = 64


FINAL = Sizes()  # of what is shown, judged and learned from
#: Of what is merged again: a level of merging adds a quarter of the rank error that the last step has, and a value that
#: is frequent on the whole is still listed where its files were few.
INNER = Sizes(points=512, listed=192, budget=12288, shapes=192)


@dataclass(frozen=True)
class Frequent:
    """The most frequent values.

    Parameters
    ----------
    items : (value, count) by count, largest first. Strings are cut to 256 bytes.
    most_unlisted : the largest count that an unlisted value may have; a listed value has between `count` and
        `count + most_unlisted` rows (exactly `count` in a state that was not merged).
    exact : every value is listed, whole, with its exact count; then `most_unlisted` is 0.
    hashes : the values' (truncated) hashes, by which summaries are merged.
    """

    items: tuple[tuple[Any, int], ...]
    most_unlisted: int
    exact: bool
    hashes: tuple[int, ...] = ()
    undercount: int = 0


def merge_frequent(parts: Sequence[Frequent], keep: int = LISTED, budget: int = 4096) -> Frequent:
    """Merge as mergeable summaries do: add what is listed, bound what is not.

    Agarwal, Cormode, Huang, Phillips, Wei, Yi, "Mergeable summaries" (PODS 2012), section 3. With d levels of merging
    `most_unlisted` is at most (1 + d) n / (keep + 1) where every part listed `keep` values.
    """
    parts = [p for p in parts if p.items or p.most_unlisted]
    if len(parts) == 1 and len(parts[0].items) <= keep:
        return parts[0]
    unlisted = sum(p.most_unlisted for p in parts)
    values = [value for part in parts for value, _ in part.items]
    hashes = np.array([h for part in parts for h in part.hashes], np.uint64)
    unique, first, group = np.unique(hashes, return_index=True, return_inverse=True)
    counts, missed = np.zeros(len(unique), np.int64), np.full(len(unique), unlisted, np.int64)
    np.add.at(counts, group, np.array([count for part in parts for _, count in part.items], np.int64))
    np.add.at(missed, group, np.repeat([p.undercount - p.most_unlisted for p in parts], [len(p.items) for p in parts]))
    order = np.lexsort((unique, -counts))  # `missed`: by how much each count may fall short
    kept = cut_to_budget([values[i] for i in first[order[:keep]]], budget)
    listed, left = order[:kept], order[kept:]
    dropped = int((counts[left] + missed[left]).max(initial=0))
    undercount = int(missed[listed].max(initial=0))
    items = tuple((values[i], count) for i, count in zip(first[listed], counts[listed].tolist(), strict=True))
    return Frequent(items, max(unlisted, dropped), False, tuple(unique[listed].tolist()), undercount)


def cut_to_budget(values: Sequence[Any], budget: int) -> int:
    """How many of the leading values fit into `budget` bytes; at least 8."""
    size = 0
    for i, value in enumerate(values):
        size += len(value) if isinstance(value, str) else 8
        if size > budget and i >= 8:
            return i
    return len(values)


# ------------------------------------------------------------------------------------------------------- quantiles


@dataclass(frozen=True, eq=False)
class Quantiles:
    """Weighted points that stand for a distribution.

    `values` ascending, each standing for `weights` rows; the rank of any x (share of rows <= x) is off by at most
    `error`.
    """

    values: Floats
    weights: Counts
    error: float

    @property
    def n(self) -> int:
        return int(self.weights.sum())

    def quantile(self, q: float) -> float:
        """The smallest value whose rank is at least `q` (the lower quantile); NaN when empty."""
        if len(self.values) == 0:
            return math.nan
        ranks = np.cumsum(self.weights)
        return float(self.values[min(int(np.searchsorted(ranks, q * int(ranks[-1]), side="left")), len(ranks) - 1)])

    def median(self) -> float:
        """The median; the mean of the two middle rows where their number is even and the summary exact."""
        if len(self.values) == 0:
            return math.nan
        ranks = np.cumsum(self.weights)
        n = int(ranks[-1])
        low, high = (float(self.values[np.searchsorted(ranks, r)]) for r in ((n + 1) // 2, n // 2 + 1))
        return low if low == high else low / 2 + high / 2

    def rank(self, x: float) -> float:
        """Share of rows <= x."""
        n = self.n
        upto = int(np.searchsorted(self.values, x, side="right"))
        return float(self.weights[:upto].sum()) / n if n else math.nan

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Quantiles)
            and self.error == other.error
            and np.array_equal(self.values, other.values)
            and np.array_equal(self.weights, other.weights)
        )

    __hash__ = None  # type: ignore[assignment]


def quantiles_of(
    values: Floats, weights: Counts | None = None, *, points: int = POINTS, error: float = 0.0
) -> Quantiles:
    """Summarise ascending `values` by at most `points` points; adds about 1/(2 `points`) to `error`.

    The least and the largest value stand for one row each, so that they stay exact under merge; the rows between are
    cut into `points` - 2 buckets of equal size, each stood for by its middle row, so that any rank is out by half a
    bucket at most.
    """
    if len(values) <= points:
        return _distinct_points(values, np.ones(len(values), np.int64) if weights is None else weights, error)
    ranks = None if weights is None else np.cumsum(weights)
    n = len(values) if ranks is None else int(ranks[-1])
    edges = np.concatenate(([0], 1 + np.arange(points - 1) * (n - 2) // (points - 2), [n]))
    middle = (edges[:-1] + edges[1:]) // 2
    at = middle if ranks is None else np.searchsorted(ranks, middle, side="right")
    return _distinct_points(values[at], np.diff(edges), error + 0.5 / (points - 2) + 1 / n)


def _distinct_points(values: Floats, weights: Counts, error: float) -> Quantiles:
    """Join equal neighbours."""
    if len(values) == 0:
        return Quantiles(np.empty(0), np.empty(0, np.int64), 0.0)
    first = np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))
    return Quantiles(values[first].astype(np.float64), np.add.reduceat(weights, first).astype(np.int64), error)


def merge_quantiles(parts: Iterable[Quantiles | None], points: int = POINTS) -> Quantiles | None:
    """Merge all at once: errors are averaged by weight, compression adds its half bucket once."""
    real = [p for p in parts if p is not None and len(p.values)]
    if not real or (len(real) == 1 and len(real[0].values) <= points):
        return real[0] if real else None
    values = np.concatenate([p.values for p in real])
    weights = np.concatenate([p.weights for p in real])
    order = np.argsort(values, kind="stable")
    n = int(weights.sum())
    error = math.fsum(p.error * p.n for p in real) / n
    joined = _distinct_points(values[order], weights[order], error)
    return quantiles_of(joined.values, joined.weights, points=points, error=error)
