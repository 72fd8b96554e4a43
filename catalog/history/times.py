"""Distances between two batches' hours of the day, and what stands twice: in a batch, or in the batch before too."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from catalog.states.column import ColumnState
from catalog.states.parts.distinct import Distinct
from catalog.states.table import TableState

Floats = NDArray[np.float64]
#: Share of the distance of two days' profiles that may be left when one is turned by hours. Chosen: of 1,080 pairs of
#: loads of a day in which nothing turned (four profiles, 50 to 5,000 rows) none was beyond it, of 0.5 twenty of the
#: loads that come round the clock were in a hundred.
TURNED = 0.3
CHANCE = 0.001  # of two profiles to differ as much by chance, below which nothing turned; chosen


def shares(counts: Sequence[int]) -> Floats:
    """Counts as shares of their sum, which is not 0."""
    x: Floats = np.asarray(counts, float)
    x = x / x.sum()
    return x


def circular_emd(p: Floats, q: Floats) -> float:
    """Earth mover's distance of two distributions over a circle of equal steps, in steps.

    Mass moves either way round: the sum of |F - G - median(F - G)| over the steps (Werman et al., 1986).

    >>> day = np.zeros(24)
    >>> day[9] = 1.0
    >>> circular_emd(day, np.roll(day, 2)), circular_emd(day, np.roll(day, 23)), circular_emd(day, day)
    (2.0, 1.0, 0.0)
    """
    ahead = np.cumsum(p - q)
    return float(np.abs(ahead - np.median(ahead)).sum())


def turn_of(now: Sequence[int], before: Sequence[int]) -> int:
    """By how many hours a day's profile turned, -12..12: 0 unless so many hours earlier it is far more alike
    (`TURNED`), and the profiles differ by more than chance. Alike is what has a small triangular discrimination
    (Topsøe, 2000), by which hours count in which nothing happened; of two draws of n and m from one profile of k hours
    it is (1 / n + 1 / m) / 2 of a chi-squared of k - 1.

    Parameters
    ----------
    now, before : how many times of each hour there are.

    >>> day = [0] * 8 + [30, 50, 60, 40, 20] + [0] * 11
    >>> [turn_of(np.roll(day, hours).tolist(), day) for hours in (2, -7, 0)]
    [2, -7, 0]
    >>> turn_of([11, 9] * 12, [9, 11] * 12), turn_of([10] * 24, day)
    (0, 0)
    """
    p, q = shares(now), shares(before)
    apart = {hours: _discrimination(p, np.roll(q, hours)) for hours in range(-12, 13)}
    held = int(np.count_nonzero(p + q))
    by_chance = chdtri(max(held - 1, 1), CHANCE) * (1 / sum(now) + 1 / sum(before)) / 2
    best = min(apart, key=lambda hours: (apart[hours], abs(hours)))
    return best if apart[0] > by_chance and apart[best] < TURNED * apart[0] else 0


def _discrimination(p: Floats, q: Floats) -> float:
    there = p + q > 0
    return float(((p - q)[there] ** 2 / (p + q)[there]).sum())


def repeated(current: Distinct, previous: Distinct) -> float:
    """Share of the rows that the batch before has as well, of a sample of the distinct rows of both, 0..1."""
    threshold = np.uint64(min(current.threshold, previous.threshold) - 1)
    kept = current.hashes <= threshold
    rows = current.counts[kept]
    there = np.isin(current.hashes[kept], previous.hashes)
    return float(rows[there].sum() / rows.sum()) if rows.sum() else float("nan")


def same_rows(current: TableState, previous: TableState) -> bool:
    """Whether two batches hold the same rows, as far as their states tell: no row of the sample is new, and no figure
    of any column is another. A row in a million that is another shows in sums and in what hashes are least."""
    return (
        current.rows == previous.rows > 0
        and list(current.of_rows) == list(previous.of_rows)
        and repeated(current.row_distinct, previous.row_distinct) == 1.0
        and all(_alike(column, previous.columns[name]) for name, column in current.of_rows.items())
    )


def _alike(a: ColumnState, b: ColumnState) -> bool:
    if (a.type, a.non_null, a.low, a.high) != (b.type, b.non_null, b.low, b.high):
        return False
    if a.table is not None or b.table is not None:
        return a.table == b.table
    same = np.array_equal(a.distinct.hashes, b.distinct.hashes) and np.array_equal(a.distinct.counts, b.distinct.counts)
    return same and _sums(a) == _sums(b)


def _sums(column: ColumnState) -> tuple[str, ...]:
    """Sums of numbers and of characters, in so many digits that the order of the rows does not matter."""
    numbers, lengths = column.moments, column.lengths
    sums = [*((numbers.mean, numbers.m2) if numbers else ()), *((lengths.chars, lengths.m2) if lengths else ())]
    return tuple(f"{x:.9g}" for x in sums)


def duplicated(rows: Distinct) -> float:
    """Share of the rows that stand there before already, of a sample of the distinct rows, 0..1: 0 where all differ."""
    seen = int(rows.counts.sum())
    return 1 - len(rows.counts) / seen if seen else float("nan")
