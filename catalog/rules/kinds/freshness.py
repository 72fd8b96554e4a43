"""Freshness rule: a new version arrives in time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from catalog.rules.clauses.clause import HARDLY, Difference
from catalog.rules.rule import Rule
from catalog.rules.verdict import NOT_APPLICABLE, PASSED, VIOLATED, Subject, Verdict, Wait
from catalog.states.table import TableState


class FreshnessRule(Rule):
    """``params``: ``{"seconds": the longest wait}``."""

    meanings: ClassVar[Mapping[str, str]] = {"freshness": "a new version arrives in time"}
    of_waits = True

    @property
    def seconds(self) -> float:
        return float(self.params["seconds"])

    def judge_wait(self, wait: Wait) -> Verdict | None:
        waited, limit = (wait.until - wait.since).total_seconds(), self.seconds
        band = ("seconds_to_next_version", waited, 0.0, limit)
        observed, expected = {"seconds": waited, "arrived": wait.arrived}, {"at_most_seconds": limit}
        if waited > limit:
            sentence = (
                f"The next version {'came after' if wait.arrived else 'has not come for'} {duration(waited)}; "
                f"at most {duration(limit)} was expected."
            )
            return Verdict(VIOLATED, sentence, observed, expected, *band)
        if not wait.arrived:
            return None
        return Verdict(PASSED, f"The next version came after {duration(waited)}.", observed, expected, *band)

    def _judge(self, batch: Subject, rows: TableState) -> Verdict:
        return Verdict(NOT_APPLICABLE, "The rule is about the waits between versions.")

    def compare(self, old: Rule, *, private: bool = False) -> list[Difference]:
        a, b = (float(rule.params["seconds"]) for rule in (old, self))
        change = "same" if abs(a - b) <= HARDLY * a else "loosened" if b > a else "tightened"
        return [Difference("seconds", change, f"within {duration(a)}", f"within {duration(b)}")]


def duration(seconds: float) -> str:
    """Seconds in words, coarse.

    >>> duration(90), duration(7200), duration(200000)
    ('2 minutes', '2 hours', '2 days')
    """
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= size:
            count = round(seconds / size)
            return f"{count} {unit}" + ("s" if count != 1 else "")
    return f"{seconds:.0f} seconds"
