"""Classes of views in plain words, for sentences that people read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

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
_CAPITALISED = ("Aa", "capitalised word")
_IN_WORDS = {"letters": "words", "small letters": "words in small letters", "capitals": "words in capitals"}
WRITTEN = "written "  # what stands before the forms of digits
MOST_WRITTEN = 4  # forms of digits that a sentence shows; a bound of length
_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def _number(n: int) -> str:
    return _WORDS[n] if n < len(_WORDS) else str(n)


def either(several: Sequence[int]) -> str:
    """One of several rising numbers.

    >>> either([3]), either([1, 2]), either([1, 2, 3]), either([2, 4, 5]), either([1, 3, 4, 5, 6, 20])
    ('three', 'one or two', 'one to three', 'two, four or five', 'one, three to six or 20')
    """
    runs: list[list[int]] = []
    for number in several:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    said = [
        word
        for run in runs
        for word in ([f"{_number(run[0])} to {_number(run[-1])}"] if len(run) > 2 else map(_number, run))
    ]
    *some, last = said
    return f"{', '.join(some)} or {last}" if some else last


def _name(text: str) -> str:
    return _NAMES.get(text, "spaces" if text.isspace() else f"“{text}”")


def describe(view: str, text: str) -> str:
    """A class in words.

    >>> describe("shape", "AAA 00"), describe("runs", "Aa-0"), describe("runs", "Aa0")
    ('three capitals, a space, two digits', 'a capitalised word, “-”, digits', 'capitals, small letters, digits')
    >>> describe("shape", "A00" + REPEAT)
    'one capital, two digits or more'
    >>> describe("length", "7"), describe("symbols", "-0A"), describe("ends", "A0")
    ('7 characters', 'digits, capitals and “-”', 'from a capital to a digit')
    """
    if view == "value":
        return f"“{text}”"
    if view == "length":
        return f"{text} characters"
    names = {**_ONE, "a": _LETTER} if view in _MERGED else _ONE
    if view in ("symbols", "marks"):
        return charset(text)
    if view == "ends":
        first, last = (f"a {names[c][0]}" if c in names else _name(c) for c in (text[0], text[-1]))
        return f"from {first} to {last}"
    sized = view in _SIZED
    out: list[str] = []
    text = text.replace(OPEN, "")
    unit = rf"(?<![0AaéX1]){_CAPITALISED[0]}(?![0AaéX1])|" if view == "runs" else ""
    for run in re.finditer(rf"{unit}([0AaéX1{REPEAT}])\1*|[^0AaéX1{REPEAT}]+", text):
        word = run.group()
        if word == _CAPITALISED[0]:
            out.append(f"a {_CAPITALISED[1]}")
        elif word == REPEAT and sized:
            out[-1] += " or more"
        elif word == REPEAT:
            out.append("repeated")
        elif word[0] not in names:
            out.append(_name(word))
        elif view == "number" and word[0] == "1":
            out.append("a number")
        else:
            out.append(_said(view, word))
    return ", ".join(out)


def _said(view: str, run: str) -> str:
    """A run of one class in words."""
    names = _LETTER if run[0] == "a" and view in _MERGED else _ONE[run[0]]
    return f"{_number(len(run))} {names[len(run) > 1]}" if view in _SIZED else names[1]


def groups(view: str, classes: Sequence[str]) -> str | None:
    """Classes whose parts are all of one kind, with the same between them, in words; None where they are not.

    >>> groups("tokens", ["X-X-X"]), groups("tokens", ["X", "X-X"]), groups("runs", ["0.0.0.0"])
    ('three groups of letters or digits split by “-”', 'one or two groups of letters or digits split by “-”', \
'four groups of digits split by “.”')
    >>> groups("runs", ["Aa", "Aa Aa"]), groups("words", ["a a a", "a"]), groups("runs", ["a a"])
    ('one or two capitalised words', 'one or three words', 'two words in small letters')
    >>> groups("alnum", ["XXXX:XXXX:XXXX"])
    'three groups of four letters or digits split by “:”'
    >>> groups("tokens", ["X-X X"]), groups("tokens", ["X-X", "X X"]), groups("runs", ["A0"])
    ('three groups of letters or digits split by “-” and a space', None, None)
    """
    parts = _groups(view, classes)
    if parts is None or (len(set(parts.between)) > 1 and len(parts.marks) > 1):
        return None
    return parts.said("and")


def loosely(view: str, classes: Sequence[str]) -> str:
    """What many classes have in common, in words: how many parts of a kind, or of which characters they are.

    >>> loosely("runs", ["Aa", "Aa Aa", "Aa-Aa Aa"]), loosely("words", ["a", "0 a."])
    ('one to three capitalised words split by a space or “-”', 'made of digits, letters, a space and “.”')
    """
    parts = _groups(view, classes)
    if parts is not None:
        return parts.said("or")
    return f"made of {charset(''.join(sorted(set(''.join(classes)) - {OPEN, REPEAT})), merged=view in _MERGED)}"


@dataclass(frozen=True)
class _Groups:
    """Classes of parts of one kind: its `names` without and with spaces between, how many parts they have (`sizes`),
    what stands `between` any of them, and the `marks` of each class of several."""

    names: tuple[str, str]
    sizes: tuple[int, ...]
    between: tuple[str, ...]
    marks: frozenset[tuple[str, ...]]

    def said(self, joint: str) -> str:
        many = either(self.sizes)
        if set(self.between) == {" "}:
            return f"{many} {self.names[1]}"
        split = list(map(_name, self.between))
        marked = f" {joint} ".join(filter(None, [", ".join(split[:-1]), split[-1]]))
        return f"{many} {self.names[0]} split by {marked}"


def _groups(view: str, classes: Sequence[str]) -> _Groups | None:
    if view not in _UNSIZED + _SIZED or any(OPEN in text or REPEAT in text for text in classes):
        return None
    split = [re.split("([0AaéX1]+)", text) for text in classes]
    kinds = {kind for parts in split for kind in parts[1::2]}
    marks = [tuple(parts[2:-1:2]) for parts in split if len(parts) > 3]
    whole = all(len(parts) > 1 and not parts[0] and not parts[-1] for parts in split)
    kind = next(iter(kinds), "")
    if len(kinds) != 1 or not whole or not marks or (kind != _CAPITALISED[0] and len(set(kind)) > 1):
        return None
    between = tuple(dict.fromkeys(mark for found in marks for mark in found))
    if view in _UNSIZED and kind == _CAPITALISED[0]:
        names = (_CAPITALISED[1] + "s",) * 2
    else:
        word = _said(view, kind)
        names = (f"groups of {word}", _IN_WORDS.get(word, f"groups of {word} split by a space"))
    return _Groups(names, tuple(sorted({len(parts) // 2 for parts in split})), between, frozenset(marks))


def written(view: str, classes: Sequence[str]) -> str | None:
    """Classes of digits and symbols as they are written, each digit as a 0; None of others.

    >>> written("shape", ["00/00/0000"]), written("shape", ["0:00", "00:00"]), written("shape", ["A-00"])
    ('written 00/00/0000', 'written 0:00 or 00:00', None)
    """
    told = view in ("shape", "letters") and len(classes) <= MOST_WRITTEN
    if not told or any(set(text) & set("AaéX1" + OPEN + REPEAT) or not {"0"} < set(text) for text in classes):
        return None
    *some, last = sorted(classes, key=lambda text: (len(text), text))
    return WRITTEN + (f"{', '.join(some)} or {last}" if some else last)


def sizes(view: str, classes: Sequence[str]) -> str | None:
    """Classes that differ by the length of one run alone, in words; None of others.

    >>> sizes("shape", ["AA", "AAA"]), sizes("letters", ["a", "aa", "aaa"]), sizes("alnum", ["XX", "XXXX", "XXXXX"])
    ('two or three capitals', 'one to three letters', 'two, four or five letters or digits')
    >>> sizes("shape", ["A-0", "A-000", "A-00"]), sizes("shape", ["A0", "AA00"]), sizes("runs", ["A", "A0"])
    ('one capital, “-”, one to three digits', None, None)
    >>> sizes("shape", ["A0", "A00" + REPEAT]), sizes("shape", ["A0", "A000" + REPEAT])
    ('one capital, one digit or more', 'one capital, one digit or three digits or more')
    """
    if view not in _SIZED or len(classes) < 2 or any(OPEN in text for text in classes):
        return None
    split = [[run.group() for run in re.finditer(rf"([0AaéX1])\1*{REPEAT}?|[^0AaéX1]+", text)] for text in classes]
    if len({tuple(run[0] if run[0] in _ONE else run for run in runs) for runs in split}) > 1:
        return None
    varied = [i for i, runs in enumerate(zip(*split, strict=True)) if len(set(runs)) > 1]
    if len(varied) != 1:
        return None
    (at,) = varied
    run = split[0][at][0]
    words = _LETTER if run == "a" and view in _MERGED else _ONE[run]
    above = min((len(runs[at]) - 1 for runs in split if REPEAT in runs[at]), default=0)
    several = sorted({len(runs[at]) for runs in split if REPEAT not in runs[at]})
    while several and several[-1] == above - 1:
        above = several.pop()
    open_run = f"{_number(above)} {words[above > 1]} or more" if above else ""
    closed = f"{either(several)} {words[several[-1] > 1]}" if several else ""
    many = " or ".join(filter(None, [closed, open_run]))
    before, after = "".join(split[0][:at]), "".join(split[0][at + 1 :])
    return ", ".join(filter(None, [before and describe(view, before), many, after and describe(view, after)]))


def charset(characters: str, *, merged: bool = False) -> str:
    """A set of characters in words; `merged`, where small letters stand for any. Capitals and small letters are
    letters, with characters beyond ASCII any letters.

    >>> charset("0"), charset(" .Aa")
    ('digits', 'letters, a space and “.”')
    >>> charset("0Aaé"), charset("0Aé"), charset("Aaé-")
    ('digits and any letters', 'digits, capitals and non-ASCII characters', 'any letters and “-”')
    >>> charset("-a\\n")
    'small letters, a line break and “-”'
    """
    names = {**_ONE, "a": _LETTER} if merged else _ONE
    letters = next((of for of in ("Aaé", "Aa") if set(of) <= set(characters)), "") if not merged else ""
    both = ["any letters" if letters == "Aaé" else _LETTER[1]] if letters else []
    first = [names["0"][1]] if "0" in characters else []
    classes = [*first, *both, *(names[c][1] for c in "Aaé1X" if c in characters and c not in letters)]
    blanks = [_NAMES[c] for c in characters if c.isspace() and c in _NAMES]
    rest = "".join(c for c in characters if c not in _ONE and not (c.isspace() and c in _NAMES))
    parts = classes + blanks + ([f"“{rest}”"] if rest else [])
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]
