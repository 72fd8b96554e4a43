"""What people decide about single clauses of a program, and what becomes of the program by it.

A program is learned anew again and again; a decision is about a clause's `key` and outlives that:

- *rejected* and *paused* clauses are left out (a rejected one for good, a paused one until somebody resumes it);
- a *loosened* clause has its band `factor` times as wide, or, of strings, tolerates as many steps more;
- an *accepted* clause stays as it was when it was accepted, whatever is learned since.

What was learned is kept beside it as evidence, so that a decision can be taken back.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from catalog.evidence.risk import TOLERANCES
from catalog.rules.metrics import in_words
from catalog.rules.rule import Rule
from catalog.rules.strings import clause_candidate

ACTIONS = ("accepted", "loosened", "paused", "rejected")
LEFT_OUT = ("paused", "rejected")
LEARNED = "learned"  # name in a rule's evidence of the clauses as they were learned
MOST = 1024.0  # a band wider than so many times what was learned demands nothing

Clause = Mapping[str, Any]


@dataclass(frozen=True)
class Decision:
    """One decision: see the module. `body` is the accepted clause."""

    action: str
    factor: float = 1.0
    body: Mapping[str, Any] = field(default_factory=dict)


def clauses_of(rule: Rule) -> list[dict[str, Any]]:
    """The clauses of a program; empty for a rule that has none (schema, freshness)."""
    return list(rule.params.get("clauses") or [])


def learned_of(rule: Rule) -> list[dict[str, Any]]:
    """The clauses as they were learned, before any decision."""
    return list(rule.evidence.get(LEARNED) or clauses_of(rule))


def key(clause: Clause) -> str:
    """What a clause is about, whatever its bounds: its metric, the kind of look of strings, or the domain asked for.

    >>> key({"metric": "mean", "low": 1, "high": 2}), key({"kind": "shape", "theta": 0.0})
    ('mean', 'shape')
    >>> key({"kind": "domain", "accepted": ["date"], "theta": 0.0})
    'domain:date'
    """
    if clause.get("kind") == "domain":
        return f"domain:{clause['accepted'][0]}"
    return str(clause.get("metric") or clause.get("kind") or "")


def decide(rule: Rule, decisions: Mapping[str, Decision]) -> Rule | None:
    """The rule with what people decided; None when no clause is left.

    >>> clauses = [{"metric": "mean", "lag": 0, "log": False, "center": 5, "low": 4, "high": 6, "fpr": 0.001},
    ...            {"metric": "min", "lag": 0, "log": False, "center": 1, "low": 0, "high": 2, "fpr": 0.001}]
    >>> rule = Rule("history", "x", {"clauses": clauses}, 0.002, "Column 'x' stays: a; b.", "avh")
    >>> changed = decide(rule, {"min": Decision("rejected"), "mean": Decision("loosened", 2.0)})
    >>> [(c["metric"], c["low"], c["high"]) for c in changed.params["clauses"]], round(changed.fpr, 5), changed.sentence
    ([('mean', 3.0, 7.0)], 0.001, "Column 'x' stays: mean from 3 to 7.")
    """
    learned = learned_of(rule)
    if not learned:
        return rule
    if not decisions:
        return _with(rule, learned, {name: value for name, value in rule.evidence.items() if name != LEARNED})
    kept: list[dict[str, Any]] = []
    placed: set[str] = set()
    for clause in learned:
        name = key(clause)
        decision = decisions.get(name)
        if decision is None:
            kept.append(clause)
        elif decision.action == "loosened":
            kept.append(loosen(clause, decision.factor))
        elif decision.action == "accepted" and name not in placed:
            kept.append(dict(decision.body))
            placed.add(name)
    for name, decision in decisions.items():
        if decision.action == "accepted" and name not in placed and decision.body:
            kept.append(dict(decision.body))
    if not kept:
        return None
    return _with(rule, kept, {**rule.evidence, LEARNED: learned})


def loosen(clause: Clause, factor: float) -> dict[str, Any]:
    """A clause with its band `factor` times as wide around its center, or with a higher tolerance.

    >>> loosen({"metric": "L_1", "lag": 0, "log": False, "center": 0.1, "low": None, "high": 0.2, "slack": 0.5}, 3.0)
    {'metric': 'L_1', 'lag': 0, 'log': False, 'center': 0.1, 'low': None, 'high': 0.4, 'slack': 1.5}
    >>> loosen({"kind": "charset", "accepted": ["0"], "theta": 0.0, "words": "every value is made of digits"}, 4.0)
    {'kind': 'charset', 'accepted': ['0'], 'theta': 0.01, 'words': 'at least about 99% of the values are made of
    digits'}
    """
    if "theta" in clause:
        return _tolerate(clause, round(math.log2(max(factor, 1.0))))
    low, high = clause["low"], clause["high"]
    center = clause.get("center")
    if center is None:  # of another release
        center = (low + high) / 2 if low is not None else 0.0
    changed = {**clause, "high": round(center + factor * (high - center), 12)}
    if low is not None:
        changed["low"] = round(center - factor * (center - low), 12)
    if clause.get("slack"):
        changed["slack"] = clause["slack"] * factor
    return changed


def _tolerate(clause: Clause, steps: int) -> dict[str, Any]:
    at = min(TOLERANCES.index(clause["theta"]) + steps, len(TOLERANCES) - 1)
    theta = TOLERANCES[at]
    return {**clause, "theta": theta, "words": clause_candidate(dict(clause)).words(theta)}


def _with(rule: Rule, clauses: Sequence[dict[str, Any]], evidence: dict[str, Any]) -> Rule:
    """The rule with other clauses: its sentence and its stated rate are theirs."""
    before = clauses_of(rule)
    if clauses == before:
        return replace(rule, evidence=evidence)
    if rule.kind in ("pattern", "vocabulary"):
        sentence = "; ".join(str(clause["words"]) for clause in clauses) + "."
        kind = "vocabulary" if all(clause["kind"] == "value" for clause in clauses) else "pattern"
    else:
        sentence, kind = f"{rule.sentence.partition(': ')[0]}: {in_words(clauses)}.", rule.kind
    risk = _risk(before)
    fpr = min(1.0, rule.fpr * _risk(clauses) / risk) if risk else rule.fpr
    params = {**rule.params, "clauses": list(clauses)}
    return replace(rule, kind=kind, params=params, sentence=sentence, fpr=fpr, evidence=evidence)


def _risk(clauses: Sequence[Clause]) -> float:
    """Chance that one of them errs; a loosened clause counts as if it were not: no less is promised than is known."""
    healthy = 1.0
    for clause in clauses:
        healthy *= 1.0 - float(clause.get("risk", clause.get("fpr", 0.0)) or 0.0)
    return 1.0 - healthy
