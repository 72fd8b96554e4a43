"""Which rules are revisions of one demand, and which incidents are of it."""

from __future__ import annotations

from typing import Any

from sqlmodel import col

from catalog.rules.rule import DECLARED, family
from catalog.store.models import Incident, RuleRow


def same_demand(row: RuleRow) -> tuple[Any, ...]:
    """Conditions on `RuleRow`: the revisions of one rule."""
    return (
        RuleRow.table_id == row.table_id,
        RuleRow.column_name == row.column_name,
        RuleRow.learner == row.learner,
        col(RuleRow.kind).in_(family(row.kind)),
    )


def demand_of(row: RuleRow) -> tuple[str, str, str]:
    """What is the same of all revisions of one rule: kind, column, learner."""
    return family(row.kind)[0], row.column_name, row.learner


def check_name(learner: str) -> str:
    """The name of the declared check that a rule's learner names; "" of a learned rule.

    >>> check_name("declared:is_complete_id"), check_name("fmdv")
    ('is_complete_id', '')
    """
    return learner.removeprefix(DECLARED) if learner.startswith(DECLARED) else ""


def incidents_of(rule: RuleRow) -> tuple[Any, ...]:
    """Conditions on `Incident`: those of a rule. One column's learned rules of one kind share an incident; a declared
    check has its own."""
    return (
        Incident.table_id == rule.table_id,
        Incident.kind == rule.kind,
        Incident.column_name == rule.column_name,
        Incident.check_name == check_name(rule.learner),
    )


def rules_of(incident: Incident) -> tuple[Any, ...]:
    """Conditions on `RuleRow`: the rules that an incident is of, in all revisions."""
    own = (RuleRow.learner == DECLARED + incident.check_name,) if incident.check_name else ()
    return (
        RuleRow.table_id == incident.table_id,
        RuleRow.kind == incident.kind,
        RuleRow.column_name == incident.column_name,
        *own,
    )
