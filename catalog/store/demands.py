"""Which rules are revisions of one demand."""

from __future__ import annotations

from typing import Any

from sqlmodel import col

from catalog.store.models import RuleRow

#: A column of strings has one program, which is a vocabulary when it lists values only.
SAME = dict.fromkeys(("pattern", "vocabulary"), ("pattern", "vocabulary"))


def same_demand(row: RuleRow) -> tuple[Any, ...]:
    """Conditions on `RuleRow`: the revisions of one rule."""
    return (
        RuleRow.table_id == row.table_id,
        RuleRow.column_name == row.column_name,
        RuleRow.learner == row.learner,
        col(RuleRow.kind).in_(SAME.get(row.kind, (row.kind,))),
    )
