"""Sensitive values that stand inside other texts, certain enough by shape and check digits to tell from a single find.

"Contains" is not "is": a column of notes in which a few rows hold an e-mail address is no column of e-mail addresses.
Only the values that hold one are masked, in every column, whether or not anybody looked at that row before.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from catalog.domains.known import KNOWN
from catalog.domains.validators.people import names_inside
from catalog.tags.privacy.masking import mask

INSIDE: dict[str, re.Pattern[str]] = {
    "email": re.compile(
        r"(?<![\w.+-])[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,24}(?![\w@])"
    ),
    "iban": re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b"),
    "card_number": re.compile(r"(?<![\d.-])(?:\d{4}[ -]){3}\d{4}(?![\d.-])|(?<![\d.-])\d{15,16}(?![\d.-])"),
    "national_id": re.compile(r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])"),
}
ALWAYS = frozenset(INSIDE)
NAMES = "person_name"  # found by dictionaries, so only where a column is known to hold some
_HINT = re.compile(r"@|\d\d")
MOST_LOOKED_THROUGH = 4000  # characters of a text that are looked at; a bound


def finds(text: str, domains: Collection[str] = ALWAYS) -> Iterator[tuple[str, re.Match[str]]]:
    """(domain, where) of the sensitive values inside a text."""
    if not _HINT.search(text):
        return
    for name, regex in INSIDE.items():
        if name in domains:
            for found in regex.finditer(text[:MOST_LOOKED_THROUGH]):
                if KNOWN[name].validate(found.group()):
                    yield name, found


def holds(text: str, domains: Collection[str] = ALWAYS) -> bool:
    """Whether a text holds a sensitive value of one of these domains.

    >>> holds("write to ann@example.com"), holds("write to Ann Lee"), holds("from Mrs. Tate", {"person_name"})
    (True, False, True)
    """
    return any(True for _ in finds(text, domains)) or (NAMES in domains and names_inside(text))


def mask_inside(text: str, domains: Collection[str] = ALWAYS) -> str:
    """The text with the sensitive values in it masked; the rest stays.

    >>> mask_inside("every value is “ann7@example.com” or “none”")
    'every value is “aaa9@aaaaaaa.aaa” or “none”'
    """
    for _, found in sorted(finds(text, domains), key=lambda one: -one[1].start()):
        text = text[: found.start()] + mask(found.group()) + text[found.end() :]
    return text


#: How libraries quote the cell that they cannot convert.
_QUOTED = re.compile(r"(?i)(\b(?:string:|convert|value|input|cell) )(['\"].{1,2000}?['\"](?!\w))")


def without_values(text: str) -> str:
    """A message of a program that may quote cells, fit for logs and for what is shown of an error.

    >>> without_values("Failed to parse string: 'Ann Lee' as a scalar of type int64, see ann@b.io")
    "Failed to parse string: 'Aaa Aaa' as a scalar of type int64, see aaa@a.aa"
    """
    lines = (_QUOTED.sub(lambda found: found[1] + mask(found[2], limit=2002), line) for line in text.split("\n"))
    return "\n".join(map(mask_inside, lines))
