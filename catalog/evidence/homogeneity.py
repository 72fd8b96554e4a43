"""Whether two samples have the same share of values that do not conform (Auto-Validate, section 4)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

SIGNIFICANCE = 0.01  # of both tests, chosen by the paper


@lru_cache(maxsize=65536)
def fisher(bad_before: int, n_before: int, bad_now: int, n_now: int) -> float:
    """Two-tailed p-value of Fisher's exact test that both shares of non-conforming values are the same.

    >>> round(fisher(1, 10, 9, 10), 4)
    0.0011
    """
    total, bad = n_before + n_now, bad_before + bad_now
    x = np.arange(max(0, bad - n_before), min(bad, n_now) + 1)
    p = np.exp(_log_hypergeometric(x, total, bad, n_now))
    return float(min(1.0, p[p <= p[bad_now - x[0]] * (1 + 1e-7)].sum()))


def _log_hypergeometric(x: NDArray[np.int64], total: int, bad: int, drawn: int) -> NDArray[np.float64]:
    """Logarithms of how likely `drawn` of `total` rows hold `x` of those that are bad."""
    from scipy.special import betaln  # scipy.stats has it by name, and takes a second more to load

    good = total - bad
    ways = betaln(bad + 1, 1) + betaln(good + 1, 1) + betaln(total - drawn + 1, drawn + 1) - betaln(total + 1, 1)
    found: NDArray[np.float64] = ways - betaln(x + 1, bad - x + 1) - betaln(drawn - x + 1, good - drawn + x + 1)
    return found


def chi_squared(bad_before: int, n_before: int, bad_now: int, n_now: int) -> float:
    """p-value of Pearson's chi-squared test with Yates' correction of the same hypothesis.

    >>> round(chi_squared(1, 10, 9, 10), 4)
    0.0017
    """
    a, b, c, d = bad_before, n_before - bad_before, bad_now, n_now - bad_now
    rows = (a + b) * (c + d) * (a + c) * (b + d)
    if rows == 0:
        return 1.0
    from scipy.special import chdtrc

    n = a + b + c + d
    return float(chdtrc(1, n * max(0.0, abs(a * d - b * c) - n / 2) ** 2 / rows))


def increased(bad_before: int, n_before: int, bad_now: int, n_now: int) -> bool:
    """Whether a batch has significantly more non-conforming values than the training values had.

    >>> increased(1, 1000, 2, 1000), increased(1, 1000, 50, 1000)
    (False, True)
    """
    if not n_now or bad_now / n_now <= bad_before / max(n_before, 1):
        return False
    return fisher(bad_before, n_before, bad_now, n_now) < SIGNIFICANCE
