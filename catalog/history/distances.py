"""Distances between two batches of one column, from their states alone (Auto-Validate-by-History, tables 3 and 4).

The paper compares the raw rows of both batches; here the earlier batch's rows are gone. Numbers are compared by their
quantile summaries (`catalog.history.numbers`), values by a sample of the distinct values with exact counts, shapes
by their counts. What that costs is bounded: by the summaries' rank error for KS, by the standard error of Horvitz and
Thompson's estimate for distances over a sample of values. Both are zero where the states hold every value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: A value that is listed on one side has so many times as large a share of the rows as it can have on the other, where
#: it is not listed, to be taken for one that is not there. Chosen: nine tenths of its rows are new, whatever it had.
NEXT_TO_NONE = 10.0
SMOOTHING = 0.5  # pseudo-count per bin, so that an empty bin makes a divergence large and not infinite; chosen


# ---------------------------------------------------------------------------------------------------- divergences


def kl_div(p: Floats, q: Floats, smoothing: float = SMOOTHING) -> float:
    """Kullback-Leibler divergence KL(p || q) in nats of two count vectors, smoothed by a pseudo-count per cell.

    >>> kl_div(np.array([3.0, 1]), np.array([3.0, 1]))
    0.0
    """
    p, q = (p + smoothing) / (p.sum() + smoothing * len(p)), (q + smoothing) / (q.sum() + smoothing * len(q))
    return float(max(np.sum(p * np.log(p / q)), 0.0))


def js_div(p: Floats, q: Floats) -> float:
    """Jensen-Shannon divergence in bits, 0..1, of two count vectors.

    >>> js_div(np.array([1.0, 0]), np.array([0.0, 1]))
    1.0
    """
    p, q = p / p.sum(), q / q.sum()
    m = (p + q) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(p > 0, p * np.log2(p / m), 0) + np.where(q > 0, q * np.log2(q / m), 0)
    return float(min(max(parts.sum() / 2, 0.0), 1.0))


# ---------------------------------------------------------------------------------------------------------- values


@dataclass(frozen=True)
class Pairs:
    """Two batches' counts of the same values.

    `current[i]`, `previous[i]` rows hold value i; a value stands for `scale[i]` values like it (1 where all values of
    its class are known, the inverse of the sampled share where they are a sample). `n`, `m` rows in all.
    """

    current: Floats
    previous: Floats
    scale: Floats
    n: float
    m: float

    @property
    def exact(self) -> bool:
        return bool(np.all(self.scale == 1))


def paired_values(current: Any, previous: Any) -> Pairs:
    """Align the values of two column states by their hashes.

    Values below both sampling thresholds are a fair sample of all values, with exact counts on both sides. Values
    whose rows are known on both sides are taken out of the sample: one that came with a tenth of the rows would stand
    for many such values if it were drawn, and for none if not.
    """
    a, b = current.distinct, previous.distinct
    threshold = min(a.threshold, b.threshold)
    full = 1 << 64
    scale = full / threshold
    heavy = {} if threshold == full else _heavy(current, previous)
    known = np.array(sorted(heavy), np.uint64)
    parts = []
    for d in (a, b):
        keep = np.ones(len(d.hashes), bool) if threshold == full else d.hashes < np.uint64(threshold)
        if len(known):
            keep &= ~np.isin(d.hashes, known)
        parts.append((d.hashes[keep], d.counts[keep]))
    union = np.union1d(parts[0][0], parts[1][0])
    counts = []
    for hashes, count in parts:
        row = np.zeros(len(union))
        row[np.searchsorted(union, hashes)] = count
        counts.append(row)
    x, y = (np.concatenate((counts[i], [heavy[int(h)][i] for h in known])) for i in (0, 1))
    scales = np.concatenate((np.full(len(union), scale), np.ones(len(known))))
    return Pairs(x, y, scales, float(a.rows), float(b.rows))


def _heavy(current: Any, previous: Any) -> dict[int, tuple[float, float]]:
    """Counts of the values listed as frequent on both sides, by hash, and of those of one side that can have next to
    no rows on the other."""
    found: dict[int, tuple[float, float]] = {}
    for one, other in ((current, previous), (previous, current)):
        if one.frequent is None or other.frequent is None:
            return {}
        listed = dict(zip(other.frequent.hashes, (count for _, count in other.frequent.items), strict=False))
        most = NEXT_TO_NONE * other.frequent.most_unlisted / max(other.distinct.rows, 1) * max(one.distinct.rows, 1)
        for code, (_, count) in zip(one.frequent.hashes, one.frequent.items, strict=False):
            if code in listed or count >= most:
                mine, others = float(count), float(listed.get(code, 0))
                found[int(code)] = (mine, others) if one is current else (others, mine)
    return found


def paired_counts(current: Mapping[Any, float], previous: Mapping[Any, float]) -> Pairs:
    """Align two complete count tables.

    >>> p = paired_counts({"a": 2, "b": 2}, {"a": 4})
    >>> l_1(p), l_inf(p), p.exact
    (1.0, 0.5, True)
    """
    keys = sorted(current.keys() | previous.keys())
    x, y = (np.array([float(side.get(k, 0)) for k in keys]) for side in (current, previous))
    return Pairs(x, y, np.ones(len(keys)), float(x.sum()), float(y.sum()))


def _shares(p: Pairs) -> tuple[Floats, Floats]:
    return p.current / max(p.n, 1), p.previous / max(p.m, 1)


def l_1(p: Pairs) -> float:
    """Sum of the absolute differences of the shares, 0..2."""
    x, y = _shares(p)
    return float(min(np.sum(p.scale * np.abs(x - y)), 2.0))


def l_inf(p: Pairs) -> float:
    """Largest difference of a share, 0..1: of the values seen."""
    x, y = _shares(p)
    return float(np.abs(x - y).max()) if len(x) else 0.0


def cosine(p: Pairs) -> float:
    """Cosine distance, 0..1."""
    x, y = _shares(p)
    norm = math.sqrt(float(np.sum(p.scale * x * x)) * float(np.sum(p.scale * y * y)))
    return float(min(max(1 - np.sum(p.scale * x * y) / norm, 0.0), 1.0)) if norm > 0 else 0.0


def chi_squared(p: Pairs) -> float:
    """Chi-squared distance sum (x - y)^2 / (x + y) / 2 of the shares, 0..1.

    The two-sample statistic for equal sizes is 2n times this, so that the distance does not grow with the rows and a
    history of it is stationary.
    """
    x, y = _shares(p)
    both = x + y
    return float(min(np.sum(p.scale * np.where(both > 0, (x - y) ** 2 / np.where(both > 0, both, 1), 0)) / 2, 1.0))


def js_values(p: Pairs) -> float:
    """Jensen-Shannon divergence in bits, 0..1, of the values' shares."""
    x, y = _shares(p)
    m = (x + y) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(x > 0, x * np.log2(x / m), 0) + np.where(y > 0, y * np.log2(y / m), 0)
    return float(min(max(np.sum(p.scale * parts) / 2, 0.0), 1.0))


def kl_values(p: Pairs) -> float:
    """Kullback-Leibler divergence in nats of the values' shares, smoothed by half a row per value."""
    cells = float(p.scale.sum())
    x = (p.current + SMOOTHING) / (p.n + SMOOTHING * cells) if cells else p.current
    y = (p.previous + SMOOTHING) / (p.m + SMOOTHING * cells) if cells else p.previous
    return float(max(np.sum(p.scale * x * np.log(x / y)), 0.0)) if cells else 0.0


def new_values(p: Pairs) -> float:
    """Share of the rows whose value the earlier batch does not have, 0..1.

    >>> new_values(paired_counts({"a": 3, "b": 1}, {"a": 4}))
    0.25
    """
    return float(min(np.sum((p.scale * p.current)[p.previous == 0]) / max(p.n, 1), 1.0))


def lost_values(p: Pairs) -> float:
    """Share of the earlier batch's rows whose value is gone, 0..1."""
    return float(min(np.sum((p.scale * p.previous)[p.current == 0]) / max(p.m, 1), 1.0))
