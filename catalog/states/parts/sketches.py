"""The mergeable parts of a column's state: moments, distinct values, frequent values, quantiles.

Each is a frozen value. `merge_*` functions take any number of parts at once (a flat merge loses least), never change
their inputs and are deterministic: no randomness, no clock, no process-salted hash. Whatever a part leaves out it
bounds: the rank error of quantiles, the floor of frequent values, the threshold of the distinct sample.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

FULL = 1 << 64  # threshold of a sample that left nothing out
#: Sampled hashes keep their 48 leading bits. Chosen: 0.1% chance that any of 256 collides among 10^9 values.
SAMPLE_BITS = 48
_TRUNCATE = np.uint64((FULL - 1) ^ ((1 << (64 - SAMPLE_BITS)) - 1))
MERGED_SAMPLE = 1024  # a merged sample keeps at most so many values; a bound
POINTS = 128  # points of a quantile summary; a bound
LISTED = 64  # frequent values listed; a bound


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

WIDE = Context(prec=100)  # sums of decimals are exact to 100 digits

Hashes = NDArray[np.uint64]
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


def truncate(hashes: Hashes) -> Hashes:
    """Keep the leading `SAMPLE_BITS` bits of each hash; order is kept."""
    return hashes & _TRUNCATE


# --------------------------------------------------------------------------------------------------------- moments


#: Sums of squares below this are those of a constant: their powers are no floats any more. A bound.
TINY = 1e-150


@dataclass(frozen=True)
class Moments:
    """Sums of powers about the mean, of the finite numbers (nulls, NaN and infinities are out).

    `m2`, `m3`, `m4` are sums of (x - mean)^p; `total` is the sum: exact (int, Decimal) for integers and decimals.

    >>> m = moments_of(np.array([1.0, 2, 3, 4, 5, 6]), total=21)
    >>> round(m.variance, 6), round(m.kurtosis, 6), m.total
    (2.916667, -1.268571, 21)
    >>> hexadecimal = moments_of(np.array([1e81, 2e83, 3e80]))  # ids that read as numbers, 12e82
    >>> math.isfinite(hexadecimal.kurtosis), math.isfinite(hexadecimal.skewness)
    (True, True)
    """

    n: int
    mean: float
    m2: float
    m3: float
    m4: float
    total: int | float | Decimal

    @property
    def variance(self) -> float:
        """Population variance."""
        return self.m2 / self.n if self.n else math.nan

    @property
    def deviation(self) -> float:
        """Population standard deviation."""
        return math.sqrt(self.variance) if self.n else math.nan

    @property
    def skewness(self) -> float:
        """Population skewness; NaN for a constant."""
        # divided in steps: a power of m2 would leave the range of a float before the quotient does
        return math.sqrt(self.n) * (self.m3 / self.m2 / math.sqrt(self.m2)) if self.n and self.m2 > TINY else math.nan

    @property
    def kurtosis(self) -> float:
        """Population excess kurtosis; NaN for a constant."""
        return self.n * (self.m4 / self.m2 / self.m2) - 3 if self.n and self.m2 > TINY else math.nan


def moments_of(
    values: Floats, *, total: int | float | Decimal | None = None, weights: Counts | None = None
) -> Moments | None:
    """Moments of finite `values`, each counted `weights` times; None when there are none."""
    n = len(values) if weights is None else int(weights.sum())
    if n == 0:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        # no BLAS: its threads cost more than these sums
        raw = float(values.sum() if weights is None else (values * weights).sum())
        mean = raw / n if math.isfinite(raw) else float((values / n * (1 if weights is None else weights)).sum())
        d = values - mean
        d -= float((d if weights is None else d * weights).sum()) / n  # the mean itself is rounded
        d2 = d * d
        if weights is None:
            m2, m3, m4 = float(d2.sum()), float((d2 * d).sum()), float((d2 * d2).sum())
        else:
            w2 = d2 * weights
            m2, m3, m4 = float(w2.sum()), float((w2 * d).sum()), float((w2 * d2).sum())
    return Moments(n, mean, _finite(m2), _finite(m3), _finite(m4), raw if total is None else total)


def _finite(x: float) -> float:
    """A sum that overflowed is as large as a float gets."""
    return x if math.isfinite(x) else math.copysign(float(np.finfo(float).max), x if x == x else 1.0)


def merge_moments(parts: Iterable[Moments | None]) -> Moments | None:
    """Merge pairwise.

    Pébay, "Formulas for robust, one-pass parallel computation of covariances and arbitrary-order statistical moments"
    (Sandia report SAND2008-6212), equations 2.1 and 3.1.
    """
    out: Moments | None = None
    for part in parts:
        if part is not None:
            out = part if out is None else _merge_two(out, part)
    return out


def _merge_two(a: Moments, b: Moments) -> Moments:
    n = a.n + b.n
    pa, pb = a.n / n, b.n / n
    d = b.mean - a.mean
    if isinstance(a.total, int) and isinstance(b.total, int):  # means of huge integers are rounded, this is not
        d = (b.total * a.n - a.total * b.n) / (a.n * b.n)
    if not math.isfinite(d):
        d = math.copysign(float(np.finfo(float).max), d)
    with np.errstate(over="ignore", invalid="ignore"):
        d = np.float64(d)
        e = d * d * a.n * pb
        m2 = a.m2 + b.m2 + e
        m3 = a.m3 + b.m3 + e * d * (pa - pb) + 3 * d * (pa * b.m2 - pb * a.m2)
        m4 = (
            a.m4
            + b.m4
            + e * d * d * (pa * pa - pa * pb + pb * pb)
            + 6 * d * d * (pa * pa * b.m2 + pb * pb * a.m2)
            + 4 * d * (pa * b.m3 - pb * a.m3)
        )
    total = add(a.total, b.total)
    mean = float(a.mean * pa + b.mean * pb)
    if isinstance(total, int):
        mean = total / n
    return Moments(n, mean, _finite(float(m2)), _finite(float(m3)), _finite(float(m4)), total)


def add(a: Any, b: Any) -> Any:
    """Exact for integers and decimals; a float makes the sum a float."""
    if isinstance(a, float) or isinstance(b, float):
        return float(a) + float(b)
    if isinstance(a, Decimal) or isinstance(b, Decimal):
        return WIDE.add(Decimal(a), Decimal(b))
    return a + b


# -------------------------------------------------------------------------------------------------------- distinct


@dataclass(frozen=True, eq=False)
class Distinct:
    """A sample of the distinct values by their stable hash, with exact counts.

    Parameters
    ----------
    hashes, counts : the values whose hash is below `threshold`, ascending, and how many rows hold each. A hash below
        the threshold of a union is below that of every part, so that counts stay exact under merge.
    threshold : 2^64 when every value is in the sample.
    rows : rows described (non-null).
    known : (distinct values, values of one row) where they were counted exactly, else None.
    heavy, heavy_rows : hashes of values known to be frequent and the rows that hold them: they are taken out before
    estimating.

    Dasgupta, Lang, Rhodes, Thaler, "A framework for estimating stream expression cardinalities" (ICDT 2016) for
    threshold sampling.
    """

    hashes: Hashes
    counts: Counts
    threshold: int
    rows: int
    known: tuple[int, int] | None
    heavy: Hashes = field(default_factory=lambda: np.empty(0, np.uint64))
    heavy_rows: int = 0

    @property
    def exact(self) -> bool:
        """Whether `estimate` is a count."""
        return self.known is not None

    @property
    def error(self) -> float:
        """Relative standard error of the plain threshold estimate; `estimate` is at least as good. 0 when exact."""
        return 0.0 if self.exact or len(self.hashes) == 0 else 1 / math.sqrt(len(self.hashes))

    def estimate(self) -> float:
        """Number of distinct values.

        Beside the sample the number of rows is known: the difference estimator D + b (N - N') with b = sum c / sum c^2
        corrects the sampled estimate D by how far the sampled estimate N' of the rows is off. It is exact where
        all values are equally frequent (unique columns above all).
        """
        if self.known is not None:
            return float(self.known[0])
        light, mean_light = self._light()
        del mean_light
        return float(min(max(len(self.heavy) + light, len(self.hashes)), max(self.rows, 0)))

    def singletons(self) -> float:
        """Number of values that exactly one row holds."""
        if self.known is not None:
            return float(self.known[1])
        light, share = self._light()
        return float(min(light * share, self.rows))

    def bounds(self) -> tuple[float, float]:
        """Least and largest number of distinct values, in 95 of 100 cases; both `estimate` where that is exact.

        The sampled values are a binomial draw from the distinct ones, which bounds their number; and their rows,
        counted exactly, tell how many rows a value has, by which the known rows are divided. Where values hardly repeat
        the second says much more: of 256 ids that all differ below 2% are there twice. The closer bounds count.
        """
        if self.known is not None:
            return float(self.known[0]), float(self.known[0])
        counts, there = self._light_counts(), len(self.heavy)
        if len(counts) == 0:
            return float(there), float(there)
        few, many = drawn_bounds(len(counts), self.threshold / FULL)
        least, most = repeat_bounds(counts)
        light = self.rows - self.heavy_rows
        if light / least - light / most < many - few:
            few, many = light / most, light / least
        best = self.estimate()
        return min(max(there + few, len(self.hashes)), best), max(min(there + many, self.rows), best)

    def singleton_bounds(self) -> tuple[float, float]:
        """Least and largest number of values that exactly one row holds: the sampled share of them, of `bounds`."""
        if self.known is not None:
            return float(self.known[1]), float(self.known[1])
        counts = self._light_counts()
        low, high = share_bounds(int((counts == 1).sum()), len(counts))
        least, most = (max(end - len(self.heavy), 0.0) for end in self.bounds())
        best = self.singletons()
        return min(low * least, best), max(min(high * most, self.rows), best)

    def _light_counts(self) -> Counts:
        """Rows of each sampled value that is not heavy."""
        return self.counts[~np.isin(self.hashes, self.heavy)] if len(self.heavy) else self.counts

    def _light(self) -> tuple[float, float]:
        """(distinct values that are not heavy, share of singletons among them)."""
        counts = self._light_counts()
        m = len(counts)
        if m == 0:
            return 0.0, 0.0
        p = self.threshold / FULL
        plain = m / p
        total = float(counts.sum())
        slope = total / float((counts.astype(np.float64) ** 2).sum())
        better = plain + slope * (self.rows - self.heavy_rows - total / p)
        width = 4 * math.sqrt(m * (1 - p)) / p
        return min(max(better, plain - width, m), plain + width), float((counts == 1).sum()) / m

    def without(self, heavy: Sequence[tuple[int, int]]) -> Distinct:
        """The same with these (hash, count) taken out of the estimate as heavy, where they stand out of the sample."""
        if self.exact:
            return self
        typical = 3 * float(self.counts.mean()) if len(self.counts) else 1.0
        kept = [(h, c) for h, c in heavy if c > typical]
        hashes = np.array(sorted(h for h, _ in kept), np.uint64)
        return Distinct(self.hashes, self.counts, self.threshold, self.rows, None, hashes, sum(c for _, c in kept))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Distinct)
            and (self.threshold, self.rows, self.known) == (other.threshold, other.rows, other.known)
            and np.array_equal(self.hashes, other.hashes)
            and np.array_equal(self.counts, other.counts)
        )

    __hash__ = None  # type: ignore[assignment]


#: Bounds of what a sample says hold in 95 of 100 cases: so many deviations of a normal distribution.
DEVIATIONS = 1.96


def share_bounds(hits: int, n: int) -> tuple[float, float]:
    """Bounds of a share of which `hits` of `n` were drawn: Wilson's, corrected for continuity, since without that one
    hit says too much. Newcombe, "Two-sided confidence intervals for the single proportion" (1998), method 4.

    >>> [round(x, 4) for x in share_bounds(1024, 1024)], share_bounds(0, 0)
    ([0.9953, 1.0], (0.0, 1.0))
    """
    if n == 0:
        return 0.0, 1.0
    z2, p = DEVIATIONS**2, hits / n
    below = z2 - 2 - 1 / n + 4 * p * (n - hits + 1)
    above = z2 + 2 - 1 / n + 4 * p * (n - hits - 1)
    low = 0.0 if hits == 0 else (2 * hits + z2 - 1 - DEVIATIONS * math.sqrt(below)) / (2 * (n + z2))
    high = 1.0 if hits == n else (2 * hits + z2 + 1 + DEVIATIONS * math.sqrt(above)) / (2 * (n + z2))
    return max(low, 0.0), min(high, 1.0)


def repeat_bounds(counts: Counts) -> tuple[float, float]:
    """Bounds of how many rows a value has on average, of values drawn with their `counts` of rows: bounds of the share
    that repeats, times how often those do. None seen to repeat: whatever does so is taken to come twice.

    >>> [round(x, 4) for x in repeat_bounds(np.ones(1024, np.int64))]
    [1.0, 1.0047]
    """
    more = counts[counts > 1] - 1
    few, many = share_bounds(len(more), len(counts))
    if len(more) == 0:
        return 1.0, 1.0 + many
    typical, spread = float(more.mean()), DEVIATIONS * float(more.std()) / math.sqrt(len(more))
    return 1.0 + few * max(typical - spread, 1.0), 1.0 + many * (typical + spread)


def drawn_bounds(drawn: int, p: float) -> tuple[float, float]:
    """Bounds of the number of things of which `drawn` were, each with chance `p`: where the draw is as far from what is
    expected as it may be (Wilson's interval, solved for the number).

    >>> [round(x) for x in drawn_bounds(1024, 0.01)]
    [96347, 108834]
    """
    z2 = DEVIATIONS**2 * (1 - p)
    center, half = drawn + z2 / 2, math.sqrt(z2 * (drawn + z2 / 4))
    return (center - half) / p, (center + half) / p


def no_distinct() -> Distinct:
    """The sample of no rows."""
    return Distinct(np.empty(0, np.uint64), np.empty(0, np.int64), FULL, 0, (0, 0))


def sample(hashes: Hashes, counts: Counts, k: int) -> Distinct:
    """Sample the `k` smallest of all distinct `hashes` (ascending) of a batch, whose `counts` are known.

    >>> s = sample(np.array([5 << 60, 7 << 60, 9 << 60], np.uint64), np.array([1, 4, 1]), 2)
    >>> len(s.hashes), s.exact, s.estimate(), s.singletons()
    (2, True, 3.0, 2.0)
    """
    known = (len(hashes), int(np.count_nonzero(counts == 1)))
    rows = int(counts.sum())
    threshold = FULL
    if len(hashes) > k:
        threshold = int(truncate(hashes[k : k + 1])[0])
        k = int(np.searchsorted(hashes, np.uint64(threshold)))
    return Distinct(truncate(hashes[:k]), counts[:k].astype(np.int64), threshold, rows, known)


def merge_distinct(parts: Sequence[Distinct], keep: int = MERGED_SAMPLE) -> Distinct:
    """The sample of the union; at most `keep` values where that leaves the sampled share of the rows as it was."""
    parts = [p for p in parts if p.rows]
    if not parts or (len(parts) == 1 and len(parts[0].hashes) <= keep):
        return parts[0] if parts else no_distinct()
    threshold = min(p.threshold for p in parts)
    hashes = np.concatenate([p.hashes for p in parts])
    counts = np.concatenate([p.counts for p in parts])
    if threshold < FULL:
        below = hashes < np.uint64(threshold)
        hashes, counts = hashes[below], counts[below]
    unique, index = np.unique(hashes, return_inverse=True)
    sums = np.zeros(len(unique), np.int64)
    np.add.at(sums, index, counts)
    rows = sum(p.rows for p in parts)
    known = (len(unique), int(np.count_nonzero(sums == 1))) if threshold == FULL else None
    if len(unique) > keep:
        threshold = int(unique[keep])
        unique, sums = unique[:keep], sums[:keep]
        known = None
    return Distinct(unique, sums, threshold, rows, known)


# -------------------------------------------------------------------------------------------------------- frequent


@dataclass(frozen=True)
class Frequent:
    """The most frequent values.

    Parameters
    ----------
    items : (value, count) by count, largest first. Strings are cut to 256 bytes.
    floor : the largest count that an unlisted value may have; a listed value has between `count` and `count + floor`
        rows (exactly `count` in a state that was not merged).
    exact : every value is listed, whole, with its exact count; then `floor` is 0.
    hashes : the values' (truncated) hashes, by which summaries are merged.
    """

    items: tuple[tuple[Any, int], ...]
    floor: int
    exact: bool
    hashes: tuple[int, ...] = ()
    undercount: int = 0


def merge_frequent(parts: Sequence[Frequent], keep: int = LISTED, budget: int = 4096) -> Frequent:
    """Merge as mergeable summaries do: add what is listed, bound what is not.

    Agarwal, Cormode, Huang, Phillips, Wei, Yi, "Mergeable summaries" (PODS 2012), section 3. With d levels of merging
    `floor` is at most (1 + d) n / (keep + 1) where every part listed `keep` values.
    """
    parts = [p for p in parts if p.items or p.floor]
    if len(parts) == 1 and len(parts[0].items) <= keep:
        return parts[0]
    floors = sum(p.floor for p in parts)
    values = [value for part in parts for value, _ in part.items]
    hashes = np.array([h for part in parts for h in part.hashes], np.uint64)
    unique, first, group = np.unique(hashes, return_index=True, return_inverse=True)
    counts, missed = np.zeros(len(unique), np.int64), np.full(len(unique), floors, np.int64)
    np.add.at(counts, group, np.array([count for part in parts for _, count in part.items], np.int64))
    np.add.at(missed, group, np.repeat([p.undercount - p.floor for p in parts], [len(p.items) for p in parts]))
    order = np.lexsort((unique, -counts))  # `missed`: by how much each count may fall short
    kept = cut_to_budget([values[i] for i in first[order[:keep]]], budget)
    listed, left = order[:kept], order[kept:]
    dropped = int((counts[left] + missed[left]).max(initial=0))
    undercount = int(missed[listed].max(initial=0))
    items = tuple((values[i], count) for i, count in zip(first[listed], counts[listed].tolist(), strict=True))
    return Frequent(items, max(floors, dropped), False, tuple(unique[listed].tolist()), undercount)


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
