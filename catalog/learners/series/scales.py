"""How large the rows and figures of a past are, and the least change of a metric that means something there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catalog.metrics.registry import METRICS, SAMPLED
from catalog.rules.clauses.band import KEEPS, OF_ALL_ROWS, filled
from catalog.states.parts.summaries import POINTS

Floats = NDArray[np.float64]

#: Tables whose rows change less than this from batch to batch are kept, not delivered anew: added rows explain changes.
#: Chosen: below it nobody would call the rows new.
KEPT = 0.01
#: Share of batches with fewer rows than `KEEPS` of those before, beyond which rows are not kept. Chosen: a table that
#: is cleaned up once in ten deliveries keeps them; a quiet day a week is one batch in seven.
OFTEN = 0.1
#: A column's values stand still where the median distance between batches (L1, or KS of numbers) is at most this.
#: Chosen: one row in two hundred that is another.
STILL = 0.01
#: A single row is at most so many standard deviations from the mean; at most a ninth of all rows are (Chebyshev).
#: A bound.
FAR_ROW = 3.0


@dataclass(frozen=True)
class Scale:
    """What a column's metrics are measured in: its rows, standard deviation and average length, usually; whether its
    rows are kept, and its values stand still; how many are distinct; how far its outer tenths reach; whether it holds
    numbers of which most rows have their own: counted or measured again, they are others, and hardly so; whether its
    rows come and go with the days."""

    rows: float
    std: float
    length: float
    kept: bool
    still: bool = False
    distinct: float = 0.0
    filled: float = 0.0
    low_tail: float = 0.0
    high_tail: float = 0.0
    measured: bool = False
    swings: bool = False


def scale_of(series: Sequence[Mapping[str, float]]) -> Scale:
    rows = np.array([m["row_count"] for m in series if "row_count" in m])
    std, length = (float(np.median([m[n] for m in series if n in m] or [0.0])) for n in ("std", "str_len"))
    kept = is_kept(rows)
    moves = [m.get("L_1", m.get("KS_dist", 0.0)) for m in series[1:]]
    still = kept and float(np.median(moves)) <= STILL
    distinct = float(np.median([m["dist_val_count"] for m in series if "dist_val_count" in m] or [0.0]))
    there = float(np.median([filled(m) for m in series] or [0.0]))
    tails = (_tail(series, "min", "low_decile"), _tail(series, "high_decile", "max"))
    measured = "log_mean" in series[-1] and 2 * distinct > there
    usual = float(np.median(rows)) if len(rows) else 0.0
    return Scale(usual, std, length, kept, still, distinct, there, *tails, measured, swings(rows))


def _tail(series: Sequence[Mapping[str, float]], low: str, high: str) -> float:
    """How far the outer tenth of the rows reaches, usually; 0 where so many rows hold the extreme."""
    return float(np.median([m[high] - m[low] for m in series if low in m and high in m] or [0.0]))


def is_kept(rows: Floats) -> bool:
    """Whether most batches have about as many rows as the one before."""
    changes = np.abs(np.diff(rows)) / np.maximum(rows[:-1], 1)
    return len(changes) > 0 and float(np.median(changes)) <= KEPT


def swings(rows: Floats) -> bool:
    """Whether more than one batch in ten has fewer than `KEEPS` of the rows of the one before, as days have of others'
    rows: that more come in the next is no news of rows that were added to those that are there.

    >>> swings(np.array([100.0, 40.0, 130.0] * 5)), swings(np.array([100.0, 130.0, 140.0, 100.0] + [100.0] * 8))
    (True, False)
    """
    return len(rows) > 1 and float(np.mean(rows[1:] < KEEPS * rows[:-1])) > OFTEN


def median(numbers: Floats) -> float:
    """The middle of some numbers, none of them NaN. `numpy.median` takes ten times as long on as few as there are.

    >>> median(np.array([3.0, 1.0, 2.0])), median(np.array([4.0, 1.0]))
    (2.0, 2.5)
    """
    ordered = np.sort(numbers)
    return float((ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2)


def resolution_of(name: str, size: float, scale: Scale) -> float:
    """What change of a metric of that usual `size` means nothing by itself."""
    metric = METRICS[name]
    unit = scale.length if metric.length else 1.0
    tail = {"min": scale.low_tail, "max": scale.high_tail}.get(name, 0.0)
    if tail:
        return metric.relative * size + metric.tail * tail
    return (
        metric.resolution
        + metric.relative * size
        + metric.spread * scale.std
        + metric.length * scale.length
        + (metric.rows + (metric.inside if 0 < size < 1 else 0.0)) / max(_rows_of(name, scale), 1) * unit
        + (0.0 if scale.still else metric.snapshot_resolution)
        + (metric.sampled / SAMPLED if scale.distinct > SAMPLED else 0.0) * min(scale.distinct / max(scale.rows, 1), 1)
    )


def of_one_row(name: str, scale: Scale, size: float = 0.0) -> float:
    """How far one row, when another comes in its place, moves a metric of that usual `size`: a share by one part of the
    rows it is of. Where all numbers were the same the row may hold none of it, or twice as much.

    >>> small = Scale(rows=400, std=6.0, length=9.0, kept=True, filled=12)
    >>> of_one_row("top_ratio", small) == 1 / 12, of_one_row("complete_ratio", small) == 1 / 400
    (True, True)
    >>> of_one_row("mean", small), of_one_row("dist_val_count", small)
    (1.5, 1.0)
    >>> same = Scale(rows=400, std=0.0, length=0.0, kept=True, filled=20)
    >>> of_one_row("mean", same, 100.0), of_one_row("max", same, 100.0), of_one_row("max", small, 100.0)
    (5.0, 100.0, 0.0)
    """
    metric = METRICS[name]
    rows = max(_rows_of(name, scale), 1.0)
    if metric.unit == "rows":
        return 1.0
    if name in ("L_1", "Pat_L_1"):
        return 2 / rows  # one value has a row less, another one more
    if metric.unit == "share" or metric.aspect == "shape":
        return 1 / rows
    if metric.spread:
        varied = scale.std > 0
        if name in ("min", "max"):
            return 0.0 if varied else size
        return max(FAR_ROW * scale.std, 0.0 if varied else size) / rows if name == "mean" else 0.0
    return metric.rows / rows * (scale.length if metric.length else 1.0)


def is_guessed(name: str) -> bool:
    """Whether how far one row moves a metric is a guess, of averages of what rows hold, rather than counted: what it
    moved says more, once it is known.

    >>> is_guessed("log_mean"), is_guessed("complete_ratio"), is_guessed("L_1"), is_guessed("dist_val_count")
    (True, False, False, False)
    """
    metric = METRICS[name]
    return metric.unit not in ("rows", "share") and metric.aspect != "shape" and name not in ("L_1", "Pat_L_1")


def _rows_of(name: str, scale: Scale) -> float:
    """The rows that a metric is about, all or those that are filled, or as many points as a summary tells it by."""
    rows = scale.rows if name in OF_ALL_ROWS else scale.filled or scale.rows
    summed = METRICS[name].summary and scale.distinct > SAMPLED
    return min(rows, POINTS) if summed else rows
