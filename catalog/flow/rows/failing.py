"""Rows that break the declared checks of a version: as a frame, as a file, or kept in a table of their own."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlmodel import Session

from catalog.declared.constraint import PASSED, Constraint
from catalog.errors import NotFound, UsageError
from catalog.flow.context import Context
from catalog.flow.declared.counting import gone_files, whole_log
from catalog.flow.declared.frames import rows_of, standing_at, version_frame
from catalog.flow.declared.present import unknown_version
from catalog.lake.logs.log import files_at, read_table
from catalog.lake.logs.schema import parse_schema
from catalog.lake.reading.failing import FAILED, by_rows, failing
from catalog.lake.reading.rows import plain
from catalog.lake.reading.storage import Storage
from catalog.lake.scanning.delta import spark_error, spark_errors
from catalog.rules.kinds.declared import DeclaredRule
from catalog.store.access import audit
from catalog.store.expectations import declared as store
from catalog.store.expectations import rules
from catalog.store.lake import sources, tables, versions
from catalog.store.meaning import privacy
from catalog.store.meaning.levels import note_unmasked
from catalog.store.models import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def failing_frame(
    context: Context, table: Table, version: int | None = None, names: Sequence[str] = ()
) -> tuple[int, DataFrame, list[DeclaredRule]]:
    """The version looked at, its rows that break declared checks in force, and these checks: those of `names`, or where
    none are given all but those that passed, which allow some rows to break them. Nothing is masked.
    Errors: `NotFound`, `UsageError`, `TableError`."""
    number = table.judged_version if version is None else version
    chosen = _chosen(context, table, names, number)
    observed = whole_log(context, table, number - 1)
    plan = next((one for one in observed.plans if one.number == number), None)
    if plan is None:
        raise unknown_version(table, number, observed)
    frame = version_frame(context, observed, number)
    from pyspark.sql import functions as f

    address = frame.columns[-1]
    within = {rule.constraint.name: rows_of(observed, plan, rule.scope, f.col(address)) for rule in chosen}

    def others(constraint: Constraint) -> DataFrame:
        with context.reading() as session:
            other = tables.get_table(session, constraint.other or "")
        at, standing = standing_at(context, other, constraint.arguments.get("version"))
        read = version_frame(context, at, standing.number)
        return read.drop(read.columns[-1])

    none = frame.where(f.lit(False)).withColumn(FAILED, f.array().cast("array<string>"))
    found = failing(frame, [rule.constraint for rule in chosen], others, within) if chosen else none
    return number, found.drop(address), chosen


def _chosen(context: Context, table: Table, names: Sequence[str], number: int) -> list[DeclaredRule]:
    with context.reading() as session:
        active = store.declared_rows(rules.active_rules(session, table.id or 0))
        passed = _passed(session, table, [row.id or 0 for row, _ in active], number)
    pairs = [(row, rule) for row, rule in active if by_rows(rule.constraint)]
    found = [rule for _, rule in pairs]
    known = [rule.constraint.name for rule in found]
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        raise NotFound(f"{table.name} has no check {unknown!r} on single rows", remedy="it has: " + ", ".join(known))
    if not found:
        raise UsageError(f"{table.name} has no check on single rows", remedy="`assay check kinds` lists them")
    return [rule for row, rule in pairs if (rule.constraint.name in names if names else row.id not in passed)]


def _passed(session: Session, table: Table, rule_ids: Sequence[int], number: int) -> set[int]:
    """The rules that a version passed; of one that changed no data, that the one before it passed."""
    last = versions.last_with_data(session, table.id or 0, number)
    said = store.said_of_version(session, rule_ids, number if last is None else last)
    return {key for key, outcome in said.items() if outcome.status == PASSED}


def failing_rows(
    context: Context,
    table: Table,
    version: int | None,
    names: Sequence[str],
    limit: int,
    *,
    levels: Collection[str] = (),
    reason: str = "",
) -> tuple[list[dict[str, Any]], bool]:
    """Up to `limit` rows that break checks, as JSON data with a list `failed_checks`, masked but for values of `levels`
    (`catalog.store.meaning.levels.levels_of`): that they were read is written into the audit log; and whether there are
    more."""
    number, frame, chosen = failing_frame(context, table, version, names)
    with telling(context, table, number):
        rows = frame.limit(limit + 1).toArrow().to_pylist()
    with context.reading() as session:
        hide = privacy.hiding(session, table.id or 0, levels, number)
    found = []
    for row in rows[:limit]:
        told = row.pop(FAILED)
        shown = {name: plain(value) for name, value in row.items()}
        found.append(hide.row(shown) | {FAILED: told})
    if levels:
        shown_rows = {"version": number, "rows": len(found), "checks": _names(chosen)}
        with context.transaction() as session:
            item = audit.of_table(session, "table", table.id, table.id or 0)
            note_unmasked(session, context.actor, item, reason, levels, shown_rows)
    return found, len(rows) > limit


def columns_of_rows(context: Context, table: Table, version: int | None) -> list[str]:
    """What a file of rows of a version, or of the latest, has as columns though it holds none. Errors: `TableError`."""
    with context.reading() as session:
        source = sources.get_source(session, table.source_id)
    info = read_table(table.uri, context.options, version=version, roots=(source.uri, *source.allowed))
    return [*(field.name for field in parse_schema(info.properties["schema"])), FAILED]


@contextmanager
def telling(context: Context, table: Table, number: int) -> Iterator[None]:
    """What Spark raises while it reads a version, as an error of the table: which data files are gone, or its words."""
    try:
        yield
    except spark_errors() as error:
        info = whole_log(context, table, number - 1).info
        storage = Storage(info.uri, context.options, info.roots)
        files = files_at(info.uri, number, context.options, info.roots)
        gone = sorted(file.path for file in files if storage.look(file.path) is None)
        if gone:
            raise gone_files(gone) from error
        raise spark_error(error, table.uri) from error


def _names(chosen: Sequence[DeclaredRule]) -> list[str]:
    return [rule.constraint.name for rule in chosen]


def note(context: Context, table: Table, action: str, told: dict[str, Any]) -> None:
    with context.transaction() as session:
        item = audit.of_table(session, "table", table.id, table.id or 0)
        audit.record(session, context.actor, action, item, after=told)
