"""What people write where a value is missing."""

from __future__ import annotations

_PLAIN = "NA N/A n/a #N/A N.A. NaN nan NAN NULL null Null None nil NIL - -- --- ? ?? . .. (empty) (null)"
#: Markers of a missing value as programs write them; other spellings of them are values to a rule on how values look.
#: `None` is what Python writes; in other letters it is an answer that forms offer ("none", "half", "full").
MARKERS = frozenset([*_PLAIN.split(), "(none)", "<NA>", "<null>", "\\N", "missing", "Missing", "MISSING"])
#: The markers and words of people, in small letters.
_WORDS = frozenset(one.lower() for one in MARKERS if one != "None") | frozenset(
    ("(blank)", "not applicable", "not available", "tbd", "undefined", "unknown")
)
_LONGEST = max(map(len, _WORDS))


def is_missing(text: str) -> bool:
    """Whether a text is a word for a missing value, however it is spelt; one of white space alone is none.

    >>> [is_missing(text) for text in ("N/A", " null", "Unknown", "None", "none", "", "NAT")]
    [True, True, True, True, False, False, False]
    """
    stripped = text.strip()
    return len(stripped) <= _LONGEST and (stripped in MARKERS or stripped.lower() in _WORDS)
