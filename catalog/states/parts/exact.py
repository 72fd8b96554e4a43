"""The parts of a column that is kept value by value, derived from its table of values."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np

from catalog.states.folding.hashing import hash_values, micros
from catalog.states.parts.calendar import Calendar, calendar_of_values
from catalog.states.parts.distinct import FULL, Distinct, no_distinct, truncate
from catalog.states.parts.garbled import garbled_of_values
from catalog.states.parts.moments import WIDE, Moments, add, moments_of
from catalog.states.parts.shapes import Lengths, Shapes, lengths_of_shapes, shapes_of_counts
from catalog.states.parts.summaries import Frequent, Quantiles, quantiles_of

EXACT_VALUES = 128  # a column with at most so many distinct, short values is kept value by value; a bound
VALUE_BYTES = 256  # strings longer than this are cut, and no column that has one is kept value by value; a bound
NUMBER = r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?"  # what a string must be to count as a number
_NUMBER = re.compile(NUMBER)


@dataclass(frozen=True)
class Parts:
    """The parts of a column's state that are sketched once it has too many values to be kept value by value.

    `parsed` cells of strings are numbers, `garbled` ones show that they were read in a wrong encoding (None where a
    state of an earlier release does not tell); `calendar` is of times.
    """

    moments: Moments | None = None
    low: Any = None
    high: Any = None
    distinct: Distinct = field(default_factory=no_distinct)
    frequent: Frequent = field(default_factory=lambda: Frequent((), 0, True))
    quantiles: Quantiles | None = None
    lengths: Lengths | None = None
    shapes: Shapes | None = None
    parsed: int = 0
    garbled: int | None = 0
    calendar: Calendar | None = None


def canonical(counts: Iterable[tuple[Any, int]]) -> tuple[tuple[Any, int], ...]:
    """By rows, largest first, then by value."""
    items = list(counts)
    try:
        items.sort(key=lambda item: item[0])
    except TypeError:  # values of types that do not compare, after a column changed its type
        items.sort(key=lambda item: str(item[0]))
    items.sort(key=lambda item: -item[1])
    return tuple(items)


def fits(values: Sequence[Any]) -> bool:
    """Whether a column of these distinct values is kept value by value."""
    return len(values) <= EXACT_VALUES and all(
        not isinstance(v, str) or len(v) <= VALUE_BYTES // 4 or len(v.encode("utf-8", "surrogatepass")) <= VALUE_BYTES
        for v in values
    )


def derive(kind: str, table: tuple[tuple[Any, int], ...]) -> Parts:
    """All parts of a column of this kind from its table of values."""
    values = [v for v, _ in table]
    counts = np.array([c for _, c in table], np.int64)
    hashes = truncate(hash_values(values))
    distinct = _distinct(hashes, counts, values if kind == "string" else ())
    frequent = Frequent(table, 0, True, tuple(map(int, hashes)))
    if not table or kind == "other":
        return Parts(distinct=distinct, frequent=frequent)
    low, high = extremes(values)
    if kind == "string":
        moments, quantiles, parsed = parse_numbers(values, counts)
        shapes = shapes_of_counts(table)
        lengths = lengths_of_shapes([(s.text, s.count) for s in shapes.items])
        garbled = garbled_of_values(table)
        return Parts(moments, low, high, distinct, frequent, quantiles, lengths, shapes, parsed, garbled)
    if kind == "boolean":
        return Parts(None, low, high, distinct, frequent)
    moments, quantiles = number_parts(values, counts)
    calendar = calendar_of_values(values, counts) if kind == "time" else None
    return Parts(moments, low, high, distinct, frequent, quantiles, calendar=calendar)


def _distinct(hashes: np.ndarray, counts: np.ndarray, texts: Sequence[str]) -> Distinct:
    """The sample of all values, of strings with their texts."""
    order = np.argsort(hashes)
    known = (len(counts), int((counts == 1).sum()))
    found = Distinct(hashes[order], counts[order], FULL, int(counts.sum()), known)
    return found.written([texts[i] for i in order.tolist()]) if texts else found


def extremes(values: Sequence[Any]) -> tuple[Any, Any]:
    try:
        return min(values), max(values)
    except TypeError:
        return None, None


def as_float(value: Any) -> float:
    """A number as double, a time as epoch microseconds."""
    if isinstance(value, (date, datetime, time, timedelta)):
        return float(micros(value))
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def number_parts(values: Sequence[Any], counts: np.ndarray) -> tuple[Moments | None, Quantiles]:
    """Moments and quantiles of a short table of numbers or times; sums of integers and decimals are exact."""
    floats = np.array([as_float(v) for v in values], np.float64)
    order = np.argsort(floats, kind="stable")
    floats, weights = floats[order], counts[order]
    finite = np.isfinite(floats)
    total: Any = None
    if all(isinstance(v, (int, Decimal)) for v in values):
        total = 0
        for value, count in zip(values, counts, strict=True):
            total = add(total, value * int(count) if isinstance(value, int) else _times(value, int(count)))
    moments = moments_of(floats[finite], weights=weights[finite], total=total)
    return moments, quantiles_of(floats, weights, points=max(EXACT_VALUES, len(values)))


def _times(value: Decimal, count: int) -> Decimal:
    return WIDE.multiply(value, Decimal(count))


def parse_numbers(values: Sequence[str], counts: np.ndarray) -> tuple[Moments | None, Quantiles | None, int]:
    """Moments and quantiles of the strings that are numbers (`NUMBER`), and in how many cells they stand."""
    good = [i for i, value in enumerate(values) if _NUMBER.fullmatch(value)]
    if not good:
        return None, None, 0
    floats, weights = np.array([float(values[i]) for i in good]) + 0.0, counts[good]
    order = np.argsort(floats, kind="stable")
    floats, weights = floats[order], weights[order]
    finite = np.isfinite(floats)
    quantiles = quantiles_of(floats, weights, points=max(EXACT_VALUES, len(floats)))
    return moments_of(floats[finite], weights=weights[finite]), quantiles, int(weights.sum())
