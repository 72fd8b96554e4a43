"""What people write where a value is missing."""

from __future__ import annotations

from collections.abc import Iterable

_PLAIN = "NA N/A n/a #N/A N.A. NaN nan NAN NULL null Null None nil NIL - -- --- ? ?? . .. (empty) (null)"
#: Markers of a missing value as programs write them; other spellings of them are values to a rule on how values look.
#: `None` is what Python writes; in other letters it is an answer that forms offer ("none", "half", "full").
MARKERS = frozenset([*_PLAIN.split(), "(none)", "<NA>", "<null>", "\\N", "missing", "Missing", "MISSING"])
#: Markers that are codes as well: of a continent and a country, of airports and stations, of languages.
CODES = frozenset(("NA", "NAN", "NIL", "nan", "nil"))
#: The markers and words of people, in small letters.
_WORDS = frozenset(one.lower() for one in MARKERS if one != "None") | frozenset(
    ("(blank)", "not applicable", "not available", "tbd", "undefined", "unknown")
)
_LONGEST = max(map(len, _WORDS))


def markers_among(texts: Iterable[str | None]) -> frozenset[str]:
    """The markers of a missing value in a column of these different texts: `MARKERS`, but for codes where most of the
    others are codes of as many letters.

    >>> [sorted(CODES - markers_among(texts)) for texts in (("EU", None, "NA"), ("EU", "AFR", "NA"))]
    [['NA'], []]
    """
    texts = list(texts)
    if CODES.isdisjoint(texts):
        return MARKERS
    known = [text for text in texts if text and text not in MARKERS]

    def is_code(code: str) -> bool:
        cased = str.isupper if code.isupper() else str.islower
        return 2 * sum(len(text) == len(code) and text.isalpha() and cased(text) for text in known) > len(known)

    return MARKERS - {code for code in CODES if is_code(code)}


def is_missing(text: str) -> bool:
    """Whether a text is a word for a missing value, however it is spelt; one of white space alone is none.

    >>> [is_missing(text) for text in ("N/A", " null", "Unknown", "None", "none", "", "NAT")]
    [True, True, True, True, False, False, False]
    """
    stripped = text.strip()
    return len(stripped) <= _LONGEST and (stripped in MARKERS or stripped.lower() in _WORDS)
