"""Numbers of a column and of a pair of columns: extremes, sums and moments."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from catalog.states.parts.moments import WIDE, Moments, merge_moments, moments_of

Number = int | float | Decimal
_NONE: Moments = Moments(0, 0.0, 0.0, 0.0, 0.0, 0)


@dataclass(frozen=True)
class Numbers:
    """The numbers of some rows; nulls are skipped, a NaN or an infinity is counted and makes mean and sum what it is.

    Parameters
    ----------
    moments : of the finite numbers; the total is exact for integers and decimals.
    low, high : extremes of all numbers that are not NaN, in their own type; None without any.
    zeros : numbers equal to 0.
    nans, above, below : NaNs, positive and negative infinities.

    >>> both = numbers(pa.array([3_000_000_000, 3_000_000_010, None]))
    >>> both.low, both.high, both.n, both.mean
    (3000000000, 3000000010, 2, 3000000005.0)
    >>> numbers(pa.array([2**63 - 1, 1])).mean > 4.6e18
    True
    """

    moments: Moments = _NONE
    low: Number | None = None
    high: Number | None = None
    zeros: int = 0
    nans: int = 0
    above: int = 0
    below: int = 0

    @property
    def n(self) -> int:
        return self.moments.n + self.nans + self.above + self.below

    @property
    def special(self) -> float | None:
        """What a sum with these NaNs and infinities is; None where all numbers are finite."""
        if self.nans or (self.above and self.below):
            return math.nan
        return math.inf if self.above else -math.inf if self.below else None

    @property
    def total(self) -> Number | None:
        if not self.n:
            return None
        return self.moments.total if self.special is None else self.special

    @property
    def mean(self) -> float | None:
        if not self.n:
            return None
        return float(self.moments.total) / self.moments.n if self.special is None else self.special

    @property
    def minimum(self) -> Number | None:
        """Smallest number; NaN is above every other, as in Spark."""
        return self.low if self.low is not None else math.nan if self.nans else None

    @property
    def maximum(self) -> Number | None:
        return math.nan if self.nans else self.high

    def moment(self, name: str) -> float | None:
        """``variance``, ``deviation`` (both of the population), ``skewness`` or ``kurtosis`` (excess)."""
        if not self.n:
            return None
        if self.special is not None:
            return math.nan
        found: float = getattr(self.moments, name)
        return None if math.isnan(found) else found

    def to_json(self) -> Any:
        m = self.moments
        return [[m.n, m.mean, m.m2, m.m3, m.m4, _out(m.total)], _out(self.low), _out(self.high), self.zeros, self.nans,
                self.above, self.below]  # fmt: skip

    @classmethod
    def from_json(cls, data: Any) -> Numbers:
        moments, low, high, *counts = data
        n, mean, m2, m3, m4, total = moments
        return cls(Moments(n, mean, m2, m3, m4, _in(total)), _in(low), _in(high), *counts)


def _out(value: Number | None) -> Any:
    """A number as JSON keeps it: integers exactly, decimals and infinities as text."""
    if isinstance(value, Decimal):
        return {"decimal": str(value)}
    return {"float": repr(value)} if isinstance(value, float) and not math.isfinite(value) else value


def _in(value: Any) -> Any:
    if isinstance(value, dict):
        return Decimal(value["decimal"]) if "decimal" in value else float(value["float"])
    return value


def merge_numbers(parts: Iterable[Numbers]) -> Numbers:
    """The numbers of the rows of all."""
    found = [part for part in parts if part.n]
    if not found:
        return Numbers()
    finite = [part.moments for part in found if part.moments.n]
    lows = [part.low for part in found if part.low is not None]
    highs = [part.high for part in found if part.high is not None]
    return Numbers(
        merge_moments(finite) or _NONE,
        min(lows, default=None),
        max(highs, default=None),
        *(sum(getattr(part, name) for part in found) for name in ("zeros", "nans", "above", "below")),
    )


def numbers(values: pa.Array) -> Numbers:
    """Numbers of a batch. Raises TypeError for a column that is not of numbers."""
    kind = values.type
    values = values.drop_null()
    if pa.types.is_boolean(kind) or not (
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    ):
        raise TypeError(f"values of type {kind} are no numbers")
    if not len(values):
        return Numbers()
    if pa.types.is_floating(kind):
        return _floats(values.cast(pa.float64()).to_numpy(zero_copy_only=False))
    extremes = pc.min_max(values).as_py()
    zeros = pc.sum(pc.equal(values, pa.scalar(Decimal(0) if pa.types.is_decimal(kind) else 0, kind))).as_py()
    if pa.types.is_decimal(kind):
        total: Number = sum(values.to_pylist(), Decimal(0)) if len(values) < 4096 else _decimal_total(values)
    else:
        total = int(pc.sum(values.cast(pa.decimal128(38, 0))).as_py())
    return Numbers(
        moments_of(values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False), total=total) or _NONE,
        extremes["min"], extremes["max"], int(zeros or 0),
    )  # fmt: skip


def _decimal_total(values: pa.Array) -> Decimal:
    total = Decimal(0)
    for value, count in zip(*pc.value_counts(values).flatten(), strict=True):
        total = WIDE.add(total, WIDE.multiply(value.as_py(), Decimal(count.as_py())))
    return total


def _floats(array: np.ndarray) -> Numbers:
    nan, high, low = np.isnan(array), np.isposinf(array), np.isneginf(array)
    finite, there = array[~(nan | high | low)], array[~nan]
    moments = moments_of(finite, total=math.fsum(finite)) or _NONE
    return Numbers(
        moments, float(there.min()) if len(there) else None, float(there.max()) if len(there) else None,
        int(np.count_nonzero(finite == 0)), int(nan.sum()), int(high.sum()), int(low.sum()),
    )  # fmt: skip


#: A mean that was added up in parts is so near to the true one, as a share of it: a bound, of eight roundings.
ROUNDED = 8 * float(np.finfo(float).eps)


@dataclass(frozen=True)
class Pair:
    """Six moments of two columns over the rows that have both (SQL's regr_count, avgx, avgy, sxx, syy, sxy).

    >>> round(pairs(pa.array([1.0, 2, 3, None]), pa.array([2.0, 4, 6.5, 1])).correlation, 6)
    0.997949
    >>> pairs(pa.array([1, 1]), pa.array([1, 2])).correlation is None
    True
    """

    n: int = 0
    mean_x: float = 0.0
    mean_y: float = 0.0
    sxx: float = 0.0
    syy: float = 0.0
    sxy: float = 0.0

    @property
    def correlation(self) -> float | None:
        """Pearson's; None without pairs or where a column is constant but for rounding, NaN where a number is NaN or
        infinite.

        >>> Pair(3, 699051.3713000689, 1.0, 2.7e-20, 2.0, 1e-10).correlation is None
        True
        """
        if math.isnan(self.sxx) or math.isnan(self.syy):
            return math.nan
        rounding = (self.n * (ROUNDED * mean) ** 2 for mean in (self.mean_x, self.mean_y))
        if self.n < 2 or any(spread <= least for spread, least in zip((self.sxx, self.syy), rounding, strict=True)):
            return None
        return max(-1.0, min(1.0, self.sxy / math.sqrt(self.sxx) / math.sqrt(self.syy)))

    def to_json(self) -> Any:
        return [self.n, self.mean_x, self.mean_y, self.sxx, self.syy, self.sxy]

    @classmethod
    def from_json(cls, data: Any) -> Pair:
        return cls(*data)


def pairs(x: pa.Array, y: pa.Array) -> Pair:
    """Moments of a batch. Raises TypeError for columns that are not of numbers."""
    for values in (x, y):
        numbers(values.slice(0, 0))
    both = pc.and_(x.is_valid(), y.is_valid())
    a, b = (v.filter(both).cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False) for v in (x, y))
    if not len(a):
        return Pair()
    da, db = a - a.mean(), b - b.mean()
    # einsum, not @: the sum of products is too short to start threads for
    sxx, syy, sxy = (float(np.einsum("i,i->", one, other)) for one, other in ((da, da), (db, db), (da, db)))
    return Pair(len(a), float(a.mean()), float(b.mean()), sxx, syy, sxy)


def merge_pairs(parts: Iterable[Pair]) -> Pair:
    """The moments of the rows of all (Chan et al., about the common means)."""
    found = [part for part in parts if part.n]
    if not found:
        return Pair()
    n = sum(p.n for p in found)
    mx, my = sum(p.n * p.mean_x for p in found) / n, sum(p.n * p.mean_y for p in found) / n
    return Pair(
        n, mx, my,
        sum(p.sxx + p.n * (p.mean_x - mx) ** 2 for p in found),
        sum(p.syy + p.n * (p.mean_y - my) ** 2 for p in found),
        sum(p.sxy + p.n * (p.mean_x - mx) * (p.mean_y - my) for p in found),
    )  # fmt: skip
