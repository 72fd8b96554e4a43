"""Numbers of another size in words: by which factor, in how many rows, what their middle is and was."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from catalog.causes.cause import Guess
from catalog.causes.likely import noun
from catalog.causes.quoting import per_cent
from catalog.damage import DAMAGE_KINDS
from catalog.damage.numbers import FACTORS, UNITS, factor_name
from catalog.history.replaced.mixtures import decimals
from catalog.metrics.words import number

if TYPE_CHECKING:
    from catalog.causes.words import Seen

NEARLY = 0.08  # how far a measured factor may be off a power of ten to be said as that; chosen


def extent(guess: Guess) -> str:
    return f" in about {per_cent(guess.share)} of the rows" if guess.share < 0.9 else ""


def scale(guess: Guess, where: str, seen: Seen) -> str:
    factor = guess.detail.get("factor")
    called = noun(where, seen.meaning)
    if guess.key == "inverted":
        said = f"{called} in {where} are one divided by what they were"
    elif factor is None:
        said = DAMAGE_KINDS[guess.key].words.format(column=where).replace("Numbers", called, 1)
    else:
        about = factor_name(factor) if factor in FACTORS or factor in UNITS else _about(factor)
        said = f"{called} in {where} are about {about} times their usual size"
    if _lost_decimals(seen):
        said += " and have lost their decimals"
    return f"{said}{extent(guess)}{medians(seen)}"


def _about(factor: float) -> str:
    """A measured factor in few digits; one that is nearly a power of ten as that.

    >>> _about(983_000.0), _about(11.93), _about(1 / 400), _about(12_345.0)
    ('1,000,000', '11.9', '1/400', '12,300')
    """
    if factor < 1:
        return f"1/{_about(1 / factor)}"
    ten = 10.0 ** round(math.log10(factor))
    return f"{ten if abs(factor / ten - 1) < NEARLY else float(f'{factor:.3g}'):,.10g}"


def _lost_decimals(seen: Seen) -> bool:
    if seen.now is None or seen.before is None or seen.now.quantiles is None or seen.before.quantiles is None:
        return False
    return decimals(seen.before.quantiles) > 0.5 and decimals(seen.now.quantiles) < 0.05


def medians(seen: Seen) -> str:
    if seen.private or not seen.alone or seen.now is None or seen.now.quantiles is None or seen.now.kind != "number":
        return ""
    usual, median = seen.usual("median"), number("median", seen.now.quantiles.median())
    return "" if median == usual else f" (median {median}{f'; usual {usual}' if usual else ''})"


def coarse(guess: Guess, where: str, seen: Seen) -> str:
    return f"{noun(where, seen.meaning)} in {where} are multiples of {guess.detail['step']:g} now{medians(seen)}"


def offset(guess: Guess, where: str, seen: Seen) -> str:
    by = guess.detail.get("offset")  # of columns that moved by different amounts none
    larger = guess.detail["larger"] if by is None else by > 0
    told = "" if seen.private or by is None else f" by about {float(f'{abs(by):.4g}'):,.10g}"
    return f"Numbers in {where} are {'larger' if larger else 'smaller'} than usual{told}{medians(seen)}"
