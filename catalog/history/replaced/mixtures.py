"""How much of what moved in a column of numbers is explained by a part of the rows that were changed in one way."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from catalog.states.parts.summaries import Quantiles

Floats = NDArray[np.float64]
#: How much the share of numbers with decimals counts beside their distribution function.
#: Chosen: rounding moves hardly anything else, and must not outweigh a shift.
DECIMALS = 0.3
#: Standard errors by which two shares differ by chance. Chosen: one in 80 draws exceeds so many.
CHANCE_ERRORS = 2.5


def explained(a: Quantiles, b: Quantiles, change: Callable[[float], float]) -> tuple[float, float]:
    """(share of the change from a to b that is explained, share of rows at which it is) if rows were changed so."""
    with np.errstate(over="ignore", invalid="ignore"):
        values = np.array([change(float(v)) for v in a.values], float)  # whole numbers may be longer than 64 bits
    good = np.isfinite(values)
    order = np.argsort(values[good], kind="stable")
    changed = Quantiles(values[good][order], a.weights[good][order], a.error)
    return mixture(a, b, changed) if len(changed.values) else (0.0, 0.0)


def mixture(a: Quantiles, b: Quantiles, changed: Quantiles) -> tuple[float, float]:
    """The same if rows of a were replaced by such as `changed`: F_b = (1 - s) F_a + s F_changed, s by least squares.

    The squared difference of the distribution functions is integrated over the numbers' orders of magnitude; the share
    of numbers with decimals counts beside.
    """
    points = np.unique(np.concatenate((a.values, b.values, changed.values)))
    points = points[np.isfinite(points)]
    weights = np.sqrt(_widths(points, a))
    x, y, z = (np.append(upto(q, points) * weights, DECIMALS * decimals(q)) for q in (a, b, changed))
    if _alike_by_chance(a, b):
        y[-1] = x[-1]
    moved, predicted = y - x, z - x
    norm, total = float(predicted @ predicted), float(moved @ moved)
    if norm < 1e-12 or total < 1e-12:
        return 0.0, 0.0
    share = min(max(float(moved @ predicted) / norm, 0.0), 1.0)
    left = moved - share * predicted
    return max(1 - float(left @ left) / total, 0.0), share


def _alike_by_chance(a: Quantiles, b: Quantiles) -> bool:
    """Whether shares of numbers with decimals, which are read off the points of a summary, differ by no more than
    those of two draws of as many points do. Where all had decimals, or none, no draw has others."""
    was, has = decimals(a), decimals(b)
    error = math.sqrt(sum(share * (1 - share) / len(q.values) for share, q in ((was, a), (has, b))))
    return 0 < was < 1 and abs(has - was) <= CHANCE_ERRORS * error


def _widths(points: Floats, a: Quantiles) -> Floats:
    """How far each point is from the next one, in orders of magnitude on both sides of 0; they sum to 1."""
    unit = float(np.median(np.abs(a.values[a.values != 0]))) * 0.05 if np.any(a.values != 0) else 1.0
    with np.errstate(over="ignore"):
        scaled = np.sign(points) * np.log1p(np.abs(points) / unit)
    widths = np.diff(scaled, append=scaled[-1:])
    return np.asarray(widths / widths.sum()) if widths.sum() > 0 else np.zeros(len(points))


def upto(q: Quantiles, points: Floats) -> Floats:
    """Share of rows up to each point, a row at a point counted by half: steps of summaries that lie near each other do
    not matter."""
    ranks = np.concatenate(([0.0], np.cumsum(q.weights) / q.n))
    right = ranks[np.searchsorted(q.values, points, side="right")]
    left = ranks[np.searchsorted(q.values, points, side="left")]
    return np.asarray((left + right) / 2)


def decimals(q: Quantiles) -> float:
    """Share of rows with decimals."""
    finite = np.isfinite(q.values)
    values, weights = q.values[finite], q.weights[finite]
    return float(weights[values != np.round(values)].sum() / weights.sum()) if len(values) else 0.0
