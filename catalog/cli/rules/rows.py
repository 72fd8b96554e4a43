"""Rows that break declared checks: written to a file (`assay check run --rows`), or kept in a table of their own."""

from __future__ import annotations

import csv
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from catalog.cli import console
from catalog.cli.common import Json, TableName, context, writing
from catalog.cli.console import as_text, count, emit, say
from catalog.errors import UsageError
from catalog.reports.document import guarded
from catalog.roles import APPROVE

if TYPE_CHECKING:
    from catalog.flow.context import Context
    from catalog.store.models import Table

SUFFIXES = (".csv", ".jsonl", ".parquet")


def check_place(out: Path) -> None:
    """Errors: `UsageError` for a file of a kind or in a place that cannot be written."""
    if out.suffix not in SUFFIXES:
        raise UsageError(f"rows cannot be written to {out.name!r}", remedy="name a file " + ", ".join(SUFFIXES))
    if not out.parent.is_dir():
        raise UsageError(f"there is no folder {out.parent}", remedy="make it first")
    if out.is_dir():
        raise UsageError(f"{out} is a folder", remedy="name a file in it")


def write_failing(
    here: Context,
    table: Table,
    version: int | None,
    names: Sequence[str],
    out: Path,
    most: int,
    levels: Collection[str] = (),
    reason: str = "",
) -> tuple[int, bool]:
    """Write up to `most` rows that break these checks to a file; how many, and whether there are more.
    Errors: `DeliveryError`."""
    from catalog.flow.rows.failing import columns_of_rows, failing_rows

    rows: list[dict[str, Any]] = []
    more = False
    if names:
        rows, more = failing_rows(here, table, version, names, most, levels=levels, reason=reason)
    columns = list(rows[0]) if rows else columns_of_rows(here, table, version)
    with writing(out):
        write_rows(out, columns, rows)
    return len(rows), more


def write_rows(out: Path, names: Sequence[str], rows: Sequence[dict[str, Any]]) -> None:
    """Rows of columns of these names as CSV (what is nested as JSON), as a JSON object a line, or as Parquet. Whoever
    reads it finds the columns where there are no rows, too: in Parquet they have no type then."""
    if out.suffix == ".jsonl":
        out.write_text("".join(as_text(row) + "\n" for row in rows), encoding="utf-8")
        return
    if out.suffix == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet

        told = (
            pa.Table.from_pylist(list(rows)) if rows else pa.schema([(name, pa.null()) for name in names]).empty_table()
        )
        pa.parquet.write_table(told, out)
        return
    with out.open("w", newline="", encoding="utf-8", errors="replace") as file:
        writer = csv.writer(file)
        writer.writerow([guarded(name) for name in names])  # columns are named by whoever made the table
        writer.writerows([guarded(row.get(name)) for name in names] for row in rows)


def check_quarantine(
    name: TableName,
    into: Annotated[str, typer.Option(help="Absolute path or address of the Delta table that takes the rows.")],
    version: Annotated[int | None, typer.Option(help="This version, instead of the latest.", min=0)] = None,
    check: Annotated[list[str] | None, typer.Option(help="Only this check; may be repeated.")] = None,
    as_json: Json = False,
) -> int:
    """Copy the rows that break declared checks into a Delta table: of the checks that the version did not pass, or of
    those named, also where a check allows a share of rows to break it. Beside them stand the table, the check, the
    version and the reason as assay_table, assay_rule, assay_version and assay_reason: one row for each check that a row
    breaks. Asked again for the same version it adds what is not there yet, and nothing twice. Values are not masked,
    since the rows stay in the lake. Ends with 1 where rows broke a check.

    Example: assay check quarantine shop/orders --into /lake/quarantine/orders
    """
    from catalog.flow.rows.quarantine import quarantine
    from catalog.store.lake import tables

    here = context(APPROVE)
    with here.reading() as session:
        table = tables.get_table(session, name)
    data = quarantine(here, table, into, version, check or ())
    found = sum(data["rows"].values())

    def show() -> None:
        say(f"{data['table']}, version {data['version']}: {count(found, 'row')} in {data['into']}, {data['added']} new")
        for one, rows in data["rows"].items():
            say(f"  {one}: {count(rows, 'row')}")

    emit(data, as_json, show)
    return console.FAILED if found else console.PASSED
