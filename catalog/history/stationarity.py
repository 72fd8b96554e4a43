"""Whether a metric's series is stationary, and how to make it so (Auto-Validate-by-History, algorithms 4 and 5)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LEAST_POINTS = 6  # shorter series say nothing to the test: a bound of its degrees of freedom
ROUNDING = 2.0**-48  # of numbers of size 1: what a few operations on doubles leave; a bound


@dataclass(frozen=True)
class Transform:
    """x[t] itself (lag 0) or x[t] - x[t - lag], of the values or of their logarithms.

    >>> Transform(1).apply([100, 103, 105, 106]).tolist()
    [3.0, 2.0, 1.0]
    >>> Transform(0).apply([5, 6]).tolist(), str(Transform(7, log=True))
    ([5.0, 6.0], 'difference of logarithms over 7')
    """

    lag: int = 0
    log: bool = False

    def apply(self, series: Sequence[float] | Floats) -> Floats:
        """The transformed series; it is `lag` shorter. Logarithms want positive values: NaN comes out otherwise."""
        x = np.asarray(series, float)
        if self.log:
            x = np.log(np.where(x > 0, x, np.nan))
        return x[self.lag :] - x[: len(x) - self.lag] if self.lag else x

    def band(self, low: float, high: float, earlier: Sequence[float] | Floats) -> tuple[float, float]:
        """The band of the next raw value, from that of its transform and the `earlier` raw values, oldest first.

        >>> Transform(1).band(-1, 3, [10, 12])
        (11.0, 15.0)
        """
        base = 0.0
        if self.lag:
            base = float(earlier[-self.lag])
            base = math.log(base) if self.log and base > 0 else (math.nan if self.log else base)
        low, high = base + low, base + high
        return (_exp(low), _exp(high)) if self.log else (low, high)

    def __str__(self) -> str:
        of = "logarithms" if self.log else "values"
        return f"difference of {of} over {self.lag}" if self.lag else of


def _exp(x: float) -> float:
    return math.exp(min(x, 700.0))


def adf_p_value(series: Sequence[float] | Floats, scale: float = 0.0) -> float:
    """P-value of the augmented Dickey-Fuller test (constant, no trend, lag by AIC: statsmodels' `adfuller`), null
    hypothesis: a unit root. A series that is constant but for rounding is stationary: p = 0; a straight line is not,
    nor is one that is too short for the test: p = 1.

    Parameters
    ----------
    scale : size of the numbers that the series was computed from: so much larger is the rounding.

    >>> adf_p_value([5.0] * 10), adf_p_value([0.1 * (n + 1) - 0.1 * n for n in range(30)], scale=3.0)
    (0.0, 0.0)
    >>> adf_p_value(list(range(30)))
    1.0
    """
    x = np.asarray(series, float)
    if np.ptp(x) <= ROUNDING * max(scale, float(np.abs(x).max())):
        return 0.0
    if np.ptp(np.diff(x)) <= ROUNDING * max(scale, float(np.abs(x).max())):
        return 1.0  # a straight line: its test divides rounding by rounding
    from statsmodels.tsa.stattools import adfuller  # slow to import

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # of perfect fits, which are answers here
        try:
            p = float(adfuller(x, autolag="AIC", result_object=False)[1])
        except (ValueError, np.linalg.LinAlgError):
            return 1.0
    return p if math.isfinite(p) else 1.0


def stationary(series: Sequence[float] | Floats, significance: float = 0.05, scale: float = 0.0) -> bool:
    """Whether the ADF test rejects a unit root; series with a missing or infinite value, or too short to tell, are
    not. `scale` as for `adf_p_value`."""
    x = np.asarray(series, float)
    return bool(len(x) >= LEAST_POINTS and np.isfinite(x).all() and adf_p_value(x, scale) < significance)


def make_stationary(series: Sequence[float] | Floats, longest: int | None = None) -> Transform | None:
    """Algorithm 5: the series itself, else the first lag 1..K-1 that makes it stationary, else the first lag of its
    logarithms.

    `longest` bounds the lags; None (no transform helps) means that the metric is to be ignored.

    >>> make_stationary([100, 103, 105, 106, 109, 111, 112, 115, 116, 119, 121, 122, 125, 128, 129, 131]).lag in (1, 2)
    1
    """
    x = np.asarray(series, float)
    if stationary(x):
        return Transform()
    for log in (False, True):
        if log and not (x > 0).all():
            return None
        scale = float(np.abs(np.log(x) if log else x).max()) if np.isfinite(x).all() else 0.0
        for lag in range(1, min(longest or len(x) - 1, len(x) - LEAST_POINTS) + 1):
            transform = Transform(lag, log)
            if stationary(transform.apply(x), scale=scale):
                return transform
    return None
