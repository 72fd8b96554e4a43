"""What the words of a name that is spelled out mean, where no list has them: `page_views` is nothing that people keep.

Lists name what is known; of the others a word says something by the texts in which it stands. ``words/asked_words.txt``
has, for the commonest words of English, how much each speaks for a column of a table of persons being sensitive:
learned from labelled columns through vectors of words, so that a word of which no column has an example counts as those
that stand in the same texts (``python -m benchmarks.tagging.learned.meaning``). An abbreviation, a name in another
language or a word that is rare means nothing here.
"""

from __future__ import annotations

from functools import cache, lru_cache

from catalog.domains.domain import words
from catalog.domains.lexicon import fold
from catalog.domains.lexicon import words as listed

LETTERS = 4  # chosen: of one word of a name at least; shorter ones may all be abbreviations


@cache
def _said() -> dict[str, float]:
    return {word: float(odds) for word, odds in (line.split() for line in listed("asked_words"))}


def spelled(name: str) -> list[str]:
    """The words of a name that is spelled out in common English words, digits apart; none where it is not.

    >>> spelled("page_views_7"), spelled("bdi_pre"), spelled("sal")
    (['page', 'views'], [], [])
    """
    parts = [one for one in fold(words(name)).split() if not one.isdigit()]
    known = all(one in _said() for one in parts) and any(len(one) >= LETTERS for one in parts)
    return parts if known else []


@lru_cache(maxsize=1 << 14)
def english(name: str) -> bool:
    """Whether a name has common words of English, and no other that is no abbreviation.

    >>> english("landing_url"), english("date_naissance"), english("ip")
    (True, False, False)
    """
    parts = [one for one in fold(words(name)).split() if len(one) >= LETTERS]
    return bool(parts) and all(one in _said() for one in parts)


@lru_cache(maxsize=1 << 14)
def meaning(name: str) -> float | None:
    """What the words of a name say for its column being sensitive, in log odds, on average; None where it is not
    spelled out.

    >>> meaning("page_views") < 0 < meaning("religious_faith"), meaning("bdi_pre")
    (True, None)
    """
    parts = spelled(name)
    return sum(_said()[one] for one in parts) / len(parts) if parts else None
