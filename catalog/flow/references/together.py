"""Which few columns of a table identify its rows together: what its states leave possible is counted in its files."""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from catalog.errors import AssayError
from catalog.flow.checking.loads import load_rows, shared
from catalog.flow.context import Context
from catalog.flow.declared.counting import Counting, asked_of, whole_log
from catalog.flow.reading.batches import BatchPlan
from catalog.flow.reading.observe import Observed
from catalog.learners.keys import MOST_TOGETHER, TOGETHER, learn_together, together
from catalog.measures.tuples import Tuples
from catalog.rules.kinds.key import place_of, repeats_in, together_part
from catalog.rules.rule import Rule
from catalog.rules.verdict import part_place
from catalog.states.parts.distinct import Distinct
from catalog.states.table import TableState
from catalog.store.expectations import rules
from catalog.store.lake import keys, parts, versions
from catalog.store.models import KeyLoad

log = structlog.get_logger()

#: Versions of a table that is written whole of which every one must agree; a bound of what is read.
VERSIONS = 5
Columns = tuple[str, ...]


def learn_keys_together(context: Context, observed: Observed, state: TableState, since: int) -> int:
    """Learn which columns identify the rows of a table together, from its state after the version `since`. Returns how
    many rules there are; what cannot be read is logged, and leaves the rules that there are."""
    table_id = observed.table.id or 0
    try:
        found, kept = _learned(context, observed, state)
    except AssayError as error:
        log.info("keys of several columns could not be looked for", table=observed.table.name, error=str(error))
        return 0
    with context.transaction() as session:
        rules.put_rules(session, table_id, found, learners=TOGETHER, since_version=since)
        if kept is not None:  # what was counted of those that are none
            asked = asked_of(map(rules.as_rule, rules.active_rules(session, table_id)))
            parts.drop_parts(session, table_id, [part.key for _, part in asked])
            keys.put_key_loads(session, kept)
    return len(found)


def _learned(
    context: Context, observed: Observed, state: TableState
) -> tuple[list[Rule], list[dict[str, object]] | None]:
    """(the rules, what loads brought of them); None for the second where nothing was counted."""
    plans: list[BatchPlan] = []
    for size in range(2, MOST_TOGETHER + 1):
        candidates = together(state, size)
        if not candidates:
            continue
        if not plans:
            observed = whole_log(context, observed.table)
            plans = _healthy(context, observed)
        held = _held(context, observed, plans[-1:], candidates) if plans else []
        held = _held(context, observed, plans, held) if held else []
        if held:
            samples = _of_loads(context, observed, plans, held[0])
            kept = [
                row
                for plan, one in samples
                for row in load_rows(observed.table.id or 0, plan, {place_of(held[0]): one})
            ]
            again = shared((KeyLoad(id=0, **row) for row in kept), {plan.number for plan in plans})
            return list(learn_together(held[0], len(plans), again.get(place_of(held[0]), []))), kept
    return [], [] if plans else None


def _healthy(context: Context, observed: Observed) -> list[BatchPlan]:
    """The batches of the table's mode that are healthy: the last ones of a table that is written whole."""
    limit = VERSIONS if observed.mode == "snapshot" else context.settings.history_limit
    with context.reading() as session:
        past = versions.past_batches(session, observed.table.id or 0, observed.mode, limit=limit)
    healthy = {number for number, point in past if point is not None}
    there = {file.key for file in observed.info.files} if observed.mode == "increment" else observed.files.keys()
    return [plan for plan in observed.plans if plan.number in healthy and set(plan.keys) <= set(there)][-limit:]


def _held(
    context: Context, observed: Observed, plans: Sequence[BatchPlan], candidates: Sequence[Columns]
) -> list[Columns]:
    """Those that no two rows of these batches have, nor, of a table of appended rows with more than one batch, of the
    table as it stands."""
    scopes = ["batch", "table"] if observed.mode == "increment" and len(plans) > 1 else ["batch"]
    asked = {one: together_part(one) for one in candidates}
    counting = Counting(context, observed, [(scope, part) for scope in scopes for part in asked.values()])
    counting.count(plans)
    left = list(candidates)
    for plan in plans:
        counted = counting.parts(plan)
        of = scopes if plan is plans[-1] else ["batch"]
        places = {one: [part_place(scope, asked[one].key) for scope in of] for one in left}
        left = [one for one in left if all(_is_once(counted.get(place)) for place in places[one])]
    return left


def _is_once(counted: object) -> bool:
    """Whether no two rows were alike, as far as the sample tells."""
    return isinstance(counted, Tuples) and not repeats_in(counted.distinct, counted.distinct.rows)


def _of_loads(
    context: Context, observed: Observed, plans: Sequence[BatchPlan], columns: Columns
) -> list[tuple[BatchPlan, Distinct]]:
    """What each load brought of these columns; nothing of a table that is written whole."""
    if observed.mode != "increment":
        return []
    part = together_part(columns)
    counting = Counting(context, observed, [("batch", part)])
    found = [(plan, counting.parts(plan).get(part_place("batch", part.key))) for plan in plans]
    return [(plan, one.distinct) for plan, one in found if isinstance(one, Tuples) and one.distinct.rows]
