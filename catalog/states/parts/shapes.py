"""What the strings of a column look like: shapes and lengths, folded from the Arrow value buffer.

A shape writes every ASCII digit as ``0``, upper-case letter as ``A``, lower-case letter as ``a``, every character
beyond ASCII as ``é``, and every other ASCII character as itself, so that it is unambiguous. A column with too many
shapes is coarsened by itself. `level` says how, as a set of bits; the level of a merged state is the union of its
parts' bits:

====  ==================================================================================================
bit   meaning
====  ==================================================================================================
1     runs of one class are written once: ``Hello 12`` is ``Aa 0``
2     digits, letters and é are one class, ``X``, of known length: a GUID is ``XXXXXXXX-XXXX-...``
4     only the set of characters is left, in order of code: ``a+/==`` is ``+/=X``; comes with 1 and 2
====  ==================================================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

RUNS, CLASSES, SET = 1, 2, 4
CAPACITY = 64  # shapes listed; a bound
ENUMERATED = 1024  # so many shapes, the most frequent, tell the level; a bound of time
BOUNDED = 16  # leading shapes whose position-wise bounds are kept; a bound
WIDEST = 128  # longest shape whose position-wise bounds are kept; a bound
MOST_SHAPE = 256  # a longer shape is cut; a bound


@dataclass(frozen=True)
class Shape:
    """One shape and how many rows have it.

    `low`, `high` are the least and the largest character at each position over the values of the shape (equal: the
    position is constant); both empty where they are not known (runs collapsed, beyond ASCII, rare or long shapes).
    """

    text: str
    count: int
    low: str = ""
    high: str = ""


@dataclass(frozen=True)
class Shapes:
    """Shapes by count, largest first; `other` rows have a shape that is not listed."""

    items: tuple[Shape, ...]
    other: int
    level: int

    @property
    def rows(self) -> int:
        return sum(s.count for s in self.items) + self.other

    def at(self, level: int) -> Shapes:
        """Coarsened to have all bits of `level` too: two states compare at the union of their levels."""
        return self if level | self.level == self.level else collect(self.items, self.other, level | self.level, None)


@dataclass(frozen=True)
class Lengths:
    """Characters (code points) of all strings of a column together, by class.

    `letters` = `upper` + `lower` (ASCII); `spaces` are ASCII white space; `punctuation` is every other ASCII
    character; `other` is beyond ASCII. `shortest`, `longest` in characters; `m2` = sum of (length - mean length)^2
    over the `n` strings.
    """

    n: int
    chars: int
    letters: int
    digits: int
    punctuation: int
    spaces: int
    upper: int
    lower: int
    other: int
    shortest: int
    longest: int
    m2: float

    @property
    def mean(self) -> float:
        return self.chars / self.n


# ---------------------------------------------------------------------------------------- coarsening and merging

_CLASSES = str.maketrans("0Aaé", "XXXX")
_RUNS = [(c + c, c) for c in "0AaéX"]


def coarsen(text: str, level: int) -> str:
    """A shape's text at a coarser level.

    >>> coarsen("Aaaa 000", RUNS), coarsen("0a0a-00", CLASSES), coarsen("aA0+aa=", 7)
    ('Aa 0', 'XXXX-XX', '+=X')
    """
    if level & CLASSES:
        text = text.translate(_CLASSES)
    if level & RUNS:
        for pair, one in _RUNS:
            while pair in text:
                text = text.replace(pair, one)
    if level & SET:
        text = "".join(sorted(set(text)))
    return text


def _bounds(parts: Iterable[Shape]) -> tuple[str, str]:
    """Position-wise bounds of several shapes of one text; unknown when any is."""
    lows, highs = zip(*((p.low, p.high) for p in parts), strict=True)
    if len(set(lows)) == 1 and len(set(highs)) == 1:
        return lows[0], highs[0]
    if not all(lows) or len({len(x) for x in lows}) > 1:
        return "", ""
    low = np.frombuffer("".join(lows).encode("ascii"), np.uint8).reshape(len(lows), -1).min(axis=0)
    high = np.frombuffer("".join(highs).encode("ascii"), np.uint8).reshape(len(highs), -1).max(axis=0)
    return low.tobytes().decode("ascii"), high.tobytes().decode("ascii")


def collect(shapes: Iterable[Shape], other: int, level: int, capacity: int | None = CAPACITY) -> Shapes:
    """Coarsen to `level`, join equal shapes and keep the `capacity` most frequent."""
    groups: dict[str, list[Shape]] = {}
    for shape in shapes:
        groups.setdefault(coarsen(shape.text, level) if level else shape.text, []).append(shape)
    joined = []
    for text, group in groups.items():
        low, high = ("", "") if level & RUNS else _bounds(group)
        joined.append(Shape(text, sum(s.count for s in group), low, high))
    joined.sort(key=lambda s: (-s.count, s.text))
    kept = joined if capacity is None else joined[:capacity]
    return Shapes(tuple(kept), other + sum(s.count for s in joined[len(kept) :]), level)


def best_level(counts: dict[str, int], capacity: int = CAPACITY) -> int:
    """The finest level at which the listed shapes cover 99% of the rows; of `RUNS` and `CLASSES` the one with fewer
    shapes."""
    total = sum(counts.values())

    def covered(level: int) -> tuple[bool, int]:
        joined: dict[str, int] = {}
        for text, count in counts.items():
            text = coarsen(text, level)
            joined[text] = joined.get(text, 0) + count
        top = sorted(joined.values(), reverse=True)[:capacity]
        return sum(top) >= 0.99 * total, len(joined)

    if len(counts) <= capacity or covered(0)[0]:
        return 0
    if len(counts) > ENUMERATED:
        counts = dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:ENUMERATED])
        total = sum(counts.values())
    middle = sorted((size, level) for level in (RUNS, CLASSES) for fits, size in [covered(level)] if fits)
    if middle:
        return middle[0][1]
    return RUNS | CLASSES if covered(RUNS | CLASSES)[0] else RUNS | CLASSES | SET


def merge_shapes(parts: Sequence[Shapes | None], capacity: int = CAPACITY) -> Shapes | None:
    """Coarsen all parts to the union of their levels, or further where their shapes together are too many."""
    real = [p for p in parts if p is not None and p.rows]
    if not real or (len(real) == 1 and len(real[0].items) <= capacity):
        return real[0] if real else next((p for p in parts if p is not None), None)
    level = 0
    for part in real:
        level |= part.level
    other = sum(p.other for p in real)
    items = [s for p in real for s in p.items]
    joined = collect(items, other, level, capacity=None)
    if len(joined.items) > capacity:
        level |= best_level({s.text: s.count for s in joined.items}, capacity=capacity)
    return collect(joined.items, other, level, capacity)


def merge_lengths(parts: Iterable[Lengths | None]) -> Lengths | None:
    """Sums, extremes and the pairwise formula for `m2`."""
    out: Lengths | None = None
    for b in parts:
        if b is None or out is None:
            out = out or b
            continue
        a = out
        n = a.n + b.n
        names = ("chars", "letters", "digits", "punctuation", "spaces", "upper", "lower", "other")
        sums = {name: getattr(a, name) + getattr(b, name) for name in names}
        m2 = a.m2 + b.m2 + (b.mean - a.mean) ** 2 * a.n * b.n / n
        out = Lengths(n=n, **sums, shortest=min(a.shortest, b.shortest), longest=max(a.longest, b.longest), m2=m2)
    return out


# ------------------------------------------------------------------------------------------------------ from values

TABLE = bytes(
    0x30 if 0x30 <= b <= 0x39 else 0x41 if 0x41 <= b <= 0x5A else 0x61 if 0x61 <= b <= 0x7A else b if b < 0x80
    else 0x80 if b < 0xC0 else 0xE9
    for b in range(256)
)  # fmt: skip


def shape_of(value: str) -> str:
    """Shape of one value at level 0.

    >>> shape_of("Zürich 8001"), shape_of("a\\x00b"), shape_of("")
    ('Aéaaaa 0000', 'a\\x00a', '')
    """
    raw = value.encode("utf-8", "surrogatepass").translate(TABLE)
    return raw.replace(b"\x80", b"").decode("latin-1")


def shapes_of_counts(values: Sequence[tuple[str, int]]) -> Shapes:
    """All shapes of a short table of values with their counts; nothing is left out."""
    groups: dict[str, list[tuple[str, int]]] = {}
    for value, count in values:
        groups.setdefault(shape_of(value)[:MOST_SHAPE], []).append((value, count))
    items = []
    for text, group in groups.items():
        low = high = ""
        if len(text) <= WIDEST and text.isascii():
            low, high = _bounds([Shape(text, 0, v, v) for v, _ in group])
        items.append(Shape(text, sum(c for _, c in group), low, high))
    items.sort(key=lambda s: (-s.count, s.text))
    return Shapes(tuple(items), 0, 0)


def class_counts(shapes: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Characters by class over (shape at level 0, count)."""
    upper = lower = digits = spaces = other = chars = 0
    for text, count in shapes:
        chars += len(text) * count
        upper += text.count("A") * count
        lower += text.count("a") * count
        digits += text.count("0") * count
        other += text.count("é") * count
        spaces += text.count(" ") * count
        if not text.isprintable():
            spaces += sum(text.count(c) for c in "\t\n\r\x0b\x0c") * count
    letters = upper + lower
    punctuation = chars - letters - digits - spaces - other
    return {
        "chars": chars, "letters": letters, "digits": digits, "punctuation": punctuation, "spaces": spaces,
        "upper": upper, "lower": lower, "other": other,
    }  # fmt: skip


def lengths_of_shapes(shapes: Sequence[tuple[str, int]]) -> Lengths:
    """Lengths of all strings from their shapes at level 0 with their counts."""
    n = sum(c for _, c in shapes)
    counts = class_counts(shapes)
    mean = counts["chars"] / n
    m2 = sum((len(s) - mean) ** 2 * c for s, c in shapes)
    sizes = [len(s) for s, _ in shapes]
    return Lengths(n=n, **counts, shortest=min(sizes), longest=max(sizes), m2=m2)
