"""Guesses at what happened to columns of long or ever new strings, of which no two have a shape in common: by which
characters stand beside each other.

A state knows some values of such a column. Of these, before and now, the shares of pairs of neighbouring classes of
characters are compared as shares of shapes are for other columns (`catalog.causes.guesses.strings`). Characters that
changed places leave those shares as they are; they make pairs that were rare, and that the exchange makes common again.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from catalog.causes.cause import READ_OFF, Guess, probability
from catalog.causes.guesses import features as f
from catalog.causes.guesses.hypotheses import Hypothesis
from catalog.damage import STRINGS, exchanges
from catalog.states.parts.shapes import shape_of

LONGEST = 200  # characters of a value that are read; a bound of time
#: Values on each side below which pairs say nothing. Chosen.
FEWEST = 16
#: Share of the change that a guess has to explain, and by how many times it must be larger than two halves of the
#: values before differ. Chosen: so much is no chance.
EXPLAINED, BEYOND_CHANCE = 0.5, 2.0
#: Share of the healthy values that an exchange of two neighbours would mend more than most; standard errors by which
#: more of them are now; share of damaged ones that it must tell. Chosen.
MENDED, ERRORS, TOLD = 0.05, 4.0, 0.2
#: Values that are known ones but for two neighbours, from which that is no chance. Chosen.
PAIRED = 4
#: How sure these are beside guesses from whole shapes. Chosen.
WEIGHT = 0.8


def guesses(now: Sequence[str], before: Sequence[str], hypotheses: Iterable[Hypothesis]) -> Iterator[Guess]:
    """Explanations of what changed between the values known of two batches."""
    then, values = [v[:LONGEST] for v in before], [v[:LONGEST] for v in now]
    if min(len(then), len(values)) < FEWEST:
        return
    if (share := exchanged(values, then)) is not None:
        yield Guess("transposed", "transposed", WEIGHT, share, {"share": share}, sure=READ_OFF)
    base = pairs(then)
    moved = f.difference(base, pairs(values), lambda _: 1.0)
    if f.size(moved) < BEYOND_CHANCE * f.size(f.difference(pairs(then[::2]), pairs(then[1::2]), lambda _: 1.0)):
        return
    for key, cause, change, detail, mend in hypotheses:
        predicted = f.difference(base, pairs([change(v) or v for v in then]), lambda _: 1.0)
        fit, share = f.explained(moved, predicted)
        if fit >= EXPLAINED and share > LEAST_SHARE and cause != "default":
            yield Guess(key, cause, WEIGHT * fit, share, detail, mend, sure=probability(cause, fit))


LEAST_SHARE = 0.05  # of the values; chosen: less is no more than how two draws differ


def pairs(values: Sequence[str]) -> f.Features:
    """Shares of the pairs of neighbouring classes of characters, the ends of values among them.

    >>> pairs(["ab", "c"])["aa"]
    0.2
    """
    counts = Counter(a + b for v in values for s in ("^" + shape_of(v) + "$",) for a, b in itertools.pairwise(s))
    total = sum(counts.values()) or 1
    return {pair: n / total for pair, n in counts.items()}


def exchanged(now: Sequence[str], before: Sequence[str]) -> float | None:
    """Share of values of which two neighbours changed places, where that is seen.

    Of values that were known, some are there with two neighbours exchanged; or more values than before hold a rare
    pair of characters that an exchange makes common, as such values of before do once they are exchanged.
    """
    known = set(before)
    again = [v for v in now if v in known]
    turned = [v for v in now if v not in known and any(u in known for u in exchanges(v))]
    by_chance = sum(any(u in known for u in exchanges(v)) for v in known)
    if len(turned) >= max(PAIRED, 3 * by_chance):
        return len(turned) / (len(turned) + len(again))
    if not same_characters(now, before):
        return None
    model = Pairs.of(before)
    rng = np.random.default_rng(0)
    change = next(kind for kind in STRINGS if kind.key == "transposed").plan(list(before), rng)
    if change is None:
        return None
    healthy = sorted(model.gain(v, own=v) for v in before)
    most = healthy[min(int((1 - MENDED) * len(healthy)), len(healthy) - 1)]
    damaged = float(np.mean([model.gain(change(v) or v, own=v) > most for v in before]))
    fresh = [v for v in now if v not in known]
    if not fresh:
        return None
    seen = float(np.mean([model.gain(v) > most for v in fresh]))
    error = math.sqrt(MENDED * (1 - MENDED) * (1 / len(fresh) + 1 / len(before)))  # of those alone it is the share
    if damaged - MENDED < TOLD or seen - MENDED < ERRORS * error:
        return None
    return min((seen - MENDED) / (damaged - MENDED), 1.0)


def same_characters(now: Sequence[str], before: Sequence[str]) -> bool:
    """Whether values are as long as before and of the same classes of characters, as they are when some change places:
    no further from those before than twice what two halves of these are from each other."""

    def singles(values: Sequence[str]) -> f.Features:
        counts = Counter(c for v in values for c in "^" + shape_of(v))
        total = sum(counts.values()) or 1
        return {c: n / total for c, n in counts.items()}

    moved, halves = (
        f.size(f.difference(singles(a), singles(b), lambda _: 1.0))
        for a, b in ((before, now), (before[::2], before[1::2]))
    )
    return moved <= BEYOND_CHANCE * max(halves, LEAST_MOVED)


LEAST_MOVED = 0.01  # of the characters; bound: two halves may be alike by chance


@dataclass(frozen=True)
class Pairs:
    """How often characters stand beside each other in some values."""

    counts: Counter[str]

    @classmethod
    def of(cls, values: Iterable[str]) -> Pairs:
        return cls(Counter(pair for value in values for pair in _pairs_in(value)))

    def gain(self, value: str, *, own: str = "") -> float:
        """By how much log odds the best exchange of two neighbours makes a value more usual; `own` is left out of the
        counts."""
        less = Counter(_pairs_in(own)) if own else Counter[str]()
        cost = {pair: -math.log(max(self.counts[pair] - less[pair], 0) + 0.5) for pair in self._near(value)}
        best, text = 0.0, f"\0{value}\0"
        for i in range(1, len(text) - 2):
            a, b, c, d = tuple(text[i - 1 : i + 3])
            if b != c:
                was = cost[a + b] + cost[b + c] + cost[c + d]
                best = max(best, was - cost[a + c] - cost[c + b] - cost[b + d])
        return best

    @staticmethod
    def _near(value: str) -> set[str]:
        """The pairs of a value, and those that an exchange would make."""
        text = f"\0{value}\0"
        found = set(_pairs_in(value))
        for i in range(1, len(text) - 2):
            a, b, c, d = tuple(text[i - 1 : i + 3])
            found |= {a + c, c + b, b + d}
        return found


def _pairs_in(value: str) -> list[str]:
    text = f"\0{value}\0"
    return [text[i : i + 2] for i in range(len(text) - 1)]
