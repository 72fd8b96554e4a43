"""Learned references to other tables, asked when the tables of a crawl are taken in: of both as they are then.

A load that names rows which the other table has not yet is usual: orders come before their customers. Such a batch is
asked again when the other table has a new version, and told when that has not brought them, or when it did not come for
longer than it ever took.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count, pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import structlog

from catalog.causes import Cause
from catalog.causes.diagnose import Diagnosis
from catalog.causes.quoting import orphans
from catalog.errors import AssayError
from catalog.flow.checking.saying import shown
from catalog.flow.context import Context
from catalog.flow.declared.counting import whole_log
from catalog.flow.declared.frames import standing_at
from catalog.flow.reading.batches import BatchPlan
from catalog.flow.reading.observe import Observed
from catalog.lake.reading.rows import column_values, offending_rows
from catalog.rules.kinds.reference import Joined, ReferenceRule
from catalog.rules.verdict import VIOLATED, Verdict
from catalog.store.expectations import allowance, rules, weekly
from catalog.store.incidents import causes, outcomes, rejudged
from catalog.store.lake import keys, tables, versions
from catalog.store.meaning import privacy
from catalog.store.models import Outcome, RuleRow, Table, Version, now
from catalog.tags.privacy.hiding import Hiding

log = structlog.get_logger()

#: How sure it is that rows which name nothing are the cause of what was found: it is what was found. Chosen.
CERTAIN = 0.97
QUOTED = 3  # values that a sentence shows; a bound
#: Versions of the other table that tell how long it takes; a bound.
RECENT = 20
#: Bytes of a key's values that are kept while the references of a crawl are asked; a bound of memory.
KEPT = 64 << 20


@dataclass
class Other:
    """Another table as it stands."""

    table: Table
    observed: Observed
    plan: BatchPlan
    past: Sequence[Version]  # its versions that changed data, newest first
    read: dict[str, tuple[list[pa.Array], Iterator[pa.Array]]] = field(default_factory=dict)  # columns, as far as read

    def values(self, context: Context, column: str) -> Iterator[pa.Array]:
        """The values of a column, file by file: read as far as somebody asked, and once for all who ask."""
        if 8 * (self.table.rows or 0) > KEPT:
            yield from column_values_of(context, self.observed, self.observed.info.files, column)
            return
        if column not in self.read:
            self.read[column] = [], column_values_of(context, self.observed, self.observed.info.files, column)
        kept, rest = self.read[column]
        for at in count():
            if at == len(kept):
                part = next(rest, None)
                if part is None:
                    return
                kept.append(part)
            yield kept[at]

    @property
    def lost(self) -> int:
        """Rows that its latest version has fewer than the one before, of a table that is written whole."""
        now_there, before = ([*(one.batch_rows for one in self.past[:2]), None, None])[:2]
        return max(before - now_there, 0) if None not in (now_there, before) and self.table.mode == "snapshot" else 0  # type: ignore[operator]


@dataclass(frozen=True)
class Lacking:
    """Rows of a batch beside another table: how many have a value, how many values, and those that it lacks with the
    rows of each."""

    rows: int
    distinct: int = 0
    values: pa.Array = field(default_factory=lambda: pa.array([], pa.int64()))
    counts: pa.Array = field(default_factory=lambda: pa.array([], pa.int64()))

    @property
    def lacking(self) -> int:
        return int(pc.sum(self.counts).as_py() or 0)


def judge_references(context: Context, table_ids: Collection[int], others: dict[str, Other]) -> int:
    """Ask the references of these tables, and those to them that were not content. Returns how many verdicts were said.
    What is wrong with one table is logged and leaves the others alone.

    Parameters
    ----------
    others : tables as they stand, by ``source/name``; added to.
    """
    with context.reading() as session:
        asked = keys.asked_after(session, set(table_ids))
    said = 0
    for row in asked:
        try:
            said += _ask(context, row, others)
        except (AssayError, pa.ArrowException) as error:
            log.warning("a reference could not be asked", table=row.table_id, error=str(error))
    return said


def _ask(context: Context, row: RuleRow, others: dict[str, Other]) -> int:
    rule = rules.as_rule(row)
    assert isinstance(rule, ReferenceRule)
    with context.reading() as session:
        table = tables.get_table(session, row.table_id)
        waiting = keys.unanswered(session, row, table.judged_version)
        hide = privacy.hiding(session, row.table_id)
    if not waiting:
        return 0
    other = others.get(rule.other or "") or standing(context, rule.other or "")
    others[rule.other or ""] = other
    observed, said = None, 0
    for version, before in waiting:
        known = (before.replay.get("others") or {}).get(rule.other) if before is not None else None
        waits = _waits(version, other.past, now())
        if before is not None and known == other.plan.number and (waits or not keys.is_waiting(before)):
            continue  # nothing has come since
        observed = observed or whole_log(context, table, waiting[0][0].number - 1)
        plan = next((one for one in observed.plans if one.number == version.number), None)
        if plan is None:
            continue
        files = [observed.files[key] for key in plan.keys if key in observed.files]
        found = join(context, observed, files, rule, other)
        verdict = rule.judge_joined(Joined(found.rows, found.lacking, other.plan.number, waits))
        _keep(context, table, row, plan, observed, verdict, found, other, before, hide)
        said += 1
    return said


def standing(context: Context, name: str) -> Other:
    """A table as it stands, by ``source/name``. Errors: `NotFound`, `TableError`."""
    with context.reading() as session:
        table = tables.get_table(session, name)
        listed = versions.list_versions(session, table.id or 0, limit=RECENT)
    observed, plan = standing_at(context, table, None)
    return Other(table, observed, plan, [one for one in listed if one.batch != "none"])


def join(context: Context, observed: Observed, files: Iterable[Any], rule: ReferenceRule, other: Other) -> Lacking:
    """The rows of some files beside another table: of both the one column is read, of the other until all is found."""
    assert rule.column is not None
    parts = list(column_values_of(context, observed, files, rule.column))
    if not any(map(len, parts)):
        return Lacking(0)
    counted = pc.value_counts(pa.chunked_array(parts).combine_chunks())
    values, counts = counted.field("values"), counted.field("counts")
    rows = int(pc.sum(counts).as_py())
    for part in other.values(context, rule.params["column"]):
        left = pc.invert(pc.is_in(values, part.cast(values.type)))
        values, counts = values.filter(left), counts.filter(left)
        if not len(values):
            break
    return Lacking(rows, len(counted), values, counts)


def column_values_of(context: Context, observed: Observed, files: Iterable[Any], column: str) -> Iterator[pa.Array]:
    """The values of a column of some files, comparable with those of another table."""
    spark = None if observed.info.reader == "files" else context.spark
    yield from map(_plain, column_values(observed.info, files, column, context.options, spark))


def _plain(values: pa.Array) -> pa.Array:
    """Whole numbers and texts of one type each, so that those of two tables compare; no empty texts."""
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type) or pa.types.is_string_view(values.type):
        values = values.cast(pa.large_string())
        return values.filter(pc.not_equal(values, ""))
    return values.cast(pa.int64())


def _waits(version: Version, past: Sequence[Version], at: datetime) -> bool:
    """Whether the other table has had no version since this one, and took as long before."""
    times = [one.committed_at for one in past]
    if not times or times[0] >= version.committed_at:
        return False
    gaps = [later - earlier for later, earlier in pairwise(times)]
    return bool(gaps) and at - version.committed_at <= max(gaps)


def _keep(
    context: Context,
    table: Table,
    row: RuleRow,
    plan: BatchPlan,
    observed: Observed,
    verdict: Verdict,
    found: Lacking,
    other: Other,
    before: Outcome | None,
    hide: Hiding,
) -> None:
    """Record what a reference said of a version, and what follows."""
    table_id, broken = table.id or 0, verdict.status == VIOLATED
    rows = _rows(context, row, plan, observed, found, hide) if broken else None
    replay = {"rule": row.fingerprint, "batch": plan.kind, "others": {row.body["other"]: other.plan.number}}
    verdict = shown(row, verdict, hide)
    told = [_told(table, row, plan, found, other, hide)] if broken else []
    with context.transaction() as session:
        default = context.settings.weekly_budget
        budget = allowance.allowed_a_week(session, default), allowance.usual_a_week(session, default)
        at = plan.commit.committed_at
        chosen = weekly.choose(session, table_id, at, [(row, verdict)], budget[0], set(), budget[1])
        held = {"held_back": row.id in chosen.held_back, "anyway": row.id in chosen.anyway}
        if before is None:
            made = outcomes.outcome_row(table_id, plan.number, row.id or 0, verdict, replay=replay, rows=rows, **held)
            outcomes.follow_up(session, outcomes.record_outcomes(session, [made]))
        else:
            rejudged.say_again(session, before.id, verdict, replay, rows, **held)
        causes.name_causes(session, table_id, plan.number, told)


def _rows(
    context: Context, row: RuleRow, plan: BatchPlan, observed: Observed, found: Lacking, hide: Hiding
) -> list[dict[str, Any]] | None:
    """Rows that name nothing, masked; None where they cannot be read."""
    files = [observed.files[key] for key in plan.keys if key in observed.files]
    limit = context.settings.offending_rows
    try:
        among = {"among": found.values.slice(0, limit)}
        spark = None if observed.info.reader == "files" else context.spark
        rows = offending_rows(
            observed.info, files, row.column_name, among, limit, context.options, spark=spark, version=plan.number
        )
    except (AssayError, pa.ArrowException) as error:  # the rows are decoration: the verdict stands
        log.warning("offending rows cannot be read", table=observed.table.name, error=type(error).__name__)
        return None
    return [hide.row(one) for one in rows]


def _told(table: Table, row: RuleRow, plan: BatchPlan, found: Lacking, other: Other, hide: Hiding) -> Diagnosis:
    column = row.column_name
    values = [] if hide.private(column) or column in hide.blind else found.values.slice(0, QUOTED).to_pylist()
    named = (values, len(found.values))
    lost = (other.lost if other.lost >= len(found.values) else 0), other.plan.number  # fewer explain nothing
    said = orphans(table.name, column, other.table.name, found.lacking, found.rows, named, lost)
    size = {"rows": found.lacking, "share": round(found.lacking / found.rows, 4), "version": plan.number}
    cause = Cause("orphans", "orphans", CERTAIN, (column,), size, said)
    return Diagnosis(cause, covers=(column,))
