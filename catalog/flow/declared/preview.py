"""Trying declared checks on a table's past versions, before anybody relies on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from catalog.declared.check import Check
from catalog.declared.constraint import Constraint
from catalog.declared.fitting import fit
from catalog.flow.context import Context
from catalog.flow.declared.counting import Counting, asked_of, batch_of, whole_log
from catalog.flow.declared.facts import FactsOf
from catalog.rules.kinds.declared import DeclaredRule, facts_place
from catalog.rules.verdict import NOT_APPLICABLE, VIOLATED, Verdict
from catalog.store import runs
from catalog.store.expectations import declared as store
from catalog.store.lake import tables
from catalog.store.meaning import privacy
from catalog.store.models import Table


def preview(context: Context, table: Table, check: Check, versions: int = 40) -> dict[str, list[tuple[int, Verdict]]]:
    """What each constraint of a check would have said of a table's last versions, newest last, without values of
    sensitive columns: nothing is stored but what was counted. Errors: `UsageError` for a check that cannot be asked of
    the table's columns, as when it is applied."""
    asked = [rule for rule in map(DeclaredRule.of, check.constraints) if isinstance(rule, DeclaredRule)]
    with context.reading() as session:
        fit(check, store.columns_of(session, table))
        hide = privacy.of_past(session, table.id or 0)
    observed = whole_log(context, table)
    counting = Counting(context, observed, asked_of(asked))
    plans = [plan for plan in observed.plans if plan.kind != "none"][-versions:] or observed.plans[-1:]
    counting.count(plans)
    facts = FactsOf(context, observed)
    past: dict[str, list[float]] = {}
    found: dict[str, list[tuple[int, Verdict]]] = {rule.constraint.name: [] for rule in asked}
    for plan in plans:
        parts: dict[str, Any] = dict(counting.parts(plan))
        for rule in asked:
            earlier = past.setdefault(rule.learner, [])
            parts[facts_place(rule.learner)] = facts.given(rule, plan, earlier)
        batch = batch_of(plan, parts)
        for rule in asked:
            verdict = rule.judge(batch)
            past[rule.learner] += [verdict.value] if verdict.value is not None and verdict.status != VIOLATED else []
            private = hide.private_rule(rule.column, rule.to_json())
            shown = rule.private().hide(verdict) if private else verdict
            found[rule.constraint.name].append((plan.number, shown))
    return found


def run_preview(context: Context, table_id: int, run_id: int) -> dict[str, Any]:
    """Judge the last versions by a check that is not declared, as a run's work: the check stays on the run."""
    with context.reading() as session:
        asked = dict(runs.get_run(session, run_id).stats)
        table = tables.get_table(session, table_id)
    constraint = Constraint.from_json(asked["check"])
    check = Check(table.name, (constraint,))
    (verdicts,) = preview(context, table, check, int(asked.get("versions") or 40)).values()
    failed = [version for version, verdict in verdicts if verdict.status == "violated"]
    last = next((verdict.sentence for _, verdict in reversed(verdicts) if verdict.status == "violated"), None)
    newest = verdicts[-1][1].sentence if verdicts else None
    told = {"versions": len(verdicts), "failed": failed, "last": last, "newest": newest}
    return asked | told | unjudged([verdict for _, verdict in verdicts])


def unjudged(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """On how many versions a check could not be judged, and why on the last of them."""
    why = [verdict.sentence for verdict in verdicts if verdict.status == NOT_APPLICABLE]
    return {"unjudged": len(why), "unjudged_why": why[-1] if why else None}
