"""By what all numbers or times of a column moved, from the states of the same rows before and after.

The least and the largest value are known exactly on both sides: where one factor, or one distance, leads both of them
to those of now, and the middle of the column as well, all rows were written anew by it.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from catalog.damage.numbers import FACTORS, UNITS, times
from catalog.history import numbers
from catalog.history.replaced.mixtures import explained
from catalog.states.column import ColumnState
from catalog.states.parts.exact import as_float

#: Where two distributions are compared. Chosen: their middles, where summaries are exact to a bucket of rows.
MIDDLE = np.linspace(0.1, 0.9, 17)
#: Share of these that must have moved as the ends did, and by how much each may be off. Chosen: numbers that repeat
#: make steps, at which a summary is off by one of them.
MOST, EXACT = 0.75, 1e-6
NEAR = 0.1  # relative; chosen: less than neighbouring values of a summary differ by
#: The least factor that is a fault of units rather than a change of prices or currencies. Chosen: a decimal mark.
LEAST_FACTOR = 10.0
#: Share of what moved that a factor in a part of the rows must explain. Chosen: of the same rows it explains all.
EXPLAINED = 0.95
HOUR = 3_600_000_000.0  # in microseconds


def factor_of(now: ColumnState, before: ColumnState) -> float | None:
    """The factor between all numbers of now and of before; None where there is none, or it is 1.

    >>> import pyarrow as pa
    >>> from catalog.states.folding.fold import fold
    >>> state = lambda x: fold(pa.table({"x": x})).columns["x"]
    >>> factor_of(state([0.0, 5.0, 7.0, 11.0]), state([0.0, 5.0, 7.0, 10.0])) is None  # the largest one grew
    True
    >>> factor_of(state([100.0, 250.0, 990.0]), state([1.0, 2.5, 9.9])), factor_of(state([1.0, 4.0]), state([1.0, 2.0]))
    (100, None)
    """
    ends = [as_float(x) for x in (now.low, now.high, before.low, before.high)] if _are_numbers(now, before) else []
    if not ends or not all(map(math.isfinite, ends)):
        return None
    low, high, least, most = ends
    edge, was = (high, most) if abs(most) >= abs(least) else (low, least)
    if was == 0 or edge == 0:
        return None
    factor = _named(edge / was, now.is_whole, was)
    if factor == 1 or factor <= 0 or not (_is(low, least * factor, now) and _is(high, most * factor, now)):
        return None
    x, y = _middles(now, before)
    far = np.abs(y - x * factor)
    good = far <= np.maximum(NEAR * np.abs(x * factor), 1.0 if now.is_whole else 0.0)
    good &= (far <= np.abs(y - x)) | (x == 0)  # of a factor near 1 they would be near it anyway
    return factor if float(good.mean()) >= MOST else None


def part_scaled(now: ColumnState, before: ColumnState, changed: float) -> float | None:
    """The factor of units by which a part of the numbers moved, where it explains what moved and is a part as large as
    the share of rows that is known to have `changed`; None where none does."""
    if not _are_numbers(now, before) or now.quantiles is None or before.quantiles is None:
        return None
    kept: Callable[[float], float] = (lambda v: float(math.trunc(v))) if now.is_whole else float
    best: tuple[float, float] | None = None
    for factor in (one for one in FACTORS if is_of_units(one)):
        change = times(factor)
        fit, share = explained(before.quantiles, now.quantiles, lambda v, change=change: kept(change(v)))  # type: ignore[misc]
        if fit >= EXPLAINED and abs(share - changed) <= NEAR and (best is None or fit > best[0]):
            best = fit, factor
    return None if best is None else best[1]


def _are_numbers(now: ColumnState, before: ColumnState) -> bool:
    return now.kind == "number" and now.low != now.high and before.low is not None


def _named(factor: float, whole: bool, of: float) -> float:
    """The factor that columns are off by in practice, where it is one of these as far as whole numbers tell."""
    off = 1 / abs(of) if whole and factor < 1 else EXACT * factor
    return next((one for one in (*FACTORS, *UNITS) if abs(one - factor) <= off), factor)


def _is(value: float, made: float, state: ColumnState) -> bool:
    """Whether a value is the one that a factor makes, of whole numbers what is left of it."""
    return abs(value - made) <= max(EXACT * abs(made), 1.0 if state.is_whole and not made.is_integer() else 0.0)


def is_of_units(factor: float) -> bool:
    """Whether no price and no currency moves by such a factor: one of units, ten times or more.

    >>> is_of_units(100.0), is_of_units(0.01), is_of_units(1.19), is_of_units(163.2)
    (True, True, False, False)
    """
    return factor in {*FACTORS, *UNITS} and max(factor, 1 / factor) >= LEAST_FACTOR


def hours_of(now: ColumnState, before: ColumnState) -> int | None:
    """By how many hours, whole ones, all times are later; None where they are not, or by none.

    >>> import pyarrow as pa
    >>> from datetime import date
    >>> from catalog.states.folding.fold import fold
    >>> states = [fold(pa.table({"x": [date(2026, 3, 1 + d + k) for k in (0, 2, 9)]})).columns["x"] for d in (0, 1)]
    >>> hours_of(states[1], states[0]), hours_of(states[0], states[0])
    (24, None)
    """
    if now.kind != "time" or now.low is None or before.low is None:
        return None
    try:
        off = {now.low - before.low, now.high - before.high}
    except TypeError:  # times of day, or a column that changed its type
        return None
    by = off.pop()
    hours = by.total_seconds() / 3600
    if off or hours == 0 or not hours.is_integer():
        return None
    if now.table is not None and before.table is not None:
        return int(hours) if {value + by: n for value, n in before.table} == dict(now.table) else None
    x, y = _middles(now, before)
    span = float(x[-1] - x[0])
    good = np.abs(y - x - hours * HOUR) <= max(NEAR * span / len(MIDDLE), EXACT * HOUR)
    return int(hours) if float(good.mean()) >= MOST else None


def _middles(now: ColumnState, before: ColumnState) -> tuple[numbers.Floats, numbers.Floats]:
    """Quantiles before and now."""
    assert now.quantiles is not None
    assert before.quantiles is not None
    a, b = numbers.curves(before.quantiles, now.quantiles)
    return a.inverse(MIDDLE), b.inverse(MIDDLE)


def apart(now: ColumnState, before: ColumnState) -> float:
    """Kolmogorov-Smirnov distance of numbers or times, 0..1."""
    if any(one.quantiles is None or not len(one.quantiles.values) for one in (now, before)):
        return 0.0
    assert now.quantiles is not None
    assert before.quantiles is not None
    return numbers.ks(*numbers.curves(now.quantiles, before.quantiles))
