"""What may be demanded of a string column: the clauses a rule can be made of, and how many rows of a batch break one.

A candidate accepts every class of one view that the training rows showed (so a union of patterns), or every value of up
to three patterns with constants (`catalog.evidence.clauses.patterned`), or, for ``charset``, every string of the
characters seen (``caseless``: of either case), or, for ``span`` and ``wide``, every length in a range, or, for
``domain``, every value of a known domain that nearly all of them belong to. ``trimmed`` asks that no value begins or
ends with white space; ``presence`` that there is a value at all, or, of a column that showed nothing but markers of
missing ones, that there is none. How many rows of a batch do not conform is computed from the batch's profile; where
the batch's state is coarser than the view, from the finest view both know: the number then is a lower bound, so that
what is unknown never raises an alarm.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from typing import Any

import numpy as np

from catalog.evidence.clauses.candidate import (
    Candidate,
    Floats,
    Keys,
    Lookup,
    class_features,
    class_of_kind,
    kind_names,
    register,
    who,
)
from catalog.evidence.clauses.counters import closed, open_classes, opened
from catalog.evidence.clauses.meaning import demanded, domain_features, surely_outside, words_of
from catalog.evidence.clauses.patterned import Formats, Patterns, Trimmed
from catalog.evidence.pattern_index.postings import keys_of, mask_of
from catalog.evidence.pattern_index.views import Profile
from catalog.patterns.describe import charset, describe
from catalog.patterns.language.characters import CLASSES, LONGEST, LOWER, UPPER, quote
from catalog.patterns.language.hierarchy import DETERMINES, VIEWS, WORD, project
from catalog.patterns.language.regex import charset_regex, class_regex, span_regex, whole
from catalog.patterns.unions import LEVELS
from catalog.states.folding.hashing import hash_values
from catalog.states.parts.sketches import FULL, truncate

PRESENT, ABSENT = "given", "missing"  # the classes of ``presence``
SIZED = ("shape", "letters", "alnum")  # views whose classes keep lengths
# A bound.
MOST_VALUES, MOST_CLASSES = 128, 32  # a clause lists at most so many; longer lists of classes are read by nobody


class Listed(Candidate):
    """A union of classes of one view."""

    @classmethod
    def learn(cls, kind: str, profile: Profile) -> list[Candidate]:
        table = profile.tables.get(cls.view_of(kind))
        if not table or len(table) > MOST_CLASSES:
            return []
        if not profile.counters:
            return [Candidate(kind, tuple(sorted(table)))]
        return [Candidate(kind, _opened(kind, profile))] if kind != "length" else []

    def regex(self) -> str:
        return whole(class_regex(self.kind, text) for text in self.accepted)

    def accepts(self, text: str) -> bool:
        return _held(text, set(self.accepted), self._open(self.accepted))

    def _open(self, accepted: tuple[str, ...]) -> re.Pattern[str] | None:
        return open_classes(accepted) if self.view in SIZED else None

    def nonconforming(self, batch: Profile) -> int:
        accepted, table = set(self.accepted), batch.tables.get(self.view)
        if table is not None:
            above = self._open(self.accepted)
            return sum(count for text, count in table.items() if not _held(text, accepted, above))
        return self._coarser(batch)

    def _coarser(self, batch: Profile) -> int:
        """From the views that the wanted one determines."""
        best = 0
        for view in DETERMINES.get(self.view, ()):
            table = batch.tables.get(view)
            if table is None or (view == "length" and self._open(self.accepted)):
                continue
            texts = self.accepted if view in SIZED or self.view not in SIZED else tuple(map(closed, self.accepted))
            image = tuple(project(self.view, text, view) for text in texts)
            known, above = set(image), open_classes(image) if view in SIZED else None
            best = max(best, sum(count for text, count in table.items() if not _held(text, known, above)))
        return best

    def numbers(self) -> Keys:
        return keys_of(self.kind, map(closed, self.accepted) if self.view in SIZED else self.accepted)

    def allowed(self) -> frozenset[Any]:
        return frozenset(self.accepted) | (frozenset(map(closed, self.accepted)) if self.view in SIZED else set())

    def pattern(self) -> str:
        parts = [describe(self.view, text) for text in self.accepted[:4]]
        return " or ".join(parts) + (" or others" if len(self.accepted) > 4 else "")

    def words(self, theta: float) -> str:
        """The demand in words.

        >>> Candidate("shape", ("AA", "AAA")).words(0.0), Candidate("charset", ("0A",)).words(0.05)
        ('every value is two capitals or three capitals', 'at least about 95% of the values are made of digits and
        capitals')
        >>> Candidate("span", ("2", "3")).words(0.95), Candidate("domain", ("date",)).words(0.02)
        ('at least one value in twenty is 2 to 3 characters long', 'at least about 98% of the values are of the domain
        Date')
        """
        names = [describe(self.kind, text) for text in self.accepted[:4]]
        if len(self.accepted) > 4:
            names = [*names[:3], f"{len(self.accepted) - 3} more"]
        what = names[0] if len(names) == 1 else ", ".join(names[:-1]) + " or " + names[-1]
        return f"{who(theta)} {what}"


def _opened(kind: str, profile: Profile) -> tuple[str, ...]:
    """The classes of a view, those that keep lengths with their counters open above."""
    table = profile.tables[kind]
    if kind not in SIZED:
        return tuple(sorted(table))
    shapes = profile.tables.get("shape", {})
    return tuple(sorted({project("shape", opened(shape, profile.counters), kind) for shape in shapes}))


def _held(text: str, accepted: Container[str], above: re.Pattern[str] | None) -> bool:
    """Whether a class is one of those accepted, or of those that are open above."""
    return text in accepted or (above is not None and above.fullmatch(text) is not None)


class Values(Listed):
    """A vocabulary: the values themselves."""

    of_values = True

    @classmethod
    def learn(cls, kind: str, profile: Profile) -> list[Candidate]:
        table = profile.tables.get("value")
        if not table or len(table) > MOST_VALUES or profile.counters:  # numbered on: the next is none of these
            return []
        return [Candidate(kind, tuple(sorted(table)))]

    def regex(self) -> str:
        return whole(quote(value) for value in self.accepted)

    def _coarser(self, batch: Profile) -> int:
        """Rows whose value is surely not listed, from the sample of distinct values and the frequent ones."""
        state = batch.state
        if state is None:
            return 0
        hashes = truncate(hash_values(list(self.accepted)))
        sample = state.distinct
        everything = sample.threshold >= FULL
        inside = np.ones(len(hashes), bool) if everything else hashes < np.uint64(min(sample.threshold, FULL - 1))
        known = int(sample.counts[np.isin(sample.hashes, hashes[inside])].sum())
        listed = dict(state.frequent.items)
        for value, sampled in zip(self.accepted, inside, strict=True):
            if not sampled:
                known += listed[value] + state.frequent.undercount if value in listed else state.frequent.floor
        return max(batch.rows - known, 0)


class Charset(Candidate):
    """Every string of some characters, for ``caseless`` of either case: `accepted` is one string of their classes."""

    @classmethod
    def view_of(cls, kind: str) -> str:
        return "symbols"

    @classmethod
    def learn(cls, kind: str, profile: Profile) -> list[Candidate]:
        characters = set("".join(profile.tables.get("symbols") or ()))
        if kind == "caseless" and characters & {UPPER, LOWER}:
            characters |= {UPPER, LOWER}
        return [Candidate(kind, ("".join(sorted(characters)),))] if characters else []

    @classmethod
    def keys(cls, numbers: Keys, lookup: Lookup) -> Keys:
        return lookup.symbol_sets_within(numbers)

    def regex(self) -> str:
        return whole([charset_regex(self.accepted[0])])

    def accepts(self, text: str) -> bool:
        return set(text) <= set(self.accepted[0])

    def nonconforming(self, batch: Profile) -> int:
        table = batch.tables.get(self.view)
        if table is not None:
            return sum(count for text, count in table.items() if not self.accepts(text))
        allowed = {WORD if c in CLASSES else c for c in self.accepted[0]}
        return sum(count for text, count in batch.tables.get("marks", {}).items() if not set(text) <= allowed)

    def numbers(self) -> Keys:
        return np.array(mask_of(self.accepted[0]), np.uint64)

    def allowed(self) -> frozenset[Any]:
        return frozenset(self.accepted[0])

    def pattern(self) -> str:
        return describe("symbols", self.accepted[0])

    def words(self, theta: float) -> str:
        return f"{who(theta)} made of {charset(self.accepted[0])}"


class Lengths(Candidate):
    """Every length in a range: ``span`` as seen, ``wide`` half as far again on both sides."""

    @classmethod
    def view_of(cls, kind: str) -> str:
        return "length"

    @classmethod
    def learn(cls, kind: str, profile: Profile) -> list[Candidate]:
        sizes = [int(text) for text in profile.tables.get("length") or ()]
        if not sizes:
            return []
        low, high = min(sizes), max(sizes)
        if kind == "wide":
            low, high = max(int(np.ceil(low / 1.5 - 1)), 0), min(int(high * 1.5 + 1), LONGEST)
        if profile.counters:
            high = LONGEST
        return [Candidate(kind, (str(low), str(high)))]

    @classmethod
    def keys(cls, numbers: Keys, lookup: Lookup) -> Keys:
        return lookup.lengths(int(numbers[0]), int(numbers[1]))

    @property
    def span(self) -> tuple[int, int]:
        return int(self.accepted[0]), int(self.accepted[1])

    def regex(self) -> str:
        return whole([span_regex(*self.span)])

    def accepts(self, text: str) -> bool:
        return self.span[0] <= int(text) <= self.span[1]

    def nonconforming(self, batch: Profile) -> int:
        table = batch.tables.get(self.view)
        if table is not None:
            return sum(count for text, count in table.items() if not self.accepts(text))
        return self._from_extremes(batch)

    def _from_extremes(self, batch: Profile) -> int:
        lengths: Any = batch.state.lengths if batch.state is not None else None
        if lengths is None:
            return 0
        low, high = self.span
        high = high if high < LONGEST else lengths.longest
        if lengths.shortest > high or (lengths.longest < low and batch.state is not None and not batch.state.empties):
            return batch.rows
        return int(lengths.longest > high)

    def numbers(self) -> Keys:
        return np.array(self.span, np.uint64)

    def allowed(self) -> frozenset[Any]:
        ends = [int(one) for one in self.accepted]
        return frozenset(range(min(ends), max(ends) + 1))

    def pattern(self) -> str:
        return f"{self.span[0]} to {self.span[1]} characters"

    def words(self, theta: float) -> str:
        low, high = self.span
        return f"{who(theta)} {low} to {high} characters long" if low < high else f"{who(theta)} {low} characters long"


class OfDomain(Candidate):
    """Every value of a known domain."""

    several = True
    sampled = True
    is_pattern = False

    @classmethod
    def learn(cls, kind: str, profile: Profile) -> list[Candidate]:
        return [Candidate(kind, (name,)) for name in demanded(profile.domains)]

    @property
    def name(self) -> str:
        return f"{self.kind}:{self.accepted[0]}"

    def nonconforming(self, batch: Profile) -> int:
        return round(batch.rows * surely_outside(batch.texts, self.accepted[0]))

    def numbers(self) -> Keys:
        return keys_of(self.kind, self.accepted)

    def features(self, profile: Profile) -> Floats:
        return domain_features(profile.texts, self.accepted[0], profile.domains)

    def words(self, theta: float) -> str:
        return f"{who(theta)} of the domain {words_of(self.accepted[0])}"

    def offenders(self) -> dict[str, Any]:
        return {"domain": self.accepted[0]}


class Presence(Candidate):
    """That there is a value (`PRESENT`), or that there is none (`ABSENT`)."""

    several = True
    is_pattern = False
    of_form = False

    @classmethod
    def learn(cls, kind: str, profile: Profile) -> list[Candidate]:
        return [] if profile.blank else [Candidate(kind, (PRESENT if profile.rows else ABSENT,))]

    @property
    def given(self) -> bool:
        return self.accepted == (PRESENT,)

    def rows(self, batch: Profile) -> int:
        return batch.all_rows

    def nonconforming(self, batch: Profile) -> int:
        return batch.missing if self.given else batch.rows

    def numbers(self) -> Keys:
        return keys_of(self.kind, self.accepted)

    def features(self, profile: Profile) -> Floats:
        known = {PRESENT: profile.rows, ABSENT: profile.missing}
        return class_features({name: count for name, count in known.items() if count})

    def holds_empty(self) -> bool:
        return not self.given

    def words(self, theta: float) -> str:
        if not self.given:
            return f"{who(theta)} missing: empty or a marker such as NA"
        return f"at most about {100 * theta:g}% of the values are missing" if theta else "no value is missing"

    def broken_words(self, demand: str) -> str:
        return f"are {'missing' if self.given else 'given'}; by the rule {demand}"

    def offenders(self) -> dict[str, Any]:
        return {"missing": self.given}


# The order is that of the numbers in stored replays: what is new comes last.
register(Values, ["value"])
register(Listed, VIEWS)
register(Charset, ["charset"])
register(Lengths, ["span", "wide"])
register(OfDomain, ["domain"])
register(Presence, ["presence"])
for _level in LEVELS:
    register(Formats if _level in ("formats", "numbers") else Patterns, [_level])
register(Charset, ["caseless"])
register(Trimmed, ["trimmed"])
KINDS = kind_names()
# What rules are made of: constants of digits are no safe demand, no view tells what values begin with, and of the first
# and last character alone nobody would write a rule. Rules of those kinds that were learned before are judged as ever.
LEARNED = tuple(kind for kind in KINDS if kind not in ("constants", "affixes", "ends"))


def candidates(profile: Profile, kinds: Iterable[str] = KINDS) -> list[Candidate]:
    """All candidates of a training profile, in the order of the kinds; views it does not know or that are too rich are
    left out.

    >>> from catalog.evidence.pattern_index.views import profile_values
    >>> found = {c.kind: c.accepted for c in candidates(profile_values([("a1", 2), ("b22", 1)]))}
    >>> found["value"], found["runs"], found["charset"], found["span"], found["wide"]
    (('a1', 'b22'), ('a0',), ('0a',), ('2', '3'), ('1', '5'))
    """
    return [candidate for kind in kinds for candidate in class_of_kind(kind).learn(kind, profile)]


def presence(profile: Profile) -> list[Candidate]:
    """Those of `candidates` that too few rows with a value can teach as well."""
    return Presence.learn("presence", profile)
