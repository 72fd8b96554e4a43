"""Sentences and figures of sensitive columns hold none of their values: what is kept for people to read follows the
tags. Each function takes a session and never commits.

A rule's body keeps what judging needs; its sentence is made anew when its column becomes sensitive, or is no more. What
was said of versions is hidden for good: an outcome keeps no second version of itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import update
from sqlmodel import Session, col, select

from catalog.checks.private import private_verdict
from catalog.checks.verdict import Verdict
from catalog.rules.private import clause_sentence, private, private_sentence, tells
from catalog.rules.rule import Rule
from catalog.store.models import Incident, LakeColumn, Outcome, RuleRow

#: Fields of an outcome from which `hidden` makes what may be kept.
SAID = ("status", "sentence", "metric", "value", "low", "high", "detail")


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
            if column.sensitive and tells_values(rule):
                _hide_outcomes(session, row, rule)
    session.flush()


def tells_values(rule: Rule) -> bool:
    """Whether what was said by the rule may hold values of its column."""
    return any(tells(clause) for clause in rule.params.get("clauses") or [])


def _hide_outcomes(session: Session, row: RuleRow, rule: Rule) -> None:
    for said in session.exec(select(Outcome).where(Outcome.rule_id == row.id)).all():
        for name, value in hidden(rule, {name: getattr(said, name) for name in SAID}).items():
            setattr(said, name, value)
        session.exec(update(Incident).where(col(Incident.outcome_id) == said.id).values(sentence=said.sentence))


def hidden(rule: Rule, said: Mapping[str, Any]) -> dict[str, Any]:
    """What an outcome of a rule that tells values may keep: those of its fields `SAID` that change. What is hidden
    already stays as it is."""
    clauses = rule.params["clauses"]
    words = [(str(c["words"]), clause_sentence(c, private=True)) for c in clauses if c.get("words") and tells(c)]
    detail = dict(said["detail"] or {})
    before = Verdict(
        said["status"], _without(said["sentence"], words), detail.get("observed") or {}, detail.get("expected") or {},
        said["metric"], said["value"], said["low"], said["high"],
    )  # fmt: skip
    verdict = private_verdict(private(rule), before)
    observed, expected = _in_words(verdict.observed, words), _in_words(verdict.expected, words)
    return {
        "sentence": verdict.sentence,
        "value": verdict.value,
        "low": verdict.low,
        "high": verdict.high,
        "detail": {"observed": observed, "expected": expected, "offenders": {}},
    }


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
