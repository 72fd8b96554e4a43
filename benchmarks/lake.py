"""Write real tables as a lake of Delta tables.

    python -m benchmarks.lake --data ../shared/data/columns --out LAKE

Reads ``tables.parquet`` (a row per table with its columns in order) and ``columns.parquet`` (the cells of each column
as strings, ``''`` = missing) and writes one Delta table a row, named ``<repository>/<path>`` made safe for folders. A
column whose every cell is a number is written as ``bigint`` or ``double``; the rest are strings; missing cells are
null.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from pathlib import Path

import polars as pl
import pyarrow as pa
from deltalake import write_deltalake

_INTEGER = r"^[-+]?(0|[1-9][0-9]{0,17})$"
_NUMBER = r"^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]{1,3})?$"
_LEADING_ZERO = r"^[-+]?0[0-9]"


def typed_column(cells: pl.Series) -> pa.Array:
    """The cells as bigint or double when every cell that is there is such a number, else as strings.

    >>> typed_column(pl.Series(["1", "", "-20"])).to_pylist(), typed_column(pl.Series(["007", "1"])).to_pylist()
    ([1, None, -20], ['007', '1'])
    """
    cells = cells.set(cells == "", None)
    there = cells.drop_nulls()
    if len(there):
        if there.str.contains(_INTEGER).all():
            return cells.cast(pl.Int64).to_arrow()
        if there.str.contains(_NUMBER).all() and not there.str.contains(_LEADING_ZERO).any():
            return cells.cast(pl.Float64).to_arrow()
    return cells.to_arrow().cast(pa.string())


def unique_names(names: list[str]) -> list[str]:
    """Names that are there, and different even without regard to case (Delta's columns have no case).

    Characters that Delta refuses without column mapping become ``_``; so does a dot, which
    parts a struct from its field.

    >>> unique_names(["a b", "A_b", "", "a.b"])
    ['a_b', 'A_b_2', 'col_2', 'a_b_3']
    """
    taken: set[str] = set()
    found = []
    for position, name in enumerate(names):
        base = re.sub(r"[ ,;{}()\n\r\t=.`]", "_", name.strip()) or f"col_{position}"
        candidate, number = base, 1
        while candidate.lower() in taken:
            number += 1
            candidate = f"{base}_{number}"
        taken.add(candidate.lower())
        found.append(candidate)
    return found


def folder_name(repo: str, path: str) -> str:
    """A table's name: repository and path, one folder each.

    >>> folder_name("owner/repo", "data/x y.csv")
    'owner_repo/data_x_y_csv'
    """
    return "/".join(re.sub(r"[^A-Za-z0-9_-]+", "_", part).strip("_") for part in (repo, path))


def write_lake(data: Path, out: Path) -> dict[str, float]:
    """Write all tables; counts and seconds."""
    start = time.perf_counter()
    tables = pl.read_parquet(data / "tables.parquet")
    columns = pl.read_parquet(data / "columns.parquet", columns=["column_id", "column", "values"])
    place = {column_id: i for i, column_id in enumerate(columns["column_id"])}
    taken: set[str] = set()
    written = 0
    for table in tables.iter_rows(named=True):
        rows = [place[column_id] for column_id in table["column_ids"]]
        names = unique_names([columns["column"][i] for i in rows])
        cells = [columns["values"][i] for i in rows]
        height = max(len(column) for column in cells)
        arrays = [typed_column(column.extend_constant("", height - len(column))) for column in cells]
        name = folder_name(table["repo"], table["path"])
        if name.lower() in taken:
            name = f"{name}_{table['table_id']}"
        taken.add(name.lower())
        write_deltalake(str(out / name), pa.table(arrays, names=names), mode="overwrite")
        written += len(names)
    return {"tables": tables.height, "columns": written, "seconds": round(time.perf_counter() - start, 2)}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lake", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with tables.parquet and columns.parquet")
    parser.add_argument("--out", type=Path, required=True, help="folder the Delta tables are written under")
    options = parser.parse_args(arguments)
    print(json.dumps(write_lake(options.data, options.out)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
