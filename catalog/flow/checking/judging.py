"""Observing and judging a table's new batches, one after the other: each once and only once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import structlog
from sqlmodel import Session, func

from catalog.causes.diagnose import Diagnosis, rewritten
from catalog.flow.checking.arriving import Judging, diagnosed
from catalog.flow.checking.loads import Loads
from catalog.flow.checking.returned import Returned, restored, returned
from catalog.flow.checking.saying import Said, record, rule_of, suspicious
from catalog.flow.context import Context, Progress
from catalog.flow.declared.counting import Counting, asked_of
from catalog.flow.declared.facts import FactsOf
from catalog.flow.reading.batches import BatchPlan, keys_at
from catalog.flow.reading.observe import Observed, begun_again, earlier_rewrites, restarted
from catalog.flow.reading.states import States
from catalog.history.calendar.seasons import AHEAD
from catalog.history.series import TableMetrics, observe_metrics, paced
from catalog.learners.series.limits import LEAST
from catalog.learners.series.outliers import outlying_batches
from catalog.rules.replaced.figures import with_changes
from catalog.rules.rule import Rule, class_of
from catalog.rules.verdict import Batch, waits_of
from catalog.store.expectations import allowance, rules, weekly
from catalog.store.incidents import causes, outcomes
from catalog.store.lake import batches, versions
from catalog.store.meaning import privacy
from catalog.store.meaning.acting import meanings
from catalog.store.models import RuleRow, Version, now

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
        active = [row for row in rules.active_rules(session, table_id) if _of_batches(row)]
        before = observed.pending[0].number if observed.pending else None
        hides = privacy.hiding(session, table_id, version=before)
        standing = privacy.standing(session, table_id)
        right = batches.called_healthy(session, table_id)
        meant = {one.column: one.domain for one in meanings(session, table_id, proposed=True)} if active else {}
        series, schema = _past(context, session, observed, before)
    outliers = _outliers(observed, states, context.settings.history_limit) - right if not active else set()
    before_it = observed.before
    previous = states.merged(before_it.keys) if before_it else None
    counting = Counting(context, observed, asked_of(_counting(active)))
    facts = FactsOf(context, observed)
    loads = Loads(context, observed.table, [rules.as_rule(row) for row in active if class_of(row.kind).across_loads])
    counting.count(observed.pending)
    judged = 0
    for at, plan in enumerate(observed.pending):
        if at and at % AHEAD == 0 and len(series) > context.settings.history_limit:  # the time of day is another
            with context.reading() as session:
                series, schema = _past(context, session, observed, plan.number)
        state = states.merged(plan.keys)
        loads.follow(plan)
        if state is None:
            _set_aside(context, table_id, plan, "lost")
            series += [None] if plan.kind == kind else []
            continue
        in_series = plan.kind == kind
        comparable = begun_again(series, schema, plan.commit.schema) if plan.kind != "none" else []
        waited = plan.days_after(before_it) if in_series else None
        if before_it is not None and not before_it.stands(plan.number, observed.plans):
            previous = None
        batch = Batch(
            version=plan.number,
            kind=plan.kind,
            state=state,
            previous=previous if in_series else plan.replaced(states),
            schema=plan.commit.schema,
            committed_at=plan.commit.committed_at,
            history=comparable,
            parts=counting.parts(plan),
            waited=waited,
            operation=plan.commit.operation,
            earlier=loads.earlier,
        )
        applicable = [
            (row, rule_of(row, hides)) for row in active if row.since_version < plan.number and _asks(row, plan)
        ]
        if plan.kind == "rewrite" or any(rule.needs.whole for _, rule in applicable):
            whole = states.merged(keys_at(plan.number, observed.plans, observed.info.files))
            batch = replace(batch, whole=whole, rewrites=earlier_rewrites(context, table_id, plan))
        metrics = _metrics(batch)
        judging = Judging(context, observed, plan, batch, counting, facts, standing, meant)
        said, hide, arrived = judging.say(applicable, active, hides)
        back = restored(context, observed, plan, said, counting) if in_series else None
        if back is None and in_series:
            back = returned(context, observed, plan, said, counting, hide)
        if back is not None:
            metrics = _metrics(back.batch)
            said, active = _take_back(context, table_id, back, said, active)
        found = diagnosed(observed, batch, [(one.row, one.verdict) for one in said], active, hide, meant)
        off = plan.number in outliers
        healthy = _record(context, table_id, plan, batch, metrics, said, found, loads, arrived, outlier=off)
        judged += bool(said)
        if back is not None:
            with context.reading() as session:
                series, schema = _past(context, session, observed, plan.number)
            comparable = begun_again(series, schema, plan.commit.schema)
        if in_series:
            if healthy:
                previous, before_it, schema = state, plan, plan.commit.schema
                series = [*comparable, metrics]
            else:
                series = [*series, None]
        progress.advance(0)
    counting.keep()
    return judged


def _metrics(batch: Batch) -> TableMetrics:
    """The metrics of a batch beside its past, as they are kept."""
    previous = batch.previous if batch.kind != "rewrite" else None  # what was replaced is no batch before it
    found = with_changes(replace(observe_metrics(batch.state, previous), at=batch.committed_at), batch)
    return paced(found, batch.history, batch.waited)


def _take_back(
    context: Context, table_id: int, back: Returned, said: list[Said], active: list[RuleRow]
) -> tuple[list[Said], list[RuleRow]]:
    """What was learned of versions that were wrong after all, though their findings were held back, is taken back: what
    is said of the version that is as the table was before, and the rules in force now."""
    with context.transaction() as session:
        for number in back.wrong:
            label = func.coalesce(Version.label, "suspect")  # what a person said stays
            versions.set_version(session, table_id, number, label=label)
        current = {key: session.get_one(RuleRow, key) for key in back.said}
        rows = {key: rules.take_back(session, current[key], row) for key, (row, _) in back.said.items()}
    now_said = [replace(back.said[key][1], row=rows[key]) if (key := one.row.id or 0) in rows else one for one in said]
    return now_said, [rows.get(row.id or 0, row) for row in active]


def _past(
    context: Context, session: Session, observed: Observed, before: int | None
) -> tuple[list[TableMetrics | None], list[list[str]]]:
    """The batches that those from version `before` on are compared with, and the columns of the last one."""
    table_id, limit = observed.table.id or 0, context.settings.history_limit
    past = versions.past_and_seasons(session, table_id, observed.mode, limit=limit, before=before)
    known = versions.schemas(session, table_id, dict(past))
    schema = next((known[number] for number, point in reversed(past) if point is not None), [])
    return restarted(dict(past), known), schema


def _outliers(observed: Observed, states: States, limit: int) -> set[int]:
    """The pending versions whose batches are unlike those around them."""
    own = [plan for plan in observed.pending if plan.kind == observed.mode][-limit:]
    if len(own) < 2 * LEAST:
        return set()
    found = [
        (plan.number, observe_metrics(state, None)) for plan in own if (state := states.merged(plan.keys)) is not None
    ]
    return {found[at][0] for at in outlying_batches([metrics for _, metrics in found])}


def _of_batches(row: RuleRow) -> bool:
    """Whether a rule is asked of batches as they come."""
    return not (class_of(row.kind).of_waits or class_of(row.kind).of_tables)


def _counting(active: Iterable[RuleRow]) -> list[Rule]:
    """The rules that may ask for more than states."""
    return [rules.as_rule(row) for row in active if class_of(row.kind).of_parts]


def _asks(row: RuleRow, plan: BatchPlan) -> bool:
    """A version that changes no data can still change the schema."""
    return plan.kind != "none" or class_of(row.kind).of_schema


def _set_aside(context: Context, table_id: int, plan: BatchPlan, status: str) -> None:
    with context.transaction() as session:
        versions.mark_judged(session, table_id, plan.number)
        versions.set_version(session, table_id, plan.number, status=status)


def _record(
    context: Context,
    table_id: int,
    plan: BatchPlan,
    batch: Batch,
    metrics: TableMetrics,
    said: list[Said],
    found: list[Diagnosis],
    loads: Loads,
    arrived: Mapping[str, str],
    *,
    outlier: bool,
) -> bool:
    """Store what was observed and said of a version, in one transaction; False when its values are off. A demoted rule
    puts nothing under suspicion, nor does a state that people accepted, nor what the weekly budget holds back."""
    has_batch = plan.kind != "none"
    with context.transaction() as session:
        default = context.settings.weekly_budget
        allowed, usual = allowance.allowed_a_week(session, default), allowance.usual_a_week(session, default)
        verdicts = [(one.row, one.verdict) for one in said]
        sure = rewritten(found)
        told = weekly.choose(session, table_id, plan.commit.committed_at, verdicts, allowed, sure, usual)
        said = [replace(one, held_back=one.row.id in told.held_back, anyway=one.row.id in told.anyway) for one in said]
        off = outlier or any(suspicious(session, plan.number, one) for one in said)
        privacy.note_arrived(session, table_id, plan.number, arrived)
        record(session, table_id, plan, said)
        causes.name_causes(session, table_id, plan.number, found)
        versions.set_version(
            session,
            table_id,
            plan.number,
            metrics=metrics.encode() if has_batch else None,
            batch_rows=batch.state.rows if has_batch else None,
            **({"label": func.coalesce(Version.label, "suspect")} if off else {}),  # what a person said stays
        )
        versions.mark_judged(session, table_id, plan.number)
        loads.keep(session, plan, batch, metrics)
    return not off


def judge_waits(context: Context, table_id: int) -> int:
    """Judge the freshness of a table: every wait between two versions that ended, and the one that goes on.

    Returns how many outcomes were new. Costs two small queries, no look at the lake.
    """
    with context.reading() as session:
        active = rules.active_rules(session, table_id)
        of_waits = [(row, rules.as_rule(row)) for row in active if class_of(row.kind).of_waits]
        if not of_waits:
            return 0
        recent = [v for v in versions.list_versions(session, table_id, limit=50) if v.batch != "none"][::-1]
    days = [one for one in recent if one.commit_info.get("partitions")]
    waits = {
        of_days: waits_of([(version.number, version.committed_at) for version in came], now())
        for of_days, came in ((False, recent), (True, days))
    }
    said = [
        outcomes.outcome_row(table_id, wait.version, row.id or 0, verdict)
        for row, rule in of_waits
        for wait in waits[rule.of_new_days]
        if wait.version >= row.since_version and (verdict := rule.judge_wait(wait)) is not None
    ]
    if not said:
        return 0
    with context.transaction() as session:
        new = outcomes.record_outcomes(session, said)
        outcomes.follow_up(session, new)
    return len(new)
