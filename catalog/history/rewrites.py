"""Values that one rule has rewritten since the batch before: that are led back to values which went, by one way.

Where half of a column's values changed once, quotation marks around a fifth of them are nothing that its bands would
see. But values that come are, but for marks around them, values that went, next to never by chance, nor by hand more
than a few at once; so this needs no band. A state lists some values and knows hashes of others: each listed value that
lost rows is damaged in every way that leaves no choice (`catalog.damage`), and the hash of what that gives is looked up
among those of the values that came.

What can be looked up: of up to 128 distinct values all. Of more, what is listed, which are the same values in both
batches where each stands in one row (`catalog.states.folding.skeleton`), but in files of more than half a megabyte and
in tables of several files; and beside that as many of hundred as the samples hold of all values (their thresholds).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from operator import neg
from typing import Any

import numpy as np

from catalog.damage import DRAWN, FURTHER, NUMBERS, STRINGS, exchanges
from catalog.damage.values import is_number_cut
from catalog.patterns.language.characters import shape_of
from catalog.states.column import ColumnState
from catalog.states.folding.hashing import hash_values
from catalog.states.folding.skeleton import of_values
from catalog.states.parts.distinct import FULL, truncate

#: Values that must have been rewritten by one rule. Chosen: a person corrects the spelling of one or two.
LEAST = 3
#: The chance beyond which as many are led back by chance. Chosen: a lake has hundreds of columns, and versions daily.
CHANCE = 0.0001
#: Characters of the values of which neighbours are exchanged, and of the ends that are read off. Bounds of time.
SHORTEST, LONGEST, START, END = 4, 40, 4, 6
#: What stands between the parts of a value.
MARKS = "-/._:, "
#: The kind of damage that may make several values of one, by which neighbours are exchanged.
EXCHANGED = "transposed"
#: Kinds of damage that make one value of a value, whatever the others are.
RULES = tuple(kind for kind in (*STRINGS, *FURTHER) if kind.of == "strings" and kind.key not in {*DRAWN, EXCHANGED})
WAYS = len(RULES) + 1 + len(MARKS)  # that values are tried by
SIGN = next(kind for kind in NUMBERS if kind.key == "sign")

#: (kind of damage, what stood there, what stands there now): the latter where they are read off values.
Way = tuple[str, str, str]


@dataclass(frozen=True)
class Rewriting:
    """One way in which values were rewritten.

    Parameters
    ----------
    key : the kind of damage (`catalog.damage`).
    old, new : of separators, a prefix or suffix, what stood there and what stands there now.
    pairs : values before and after, those of most rows first.
    share : of the rows, 0..1: of the rows of the values that are listed and lost some, as many as were led forward of
        those that can be looked up. Exact where every value is known.
    """

    key: str
    old: str
    new: str
    pairs: tuple[tuple[Any, Any], ...]
    share: float


#: A further way in which single values may have been changed: its name, and what it makes of one; None: left as it is.
Tried = tuple[str, Callable[[Any], Any]]


def rewriting(now: ColumnState, before: ColumnState, further: Sequence[Tried] = ()) -> Rewriting | None:
    """The way in which most values of a column of strings or numbers were rewritten; None where fewer than `LEAST` were
    or as many are led back by chance. Numbers and times are tried by the `further` ways, too.

    >>> import pyarrow as pa
    >>> from catalog.states.folding.fold import fold
    >>> names = ["Anna", "Berta", "Clara", "Dora", "Emma", "Frida", "Greta", "Hanna"]
    >>> quoted = ['"Anna"', '"Berta"', '"Clara"', *names[3:]]
    >>> before, now = (fold(pa.table({"name": x})).columns["name"] for x in (names, quoted))
    >>> found = rewriting(now, before)
    >>> found.key, found.share, found.pairs[0]
    ('quotes', 0.375, ('Anna', '"Anna"'))
    >>> rewriting(before, before) is None
    True
    """
    if now.kind != before.kind or now.kind not in ("string", "number", *(["time"] if further else [])):
        return None
    seen = _Seen(_Known(now), _Known(before), further)
    if len(seen.came) < LEAST or len(seen.gone) < LEAST:
        return None
    found = seen.led(list(seen.gone))
    way = max(found, key=lambda one: _distinct(found[one]), default=None)
    if way is None or _distinct(found[way]) < LEAST or seen.by_chance(way, found):
        return None
    pairs = [(value, made[0]) for value, made in found[way].items()]
    pairs.sort(key=lambda pair: -seen.gone[pair[0]])
    return Rewriting(*way, tuple(pairs), seen.share(way, found[way]))


Led = dict[Way, dict[Any, list[Any]]]  # way -> value before -> values now


def _distinct(led: Mapping[Any, Sequence[Any]]) -> int:
    return min(len(led), len({made for some in led.values() for made in some}))


class _Known:
    """What a state tells of a column's values: those it lists, and the rows of hashes."""

    def __init__(self, state: ColumnState) -> None:
        distinct, frequent = state.distinct, state.frequent
        self.threshold, self.unlisted = distinct.threshold, frequent.most_unlisted
        codes = np.array(frequent.hashes, np.uint64)
        skeletons = truncate(of_values([value for value, _ in frequent.items], codes)).tolist()
        self.listed = {
            value: (code, n)
            for (value, n), code in zip(frequent.items, frequent.hashes, strict=True)
            if value not in ("", 0) and not (isinstance(value, float) and not math.isfinite(value))
        }
        self.skeletons = dict(zip(frequent.hashes, skeletons, strict=True))
        self.counts = dict(zip(distinct.hashes.tolist(), distinct.counts.tolist(), strict=True))
        self.counts |= dict(self.listed.values())
        last = [one for one, (_, n) in zip(skeletons, frequent.items, strict=True) if n == self.unlisted]
        self.edge = last[-1] if last and last == sorted(last) else 0  # of values of one row the least are listed

    def most(self, code: int, skeleton: int) -> int:
        """The most rows that a value of that hash and skeleton may have."""
        there = self.counts.get(code)
        if there is not None:
            return int(there)
        return 0 if code < self.threshold else self.unlisted - (skeleton < self.edge)

    def least(self, code: int) -> int:
        return int(self.counts.get(code, 0))


class _Seen:
    """Two batches of a column: the rows that listed values lost, and the hashes of values that came."""

    def __init__(self, now: _Known, before: _Known, further: Sequence[Tried]) -> None:
        self.now, self.before, self.further = now, before, further
        lost = {value: n - now.most(code, before.skeletons[code]) for value, (code, n) in before.listed.items()}
        self.gone = {value: n for value, n in lost.items() if n > 0}
        self.stayed = [value for value, n in lost.items() if n <= 0]
        fresh = now.counts.keys() - before.counts.keys()
        none = 1 << 64  # a skeleton that none is below
        self.came = {code for code in fresh if now.counts[code] > before.most(code, now.skeletons.get(code, none))}
        self.new = [value for value, (code, _) in now.listed.items() if code in self.came]

    def led(self, values: Sequence[Any]) -> Led:
        """What of the values is led to a value that came, by every way."""
        return self._led(values, self.came, self.new)

    def _led(self, values: Sequence[Any], codes: Container[int], listed: Sequence[Any]) -> Led:
        """What of the values is led to one of such hashes, or of those `listed`."""
        tries = list(_tries(values, self.further))
        made = zip(tries, self._codes([value for *_, value in tries]), strict=True)
        found: Led = {}
        for way, value, new in (*(one for one, code in made if code in codes), *_read_off(listed, values)):
            found.setdefault(way, {}).setdefault(value, []).append(new)
        return found

    def _codes(self, values: Sequence[Any]) -> list[int]:
        return [int(code) for code in truncate(hash_values(values))]

    def by_chance(self, way: Way, found: Led) -> bool:
        """Whether as many would be led by chance: as often as this way leads values that stayed to those that came, or
        any value to one that was there already (where numbers are dense, or values counted up, each leads to others);
        or as often as any way leads a value, or as other letters in the place of others do: of first names and
        surnames some always seem to be others' by their first letters, and the most of many pairs of these is found."""
        listed = list(self.before.listed)
        stayed, there = self.led(self.stayed), self._led(listed, self.before.counts, listed)
        is_sign = way[0] == SIGN.key
        if way[0] == EXCHANGED and all(map(_of_digits, found[way], found[way].values())):
            near = (len(there.get(way, ())), len(listed))  # numbers in texts are dense: that none is near says little
            if predicted_at_least(*near, len(found[way]), len(self.gone)) > CHANCE:
                return True
        if self._are_other_numbers(found[way]):
            return True
        if _exchanges_letters(way):
            alike = [len(led) / len(self.gone) for one, led in found.items() if _exchanges_letters(one) and one != way]
            alike += [len(led) / len(listed) for one, led in there.items() if _exchanges_letters(one) and one != way]
            if alike and len(alike) * at_least(len(found[way]), len(self.gone), sum(alike) / len(alike)) > CHANCE:
                return True
        rates = [
            len(stayed.get(way, ())) / max(len(self.stayed), 1),
            (len(there.get(way, ())) + is_sign) / (len(listed) + is_sign),  # that none of a few was led says little
        ]
        if not is_sign:  # the one way of numbers
            others = sum(map(len, stayed.values())) + sum(len(led) for one, led in found.items() if one[0] != way[0])
            rates.append((others + 1) / (WAYS * len(self.stayed) + (WAYS - 1) * len(self.gone) + 1))
        return at_least(len(found[way]), len(self.gone), max(rates)) > CHANCE

    def _are_other_numbers(self, led: Mapping[Any, Sequence[Any]]) -> bool:
        """Whether most values are led to smaller numbers, of so many digits as came before as often as now: "Item 16"
        is another item than "Item 163", where others of two digits are there each time."""
        pairs = [(value, made[0]) for value, made in led.items() if isinstance(made[0], str)]
        forms = {_form(made) for value, made in pairs if is_number_cut(value, made)}
        if 2 * sum(_form(made) in forms for _, made in pairs) <= len(led):
            return False
        had, has = ([_form(value) in forms for value in one.listed] for one in (self.before, self.now))
        return any(had) and predicted_at_least(sum(had), len(had), sum(has), len(has)) > CHANCE

    def share(self, way: Way, led: Mapping[Any, Sequence[Any]]) -> float:
        """See `Rewriting.share`."""
        rows, lost = sum(n for _, n in self.before.listed.values()), sum(self.gone.values())
        here = self._rows(led)
        edge = min(self.now.threshold, self.before.threshold)
        if edge == FULL:
            return here / rows
        tries = [(value, made) for one, value, made in _tries(list(self.gone), self.further) if one == way]
        codes = self._codes([made for _, made in tries])
        shown = [one for one, code in zip(tries, codes, strict=True) if code < edge]
        forms, known = (Counter(value for value, _ in some) for some in (tries, shown))
        if len(known) < LEAST:
            return here / rows
        of = sum(self.gone[value] * n / forms[value] for value, n in known.items())
        seen = set(shown)
        found = self._rows({value: [x for x in made if (value, x) in seen] for value, made in led.items()})
        return min(max(here, lost * found / of), lost) / rows

    def _rows(self, led: Mapping[Any, Sequence[Any]]) -> int:
        """Rows that were led from values to others: as many as those lost and these have."""
        has = (sum(map(self.now.least, self._codes(made))) for made in led.values())
        return sum(min(self.gone[value], n) for value, n in zip(led, has, strict=True))


def _tries(values: Sequence[Any], further: Sequence[Tried]) -> Iterator[tuple[Way, Any, Any]]:
    """(way, value, what it is made) for every way that leaves no choice, or few."""
    if values and not isinstance(values[0], str):
        ways = further if isinstance(values[0], date | time) else ((SIGN.key, neg), *further)
        made = (((key, "", ""), value, change(value)) for key, change in ways for value in values)
        yield from (one for one in made if one[2] is not None and one[2] != one[1])
        return
    for kind in RULES:
        change = kind.plan(values, np.random.default_rng(0)) if values else None
        if change is None:
            continue
        for value in values:
            made = change(value)
            if made and made != value:
                yield (kind.key, "", ""), value, made
    for value in values:
        if SHORTEST <= len(value) <= LONGEST:
            yield from (((EXCHANGED, "", ""), value, made) for made in exchanges(value))
    held = Counter(mark for value in values for mark in value.strip() if mark in MARKS)
    old = max(held, key=lambda mark: (held[mark], mark), default=None)
    if old is not None:
        with_it = [value for value in values if old in value.strip(old)]
        yield from (
            (("separators", old, new), value, value.replace(old, new))
            for value in with_it
            for new in (*MARKS, "")
            if new != old
        )


def _read_off(new: Sequence[Any], values: Sequence[Any]) -> Iterator[tuple[Way, Any, Any]]:
    """(way, value, what it was made) where characters were put before a value or behind it, or others in the place of
    the letters that it begins with."""
    if not values or not isinstance(values[0], str):
        return
    known = set(values)
    tails: dict[tuple[int, str], str] = {}
    for value in values:
        tails |= {(len(value), value[i:]): value for i in range(1, min(START, len(value) - 1) + 1)}
    for made in new:
        for i in range(1, min(END, len(made) - 1) + 1):
            start, rest = made[:i], made[i:]
            if rest in known:
                yield ("prefix", "", start), rest, made
            if made[:-i] in known:
                yield ("suffix", "", made[-i:]), made[:-i], made
            whole = tails.get((len(made), rest))
            if whole is not None and _others(whole[:i], start):
                yield ("prefix", whole[:i], start), whole, made


def _form(value: str) -> str:
    """What a value consists of: its numbers by their digits, words however long.

    >>> _form("Item 163"), _form("P-17")
    ('Aa 000', 'A-00')
    """
    return re.sub(r"([^0])\1+", r"\1", shape_of(value))


def _exchanges_letters(way: Way) -> bool:
    """Whether a way puts other letters in the place of those that a value begins with."""
    return way[0] == "prefix" and way[1] != ""


def _of_digits(value: str, made: Sequence[str]) -> bool:
    """Whether digits have been exchanged: of codes that lie close together others come of that, of words none do.

    >>> _of_digits("P-10616", ["P-10166"]), _of_digits("Anna", ["Aann"])
    (True, False)
    """
    return all(a.isdigit() and b.isdigit() for a, b in zip(value, made[0], strict=True) if a != b)


def _others(old: str, new: str) -> bool:
    """Whether letters are in the place of other letters, all of them."""
    return old.isalpha() and new.isalpha() and all(a.casefold() != b.casefold() for a, b in zip(old, new, strict=True))


def predicted_at_least(known: int, of: int, hits: int, n: int) -> float:
    """The chance of so many hits or more of `n`, where `known` `of` others were hits, and any rate is as likely before:
    the tail of a beta-binomial.

    >>> [round(predicted_at_least(0, *of), 3) for of in ((1, 1, 1), (64, 9, 62), (64, 13, 13))]
    [0.333, 0.001, 0.0]
    """

    def beta(a: int, b: int) -> float:
        return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)

    a, b = 1 + known, 1 + of - known
    chances = (math.comb(n, k) * math.exp(beta(a + k, b + n - k) - beta(a, b)) for k in range(hits, n + 1))
    return min(math.fsum(chances), 1.0)


def at_least(hits: int, n: int, p: float) -> float:
    """The chance of so many hits or more of `n` that are each one with chance `p`, 0..1: the tail of a binomial.

    >>> at_least(0, 5, 0.1), round(at_least(1, 2, 0.5), 9), at_least(3, 3, 1.0)
    (1.0, 0.75, 1.0)
    """
    return min(math.fsum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(hits, n + 1)), 1.0)
