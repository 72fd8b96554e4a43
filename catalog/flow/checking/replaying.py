"""Saying a verdict again from what is kept: the rule's revision, the set of files, their states and counted parts.

The same rule on the same files says the same. Where it does not, or cannot, the reason is told: a file that is gone, a
log that was cleaned away, or a past batch of which people said something since.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from catalog.flow.checking.loads import Loads
from catalog.flow.checking.saying import digest, pointed, rule_of, shown
from catalog.flow.context import Context, Progress
from catalog.flow.declared.counting import Counting, asked_of, batch_of, whole_log
from catalog.flow.declared.facts import FactsOf
from catalog.flow.declared.present import unknown_version
from catalog.flow.reading.batches import BatchPlan, keys_at
from catalog.flow.reading.observe import Observed, earlier_rewrites, restarted, scan_new_files
from catalog.flow.reading.states import States
from catalog.rules.kinds.declared import DeclaredRule
from catalog.rules.rule import class_of
from catalog.rules.verdict import Batch, Verdict
from catalog.store.lake import batches, versions
from catalog.store.meaning import privacy
from catalog.store.models import Outcome, RuleRow, Table
from catalog.tags.privacy.hiding import Hiding

#: Kind of a batch whose rows are not known any more.
LOST = "lost"
SAME, DIFFERENT, UNSAID = "same", "different", "cannot be said again"


@dataclass(frozen=True)
class Again:
    """A verdict that was said again.

    Parameters
    ----------
    how : `SAME`, `DIFFERENT` or `UNSAID`. why : in words, where it is not the same.
    """

    row: RuleRow
    outcome: Outcome
    verdict: Verdict | None
    how: str
    why: str = ""


@dataclass(frozen=True)
class Replay:
    """What was said of a version, said again. `gone`: data files without a state or part that are not there;
    `observed` and `plan`: the table and the version as the log tells of them now."""

    version: int
    observed: Observed = field(repr=False)
    plan: BatchPlan = field(repr=False)
    again: list[Again] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)

    @property
    def same(self) -> bool:
        return all(one.how == SAME for one in self.again)


def replay_version(
    context: Context,
    table: Table,
    number: int,
    said: Sequence[tuple[Outcome, RuleRow]],
    hide: Hiding | None = None,
) -> Replay:
    """Judge a version again by the rules, in their revisions, that judged it.

    Parameters
    ----------
    said : what they said. Waits between versions are a matter of time, references of two tables as
        they stood then; both are left out.
    hide : what the verdicts may not tell; what nobody may see, where none is given.

    Errors: `NotFound` for a version that the log does not tell of, `TableError`.
    """
    kinds = {row.kind: class_of(row.kind) for _, row in said}
    listed = [one for one in said if not (kinds[one[1].kind].of_waits or kinds[one[1].kind].of_tables)]
    with context.reading() as session:
        healthy = batches.last_healthy(session, table.id or 0, number)
        hide = hide or privacy.hiding(session, table.id or 0, version=number)
    after = min(number, number if healthy is None else healthy) - 1
    observed = whole_log(context, table, after)
    plan = next((one for one in observed.plans if one.number == number), None)
    if plan is None:
        raise unknown_version(table, number, observed)
    before = next((one for one in observed.plans if one.number == healthy), None)
    observed = replace(observed, pending=[plan], before=before)
    counting = Counting(context, observed, asked_of(rule_of(row, hide) for _, row in listed))
    counting.count([plan])
    facts = FactsOf(context, observed)
    learned = any(row.kind not in DeclaredRule.meanings for _, row in listed)
    if learned:
        scan_new_files(context, [observed], Progress(context, None))
    batch = kept_batch(context, observed, plan, counting, whole=_whole(listed, hide), learned=learned)
    again = [_again(row, outcome, batch, counting, facts, plan, hide) for outcome, row in listed]
    return Replay(number, observed, plan, again, sorted({*counting.gone, *(observed.lost & set(plan.keys))}))


def _whole(listed: Sequence[tuple[Outcome, RuleRow]], hide: Hiding) -> bool:
    found = (rule_of(row, hide) for _, row in listed)
    return any(rule.needs.whole for rule in found)


def kept_batch(
    context: Context,
    observed: Observed,
    plan: BatchPlan,
    counting: Counting,
    *,
    whole: bool,
    learned: bool,
    past: int | None = None,
) -> Batch:
    """The version as it was judged, after `observed.before`; of kind `LOST` where a state of its files cannot be had.
    `past`: the version before which its past ends, where that is another."""
    table = observed.table
    batch = batch_of(plan, counting.parts(plan))
    if not learned:
        return batch
    states = States(context, table.id or 0)
    state = states.merged(plan.keys)
    if state is None:
        return replace(batch, kind=LOST)
    in_series = plan.kind == table.mode
    with context.reading() as session:
        limit = context.settings.history_limit
        end = plan.number if past is None else past
        points = versions.past_and_seasons(session, table.id or 0, table.mode, limit=limit, before=end)
        known = versions.schemas(session, table.id or 0, dict(points))
    before = observed.before
    there = before is not None and in_series and before.stands(plan.number, observed.plans)
    previous = states.merged(before.keys) if before is not None and there else plan.replaced(states)
    series = restarted(dict(points), known, plan.commit.schema) if plan.kind != "none" else []
    wanted = whole or plan.kind == "rewrite"
    standing = states.merged(keys_at(plan.number, observed.plans, observed.info.files)) if wanted else None
    waited = plan.days_after(before) if in_series else None
    batch = replace(batch, state=state, previous=previous, history=series, whole=standing, waited=waited)
    rewrites = earlier_rewrites(context, table.id or 0, plan)
    return replace(batch, earlier=Loads(context, table).earlier, rewrites=rewrites)


def _again(
    row: RuleRow, outcome: Outcome, batch: Batch, counting: Counting, facts: FactsOf, plan: BatchPlan, hide: Hiding
) -> Again:
    rule = rule_of(row, hide)
    told = outcome.replay or {}
    if told.get("rule") not in (None, row.fingerprint):
        return Again(row, outcome, None, UNSAID, f"it was judged by {told['rule']}, the rule is {row.fingerprint}")
    keys = counting.keys_of(rule, plan)
    if "set" in told and told["set"] != digest(keys):
        return Again(row, outcome, None, UNSAID, "the log tells of other files than were judged")
    if batch.kind == LOST and not isinstance(rule, DeclaredRule):
        return Again(row, outcome, None, UNSAID, "data files whose states are not kept are gone")
    if any((part.key, key) in counting.uncounted for part in rule.parts for key in keys):
        return Again(row, outcome, None, UNSAID, "data files whose counted parts are not kept are gone")
    lost = facts.lost(rule, told) if isinstance(rule, DeclaredRule) and rule.constraint.other else ""
    if lost:
        return Again(row, outcome, None, UNSAID, lost)
    subject, _ = facts.subject(batch, row, rule, plan, counting, kept=told)
    verdict = shown(row, pointed(row, rule.judge(subject), batch, hide), hide)
    if _same(verdict, outcome):
        return Again(row, outcome, verdict, SAME)
    if hide.private_rule(row.column_name, row.body) and verdict.status == outcome.status:
        return Again(row, outcome, verdict, SAME)  # its words were hidden since
    why = f"it says now: {verdict.sentence}"
    if rule.of_series:
        why += " (it compares with past batches: people may have said of one since whether it was right)"
    return Again(row, outcome, verdict, DIFFERENT, why)


def _same(verdict: Verdict, outcome: Outcome) -> bool:
    """Whether what was found is the same, in whatever words; where nothing is kept but words, by them."""
    if _figures(verdict) != _figures(outcome):
        return False
    found, kept = verdict.observed, (outcome.detail or {}).get("observed")
    return verdict.sentence == outcome.sentence or (bool(found) and _plain(found) == _plain(kept))


def _figures(said: Verdict | Outcome) -> tuple[object, ...]:
    numbers = [getattr(said, name) for name in ("value", "low", "high")]
    return said.status, *(None if one is None or one != one else float(one) for one in numbers)


def _plain(found: Any) -> str:
    return json.dumps(found, sort_keys=True, default=str)
