"""Observing and judging a table's new batches, one after the other: each once and only once."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import structlog
from sqlmodel import Session, func

from catalog.causes import Cause
from catalog.causes.diagnose import Diagnosis, diagnose
from catalog.errors import MissingFile
from catalog.flow.checking.declared import Counting, declared_rows
from catalog.flow.context import Context, Progress
from catalog.flow.reading.batches import Plan, keys_at
from catalog.flow.reading.observe import Observed, begun_anew
from catalog.flow.reading.states import States
from catalog.history.series import TableMetrics, observe_metrics, without
from catalog.lake.reading.rows import offending_rows
from catalog.learners.bands import LEAST
from catalog.learners.outliers import outlying_batches
from catalog.rules.kinds.schema import retyped
from catalog.rules.rule import Rule, class_of
from catalog.rules.verdict import VIOLATED, Batch, Verdict, waits_of
from catalog.states.table import TableState
from catalog.store.expectations import rules
from catalog.store.incidents import causes, outcomes, persistent
from catalog.store.lake import batches, versions
from catalog.store.meaning import privacy
from catalog.store.models import RuleRow, Version, now
from catalog.tags.privacy.hiding import Hiding

log = structlog.get_logger()


def judge_batches(context: Context, observed: Observed, states: States, progress: Progress) -> int:
    """Observe every pending batch of a table and judge it by the rules that were active before it.

    Returns how many versions were judged by at least one rule. Each version is one short transaction; a version that
    was judged by another process meanwhile changes nothing. Of a past that came before all rules, outlying batches are
    put under suspicion.
    """
    table_id = observed.table.id
    assert table_id is not None
    kind = observed.mode
    with context.reading() as session:
        active = [row for row in rules.active_rules(session, table_id) if not class_of(row.kind).of_waits]
        before = observed.pending[0].number if observed.pending else None
        past = batches.past_batches(session, table_id, kind, limit=context.settings.history_limit, before=before)
        hide = privacy.hiding(session, table_id)
        right = batches.called_healthy(session, table_id)
        known = versions.schemas(session, table_id, past[0][0]) if past else {}
    series = begun_anew(dict(past), known)
    schema = known[past[-1][0]] if past else []
    outliers = _outliers(observed, states, context.settings.history_limit) - right if not active else set()
    previous = states.merged(observed.before.keys) if observed.before else None
    counting = Counting(context, observed, [rule for _, rule in declared_rows(active)])
    counting.count(observed.pending)
    judged = 0
    for plan in observed.pending:
        state = states.merged(plan.keys)
        if state is None:
            _set_aside(context, table_id, plan, "lost")
            series += [None] if plan.kind == kind else []
            continue
        in_series = plan.kind == kind
        changed, schema = retyped(schema, plan.commit.schema), plan.commit.schema
        series = without(series, changed) if changed else series
        metrics = observe_metrics(state, previous if in_series else None)
        batch = Batch(
            version=plan.number,
            kind=plan.kind,
            state=state,
            previous=previous if in_series else None,
            schema=plan.commit.schema,
            committed_at=plan.commit.committed_at,
            history=series if in_series else [],
            parts=counting.parts(plan),
        )
        applicable = [(row, _rule(row, hide)) for row in active if row.since_version < plan.number and _asks(row, plan)]
        if any(rule.needs.whole for _, rule in applicable):
            whole = states.merged(keys_at(plan.number, observed.plans, observed.info.files))
            batch = replace(batch, whole=whole)
        verdicts = [(row, _pointed(row, rule.judge(batch), batch, hide)) for row, rule in applicable]
        rows = [_offenders(context, observed, plan, row, verdict, hide) for row, verdict in verdicts]
        verdicts = [(row, _shown(row, verdict, hide)) for row, verdict in verdicts]
        found = _diagnosed(observed, batch, verdicts, active, hide)
        healthy = _record(
            context, table_id, plan, state, metrics, verdicts, rows, found, outlier=plan.number in outliers
        )
        judged += bool(verdicts)
        if in_series:
            previous = state if healthy else previous
            series = [*series, metrics if healthy else None]
        progress.advance(0)
    return judged


def _diagnosed(
    observed: Observed, batch: Batch, verdicts: list[tuple[RuleRow, Verdict]], active: list[RuleRow], hide: Hiding
) -> list[Diagnosis]:
    """What happened to a batch of which rules broke, without anything that may not be seen."""
    broken = [(rules.as_rule(row), verdict) for row, verdict in verdicts if verdict.status == VIOLATED]
    if not broken:
        return []
    private = {name for name in batch.state.columns if hide.private(name) or name in hide.blind}
    rules_now = [rules.as_rule(row) for row in active if class_of(row.kind).of_series]
    found = diagnose(observed.table.name, batch, broken, rules=rules_now, private=private)
    return [replace(one, cause=_masked(one.cause, hide)) for one in found]


def _masked(cause: Cause, hide: Hiding) -> Cause:
    """A cause with the sensitive values that it quotes of other columns masked."""
    column = cause.columns[0] if cause.columns else ""
    return replace(cause, sentence=hide.data(column, cause.sentence), size=hide.data(column, dict(cause.size)))


def _outliers(observed: Observed, states: States, limit: int) -> set[int]:
    """The pending versions whose batches are unlike those around them."""
    own = [plan for plan in observed.pending if plan.kind == observed.mode][-limit:]
    if len(own) < 2 * LEAST:
        return set()
    found = [
        (plan.number, observe_metrics(state, None)) for plan in own if (state := states.merged(plan.keys)) is not None
    ]
    return {found[at][0] for at in outlying_batches([metrics for _, metrics in found])}


def _rule(row: RuleRow, hide: Hiding) -> Rule:
    """The rule to judge by; of a sensitive column one whose words, and so those of its verdicts, tell no value."""
    rule = rules.as_rule(row)
    return rule.private() if hide.private_rule(row.column_name, row.body) else rule


def _shown(row: RuleRow, verdict: Verdict, hide: Hiding) -> Verdict:
    """The verdict as it may be kept."""
    column = row.column_name
    if not column:
        return verdict
    if hide.private_rule(column, row.body):
        verdict = _rule(row, hide).hide(verdict)
    told = {n: hide.data(column, getattr(verdict, n)) for n in ("sentence", "observed", "expected", "offenders")}
    return replace(verdict, **told)


def _asks(row: RuleRow, plan: Plan) -> bool:
    """A version that changes no data can still change the schema."""
    return plan.kind != "none" or class_of(row.kind).of_schema


def _set_aside(context: Context, table_id: int, plan: Plan, status: str) -> None:
    with context.transaction() as session:
        versions.mark_judged(session, table_id, plan.number)
        versions.set_version(session, table_id, plan.number, status=status)


def _record(
    context: Context,
    table_id: int,
    plan: Plan,
    state: TableState,
    metrics: TableMetrics,
    verdicts: list[tuple[RuleRow, Verdict]],
    rows: list[tuple[list[dict[str, Any]] | None, str | None]],
    found: list[Diagnosis],
    *,
    outlier: bool,
) -> bool:
    """Store what was observed and said of a version, in one transaction; False when its values are off. A demoted rule
    puts nothing under suspicion, nor does a state that people accepted."""
    has_batch = plan.kind != "none"
    with context.transaction() as session:
        off = outlier or any(_suspicious(session, row, plan.number, verdict) for row, verdict in verdicts)
        said = [
            outcomes.outcome_row(
                table_id,
                plan.number,
                row.id or 0,
                verdict,
                replay={"rule": row.fingerprint, "batch": plan.kind, "files": len(plan.keys)}
                | ({"no_rows": reason} if reason else {}),
                rows=offenders,
            )
            for (row, verdict), (offenders, reason) in zip(verdicts, rows, strict=True)
        ]
        outcomes.follow_up(session, outcomes.record_outcomes(session, said))
        causes.name_causes(session, table_id, plan.number, found)
        versions.set_version(
            session,
            table_id,
            plan.number,
            metrics=metrics.encode() if has_batch else None,
            batch_rows=state.rows if has_batch else None,
            **({"label": func.coalesce(Version.label, "suspect")} if off else {}),  # what a person said stays
        )
        versions.mark_judged(session, table_id, plan.number)
    return not off


def _suspicious(session: Session, row: RuleRow, version: int, verdict: Verdict) -> bool:
    if verdict.status != VIOLATED or not class_of(row.kind).of_values or row.demoted_at is not None:
        return False
    detail = {"observed": verdict.observed, "expected": verdict.expected}
    return not persistent.accepted(session, row, version, detail)


#: Rows within the usual range that stand beside those out of it.
NORMAL = 3


def _pointed(row: RuleRow, verdict: Verdict, batch: Batch, hide: Hiding) -> Verdict:
    """The verdict with rows to point at: of numbers whose distribution broke, those beyond all that the batch before
    held."""
    column = row.column_name
    before = batch.previous.columns.get(column) if batch.previous is not None and column else None
    usual = before.quantiles if before is not None and before.kind == "number" else None
    if verdict.status != VIOLATED or verdict.offenders or usual is None or hide.private(column):
        return verdict
    ends = [float(end) for end in usual.values[[0, -1]]] if len(usual.values) else []
    return replace(verdict, offenders={"outside": ends}) if ends and all(map(math.isfinite, ends)) else verdict


def _offenders(
    context: Context, observed: Observed, plan: Plan, row: RuleRow, verdict: Verdict, hide: Hiding
) -> tuple[list[dict[str, Any]] | None, str | None]:
    """Up to the wanted number of offending rows, masked; None where rows cannot be pointed at, or cannot be read for
    the reason given beside it. No value is told in the reason."""
    if verdict.status != VIOLATED or not verdict.offenders or not context.settings.offending_rows:
        return None, None
    files = [observed.files[key] for key in plan.keys if key in observed.files]
    try:
        info = observed.as_of(plan.number)
        spark = context.spark if info.reader != "files" else None

        def read(wanted: dict[str, Any], most: int) -> list[dict[str, Any]]:
            return offending_rows(
                info, files, row.column_name, wanted, most, context.options, spark=spark, version=plan.number
            )

        found = read(verdict.offenders, context.settings.offending_rows)
        if found and "outside" in verdict.offenders:
            found += read({"inside": verdict.offenders["outside"]}, NORMAL)
        return [hide.row(one) for one in found], None
    except Exception as error:  # the rows are decoration: whatever happens here, the verdict stands
        log.warning("offending rows cannot be read", table=observed.table.name, error=type(error).__name__)
        gone = isinstance(error, MissingFile)
        return None, "a data file is gone" if gone else f"the data files could not be read ({type(error).__name__})"


def judge_waits(context: Context, table_id: int) -> int:
    """Judge the freshness of a table: every wait between two versions that ended, and the one that goes on.

    Returns how many outcomes were new. Costs two small queries, no look at the lake.
    """
    with context.reading() as session:
        of_waits = [row for row in rules.active_rules(session, table_id) if class_of(row.kind).of_waits]
        if not of_waits:
            return 0
        recent = [v for v in versions.list_versions(session, table_id, limit=50) if v.batch != "none"][::-1]
    waits = waits_of([(version.number, version.committed_at) for version in recent], now())
    said = [
        outcomes.outcome_row(table_id, wait.version, row.id or 0, verdict)
        for row in of_waits
        for wait in waits
        if wait.version >= row.since_version and (verdict := rules.as_rule(row).judge_wait(wait)) is not None
    ]
    if not said:
        return 0
    with context.transaction() as session:
        new = outcomes.record_outcomes(session, said)
        outcomes.follow_up(session, new)
    return len(new)
