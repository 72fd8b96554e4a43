"""Weak signs that together tell what a column of yes and no asks of persons whose own name nobody can read."""

from __future__ import annotations

import math

from catalog.domains.domain import words
from catalog.domains.names.asked import meant, trait
from catalog.domains.names.illness import begun, ordinary
from catalog.tags.whose import Around

NEAR = 3  # chosen: columns to either side that may be of the same list of questions
MOST_NEAR = 2.0  # bound: of the weight of neighbours, as much as of one to each side
#: Fitted by `python -m benchmarks.tagging.illnesses`: intercept and weights of `signs`.
FITTED = (-1.98, 1.5, 1.39, 0.77)
SURE = 0.5  # chosen: rather so than not


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
    return told + ([f"yes and no beside {', '.join(near[:NEAR])}"] if near else [])


def _near(name: str, around: Around) -> list[tuple[str, int]]:
    """Columns near one with the same two values that are called by illnesses, and how far off."""
    at, values = around.columns.index(name), around.pairs[name]
    first = max(at - NEAR, 0)
    near = [(one, abs(k - at)) for k, one in enumerate(around.columns[first : at + NEAR + 1], first) if k != at]
    return [(one, off) for one, off in near if one in around.ill and around.pairs.get(one) == values]
