"""Whether a metric's series is stationary, and how to make it so (Auto-Validate-by-History, algorithms 4 and 5)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from statsmodels.tsa.adfvalues import mackinnonp

Floats = NDArray[np.float64]

LEAST = 6  # shorter series say nothing to the test


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


def adf_p_value(series: Sequence[float] | Floats, max_lag: int | None = None) -> float:
    """P-value of the augmented Dickey-Fuller test (constant, no trend), null hypothesis: a unit root.

    The lag is chosen by AIC among 0..`max_lag` (default: Schwert's 12 (n/100)^(1/4), at most n/2 - 2), p-values are
    MacKinnon's
    (1994), as in statsmodels' `adfuller`, of which this is the fast form. A constant series is stationary: p = 0.

    >>> adf_p_value([5.0] * 10)
    0.0
    >>> adf_p_value(list(range(30))) > 0.05
    True
    """
    x = np.asarray(series, float)
    n = len(x)
    if np.ptp(x) == 0:
        return 0.0
    most = max(min(math.ceil(12 * (n / 100) ** 0.25), n // 2 - 2), 0) if max_lag is None else max_lag
    dx = np.diff(x)
    y = dx[most:]
    lags = [dx[most - i : len(dx) - i] for i in range(1, most + 1)]
    full = np.column_stack([x[most:-1], np.ones(len(y)), *lags])
    best = _best_lag(full, y)
    y = dx[best:]
    lags = [dx[best - i : len(dx) - i] for i in range(1, best + 1)]
    t = _t_statistic(np.column_stack([x[best:-1], np.ones(len(y)), *lags]), y)
    if t == -math.inf:
        return 0.0  # an exact fit that returns to its mean
    return float(mackinnonp(t, regression="c")) if math.isfinite(t) else 1.0


def _best_lag(design: Floats, y: Floats) -> int:
    """Number of lagged differences (columns after the first two) with the least AIC, from one QR: the models are
    nested."""
    q, _ = np.linalg.qr(design)
    left = float(y @ y) - np.cumsum((q.T @ y) ** 2)
    ssr = np.maximum(left[1:], 1e-300)
    return int(np.argmin(len(y) * np.log(ssr / len(y)) + 2 * np.arange(2, design.shape[1] + 1)))


def _t_statistic(design: Floats, y: Floats) -> float:
    """t of the first coefficient; +-inf for an exact fit, NaN where the data cannot tell."""
    n, k = design.shape
    if n <= k:
        return math.nan
    q, r = np.linalg.qr(design[:, ::-1])  # the coefficient asked for comes last: its variance is 1 / r[-1, -1]^2
    if abs(r[-1, -1]) < 1e-12 * max(float(np.abs(r).max()), 1e-300):
        return math.nan
    projected = q.T @ y
    first = float(projected[-1] / r[-1, -1])
    ssr = float(y @ y - projected @ projected)
    if ssr <= 1e-20 * max(float(y @ y), 1e-300):
        return math.nan if abs(first) < 1e-9 else math.copysign(math.inf, first)
    return first * abs(float(r[-1, -1])) / math.sqrt(ssr / (n - k))


def stationary(series: Sequence[float] | Floats, significance: float = 0.05) -> bool:
    """Whether the ADF test rejects a unit root; series with a missing or infinite value, or too short to tell, are
    not."""
    x = np.asarray(series, float)
    return bool(len(x) >= LEAST and np.isfinite(x).all() and adf_p_value(x) < significance)


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
        for lag in range(1, min(longest or len(x) - 1, len(x) - LEAST) + 1):
            transform = Transform(lag, log)
            if stationary(transform.apply(x)):
                return transform
    return None
