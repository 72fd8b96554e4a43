"""What may be demanded of a string column: the clauses a rule can be made of, and how many rows of a batch break one.

A candidate accepts every class of one view that the training rows showed (so a union of patterns), or, for
``charset``, every string of the characters seen, or, for ``span`` and ``wide``, every length in a range, or, for
``domain``, every value of a known domain that nearly all of them belong to. ``presence`` asks that there is a value at
all, or, of a column that showed nothing but markers of missing ones, that there is none. How many rows of a batch do
not conform is computed from the batch's profile; where the batch's state is coarser than the view, from the finest view
both know: the number then is a lower bound, so that what is unknown never raises an alarm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from catalog.evidence.meaning import demanded, surely_outside
from catalog.evidence.views import Profile
from catalog.patterns.characters import CLASSES, LONGEST, quote
from catalog.patterns.hierarchy import DETERMINES, VIEWS, WORD, project
from catalog.patterns.regex import charset_regex, class_regex, span_regex, whole
from catalog.states.hashing import hash_values
from catalog.states.sketches import FULL, truncate

KINDS = ("value", *VIEWS, "charset", "span", "wide", "domain", "presence")
GIVEN, MISSED = "given", "missing"  # the classes of ``presence``
MOST_VALUES, MOST_LOOKS = 128, 32  # a clause lists at most so many; longer lists of looks are read by nobody


def view_of(kind: str) -> str:
    """The view whose classes a kind of candidate looks at."""
    return {"charset": "symbols", "span": "length", "wide": "length"}.get(kind, kind)


@dataclass(frozen=True)
class Candidate:
    """One possible demand.

    `kind` is one of `KINDS`; `accepted` are classes of that view (values for ``value``), for ``charset`` one string of
    characters, for ``span`` and ``wide`` two numbers as text, for ``domain`` its name, for ``presence`` `GIVEN` or
    `MISSED`.
    """

    kind: str
    accepted: tuple[str, ...]

    @property
    def view(self) -> str:
        """The view whose classes it looks at."""
        return view_of(self.kind)

    @property
    def name(self) -> str:
        """What tells it from the other candidates of a column: its kind, or the domain asked for."""
        return f"domain:{self.accepted[0]}" if self.kind == "domain" else self.kind

    @property
    def span(self) -> tuple[int, int]:
        return int(self.accepted[0]), int(self.accepted[1])

    def regex(self) -> str:
        """Regular expression of the conforming values, for Java and Python; a domain and presence have none.

        Raises
        ------
        ValueError : for a domain, whose values are checked and not only matched, and presence, which is of null too.
        """
        if self.kind in ("domain", "presence"):
            raise ValueError(f"{self.kind} {self.accepted[0]!r} is no regular expression")
        if self.kind == "value":
            return whole(quote(v) for v in self.accepted)
        if self.kind == "charset":
            return whole([charset_regex(self.accepted[0])])
        if self.kind in ("span", "wide"):
            return whole([span_regex(*self.span)])
        return whole(class_regex(self.kind, text) for text in self.accepted)

    def accepts(self, text: str) -> bool:
        """Whether a class of `view` conforms."""
        if self.kind == "charset":
            return set(text) <= set(self.accepted[0])
        if self.kind in ("span", "wide"):
            return self.span[0] <= int(text) <= self.span[1]
        return text in self.accepted


def candidates(profile: Profile) -> list[Candidate]:
    """All candidates of a training profile, in the order of `KINDS`; views it does not know or that are too rich are
    left out.

    >>> from catalog.evidence.views import profile_values
    >>> found = {c.kind: c.accepted for c in candidates(profile_values([("a1", 2), ("b22", 1)]))}
    >>> found["value"], found["runs"], found["charset"], found["span"], found["wide"]
    (('a1', 'b22'), ('a0',), ('0a',), ('2', '3'), ('1', '5'))
    """
    out: list[Candidate] = []
    for kind in KINDS:
        if kind == "domain":
            out.extend(Candidate(kind, (name,)) for name in demanded(profile.domains))
            continue
        if kind == "presence":
            if not profile.blank:
                out.append(Candidate(kind, (GIVEN if profile.rows else MISSED,)))
            continue
        view = Candidate(kind, ()).view
        table = profile.tables.get(view)
        if not table:
            continue
        if kind == "charset":
            out.append(Candidate(kind, ("".join(sorted(set("".join(table)))),)))
        elif kind in ("span", "wide"):
            sizes = [int(text) for text in table]
            low, high = min(sizes), max(sizes)
            if kind == "wide":
                low, high = max(int(np.ceil(low / 1.5 - 1)), 0), min(int(high * 1.5 + 1), LONGEST)
            out.append(Candidate(kind, (str(low), str(high))))
        elif len(table) <= (MOST_VALUES if kind == "value" else MOST_LOOKS):
            out.append(Candidate(kind, tuple(sorted(table))))
    return out


def presence(profile: Profile) -> list[Candidate]:
    """Those of `candidates` that too few rows with a value can teach as well."""
    return [candidate for candidate in candidates(profile) if candidate.kind == "presence"]


def judged(candidate: Candidate, batch: Profile) -> int:
    """Rows of a batch that a candidate looks at: those with a value, but for ``presence``."""
    return batch.all_rows if candidate.kind == "presence" else batch.rows


def nonconforming(candidate: Candidate, batch: Profile) -> int:
    """Those of the rows `judged` that surely do not conform."""
    if candidate.kind == "presence":
        return batch.missing if candidate.accepted == (GIVEN,) else batch.rows
    if candidate.kind == "domain":
        return round(batch.rows * surely_outside(batch.texts, candidate.accepted[0]))
    table = batch.tables.get(candidate.view)
    if table is not None:
        if candidate.kind in ("charset", "span", "wide"):
            return sum(count for text, count in table.items() if not candidate.accepts(text))
        accepted = set(candidate.accepted)
        return sum(count for text, count in table.items() if text not in accepted)
    if candidate.kind == "value":
        return _unknown_values(candidate, batch)
    if candidate.view == "length":
        return _outside_lengths(candidate, batch)
    if candidate.kind == "charset":
        allowed = {WORD if c in CLASSES else c for c in candidate.accepted[0]}
        return sum(count for text, count in batch.tables.get("marks", {}).items() if not set(text) <= allowed)
    best = 0
    for view in DETERMINES.get(candidate.view, ()):
        table = batch.tables.get(view)
        if table is not None:
            image = {project(candidate.view, text, view) for text in candidate.accepted}
            best = max(best, sum(count for text, count in table.items() if text not in image))
    return best


def _unknown_values(candidate: Candidate, batch: Profile) -> int:
    """Rows whose value is surely not in the vocabulary, from the sample of distinct values and the frequent ones."""
    state = batch.state
    if state is None:
        return 0
    hashes = truncate(hash_values(list(candidate.accepted)))
    sample = state.distinct
    inside = (
        hashes < np.uint64(min(sample.threshold, FULL - 1)) if sample.threshold < FULL else np.ones(len(hashes), bool)
    )
    known = int(sample.counts[np.isin(sample.hashes, hashes[inside])].sum())
    listed = dict(state.frequent.items)
    for value, sampled in zip(candidate.accepted, inside, strict=True):
        if not sampled:
            known += listed[value] + state.frequent.blur if value in listed else state.frequent.floor
    return max(batch.rows - known, 0)


def _outside_lengths(candidate: Candidate, batch: Profile) -> int:
    """Rows whose length is surely not accepted, from the extremes alone."""
    lengths: Any = batch.state.lengths if batch.state is not None else None
    if lengths is None or candidate.kind == "length":
        return 0
    low, high = candidate.span
    high = high if high < LONGEST else lengths.longest
    if lengths.shortest > high or (lengths.longest < low and batch.state is not None and not batch.state.empties):
        return batch.rows
    return int(lengths.longest > high)
