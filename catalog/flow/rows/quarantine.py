"""Rows that break checks, kept apart in a Delta table: each row once for each check and version, whatever is asked for
again, by whom, or at the same time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from catalog.errors import DeliveryError, TableVanished, UsageError
from catalog.flow.context import Context
from catalog.flow.rows.failing import failing_frame, note, telling
from catalog.lake.logs.log import read_table
from catalog.lake.reading.confinement import local_path, refuse_metadata, same_store
from catalog.lake.reading.failing import FAILED
from catalog.lake.scanning.delta import absolute
from catalog.lake.types import TableInfo
from catalog.rules.kinds.declared import DeclaredRule
from catalog.store.lake import sources, tables
from catalog.store.models import Table

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

TABLE, RULE, VERSION, REASON = "assay_table", "assay_rule", "assay_version", "assay_reason"
#: Of a row that is kept: its content, and which of several equal rows it is.
_CONTENT, _COPY = "assay_content", "assay_copy"
#: Others may write to the same place meanwhile; a bound of time.
TRIES = 8
#: Times are compared to the microsecond.
_EXACT = {
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
}


def quarantine(
    context: Context, table: Table, into: str, version: int | None = None, names: Sequence[str] = ()
) -> dict[str, Any]:
    """Append the rows that break checks (those of `names`, or all that did not pass) to a Delta table, once for each
    check that a row breaks, with the columns `TABLE`, `RULE`, `VERSION` and `REASON`. What is there of the version and
    check is not added again.

    Values are not masked: the rows stay in the lake. Errors: `UsageError` for a place that holds anything else,
    `TableError` where the rows cannot be read, `DeliveryError` where they cannot be written.
    """
    from pyspark.sql import functions as f

    where = place(context, table, into)
    _kept(context, where)
    number, frame, chosen = failing_frame(context, table, version, names)
    taken = {one.lower() for one in frame.columns} & {TABLE, RULE, VERSION, REASON}
    if taken:
        raise UsageError(f"{table.name} has a column {sorted(taken)[0]!r} of its own", remedy="rename it")
    told = {"version": number, "into": where, "checks": [rule.constraint.name for rule in chosen]}
    if not chosen:
        note(context, table, "quarantine", told)
        return {"table": table.name, "version": number, "into": where, "rows": {}, "added": 0}
    reasons = f.create_map(*(f.lit(text) for rule in chosen for text in (rule.constraint.name, _reason(rule))))
    with context.reading() as session:
        name = f"{sources.get_source(session, table.source_id).name}/{table.name}"
    rows = frame.withColumn(RULE, f.explode(FAILED)).drop(FAILED)
    rows = rows.withColumn(TABLE, f.lit(name)).withColumn(VERSION, f.lit(number))
    rows = rows.withColumn(REASON, reasons[f.col(RULE)]).persist()
    try:
        with telling(context, table, number):
            counts = {row[RULE]: row["count"] for row in rows.groupBy(RULE).count().collect()}
        added = _append(context, rows, where, f"assay:{name}:{number}") if counts else 0
    finally:
        rows.unpersist()
    note(context, table, "quarantine", told)
    return {"table": table.name, "version": number, "into": where, "rows": counts, "added": added}


def _reason(rule: DeclaredRule) -> str:
    return rule.constraint.sentence + (f" ({rule.hint})" if rule.hint else "")


# ------------------------------------------------------------------------------------------------------------- place


def place(context: Context, table: Table, into: str) -> str:
    """Where a quarantine lies: the absolute path or address without links, if nothing else lies there.

    Errors: `UsageError` for a table of the lake, a folder of tables, a folder that holds other things, another kind of
    store than the table's.
    """
    local = local_path(into)
    if local is not None and not local.is_absolute():
        raise UsageError(f"{into!r} is neither an absolute path nor an address", remedy="give one like /lake/kept/x")
    steps = local is None and not {".", ".."}.isdisjoint(into.split("/"))
    if steps or not same_store(into, table.uri):
        raise UsageError(f"{into!r} is in another kind of store than the table", remedy="give a place in the same lake")
    where = into.rstrip("/") if local is None else os.path.realpath(local)
    refuse_metadata(where)
    with context.reading() as session:
        of_tables = {_real(one.uri): one.name for one in tables.every_table(session)}
        of_sources = {_real(one.uri): f"the source {one.name}" for one in sources.list_sources(session)}
    if where == _real(table.uri):
        raise UsageError(f"{where} is {table.name} itself", remedy="give another folder")
    for folder, name in of_tables.items():
        if where.startswith(folder + "/"):
            raise UsageError(f"{where} lies in the table {name}", remedy="give another folder")
    for folder, name in [*of_tables.items(), *of_sources.items()]:
        if folder.startswith(where + "/") or (where == folder and where not in of_tables):
            raise UsageError(f"{where} holds {name}: a table there would hide it", remedy="give a folder beside it")
    if local is not None and os.path.lexists(where) and not os.path.isdir(where):
        raise UsageError(f"{where} is no folder", remedy="give another place")
    if local is not None and os.path.isdir(where) and os.listdir(where) and not os.path.isdir(f"{where}/_delta_log"):
        raise UsageError(f"{where} holds other things", remedy="give a folder that is empty or not there yet")
    return where


def _real(uri: str) -> str:
    local = local_path(uri)
    return uri.rstrip("/") if local is None else os.path.realpath(local)


def _kept(context: Context, where: str) -> TableInfo | None:
    """The quarantine as it is; None where there is none yet. Errors: `UsageError` for a table of something else."""
    try:
        info = read_table(where, context.options, roots=(where,))
    except TableVanished:
        return None
    if not {RULE, VERSION, REASON} <= {name for name, _ in info.columns}:
        raise UsageError(f"{where} is a table of its own, and no quarantine", remedy="give another folder")
    for file in info.files:  # Spark would follow the log wherever it leads
        absolute(where, file.path, (where,))
    return info


# ------------------------------------------------------------------------------------------------------------- rows


def _append(context: Context, rows: DataFrame, where: str, app: str) -> int:
    """Write the rows that are not there; how many there were. A version of the place that somebody else writes
    meanwhile is looked at again: of two writers that saw the same one, Delta lets only one go on."""
    added = 0
    for _ in range(TRIES):
        info = _kept(context, where)
        missing = rows if info is None else _missing(context, rows, info).persist()  # counted, then written
        try:
            left = missing.count()
            added = max(added, left)
            if not left:
                return added
            writer = missing.write.format("delta").mode("append").option("mergeSchema", "true")
            writer.option("txnAppId", app).option("txnVersion", 1 if info is None else info.version + 2).save(where)
        except Exception as error:  # of Spark, Delta or the store
            if "concurrent" not in str(error).lower():
                said = next((line.strip() for line in str(error).splitlines() if "Exception" in line), str(error))
                raise DeliveryError(f"{where} cannot be written to ({said[:300]})", remedy="see the cause") from error
        finally:
            if missing is not rows:
                missing.unpersist()
    raise DeliveryError(f"others write to {where} all the time", remedy="try again")


def _missing(context: Context, rows: DataFrame, info: TableInfo) -> DataFrame:
    """The rows that the quarantine does not hold. Equal rows are as many as there are."""
    from pyspark.sql import functions as f

    kept = context.spark.read.format("delta").option("versionAsOf", info.version).load(info.uri)
    own = kept[TABLE] if TABLE in kept.columns else f.lit(None)
    known = {name.lower() for name in kept.columns}
    told = [name for name in rows.columns if name not in (TABLE, REASON)]
    first = rows.select(TABLE, VERSION).limit(1)
    old = kept.join(
        f.broadcast(first), (kept[VERSION] == first[VERSION]) & f.coalesce(own == first[TABLE], f.lit(True))
    )
    old = old.select(*(kept[_quoted(name)] for name in told if name.lower() in known))
    old = _numbered(old, [name for name in told if name.lower() in known])
    new = _numbered(rows, told)
    return new.join(old.select(_CONTENT, _COPY), [_CONTENT, _COPY], "left_anti").drop(_CONTENT, _COPY)


def _numbered(rows: DataFrame, names: Iterable[str]) -> DataFrame:
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    cells: list[Column] = [f.col(_quoted(name)).alias(name) for name in sorted(names)]
    content = f.sha2(f.to_json(f.struct(*cells), _EXACT), 256)
    copies = Window.partitionBy(_CONTENT).orderBy(_CONTENT)
    return rows.withColumn(_CONTENT, content).withColumn(_COPY, f.row_number().over(copies))


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
