"""Demand that values are free of what goes wrong on the way from one system to another.

A fault is demanded not to occur where the training rows have none of it, and escapes of addresses where no value has a
per cent sign: among formats such as ``%9s`` a ``%12s`` is none. An address itself may hold escapes. Values that are not
listed tell by their class whether they are padded or quoted, and nothing of the others.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import numpy as np

from catalog.damage.values import QUOTED
from catalog.evidence.clauses.candidate import DAMAGED, Candidate, Floats, Keys, at_most, class_features
from catalog.evidence.clauses.meaning import share_outside
from catalog.evidence.pattern_index.views import Profile
from catalog.patterns.language.regex import ANY, whole

# What Windows-1252 and Latin-1 make of the second byte of a letter in UTF-8.
_SECOND = "\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œž\u0178"
# Each fault: an expression of the values that have it, in the syntax that Java and Python share, and how that is said.
FAULTS = {
    "padded": (rf"[ \t-\r]{ANY}*|{ANY}*[ \t-\r]", "padded"),
    "quoted": (QUOTED.pattern, "quoted"),
    "html": (rf"{ANY}*&(?:[a-z]+|#[0-9]+|#x[0-9a-f]+);{ANY}*", "escaped"),
    "url": (rf"(?![A-Za-z][A-Za-z0-9+.-]*://){ANY}*%[0-9A-F][0-9A-F]{ANY}*", "escaped"),
    "garbled": (rf"{ANY}*(?:\ufffd|[\xc2-\xf4][{_SECOND}]){ANY}*", "garbled"),
    # Digits alone repeat by chance; the bounds keep the search linear in the length of a cell.
    "twice": (rf"(?=[0-9]*[^0-9]|[0-9]{{12}})({ANY}{{3,100}})\1", "doubled"),
}  # fmt: skip
_BY_CLASS = ("padded", "quoted")  # what the first and the last character tell
_BASES = ("shape", "runs")
_EXPRESSIONS = {fault: re.compile(text) for fault, (text, _) in FAULTS.items()}


class Clean(Candidate):
    """No value has one of the faults in `accepted`."""

    guards = True

    @classmethod
    def learn(cls, kind: str, profile: Profile) -> list[Candidate]:
        if profile.values is None and profile.base not in _BASES:
            return []
        own = set().union(*profile.tables.get("symbols", ()))
        faults = [fault for fault in FAULTS if fault != "url" or "%" not in own]
        found = [fault for fault in faults if not Candidate(kind, (fault,)).nonconforming(profile)]
        return [Candidate(kind, tuple(found))] if found else []

    def regex(self) -> str:
        faults = "|".join(FAULTS[fault][0] for fault in self.accepted if fault != "twice")
        # a group that is referred to comes first, so that its number is 1
        twice = rf"(?!{FAULTS['twice'][0]}(?!{ANY}))" if "twice" in self.accepted else ""
        rest = rf"(?!(?:{faults})(?!{ANY}))" if faults else ""
        return whole([f"{twice}{rest}{ANY}*"])

    def accepts(self, text: str) -> bool:
        """Whether a value has none of the faults."""
        return _faults_of(text).isdisjoint(self.accepted)

    def nonconforming(self, batch: Profile) -> int:
        if batch.values is not None:
            return sum(count for value, count in batch.values.items() if not self.accepts(value))
        listed = round(batch.rows * share_outside(batch.texts, self.accepts))
        told = [fault for fault in self.accepted if fault in _BY_CLASS]
        if not told or batch.base not in _BASES:
            return listed
        ends = Candidate(self.kind, tuple(told))
        return max(listed, sum(count for text, count in batch.shapes.items() if not ends.accepts(text)))

    def numbers(self) -> Keys:
        return np.empty(0, np.uint64)

    def features(self, profile: Profile) -> Floats:
        """How many faults are asked for, in place of classes."""
        return class_features(dict.fromkeys(self.accepted, profile.rows))

    def allowed(self) -> frozenset[Any]:
        return frozenset(FAULTS) - frozenset(self.accepted)

    def pattern(self) -> str:
        return "clean"

    def breach(self, *, private: bool = False) -> str:
        return DAMAGED

    def words(self, theta: float, *, private: bool = False) -> str:
        """The demand in words.

        >>> Candidate("clean", ("padded", "quoted", "html", "url")).words(0.0)
        'no value is padded, quoted or escaped'
        >>> Candidate("clean", ("padded",)).words(0.01)
        'at most 1% padded'
        """
        return at_most(self.broken(), theta) if theta else f"no value is {self.broken()}"

    def broken(self, batch: Profile | None = None, *, private: bool = False) -> str:
        """Those of the faults that the batch has."""
        there = self.accepted
        if batch is not None:
            there = tuple(f for f in there if Candidate(self.kind, (f,)).nonconforming(batch)) or there
        names = list(dict.fromkeys(FAULTS[fault][1] for fault in there))
        return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " or " + names[-1]


@lru_cache(maxsize=1 << 12)  # the same values are learned from, fault by fault, and judged
def _faults_of(text: str) -> frozenset[str]:
    """The faults that a value has."""
    return frozenset(fault for fault, expression in _EXPRESSIONS.items() if expression.fullmatch(text))
