"""Dictionaries, read when first asked for and kept for the life of the process.

Each is a file in ``words/`` with one entry a line, whose first lines say what it is and where it comes from; entries
are folded (`fold`) unless they are codes. ``python -m benchmarks.shipped.wordlists`` writes them again.
"""

from __future__ import annotations

import unicodedata
from functools import cache, lru_cache
from importlib.resources import files


@lru_cache(maxsize=1 << 14)  # every dictionary asks for the same values
def fold(text: str) -> str:
    """The key under which a word is looked up: case folded, accents gone, one space between.

    >>> fold("  São  PAULO "), fold("Straße")
    ('sao paulo', 'strasse')
    """
    if text.isascii():
        return " ".join(text.lower().split())
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return " ".join(plain.split())


def vocabulary(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


@cache
def words(name: str) -> frozenset[str]:
    """The entries of one list. Errors: `KeyError` for a list that there is not.

    >>> "portugal" in words("country_names"), "PT" in words("country_codes2")
    (True, True)
    """
    file = files("catalog.domains") / "words" / f"{name}.txt"
    if not name.replace("_", "").isalnum() or not file.is_file():
        raise KeyError(name)
    lines = file.read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def unmarked(text: str) -> str:
    """Without the marks that scripts write over and under letters (vowels of Thai, Hindi and Arabic)."""
    if text.isascii():
        return text
    return "".join(char for char in text if unicodedata.category(char) not in ("Mn", "Mc", "Cf"))
