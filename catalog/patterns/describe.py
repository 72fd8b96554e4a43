"""Classes of views in plain words, for sentences that people read."""

from __future__ import annotations

import re

from catalog.patterns.language.hierarchy import OPEN, REPEAT

_ONE = {
    "0": ("digit", "digits"),
    "A": ("capital", "capitals"),
    "a": ("small letter", "small letters"),
    "é": ("non-ASCII character", "non-ASCII characters"),
    "X": ("letter or digit", "letters or digits"),
    "1": ("number", "numbers"),
}
_LETTER = ("letter", "letters")
_NAMES = {" ": "a space", "\t": "a tab", "\n": "a line break", '"': "a double quote", "'": "an apostrophe"}
_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def _number(n: int) -> str:
    return _WORDS[n] if n < len(_WORDS) else str(n)


def _name(text: str) -> str:
    return _NAMES.get(text, "spaces" if text.isspace() else f"“{text}”")


def describe(view: str, text: str) -> str:
    """A class in words.

    >>> describe("shape", "AAA 00"), describe("runs", "Aa-0")
    ('three capitals, a space, two digits', 'capitals, small letters, “-”, digits')
    >>> describe("shape", "A00" + REPEAT)
    'one capital, two digits or more'
    >>> describe("length", "7"), describe("symbols", "-0A"), describe("ends", "A0")
    ('7 characters', 'digits, capitals and “-”', 'from a capital to a digit')
    """
    if view == "value":
        return f"“{text}”"
    if view == "length":
        return f"{text} characters"
    merged = view in ("letters", "words", "number")
    names = {**_ONE, "a": _LETTER} if merged else _ONE
    if view in ("symbols", "marks"):
        return charset(text)
    if view == "ends":
        first, last = (f"a {names[c][0]}" if c in names else _name(c) for c in (text[0], text[-1]))
        return f"from {first} to {last}"
    sized = view in ("shape", "letters", "alnum")
    out: list[str] = []
    text = text.replace(OPEN, "")
    for run in re.finditer(rf"([0AaéX1{REPEAT}])\1*|[^0AaéX1{REPEAT}]+", text):
        word = run.group()
        if word == REPEAT and sized:
            out[-1] += " or more"
        elif word == REPEAT:
            out.append("repeated")
        elif word[0] not in names:
            out.append(_name(word))
        elif view == "number" and word[0] == "1":
            out.append("a number")
        elif sized:
            out.append(f"{_number(len(word))} {names[word[0]][len(word) > 1]}")
        else:
            out.append(names[word[0]][1])
    return ", ".join(out)


def charset(characters: str) -> str:
    """A set of characters in words.

    >>> charset("0"), charset(" .Aa")
    ('digits', 'capitals, small letters, a space and “.”')
    """
    classes = [_ONE[c][1] for c in "0AaéX" if c in characters]
    rest = "".join(c for c in characters if c not in _ONE and c != " ")
    parts = classes + (["a space"] if " " in characters else []) + ([f"“{rest}”"] if rest else [])
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]
