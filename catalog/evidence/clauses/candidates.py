"""What may be demanded of a string column: the clauses a rule can be made of, and how many rows of a batch break one.

A candidate accepts every class of one view that the training rows showed (so a union of patterns), or every value of up
to three patterns with constants (`catalog.evidence.clauses.patterned`), or, for ``charset``, every string of the
characters seen (``caseless``: of either case), or, for ``length_range`` and ``wider_length_range``, every length in a
range, or, for ``domain``, every value of a known domain that nearly all of them belong to, or, of a column of versions,
every version of as many numbers. ``clean`` asks that no value is padded, quoted, escaped, garbled or doubled in its
cell, and other kinds that none is a usual one gone wrong (`catalog.evidence.clauses.undamaged`); ``presence`` that
there is a value at all, or, of a column that showed nothing but markers of missing ones, that there is none. How many
rows of a batch do not conform is computed from the batch's profile; where the batch's state is coarser than the view,
from the finest view both know: the number then is a lower bound, so that what is unknown never raises an alarm.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from catalog.domains.validators.temporal import DAY_FIRST, MONTH_FIRST
from catalog.evidence.clauses.candidate import (
    MISSING,
    Candidate,
    Floats,
    Keys,
    Lookup,
    at_most,
    class_features,
    class_of_kind,
    kind_names,
    register,
)
from catalog.evidence.clauses.clean import Clean
from catalog.evidence.clauses.listed import OTHER_CHARACTERS, OTHER_LENGTHS, Listed, Values
from catalog.evidence.clauses.meaning import (
    demanded,
    domain_features,
    is_unlikely,
    surely_outside,
    terms_of,
    words_of,
)
from catalog.evidence.clauses.patterned import Formats, Patterns, Trimmed, Versions
from catalog.evidence.clauses.undamaged import FAULTS, Undamaged
from catalog.evidence.pattern_index.postings import keys_of, mask_of
from catalog.evidence.pattern_index.views import Profile, profile_values
from catalog.patterns.describe import charset, describe
from catalog.patterns.language.characters import CHARACTER_CLASSES, LOWER, MOST_CHARACTERS, UPPER
from catalog.patterns.language.hierarchy import VIEWS, WORD
from catalog.patterns.language.regex import charset_regex, length_regex, whole
from catalog.patterns.unions import UNION_LEVELS
from catalog.wording import counted

PRESENT, ABSENT = "given", "missing"  # the classes of ``presence``


class Charset(Candidate):
    """Every string of some characters, for ``caseless`` of either case: `accepted` is one string of their classes."""

    unusual = OTHER_CHARACTERS

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
        allowed = {WORD if c in CHARACTER_CLASSES else c for c in self.accepted[0]}
        return sum(count for text, count in batch.tables.get("marks", {}).items() if not set(text) <= allowed)

    def numbers(self) -> Keys:
        return np.array(mask_of(self.accepted[0]), np.uint64)

    def allowed(self) -> frozenset[Any]:
        return frozenset(self.accepted[0])

    def pattern(self) -> str:
        return describe("symbols", self.accepted[0])

    def said(self, *, private: bool = False, shown: bool = True) -> str:
        return f"made of {charset(self.accepted[0])}"


class Lengths(Candidate):
    """Every length in a range: ``length_range`` as seen, ``wider_length_range`` half as far again on both sides."""

    unusual = OTHER_LENGTHS

    @classmethod
    def view_of(cls, kind: str) -> str:
        return "length"

    @classmethod
    def learn(cls, kind: str, profile: Profile) -> list[Candidate]:
        sizes = [int(text) for text in profile.tables.get("length") or ()]
        if not sizes:
            return []
        low, high = min(sizes), max(sizes)
        if kind == "wider_length_range":
            low, high = max(int(np.ceil(low / 1.5 - 1)), 0), min(int(high * 1.5 + 1), MOST_CHARACTERS)
        if profile.counters:
            high = MOST_CHARACTERS
        return [Candidate(kind, (str(low), str(high)))]

    @classmethod
    def keys(cls, numbers: Keys, lookup: Lookup) -> Keys:
        return lookup.lengths(int(numbers[0]), int(numbers[1]))

    @property
    def bounds(self) -> tuple[int, int]:
        return int(self.accepted[0]), int(self.accepted[1])

    def regex(self) -> str:
        return whole([length_regex(*self.bounds)])

    def accepts(self, text: str) -> bool:
        return self.bounds[0] <= int(text) <= self.bounds[1]

    def nonconforming(self, batch: Profile) -> int:
        table = batch.tables.get(self.view)
        if table is not None:
            return sum(count for text, count in table.items() if not self.accepts(text))
        return self._from_extremes(batch)

    def _from_extremes(self, batch: Profile) -> int:
        lengths: Any = batch.state.lengths if batch.state is not None else None
        if lengths is None:
            return 0
        low, high = self.bounds
        high = high if high < MOST_CHARACTERS else lengths.longest
        if lengths.shortest > high or (lengths.longest < low and batch.state is not None and not batch.state.empties):
            return batch.rows
        return int(lengths.longest > high)

    def numbers(self) -> Keys:
        return np.array(self.bounds, np.uint64)

    def allowed(self) -> frozenset[Any]:
        ends = [int(one) for one in self.accepted]
        return frozenset(range(min(ends), max(ends) + 1))

    def pattern(self) -> str:
        low, high = self.bounds
        return f"{low} to {high} characters" if low < high else f"{low} characters"

    def said(self, *, private: bool = False, shown: bool = True) -> str:
        low, high = self.bounds
        return f"{low} to {high} characters long" if low < high else f"{counted(low, 'character')} long"


class OfDomain(Candidate):
    """Every value of a known domain, of dates in the one order that they were proven to have: see
    `catalog.evidence.clauses.meaning.terms_of`."""

    several = True
    sampled = True
    is_pattern = False
    says_what = True

    @classmethod
    def learn(cls, kind: str, profile: Profile) -> list[Candidate]:
        return [Candidate(kind, terms_of(profile.texts, name)) for name in demanded(profile.domains, profile.texts)]

    @property
    def name(self) -> str:
        return f"{self.kind}:{self.accepted[0]}"

    @property
    def names(self) -> bool:
        return is_unlikely(self.accepted[0])

    def nonconforming(self, batch: Profile) -> int:
        return round(batch.rows * surely_outside(batch.texts, *self.accepted))

    def numbers(self) -> Keys:
        return keys_of(self.kind, self.accepted[:1])

    def allowed(self) -> frozenset[Any]:
        name, *order = self.accepted
        return frozenset((name, one) for one in order or (DAY_FIRST, MONTH_FIRST))

    def features(self, profile: Profile) -> Floats:
        return domain_features(profile.texts, self.accepted[0], profile.domains)

    def said(self, *, private: bool = False, shown: bool = True) -> str:
        return " with the ".join((words_of(self.accepted[0]), *self.accepted[1:]))

    def words(self, theta: float, *, private: bool = False) -> str:
        return super().words(theta) if theta else f"all values are {self.said()}"

    def offenders(self) -> dict[str, Any]:
        name, *order = self.accepted
        return {"domain": name} | ({"order": order[0]} if order else {})


class Presence(Candidate):
    """That there is a value (`PRESENT`), or that there is none (`ABSENT`)."""

    several = True
    is_pattern = False
    of_form = False
    of_missing = True

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

    def breach(self, *, private: bool = False) -> str:
        return MISSING if self.given else "given"

    def said(self, *, private: bool = False, shown: bool = True) -> str:
        return "there" if self.given else "every value is missing: empty or a marker such as NA"

    def words(self, theta: float, *, private: bool = False) -> str:
        if not self.given:
            return self.said() + (f"; {at_most(self.breach(), theta)}" if theta else "")
        return at_most(MISSING, theta) if theta else f"no value is {MISSING}"

    def offenders(self) -> dict[str, Any]:
        return {"missing": self.given}


# The order is that of the numbers in stored replays: what is new comes last.
register(Values, ["value"])
register(Listed, VIEWS)
register(Charset, ["charset"])
register(Lengths, ["length_range", "wider_length_range"])
register(OfDomain, ["domain"])
register(Presence, ["presence"])
for _level in UNION_LEVELS:
    register(Formats if _level in ("formats", "numbers") else Patterns, [_level])
register(Charset, ["caseless"])
register(Trimmed, ["trimmed"])
register(Clean, ["clean"])
register(Undamaged, FAULTS)
register(Versions, ["versions"])
CLAUSE_KINDS = kind_names()
# What rules are made of: constants of digits are no safe demand, no view tells what values begin with, ``clean`` says
# what ``trimmed`` does and more, and of the first and last character alone nobody would write a rule. Rules of those
# kinds that were learned before are judged as ever.
LEARNED = tuple(kind for kind in CLAUSE_KINDS if kind not in ("constants", "affixes", "ends", "trimmed"))


def candidates(profile: Profile, kinds: Iterable[str] = CLAUSE_KINDS) -> list[Candidate]:
    """All candidates of a training profile, in the order of the kinds; views it does not know or that are too rich are
    left out.

    >>> from catalog.evidence.pattern_index.views import profile_values
    >>> found = {c.kind: c.accepted for c in candidates(profile_values([("a1", 2), ("b22", 1)]))}
    >>> found["value"], found["runs"], found["charset"], found["length_range"], found["wider_length_range"]
    (('a1', 'b22'), ('a0',), ('0a',), ('2', '3'), ('1', '5'))
    """
    found = [candidate for kind in kinds for candidate in class_of_kind(kind).learn(kind, profile)]
    if not any(isinstance(one, Versions) for one in found):
        return found
    return [one for one in found if isinstance(one, Versions | Presence | Clean)]  # they have a grammar of their own


def presence(profile: Profile) -> list[Candidate]:
    """Those of `candidates` that too few rows with a value can teach as well."""
    return Presence.learn("presence", profile)


def exceptions(candidate: Candidate, profile: Profile) -> int:
    """How many of the different values known do not conform."""
    return sum(candidate.nonconforming(profile_values([(text, 1)])) > 0 for text, _ in profile.texts.values)


def grown(candidate: Candidate, profile: Profile) -> float:
    """Share of the rows that would not conform if there were one more value of those that do not, of as many rows.

    >>> seen = profile_values([("2024-02-29", 90), ("2024-03-01", 7), ("soon", 3)])
    >>> grown(Candidate("domain", ("date",)), seen), grown(Candidate("domain", ("iban",)), seen)
    (0.06, 1.0)
    """
    rows, bad = candidate.rows(profile), candidate.nonconforming(profile)
    different = exceptions(candidate, profile) if bad and not candidate.of_missing else 0
    return min(bad / max(rows, 1) * (different + 1) / max(different, 1), 1.0)
