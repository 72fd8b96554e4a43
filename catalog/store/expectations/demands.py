"""Which rules are revisions of one demand."""

from __future__ import annotations

from typing import Any

from sqlmodel import col

from catalog.rules.rule import family
from catalog.store.models import RuleRow


def same_demand(row: RuleRow) -> tuple[Any, ...]:
    """Conditions on `RuleRow`: the revisions of one rule."""
    return (
        RuleRow.table_id == row.table_id,
        RuleRow.column_name == row.column_name,
        RuleRow.learner == row.learner,
        col(RuleRow.kind).in_(family(row.kind)),
    )
