"""Damage to numbers: another unit or scale, sign, rounding, defaults."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from catalog.damage.kind import Change, Kind, Rng, each

#: Factors that numbers are off by in practice, and what each means.
FACTORS: dict[float, str] = {
    100: "Probably cents.",
    0.01: "Probably whole units instead of cents, or shares instead of per cents.",
    1000: "Probably thousandths of the unit: metres in millimetres, seconds in milliseconds.",
    0.001: "Probably thousands of the unit.",
    10: "Probably a decimal mark in the wrong place.",
    0.1: "Probably a decimal mark in the wrong place.",
    1.19: "Probably with 19% tax.",
    1.2: "Probably with 20% tax.",
    1 / 1.19: "Probably without 19% tax.",
    1 / 1.2: "Probably without 20% tax.",
    60: "Probably minutes in seconds, or hours in minutes.",
    1 / 60: "Probably seconds in minutes, or minutes in hours.",
    2.20462: "Probably kilograms in pounds.",
    1 / 2.20462: "Probably pounds in kilograms.",
    1.609344: "Probably miles in kilometres.",
    1 / 1.609344: "Probably kilometres in miles.",
    2.54: "Probably inches in centimetres.",
    1 / 2.54: "Probably centimetres in inches.",
    3.28084: "Probably metres in feet.",
    1 / 3.28084: "Probably feet in metres.",
}
#: Further factors between units. A column that is off by one is told so; drills do not try them.
UNITS: dict[float, str] = {
    12: "Probably months instead of years, or pieces instead of dozens.",
    1 / 12: "Probably years instead of months, or dozens instead of pieces.",
    24: "Probably hours instead of days.",
    1 / 24: "Probably days instead of hours.",
    7: "Probably days instead of weeks.",
    1 / 7: "Probably weeks instead of days.",
    52: "Probably weeks instead of years.",
    1 / 52: "Probably years instead of weeks.",
    3600: "Probably seconds instead of hours.",
    1 / 3600: "Probably hours instead of seconds.",
    3.6: "Probably kilometres an hour instead of metres a second.",
    1 / 3.6: "Probably metres a second instead of kilometres an hour.",
    4.184: "Probably kilojoules instead of kilocalories.",
    1 / 4.184: "Probably kilocalories instead of kilojoules.",
    25.4: "Probably millimetres instead of inches.",
    1 / 25.4: "Probably inches instead of millimetres.",
    453.592: "Probably grams instead of pounds.",
    1 / 453.592: "Probably pounds instead of grams.",
    28.3495: "Probably grams instead of ounces.",
    1 / 28.3495: "Probably ounces instead of grams.",
    1024: "Probably bytes instead of kibibytes, or another step of 1,024.",
    1 / 1024: "Probably kibibytes instead of bytes, or another step of 1,024.",
}
NEARLY = 0.08  # how far a measured factor may be off a power of ten to be said as that; chosen
DEFAULTS = (0, -1, 999, 9999, 99999)  # chosen: what systems write for a number that is not there


def factor_name(factor: float) -> str:
    """A factor as people write it.

    >>> factor_name(100), factor_name(0.01), factor_name(1.19), factor_name(1 / 1.19)
    ('100', '1/100', '1.19', '1/1.19')
    """
    return f"{factor:.6g}" if factor >= 1 else f"1/{1 / factor:.6g}"


def undo_of(factor: float) -> str:
    """How numbers that are so many times as large are put right.

    >>> undo_of(100.0), undo_of(0.01)
    ('divide by 100', 'multiply by 100')
    """
    return f"divide by {factor:.6g}" if factor >= 1 else f"multiply by {1 / factor:.6g}"


def about(factor: float, error: float = 0.0) -> str:
    """A measured factor of 1 or more, in as few digits as put it off by no more than half of what its logarithm may be
    off by anyway, three at most; one that is nearly a power of ten as that.

    >>> about(983_000.0), about(11.93), about(12_345.0), about(5.53, 0.1), about(44.4, 0.22)
    ('1,000,000', '11.9', '12,300', '5.5', '40')
    """
    ten = 10.0 ** round(math.log10(factor))
    if abs(factor / ten - 1) < NEARLY:
        return f"{ten:,.10g}"
    tried = [float(f"{factor:.{digits}g}") for digits in (1, 2, 3)]
    return f"{next((one for one in tried if abs(math.log(one / factor)) <= error / 2), tried[-1]):,.10g}"


def times(factor: float) -> Callable[[Any], Any]:
    """Multiply a number of any type; decimals stay decimals, of integers what remains of them is a double."""

    def change(value: Any) -> Any:
        if isinstance(value, Decimal):
            return value * Decimal(f"{factor:.12g}")
        return _plain(value * factor if factor >= 1 else value / (1 / factor), value)

    return change


def plus(by: float) -> Callable[[Any], Any]:
    """Add to a number of any type; decimals stay decimals.

    >>> plus(-273.15)(Decimal("300.00")), plus(0.5)(1)
    (Decimal('26.85'), 1.5)
    """

    def change(value: Any) -> Any:
        return value + (Decimal(f"{by:.12g}") if isinstance(value, Decimal) else by)

    return change


def _plain(new: float, like: Any) -> Any:
    """Without the rounding of binary fractions; whole where it was and still is whole."""
    if not math.isfinite(new):
        return new
    return int(new) if isinstance(like, int) and new == int(new) else float(f"{new:.12g}")


def to_fahrenheit(value: Any) -> Any:
    """Degrees Celsius in Fahrenheit."""
    return value * 9 / 5 + 32


def to_celsius(value: Any) -> Any:
    """Degrees Fahrenheit in Celsius."""
    return (value - 32) * 5 / 9


def _whole(value: Any) -> Any:
    return None if not math.isfinite(value) or value == int(value) else type(value)(round(value))


def _default(values: Sequence[Any], rng: Rng) -> Change | None:
    known = set(values)
    fit = [d for d in DEFAULTS if d not in known]
    if not fit:
        return None
    new = type(values[0])(fit[int(rng.integers(len(fit)))])
    return lambda value: new


def _scale(factor: float, guess: str) -> Kind:
    size = f"about {factor_name(factor)} times"
    return Kind(
        f"scale_{factor_name(factor)}", "scale", f"Numbers in {{column}} are {size} their usual size",
        (10.0, times(factor)(10.0)), "the numbers are all zero, or spread so widely that the size of the change is "
        "within what they do anyway", each(times(factor)), undo=times(1 / factor), guess=guess, of="numbers",
        least=0.5, seen=False,
    )  # fmt: skip


_WIDE = "the numbers spread so widely that the change is within what they do anyway"

NUMBERS = (
    *(_scale(factor, guess) for factor, guess in FACTORS.items()),
    Kind("fahrenheit", "scale", "Numbers in {column} are 9/5 of their usual size and 32 more", (20.0, 68.0), _WIDE,
         each(to_fahrenheit), undo=to_celsius, guess="Probably degrees Fahrenheit.", of="numbers", seen=False),
    Kind("celsius", "scale", "Numbers in {column} are 5/9 of their usual size less 32", (68.0, 20.0), _WIDE,
         each(to_celsius), undo=to_fahrenheit, guess="Probably degrees Celsius.", of="numbers", seen=False),
    Kind("sign", "sign", "Numbers in {column} have the other sign", (12.5, -12.5),
         "the numbers are zero, or as often positive as negative", each(lambda v: -v), undo=lambda v: -v,
         guess="Probably debits and credits, or another direction.", of="numbers", least=0.5, seen=False),
    Kind("rounded", "rounded", "Numbers in {column} have lost their decimals", (12.53, 13.0),
         "fewer than half the numbers have decimals", each(_whole), guess="Probably kept as whole numbers on the way.",
         of="numbers", least=0.5, seen=False),
    Kind("default_number", "default", "Numbers in {column} are all one default", (12.5, 9999.0),
         "the column holds that number anyway", _default, guess="Probably a field that was not filled.", of="numbers"),
)  # fmt: skip
