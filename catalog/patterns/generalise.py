"""All patterns of a value, and of a column (Auto-Validate, section 2.1, algorithm 1).

A value is cut into chunks (`catalog.patterns.language.tokens.signed_chunks`), each chunk has a few options, and its
patterns are their cross product, which nobody has to write out: `Space` is the options by position.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from catalog.patterns.language.pattern import Pattern
from catalog.patterns.language.tokens import (
    ALNUMS,
    CONST,
    DIGIT,
    LETTERS,
    LOWER,
    NUM,
    UPPER,
    Token,
    lex,
    signed_chunks,
)

MOST_RUNS = 4  # runs of digits and letters of one chunk that generalise each by itself; hashes have more, a bound
Option = tuple[Token, ...]


def _run_options(run: str, constant: bool) -> list[Token]:
    size = len(run)
    if run[0].isascii() and run[0].isdigit():
        out = [Token(DIGIT, size=size), Token(DIGIT), Token(NUM)]
    else:
        case = [UPPER] if run.isascii() and run.isupper() else [LOWER] if run.isascii() and run.islower() else []
        out = [Token(k, size=size) for k in (*case, LETTERS)] + [Token(k) for k in (*case, LETTERS)]
    return ([Token(CONST, run)] if constant else []) + out


@lru_cache(maxsize=131072)
def options_of(chunk: str, constant: bool) -> tuple[Option, ...]:
    """Options of a chunk, most specific first; with the chunk itself as a constant where that is wanted.

    >>> ["".join(map(str, option)) for option in options_of("9", True)]
    ['9', '<digit>{1}', '<digit>+', '<num>', '<alphanum>{1}', '<alphanum>+']
    >>> ["".join(map(str, option)) for option in options_of("-30", False)]
    ['-<digit>{2}', '-<digit>+', '<num>']
    """
    runs = lex(chunk)
    if not (chunk[0].isalnum() or not chunk[0].isascii()) and len(runs) == 1:
        return ((Token(CONST, chunk),),)
    if "." in chunk or chunk[0] in "+-":  # a decimal number, or one with a sign
        return _number_options(chunk, constant)
    width = [_run_options(run, constant) for run in runs]
    if len(runs) <= MOST_RUNS:
        sequences = [tuple(s) for s in itertools.product(*width)]
    else:
        sequences = [(Token(CONST, chunk),)] if constant else []
    sequences += [(Token(ALNUMS, size=len(chunk)),), (Token(ALNUMS),)]
    return tuple(map(joined, sequences))


def _number_options(chunk: str, constant: bool) -> tuple[Option, ...]:
    sign = [(Token(CONST, chunk[0]),)] if chunk[0] in "+-" else []
    whole_part, point, places = chunk.lstrip("+-").partition(".")
    parts = [_run_options(whole_part, constant)[:-1]]
    if point:
        parts += [[Token(CONST, ".")], _run_options(places, constant)[:-1]]
    return (*(joined(tuple(s)) for s in itertools.product(*sign, *parts)), (Token(NUM),))


def joined(sequence: Option) -> Option:
    """A sequence of tokens whose neighbouring constants are one."""
    out: list[Token] = []
    for token in sequence:
        if out and token.kind == CONST and out[-1].kind == CONST:
            out[-1] = Token(CONST, out[-1].text + token.text)
        else:
            out.append(token)
    return tuple(out)


@dataclass(frozen=True)
class Space:
    """Patterns as a cross product: the options of each position, most specific first.

    >>> s = space(("9", ":", "07"), (True, True, False))
    >>> s.size, str(s.pattern(0)), str(s.pattern(s.size - 1))
    (30, '9:<digit>{2}', '<alphanum>+:<alphanum>+')
    """

    options: tuple[tuple[Option, ...], ...]

    @property
    def size(self) -> int:
        return int(np.prod([len(one) for one in self.options], dtype=float))

    def pattern(self, number: int) -> Pattern:
        """The pattern of a number, the last position running fastest."""
        tokens: list[Token] = []
        for option in reversed(self.options):
            number, k = divmod(number, len(option))
            tokens[:0] = option[k]
        return Pattern(joined(tuple(tokens)))


def space(parts: Sequence[str], constants: Sequence[bool]) -> Space:
    """All patterns of a value given as chunks; `constants` says at which positions its text is an option."""
    return Space(tuple(options_of(part, constant) for part, constant in zip(parts, constants, strict=True)))


def spaces(
    values: Sequence[tuple[str, int]], *, tokens: int, enough: float = 1.0, longest: int = 1024
) -> list[tuple[str, Space, int]]:
    """The hypotheses of a column, by coarse pattern (the sequence of chunk classes) with its rows: the options of all
    its values together, a constant where it covers enough.

    Parameters
    ----------
    values : as (value, rows). tokens : values of more are left out (tau).
    enough : share of all rows that a coarse pattern and a constant have to cover.
    """
    groups: dict[str, list[tuple[tuple[str, ...], int]]] = {}
    total = sum(count for _, count in values)
    for value, count in values:
        if value and len(value) <= longest and len(lex(value)) <= tokens:
            parts = signed_chunks(value)
            groups.setdefault(coarse(parts), []).append((parts, count))
    wanted = enough * total - 1e-9
    sized = ((name, members, sum(count for _, count in members)) for name, members in groups.items())
    return [(name, _hypotheses(members, wanted), rows) for name, members, rows in sized if rows >= wanted]


def _hypotheses(members: list[tuple[tuple[str, ...], int]], wanted: float) -> Space:
    found = []
    for at in range(len(members[0][0])):
        counts: dict[str, int] = {}
        for parts, count in members:
            counts[parts[at]] = counts.get(parts[at], 0) + count
        forms: dict[str, int] = {}
        options: dict[Option, int] = {}
        for text, count in counts.items():
            forms[representative(text)] = forms.get(representative(text), 0) + count
            if count >= wanted:
                options |= dict.fromkeys(options_of(text, True), count)
        constant = set(options)
        for text, count in forms.items():
            for option in options_of(text, False):
                options[option] = (0 if option in constant else options.get(option, 0)) + count
                constant.discard(option)
        found.append(tuple(option for option, count in options.items() if count >= wanted))
    return Space(tuple(found))


def coarse(parts: tuple[str, ...]) -> str:
    """The sequence of chunk classes: words, numbers and codes are one, a symbol is itself.

    >>> coarse(("9", ":", "07")), coarse(("-3",))
    ('X:X', 'X')
    """
    return "".join("X" if part[0].isalnum() or len(part) > 1 or not part.isascii() else part for part in parts)


_ALIKE = str.maketrans(
    {**dict.fromkeys("123456789", "0"), **{chr(c): "A" for c in range(66, 91)}, **{chr(c): "a" for c in range(98, 123)}}
)


def representative(part: str) -> str:
    """A representative of all chunks with the same options but for constants.

    >>> representative("Ab-12")
    'Aa-00'
    """
    return part.translate(_ALIKE)
