"""Weak signs that together tell that a column whose name nobody can read asks persons for an illness."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache

from catalog.domains.domain import words
from catalog.domains.names.asked import ILL, meant, trait
from catalog.domains.names.illness import begun, ordinary
from catalog.domains.names.told import said
from catalog.tags.whose import Around

NEAR = 3  # chosen: columns to either side that may be of the same list of questions
MOST_NEAR = 2.0  # bound: of the weight of neighbours, as much as of one to each side
#: Fitted by `python -m benchmarks.tagging.learned.illnesses`: intercept and weights of `signs`.
FITTED = (-1.85, 1.43, 1.39, 0.81)
SURE = 0.53  # chosen: less sure, most of what is hidden in R's data sets (read, not labelled) is wrong
LEAST, HALF = 2, 0.5  # chosen: values that are illnesses, at least, and their share of those in words
TENFOLD = 1.0  # chosen: log odds (base 10) of a value that is a word of medicine
SHORT = 30  # bound: characters of what is read as a name is
_WORD = re.compile(r"[^\W\d_]{3}")
_AILING = re.compile(rf"(?<!\w)(?:{said('ailing')})(?!\w)|{said('ailing_unspaced')}")


def askable(name: str, around: Around) -> bool:
    """Whether a column holds yes and no to something that its name does not tell in words that we know."""
    called = around.called(name)
    return name in around.pairs and not (ordinary(called) or trait(words(called)) or meant(called))


def signs(name: str, around: Around) -> tuple[float, ...]:
    """What tells of an illness: 1, the log odds (base 10) of how the name begins, how many of the columns right beside
    with the same two values are called by illnesses, the nearer the more, and the logarithm of how many of the table.

    >>> columns = ("asthma", "bronch", "diabetes", "income")
    >>> around = Around("", columns, pairs=dict.fromkeys(columns[:3], frozenset("01")))
    >>> [round(one, 2) for one in signs("bronch", around)]
    [1.0, 1.7, 2.0, 1.1]
    """
    beside = sum(1 / distance for _, distance in _near(name, around))
    others = math.log1p(len(around.ill - {name}))
    return (1.0, begun(around.called(name))[1], min(MOST_NEAR, beside), others)


def among_illnesses(name: str, around: Around) -> list[str]:
    """Why a column of yes and no is likely to ask for an illness, in words; empty where it is not."""
    if not askable(name, around) or not (found := signs(name, around))[1] + found[2]:
        return []
    odds = sum(weight * value for weight, value in zip(FITTED, found, strict=True))
    if 1 / (1 + math.exp(-odds)) < SURE:
        return []
    stem = begun(around.called(name))[0]
    near = [one for one, _ in _near(name, around)] or sorted(around.ill - {name})
    told = [f"the name begins as words of medicine do ({stem}...)"] if stem else []
    return told + ([f"yes and no next to {', '.join(near[:NEAR])}"] if near else [])


def named_by_illnesses(texts: Sequence[str]) -> list[str]:
    """Why a column of a few words is likely to be of illnesses: half of them are, by how they begin or what they are
    short for; empty where they are not. The words themselves are not told: they are what is hidden.

    >>> named_by_illnesses(["COPD", "CHF", "Cirrhosis", "Coma"]), named_by_illnesses(["north", "south", "flu"])
    (['4 of 4 values are words of medicine'], [])
    """
    worded = [text for text in texts if _WORD.search(text)]
    if len(worded) < LEAST or not any(map(_of_illness, worded[: len(worded) // 2 + 1])):
        return []
    ill = sum(map(_of_illness, worded))
    return [f"{ill} of {len(worded)} values are words of medicine"] if ill >= max(LEAST, HALF * len(worded)) else []


def remarked(texts: Sequence[str]) -> list[str]:
    """Why remarks on persons tell of their health: one of them names an illness, a disability, or what follows from it;
    empty where none does. What it says is not told.

    >>> remarked(["new contract", "on sick leave until May"]), remarked(["new contract", "wants a car"])
    (['1 of 2 remarks is of health'], [])
    """
    ill = sum(bool(_AILING.search(text.lower())) or ILL(text) for text in texts)
    return [f"{ill} of {len(texts)} remarks {'is' if ill == 1 else 'are'} of health"] if ill else []


@lru_cache(maxsize=1 << 12)
def _of_illness(text: str) -> bool:
    if begun(text)[1] >= TENFOLD or ILL(text):
        return True
    return len(text) <= SHORT and meant(text) == "health_condition"


def _near(name: str, around: Around) -> list[tuple[str, int]]:
    """Columns near one with the same two values that are called by illnesses, and how far off."""
    at, values = around.columns.index(name), around.pairs[name]
    first = max(at - NEAR, 0)
    near = [(one, abs(k - at)) for k, one in enumerate(around.columns[first : at + NEAR + 1], first) if k != at]
    return [(one, off) for one, off in near if one in around.ill and around.pairs.get(one) == values]
