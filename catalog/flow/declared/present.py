"""Judging the version of a table that is there when a check is declared: a check says at once what it says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sqlmodel import func

from catalog.errors import AssayError, NotFound
from catalog.flow.checking.saying import Said, record, rule_of, said_of, suspicious
from catalog.flow.context import Context
from catalog.flow.declared.counting import Counting, asked_of, batch_of, whole_log
from catalog.flow.declared.facts import FactsOf
from catalog.flow.reading.batches import BatchPlan
from catalog.flow.reading.observe import Observed
from catalog.rules.kinds.declared import DeclaredRule
from catalog.store.expectations import declared as store
from catalog.store.lake import tables, versions
from catalog.store.meaning import privacy
from catalog.store.models import RuleRow, Table, Version
from catalog.tags.privacy.hiding import Hiding


@dataclass(frozen=True)
class Present:
    """What declared checks say of the version that is there.

    Parameters
    ----------
    version : which was judged; None where there is none, for the reason `why`.
    said : verdicts of the checks that had said nothing of it.
    newer : the version that the log has come to since; the next crawl judges it.
    """

    table: str
    version: int | None
    said: list[Said] = field(default_factory=list)
    newer: int | None = None
    why: str = ""

    def to_json(self) -> dict[str, Any]:
        verdicts = [
            {
                "check": one.row.learner.partition(":")[2],
                "status": one.verdict.status,
                "level": one.row.level_now,
                "sentence": one.verdict.sentence,
            }
            for one in self.said
        ]
        return {
            "table": self.table,
            "version": self.version,
            "verdicts": verdicts,
            "newer": self.newer,
            "why": self.why,
        }


def judge_present(context: Context, table_id: int) -> Present:
    """Judge the latest version that was taken in by the declared checks that have said nothing of it, and keep what
    they say: of the rows it brought, or, of scope ``table``, of the table as it stands. Versions that came since are
    the next crawl's. What keeps the table from being read is told in `Present.why`."""
    with context.reading() as session:
        table = tables.get_table(session, table_id)
    if table.judged_version < 0:
        return Present(table.name, None, why="it was not crawled yet: its checks judge its first crawl")
    try:
        number = standing(context, table)
        plan, said, newest = judge_version(context, table, number)
    except AssayError as error:
        return Present(table.name, None, why=str(error))
    _keep(context, table_id, plan, said)
    return Present(table.name, number, said, newest if newest > table.judged_version else None)


def judge_version(context: Context, table: Table, number: int) -> tuple[BatchPlan, list[Said], int]:
    """The version's batch, what the declared checks that have said nothing of it say, and the newest version of the
    log. Nothing is recorded. Errors: `NotFound` for a version that the log does not tell of, `TableError`."""
    observed = whole_log(context, table, number - 1)
    plan = next((one for one in observed.plans if one.number == number), None)
    if plan is None:
        raise unknown_version(table, number, observed)
    with context.reading() as session:
        rows = store.declared_rows(store.unsaid(session, table.id or 0, number))
        hide = privacy.hiding(session, table.id or 0)
    return plan, judge_rows(context, observed, plan, rows, hide), observed.info.version


def judge_rows(
    context: Context, observed: Observed, plan: BatchPlan, rows: list[tuple[RuleRow, DeclaredRule]], hide: Hiding
) -> list[Said]:
    """What declared checks say of a version."""
    counting = Counting(context, observed, asked_of(rule for _, rule in rows))
    counting.count([plan])
    batch, facts = batch_of(plan, counting.parts(plan)), FactsOf(context, observed)
    said = []
    for row, rule in rows:
        subject, more = facts.subject(batch, row, rule, plan, counting)
        verdict = rule_of(row, hide).judge(subject)
        said.append(said_of(context, observed, plan, counting.keys_of(rule, plan), row, verdict, hide, more))
    return said


def unknown_version(table: Table, number: int, observed: Observed) -> NotFound:
    """Why a version cannot be looked at."""
    if number > observed.info.version:
        return NotFound(f"{table.name} has no version {number}", remedy=f"its latest is {observed.info.version}")
    return NotFound(
        f"the log of version {number} of {table.name} was cleaned away",
        remedy="keep logs longer (delta.logRetentionDuration), or ask for a later version",
    )


def standing(context: Context, table: Table) -> int:
    """The last version up to the judged one that changed data: the table stands as it left it."""
    with context.reading() as session:
        found = versions.last_with_data(session, table.id or 0, table.judged_version)
    return table.judged_version if found is None else found


def _keep(context: Context, table_id: int, plan: BatchPlan, said: list[Said]) -> None:
    with context.transaction() as session:
        off = any(suspicious(session, plan.number, one) for one in said)
        record(session, table_id, plan, said)
        if off:  # what a person said of the version stays
            label = func.coalesce(Version.label, "suspect")
            versions.set_version(session, table_id, plan.number, label=label)


def run_check(context: Context, table_id: int, run_id: int) -> dict[str, Any]:
    """Judge the version that is there by the checks that have said nothing of it, as a run's work."""
    return judge_present(context, table_id).to_json()
