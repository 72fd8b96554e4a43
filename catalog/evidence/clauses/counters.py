"""Runs of digits that count: what is numbered on and on outgrows the digits it has.

A column of `user0@x.org` to `user99@x.org` shows numbers of one and two digits, and the next has three. A run of digits
is a counter where its numbers are handed out, not drawn:

- they come **without repetition**. Of m rows drawn with replacement from the numbers of their extent R, some
  m - R (1 - exp(-m / R)) repeat a number; that as few do as were seen has, as a Poisson variable of that mean (repeats
  are rare and nearly independent), a chance below `SIGNIFICANCE`;
- and they need **room**: with `AHEAD` rows to come for each row seen, all of them new, the numbers of so many digits
  would be used up. Postcodes, years and codes of fixed length leave more room than is needed, hours and days of a month
  come again and again.

A class of a view that keeps lengths is then open above: `00…` is two digits or more, at the place of the counter and
at its largest number of digits only.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from catalog.patterns.language.characters import DIGIT, shape_of
from catalog.patterns.language.hierarchy import REPEAT, class_of

if TYPE_CHECKING:
    from catalog.evidence.pattern_index.views import Profile
    from catalog.states.parts.shapes import Shape

SIGNIFICANCE = 0.01  # chosen: the level of significance that all tests here have
AHEAD = 9.0  # rows to come for each row seen; chosen: what rules on strings look ahead
LONGEST_NUMBER = 18  # digits; longer runs are hashes and keys, which nobody counts, a bound
_DIGITS = re.compile("[0-9]+")
_RUN = re.compile(f"{DIGIT}+")


@dataclass(frozen=True)
class Counter:
    """The run of digits at a `place` (0: the first) of all values whose class in the view ``runs`` is `runs`; its
    numbers have up to `digits` digits so far."""

    runs: str
    place: int
    digits: int


@dataclass
class Numbers:
    """Numbers seen at one place: how many `rows`, how many `distinct`, their least and greatest, and their digits."""

    rows: float
    distinct: float
    low: int
    high: int
    shortest: int
    longest: int
    padded: bool

    @property
    def capacity(self) -> int:
        """How many numbers have as many digits as these."""
        smaller: int = 10 ** (self.shortest - 1) if self.shortest > 1 and not self.padded else 0
        found: int = 10**self.longest - smaller
        return found

    @property
    def counts(self) -> bool:
        """Whether they are a counter's: see the module."""
        if not self.rows > 1 or self.longest > LONGEST_NUMBER or (1 + AHEAD) * self.distinct < self.capacity:
            return False
        extent = self.high - self.low + 1
        expected = self.rows - extent * -math.expm1(-self.rows / extent)
        return at_most(round(self.rows - self.distinct), expected) < SIGNIFICANCE


def at_most(count: int, mean: float) -> float:
    """P(X <= count) for a Poisson variable of that mean.

    >>> round(at_most(0, 2.0), 3), round(at_most(5, 5.0), 3)
    (0.135, 0.616)
    """
    from scipy.special import pdtr

    return float(pdtr(max(count, 0), mean))


def counters(profile: Profile) -> tuple[Counter, ...]:
    """The counters of a column's strings, in order of class and place.

    >>> from catalog.evidence.pattern_index.views import profile_rows
    >>> counters(profile_rows([f"user{i}@x.org" for i in range(100)]))
    (Counter(runs='a0@a.a', place=0, digits=2),)
    >>> counters(profile_rows([f"{i % 24}:{i % 60}" for i in range(100)])), counters(profile_rows(["8001", "8050"] * 9))
    ((), ())
    """
    shapes = profile.state.shapes if profile.state is not None and profile.base == "shape" else None
    found: dict[tuple[str, int], Numbers] = {}
    if profile.values is not None:
        found = _of_values(profile.values)
    elif profile.state is not None and shapes is not None:
        distinct = min(profile.state.distinct.estimate() / max(profile.state.non_null, 1), 1.0)
        found = _of_shapes(shapes.items, distinct)
    kept = [Counter(runs, place, one.longest) for (runs, place), one in found.items() if one.counts]
    return tuple(sorted(kept, key=lambda one: (one.runs, one.place)))


def _of_values(values: Mapping[str, int]) -> dict[tuple[str, int], Numbers]:
    texts: dict[tuple[str, int], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for value, rows in values.items():
        runs = _DIGITS.findall(value)
        if not runs or not value.isascii():
            continue
        kind = class_of("runs", shape_of(value))
        for place, text in enumerate(runs):
            texts[kind, place][text] += rows
    found = {}
    for key, seen in texts.items():
        sizes = [len(text) for text in seen]
        if max(sizes) <= LONGEST_NUMBER:
            numbers = [int(text) for text in seen]
            padded = any(len(text) > 1 and text[0] == "0" for text in seen)
            found[key] = Numbers(
                sum(seen.values()), len(seen), min(numbers), max(numbers), min(sizes), max(sizes), padded
            )
    return found


def _of_shapes(shapes: Iterable[Shape], distinct: float) -> dict[tuple[str, int], Numbers]:
    """From the bounds of the characters at each position: where one run of digits alone differs, as many numbers are
    distinct as values are, `distinct` of the rows."""
    groups: dict[str, list[Shape]] = defaultdict(list)
    for shape in shapes:
        groups[class_of("runs", shape.text)].append(shape)
    found = {}
    for kind, group in groups.items():
        places = {_only_difference(shape) for shape in group}
        if len(places) != 1 or (place := places.pop()) is None:
            continue
        ends = [(_DIGITS.findall(s.low)[place], _DIGITS.findall(s.high)[place]) for s in group]
        sizes = [len(low) for low, _ in ends]
        rows = sum(shape.count for shape in group)
        padded = any(len(low) > 1 and low[0] == "0" for low, _ in ends)
        low, high = min(int(low) for low, _ in ends), max(int(high) for _, high in ends)
        if max(sizes) <= LONGEST_NUMBER:
            found[kind, place] = Numbers(rows, rows * distinct, low, high, min(sizes), max(sizes), padded)
    return found


def _only_difference(shape: Shape) -> int | None:
    """The place of the run of digits outside of which all values of a shape are alike; None where there is none."""
    if not shape.low:
        return None
    places = [
        place if found else None
        for place, run in enumerate(_RUN.finditer(shape.text))
        for found in [shape.low[slice(*run.span())] != shape.high[slice(*run.span())]]
    ]
    changed = [place for place in places if place is not None]
    rest = [_RUN.sub("", shape.text) and _DIGITS.sub("", text) for text in (shape.low, shape.high)]
    return changed[0] if len(changed) == 1 and rest[0] == rest[1] else None


def opened(shape: str, found: Iterable[Counter]) -> str:
    """A shape with its counters open above where they have their largest number of digits.

    >>> opened("aaaa00@a.aaa", [Counter("a0@a.a", 0, 2)]), opened("aaaa0@a.aaa", [Counter("a0@a.a", 0, 2)])
    ('aaaa00…@a.aaa', 'aaaa0@a.aaa')
    """
    digits = {one.place: one.digits for one in found if one.runs == class_of("runs", shape)}
    if not digits:
        return shape
    out, last = [], 0
    for place, run in enumerate(_RUN.finditer(shape)):
        mark = REPEAT if digits.get(place) == len(run.group()) else ""
        out.append(shape[last : run.end()] + mark)
        last = run.end()
    return "".join(out) + shape[last:]


def closed(text: str) -> str:
    """A class without its marks of open runs."""
    return text.replace(REPEAT, "")


@lru_cache(maxsize=1024)
def open_classes(accepted: tuple[str, ...]) -> re.Pattern[str] | None:
    """Matches the classes that belong to those of `accepted` that are open above; None where none is.

    >>> found = open_classes(("a00…@a", "a0@a"))
    >>> [bool(found.fullmatch(text)) for text in ("a00@a", "a0000@a", "a0@a", "a000@aa")]
    [True, True, False, False]
    """
    texts = [text for text in accepted if REPEAT in text]
    if not texts:
        return None
    return re.compile("|".join(re.sub(f"(.){REPEAT}", r"\1+", re.escape(text)) for text in texts), re.DOTALL)
