"""Distinct values of a column, by a sample of their hashes: mergeable, and bounded by the sample's threshold.

Frozen values; a merge takes any number of them at once, changes none, and is deterministic: no randomness, no clock, no
process-salted hash.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from catalog.states.parts.summaries import cut_to_budget

FULL = 1 << 64  # threshold of a sample that left nothing out
#: Sampled hashes keep their 48 leading bits. Chosen: 0.1% chance that any of 256 collides among 10^9 values.
SAMPLE_BITS = 48
_TRUNCATE = np.uint64((FULL - 1) ^ ((1 << (64 - SAMPLE_BITS)) - 1))
MERGED_SAMPLE = 1024  # a merged sample keeps at most so many values; a bound
WRITTEN = 64  # of these it keeps as they are written at most so many; a bound
WRITTEN_BYTES = 2048  # in so many bytes, where that leaves eight; a bound

Hashes = NDArray[np.uint64]
Counts = NDArray[np.int64]


def truncate(hashes: Hashes) -> Hashes:
    """Keep the leading `SAMPLE_BITS` bits of each hash; order is kept."""
    return hashes & _TRUNCATE


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
    values : of strings, the values of the least `hashes`, in their order, cut to 256 bytes: a fair draw of the distinct
    values. Those of a union are known as far as those of every part are.

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
    values: tuple[str, ...] = ()

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
        return replace(self, heavy=hashes, heavy_rows=sum(c for _, c in kept))

    def written(self, values: Sequence[str]) -> Distinct:
        """The same with the `values` of the least hashes as they are written, as many as `WRITTEN` and `WRITTEN_BYTES`
        allow."""
        most = cut_to_budget(values[:WRITTEN], WRITTEN_BYTES)
        return replace(self, values=tuple(values[:most]))

    @property
    def unwritten(self) -> int:
        """The least hash whose value is not known as it is written."""
        return int(self.hashes[len(self.values)]) if len(self.values) < len(self.hashes) else self.threshold

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Distinct)
            and (self.threshold, self.rows, self.known) == (other.threshold, other.rows, other.known)
            and self.values == other.values
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
    return Distinct(unique, sums, threshold, rows, known).written(_written(parts, threshold))


def _written(parts: Sequence[Distinct], threshold: int) -> list[str]:
    """The values of the union's least hashes, as far as they are known of every part."""
    below = min(threshold, *(part.unwritten for part in parts))
    found = {h: text for part in parts for h, text in zip(part.hashes.tolist(), part.values, strict=False)}
    return [found[h] for h in sorted(found) if h < below]
