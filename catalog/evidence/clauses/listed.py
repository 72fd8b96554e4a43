"""Demands that list what conforms: classes of one view, or the values themselves."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Any

import numpy as np

from catalog.evidence.clauses.candidate import ANOTHER_FORM, FEW, Candidate, Keys, apart, one_of, some_of
from catalog.evidence.clauses.counters import closed, open_classes, opened
from catalog.evidence.pattern_index.postings import keys_of
from catalog.evidence.pattern_index.views import Profile
from catalog.patterns.describe import charset, describe, groups, loosely, sizes, written
from catalog.patterns.language.characters import quote
from catalog.patterns.language.hierarchy import DETERMINES, project
from catalog.patterns.language.regex import class_regex, whole
from catalog.states.folding.hashing import hash_values
from catalog.states.parts.distinct import FULL, truncate
from catalog.wording import counted

#: Views whose classes say what a whole value is.
WHOLE = ("shape", "letters", "alnum", "runs", "words", "number", "tokens")
CHARACTERS = ("symbols", "marks")  # views whose classes are sets of characters
OTHER_CHARACTERS, OTHER_LENGTHS = "with unusual characters", "of unusual length"
COMBINED = ", in known combinations"  # behind characters of which only some stand together in a value
SIZED = ("shape", "letters", "alnum")  # views whose classes keep lengths
MOST_QUOTED = 3  # values that a sentence lists to say what a column holds; a bound of length
# A bound.
MOST_VALUES, MOST_CLASSES = 128, 32  # a clause lists at most so many; longer lists of classes are read by nobody


_PARTS = re.compile("([0AaéX1]+)([^0AaéX1]+)")  # the first part of a class, and what stands behind it


class Listed(Candidate):
    """A union of classes of one view."""

    @property
    def says_what(self) -> bool:
        return self.kind in WHOLE

    @property
    def unusual(self) -> str:  # type: ignore[override]
        if self.kind in CHARACTERS:
            return OTHER_CHARACTERS
        return OTHER_LENGTHS if self.kind == "length" else ANOTHER_FORM

    @classmethod
    def learn(cls, kind: str, profile: Profile) -> list[Candidate]:
        table = profile.tables.get(cls.view_of(kind))
        if not table or len(table) > MOST_CLASSES:
            return []
        if kind == "length" and (profile.counters or len(table) > FEW):
            return []  # a range says it
        if not profile.counters:
            return [Candidate(kind, tuple(sorted(table if kind in SIZED else _between(list(table)))))]
        return [Candidate(kind, _opened(kind, profile))]

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

    def said(self, *, private: bool = False, shown: bool = True) -> str:
        """What values are, in words.

        >>> Candidate("shape", ("AA", "AAA")).said(), Candidate("charset", ("0A",)).said()
        ('two or three capitals', 'made of digits and capitals')
        >>> Candidate("length_range", ("2", "3")).said(), Candidate("domain", ("date",)).words(0.02)
        ('2 to 3 characters long', 'values are dates; at most 2% others')
        >>> Candidate("symbols", ("0", "Aa")).said()
        'made of digits and letters, in known combinations'
        >>> Candidate("symbols", ("0-./Aa", "0-/Aa")).said()
        'made of digits, letters and “-./”'
        >>> Candidate("number", ("1",)).said(), Candidate("number", ("$1",)).said()
        ('numbers', '“$”, a number')
        >>> Candidate("shape", ("0000", "0000 AA", "00000")).said()
        'four digits, (four digits, a space, two capitals) or five digits'
        >>> Candidate("length", ("10", "2", "3")).words(0.02)
        'values are 2, 3 or 10 characters long; at most 2% others'
        >>> Candidate("length", ("1",)).said()
        '1 character long'
        """
        for way in (written, groups, sizes):
            if told := way(self.kind, self.accepted):
                return told
        if self.kind == "length":
            *some, most = sorted(self.accepted, key=int)
            return f"{', '.join(some)} or {most} characters long" if some else f"{counted(int(most), 'character')} long"
        several = len(self.accepted) > 1
        if self.kind in CHARACTERS:
            largest = max(self.accepted, key=len)
            if several and all(set(text) <= set(largest) for text in self.accepted):
                return f"made of {charset(largest)}"
            every = charset("".join(sorted(set().union(*self.accepted))))
            return f"made of {every}{COMBINED if several else ''}"
        if (self.kind, self.accepted) == ("number", ("1",)):
            return "numbers"
        found = [describe(self.kind, text) for text in self.accepted]
        named = apart(found)
        common = f"{loosely(self.kind, self.accepted)}, " if shown else ""
        return some_of(named, f"{common}in one of {len(named)} known forms", shown=False)


def _between(classes: list[str]) -> list[str]:
    """Classes of so many parts of one kind with the same between them, of every number from the fewest to the most:
    where one or three words stand, two are no other form. Others as they are.

    >>> _between(["a", "a a a"]), _between(["A-0", "A"]), _between(["X-X"])
    (['a', 'a a', 'a a a'], ['A-0', 'A'], ['X-X'])
    """
    found = _PARTS.match(max(classes, key=len))
    if found is None:
        return classes
    part, mark = found.groups()
    sizes = [text.count(mark) + 1 for text in classes]
    if any(text != mark.join([part] * size) for text, size in zip(classes, sizes, strict=True)):
        return classes
    return [mark.join([part] * size) for size in range(min(sizes), max(sizes) + 1)][:MOST_CLASSES]


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

    says_what = True
    of_values = True

    @property
    def names(self) -> bool:
        return len(self.accepted) <= MOST_QUOTED

    @classmethod
    def learn(cls, kind: str, profile: Profile) -> list[Candidate]:
        table = profile.tables.get("value")
        if not table or len(table) > MOST_VALUES or profile.counters:  # numbered on: the next is none of these
            return []
        return [Candidate(kind, tuple(sorted(table)))]

    def regex(self) -> str:
        return whole(quote(value) for value in self.accepted)

    def said(self, *, private: bool = False, shown: bool = True) -> str:
        """What values are, in words.

        >>> Candidate("value", ("new", "paid")).said(), Candidate("value", ("new", "paid")).said(private=True)
        ('“new” or “paid”', 'one of 2 known values')
        """
        whole = one_of(len(self.accepted))
        return whole if private else some_of([describe("value", one) for one in self.accepted], whole, shown=shown)

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
                known += listed[value] + state.frequent.undercount if value in listed else state.frequent.most_unlisted
        return max(batch.rows - known, 0)
