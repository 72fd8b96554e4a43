"""Values that are again what they were before: in an earlier version that is restored, or before one whose findings
the weekly budget held back.

Who restores a version says that those after it were wrong, whatever rules found in them.

A version that was held back is taken for healthy, and learned from, as long as nobody answers: where it was wrong after
all, the next right one is unlike what it is compared with. What then keeps the rules as they stood before the one that
was held back, beside the past before it, is right; the one before was the odd one out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from catalog.flow.checking.replaying import LOST, kept_batch
from catalog.flow.checking.saying import Said, rule_of
from catalog.flow.context import Context
from catalog.flow.declared.counting import Counting, whole_log
from catalog.flow.reading.batches import BatchPlan, keys_at
from catalog.flow.reading.observe import Observed
from catalog.history.labels import UNHEALTHY, taken_for
from catalog.rules.rule import class_of
from catalog.rules.verdict import PASSED, VIOLATED, Batch, Verdict
from catalog.store.expectations import weekly
from catalog.store.expectations.demands import demand_of
from catalog.store.lake import batches, versions
from catalog.store.models import RuleRow
from catalog.store.pages.rules import find_outcomes
from catalog.tags.privacy.hiding import Hiding

#: How many batches a version is looked for that was held back; chosen: what went on for longer is what the table holds.
LATELY = 3


@dataclass(frozen=True)
class Returned:
    """A version that is as the table was before.

    Parameters
    ----------
    wrong : the versions whose findings were held back, which were right; those that a restored one takes back.
    batch : the version beside the past before these.
    said : what the rules that it broke say of it as they stood then, by their ids now, with the revision of then.
    """

    wrong: frozenset[int]
    batch: Batch
    said: dict[int, tuple[RuleRow, Said]]


def restored(
    context: Context, observed: Observed, plan: BatchPlan, said: list[Said], counting: Counting
) -> Returned | None:
    """Whether a version that breaks rules holds the very files of an earlier one, which broke none: what is said of it
    then is that. None where it does not. Errors: `TableError` where the log cannot be read again."""
    broken = [one for one in said if one.verdict.status == VIOLATED and not class_of(one.row.kind).of_parts]
    parameters = plan.commit.info.get("operationParameters")
    target = parameters.get("version") if isinstance(parameters, dict) else None
    if plan.commit.operation != "RESTORE" or not broken or not str(target).isdecimal():
        return None
    number, table_id = int(str(target)), observed.table.id or 0
    with context.reading() as session:
        version = versions.find_version(session, table_id, number)
        healthy = batches.last_healthy(session, table_id, number)
    if version is None or healthy is None or taken_for(version.label, version.violated) in UNHEALTHY:
        return None
    log = whole_log(context, observed.table, healthy - 1)
    now, then = (keys_at(one, log.plans, log.info.files) for one in (plan.number, number))
    batch = _beside(context, log, plan, counting, healthy, number) if now == then else None
    if batch is None:
        return None
    words = f"It holds the very files of version {number}, which is restored."
    right = {
        one.row.id or 0: (one.row, replace(one, verdict=Verdict(PASSED, words), rows=None, no_rows=None))
        for one in broken
    }
    after = frozenset(one.number for one in log.plans if number < one.number < plan.number)
    return Returned(after, batch, right)


def _beside(
    context: Context, log: Observed, plan: BatchPlan, counting: Counting, healthy: int, past: int
) -> Batch | None:
    """A version beside the batches before version `past`, of which the last is the `healthy` one; None where its rows
    or those cannot be had."""
    before = next((one for one in log.plans if one.number == healthy), None)
    batch = kept_batch(context, replace(log, before=before), plan, counting, whole=False, learned=True, past=past)
    return None if batch.kind == LOST else batch


def returned(
    context: Context, observed: Observed, plan: BatchPlan, said: list[Said], counting: Counting, hide: Hiding
) -> Returned | None:
    """Whether all that a version breaks in columns whose findings were held back lately keeps what was demanded before;
    None where it does not, or nothing was held back. Errors: `TableError` where the log cannot be read again."""
    broken = [one for one in said if one.verdict.status == VIOLATED and class_of(one.row.kind).of_values]
    table_id = observed.table.id or 0
    if not broken:
        return None
    with context.reading() as session:
        held = weekly.held_back_lately(session, table_id, plan.number, LATELY)
        first = min((one.version for one in held), default=None)
        if first is None:
            return None
        then = find_outcomes(session, table_id=table_id, version=first, limit=100_000).items
        healthy = batches.last_healthy(session, table_id, first)
    of_id = {outcome.rule_id: row for outcome, row in then}
    columns = {of_id[one.rule_id].column_name for one in held if one.rule_id in of_id} - {""}
    before = {demand_of(row): row for _, row in then}
    asked = [one for one in broken if one.row.column_name in columns]
    if not asked or healthy is None or any(demand_of(one.row) not in before for one in asked):
        return None
    log = whole_log(context, observed.table, healthy - 1)
    batch = _beside(context, log, plan, counting, healthy, first)
    if batch is None:
        return None
    found: dict[int, tuple[RuleRow, Said]] = {}
    for one in asked:
        row = before[demand_of(one.row)]
        verdict = rule_of(row, hide).judge(batch)
        if verdict.status != PASSED:
            return None
        told = f"{verdict.sentence} So it was before version {first}, which was unlike the others."
        found[one.row.id or 0] = (row, replace(one, verdict=replace(verdict, sentence=told), rows=None, no_rows=None))
    return Returned(frozenset(one.version for one in held), batch, found)
