"""Classes of views in plain words, for sentences that people read."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
_MERGED, _UNSIZED = ("letters", "words", "number"), ("runs", "words", "number", "tokens")
_SIZED = ("shape", "letters", "alnum")  # views that tell how long a run is
_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def _number(n: int) -> str:
    return _WORDS[n] if n < len(_WORDS) else str(n)


def _either(several: Sequence[int]) -> str:
    """One of several rising numbers.

    >>> _either([3]), _either([1, 2]), _either([1, 2, 3]), _either([2, 4, 5])
    ('three', 'one or two', 'one to three', 'two, four or five')
    """
    *some, last = map(_number, several)
    if len(some) > 1 and several[-1] - several[0] == len(some):
        return f"{some[0]} to {last}"
    return f"{', '.join(some)} or {last}" if some else last


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
    merged = view in _MERGED
    names = {**_ONE, "a": _LETTER} if merged else _ONE
    if view in ("symbols", "marks"):
        return charset(text)
    if view == "ends":
        first, last = (f"a {names[c][0]}" if c in names else _name(c) for c in (text[0], text[-1]))
        return f"from {first} to {last}"
    sized = view in _SIZED
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


def groups(view: str, classes: Sequence[str]) -> str | None:
    """Classes whose parts are all of one kind, with the same between them, in words; None where they are not.

    >>> groups("tokens", ["X-X-X"]), groups("tokens", ["X", "X-X"]), groups("runs", ["0.0.0.0"])
    ('three groups of letters or digits split by “-”', 'one or two groups of letters or digits split by “-”', \
'four groups of digits split by “.”')
    >>> groups("tokens", ["X-X X"]), groups("tokens", ["X-X", "X X"]), groups("runs", ["A0"])
    ('three groups of letters or digits split by “-” and a space', None, None)
    """
    if view not in _UNSIZED or any(OPEN in text or REPEAT in text for text in classes):
        return None
    split = [re.split("([0AaéX1])", text) for text in classes]
    kinds = {kind for parts in split for kind in parts[1::2]}
    marks = {tuple(parts[2:-1:2]) for parts in split}
    sizes = sorted({len(parts) // 2 for parts in split})
    whole = all(len(parts) > 1 and not parts[0] and not parts[-1] for parts in split)
    if len(kinds) != 1 or not whole or sizes[-1] < 2 or sizes != list(range(sizes[0], sizes[-1] + 1)):
        return None
    between = list(dict.fromkeys(mark for found in marks for mark in found))
    if len(between) > 1 and len(marks) > 1:
        return None
    marked = " and ".join(filter(None, [", ".join(map(_name, between[:-1])), _name(between[-1])]))
    word = (_LETTER if next(iter(kinds)) == "a" and view in _MERGED else _ONE[next(iter(kinds))])[1]
    return f"{_either(sizes)} groups of {word} split by {marked}"


def sizes(view: str, classes: Sequence[str]) -> str | None:
    """Classes that differ by the length of one run alone, in words; None of others.

    >>> sizes("shape", ["AA", "AAA"]), sizes("letters", ["a", "aa", "aaa"]), sizes("alnum", ["XX", "XXXX", "XXXXX"])
    ('two or three capitals', 'one to three letters', 'two, four or five letters or digits')
    >>> sizes("shape", ["A-0", "A-000", "A-00"]), sizes("shape", ["A0", "AA00"]), sizes("runs", ["A", "A0"])
    ('one capital, “-”, one to three digits', None, None)
    """
    if view not in _SIZED or len(classes) < 2 or any(OPEN in text or REPEAT in text for text in classes):
        return None
    split = [[run.group() for run in re.finditer(r"([0AaéX1])\1*|[^0AaéX1]+", text)] for text in classes]
    if len({tuple(run[0] if run[0] in _ONE else run for run in runs) for runs in split}) > 1:
        return None
    varied = [i for i, runs in enumerate(zip(*split, strict=True)) if len(set(runs)) > 1]
    if len(varied) != 1:
        return None
    (at,) = varied
    run = split[0][at][0]
    word = (_LETTER if run == "a" and view in _MERGED else _ONE[run])[1]
    many = f"{_either(sorted(len(runs[at]) for runs in split))} {word}"
    before, after = "".join(split[0][:at]), "".join(split[0][at + 1 :])
    return ", ".join(filter(None, [before and describe(view, before), many, after and describe(view, after)]))


def charset(characters: str) -> str:
    """A set of characters in words.

    >>> charset("0"), charset(" .Aa")
    ('digits', 'capitals, small letters, a space and “.”')
    """
    classes = [_ONE[c][1] for c in "0AaéX" if c in characters]
    rest = "".join(c for c in characters if c not in _ONE and c != " ")
    parts = classes + (["a space"] if " " in characters else []) + ([f"“{rest}”"] if rest else [])
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]
