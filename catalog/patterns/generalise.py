"""All patterns of a value, and of a column, within a stated bound (Auto-Validate, section 2.1, algorithm 1).

A value is cut into chunks (`catalog.patterns.language.tokens.chunks`), each chunk has a few options, and the patterns
are their cross product. A pattern's key is the sum of its options' hashes, each times a power of an odd constant for
its position, so the keys of all patterns of a value are one outer sum and no pattern is written out before it is
wanted.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from catalog.patterns.language.pattern import Pattern
from catalog.patterns.language.tokens import ALNUMS, CONST, DIGIT, LETTERS, LOWER, NUM, UPPER, Token, chunks, lex

Keys = NDArray[np.uint64]
MOST_PATTERNS = 4096  # patterns enumerated of one value
MOST_OPTIONS = 48  # options of one chunk
_ODD = np.uint64(0x9E3779B97F4A7C15)


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


@lru_cache(maxsize=4096)
def _power(position: int) -> np.uint64:
    return np.uint64(pow(int(_ODD), position + 1, 1 << 64))


def _run_options(run: str, constant: bool) -> list[Token]:
    size = len(run)
    if run[0].isascii() and run[0].isdigit():
        out = [Token(DIGIT, size=size), Token(DIGIT), Token(NUM)]
    else:
        case = [UPPER] if run.isascii() and run.isupper() else [LOWER] if run.isascii() and run.islower() else []
        out = [Token(k, size=size) for k in (*case, LETTERS)] + [Token(k) for k in (*case, LETTERS)]
    return ([Token(CONST, run)] if constant else []) + out


@dataclass(frozen=True)
class Options:
    """Options of one chunk: token sequences and the hash of each."""

    sequences: tuple[tuple[Token, ...], ...]
    hashes: Keys


@lru_cache(maxsize=131072)
def options_of(chunk: str, constant: bool) -> Options:
    """Options of a chunk, most specific first; with the chunk itself as a constant where that is wanted.

    >>> ["".join(map(str, s)) for s in options_of("9", True).sequences]
    ['9', '<digit>{1}', '<digit>+', '<num>', '<alphanum>{1}', '<alphanum>+']
    """
    runs = lex(chunk)
    if not (chunk[0].isalnum() or not chunk[0].isascii()) and len(runs) == 1:
        sequences: list[tuple[Token, ...]] = [(Token(CONST, chunk),)]
    elif "." in chunk:  # a decimal number
        sign = [(Token(CONST, "-"),)] if chunk[0] == "-" else []
        whole_part, places = chunk.lstrip("-").split(".")
        parts = [_run_options(whole_part, constant)[:-1], [Token(CONST, ".")], _run_options(places, constant)[:-1]]
        sequences = [tuple(s) for s in itertools.product(*sign, *parts)] + [(Token(NUM),)]
    else:
        width = [_run_options(run, constant) for run in runs]
        while np.prod([len(w) for w in width]) > MOST_OPTIONS:
            widest = max(range(len(width)), key=lambda i: len(width[i]))
            width[widest] = width[widest][1:]
        sequences = [tuple(s) for s in itertools.product(*width)] if len(runs) <= 8 else []
        sequences += [(Token(ALNUMS, size=len(chunk)),), (Token(ALNUMS),)]
        if constant and len(runs) > 8:
            sequences.insert(0, (Token(CONST, chunk),))
    joined = tuple(_join_constants(s) for s in sequences)
    return Options(joined, np.array([_hash("".join(map(str, s))) for s in joined], np.uint64))


def _join_constants(sequence: tuple[Token, ...]) -> tuple[Token, ...]:
    out: list[Token] = []
    for token in sequence:
        if out and token.kind == CONST and out[-1].kind == CONST:
            out[-1] = Token(CONST, out[-1].text + token.text)
        else:
            out.append(token)
    return tuple(out)


@dataclass(frozen=True)
class Space:
    """The patterns of one value: the cross product of its chunks' options, at most `MOST_PATTERNS`."""

    options: tuple[Options, ...]

    @property
    def keys(self) -> Keys:
        """Key of each pattern."""
        with np.errstate(over="ignore"):
            total = np.zeros(1, np.uint64)
            for position, option in enumerate(self.options):
                total = (total[:, None] + (option.hashes * _power(position))[None, :]).ravel()
        return total

    def pattern(self, number: int) -> Pattern:
        """The pattern of `keys[number]`."""
        tokens: list[Token] = []
        for option in reversed(self.options):
            number, k = divmod(number, len(option.sequences))
            tokens[:0] = option.sequences[k]
        return Pattern(_join_constants(tuple(tokens)))


def space(parts: Sequence[str], constants: Sequence[bool], most: int = MOST_PATTERNS) -> Space:
    """Space of a value given as chunks; where the product is too large the most specific options go first.

    >>> s = space(("9", ":", "07"), (True, True, False))
    >>> len(s.keys), str(s.pattern(0)), str(s.pattern(len(s.keys) - 1))
    (30, '9:<digit>{2}', '<alphanum>+:<alphanum>+')
    """
    options = [options_of(part, constant) for part, constant in zip(parts, constants, strict=True)]
    size = [len(o.sequences) for o in options]
    while np.prod(size, dtype=float) > most:
        size[int(np.argmax(size))] -= 1
    cut = tuple(
        o if len(o.sequences) == n else Options(o.sequences[-n:], o.hashes[-n:])
        for o, n in zip(options, size, strict=True)
    )
    return Space(cut)


def spaces(
    values: Sequence[tuple[str, int]], *, tokens: int, coverage: float = 0.1, most: int = MOST_PATTERNS
) -> list[tuple[Space, int]]:
    """The distinct pattern spaces of a column with their rows, as algorithm 1 enumerates them.

    First by coarse patterns (the sequence of chunk classes): those of fewer than `coverage` of the rows, or with more
    than `tokens` tokens, are dropped. Then within each: a constant is an option where it covers `coverage` of the
    coarse pattern's rows.
    """
    groups: dict[str, list[tuple[tuple[str, ...], int]]] = {}
    total = 0
    for value, count in values:
        total += count
        if len(value) <= 4 * 256 and len(lex(value[:1024])) <= tokens:
            parts = chunks(value)
            groups.setdefault(_coarse(parts), []).append((parts, count))
    out: list[tuple[Space, int]] = []
    for members in groups.values():
        rows = sum(count for _, count in members)
        if rows < coverage * total:
            continue
        out.extend(_fine(members, coverage * rows, most))
    return out


def _coarse(parts: tuple[str, ...]) -> str:
    return "".join("X" if part[0].isalnum() or len(part) > 1 or not part.isascii() else part for part in parts)


def _fine(members: list[tuple[tuple[str, ...], int]], enough: float, most: int) -> list[tuple[Space, int]]:
    width = len(members[0][0])
    frequent: list[set[str]] = []
    for i in range(width):
        counts: dict[str, int] = {}
        for parts, count in members:
            counts[parts[i]] = counts.get(parts[i], 0) + count
        frequent.append({text for text, count in counts.items() if count >= enough})
    found: dict[tuple[tuple[str, bool], ...], int] = {}
    for parts, count in members:
        key = tuple((p, True) if p in f else (_look(p), False) for p, f in zip(parts, frequent, strict=True))
        found[key] = found.get(key, 0) + count
    return [(space([p for p, _ in key], [c for _, c in key], most), count) for key, count in found.items()]


_LOOKS = str.maketrans(
    {**dict.fromkeys("123456789", "0"), **{chr(c): "A" for c in range(66, 91)}, **{chr(c): "a" for c in range(98, 123)}}
)


def _look(part: str) -> str:
    """A representative of all chunks with the same options."""
    return part.translate(_LOOKS)
