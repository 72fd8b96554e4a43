"""Histories with faults put in: what of them is told, on tables that nothing was chosen on.

    python -m benchmarks.releases.damaged --data DIR --out DAMAGED [--seed 1]
    python -m benchmarks.lived --data DAMAGED --json OUT

Every sixth version from about the twentieth on is damaged: in two of three a kind of damage to values
(`catalog.damage`) in one column, at all rows, a fifth or a twentieth of them; else values missing, rows lost, all rows
twice, a column gone. The next version is healthy again. What is put in is labelled, the rest is clean. A fault that
changes nothing which can be told (letters of a column of digits in upper case) is drawn again.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Callable, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.lived.data import read_series
from catalog.damage import DAMAGE_KINDS, NUMBERS, STRINGS, TIMES

FIRST, EVERY = 19, 6
SHARES, OFTEN = (1.0, 0.2, 0.05), (0.5, 0.3, 0.2)
KINDS = {"values": 0.68, "nulls": 0.12, "rows": 0.08, "twice": 0.08, "gone": 0.04}
TRIES = 30
#: Days and times: another zone, a default, day and month exchanged, midnight, and a year too many.
DAYS = (*TIMES, DAMAGE_KINDS["days_moved"])
ENOUGH = 0.3  # share of a column's cells that must hold something for damage to it to be a fault

Rng = np.random.Generator
Fault = tuple[pa.Table, str, list[str]]  # the damaged version, what was done, the columns


def damaged_values(table: pa.Table, column: str, types: Any, rng: Rng, share: float) -> Fault | None:
    """One kind of damage to the values of a column; None where it is none there."""
    kind_of = types.get(column)
    read: Callable[[str], Any] = str
    write: Callable[[Any], str] = str
    kinds: Sequence[Any] = STRINGS
    if kind_of is not None and pa.types.is_temporal(kind_of):
        parse = date.fromisoformat if pa.types.is_date(kind_of) else datetime.fromisoformat
        read, write, kinds = parse, lambda value: str(value.isoformat()), DAYS
    elif kind_of is not None and not pa.types.is_string(kind_of):
        read, write, kinds = (int if pa.types.is_integer(kind_of) else float), repr, NUMBERS
    kind = kinds[int(rng.integers(len(kinds)))]
    try:
        values = [read(cell) if cell else None for cell in table[column].to_pylist()]
        changed, all_changed = kind.damage(values, rng, share), kind.damage(values, rng)
    except (TypeError, ValueError, OverflowError):
        return None
    if changed is None or not kind.is_damage(values, all_changed, [v for v in values if v is not None]):
        return None
    cells = ["" if v is None else write(v) for v in changed]
    return _with(table, column, cells), f"{kind.cause}/{kind.key}/{share:g}", [column]


def _with(table: pa.Table, column: str, cells: Sequence[str | None]) -> pa.Table:
    return table.set_column(table.column_names.index(column), column, pa.array(cells, pa.string()))


def fault(table: pa.Table, types: Any, rng: Rng) -> Fault | None:
    """One fault in a version; None where none of the draws is one."""
    how = rng.choice(list(KINDS), p=list(KINDS.values()))
    share = float(rng.choice(SHARES, p=OFTEN))
    if how == "rows":
        return table.slice(0, table.num_rows // 2), "volume/rows", ["*"]
    if how == "twice":
        return pa.concat_tables([table, table]), "duplicates/twice", ["*"]
    for _ in range(TRIES):
        column = str(rng.choice(table.column_names))
        cells = table[column].to_pylist()
        if sum(map(bool, cells)) < ENOUGH * len(cells):
            continue
        if how == "gone" and table.num_columns > 1:
            return table.drop_columns([column]), "schema/gone", [column]
        if how == "nulls":
            kept = ["" if rng.random() < share else cell for cell in cells]
            return _with(table, column, kept), f"nulls/nulls/{share:g}", [column]
        found = damaged_values(table, column, types, rng, share)
        if found is not None:
            return found
    return None


def write(folder: Path, out: Path, rng: Rng) -> int:
    """Write one history with faults; returns how many."""
    series = read_series(folder)
    shutil.copytree(folder, out)
    incidents = []
    for index in range(FIRST + int(rng.integers(EVERY)), len(series.days) + 1, EVERY):
        found = fault(pq.read_table(folder / f"{index:04d}.parquet"), series.types, rng)
        if found is None:
            continue
        table, kind, columns = found
        pq.write_table(table, out / f"{index:04d}.parquet")
        incidents.append({"index": index, "index_end": index, "columns": columns, "kind": kind, "scope": "transient",
                          "severity": "column", "documented": False})  # fmt: skip
    labels = {
        "series": folder.name, "incidents": incidents, "clean_windows": [{"start": 1, "end": len(series.days)}],
    }  # fmt: skip
    (out / "incidents.json").write_text(json.dumps(labels, indent=1))
    return len(incidents)


def main() -> None:
    usage = "python -m benchmarks.releases.damaged"
    parser = argparse.ArgumentParser(prog=usage, description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with histories/")
    parser.add_argument("--out", type=Path, required=True, help="folder that gets histories/ with faults")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    for folder in sorted(one for one in (options.data / "histories").iterdir() if one.is_dir()):
        print(f"{folder.name}: {write(folder, options.out / 'histories' / folder.name, rng)} faults", flush=True)


if __name__ == "__main__":
    main()
