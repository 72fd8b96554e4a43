"""Declared rule: a check that a person wrote, judged exactly."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

from catalog.declared.constraint import NOT_APPLICABLE, VIOLATED, Constraint
from catalog.errors import MissingFile
from catalog.rules.rule import Rule
from catalog.rules.verdict import Needs, Subject, Verdict
from catalog.states.table import TableState

#: How learners of declared checks are named: the rest is the check's own name, which is its identity over revisions.
LEARNER = "declared:"
_MISSING = re.compile(r"there is no column '[^']*'")


class DeclaredRule(Rule):
    """``params``: a constraint (`catalog.declared.constraint`) without its name, hint and level. States no rate."""

    meanings: ClassVar[Mapping[str, str]] = {"declared": "a person demands it"}
    of_values = True

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
        return Rule(
            "declared", column, data, None, constraint.sentence, LEARNER + name, {}, level, scope, where, hint or None
        )

    @cached_property
    def constraint(self) -> Constraint:
        """The constraint as it was declared."""
        told = {"where": self.where, "level": self.level, "scope": self.scope, "hint": self.hint or ""}
        return Constraint.from_json({**self.params, **told, "name": self.learner.removeprefix(LEARNER)})

    @property
    def needs(self) -> Needs:
        return Needs(parts=tuple(part.key for part in self.constraint.parts))

    def judge(self, batch: Subject) -> Verdict:
        """From the parts that were counted of the batch, or of the table as it stands: no state is needed."""
        return self._judge(batch, batch.state)

    def _judge(self, batch: Subject, rows: TableState) -> Verdict:
        constraint, found = self.constraint, {}
        for part in constraint.parts:
            state = batch.parts.get(part_place(self.scope, part.key))
            if state is None:
                return Verdict(NOT_APPLICABLE, "Its data files were not counted; crawl the table again.")
            if isinstance(state, MissingFile):
                return Verdict(NOT_APPLICABLE, f"It cannot be judged: {state}.")
            if isinstance(state, Exception):
                return Verdict(VIOLATED, f"It cannot be judged: {state}.", {"error": str(state)})
            found[part.key] = state
        result = constraint.judge(found)
        failing = constraint.failing()
        return Verdict(
            result.status, result.sentence, {"value": _plain(result.value)}, {"check": constraint.sentence},
            constraint.kind, _plain(result.value), constraint.at_least, constraint.at_most,
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
        return f"the check {self.learner.removeprefix(LEARNER)} holds"

    def hide(self, verdict: Verdict) -> Verdict:
        missing = _MISSING.search(str(verdict.observed.get("error", "")))
        sentence = verdict.sentence
        if missing is not None:  # the rest may quote a condition
            sentence = f"It cannot be judged: {missing[0]} in this version."
        elif verdict.status == VIOLATED:
            sentence = f"It is broken: {self._private_sentence()}."
        return replace(
            verdict, sentence=sentence, observed={}, expected={}, value=None, low=None, high=None, offenders={}
        )


def part_place(scope: str, key: str) -> str:
    """Where the state of a part stands among those of a batch: of its own rows, or of the table as it stands."""
    return f"{scope}:{key}"


def _plain(value: Any) -> Any:
    return None if value is None or value != value or abs(value) == float("inf") else value
