"""From an example to a domain: patterns of pasted values, of a column or as written, each with what it would tag.

The dual problem of Auto-Validate (Song and He, SIGMOD 2021): the pattern of least coverage that still holds for an
example column tags its like (Auto-Tag). The pattern index is asked, never the values of the lake.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from catalog.evidence.clauses.candidate import Candidate
from catalog.evidence.clauses.candidates import CLAUSE_KINDS, candidates
from catalog.evidence.clauses.clean import Clean
from catalog.evidence.clauses.patterned import Patterns, Trimmed
from catalog.evidence.pattern_index.index import INDEXED, PatternIndex
from catalog.evidence.pattern_index.views import Profile, profile_values
from catalog.tags.discovery.discover import HEADS, lake_columns, shares_of

MOST_PATTERN = 200  # characters of a pattern that is asked for; a bound of time


@dataclass(frozen=True)
class ExamplePattern:
    """One way to generalise an example, with what it would tag.

    `recommended` marks the pattern of least coverage whose estimated risk of missing values of the same kind is within
    the budget. `described` are (table key, column, share of rows that match), best first. `chance` is the estimated
    false-positive rate: the share of the values of the lake's other columns that match. `pattern` is the class of the
    view `kind` that matches, where it is a single one.
    """

    kind: str
    sentence: str
    regex: str
    coverage: int
    impurity: float
    described: tuple[tuple[str, str, float], ...]
    recommended: bool = False
    chance: float = 0.0
    pattern: str = ""


def tag_by_example(
    values: Sequence[str], index: PatternIndex, *, budget: float = 0.1, tolerance: float = 0.05
) -> list[ExamplePattern]:
    """Generalise an example column (3 to 20 values, or a whole column's) and list what each pattern would tag.

    Parameters
    ----------
    values : the example.
    budget : largest estimated share of values of the same kind that the pattern misses (mean impurity over the lake's
        columns that hold it).
    tolerance : a column is tagged when at least 1 - tolerance of its rows match.

    Returns the patterns by coverage, least first; empty without values.
    """
    known = profile_values(Counter(value.strip() for value in values if value and value.strip()).items())
    return tag_like(known, index, budget=budget, tolerance=tolerance)


def tag_like(
    known: Profile, index: PatternIndex, *, budget: float = 0.1, tolerance: float = 0.05
) -> list[ExamplePattern]:
    """`tag_by_example` of a whole column, given as its profile."""
    if not known.rows:
        return []
    # known domains are tagged by themselves, that there are values tells nothing, the index does not know constants
    able = (one for one in candidates(known) if one.is_pattern and not isinstance(one, Patterns | Trimmed | Clean))
    return _ranked((one for one in able if one.view in INDEXED), index, budget, tolerance)


def tag_pattern(
    text: str, index: PatternIndex, *, budget: float = 0.1, tolerance: float = 0.05
) -> list[ExamplePattern]:
    """What a pattern would tag that is written as pages show one (``AA-0000``), in each view that has it."""
    asked = text.strip()[:MOST_PATTERN]
    found = _ranked((Candidate(view, (asked,)) for view in HEADS if asked), index, budget, tolerance)
    return [one for one in found if one.coverage]


def _ranked(asked: Iterable[Candidate], index: PatternIndex, budget: float, tolerance: float) -> list[ExamplePattern]:
    lake = lake_columns(index)
    found = [_told(one, index, lake, tolerance) for one in asked]
    found.sort(key=lambda p: (p.coverage, -len(p.described), CLAUSE_KINDS.index(p.kind)))
    return _recommend(found, budget)


def _told(
    candidate: Candidate, index: PatternIndex, lake: np.ndarray[tuple[int], np.dtype[np.bool_]], tolerance: float
) -> ExamplePattern:
    shares = shares_of(index, candidate)
    holds = (shares > 0) & lake
    tagged = (shares >= 1 - tolerance) & lake
    impure = float(1 - shares[holds].mean()) if holds.any() else 0.0
    others = lake & ~tagged
    chance = (float(shares[others].sum()) + 1.0) / (
        int(others.sum()) + 1000.0
    )  # as if a thousand more were seen, one hit
    at = np.flatnonzero(tagged)
    order = at[np.argsort(-shares[at], kind="stable")]
    described = tuple(
        (index.tables[index.columns[i][0]], index.columns[i][1], round(float(shares[i]), 4)) for i in order
    )
    return ExamplePattern(
        candidate.kind, candidate.pattern(), candidate.regex(), int(holds.sum()), round(impure, 4), described,
        chance=chance, pattern=candidate.accepted[0] if len(candidate.accepted) == 1 else "",
    )  # fmt: skip


def _recommend(found: list[ExamplePattern], budget: float) -> list[ExamplePattern]:
    """Mark the pattern of least coverage within the budget that tags some column; values themselves come last."""
    able = [p for p in found if p.impurity <= budget and p.described]
    best = min(able, key=lambda p: (p.kind == "value", p.coverage), default=None)
    return [replace(p, recommended=p is best) for p in found]
