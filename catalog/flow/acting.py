"""Writing what tags say into the comments of a Delta table."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from catalog.errors import UsageError
from catalog.flow.context import Context
from catalog.lake.logs.log import read_table
from catalog.lake.logs.schema import parse_schema, sql_names
from catalog.lake.scanning.delta import spark_errors
from catalog.store.access import audit
from catalog.store.lake import sources, tables
from catalog.store.meaning.acting import meanings
from catalog.store.models import AuditEvent, Table
from catalog.tags.acting.sql import comment, is_ours, path, text

Fields = Mapping[str, Any]  # of Delta's JSON, by name

WRITTEN = "write comments"  # the event of the audit log that has what was so before
NO_COLUMN = "the table has no such column any more"


@dataclass(frozen=True)
class Change:
    """What becomes of the comment of a column: ``write`` its new one, ``same``, or ``skip`` for a `reason`."""

    column: str
    what: str
    before: str = ""
    after: str = ""
    reason: str = ""


def plan(context: Context, table_id: int, *, proposed: bool = False, replace: bool = False) -> list[Change]:
    """What `write` would do to each column of which something is known.

    A comment that somebody else wrote stays, unless `replace`. Errors: `NotFound`, `TableError`.
    """
    with context.reading() as session:
        table = tables.get_table(session, table_id)
        found = meanings(session, table_id, proposed=proposed)
    schema = _schema(context, table)
    out = []
    for one in found:
        after = comment(one)
        if not after:
            continue
        before = _comment_of(schema, one.column)
        if before is None:
            out.append(Change(one.column, "skip", after=after, reason=NO_COLUMN))
        elif before == " ".join(after.split()):
            out.append(Change(one.column, "same", before, before))
        elif before and not is_ours(before) and not replace:
            out.append(
                Change(one.column, "skip", before, after, "somebody else wrote its comment; --replace overwrites it")
            )
        else:
            out.append(Change(one.column, "write", before, after))
    return out


def plan_back(context: Context, table_id: int) -> tuple[int, list[Change]]:
    """The last time that comments were written and not taken back yet, by its event, and what `write` would do to make
    them what they were before it; one that was changed since stays. Errors: `NotFound`, `UsageError` where nothing is
    left to take back, `TableError`."""
    with context.reading() as session:
        table = tables.get_table(session, table_id)
        written = audit.find_events(session, kind="table", item_id=table_id, text=WRITTEN, limit=1000)
    if not written:
        raise UsageError(f"no comments of {table.name} were written from tags", remedy="there is nothing to take back")
    schema = _schema(context, table)
    for event in written:
        if event.id is None or event.undoes:
            continue
        taken = {column for one in written if one.undoes == event.id for column in one.after}
        out = [_back(schema, event, column) for column in event.before if column not in taken]
        if not taken or any(one.what == "write" for one in out):
            return event.id, out
    raise UsageError(
        f"the comments of {table.name} that were written from tags were all taken back", remedy="nothing is left to do"
    )


def _back(schema: Fields, event: AuditEvent, column: str) -> Change:
    before, now = event.before[column], _comment_of(schema, column)
    if now is None:
        return Change(column, "skip", after=before, reason=NO_COLUMN)
    if now == before:
        return Change(column, "same", now, before)
    if now != " ".join(event.after[column].split()):
        return Change(column, "skip", now, before, "somebody changed its comment since")
    return Change(column, "write", now, before)


def write(context: Context, table_id: int, changes: list[Change], *, undoes: int | None = None) -> list[Change]:
    """Write the comments, one commit of the table each, and an event of the audit log with what was so before, which
    names the one that it `undoes`. A column whose comment cannot be written, or is another than when it was planned, is
    skipped with the reason; the others are written."""
    with context.reading() as session:
        table = tables.get_table(session, table_id)
    schema = _schema(context, table)
    done = []
    for one in changes:
        if one.what == "write" and (_comment_of(schema, one.column) or "") != one.before:
            done.append(
                Change(one.column, "skip", one.before, one.after, "its comment was changed meanwhile; plan again")
            )
        else:
            done.append(_write(context, table.uri, schema, one) if one.what == "write" else one)
    made = [one for one in done if one.what == "write"]
    if made:
        with context.transaction() as session:
            session.info[audit.UNDOES] = undoes
            audit.record(
                session, context.actor, WRITTEN, audit.of_table(session, "table", table_id, table_id),
                before={one.column: one.before for one in made}, after={one.column: one.after for one in made},
            )  # fmt: skip
    return done


def _write(context: Context, uri: str, schema: Fields, one: Change) -> Change:
    where = path(one.column, whole=one.column in schema)
    try:
        context.spark.sql(f"ALTER TABLE {_delta(uri)} ALTER COLUMN {where} COMMENT {text(one.after)}")
    except spark_errors() as error:
        return Change(one.column, "skip", one.before, one.after, _cause(error))
    return one


def _delta(uri: str) -> str:
    return "delta.`" + uri.replace("`", "``") + "`"


def names_in_sql(context: Context, table: Table, columns: Iterable[str]) -> dict[str, str]:
    """How SQL writes those columns whose names hold dots themselves, by their names here. The log is read where one of
    `columns` has a dot in its name: it tells a name with a dot from a field of a struct. Errors: `TableError`."""
    return sql_names(parse_schema(_logged(context, table))) if any("." in name for name in columns) else {}


def _schema(context: Context, table: Table) -> Fields:
    """The fields of the table as its log has them, without a JVM. Errors: `TableError`."""
    return {one["name"]: one for one in json.loads(_logged(context, table))["fields"]}


def _logged(context: Context, table: Table) -> str:
    with context.reading() as session:
        source = sources.get_source(session, table.source_id)
    return read_table(table.uri, context.options, roots=(source.uri, *source.allowed)).properties["schema"]


_CAUSED = re.compile(r"^Caused by: (?:[\w.$]+: )?(.+)$", re.M)


def _cause(error: Exception) -> str:
    """The first line of an error, or the innermost cause where it is a trace of the JVM."""
    text = str(error)
    causes = _CAUSED.findall(text)
    return (causes[-1] if causes else text.partition("\n")[0])[:300]


def _comment_of(schema: Fields, column: str) -> str | None:
    """The comment of a leaf, empty where it has none; None where there is no such leaf."""
    if column in schema:
        return _said(schema[column])
    found, told = schema, {}
    for part in column.split("."):
        if part not in found:
            return None
        told = found[part]
        inner = told["type"]["fields"] if isinstance(told["type"], dict) and "fields" in told["type"] else []
        found = {one["name"]: one for one in inner}
    return _said(told)


def _said(field: Mapping[str, Any]) -> str:
    return str((field.get("metadata") or {}).get("comment") or "")
