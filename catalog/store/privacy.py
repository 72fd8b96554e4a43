"""Sentences and figures of sensitive columns hold none of their values: what is kept for people to read follows the
tags. Each function takes a session and never commits.

A rule's body keeps what judging needs; its sentence is made anew when its column becomes sensitive, or is no more. What
was said of versions is hidden for good: an outcome keeps no second version of itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import update
from sqlmodel import Session, col, select

from catalog.checks.private import private_verdict
from catalog.checks.verdict import Verdict
from catalog.rules.private import clause_sentence, private, private_sentence, tells
from catalog.rules.rule import Rule
from catalog.store.models import Incident, LakeColumn, Outcome, RuleRow


def sensitive_names(session: Session, table_id: int) -> set[str]:
    """Names of a table's sensitive columns."""
    query = select(LakeColumn.name).where(LakeColumn.table_id == table_id, col(LakeColumn.sensitive).is_(True))
    return set(session.exec(query))


def shown_sentence(rule: Rule, sensitive: bool) -> str:
    """What people read of a rule."""
    return private_sentence(rule) if sensitive else rule.sentence


def follow(session: Session, column_ids: Iterable[int]) -> None:
    """Make what is kept of these columns' rules fit their sensitivity, which has just changed."""
    for column_id in column_ids:
        column = session.get(LakeColumn, column_id)
        if column is None:
            continue
        session.refresh(column)
        query = select(RuleRow).where(RuleRow.table_id == column.table_id, RuleRow.column_name == column.name)
        for row in session.exec(query).all():
            rule = Rule.from_json(row.body)
            row.sentence = shown_sentence(rule, column.sensitive)
            if column.sensitive and any(tells(clause) for clause in rule.params.get("clauses") or []):
                _hide_outcomes(session, row, rule)
    session.flush()


def _hide_outcomes(session: Session, row: RuleRow, rule: Rule) -> None:
    clauses = rule.params["clauses"]
    words = [(str(c["words"]), clause_sentence(c, private=True)) for c in clauses if c.get("words") and tells(c)]
    fit = private(rule)
    for said in session.exec(select(Outcome).where(Outcome.rule_id == row.id)).all():
        detail = dict(said.detail or {})
        before = Verdict(
            said.status, _without(said.sentence, words), detail.get("observed") or {}, detail.get("expected") or {},
            said.metric, said.value, said.low, said.high,
        )  # fmt: skip
        verdict = private_verdict(fit, before)
        said.sentence = verdict.sentence
        said.value, said.low, said.high = verdict.value, verdict.low, verdict.high
        said.detail = {
            "observed": _in_words(verdict.observed, words),
            "expected": _in_words(verdict.expected, words),
            "offenders": {},
        }
        session.exec(update(Incident).where(col(Incident.outcome_id) == said.id).values(sentence=said.sentence))


def _without(sentence: str, words: list[tuple[str, str]]) -> str:
    for told, fit in words:
        sentence = sentence.replace(told, fit)
    return sentence


def _in_words(data: Any, words: list[tuple[str, str]]) -> Any:
    """JSON data with the clauses in it said without values."""
    if isinstance(data, str):
        return _without(data, words)
    if isinstance(data, dict):
        return {name: _in_words(value, words) for name, value in data.items()}
    return [_in_words(one, words) for one in data] if isinstance(data, list) else data
