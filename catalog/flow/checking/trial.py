"""Trying a table's rules before anyone relies on them: over its past versions, and in a fire drill.

No outcome and no incident follows from it; a drill's result stays on its run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import structlog

from catalog.checks.drill import Backtest, Drill, backtest, drill, replay_learner
from catalog.errors import AssayError, UsageError
from catalog.flow.checking.loads import Loads
from catalog.flow.context import Context, Progress
from catalog.flow.reading.batches import BatchPlan
from catalog.flow.reading.observe import Observed, decoded, read_log
from catalog.flow.reading.states import States
from catalog.history.series import Past
from catalog.lake.reading.rows import read_rows
from catalog.learners.series.limits import LEAST
from catalog.rules.kinds.declared import DeclaredRule
from catalog.rules.rule import Rule
from catalog.rules.verdict import Batch
from catalog.store.expectations import rules
from catalog.store.lake import tables, versions
from catalog.store.meaning import privacy
from catalog.store.models import RuleRow, Table

log = structlog.get_logger()

#: Rows of the latest batch that a drill damages; a bound of time.
DRILL_ROWS = 20_000
PREVIEWED = "declared checks are not replayed here: `assay check preview` asks them of past versions"
DAY_SECONDS = 86400.0
MONTH_SECONDS = 30 * DAY_SECONDS  # chosen: thirty days


def backtest_table(
    context: Context,
    table: Table,
    *,
    rule_id: int | None = None,
    versions_back: int | None = None,
    issues: bool = True,
) -> list[dict[str, Any]]:
    """Replay active rules, or one rule of any status, over a table's past batches. One JSON object per rule.

    Rules about metrics are replayed without hindsight: for every version, learned from those before it and judged on
    it. Rules about strings and the schema are judged as they are on the versions whose files are known. With `issues`,
    each rule on a column is also tried alone on sixty damaged copies of the latest healthy batch: its recall by type
    (None where that batch cannot be read, or breaks the rule as it is). How many alarms a month that is stays unsaid
    where the past is of less than a day. `left_out` says of which versions a rule is not asked, and why; declared
    checks are asked of none here.
    """
    with context.reading() as session:
        chosen = [rules.get_rule(session, rule_id)] if rule_id else rules.active_rules(session, table.id or 0)
        kept = versions.past_batches(session, table.id or 0, table.mode, limit=context.settings.history_limit)
        columns = tables.list_columns(session, table.id or 0)
        hide = privacy.of_past(session, table.id or 0)
    if any(row.table_id != table.id for row in chosen):
        raise UsageError(
            f"rule {rule_id} is not of table {table.name}", remedy="`assay rule list TABLE` shows its rules"
        )
    kinds = {column.name: column.profile.get("kind", "other") for column in columns}
    rate = versions_a_month([point.committed_at.timestamp() for _, point in kept if point is not None])
    series = decoded(point for _, point in kept)
    numbers = [number for number, _ in kept]
    judging = [(row, rules.as_rule(row)) for row in chosen]
    past = _past(context, table) if any(not (rule.of_series or rule.of_waits) for _, rule in judging) else []
    healthy = [number for number, point in kept if point is not None]
    since = healthy[-versions_back] if versions_back and versions_back <= len(healthy) else -1
    damaged = _sample(context, table) if issues and any(row.column_name for row in chosen) else None
    found = []
    for row, rule in judging:
        if rule.of_waits or rule.of_tables:
            continue
        if isinstance(rule, DeclaredRule):
            found.append(_told(row, None, Backtest(0, (), 0.0), since, PREVIEWED))
            continue
        private = hide.private_rule(row.column_name, row.body)
        if rule.of_series:
            column = row.column_name or None
            result = replay_learner(
                series,
                column=column,
                kind=kinds.get(column or "", "other"),
                budget=context.settings.fpr_budget,
                per_month=rate,
                versions=numbers,
            )
        else:
            as_shown = rule.private() if private else rule
            result = backtest(as_shown, [batch for batch in past if batch.version >= since], per_month=rate)
        left_out = _left_out([number for number, point in kept if point is None and number >= since])
        told = _told(row, rule if private else None, result, since, left_out if rule.of_series else None)
        told["judged"] = min(told["judged"], versions_back or told["judged"])
        found.append(told | (_recall(row, *damaged) if damaged and row.column_name else {}))
    return found


def _left_out(off: Sequence[int]) -> str:
    """Of which versions rules that are learned again before each are not asked."""
    told = f"learned again before every version, so not asked of the first {LEAST}"
    if not off:
        return told
    named = ", ".join(map(str, off[-8:])) + (f" and {len(off) - 8} before" if len(off) > 8 else "")
    of_these = f"version {named}, which is" if len(off) == 1 else f"versions {named}, which are"
    return f"{told}, nor of {of_these} suspect, bad or unread: `assay incident list` shows what alarmed there"


def _told(row: RuleRow, private: Rule | None, result: Backtest, since: int, left_out: str | None) -> dict[str, Any]:
    alarms = [(version, sentence) for version, sentence in result.alarms if version >= since]
    if private is not None:
        alarms = [(version, private.hide_text(sentence)) for version, sentence in alarms]
    return {
        "rule": row.id,
        "column": row.column_name or None,
        "kind": row.kind,
        "judged": result.judged,
        "alarms": [{"version": version, "sentence": sentence} for version, sentence in alarms],
        "stated_fpr": row.stated_fpr,
        "expected_alarms_per_month": _rounded(result.expected_per_month) if result.judged else None,
        "left_out": left_out,
    }


def _rounded(figure: float | None) -> float | None:
    return None if figure is None else round(figure, 4)


def _recall(row: RuleRow, sample: Any, batch: Batch) -> dict[str, Any]:
    """What the rule alone sees of sixty issues injected into its column."""
    if row.column_name not in sample.column_names:
        return {"issues": 0, "recall": None, "recall_by_type": {}}
    found = drill([Rule.from_json(row.body)], sample, batch, columns=[row.column_name])
    tried, caught = sum(found.tried.values()), sum(found.caught.values())
    by_type = {kind: round(share, 4) for kind, share in found.recall().items()}
    return {"issues": tried, "recall": round(caught / tried, 4) if tried else None, "recall_by_type": by_type}


def _sample(context: Context, table: Table) -> tuple[Any, Batch] | None:
    """Rows of the latest healthy batch, and that batch; None where they cannot be had."""
    try:
        return healthy_batch(context, table)
    except AssayError as error:
        log.warning("no batch to damage", table=table.name, error=str(error))
        return None


def versions_a_month(times: Sequence[float]) -> float | None:
    """Versions a month, from the times of the past ones in seconds, oldest first; None where these are of less than a
    day: versions that were loaded one after the other say nothing of how many come.

    >>> versions_a_month([0.0, 86400.0, 172800.0]), versions_a_month([0.0, 2.0, 4.0]), versions_a_month([])
    (30.0, None, None)
    """
    span = times[-1] - times[0] if times else 0.0
    return (len(times) - 1) * MONTH_SECONDS / span if span >= DAY_SECONDS else None


def _past(context: Context, table: Table) -> list[Batch]:
    """The table's past batches with their states, oldest first, as far as their files are known."""
    fresh = table.model_copy(update={"judged_version": -1})
    observed = read_log(context, fresh)
    states, earlier = States(context, table.id or 0), Loads(context, table).earlier
    found: list[Batch] = []
    for plan in observed.pending:
        state = states.merged(plan.keys) if plan.kind != "none" else None
        if state is not None:
            found.append(replace(_batch(plan, state, None, []), earlier=earlier))
    return found


def _batch(plan: BatchPlan, state: Any, previous: Any, history: Past) -> Batch:
    schema = [list(column) for column in plan.commit.columns]
    return Batch(plan.number, plan.kind, state, previous, schema, plan.commit.committed_at, history)


def drill_table(
    context: Context,
    table: Table,
    *,
    columns: Sequence[str] | None = None,
    seed: int = 0,
    run_id: int | None = None,
) -> dict[str, Any]:
    """Damage the rows of the table's latest healthy batch in sixty ways, column by column, and say which of them its
    active rules would have caught (Auto-Validate by-History, appendix B).

    With a run it tells its progress there, and its result is what that run has done: the table's page shows the last.
    """
    progress = Progress(context, run_id)
    progress.begin("reading the latest healthy batch", 0)
    with context.reading() as session:
        active = [Rule.from_json(row.body) for row in rules.active_rules(session, table.id or 0)]
    if not active:
        raise UsageError(f"table {table.name} has no rules to drill", remedy="crawl it first")
    sample, batch = healthy_batch(context, table)
    names = sorted({rule.column for rule in active if rule.column} & set(sample.column_names))
    unknown = set(columns or ()) - set(names)
    if unknown:
        raise UsageError(f"no rule is about column {sorted(unknown)[0]!r}", remedy=f"choose of {', '.join(names)}")
    progress.begin("drilling columns", len(columns or names))
    found: dict[str, Drill] = {}
    for name in columns or names:
        mine = [rule for rule in active if rule.column in (None, name)]
        found[name] = drill(mine, sample, batch, columns=[name], seed=seed)
        progress.advance()
    return {"table": table.name, "version": batch.version, "rows": sample.num_rows, "seed": seed} | _drilled(found)


def run_drill(context: Context, table_id: int, run_id: int) -> dict[str, Any]:
    """The whole fire drill of a table as a run's work."""
    with context.reading() as session:
        table = tables.get_table(session, table_id)
    return drill_table(context, table, run_id=run_id)


def healthy_batch(context: Context, table: Table) -> tuple[Any, Batch]:
    """Rows of the latest healthy batch, and that batch with the history before it. Errors: `UsageError`."""
    with context.reading() as session:
        kept = versions.past_and_seasons(session, table.id or 0, table.mode, limit=context.settings.history_limit)
    there = [at for at, (_, point) in enumerate(kept) if point is not None]
    if not there:
        raise UsageError(f"no healthy batch of table {table.name} is known", remedy="crawl it first")
    number = kept[there[-1]][0]
    observed = read_log(context, table.model_copy(update={"judged_version": number - 1}))
    plan = next((one for one in observed.pending if one.number == number), None)
    before = observed.before
    states = States(context, table.id or 0)
    state = states.merged(plan.keys) if plan is not None else None
    if plan is None or state is None:
        raise UsageError(f"the files of version {number} are gone", remedy="crawl the table again")
    previous = states.merged(before.keys) if before is not None else None
    history = decoded(point for _, point in kept[: there[-1]])
    return _rows(context, observed, plan), _batch(plan, state, previous, history)


def _drilled(found: Mapping[str, Drill]) -> dict[str, Any]:
    """The drills of several columns as JSON data. Columns whose rules alarm on the healthy batch itself say nothing."""
    quiet = {name: one for name, one in found.items() if one.quiet}
    types = list(dict.fromkeys(kind for one in quiet.values() for kind in one.tried))
    totals = {
        kind: [sum(getattr(one, what).get(kind, 0) for one in quiet.values()) for what in ("caught", "tried")]
        for kind in types
    }
    caught, tried = sum(one for one, _ in totals.values()), sum(one for _, one in totals.values())
    return {
        "quiet_on_healthy_batch": len(quiet) == len(found),
        "alarmed": sorted(set(found) - set(quiet)),
        "tried": tried,
        "caught": caught,
        "recall": round(caught / tried, 4) if tried else None,
        "recall_by_type": {kind: round(hit / n, 4) for kind, (hit, n) in totals.items() if n},
        "by_column": {
            name: {kind: [one.caught.get(kind, 0), n] for kind, n in one.tried.items()} for name, one in quiet.items()
        },
        "clauses": {name: one.fired for name, one in quiet.items()},
        "misses": [{"column": column, "issue": issue} for one in quiet.values() for column, issue in one.misses],
    }


def _rows(context: Context, observed: Observed, plan: BatchPlan) -> Any:
    files = [observed.files[key] for key in plan.keys if key in observed.files]
    return read_rows(observed.info, files, DRILL_ROWS, context.options)
