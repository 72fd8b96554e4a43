"""How much a column's name sounds of illness, by stems learned from a classification of diseases.

No list of names holds what clinics, trials and surveys call their columns: nearly every short name is used once. But
the words that they shorten are those of medicine, and stems of these hardly begin any other word. ``words/
illness_stems.txt`` has them with the log odds that a word so begun is of the classification rather than of films and of
what published tables document; ``words/column_words.txt`` what columns of many published tables are called that ask of
no illness. ``python -m benchmarks.tagging.learned.illnesses`` learns both.
"""

from __future__ import annotations

from functools import cache, lru_cache

from catalog.domains.lexicon import words as listed
from catalog.domains.names.reading import stripped

#: Words of Romance languages that begin as words of medicine do: monthly like menstrual, a unit like unidentified.
_ELSEWHERE = frozenset(
    "mensual mensuales mensualidad mensuel mensuelle mensile mensili mensal mensalidade unidad unidade unidades".split()
)


@cache
def _stems() -> dict[str, float]:
    return {stem: float(odds) for stem, odds in (line.split() for line in listed("illness_stems"))}


@lru_cache(maxsize=1 << 14)
def begun(name: str) -> tuple[str, float]:
    """The stem of an illness that a word of a name begins with, and its log odds (base 10); of several the surest.

    >>> begun("fac_bronch"), begun("status"), begun("Unidade 2")
    (('bron', 1.7), ('', 0.0), ('', 0.0))
    """
    stems = _stems()
    parts = [part for part in stripped(name)[-1].split() if part not in _ELSEWHERE]
    found = ((part[:end], stems[part[:end]]) for part in parts for end in range(len(part) + 1) if part[:end] in stems)
    return max(found, key=lambda one: one[1], default=("", 0.0))


@lru_cache(maxsize=1 << 14)
def ordinary(name: str) -> bool:
    """Whether a word of a name is what columns of many tables are called that have to do with no illness.

    >>> ordinary("left_hand"), ordinary("hayfever")
    (True, False)
    """
    parts = stripped(name)[-1].split()
    return not listed("column_words").isdisjoint(parts) or not _ELSEWHERE.isdisjoint(parts)
