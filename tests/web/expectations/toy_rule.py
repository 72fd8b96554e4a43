"""A kind of rule that the product does not know, as somebody who adds one would write it: this file is all of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from catalog.rules.clauses.clause import Difference
from catalog.rules.rule import Rule
from catalog.rules.verdict import PASSED, VIOLATED, Subject, Verdict
from catalog.states.table import TableState


class AllowedRule(Rule):
    """The values of a column are some of a list that a person wrote. ``params``: ``{"values": [...]}``."""

    meanings: ClassVar[Mapping[str, str]] = {"allowed": "the values of a column are in a list that a person wrote"}
    of_values = True

    @property
    def values(self) -> list[str]:
        return list(self.params["values"])

    @property
    def tells_values(self) -> bool:
        return True

    def _judge(self, batch: Subject, rows: TableState) -> Verdict:
        known = rows.columns[self.column or ""].values() or []
        bad = sum(count for value, count in known if value not in self.values)
        share = bad / max(rows.rows, 1)
        figures = ({"bad": bad}, {"values": self.values}, "not_allowed", share, 0.0, 0.0)
        if not bad:
            return Verdict(PASSED, "All values are allowed.", *figures)
        said = f"{bad:,} values are none of {', '.join(self.values)}."
        return Verdict(VIOLATED, said, *figures, {"not_in": self.values})

    def _private_sentence(self) -> str:
        return f"every value is one of {len(self.values)} allowed values"

    def hide(self, verdict: Verdict) -> Verdict:
        said = (
            f"{verdict.observed['bad']:,} values are not allowed." if verdict.status == VIOLATED else verdict.sentence
        )
        return replace(verdict, sentence=said, expected={"values": len(self.values)}, offenders={})

    def shown_params(self, *, private: bool = False) -> dict[str, Any]:
        return {"values": len(self.values)} if private else {"values": self.values}

    def compare(self, old: Rule, *, private: bool = False) -> list[Difference]:
        before, after = (set(rule.params["values"]) for rule in (old, self))
        change = (
            "same" if before == after else "loosened" if before < after else "tightened" if after < before else "moved"
        )
        words = [f"{len(one)} values" if private else ", ".join(sorted(one)) for one in (before, after)]
        return [Difference("values", change, *words)]
