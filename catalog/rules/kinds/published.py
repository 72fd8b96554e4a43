"""Rules of the published learner of patterns (Auto-Validate, SIGMOD 2021): the strings of a column have one pattern."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from catalog.evidence.homogeneity import increased
from catalog.evidence.pattern_index.views import Profile
from catalog.rules.clauses.clause import Clause
from catalog.rules.clauses.strings import ClauseVerdict
from catalog.rules.kinds.strings import StringsRule


class DataPatternRule(StringsRule):
    """One pattern, judged as the paper judges.

    ``params``: ``{"clauses": [the pattern], "rows": learned from, "nonconforming": those of them without it}``.
    Without horizontal cuts (no ``nonconforming``) each value must have the pattern; with them the share of those that
    do not may not be significantly larger than it was (Fisher's exact test at 0.01).
    """

    meanings: ClassVar[Mapping[str, str]] = {
        "data_pattern": "the strings of a column have the pattern of their domain, as published (Auto-Validate)"
    }
    graded = False  # the paper gives a rate, and no chance of more

    def findings(self, seen: Profile) -> list[ClauseVerdict]:
        before, rows_before = self.params.get("nonconforming"), int(self.params["rows"])
        out = []
        for clause in self.program:
            rows, broken = clause.candidate.rows(seen), clause.candidate.nonconforming(seen)
            alarm = broken > 0 if before is None else increased(int(before), rows_before, broken, rows)
            out.append(ClauseVerdict(clause, broken, rows, alarm))
        return out

    def with_clauses(self, clauses: Sequence[Clause]) -> StringsRule:
        return replace(super().with_clauses(clauses), kind=self.kind)
