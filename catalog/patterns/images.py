"""What a pattern is in coarser views: the class that all its values belong to, and which classes may hold its values.

A state that does not list all its values tells by classes, and by the least and largest character at each position of
a shape, how many values surely do not have a pattern.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import product

from catalog.patterns.language.characters import shape_of
from catalog.patterns.language.hierarchy import class_of
from catalog.patterns.language.pattern import Pattern
from catalog.patterns.language.tokens import ALL, ALNUMS, CONST, DIGIT, LETTERS, LOWER, MORE, NUM, UPPER, Token

_EXAMPLE = {DIGIT: "0", UPPER: "A", LOWER: "a", LETTERS: "a", ALNUMS: "0", NUM: "0"}
_ATOMS = {DIGIT: "0", UPPER: "A", LOWER: "a", LETTERS: "[Aaé]", ALNUMS: "[0Aaé]"}
_NUMBERS = ("0", "-0", "+0", "0.0", "-0.0", "+0.0")  # what a number may be
MOST_NUMBERS = 4  # of a pattern whose classes are listed: 1,296 of an address of IPv4; a bound
_BASES = ("shape", "runs", "alnum", "tokens")  # views in which states list their classes, but for sets


@lru_cache(maxsize=8192)
def parsed(text: str) -> Pattern:
    """A pattern from its text, kept since it is asked for again and again."""
    return Pattern.parse(text)


@lru_cache(maxsize=8192)
def images(text: str) -> tuple[tuple[str, str], ...]:
    """(view, class) of all classes of a pattern's values in the finest view where they are few; none where no view has.

    A number has several where it is part of a longer word: its sign and its point are symbols there. A plus is one
    everywhere.

    >>> images("SO<digit>{2}"), images("SO<digit>+"), images("<alphanum>{2}-<alphanum>+"), images("http<all>")
    ((('shape', 'AA00'),), (('runs', 'A0'),), (('tokens', 'X-X'),), ())
    >>> images("<num> kg"), [found for _, found in images("<num>kg")]
    ((('number', '+1 a'), ('number', '1 a')), ['+0.0a', '+0a', '-0.0a', '-0a', '0.0a', '0a'])
    """
    tokens = parsed(text).tokens
    kinds = {token.kind for token in tokens}
    if ALL in kinds or {NUM, ALNUMS} <= kinds:
        return ()
    fixed = all(token.kind == CONST or token.size != MORE for token in tokens)
    if NUM in kinds:
        view = "number"
    elif ALNUMS in kinds:
        view = "alnum" if fixed else "tokens"
    elif LETTERS in kinds:
        view = "letters" if fixed else "words"
    else:
        view = "shape" if fixed else "runs"

    def found(numbers: Mapping[int, str]) -> str:
        parts = (numbers.get(at) or _example(token) for at, token in enumerate(tokens))
        return class_of(view, shape_of("".join(parts)))

    several = [
        at
        for at, token in enumerate(tokens)
        if token.kind == NUM and len({found({at: number}) for number in _NUMBERS}) > 1
    ]
    if len(several) > MOST_NUMBERS:
        return ()
    classes = {found(dict(zip(several, n, strict=True))) for n in product(_NUMBERS, repeat=len(several))}
    return tuple((view, name) for name in sorted(classes))


def _example(token: Token) -> str:
    return token.text if token.kind == CONST else _EXAMPLE[token.kind] * max(token.size, 1)


@lru_cache(maxsize=8192)
def class_pattern(text: str, base: str) -> re.Pattern[str] | None:
    """Expression of the classes of a view that may hold values of a pattern, constants as groups; None where the view
    does not tell.

    >>> bool(class_pattern("SO<digit>+", "shape").fullmatch("AA000")), class_pattern("SO<digit>+", "runs").pattern
    (True, '(A)0')
    """
    if base not in _BASES:
        return None
    tokens = parsed(text).tokens
    if base == "tokens":
        parts = [_atom(token, base) for token in tokens]
        joined = "".join(parts)
        if any(t.kind in (NUM, ALL) for t in tokens):
            return None
        return re.compile(re.sub(r"X+", "X", joined))
    return re.compile("".join(f"({_atom(t, base)})" if t.kind == CONST else _atom(t, base) for t in tokens))


def _atom(token: Token, base: str) -> str:
    if token.kind == CONST:
        return re.escape(class_of(base, shape_of(token.text)))
    if token.kind == ALL:
        return r"[\s\S]*"
    digit = {"shape": "0+", "runs": "0", "alnum": "X+", "tokens": "X"}[base]
    if token.kind == NUM:
        return rf"[-+]?{digit}(?:\.{digit})?"
    if base == "tokens":
        return "X"
    if base == "runs":
        return _ATOMS[token.kind] + ("+" if token.kind in (LETTERS, ALNUMS) else "")
    atom = "X" if base == "alnum" else _ATOMS[token.kind]
    return atom + (f"{{{token.size}}}" if token.size else "+")


def surely_broken(text: str, shape: str, low: str, high: str) -> int | None:
    """How many values of a shape surely do not have a pattern whose constants they would have to hold, at the least;
    None: all of them. `low`, `high` are the least and largest character at each position.

    >>> surely_broken("SO<digit>{2}", "AA00", "PO10", "SO99"), surely_broken("SO<digit>{2}", "AA00", "PO10", "PO99")
    (1, None)
    """
    found = class_pattern(text, "shape")
    match = found.fullmatch(shape) if found is not None else None
    if match is None:
        return None
    least = 0
    constants = [token.text for token in parsed(text).tokens if token.kind == CONST]
    for number, constant in enumerate(constants, start=1):
        for at, wanted in enumerate(constant, start=match.start(number)):
            if not low[at] <= wanted <= high[at]:
                return None
            least = max(least, (low[at] < wanted) + (high[at] > wanted))
    return least
