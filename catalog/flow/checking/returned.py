"""Values that are again what they were before a version whose findings the weekly budget held back.

Such a version is taken for healthy, and learned from, as long as nobody answers: where it was wrong after all, the next
right one is unlike what it is compared with. What then keeps the rules as they stood before the one that was held back,
beside the past before it, is right; the one before was the odd one out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from catalog.flow.checking.replaying import LOST, kept_batch
from catalog.flow.checking.saying import Said, rule_of
from catalog.flow.context import Context
from catalog.flow.declared.counting import Counting, whole_log
from catalog.flow.reading.batches import BatchPlan
from catalog.flow.reading.observe import Observed
from catalog.rules.rule import class_of
from catalog.rules.verdict import PASSED, VIOLATED, Batch
from catalog.store.expectations import weekly
from catalog.store.expectations.demands import demand_of
from catalog.store.lake import batches
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
    wrong : the versions whose findings were held back, which were right.
    batch : the version beside the past before these.
    said : what the rules that it broke say of it as they stood then, by their ids now, with the revision of then.
    """

    wrong: frozenset[int]
    batch: Batch
    said: dict[int, tuple[RuleRow, Said]]


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
    past = next((one for one in log.plans if one.number == healthy), None)
    batch = kept_batch(context, replace(log, before=past), plan, counting, whole=False, learned=True, past=first)
    if batch.kind == LOST:
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
