"""How far one metric of a column may go, from how far it went: the band of a clause.

The band's half width is `strictness` times the sum of what the metric moved, stretched by `extrapolation` (few batches
have not shown everything) and `burstiness` (what moves seldom and far may move farther), and of the metric's
resolution: what change of it means nothing by itself. A single movement that is larger than all others is stretched
less: once is no habit. How strict bands must be for a false-alarm rate comes from replays.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from catalog.history.stationarity import Transform
from catalog.learners.series.limits import LEAST, SHOWN, as_it_is_now, fewest_rows, is_filling, least_filled, limited
from catalog.learners.series.scales import Floats, Scale, is_guessed, median, of_one_row, resolution_of
from catalog.metrics.registry import METRICS, Metric, is_share
from catalog.rules.chances import NEVER
from catalog.rules.clauses.band import BandClause
from catalog.rules.deviation import of_few
from catalog.rules.kinds.history import HistoryRule, VolumeRule

PRESENT = 0.75  # a metric must be there in this share of the batches; chosen: a hole a week is left

#: A metric that took a new value most of the time has shown how far it goes: this share of the resolution is left.
#: Chosen; what it costs in false alarms `benchmarks.shipped.calibrate_history` tells, of this and the three below.
KNOWN_SHARE = 0.2
#: No clause lets a metric go more than so many times (strictness 1) as far as it ever went, but once. Chosen.
FARTHEST = 6.0
#: ... nor more than so many times as far as it went that once. Chosen.
ONCE = 1.5
#: ... and this share of what it may go beyond the largest movement, if these are as even as those of averages. Chosen.
STEADY = 0.75
KNOWN = 30  # chosen: batches after which that is so; from twice `LEAST` on, by and by
#: Share of the resolution by which the rows of a kept table may shrink. Chosen: an eighth, since rows are kept there.
SHRINKS = 0.125
#: No band is narrower than what so many single rows make of its metric: of one that never moved, and of one that did.
#: Two rows are no news where one was none. That a column is always filled is believed to the row: it was made so.
FIRST_ROWS, MORE_ROWS = 1.5, 2.0


def extrapolation(n: int) -> float:
    """How many of the largest past deviations the next one may go, having seen `n` of them.

    >>> [round(extrapolation(n), 1) for n in (6, 15, 30)]
    [5.1, 2.9, 2.1]
    """
    return 1.4 + 22 / n


@dataclass(frozen=True)
class Tail:
    """How often healthy batches go beyond their band: P(beyond q bands) = `rate` q^-`index`, for q near 1."""

    rate: float
    index: float


#: By ``python -m benchmarks.shipped.calibrate_history --data DIR`` of a column's program (its furthest clause, or all
#: aspects together) and of the rule on a table's rows; the first fits generated histories and ones made of real tables
#: together (generated ones alone give (0.0082, 7.3)). Of rows only two of 1,200 generated executions were beyond, so
#: that the index stands for the counts at 0.6 to 1.
COLUMN_TAIL = Tail(0.0075, HistoryRule.tail)
VOLUME_TAIL = Tail(0.0016, VolumeRule.tail)
#: Bands are never made narrower or wider than this many times what they are at strictness 1: bounds of
#: where the tails were fitted.
NARROWEST, WIDEST = 0.5, 4.0


def resolution_growth(n: int) -> float:
    """How many times its resolution a metric may move that was seen `n` times: what held for a week is less of an
    invariant.

    >>> [round(resolution_growth(n), 2) for n in (7, 14, 30, 90)]
    [2.07, 1.46, 1.0, 1.0]
    """
    return max(1.0, math.sqrt(30 / n))


def early_widening(n: int) -> float:
    """How many times wider all bands are after `n` batches than after thirty, from which the tails were fitted.

    >>> [round(early_widening(n), 2) for n in (7, 14, 30, 90)]
    [1.12, 1.06, 1.0, 1.0]
    """
    return float(max((30 / n) ** 0.08, 1.0))


def strictness(budget: float, volume: bool = False) -> float:
    """How many times as wide as at strictness 1 a band must be to spend no more than `budget`, 0..1."""
    tail = VOLUME_TAIL if volume else COLUMN_TAIL
    return float(min(max((tail.rate / budget) ** (1 / tail.index), NARROWEST), WIDEST))


def stated(width: float, volume: bool = False) -> float:
    """The false-alarm rate that a program with bands of that width states."""
    tail = VOLUME_TAIL if volume else COLUMN_TAIL
    return float(min(tail.rate * width**-tail.index, 1.0))


def of_one_step(name: str, values: Sequence[float | None], steps: Sequence[int]) -> list[float | None]:
    """A metric's past with each distance over several steps no larger than the largest one over a single step: how far
    batches differ over a hole says nothing more of how far neighbours do. Other metrics as they are.

    >>> of_one_step("KS_dist", [0.2, 0.3, None, 0.9, 0.1], [1, 1, 1, 2, 1])
    [0.2, 0.3, None, 0.3, 0.1]
    """
    known = [v for v, step in zip(values, steps, strict=True) if v is not None and step == 1]
    if METRICS[name].sides != "high" or not known:
        return list(values)
    most = max(known)
    return [v if v is None or step == 1 else min(v, most) for v, step in zip(values, steps, strict=True)]


def clause_of(
    name: str,
    values: Sequence[float | None],
    scale: Scale,
    budget: float,
    batches: int,
    *,
    differencing: bool = True,
    width: float = 1.0,
    filled: Sequence[float] = (),
) -> BandClause | None:
    """The clause on one metric; None where it is missing too often. `values` are those of all batches, None for holes
    too; `batches` are no holes. `differencing`: changes may be judged. `width`: how many times as wide the band is.
    `filled`: how many rows each batch is of, where they are few: those of fewer are judged by a wider band, and what
    these moved counts for as much less."""
    x = np.array([math.nan if v is None else v for v in values], float)
    there = np.isfinite(x)
    if there.sum() < max(LEAST - 1, PRESENT * batches) or not there[-1]:
        return None
    metric = METRICS[name]
    if metric.period:
        x = unrolled(x, metric.period)
    x = as_it_is_now(x, resolution_of(name, median(np.abs(x[there])), scale))
    there = np.isfinite(x)
    size = median(np.abs(x[there]))
    resolution = resolution_of(name, size, scale)
    shrinking = name == "row_count" and scale.kept
    filling = is_filling(name, x)
    best = _best_transform(name, x, resolution, _transforms(name, x, shrinking or filling, differencing))
    if best is None:  # hardly two neighbours are left between holes: those left are taken for neighbours
        x = x[there]
        best = _best_transform(name, x, resolution, _transforms(name, x, shrinking or filling, differencing))
    if best is None:
        return None
    transform, center, spread, n = best
    if resolution <= 0 and spread <= 0:
        return None  # nothing to measure a change by: the column's other metrics see the first one
    residuals = transform.apply(x) - center
    if len(filled) == len(residuals) and is_guessed(name):
        residuals /= [of_few(rows, scale.filled) for rows in filled]
        spread = float(np.nanmax(np.abs(residuals)))
    beyond, left = _stretched(metric, residuals)
    resolution *= left
    sure = resolution
    if not metric.early_invariant:
        resolution *= resolution_growth(n)
    if transform.log:
        resolution = math.log1p(resolution / size)
    moved = beyond * spread
    if name != "row_count":  # a load of twice the rows comes again
        moved = max(beyond * _second(residuals), min(ONCE, beyond) * spread)
    if spread == 0 and n >= SHOWN and center == NEVER.get(name):
        width = 1.0
    width *= strictness(budget, name == "row_count") * early_widening(n) * metric.alone
    half = width * (metric.widening * moved + resolution)
    rows = (MORE_ROWS if spread > 0 else 0.0 if metric.early_invariant else FIRST_ROWS) * of_one_row(name, scale, size)
    rows *= left if filled and is_guessed(name) else 1.0
    half = max(half, math.log1p(rows / size) if transform.log else rows)
    low, high = center - half, center + half
    if metric.period and 2 * half >= metric.period:
        return None  # all the way round
    low, high = limited(name, low, high, x, scale, transform.lag)
    if shrinking:  # rows are imported by hundreds, and deleted one by one
        fallen = max(-float(np.nanmin(residuals)), 0.0)
        low = center - strictness(budget, True) * early_widening(n) * (beyond * fallen + SHRINKS * sure)
    if name == "row_count":
        low = max(low, fewest_rows(x, transform.lag, transform.log))
    if is_share(name) and (filling or not transform.lag):  # all or none, where almost that is expected, is no surprise
        none = -float(x[np.isfinite(x)][-1]) if transform.lag else 0.0
        low = min(low, none) if low <= none + sure else low
        high = max(high, none + 1) if high >= none + 1 - sure else high
    low = max(low, least_filled(name, x, transform.lag))
    added = scale.kept or (filling and not scale.swings)
    explained = added and metric.slack and not transform.log  # by rows that were added
    slack = metric.slack * _unit(name, metric, scale) if explained else None
    return BandClause(
        name, transform.lag, transform.log, center, None if metric.sides == "high" else low, high, scale.filled, slack
    )


def unrolled(x: Floats, period: float) -> Floats:
    """Numbers round a circle as those of a line, cut opposite to their middle; NaN stays.

    >>> unrolled(np.array([23.0, 1.0, 0.5]), 24.0).round(9).tolist()
    [-1.0, 1.0, 0.5]
    """
    turns = 2j * np.pi / period
    middle = float(np.angle(np.exp(turns * x[np.isfinite(x)]).sum())) / (2 * np.pi) * period
    found: Floats = middle + (x - middle + period / 2) % period - period / 2
    return found


def _stretched(metric: Metric, residuals: Floats) -> tuple[float, float]:
    """(how many of its past movements a metric may go, the share of its resolution that is left): less of both where
    its spread is known."""
    n, burst = int(np.isfinite(residuals).sum()), burstiness(residuals)
    beyond = min(extrapolation(n) * max(burst, 1.0), FARTHEST)
    if not metric.shrinks_resolution or not _varied(residuals):
        return beyond, 1.0
    known = min((n - 2 * LEAST + 1) / (KNOWN - 2 * LEAST), 1.0)
    return beyond * (1 - (1 - steadiness(burst)) * known), 1 - (1 - KNOWN_SHARE) * known


def _unit(name: str, metric: Metric, scale: Scale) -> float:
    """What the metric's `slack` is measured in."""
    if name == "dist_val_count":
        return scale.rows
    if metric.spread or name == "std":
        return scale.std
    return scale.length if metric.length else 1.0


def burstiness(residuals: Floats) -> float:
    """How unevenly a metric moves: its largest deviation in thirds of the mean one, at most 3.

    The largest of thirty normal deviations is some 3 means; where it is ten, the next one may be larger still.

    >>> float(burstiness(np.array([1.0, -1, 2, -2, 1]))), float(burstiness(np.array([0.0] * 29 + [5.0])))
    (0.476..., 3.0)
    """
    sizes = np.abs(residuals[np.isfinite(residuals)])
    mean = float(sizes.mean()) if len(sizes) else 0.0
    return min(float(sizes.max()) / (3 * mean), 3.0) if mean > 0 else 0.0


def _second(residuals: Floats) -> float:
    """The second largest deviation; there are more than two."""
    return float(np.sort(np.abs(residuals[np.isfinite(residuals)]))[-2])


def steadiness(burst: float) -> float:
    """Share of `extrapolation` that a varied metric of that burstiness needs: `STEADY` up to 1.1, all from 1.5 on.

    >>> steadiness(1.0), steadiness(1.5)
    (0.75, 1.0)
    """
    return min(max(STEADY + (1 - STEADY) * (burst - 1.1) / 0.4, STEADY), 1.0)


def _varied(y: Floats) -> bool:
    """Whether there are enough past values and half of them are distinct: no invariant, and its spread is known."""
    y = y[np.isfinite(y)]
    return len(y) >= 2 * LEAST and 2 * len(np.unique(y)) >= len(y) + 1


def _transforms(name: str, x: Floats, kept: bool, differencing: bool) -> list[tuple[Transform, float]]:
    """Candidates with the handicap that each takes: a difference forgets the level, a season needs luck to be found.

    What is `kept`, of rows and of cells, is compared with the batch before. What is bad where it is much, and nowhere
    else, is not: after a version of rows that were all new it is no news that most are the old ones again.
    """
    if not differencing or METRICS[name].period or METRICS[name].sides == "high":
        return [(Transform(), 1.0)]
    if kept and len(x) >= LEAST:
        return [(Transform(1), 1.0)]
    found = [(Transform(), 1.0), (Transform(1), 1.3)]
    if len(x) >= 15:
        found.append((Transform(7), 1.6))
    if name in ("row_count", "dist_val_count") and np.nanmin(x) > 0:
        found.append((Transform(1, log=True), 1.3))
        if len(x) >= 15:
            found.append((Transform(7, log=True), 1.6))
    return found


def _best_transform(
    name: str, x: Floats, resolution: float, candidates: Sequence[tuple[Transform, float]]
) -> tuple[Transform, float, float, int] | None:
    """The transform whose past values stay closest to their middle: (it, center, largest deviation, how many seen);
    None where no transform leaves enough values."""
    best: tuple[float, Transform, float, float, int] | None = None
    size = median(np.abs(x[~np.isnan(x)])) or 1.0
    for transform, handicap in candidates:
        y = transform.apply(x)
        y = y[np.isfinite(y)]
        if len(y) < LEAST - 1:
            continue
        center = median(y)
        spread = float(np.max(np.abs(y - center)))
        comparable = spread * size if transform.log else spread
        cost = handicap * (comparable + resolution)
        if best is None or cost < best[0]:
            best = (cost, transform, center, spread, len(y))
    return None if best is None else best[1:]
