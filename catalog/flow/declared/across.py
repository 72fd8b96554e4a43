"""Checks that compare two tables are asked again when the other one has a new version."""

from __future__ import annotations

from collections.abc import Iterable

import structlog

from catalog.errors import AssayError
from catalog.flow.checking.saying import Said
from catalog.flow.context import Context
from catalog.flow.declared.counting import whole_log
from catalog.flow.declared.facts import FactsOf
from catalog.flow.declared.present import judge_rows, standing
from catalog.store.expectations import declared as store
from catalog.store.incidents import rejudged
from catalog.store.lake import tables
from catalog.store.meaning import privacy
from catalog.store.models import Outcome, RuleRow, Table

log = structlog.get_logger()


def judge_across(context: Context, table_ids: Iterable[int]) -> int:
    """Judge the present version of each table again whose checks compare it with one of these, where that has another
    version than it was compared with. Returns how many verdicts were said again. What is wrong with one table is logged
    and leaves the others alone."""
    with context.reading() as session:
        waiting = store.comparing_with(session, set(table_ids))
    said = 0
    for table_id, rows in waiting.items():
        try:
            said += _again(context, table_id, rows)
        except AssayError as error:
            log.warning("a check across tables was not asked again", table=table_id, error=str(error))
    return said


def _again(context: Context, table_id: int, rows: list[RuleRow]) -> int:
    with context.reading() as session:
        table = tables.get_table(session, table_id)
        number = standing(context, table)
        kept = store.said_of_version(session, [row.id or 0 for row in rows], number)
        hide = privacy.hiding(session, table_id)
    asked = [(row, rule) for row, rule in store.declared_rows(rows) if row.id in kept]
    if not asked or table.judged_version < 0:
        return 0
    observed = whole_log(context, table, number - 1)
    plan = next((one for one in observed.plans if one.number == number), None)
    if plan is None:
        return 0
    facts = FactsOf(context, observed)
    moved = []
    for row, rule in asked:
        other = facts.other(rule)
        compared = (kept[row.id or 0].replay.get("others") or {}).get(rule.constraint.other)
        if not isinstance(other, AssayError) and other.version != compared:
            moved.append((row, rule))
    said = judge_rows(context, observed, plan, moved, hide) if moved else []
    _keep(context, table, plan.kind, said, kept)
    return len(said)


def _keep(context: Context, table: Table, kind: str, said: list[Said], kept: dict[int, Outcome]) -> None:
    with context.transaction() as session:
        for one in said:
            rejudged.say_again(session, kept[one.row.id or 0].id, one.verdict, one.replay(kind), one.rows)
