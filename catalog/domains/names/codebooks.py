"""What short names mean by the codebook that a table follows: `MAR` beside `AGEP` and `SCHL` is marital status.

Surveys, registers, clinics and the systems of offices call their columns as their published codebooks do. One such name
may be anybody's; several of one codebook in a table say which it follows. ``data/codebooks.yaml`` lists them.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files

from catalog.domains.load import parse

AGREE = 3  # chosen: columns called as in one codebook, from which a table follows it; two may be so by chance


@cache
def _books() -> tuple[tuple[tuple[str, re.Pattern[str]], ...], ...]:
    """Of each book what a name means in words, and how it is written."""
    text = (files("catalog.domains") / "data" / "codebooks.yaml").read_text(encoding="utf-8")
    books = parse(text, "codebooks.yaml").values()
    return tuple(tuple((term, re.compile(names)) for term, names in book.items()) for book in books)


@lru_cache(maxsize=1 << 10)
def in_words(columns: tuple[str, ...]) -> dict[str, str]:
    """What the columns of a table mean that are called as in the codebook which most of them follow; nothing of a table
    that follows none.

    >>> in_words(("AGEP", "MAR", "RAC1P", "city"))
    {'AGEP': 'age', 'MAR': 'marital status', 'RAC1P': 'race'}
    >>> in_words(("mar", "feb", "dis"))
    {}
    """
    found: dict[str, str] = {}
    for book in _books():
        said = {one: term for one in columns if (term := _term(one.lower(), book))}
        if len(said) >= max(AGREE, len(found) + 1):
            found = said
    return found


def _term(name: str, book: tuple[tuple[str, re.Pattern[str]], ...]) -> str:
    return next((term for term, regex in book if regex.fullmatch(name)), "")
