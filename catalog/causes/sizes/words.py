"""Numbers of another size in words: by which factor, in how many rows, what their middle is and was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalog.causes.cause import Guess
from catalog.causes.likely import noun
from catalog.causes.quoting import per_cent
from catalog.damage import DAMAGE_KINDS
from catalog.damage.numbers import FACTORS, UNITS, about, factor_name
from catalog.history.replaced.mixtures import decimals
from catalog.metrics.words import number

if TYPE_CHECKING:
    from catalog.causes.words import Seen


MOST_NAMED = 3  # columns of which a sentence says each share; a bound of length


def extent(guess: Guess) -> str:
    """In how many of the rows, of each of a few columns where these differ; empty of nearly all.

    >>> extent(Guess("mojibake", "encoding", 0.9, 0.87, {"shares": {"nom": 0.11, "prenom": 0.87}}))
    ' in about 87% (`prenom`) and 11% (`nom`) of the rows'
    """
    shares = guess.detail.get("shares", {})
    if len(shares) > MOST_NAMED:
        return f" in up to {per_cent(guess.share)} of the rows"
    if shares:
        *some, last = [f"{per_cent(shares[n])} (`{n}`)" for n in sorted(shares, key=lambda n: -shares[n])]
        return f" in about {', '.join(some)} and {last} of the rows"
    return f" in about {per_cent(guess.share)} of the rows" if guess.share < 0.9 else ""


def scale(guess: Guess, where: str, seen: Seen) -> str:
    factor = guess.detail.get("factor")
    called = noun(where, seen.meaning)
    if guess.key == "inverted":
        said = f"{called} in {where} are one divided by what they were"
    elif factor is None:
        said = DAMAGE_KINDS[guess.key].words.format(column=where).replace("Numbers", called, 1)
    else:
        said = f"{called} in {where} are {_sized(factor, guess.detail.get('error', 0.0))}"
    if _lost_decimals(seen):
        said += " and have lost their decimals"
    return f"{said}{extent(guess)}{medians(seen)}"


def _sized(factor: float, error: float) -> str:
    """How large numbers are beside their usual size.

    >>> _sized(0.01, 0.0), _sized(44.4, 0.25), _sized(1 / 5.53, 0.1)
    ('about 1/100 times their usual size', 'about 40 times their usual size', 'divided by about 5.5')
    """
    if factor in FACTORS or factor in UNITS:
        return f"about {factor_name(factor)} times their usual size"
    if factor < 1 and error:
        return f"divided by about {about(1 / factor, error)}"
    times = about(factor, error) if factor >= 1 else f"1/{about(1 / factor)}"
    return f"about {times} times their usual size"


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
