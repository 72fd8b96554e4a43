"""From characters to shapes: what a string looks like, without what it says.

A shape keeps every ASCII symbol and blank and replaces digits by ``0``, capitals by ``A``, small letters by ``a`` and
every character outside ASCII by one marker. It is the finest view from which all others
(`catalog.patterns.language.hierarchy`) are computed, so a column needs to be read once only.
"""

from __future__ import annotations

import re

DIGIT, UPPER, LOWER, OTHER = "0", "A", "a", "\u00e9"
CHARACTER_CLASSES = DIGIT + UPPER + LOWER + OTHER

_TABLE = str.maketrans(
    {
        **{chr(c): DIGIT for c in range(ord("0"), ord("9") + 1)},
        **{chr(c): UPPER for c in range(ord("A"), ord("Z") + 1)},
        **{chr(c): LOWER for c in range(ord("a"), ord("z") + 1)},
    }
)
_OUTSIDE = re.compile(r"[^\x00-\x7f]")

# Longer values are cut, as the states cut them: what is kept stands for the value. A bound of memory and time per cell.
MOST_CHARACTERS = 256


def shape_of(value: str) -> str:
    """Shape of one value, at most `MOST_CHARACTERS` characters of it.

    >>> shape_of("Ab-12 é!")
    'Aa-00 é!'
    >>> len(shape_of("x" * 100_000))
    256
    """
    shape = value[:MOST_CHARACTERS].translate(_TABLE)
    return shape if shape.isascii() else _OUTSIDE.sub(OTHER, shape)


# How each character class is written in a regular expression that Java and Python read alike. `\\d` and `\\w` are
# avoided: Python's match digits and letters of every script, Java's do not.
CLASS_REGEX = {DIGIT: "[0-9]", UPPER: "[A-Z]", LOWER: "[a-z]", OTHER: "[^\\x00-\\x7f]"}

_PLAIN = re.compile(r"[A-Za-z0-9 ]")


def quote(text: str) -> str:
    r"""Text as a literal in a regular expression of Java and of Python.

    Punctuation gets a backslash, control characters their code: both engines read these alike.

    >>> quote("a-b.c\t")
    'a\\-b\\.c\\x09'
    """
    out = []
    for character in text:
        if _PLAIN.fullmatch(character) or character == "_" or ord(character) > 0x9F:
            out.append(character)
        elif ord(character) < 0x20 or 0x7F <= ord(character) <= 0x9F:
            out.append(f"\\x{ord(character):02x}")
        else:
            out.append("\\" + character)
    return "".join(out)
