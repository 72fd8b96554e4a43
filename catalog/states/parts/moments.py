"""Moments of numbers: sums of powers about the mean, which merge exactly but for rounding.

Frozen values; a merge changes none of them and is deterministic.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

WIDE = Context(prec=100)  # sums of decimals are exact to 100 digits

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

#: Sums of squares below this are those of a constant: their powers are no floats any more. A bound.
TINY = 1e-150


@dataclass(frozen=True)
class Moments:
    """Sums of powers about the mean, of the finite numbers (nulls, NaN and infinities are out).

    `m2`, `m3`, `m4` are sums of (x - mean)^p; `total` is the sum: exact (int, Decimal) for integers and decimals.

    >>> m = moments_of(np.array([1.0, 2, 3, 4, 5, 6]), total=21)
    >>> round(m.variance, 6), round(m.kurtosis, 6), m.total
    (2.916667, -1.268571, 21)
    >>> hexadecimal = moments_of(np.array([1e81, 2e83, 3e80]))  # ids that read as numbers, 12e82
    >>> math.isfinite(hexadecimal.kurtosis), math.isfinite(hexadecimal.skewness)
    (True, True)
    """

    n: int
    mean: float
    m2: float
    m3: float
    m4: float
    total: int | float | Decimal

    @property
    def variance(self) -> float:
        """Population variance."""
        return self.m2 / self.n if self.n else math.nan

    @property
    def deviation(self) -> float:
        """Population standard deviation."""
        return math.sqrt(self.variance) if self.n else math.nan

    @property
    def skewness(self) -> float:
        """Population skewness; NaN for a constant."""
        # divided in steps: a power of m2 would leave the range of a float before the quotient does
        return math.sqrt(self.n) * (self.m3 / self.m2 / math.sqrt(self.m2)) if self.n and self.m2 > TINY else math.nan

    @property
    def kurtosis(self) -> float:
        """Population excess kurtosis; NaN for a constant."""
        return self.n * (self.m4 / self.m2 / self.m2) - 3 if self.n and self.m2 > TINY else math.nan


def moments_of(
    values: Floats, *, total: int | float | Decimal | None = None, weights: Counts | None = None
) -> Moments | None:
    """Moments of finite `values`, each counted `weights` times; None when there are none."""
    n = len(values) if weights is None else int(weights.sum())
    if n == 0:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        # no BLAS: its threads cost more than these sums
        raw = float(values.sum() if weights is None else (values * weights).sum())
        mean = raw / n if math.isfinite(raw) else float((values / n * (1 if weights is None else weights)).sum())
        d = values - mean
        d -= float((d if weights is None else d * weights).sum()) / n  # the mean itself is rounded
        d2 = d * d
        if weights is None:
            m2, m3, m4 = float(d2.sum()), float((d2 * d).sum()), float((d2 * d2).sum())
        else:
            w2 = d2 * weights
            m2, m3, m4 = float(w2.sum()), float((w2 * d).sum()), float((w2 * d2).sum())
    return Moments(n, mean, _finite(m2), _finite(m3), _finite(m4), raw if total is None else total)


def _finite(x: float) -> float:
    """A sum that overflowed is as large as a float gets."""
    return x if math.isfinite(x) else math.copysign(float(np.finfo(float).max), x if x == x else 1.0)


def merge_moments(parts: Iterable[Moments | None]) -> Moments | None:
    """Merge pairwise.

    Pébay, "Formulas for robust, one-pass parallel computation of covariances and arbitrary-order statistical moments"
    (Sandia report SAND2008-6212), equations 2.1 and 3.1.
    """
    out: Moments | None = None
    for part in parts:
        if part is not None:
            out = part if out is None else _merge_two(out, part)
    return out


def _merge_two(a: Moments, b: Moments) -> Moments:
    n = a.n + b.n
    pa, pb = a.n / n, b.n / n
    d = b.mean - a.mean
    if isinstance(a.total, int) and isinstance(b.total, int):  # means of huge integers are rounded, this is not
        d = (b.total * a.n - a.total * b.n) / (a.n * b.n)
    if not math.isfinite(d):
        d = math.copysign(float(np.finfo(float).max), d)
    with np.errstate(over="ignore", invalid="ignore"):
        d = np.float64(d)
        e = d * d * a.n * pb
        m2 = a.m2 + b.m2 + e
        m3 = a.m3 + b.m3 + e * d * (pa - pb) + 3 * d * (pa * b.m2 - pb * a.m2)
        m4 = (
            a.m4
            + b.m4
            + e * d * d * (pa * pa - pa * pb + pb * pb)
            + 6 * d * d * (pa * pa * b.m2 + pb * pb * a.m2)
            + 4 * d * (pa * b.m3 - pb * a.m3)
        )
    total = add(a.total, b.total)
    mean = float(a.mean * pa + b.mean * pb)
    if isinstance(total, int):
        mean = total / n
    return Moments(n, mean, _finite(float(m2)), _finite(float(m3)), _finite(float(m4)), total)


def add(a: Any, b: Any) -> Any:
    """Exact for integers and decimals; a float makes the sum a float."""
    if isinstance(a, float) or isinstance(b, float):
        return float(a) + float(b)
    if isinstance(a, Decimal) or isinstance(b, Decimal):
        return WIDE.add(Decimal(a), Decimal(b))
    return a + b
