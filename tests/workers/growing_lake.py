"""A small real lake whose tables grow."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
from deltalake import write_deltalake


def grow(root: Path, tables: int, versions: range) -> None:
    """Append one version for each number to each table."""
    for version in versions:
        for table in range(tables):
            write_deltalake(root / f"t{table:02d}", batch(table, version), mode="append")


def batch(table: int, version: int, rows: int = 120) -> pa.Table:
    """Rows of one version: an id, a code, a status, an amount."""
    rng = random.Random(1000 * table + version)
    rows += rng.randrange(20)
    return pa.table(
        {
            "id": [f"T{table}-{version:04d}{i:04d}" for i in range(rows)],
            "code": [f"{rng.choice('ABC')}{rng.randrange(100, 999)}" for _ in range(rows)],
            "status": [rng.choice(["new", "open", "open", "done"]) for _ in range(rows)],
            "amount": [round(rng.lognormvariate(3, 0.5), 2) for _ in range(rows)],
        }
    )
