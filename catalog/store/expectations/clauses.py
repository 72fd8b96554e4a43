"""People's decisions about single clauses of a rule, and what they make of it. Each function takes a session and never
commits.

A decision makes a new revision of the rule at once, which judges the versions that come; it is kept, and holds for what
is learned later (`catalog.store.expectations.rules.put_rules`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import delete
from sqlmodel import Session, col, select

from catalog.errors import UsageError
from catalog.rules.decisions import ACTIONS, LEFT_OUT, MOST_TIMES, Decision, decide
from catalog.rules.rule import Rule, is_looser
from catalog.store.access import audit
from catalog.store.access.approvals import hold
from catalog.store.engine import insert_new
from catalog.store.expectations.rules import as_rule, get_rule, note, refuse_old, revise
from catalog.store.meaning.privacy import most_missing
from catalog.store.models import ClauseDecision, RuleRow, Table

UNDO = "undo"
VERBS = {"accepted": "accept", "loosened": "loosen", "paused": "pause", "rejected": "reject", "undone": "take back"}


@dataclass(frozen=True)
class ClauseLine:
    """A clause as pages show it: in words and round figures, in force or not, and what a person decided about it;
    `is_minor` where others are read first."""

    key: str
    words: str
    in_force: bool
    is_minor: bool
    decision: ClauseDecision | None


def clause_lines(session: Session, row: RuleRow, *, private: bool = False) -> list[ClauseLine]:
    """The clauses of a rule, those that were left out last. Of an old revision only what was decided before it was
    made: a later decision changed the revision after it, not these figures."""
    old = row.status == "superseded"
    decided = {one.clause: one for one in _decisions(session, row) if not old or one.at <= row.created_at}
    rule = as_rule(row)
    listed = [(clause, True) for clause in rule.clauses]
    listed += [(clause, False) for clause in rule.learned if _left_out(decided.get(clause.key))]
    most = _most_missing(session, row)
    return [
        ClauseLine(
            clause.key, rule.words_of(clause, private=private), in_force, clause.is_minor, decided.get(clause.key)
        )
        for clause, in_force in listed
        if clause.key in decided or not is_looser(clause.most_missing, most)
    ]


def _most_missing(session: Session, row: RuleRow) -> float | None:
    """How much may be missing by the rules of a rule's column: what lets more of it pass is not shown beside them."""
    same = RuleRow.table_id == row.table_id, RuleRow.column_name == row.column_name
    return most_missing(session.exec(select(RuleRow).where(*same))).get(row.column_name)


def loosen_all(session: Session, rule_id: int, *, actor: str, factor: float = 2.0) -> RuleRow:
    """A person loosens every clause of a rule. The rule's new revision. Errors: as `decide_clause`."""
    row = get_rule(session, rule_id)
    names = list(dict.fromkeys(clause.key for clause in as_rule(row).clauses))
    if not names:
        raise UsageError(f"rule {rule_id} has no clauses", remedy="pause or reject the rule as a whole")
    args = {"rule": rule_id, "factor": factor}
    hold(session, "loosen", args, audit.of_rule(session, row), actor, "loosen all clauses of")
    for name in names[:-1]:
        one = _decision(as_rule(row), _standing(session, row).get(name), name, "loosened", factor)
        before = _standing(session, row).get(name)
        _keep(session, row, name, one, actor)
        _note(session, row, "loosened", name, before, one, actor)
    return decide_clause(session, rule_id, names[-1], "loosened", actor=actor, factor=factor)


def decide_clause(
    session: Session,
    rule_id: int,
    clause: str,
    action: str,
    *,
    actor: str,
    factor: float = 2.0,
    reason: str | None = None,
) -> RuleRow:
    """A person accepts, loosens, pauses or rejects a clause, or takes that back (``undo``). The rule's new revision.

    Loosening again widens what was loosened. Errors: `NotFound`, `UsageError` (no such clause or action, an old
    revision, nothing to take back, or the last clause).
    """
    row = get_rule(session, rule_id)
    refuse_old(session, row)
    if action not in (*ACTIONS, UNDO):
        raise UsageError(f"a clause cannot be {action!r}", remedy=f"use one of {', '.join((*ACTIONS, UNDO))}")
    rule = as_rule(row)
    decided = _standing(session, row)
    before = decided.get(clause)
    _known(rule, decided, clause)
    if action == UNDO:
        if decided.pop(clause, None) is None:
            raise UsageError(f"nothing was decided about clause {clause!r}", remedy="there is nothing to take back")
    else:
        decided[clause] = _decision(rule, decided.get(clause), clause, action, factor)
    changed = decide(rule, decided)
    if changed is None:
        raise UsageError(
            f"{clause!r} is the last clause of rule {rule_id}",
            remedy="pause or reject the rule instead, or undo another",
        )
    args = {"rule": rule_id, "clause": clause, "action": action, "factor": factor}
    verb = VERBS["undone" if action == UNDO else action]
    hold(session, "clause", args, audit.of_rule(session, row, clause), actor, verb, reason)
    _keep(session, row, clause, decided.get(clause), actor)
    done = "undone" if action == UNDO else action
    _note(session, row, done, clause, before, decided.get(clause), actor, reason)
    return _revise(session, row, changed)


def _note(
    session: Session,
    row: RuleRow,
    what: str,
    clause: str,
    before: Decision | None,
    after: Decision | None,
    actor: str,
    reason: str | None = None,
) -> None:
    """Write down what was decided about a clause: with the rule, and in the audit log."""
    note(session, row, what, clause=clause, reason=reason, actor=actor)
    was, becomes = ({"decision": one.action, "factor": one.factor} if one else {} for one in (before, after))
    of = audit.of_rule(session, row, clause)
    audit.record(session, actor, VERBS[what], of, before=was, after=becomes, reason=reason)


def _left_out(decision: ClauseDecision | None) -> bool:
    return decision is not None and decision.action in LEFT_OUT


def _decisions(session: Session, row: RuleRow) -> list[ClauseDecision]:
    return list(session.exec(select(ClauseDecision).where(*_mine(row))))


def _standing(session: Session, row: RuleRow) -> dict[str, Decision]:
    return {one.clause: Decision(one.action, one.factor, one.body) for one in _decisions(session, row)}


def _mine(row: RuleRow) -> tuple[Any, ...]:
    return (
        ClauseDecision.table_id == row.table_id,
        ClauseDecision.column_name == row.column_name,
        ClauseDecision.learner == row.learner,
    )


def _known(rule: Rule, decided: Mapping[str, Decision], clause: str) -> None:
    names = {one.key for one in (*rule.clauses, *rule.learned)} | set(decided)
    if clause not in names:
        remedy = f"use one of {', '.join(sorted(names))}" if names else "decide on the rule as a whole"
        raise UsageError(f"the rule has no clause {clause!r}", remedy=remedy)


def _decision(rule: Rule, before: Decision | None, clause: str, action: str, factor: float) -> Decision:
    if action == "loosened":
        if not 1 < factor <= MOST_TIMES:
            raise UsageError(f"a clause cannot be loosened {factor:g} times", remedy=f"use 1 to {MOST_TIMES:g}, 2 say")
        past = before.factor if before is not None and before.action == "loosened" else 1.0
        return Decision(action, min(past * factor, MOST_TIMES))
    if action != "accepted":
        return Decision(action)
    body = next((one for one in rule.clauses if one.key == clause), None)
    if body is None:
        raise UsageError(f"clause {clause!r} is left out of the rule", remedy="undo that before accepting it")
    return Decision(action, 1.0, body.to_json())


def _keep(session: Session, row: RuleRow, clause: str, decision: Decision | None, actor: str) -> None:
    session.exec(delete(ClauseDecision).where(*_mine(row), col(ClauseDecision.clause) == clause))
    if decision is None:
        return
    where = {name: getattr(row, name) for name in ("table_id", "column_name", "learner")}
    said = {"clause": clause, "action": decision.action, "factor": decision.factor, "body": dict(decision.body)}
    insert_new(session, ClauseDecision, [{**where, **said, "actor": actor}])


def _revise(session: Session, row: RuleRow, rule: Rule) -> RuleRow:
    """The next revision, in place of the one in force; the same one where judging is the same."""
    if rule.fingerprint == row.fingerprint:
        row.body = {**row.body, "evidence": rule.evidence}
        session.flush()
        return row
    judged = session.get_one(Table, row.table_id).judged_version
    return revise(session, row, replace(rule, level=row.level), max(row.since_version, judged))
