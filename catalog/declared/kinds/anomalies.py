"""From a figure's past to the band that its next value is expected in, by the strategies that deequ's users know.

Each looks at earlier values only: the value that is judged changes no band that judges it (deequ's OnlineNormal takes
it in first, so that three standard deviations cannot be left before the eleventh value).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from catalog.errors import UsageError

#: From where to where; None: open. A strategy that needs a longer past answers None.
Band = tuple[float | None, float | None]
#: Chosen as deequ has them: share of values at the start that say nothing, and normal deviate of 95%.
IGNORED_START, NORMAL_95 = 0.1, 1.96


def simple_threshold(
    past: Sequence[float], lower: float | None, upper: float | None, order: int, period: int
) -> Band | None:
    return lower, upper


def absolute_change(
    past: Sequence[float], lower: float | None, upper: float | None, order: int, period: int
) -> Band | None:
    """The difference of an order lies within the bounds."""
    if len(past) < order:
        return None
    known = -sum((-1) ** at * math.comb(order, at) * past[-at] for at in range(1, order + 1))
    return tuple(None if one is None else one + known for one in (lower, upper))  # type: ignore[return-value]


def relative_change(
    past: Sequence[float], lower: float | None, upper: float | None, order: int, period: int
) -> Band | None:
    """The value over the one `order` values ago lies within the bounds; nothing over nothing is no change."""
    if len(past) < order:
        return None
    base = past[-order]
    if base == 0:
        return 0.0, 0.0
    ends = [None if one is None else one * base for one in (lower, upper)]
    return (ends[0], ends[1]) if base > 0 else (ends[1], ends[0])


def online_normal(
    past: Sequence[float], lower: float | None, upper: float | None, order: int, period: int
) -> Band | None:
    """Running mean and population deviation, of values that were none of the anomalies."""
    low, high = (3.0 if one is None else one for one in (lower, upper))
    start, kept = math.ceil(IGNORED_START * len(past)), list[float]()
    for at, value in enumerate(past):
        mean, deviation = (float(np.mean(kept)), float(np.std(kept))) if kept else (value, 0.0)
        usual = mean - low * deviation <= value <= mean + high * deviation
        if at < max(start, 2) or usual:
            kept.append(value)
    if len(kept) < 2:
        return None
    mean, deviation = float(np.mean(kept)), float(np.std(kept))
    return mean - low * deviation, mean + high * deviation


def batch_normal(
    past: Sequence[float], lower: float | None, upper: float | None, order: int, period: int
) -> Band | None:
    """Mean and sample deviation of all earlier values."""
    if len(past) < 2:
        return None
    low, high = (3.0 if one is None else one for one in (lower, upper))
    mean, deviation = float(np.mean(past)), float(np.std(past, ddof=1))
    return mean - low * deviation, mean + high * deviation


def holt_winters(
    past: Sequence[float], lower: float | None, upper: float | None, order: int, period: int
) -> Band | None:
    """Additive level, trend and season (statsmodels); 95% of the residuals. Needs two periods."""
    if len(past) < 2 * period or period < 2:
        return None
    if len(set(past)) == 1:  # nothing to estimate
        return past[0], past[0]
    import warnings

    from statsmodels.tsa.holtwinters import ExponentialSmoothing

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a fit that did not settle is a fit
        model = ExponentialSmoothing(np.asarray(past, float), trend="add", seasonal="add", seasonal_periods=period)
        fitted = model.fit()
    middle, width = float(fitted.forecast(1)[0]), NORMAL_95 * float(np.std(fitted.resid, ddof=1))
    return middle - width, middle + width


STRATEGIES: dict[str, Callable[[Sequence[float], float | None, float | None, int, int], Band | None]] = {
    "SimpleThreshold": simple_threshold,
    "AbsoluteChange": absolute_change,
    "RelativeRateOfChange": relative_change,
    "OnlineNormal": online_normal,
    "BatchNormal": batch_normal,
    "HoltWinters": holt_winters,
}
#: Strategies whose bounds somebody has to say.
BOUNDED = ("SimpleThreshold", "AbsoluteChange", "RelativeRateOfChange")


def expected(past: Sequence[float], strategy: str, **told: Any) -> Band | None:
    """The band of the next value; None where the past is too short for the strategy.

    Parameters
    ----------
    past : oldest first, without missing values.
    told : ``lower``, ``upper`` (bounds, or how many deviations), ``order`` (1), ``period`` (7).

    Raises `UsageError` for a strategy that is not there, or one without the bounds it needs.

    >>> expected([1, 3, 6], "AbsoluteChange", upper=8, order=2)
    (None, 17)
    """
    if strategy not in STRATEGIES:
        raise UsageError(f"there is no strategy {strategy!r}", remedy="use one of " + ", ".join(STRATEGIES))
    lower, upper = told.get("lower"), told.get("upper")
    if strategy in BOUNDED and lower is None and upper is None:
        raise UsageError(f"{strategy} does not say what is expected", remedy="give lower, upper or both")
    order, period = int(told.get("order", 1)), int(told.get("period", 7))
    if order < 0 or (order == 0 and strategy == "RelativeRateOfChange"):
        raise UsageError(f"order {order} is no distance to an earlier value", remedy="give 1 or more")
    finite = [float(one) if not isinstance(one, int) else one for one in past if math.isfinite(one)]
    return STRATEGIES[strategy](finite, lower, upper, order, period)
