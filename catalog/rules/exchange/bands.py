"""Bounds as contracts give them, and the checks that hold a figure, or the number of wrong rows, to them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from catalog.declared.constraint import Constraint
from catalog.errors import UsageError
from catalog.rules.exchange.demands import Made, Noted, filled
from catalog.rules.exchange.documents import number_of

#: Kinds whose figure is a whole number.
COUNTS = ("has_size", "has_count_distinct", "has_duplicates", "has_zeros", "has_column_count", "has_min_length",
          "has_max_length")  # fmt: skip
OPEN = "a figure that is exactly the bound passes here"
SIGNS = (">=", "<=", "!=", "<>", "==", "=", ">", "<")


@dataclass(frozen=True)
class Band:
    """From where to where a figure lies; None: open. `above`, `below`: the end itself is out."""

    low: float | None = None
    high: float | None = None
    above: bool = False
    below: bool = False

    @property
    def none_at_all(self) -> bool:
        """Whether nothing but 0 is let through, of what is never below 0."""
        return self.high == 0 or (self.high == 1 and self.below)


def band_of(sign: str, bound: Any) -> Band:
    """What a sign and a number ask.

    >>> band_of("<", 5)
    Band(low=None, high=5, above=False, below=True)
    """
    value = number_of(bound, "the bound")
    match sign:
        case "=" | "==":
            return Band(value, value)
        case ">=":
            return Band(low=value)
        case ">":
            return Band(low=value, above=True)
        case "<=":
            return Band(high=value)
        case "<":
            return Band(high=value, below=True)
        case "!=" | "<>":
            if value == 0:  # of what is counted
                return Band(low=0, above=True)
            raise UsageError("a figure that may be anything but one value has no band", remedy="give a band")
    raise UsageError(f"{sign[:20]!r} is no comparison", remedy=f"use one of {', '.join(SIGNS)}")


def both(a: Band, b: Band) -> Band:
    """What keeps to two bands, of which one is open below and the other above. Raises `UsageError` where not."""
    low, high = (a, b) if a.low is not None else (b, a)
    if low.high is not None or high.low is not None:
        raise UsageError("two bounds of one figure are on the same side", remedy="give one of them")
    return Band(low.low, high.high, low.above, high.below)


def between(ends: Any) -> Band:
    """From the first to the second of a list, both in."""
    if not isinstance(ends, list) or len(ends) != 2:
        raise UsageError("the bounds are no list of two numbers", remedy="give the lower and the upper one")
    return Band(number_of(ends[0], "the bound"), number_of(ends[1], "the bound"))


def figure(kind: str, columns: Sequence[str], band: Band, *, where: str | None = None, **arguments: Any) -> Made:
    """A check on a figure.

    >>> one = figure("has_size", (), Band(10, 20, True, True))
    >>> one.at_least, one.at_most
    (11, 19)
    """
    low, high = band.low, band.high
    if kind in COUNTS:
        low = None if low is None else math.floor(low) + 1 if band.above else math.ceil(low)
        high = None if high is None else math.ceil(high) - 1 if band.below else math.floor(high)
    made = Constraint(kind, tuple(columns), arguments, low, high, where=where)
    is_open = (band.above or band.below) and kind not in COUNTS
    return Noted((made,), OPEN) if is_open else made


def wrong_rows(one: Constraint, band: Band, *, percent: bool = False) -> Made:
    """That so many rows, or so many per cent of them, may break a demand on each.

    >>> one = Constraint("is_complete", ("id",))
    >>> wrong_rows(one, Band(high=5), percent=True).at_least
    0.95
    >>> wrong_rows(one, Band(high=5, below=True)).sentence
    'number of rows is at most 4, where NOT COALESCE(`id` IS NOT NULL, FALSE)'
    """
    if band.none_at_all and not (percent and band.below) and (band.low or 0) <= 0:
        return one
    if not percent:
        return figure("has_size", (), band, where=one.failing())
    least = None if band.high is None else round(1 - band.high / 100, 9)
    most = None if not band.low and not band.above else round(1 - (band.low or 0) / 100, 9)
    if least is None and most is None:
        raise UsageError("any share of the rows keeps to it", remedy="give an upper bound")
    if one.kind == "is_complete" and most is None and least is not None:
        made = replace(filled(one.columns[0], least), where=one.where)
    else:
        made = replace(one, at_least=least, at_most=most)
    return Noted((made,), OPEN) if band.above or band.below else made
