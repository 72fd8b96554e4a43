"""Declared rule: a check that a person wrote, judged exactly."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

from catalog.declared.constraint import NOT_APPLICABLE, PASSED, VIOLATED, Constraint, Result
from catalog.declared.facts import Facts
from catalog.declared.kinds.kind import band_words
from catalog.errors import MissingFile
from catalog.measures.part import Part
from catalog.rules.rule import DECLARED as LEARNER
from catalog.rules.rule import Rule
from catalog.rules.verdict import Needs, Subject, Verdict, Wait, part_place
from catalog.states.table import TableState

_MISSING = re.compile(r"there is no column '[^']*'")


class DeclaredRule(Rule):
    """``params``: a constraint (`catalog.declared.constraint`) without its name, hint and level. States no rate."""

    meanings: ClassVar[Mapping[str, str]] = {"declared": "a person demands it"}
    kind_name: ClassVar[str] = "declared"
    of_values = of_parts = True
    kept_level = True

    @classmethod
    def of(cls, constraint: Constraint) -> Rule:
        """The rule of a constraint.

        >>> rule = DeclaredRule.of(Constraint("is_complete", ("id",), hint="ask the shop"))
        >>> rule.learner, rule.fpr, rule.sentence, rule.constraint.hint
        ('declared:is_complete_id', None, 'every row has a value in id', 'ask the shop')
        """
        data = constraint.to_json()
        name, hint, level, scope = (data.pop(key) for key in ("name", "hint", "level", "scope"))
        column = constraint.columns[0] if len(constraint.columns) == 1 else None
        where = data.pop("where")
        kind = DeclaredWait.kind_name if constraint.needs == "wait" else cls.kind_name
        more = (level, scope, where, hint or None, constraint.other)
        return Rule(kind, column, data, None, constraint.sentence, LEARNER + name, {}, *more)

    @cached_property
    def constraint(self) -> Constraint:
        """The constraint as it was declared."""
        told = {"where": self.where, "level": self.level, "scope": self.scope, "hint": self.hint or ""}
        return Constraint.from_json({**self.params, **told, "name": self.learner.removeprefix(LEARNER)})

    @property
    def needs(self) -> Needs:
        return Needs()

    @property
    def parts(self) -> tuple[Part, ...]:
        return self.constraint.parts

    def judge(self, batch: Subject) -> Verdict:
        """From the parts that were counted of the batch, or of the table as it stands: no state is needed."""
        return self._judge(batch, batch.state)

    def _judge(self, batch: Subject, rows: TableState) -> Verdict:
        constraint, found = self.constraint, {}
        facts = batch.parts.get(facts_place(self.learner))
        facts = facts or Facts(schema=batch.schema, committed_at=getattr(batch, "committed_at", None))
        for part in constraint.parts if facts.compared is None else ():
            state = batch.parts.get(part_place(self.scope, part.key))
            if state is None:
                return Verdict(NOT_APPLICABLE, "Its data files were not counted; crawl the table again.")
            if isinstance(state, MissingFile):
                return Verdict(NOT_APPLICABLE, f"It cannot be judged: {state}.")
            if isinstance(state, Exception):
                return Verdict(VIOLATED, f"It cannot be judged: {state}.", {"error": str(state)})
            found[part.key] = state
        return self._verdict(constraint.judge(found, facts))

    def _verdict(self, result: Result) -> Verdict:
        constraint, failing = self.constraint, self.constraint.failing()
        return Verdict(
            result.status, result.sentence, {"value": _plain(result.value)}, {"check": constraint.sentence},
            constraint.kind, _plain(result.value), _plain(result.low), _plain(result.high),
            {"condition": failing} if failing and result.status == VIOLATED else {},
        )  # fmt: skip

    @property
    def tells_values(self) -> bool:
        return self.constraint.tells or bool(self.where) or "condition" in self.constraint.arguments

    def shown_params(self, *, private: bool = False) -> dict[str, Any]:
        """Of a sensitive column neither arguments nor bounds: they may be its values."""
        hidden: dict[str, Any] = {"arguments": {}, "at_least": None, "at_most": None}
        return {**self.params, **hidden} if private else dict(self.params)

    def _private_sentence(self) -> str:
        return self.constraint.private_sentence

    def hide(self, verdict: Verdict) -> Verdict:
        missing = _MISSING.search(str(verdict.observed.get("error", "")))
        sentence = verdict.sentence
        if missing is not None:  # the rest may quote a condition
            sentence = f"It cannot be judged: {missing[0]} in this version."
        elif "error" in verdict.observed:
            sentence = "It cannot be judged; why is hidden, since it may quote sensitive values."
        elif verdict.status == VIOLATED:
            sentence = (
                f"It is broken: {self.said(private=True)} (what was found is hidden: it may tell sensitive values)."
            )
        return replace(
            verdict, sentence=sentence, observed={}, expected={}, value=None, low=None, high=None, offenders={}
        )


class DeclaredWait(DeclaredRule):
    """A declared wait for the next version: judged while time goes by, as a learned freshness is."""

    meanings: ClassVar[Mapping[str, str]] = {"declared_wait": "a person demands it"}
    kind_name = "declared_wait"
    of_values = False
    of_waits = True

    def judge(self, batch: Subject) -> Verdict:
        return Verdict(NOT_APPLICABLE, "A wait is judged while time goes by.")

    def judge_wait(self, wait: Wait) -> Verdict | None:
        hours = round((wait.until - wait.since).total_seconds() / 3600, 6)
        constraint = self.constraint
        low, high = constraint.at_least, constraint.at_most
        late = high is not None and hours > high
        early = wait.arrived and low is not None and hours < low
        if not wait.arrived and not late:
            return None
        now = "came after" if wait.arrived else "has not come for"
        said = f"The version after {wait.version} {now} {hours:,.6g} hours"
        expected = f", expected {band_words(low, high)}" if late or early else ""
        status = VIOLATED if late or early else PASSED
        return self._verdict(Result(constraint, status, hours, f"{said}{expected}.", low, high))


def facts_place(learner: str) -> str:
    """Where what a check asks for beside counted parts stands among those of a batch."""
    return f"facts:{learner}"


def _plain(value: Any) -> Any:
    return None if value is None or value != value or abs(value) == float("inf") else value
