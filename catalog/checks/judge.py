"""Judging one batch by one rule, whatever its kind.

A verdict is a function of the rule, the batch's state and its history: judged again from the same, it is the same.
"""

from __future__ import annotations

from collections.abc import Callable

from catalog.checks.history import judge_history
from catalog.checks.schema import judge_schema
from catalog.checks.strings import judge_strings
from catalog.checks.verdict import NOT_APPLICABLE, Batch, Verdict
from catalog.rules.rule import Rule

JUDGES: dict[str, Callable[[Rule, Batch], Verdict]] = {
    "pattern": judge_strings,
    "vocabulary": judge_strings,
    "history": judge_history,
    "volume": judge_history,
    "schema": judge_schema,
}

#: Kinds that compare a batch with earlier batches: rows that a MERGE wrote anew are no sample of a day's rows.
OF_SERIES = {"history", "volume"}


def judge(rule: Rule, batch: Batch) -> Verdict:
    """What `rule` says of `batch`. Freshness is about the wait after a version: see `catalog.checks.freshness`."""
    if rule.kind in OF_SERIES and batch.kind == "rewrite":
        return Verdict(NOT_APPLICABLE, "The version rewrote rows that were there; its past batches are appended rows.")
    if rule.column is not None and rule.column not in batch.state.columns:
        return Verdict(NOT_APPLICABLE, f"Column {rule.column!r} is not in this version.")
    if rule.column is not None and batch.state.rows == 0:
        return Verdict(NOT_APPLICABLE, "The batch has no rows.")
    return JUDGES[rule.kind](rule, batch)
