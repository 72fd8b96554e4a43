"""Where a band ends however far its metric has moved: what healthy batches never did in calibration histories.

A band stretches what was seen, which one wild week makes wide enough for anything: all values gone, no value left, a
maximum a thousand times the largest. These ends hold from `2 * LEAST - 1` batches on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from catalog.learners.series.scales import Floats, Scale
from catalog.metrics.registry import METRICS
from catalog.rules.clauses.band import FILLS, KEEPS, BandClause

LEAST = 7  # batches below which nothing is said; chosen: a week of days
SHOWN = 2 * LEAST - 1  # batches that have shown how far a metric goes; chosen: two weeks of days
#: Filled rows of which a share must be `least_remaining`. Chosen: of fewer a share is a row or two.
ENOUGH = 20
#: However far they ever moved, a mean and a maximum of at least `ENOUGH` rows are another level beyond so many times
#: all that they ever were, and a mean below minus that. Chosen: of 6,194 healthy batches of number columns of 23 real
#: series, after fourteen others or more, none was beyond twice.
MOST_TIMES_SEEN = 3.0
#: A distance that never was beyond half of what it can be leaves this share of the rest. Chosen: of 17,000 healthy
#: batches of string and number columns of 25 real series left a half or more, but for one column whose weekly dates
#: began anew; of 2,400 of 15 further tables all, but for one column that was filled for the first time.
REST = 0.5
#: A table whose most rows were at most so many times its fewest never has less than this share of the fewest. Chosen:
#: of 2,425 healthy batches of 40 real series, after thirteen others or more, the worst had 85% of them.
STEADY_ROWS, FEWEST = 2.0, 0.75
#: Squared steps per squared deviation of what goes back and forth. Chosen: noise has two, with a standard deviation of
#: two by the root of how many there are, so that of thirty one in five hundred has less; a trend has hardly any.
BACK_AND_FORTH = 1.0
#: A table whose rows become so many times more or fewer from one batch to the next, and stay, is another table.
#: Chosen: no season triples.
BREAK = 3.0


#: Of a column that was filled in all rows of `SHOWN` batches less than half is beyond its band, if it has one row: a
#: bound.
EMPTIED = 0.5


def as_it_is_now(x: Floats, resolution: float) -> Floats:
    """A metric's past with NaN for what it was before it became another for good: all that was before is farther from
    all that it was since, in the last `2 * LEAST - 1` batches or more, than `BREAK` times what it moved since.

    >>> as_it_is_now(np.array([0.0] + [0.98, 0.97] * 7), 0.01)[:3].tolist()
    [nan, 0.98, 0.97]
    >>> as_it_is_now(np.array([0.98, 0.0] + [0.98, 0.97] * 7), 0.01)[:3].tolist()
    [0.98, 0.0, 0.98]
    """
    places = np.flatnonzero(np.isfinite(x))
    known = x[places]  # `low` and `high`: of each batch and all since
    low, high = (least.accumulate(known[::-1])[::-1] for least in (np.minimum, np.maximum))
    far = BREAK * (high - low + resolution)
    # what was just before is looked at first, everywhere at once: hardly ever is it far enough
    last = np.maximum(low[1:] - known[:-1], known[:-1] - high[1:]) > far[1:]
    for at in np.flatnonzero(last[: max(len(known) - 2 * LEAST + 1, 0)])[::-1] + 1:
        before = known[:at]
        if np.maximum(low[at] - before, before - high[at]).min() > far[at]:
            x = x.copy()
            x[: places[at]] = math.nan
            return x
    return x


def least_remaining(least: float) -> float:
    """Share of a column's filled rows, `least` of all in its past, that must be left, however unevenly it moved.

    A column that always held something is never empty; one that was always mostly filled does not lose a quarter of
    it at once: of 16,000 healthy batches that had been at least 60% filled, and not wholly, the worst kept 90%; of
    4,000 that had been less, 13% (`benchmarks.shipped.calibrate_history`).

    >>> [round(least_remaining(share), 2) for share in (0.3, 0.55, 0.65, 1.0)]
    [0.2, 0.38, 0.75, 0.75]
    """
    return float(np.interp(least, (0.5, 0.65), (0.2, 0.75)))


def limited(name: str, low: float, high: float, x: Floats, scale: Scale, lag: int) -> tuple[float, float]:
    """The band of a metric, or of its change if there is a `lag`, within the ends that its past `x` sets."""
    metric, there = METRICS[name], x[np.isfinite(x)]
    shown = len(there) >= SHOWN and scale.filled >= ENOUGH
    if name in ("mean", "max") and shown:
        low, high = _of_level(name, low, high, float(np.abs(there).max()), lag)
    if metric.most is not None and not lag and shown and not (scale.measured and metric.aspect == "values"):
        high = min(high, _most_of(float(there.max()), metric.most))
    least = float(there.min())
    if metric.keeps_share and least * scale.rows >= ENOUGH:
        low = max(low, least_remaining(least) * least - (least if lag else 0.0))
        if lag == 1 and is_filling(name, x):
            last = float(there[-1])
            low = low if is_noise(there) else max(low, (KEEPS - 1) * last)
            high = max(high, FILLS * (1 - last))
    return low, high


def least_filled(name: str, x: Floats, lag: int) -> float:
    """The least that is left of a column that was filled in all rows so far, in however few; -inf of others."""
    there = x[np.isfinite(x)]
    always = METRICS[name].keeps_share and not lag and len(there) >= SHOWN and there.min() >= 1
    return EMPTIED if always else -math.inf


def is_filling(name: str, x: Floats) -> bool:
    """Whether a metric says how full a column is that never was empty, or full, and kept `KEEPS` of what it held from
    each batch to the next, whether or not its table keeps its rows."""
    there = x[np.isfinite(x)]
    if not METRICS[name].keeps_share or there.min() <= 0 or there.max() >= 1:
        return False
    return bool(np.all(there[1:] >= KEEPS * there[:-1]))


def is_noise(x: Floats) -> bool:
    """Whether a metric goes back and forth rather than on: von Neumann's ratio, of its squared steps to its squared
    deviations from the mean, is beyond `BACK_AND_FORTH`. A share of rows that are others each time is such noise, and
    that it lost no tenth so far is luck; that a register was filled is not.

    >>> is_noise(np.array([0.2, 0.21, 0.19, 0.22, 0.19])), is_noise(np.array([0.2, 0.21, 0.21, 0.23, 0.26]))
    (True, False)
    >>> is_noise(np.array([0.2, 0.2]))
    False
    """
    return float(np.square(np.diff(x)).sum()) > BACK_AND_FORTH * float(np.square(x - x.mean()).sum())


def _most_of(ever: float, most: float) -> float:
    """How far a distance of at most `most` may go that was `ever` at the most.

    >>> _most_of(0.1, 1.0), _most_of(0.5, 1.0)
    (0.55, inf)
    """
    return most - REST * (most - ever) if ever < most / 2 else math.inf


def fewest_rows(x: Floats, lag: int, log: bool) -> float:
    """The least that the rows of a steady table may be, or their change or that of their logarithm may be; -inf where
    they were few times, or anything. Changes are measured from the last batch: rules are learned again and again.

    >>> rows = np.array([60.0, 80.0] * 7)
    >>> fewest_rows(rows, 0, False), fewest_rows(rows, 1, False), fewest_rows(rows[:8], 0, False)
    (45.0, -35.0, -inf)
    >>> round(math.exp(fewest_rows(rows, 1, True)), 4), fewest_rows(rows * ([1, 3] * 7), 0, False)
    (0.5625, -inf)
    """
    there = x[np.isfinite(x)]
    least = float(there.min())
    if len(there) < SHOWN or least <= 0 or there.max() > STEADY_ROWS * least:
        return -math.inf
    last = float(there[-1])
    if log:
        return math.log(FEWEST * least / last)
    return FEWEST * least - (last if lag else 0.0)


def of_values(
    clause: BandClause, series: Sequence[Mapping[str, float]], limits: tuple[float, float] | None
) -> BandClause:
    """The clause with the ends that its column's values have.

    Parameters
    ----------
    series : metrics of the past batches. Where no number of these was negative, neither their average nor the
        largest will be; that none will be at all is asked of the share of negative numbers, and not of the smallest,
        whose end below 0 nobody would sign.
    limits : the least and the greatest number that what the column means can be, as a latitude; these end its average,
        smallest and largest, where they held so far.

    >>> past = [{"min": 35.0, "max": 71.0}] * 7
    >>> wide = {name: BandClause(name, center=50.0, low=-150.0, high=250.0) for name in ("mean", "max")}
    >>> [of_values(clause, past, None).ends for clause in wide.values()]
    [(0.0, 250.0), (0.0, 250.0)]
    >>> [of_values(clause, past, (-90.0, 90.0)).ends for clause in wide.values()]
    [(0.0, 90.0), (0.0, 90.0)]
    >>> signed = [one | {"negative_ratio": 0.0} for one in past]
    >>> of_values(BandClause("min", center=50.0, low=-150.0, high=250.0), signed, None).ends
    (None, 250.0)
    >>> of_values(wide["max"], past, (-60.0, 60.0)).ends
    (0.0, 250.0)
    """
    known = [m for m in series if "min" in m and "max" in m]
    if clause.metric not in ("mean", "min", "max") or clause.lag or not known:
        return clause
    smallest, largest = min(m["min"] for m in known), max(m["max"] for m in known)
    least, most = limits or (-math.inf, math.inf)
    if smallest < least or largest > most:
        least, most = -math.inf, math.inf
    if clause.metric == "min" and smallest >= 0 and "negative_ratio" in known[-1] and (clause.low or 0.0) < 0:
        clause = replace(clause, low=None)
    elif clause.metric in ("mean", "max") and smallest >= 0:
        least = max(least, 0.0)
    cut = clause.low is not None and clause.low < least < clause.middle
    return replace(clause, least=least if cut else None, most=most if clause.middle < most < clause.high else None)


def _of_level(name: str, low: float, high: float, ever: float, lag: int) -> tuple[float, float]:
    """A band, or that of a change, that ends at `MOST_TIMES_SEEN` times all that was `ever` seen.

    >>> _of_level("max", -50.0, 90.0, 10.0, 0), _of_level("mean", -50.0, 90.0, 10.0, 1)
    ((-50.0, 30.0), (-40.0, 20.0))
    """
    if ever <= 0:
        return low, high
    most = (MOST_TIMES_SEEN - 1 if lag else MOST_TIMES_SEEN) * ever
    least = -(MOST_TIMES_SEEN + 1 if lag else MOST_TIMES_SEEN) * ever
    return (max(low, least) if name == "mean" else low), min(high, most)
