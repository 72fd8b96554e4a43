"""How often a healthy metric leaves its band: the bounds of Auto-Validate-by-History, propositions 1 to 3.

All take beta (half width of the band, > 0) and sigma (standard deviation of the metric's history) and return an upper
bound of the false-alarm rate, 0..1. A constant history (sigma 0) never leaves a band of positive width: the bound is 0.
"""

from __future__ import annotations

import math

#: Metrics for which only large values are bad (proposition 2).
DISTANCES = frozenset(
    ["EMD", "JS_div", "KL_div", "KS_dist", "Cohen_d", "L_1", "L_inf", "Cosine", "Chisquared"]
    + [f"Pat_{m}" for m in ("L_1", "L_inf", "Cosine", "Chisquared", "JS_div", "KL_div")]
)
#: Metrics that are sums over independent rows (proposition 3).
SUMS = frozenset(["row_count", "mean", "str_len", "char_len", "digit_len", "punc_len", "complete_ratio"])


def chebyshev(beta: float, sigma: float) -> float:
    """Proposition 1: P(|X - mu| >= beta) <= (sigma / beta)^2 (equation 5), for any metric.

    >>> round(chebyshev(0.05, 0.01), 12), round(chebyshev(0.1, 0.01), 12)
    (0.04, 0.01)
    """
    return min(1.0, (sigma / beta) ** 2) if beta > 0 else 1.0


def cantelli(beta: float, sigma: float) -> float:
    """Proposition 2: P(X - mu >= beta) <= sigma^2 / (beta^2 + sigma^2) (equation 6), one-sided.

    >>> cantelli(3.0, 1.0)
    0.1
    """
    return sigma**2 / (beta**2 + sigma**2) if beta > 0 else 1.0


def clt(beta: float, sigma: float) -> float:
    """Proposition 3: P(|X - mu| >= beta) = 1 - erf(beta / (sqrt 2 sigma)) (equation 7), for means of many rows.

    >>> round(clt(1.96, 1.0), 3)
    0.05
    """
    if beta <= 0:
        return 1.0
    return math.erfc(beta / (math.sqrt(2) * sigma)) if sigma > 0 else 0.0


def false_alarm_bound(metric: str, beta: float, sigma: float) -> float:
    """The tightest of the three that holds for `metric` (Algorithm 3, line 8).

    >>> false_alarm_bound("EMD", 3.0, 1.0), round(false_alarm_bound("median", 3.0, 1.0), 3)
    (0.1, 0.111)
    """
    if metric in DISTANCES:
        return cantelli(beta, sigma)
    return clt(beta, sigma) if metric in SUMS else chebyshev(beta, sigma)
