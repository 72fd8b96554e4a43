"""What people decide about single clauses of a program, and what becomes of the program by it.

A program is learned again and again; a decision is about a clause's `key` and outlives that:

- *rejected* and *paused* clauses are left out (a rejected one for good, a paused one until somebody resumes it);
- a *loosened* clause has its band `factor` times as wide, or, of strings, tolerates as many steps more;
- an *accepted* clause stays as it was when it was accepted, whatever is learned since.

What was learned is kept beside it as evidence, so that a decision can be taken back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from catalog.rules.clauses.clause import Clause
from catalog.rules.rule import LEARNED, Rule

ACTIONS = ("accepted", "loosened", "paused", "rejected")
LEFT_OUT = ("paused", "rejected")
MOST_TIMES = 1024.0  # bound: a band wider than so many times what was learned demands nothing


@dataclass(frozen=True)
class Decision:
    """One decision: see the module. `body` is the accepted clause."""

    action: str
    factor: float = 1.0
    body: Mapping[str, Any] = field(default_factory=dict)


def decide(rule: Rule, decisions: Mapping[str, Decision]) -> Rule | None:
    """The rule with what people decided; None when no clause is left.

    >>> clauses = [{"metric": "mean", "lag": 0, "log": False, "center": 5, "low": 4, "high": 6, "fpr": 0.001},
    ...            {"metric": "min", "lag": 0, "log": False, "center": 1, "low": 0, "high": 2, "fpr": 0.001}]
    >>> rule = Rule("history", "x", {"clauses": clauses}, 0.002, "Column 'x' stays: a; b.", "avh")
    >>> changed = decide(rule, {"min": Decision("rejected"), "mean": Decision("loosened", 2.0)})
    >>> [(c.metric, c.low, c.high) for c in changed.clauses], round(changed.fpr, 5), changed.sentence
    ([('mean', 3.0, 7.0)], 0.001, "Column 'x' stays: the average is 3 to 7.")
    """
    if not rule.learned:
        return rule
    if not decisions:
        return _with(rule, rule.learned, {name: value for name, value in rule.evidence.items() if name != LEARNED})
    kept = _kept(rule, decisions)
    return _with(rule, kept, {**rule.evidence, LEARNED: [c.to_json() for c in rule.learned]}) if kept else None


def _kept(rule: Rule, decisions: Mapping[str, Decision]) -> list[Clause]:
    """The clauses that are left, as decided; those accepted stay, though they are learned no more."""
    kept: list[Clause] = []
    placed: set[str] = set()
    for clause in rule.learned:
        decision = decisions.get(clause.key)
        if decision is None:
            kept.append(clause)
        elif decision.action == "loosened":
            kept.append(clause.loosened(decision.factor))
        elif decision.action == "accepted" and clause.key not in placed:
            kept += rule.read_clauses([decision.body])
            placed.add(clause.key)
    for name, decision in decisions.items():
        if decision.action == "accepted" and name not in placed and decision.body:
            kept += rule.read_clauses([decision.body])
    return kept


def _with(rule: Rule, clauses: Sequence[Clause], evidence: dict[str, Any]) -> Rule:
    """The rule with other clauses: its sentence and its stated rate are theirs."""
    if tuple(clauses) == rule.clauses:
        return replace(rule, evidence=evidence)
    before = _risk(rule.clauses)
    fpr = min(1.0, rule.fpr * _risk(clauses) / before) if before and rule.fpr is not None else rule.fpr
    return replace(rule.with_clauses(clauses), fpr=fpr, evidence=evidence)


def _risk(clauses: Sequence[Clause]) -> float:
    """Chance that one of them errs; a loosened clause counts as if it were not: no less is promised than is known."""
    healthy = 1.0
    for clause in clauses:
        healthy *= 1.0 - clause.risk_stated
    return 1.0 - healthy
