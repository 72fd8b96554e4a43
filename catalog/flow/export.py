"""Results as long tables, for whoever keeps them in a lake of his own: into a Delta table, or a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import DeltaError, TableNotFoundError

from catalog.errors import UsageError
from catalog.flow.context import Context
from catalog.store import export

Batches = Callable[..., Iterator[pa.RecordBatch]]
WHAT: dict[str, tuple[Batches, pa.Schema]] = {
    "metrics": (export.metric_batches, export.METRICS),
    "outcomes": (export.outcome_batches, export.OUTCOMES),
    "tags": (export.tag_batches, export.TAGS),
}
FILES = (".parquet", ".csv", ".jsonl")


def export_results(context: Context, what: str, place: str, *, table_id: int | None = None) -> dict[str, Any]:
    """Write what there is to a file (by its ending: `FILES`), or add what is new to a Delta table.

    A Delta table of metrics or outcomes is continued after the latest ``run_time`` in it, so that doing it twice adds
    nothing twice; one of tags is replaced: they change. Errors: `UsageError`.
    """
    if what not in WHAT:
        raise UsageError(f"there is nothing called {what!r} to export", remedy=f"use one of {', '.join(WHAT)}")
    batches, schema = WHAT[what]
    ending = Path(place).suffix.lower()
    if "://" not in place and ending in FILES:
        with context.reading() as session:
            rows = _to_file(Path(place), ending, batches(session, table_id=table_id), schema)
        return {"what": what, "place": place, "rows": rows, "after": None}
    after = None if what == "tags" else _latest(place, schema, context.options)
    with context.reading() as session:
        found = pa.Table.from_batches(list(batches(session, table_id=table_id, after=after)), schema)
    mode = "overwrite" if what == "tags" else "append"
    if found.num_rows or after is None:
        write_deltalake(place, found, mode=mode, storage_options=context.options or None)  # type: ignore[call-overload]
    return {"what": what, "place": place, "rows": found.num_rows, "after": after.isoformat() if after else None}


def _latest(place: str, schema: pa.Schema, options: dict[str, str]) -> datetime | None:
    """When the last row in a Delta table was said; None where there is no table yet."""
    try:
        table = DeltaTable(place, storage_options=options or None)
    except TableNotFoundError:
        return None
    except DeltaError as error:
        raise UsageError(f"{place} cannot be continued: {error}", remedy="name another folder") from error
    there = set(table.schema().to_arrow().names)
    if not there >= set(schema.names):
        raise UsageError(f"{place} holds another kind of table", remedy="name another folder")
    latest = pc.max(table.to_pyarrow_table(columns=["run_time"])["run_time"]).as_py()
    return latest if isinstance(latest, datetime) else None


def _to_file(path: Path, ending: str, batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> int:
    if not path.parent.is_dir():
        raise UsageError(f"there is no folder {path.parent}", remedy="make it first")
    rows = 0
    temporary = path.with_name(f".{path.name}.part")
    with temporary.open("wb") as file:
        write = _writer(file, ending, schema)
        for batch in batches:
            rows += batch.num_rows
            write(batch)
        write(None)
    temporary.replace(path)
    return rows


def _writer(file: Any, ending: str, schema: pa.Schema) -> Callable[[pa.RecordBatch | None], None]:
    """Writes batches; None ends the file."""
    if ending == ".jsonl":

        def lines(batch: pa.RecordBatch | None) -> None:
            for row in batch.to_pylist() if batch is not None else ():
                file.write((json.dumps(row, default=str, ensure_ascii=False) + "\n").encode())

        return lines
    if ending == ".csv":
        table = pyarrow.csv.CSVWriter(file, schema)
        return lambda batch: table.close() if batch is None else table.write_batch(_no_formulas(batch))
    writer = pyarrow.parquet.ParquetWriter(file, schema)
    return lambda batch: writer.close() if batch is None else writer.write_batch(batch)


#: What spreadsheets take for the beginning of a formula, or leave out before one.
_FORMULA = r"^[=+\-@\t\r\n\x{FF1D}\x{FF0B}\x{FF0D}\x{FF20}]"


def _no_formulas(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch with an apostrophe before each text that a spreadsheet would run: names come from anybody's tables."""
    columns = []
    for column in batch.columns:
        if pa.types.is_string(column.type):
            guarded = pc.binary_join_element_wise("'", column, "")
            column = pc.if_else(pc.match_substring_regex(column, _FORMULA), guarded, column)
        columns.append(column)
    return pa.RecordBatch.from_arrays(columns, schema=batch.schema)
