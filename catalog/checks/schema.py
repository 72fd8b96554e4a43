"""Judging the schema of a version."""

from __future__ import annotations

from catalog.checks.verdict import PASSED, VIOLATED, Batch, Verdict
from catalog.rules.rule import Rule
from catalog.rules.schema import added, broken


def judge_schema(rule: Rule, batch: Batch) -> Verdict:
    """Violated when a column is gone or has another type; a new column is told and passes."""
    expected = rule.params["columns"]
    damage, new = broken(expected, batch.schema), added(expected, batch.schema)
    observed = {"damage": damage, "added": new, "columns": len(batch.schema)}
    wanted = {"columns": len(expected)}
    if damage:
        more = f" and {len(damage) - 3} more" if len(damage) > 3 else ""
        return Verdict(VIOLATED, f"The schema changed: {'; '.join(damage[:3])}{more}.", observed, wanted)
    told = f" New: {', '.join(new[:5])}{' ...' if len(new) > 5 else ''}." if new else ""
    return Verdict(PASSED, f"All {len(expected)} columns are there with their types.{told}", observed, wanted)
