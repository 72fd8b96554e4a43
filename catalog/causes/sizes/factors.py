"""By which factor numbers are off: measured with its error, of all rows or of a part; as a unit where there is one."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catalog.causes.cause import Guess
from catalog.damage.numbers import about, times
from catalog.states.parts.summaries import Quantiles

#: Share of the rows that have to lie where no number was, and share of those said to have changed. Chosen: more than
#: strays, and most: numbers that stay among the others may as well be some of them.
LEAST_PART, MOST_BEYOND = 0.05, 0.5
NEARLY_ALL = 0.9  # share of some rows that is nearly all of them; chosen
#: How far, in logarithms, a factor is sought around that of the middles, and in how many steps: first in coarse ones,
#: then between two of them. Bounds of time.
AROUND, STEPS = 0.75, 31
#: Errors of a measured factor (of its logarithm) below which a factor between units is told of numbers of unknown
#: meaning. Chosen: one in three factors is by chance so near to one of the fourteen between 1 and 100.
EXACTLY = 0.05
CLEAR = 3.0  # times its error that a factor has to differ from 1; chosen: of a few rows any other numbers look so
#: Factors that are no unit's, beside powers of ten: with a tax and without. Chosen: those that are drilled.
TAXES = (1.19, 1.2)
#: Factors between the units that numbers of a meaning have. Bounds of nature.
BETWEEN: dict[str, tuple[float, ...]] = {
    "Amounts": (12, 24),
    "Weights": (2.20462, 453.592, 28.3495),
    "Sizes": (2.54, 3.28084, 1.609344, 25.4, 1024),
    "Altitudes": (3.28084,),
    "Durations": (60, 3600, 24, 7, 12, 52),
    "Quantities": (12,),
}
NEAR_TEN = 0.15  # orders of magnitude by which ends and middles of two batches differ; chosen: by less than a half
KNOWN_MEDIANS = 5  # that tell how far medians move. Chosen: as many as tell that numbers go on from batch to batch
MEDIANS_MOVE = 2.0  # times as far as they lie apart another one may lie from their middle; chosen: seldom by chance
ALIKE = 0.02  # factors whose logarithms differ by less are one. Chosen: what is measured is that exact


class Measured(NamedTuple):
    """A factor, how far its logarithm may be off by chance, and whether only a part of the rows is off by it."""

    factor: float
    error: float
    part: bool = False


def is_near(factor: float, measured: Measured) -> bool:
    """Whether a factor is one that is measured, as far as that can be told."""
    return abs(math.log(factor / measured.factor)) <= max(measured.error, ALIKE)


def all_factor(a: Quantiles, b: Quantiles) -> Measured | None:
    """The factor between the middles of both distributions; None where it is none, or not positive."""
    x, y = (np.array([q.quantile(p) for p in (0.25, 0.5, 0.75)]) for q in (a, b))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = y / x
    if not np.all(np.isfinite(ratios)) or not np.all(ratios > 0):
        return None
    factor = float(np.median(ratios))
    if abs(math.log(factor)) <= 0.3 or np.ptp(np.log(ratios)) >= 0.2:
        return _power_of_ten(a, b)
    return Measured(factor, _error(a, b.n))


def _error(a: Quantiles, rows: float) -> float:
    """How far the logarithm of the ratio of two medians may be off by chance, the second one of so many rows.

    The logarithm of a median of n numbers has a standard error of sqrt(pi / 2) sigma / sqrt(n), were they lognormal;
    sigma is a half of what their middle half spans over 0.674, and twice the error holds 95 of 100 (Stuart and Ord,
    "Kendall's Advanced Theory of Statistics", section 10.10).
    """
    x = [a.quantile(p) for p in (0.25, 0.5, 0.75)]
    mixed = x[0] * x[2] <= 0  # of both signs there are no logarithms, but the spread beside the median
    spread = float((x[2] - x[0]) / x[1]) if mixed else math.log(x[2] / x[0])
    sigma = abs(spread) / (2 * 0.674)
    return 2 * math.sqrt(math.pi / 2 * (1 / a.n + 1 / rows)) * sigma


def _power_of_ten(a: Quantiles, b: Quantiles) -> Measured | None:
    """The power of ten that the least, the middle and the largest numbers moved by alike, where the quartiles do not
    tell: of numbers in clumps these fall into another clump in each batch."""
    x, y = (np.array([q.quantile(p) for p in (0.0, 0.5, 1.0)]) for q in (a, b))
    if not np.all(x > 0) or not np.all(y > 0):
        return None
    moved = np.log10(y / x)
    tens = np.round(moved)
    if tens[0] == 0 or not np.all(tens == tens[0]) or np.abs(moved - tens).max() > NEAR_TEN:
        return None
    return Measured(10.0 ** float(tens[0]), NEAR_TEN * math.log(10))


def part_factor(a: Quantiles, b: Quantiles, fit_of: Callable[[float], tuple[float, float]]) -> Measured | None:
    """The factor of a part of the rows, most of which lie where no number was: the one that explains most, sought
    around that between the middle of those and of all before. None where too few rows are there, or some numbers were
    not positive.

    Parameters
    ----------
    fit_of : how much of the change a factor explains, and the share of the rows at which it does.
    """
    if not np.all(np.isfinite(b.values)) or not np.all(a.values > 0):
        return None
    side = _beyond(a, b)
    beyond = float(b.weights[side].sum()) / b.n
    if beyond < LEAST_PART or np.any(b.values[side] <= 0):
        return None
    near = math.log(Quantiles(b.values[side], b.weights[side], b.error).median() / a.median())
    wide = AROUND
    for _ in range(3):
        tried = near + np.linspace(-wide, wide, STEPS)
        near = float(max(tried, key=lambda one: fit_of(math.exp(one))[0]))
        wide *= 2 / (STEPS - 1)
    share = fit_of(math.exp(near))[1]
    if not share or beyond < MOST_BEYOND * share or abs(near) < max(math.log(2), CLEAR * _error(a, share * b.n)):
        return None
    return Measured(math.exp(near), _error(a, share * b.n), part=share < NEARLY_ALL)


def _beyond(a: Quantiles, b: Quantiles) -> NDArray[np.bool_]:
    """Which numbers are above all before, or below, whichever more are."""
    sides = b.values > a.values.max(), b.values < a.values.min()
    return max(sides, key=lambda one: float(b.weights[one].sum()))


def are_whole_beyond(a: Quantiles, b: Quantiles) -> bool:
    """Whether nearly all numbers that lie beyond all before are whole ones."""
    side = _beyond(a, b)
    values, weights = b.values[side], b.weights[side]
    return bool(len(values) and weights[values == np.round(values)].sum() >= NEARLY_ALL * weights.sum())


def round_finite(value: float) -> float:
    return float(round(value)) if math.isfinite(value) else value


def as_units_allow(guess: Guess, called: str) -> Guess:
    """A guess at a factor between units, as the measured one where numbers so `called` have no such units, or nobody
    knows whether and it is not measured that exactly.

    >>> feet = Guess("scale_3.28084", "scale", 0.9, detail={"factor": 3.28084, "measured": Measured(4.3, 0.4)})
    >>> [as_units_allow(feet, called).detail["factor"] for called in ("Amounts", "Numbers", "Sizes")]
    [4.3, 4.3, 3.28084]
    """
    factor, measured = guess.detail.get("factor"), guess.detail.get("measured")
    if factor is None or measured is None:
        return guess
    kept = replace(guess, detail={name: value for name, value in guess.detail.items() if name != "measured"})
    if _has_no_unit(factor) or max(factor, 1 / factor) in BETWEEN.get(called, ()):
        return kept
    if called not in BETWEEN and measured.error <= EXACTLY:
        return kept
    return _as_measured(kept, measured)


def as_medians_allow(guess: Guess, median: float, past: Sequence[float]) -> Guess:
    """A guess at a factor of all numbers, as the one by which their median moved where that is another: the medians of
    the past, where there are enough, tell how far it moves by itself.

    >>> cents = Guess("scale_1/100", "scale", 0.9, detail={"factor": 0.01})
    >>> rates = [8.1, 8.2, 8.15, 8.25, 8.2]
    >>> [round(as_medians_allow(cents, median, rates).detail["factor"], 4) for median in (0.082, 0.1225)]
    [0.01, 0.0149]
    """
    factor = guess.detail.get("factor")
    if factor is None or guess.share < NEARLY_ALL or len(past) < KNOWN_MEDIANS or min(median, *past) <= 0:
        return guess
    measured = Measured(median / statistics.median(past), MEDIANS_MOVE * math.log(max(past) / min(past)))
    return guess if is_near(factor, measured) else _as_measured(guess, measured)


def _as_measured(guess: Guess, measured: Measured) -> Guess:
    """The guess at a factor with the one that is measured."""
    again = guess.detail["factor"] / measured.factor
    mend = guess.mend and (lambda v: v if (new := guess.mend(v)) == v else times(again)(new))  # type: ignore[misc]
    detail = {**guess.detail, "factor": measured.factor, "error": measured.error}
    return replace(guess, key="scale_other", detail=detail, mend=mend, undo=undone_by(measured.factor, measured))


def undone_by(factor: float, measured: Measured | None = None) -> str:
    """How a factor is undone, in words; of one that is `measured` itself in the digits that it is known in.

    >>> fifth = 1 / 5.53
    >>> undone_by(453.592, Measured(460.0, 0.1, part=True)), undone_by(fifth, Measured(fifth, 0.1)), undone_by(0.01)
    ('divide those that are too large by 453.592', 'multiply by about 5.5', 'multiply by 100')
    """
    those = measured is not None and measured.part
    size = max(factor, 1 / factor)
    exact = measured is None or measured.factor != factor or _has_no_unit(factor)
    by = f"{size:.6g}" if measured is None or exact else f"about {about(size, measured.error)}"
    if factor >= 1:
        return f"divide {'those that are too large ' * those}by {by}"
    return f"multiply {'those that are too small ' * those}by {by}"


def of_those(guess: Guess, measured: Measured, a: Quantiles, b: Quantiles) -> Guess:
    """A guess at the factor of a part of the rows, undone in these alone."""
    factor = guess.detail.get("factor")
    if guess.mend is None or factor is None or not is_near(factor, measured):
        return guess
    return replace(guess, mend=_only_beyond(guess.mend, a, b), undo=undone_by(factor, measured))


def _only_beyond(mend: Callable[[Any], Any], a: Quantiles, b: Quantiles) -> Callable[[Any], Any]:
    """What takes a factor back of those numbers only that lie beyond all before."""
    above = bool(np.any(_beyond(a, b) & (b.values > a.values.max())))
    least, most = float(a.values.min()), float(a.values.max())
    return lambda v: mend(v) if (v > most if above else v < least) else v


def _has_no_unit(factor: float) -> bool:
    ten = math.log10(factor)
    return math.isclose(ten, round(ten), abs_tol=1e-9) or any(
        math.isclose(max(factor, 1 / factor), tax) for tax in TAXES
    )
