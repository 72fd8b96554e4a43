"""From a verdict to what is kept of it: offending rows, what may be seen, whether the version is under suspicion."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import structlog
from sqlmodel import Session

from catalog.errors import MissingFile
from catalog.flow.context import Context
from catalog.flow.reading.batches import BatchPlan
from catalog.flow.reading.observe import Observed
from catalog.lake.reading.rows import offending_rows
from catalog.lake.types import DataFile
from catalog.predicates.kinds import NeedsSpark
from catalog.rules.rule import Rule, class_of
from catalog.rules.verdict import VIOLATED, Batch, Verdict
from catalog.store.expectations import rules
from catalog.store.incidents import outcomes, persistent
from catalog.store.lake.keys import files_of_load
from catalog.store.models import Outcome, RuleRow
from catalog.tags.privacy.hiding import Hiding

log = structlog.get_logger()
#: Rows as they are in the lake, or None, and why there are none.
Found = tuple[list[dict[str, Any]] | None, str | None]


@dataclass(frozen=True)
class Said:
    """What a rule says of a version, as it is kept.

    Parameters
    ----------
    rows : offending rows, masked; None where none can be shown, for the reason `no_rows` where there is one.
    keys : the files that it was judged from. more : what else it was judged by, such as another table's version.
    held_back : whether the lake's weekly budget of false alarms has no room to tell it.
    anyway : whether it is told although its rule is demoted.
    """

    row: RuleRow
    verdict: Verdict
    keys: tuple[str, ...]
    rows: list[dict[str, Any]] | None = None
    no_rows: str | None = None
    held_back: bool = False
    anyway: bool = False
    more: dict[str, Any] = field(default_factory=dict)

    def replay(self, kind: str) -> dict[str, Any]:
        """What the verdict follows from, to say it again: the rule's fingerprint and the set of files."""
        told = {"rule": self.row.fingerprint, "batch": kind, "files": len(self.keys), "set": digest(self.keys)}
        return told | ({"no_rows": self.no_rows} if self.no_rows else {}) | self.more


def digest(keys: Iterable[str]) -> str:
    """Name of a set of files: SHA-256 (first 16 hex digits) of their keys.

    >>> digest(["b", "a"]) == digest(["a", "b"]) != digest(["a"])
    True
    """
    return hashlib.sha256("\n".join(sorted(keys)).encode()).hexdigest()[:16]


def said_of(
    context: Context,
    observed: Observed,
    plan: BatchPlan,
    keys: Sequence[str],
    row: RuleRow,
    verdict: Verdict,
    hide: Hiding,
    more: dict[str, Any] | None = None,
    found: Found | None = None,
) -> Said:
    """A verdict with the rows that broke the rule, and nothing that may not be seen; they were `found` already, or are
    read."""
    raw, reason = found or offenders(context, observed, plan, keys, row, verdict)
    rows = None if raw is None else [hide.row(one) for one in raw]
    kept = dict(more or {})
    if "past" in kept:  # what of a sensitive column is not shown, the next verdict still needs
        kept["seen"] = verdict.value
    return Said(row, shown(row, verdict, hide), tuple(keys), rows, reason, more=kept)


def record(session: Session, table_id: int, plan: BatchPlan, said: Iterable[Said]) -> list[Outcome]:
    """Keep what was said of a version, each once, and what follows from it."""
    rows = [
        outcomes.outcome_row(
            *(table_id, plan.number, one.row.id or 0, one.verdict),
            replay=one.replay(plan.kind),
            rows=one.rows,
            held_back=one.held_back,
            anyway=one.anyway,
        )
        for one in said
    ]
    new = outcomes.record_outcomes(session, rows)
    outcomes.follow_up(session, new)
    return new


def rule_of(row: RuleRow, hide: Hiding) -> Rule:
    """The rule to judge by; of a sensitive column one whose words, and so those of its verdicts, tell no value."""
    rule = rules.as_rule(row)
    return rule.private() if hide.private_rule(row.column_name, row.body) else rule


def shown(row: RuleRow, verdict: Verdict, hide: Hiding) -> Verdict:
    """The verdict as it may be kept."""
    column = row.column_name
    if hide.private_rule(column, row.body):
        verdict = rule_of(row, hide).hide(verdict)
    if not column:
        return verdict
    told = {n: hide.data(column, getattr(verdict, n)) for n in ("sentence", "observed", "expected", "offenders")}
    return replace(verdict, **told)


def suspicious(session: Session, version: int, said: Said) -> bool:
    """Whether a finding puts a version under suspicion: one that is told as an error, of values that nobody has
    accepted. Of a declared warning its author says that such data may come."""
    row, verdict = said.row, said.verdict
    is_told = said.anyway or not (said.held_back or row.level_now == "warning")
    if verdict.status != VIOLATED or not class_of(row.kind).of_values or not is_told:
        return False
    detail = {"observed": verdict.observed, "expected": verdict.expected}
    return not persistent.accepted(session, row, version, detail)


def read_offenders(
    context: Context,
    observed: Observed,
    plan: BatchPlan,
    keys: Sequence[str],
    row: RuleRow,
    verdict: Verdict,
) -> list[dict[str, Any]]:
    """The rows that a verdict points at, as many as settings say, read from the lake as they are.

    Errors: `TableError`, `UsageError` for offenders that no rows can be found by."""
    files = [observed.files[key] for key in keys if key in observed.files]
    info = observed.as_of(plan.number)
    spark = context.spark if info.reader != "files" else None
    beside: list[DataFile] = []
    if "again" in verdict.offenders:
        with context.reading() as session:
            earlier = files_of_load(session, row.table_id, verdict.offenders["again"])
        beside = [observed.files[key] for key in earlier if key in observed.files]
        if not beside:
            raise MissingFile("the files of the earlier load are others now")

    def read(wanted: dict[str, Any], most: int) -> list[dict[str, Any]]:
        return offending_rows(
            info, files, row.column_name, wanted, most, context.options,
            spark=spark, version=plan.number, beside=beside,
        )  # fmt: skip

    found = read(verdict.offenders, context.settings.offending_rows)
    if found and "outside" in verdict.offenders:
        found += read({"inside": verdict.offenders["outside"]}, NORMAL)
    return found


#: Rows within the usual range that stand beside those out of it; chosen: enough to compare with.
NORMAL = 3


def pointed(row: RuleRow, verdict: Verdict, batch: Batch, hide: Hiding) -> Verdict:
    """The verdict with rows to point at: of numbers whose distribution broke, those beyond all that the batch before
    held."""
    column = row.column_name
    before = batch.previous.columns.get(column) if batch.previous is not None and column else None
    usual = before.quantiles if before is not None and before.kind == "number" else None
    if verdict.status != VIOLATED or verdict.offenders or usual is None or hide.private(column):
        return verdict
    ends = [float(end) for end in usual.values[[0, -1]]] if len(usual.values) else []
    return replace(verdict, offenders={"outside": ends}) if ends and all(map(math.isfinite, ends)) else verdict


def offenders(
    context: Context, observed: Observed, plan: BatchPlan, keys: Sequence[str], row: RuleRow, verdict: Verdict
) -> Found:
    """Up to the wanted number of offending rows, not masked; None where rows cannot be pointed at, or cannot be read
    for the reason given beside it. No value is told in the reason."""
    if verdict.status != VIOLATED or not verdict.offenders or not context.settings.offending_rows:
        return None, None
    try:
        return read_offenders(context, observed, plan, keys, row, verdict), None
    except NeedsSpark:
        return None, "only Spark evaluates its condition: `assay check run --rows` writes them"
    except Exception as error:  # the rows are decoration: whatever happens here, the verdict stands
        log.warning("offending rows cannot be read", table=observed.table.name, error=type(error).__name__)
        gone = isinstance(error, MissingFile)
        return None, "a data file is gone" if gone else f"the data files could not be read ({type(error).__name__})"
