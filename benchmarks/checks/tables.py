"""Tables that are compared on: generated ones, one of them with everything odd in it, and real ones of a folder."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from deltalake import DeltaTable, write_deltalake

from benchmarks.checks.demands import FEW
from benchmarks.lake import folder_name, typed_column, unique_names
from benchmarks.speed.scan import numbers, strings
from catalog.errors import AssayError
from catalog.lake.logs.log import read_table
from catalog.lake.reading.files import ReadPlan, read_file


def wide(rows: int, first: int = 0, seed: int = 0) -> pa.Table:
    """Twenty columns of strings and ten of numbers (`benchmarks.speed.scan`)."""
    rng = np.random.default_rng(seed)
    return pa.table({**strings(rng, first, rows), **numbers(rng, first, rows)})


def odd() -> pa.Table:
    """What figures go wrong on: NaN, infinities, signed zeros, numbers beyond 2^53 and 2^63 in sum, texts that look
    like other types or like deequ's name for null, empty texts, columns of one value, of nulls, decimals, times."""
    nan, inf = math.nan, math.inf
    day = datetime.date(2024, 2, 28)
    cells: dict[str, pa.Array] = {
        "text": pa.array(["NullValue", None, "", "1", "1.0", "true", "TRUE", "- 4", "é" * 3, "😀", "paid", "it's"] * 2),
        "digits": pa.array(["1", "22", "333", None, "+ 4", "-5", "6", "7", "8", "9", "10", "11"] * 2),
        "special": pa.array([0.0, -0.0, nan, inf, 1.5, None, -2.0, 1e300, 1e-5, 3.0, 4.0, nan] * 2),
        "finite": pa.array([0.5, -0.0, 2.25, 1e9, 1.5, None, -2.0, 12.0, 1e-5, 3.0, 4.0, 4.0] * 2),
        "huge": pa.array([2**63 - 1, 2**63 - 2, 2**53 + 1, 1, None, 0, -1, 5, 6, 7, 8, 9] * 2),
        "small": pa.array([3_000_000_000, 3_000_000_010, None, 4, 5, 6, 7, 8, 9, 10, 11, 12] * 2),
        "money": pa.array([Decimal(f"{n}.{n % 10}5") for n in range(11)] + [None] + [Decimal("-1.15")] * 12),
        "flag": pa.array([True, False, None, True] * 6),
        "day": pa.array([day, None, day + datetime.timedelta(2)] * 8),
        "moment": pa.array([datetime.datetime(2024, 3, 31, 2, 30), None] * 12, pa.timestamp("us", "UTC")),
        "nothing": pa.nulls(24, pa.string()),
        "no_number": pa.nulls(24, pa.float64()),
        "one": pa.array(["x"] * 24),
        "constant": pa.array([7] * 24),
    }
    return pa.table(cells)


def write_wide(folder: Path, rows: int, files: int = 8) -> str:
    """The wide table, an append a file."""
    for number in range(files):
        first, end = rows * number // files, rows * (number + 1) // files
        write_deltalake(str(folder), wide(end - first, first, number), mode="append")
    return str(folder)


def write_generated(folder: Path, rows: int) -> dict[str, str]:
    """The generated tables by name."""
    table = odd()
    for number in range(3):
        write_deltalake(str(folder / "odd"), table.slice(8 * number, 8), mode="append")
    write_deltalake(str(folder / "empty"), table.slice(0, 0))
    return {"odd": str(folder / "odd"), "empty": str(folder / "empty"), "wide": write_wide(folder / "wide", rows)}


def write_real(data: Path, folder: Path, count: int) -> dict[str, str]:
    """`count` real tables, spread over the repositories, and the plain ones of Delta's other writers."""
    tables = pl.read_parquet(data / "columns" / "tables.parquet").sort("repo", "path")
    columns = pl.read_parquet(data / "columns" / "columns.parquet", columns=["column_id", "column", "values"])
    place = {column_id: at for at, column_id in enumerate(columns["column_id"])}
    uris = {}
    for table in tables.gather_every(max(1, tables.height // max(count, 1))).head(count).iter_rows(named=True):
        rows = [place[column_id] for column_id in table["column_ids"]]
        cells = [columns["values"][at] for at in rows]
        height = max(map(len, cells))
        arrays = [typed_column(column.extend_constant("", height - len(column))) for column in cells]
        name = folder_name(table["repo"], table["path"])
        uris[name] = str(folder / name)
        write_deltalake(
            uris[name], pa.table(arrays, names=unique_names([columns["column"][at] for at in rows])), mode="overwrite"
        )
    return uris | {one.name: str(one) for one in sorted((data / "delta-tables" / "valid").glob("*")) if _plain(one)}


def _plain(folder: Path) -> bool:
    """Whether the data files of a Delta table are its rows as they are: then rivals may read them as Parquet."""
    try:
        info = read_table(str(folder))
        simple = not info.partition_columns and info.reader == "files" and bool(info.files)
        simple = (
            simple and not any(one.deletion_vector for one in info.files) and not (folder / "_change_data").exists()
        )
        paths = [Path(path) for path in files_of(str(folder))]
        names = [set(pq.read_schema(path).names) for path in paths if path.is_file()]
        return simple and len(names) == len(paths) and all(one == names[0] for one in names)
    except (AssayError, OSError):
        return False


def files_of(uri: str) -> list[str]:
    """The data files of a table; of one without rows a file of none, so that rivals have something to read."""
    files = [path.removeprefix("file://") for path in DeltaTable(uri).file_uris()]
    if not files:
        files = [str(Path(uri) / "none.parquet")]
        pq.write_table(pa.Table.from_batches([ReadPlan.of(read_table(uri)).empty()]), files[0])
    return files


def described(uri: str) -> tuple[pa.Schema, set[str], list[str], int]:
    """Schema of flat columns, columns of few values, up to four columns of numbers, rows."""
    info = read_table(uri)
    plan = ReadPlan.of(info)
    table = pa.Table.from_batches([*_batches(plan, info), plan.empty()])
    flat = pa.schema([field for field in table.schema if not pa.types.is_nested(field.type)])
    few = {f.name for f in flat if len(pc.unique(table[f.name])) <= FEW and not pa.types.is_floating(f.type)}
    numeric = [f.name for f in flat if pa.types.is_integer(f.type) or pa.types.is_floating(f.type)]
    return flat, few, numeric[:4], table.num_rows


def _batches(plan: ReadPlan, info: Any) -> Iterator[pa.RecordBatch]:
    for file in info.files:
        yield from read_file(plan, file)
