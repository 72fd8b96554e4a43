"""Real series as Delta tables, for `benchmarks.lived` and `benchmarks.weekly`.

Columns that hold only numbers in the first executions are written as numbers; a later cell that is none makes the
column a string, as a job that infers its schema does; columns that a manifest names as days or times are such. A
delivery of zero bytes is written as a table without rows.
"""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import write_deltalake

from benchmarks.lake import typed_column, unique_names
from benchmarks.split import source_of
from catalog.checks.feedback import EXPECTED, FALSE_ALARM
from catalog.demo.lake import date_commit

#: True changes of releases of packages that somebody has read: the table, its version, the columns, and what happened.
CHANGES = Path(__file__).parent / "changes.csv"
INFER = 30  # executions that a column's type is inferred from
LINGERS = 3  # executions after a persistent incident on which its columns do not count


@dataclass
class Series:
    """One real series: what was delivered, when, and what is known of it."""

    name: str
    folder: Path
    days: list[str]
    windows: list[dict[str, Any]]
    incidents: list[dict[str, Any]]
    changes: dict[int, dict[str, Any]] = field(default_factory=dict)  # by execution, as incidents name their columns
    source: str = ""
    times: frozenset[str] = frozenset()  # columns that are written as days or times
    types: dict[str, pa.DataType] = field(default_factory=dict)
    last: pa.Schema | None = None

    def wrong(self, index: int) -> list[dict[str, Any]]:
        """The incidents of severity `column` that an execution is part of."""
        return [x for x in self.incidents if x["severity"] == "column" and x["index"] <= index <= x["index_end"]]

    def answer(self, index: int, column: str | None) -> str:
        """What somebody who knows what was read of an execution says of an alarm about a column (None: the table)."""
        if any(is_about(x, column) for x in self.wrong(index)):
            return "MissingData"
        change = self.changes.get(index)
        return EXPECTED if change is not None and is_about(change, column) else FALSE_ALARM

    def aside(self, index: int) -> set[str] | None:
        """Columns of an execution of a clean window that do not count; None where none does.

        What a persistent incident left in a column is there still on the days after: an alarm says so rightly.
        """
        window = next((w for w in self.windows if w["start"] <= index <= w["end"]), None)
        if window is None or self.wrong(index):
            return None
        inside = [x for x in window.get("inside", []) if x["index"] <= index <= x["index_end"]]
        if any("*" in x["columns"] for x in inside):
            return None
        left = [x for x in self.incidents if x["scope"] == "persistent" and 0 < index - x["index_end"] <= LINGERS]
        return {clean for x in (*inside, *left) for clean in unique_names(x["columns"])}


def read_series(folder: Path, labelled: bool = True) -> Series:
    """A series, with the true changes that were read of it unless it is to be lived as if nobody had (`labelled`)."""
    said = json.loads((folder / "incidents.json").read_text())
    manifest = json.loads((folder / "manifest.json").read_text())
    days = [str(item.get("date", manifest["first"]))[:10] for item in manifest["items"]]
    series = Series(folder.name, folder, days, said.get("clean_windows", []), said.get("incidents", []))
    series.source = source_of(folder)
    series.times = frozenset(manifest.get("times", ()))
    if labelled:
        read = _changes(folder.name)
        series.changes = {
            index: read[item["version"]]
            for index, item in enumerate(manifest["items"], 1)
            if item.get("version") in read
        }
    seen: dict[str, list[pl.Series]] = {}
    for index in range(1, min(INFER, len(days)) + 1):
        if not series.wrong(index):
            for name, cells in cells_of(series, index).items():
                seen.setdefault(name, []).append(cells)
    series.types = {name: _found(pl.concat(cells), name in series.times).type for name, cells in seen.items()}
    return series


def _changes(name: str) -> dict[str, dict[str, Any]]:
    """The true changes that were read of a table, by version."""
    with CHANGES.open(newline="") as lines:
        found = [row for row in csv.DictReader(lines) if row["table"] == name]
    return {row["version"]: {"columns": row["columns"].split()} for row in found}


def cells_of(series: Series, index: int) -> dict[str, pl.Series]:
    """The raw cells of an execution by column name, missing ones empty."""
    table = pq.read_table(series.folder / f"{index:04d}.parquet")
    names = unique_names(table.column_names)
    return {
        name: pl.Series(name, column.cast(pa.string()).to_pylist(), pl.String).fill_null("")
        for name, column in zip(names, table.columns, strict=True)
    }


def delivery(series: Series, index: int) -> pa.Table:
    """An execution as a job that infers types would write it."""
    cells = cells_of(series, index)
    if not cells:  # nothing but a file of zero bytes: the columns are those before, or those that will come
        last = series.last if series.last is not None else pa.schema(list(series.types.items()))
        return last.empty_table()
    table = pa.table(
        {
            name: _typed(_found(values, name in series.times), values, series.types.get(name))
            for name, values in cells.items()
        }
    )
    series.last = table.schema
    return table


def _found(cells: pl.Series, are_times: bool) -> pa.Array:
    """The cells as days or times where they are to be such and all that are there are, else as `typed_column` says.

    >>> _found(pl.Series(["2026-03-09", ""]), True).type, _found(pl.Series(["2026-03-09 14:30:00"]), True).type
    (DataType(date32[day]), TimestampType(timestamp[us, tz=UTC]))
    >>> _found(pl.Series(["2026-03-09", "soon"]), True).type
    DataType(string)
    """
    there = [cell or None for cell in cells.to_list()] if are_times else []
    for read, kind in ((date.fromisoformat, pa.date32()), (_moment, pa.timestamp("us", "UTC"))) if any(there) else ():
        try:
            return pa.array([read(cell) if cell else None for cell in there], kind)
        except ValueError:
            continue
    return typed_column(cells)


def _moment(text: str) -> datetime:
    """A time of the world's clock where it names no zone."""
    said = datetime.fromisoformat(text)
    return said if said.tzinfo else said.replace(tzinfo=UTC)


def _typed(found: pa.Array, cells: pl.Series, usual: pa.DataType | None) -> pa.Array:
    """The cells in the column's usual type where all of them are such, else in the type that they have (`found`)."""
    if usual is None or found.type == usual:
        return found
    if usual == pa.string() or not (cells != "").any():
        return cells.set(cells == "", None).to_arrow().cast(pa.string()).cast(usual)
    return found.cast(usual) if (found.type, usual) == (pa.int64(), pa.float64()) else found


def write(series: Series, index: int, root: Path, at: datetime) -> None:
    """Commit an execution, dated `at`."""
    path = root / series.name
    write_deltalake(str(path), delivery(series, index), mode="overwrite", schema_mode="overwrite")
    date_commit(path, index - 1, at)


def is_about(incident: dict[str, Any], column: str | None) -> bool:
    """Whether an incident is about a column (None: the table)."""
    return column is None or "*" in incident["columns"] or column in unique_names(incident["columns"])
