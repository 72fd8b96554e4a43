r"""Classes of views as regular expressions that Java (Spark) and Python run alike.

Only constructs that both engines read the same are written: explicit ASCII ranges instead of ``\d`` and ``\w`` (which
match other scripts in one of them), negated ranges for what is beyond ASCII, ``(?![\s\S])`` for the end (``$``
matches before a last line break), numbered repeats. Characters are code points in both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from catalog.patterns.language.characters import CLASS_REGEX, LOWER, MOST_CHARACTERS, quote
from catalog.patterns.language.hierarchy import NUMBER, OPEN, REPEAT, VIEWS, WORD

ANY = r"[\s\S]"
LETTER = r"[^\x00-@\x5b-\x60\x7b-\x7f]"  # ASCII letters and everything beyond ASCII
ALNUM = r"[^\x00-/:-@\x5b-\x60\x7b-\x7f]"  # the same and digits
_BOUND = r"A-Za-z0-9.\-\x80-\uffff"
NUM = rf"(?<![{_BOUND}])-?[0-9]+(?:\.[0-9]+)?(?![{_BOUND}])"

_ATOMS = {
    "shape": dict(CLASS_REGEX),
    "letters": {**CLASS_REGEX, LOWER: LETTER},
    "alnum": {WORD: ALNUM},
    "runs": {c: atom + "+" for c, atom in CLASS_REGEX.items()},
    "words": {"0": "[0-9]+", LOWER: LETTER + "+"},
    "number": {"0": "[0-9]+", LOWER: LETTER + "+", NUMBER: NUM},
    "tokens": {WORD: ALNUM + "+"},
    "phrase": {WORD: ALNUM + "+"},
    "symbols": dict(CLASS_REGEX),
    "marks": {WORD: ALNUM},
    "ends": dict(CLASS_REGEX),
}


def _atom(view: str, character: str) -> str:
    return _ATOMS[view].get(character) or quote(character)


def class_regex(view: str, text: str) -> str:
    r"""Regular expression (unanchored) of one class.

    >>> class_regex("shape", "AA-000"), class_regex("runs", "Aa 0"), class_regex("length", "7")
    ('[A-Z]{2}\\-[0-9]{3}', '[A-Z]+[a-z]+ [0-9]+', '[\\s\\S]{7}')
    >>> class_regex("shape", "a00" + REPEAT)  # two digits or more
    '[a-z][0-9]{2,}'
    """
    if view not in VIEWS:
        raise ValueError(f"view {view!r} is none of {sorted(VIEWS)}")
    if view == "length":
        return f"{ANY}{{{text}{',' if int(text) >= MOST_CHARACTERS else ''}}}"
    if view == "ends":
        return f"(?={_atom(view, text[0])}){ANY}*{_atom(view, text[-1])}"
    if view in ("symbols", "marks"):
        allowed = "|".join(_atom(view, c) for c in text)
        return "".join(f"(?={ANY}*{_atom(view, c)})" for c in text) + f"(?:{allowed})+"
    if view == "phrase":
        return _phrase_regex(text)
    out = []
    for run in re.finditer(rf"(([^{REPEAT}])\2*)({REPEAT}?)", text):
        size, more = len(run.group(1)), "," if run.group(3) else ""
        out.append(_atom(view, run.group(2)) + (f"{{{size}{more}}}" if size > 1 or more else ""))
    return "".join(out) + (f"{ANY}*" if len(text) >= MOST_CHARACTERS else "")


def _phrase_regex(text: str) -> str:
    out, last = [], 0
    for found in re.finditer(rf"{OPEN}([^X{REPEAT}]+X){REPEAT}", text):
        out.append("".join(_atom("phrase", c) for c in text[last : found.start()]))
        out.append("(?:" + "".join(_atom("phrase", c) for c in found.group(1)) + "){2,}")
        last = found.end()
    return "".join(out) + "".join(_atom("phrase", c) for c in text[last:])


def whole(alternatives: Iterable[str]) -> str:
    """Expression that is found in a string only if one of `alternatives` is the whole of it.

    >>> bool(re.search(whole(["a", "ab"]), "ab")), bool(re.search(whole(["a"]), "ab"))
    (True, False)
    """
    return "^(?:" + "|".join(alternatives) + f")(?!{ANY})"


def charset_regex(characters: str) -> str:
    r"""Any string of these characters and classes of characters.

    >>> charset_regex("-0A")
    '(?:\\-|[0-9]|[A-Z])+'
    """
    return "(?:" + "|".join(_atom("symbols", c) for c in characters) + ")+"


def length_regex(low: int, high: int) -> str:
    """Any string of `low` to `high` characters; `MOST_CHARACTERS` stands for that many or more.

    >>> length_regex(2, 5)
    '[\\\\s\\\\S]{2,5}'
    """
    return f"{ANY}{{{low},{'' if high >= MOST_CHARACTERS else high}}}"
