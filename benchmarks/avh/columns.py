"""Histories of real cells: executions drawn from the rows of real tables (`columns/` of the data folder).

Nothing is known of how these tables changed, so executions are made of their rows, in one of three ways by table:
**drawn** (each execution brings a random part of the rows, as many as ever or with a weekly cycle and noise), **kept**
(a shuffled table of which a window is seen that moves on by a few rows) and **delivered** (the same in the table's own
order: what is sorted drifts). What the cells hold (names, codes, dates, free text, counts, measurements with all
their gaps) is real. They are a second check on data that no calibration has seen.
"""

from __future__ import annotations

import zlib
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa

from benchmarks.avh.data import History, as_numbers, load_cached
from benchmarks.avh.generated import fold_tables

LENGTH = 40  # executions of a history
WIDEST = 8  # columns of a table that are taken
LEAST = 250  # rows that a table must have


def load_columns(folder: Path, cache: Path, count: int, workers: int = 2, skip: int = 0) -> list[History]:
    """Histories of `count` tables after the first `skip` in the order of a hash of their name; from `cache` where they
    were folded before."""
    found = pl.read_parquet(folder / "columns" / "tables.parquet").filter(pl.col("n_rows") >= LEAST)
    names = sorted(found["table_id"].to_list(), key=lambda name: zlib.crc32(f"0{name}".encode()))[skip:][:count]
    return load_cached(cache, {f"columns_{name}": partial(build, folder, name) for name in names}, workers)


def build(folder: Path, name: str) -> History:
    """The history of one table; its name decides how executions are drawn."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    return fold_tables(f"columns_{name}", executions(read_table(folder, name, rng), rng), every=5)


def read_table(folder: Path, name: str, rng: np.random.Generator) -> pa.Table:
    """Up to `WIDEST` columns of a table that hold anything; those of numbers as doubles, empty cells of these null."""
    rows = pl.scan_parquet(folder / "columns" / "columns.parquet").filter(pl.col("table_id") == name)
    cells = {c: v for c, v in rows.sort("col_pos").select("column", "values").collect().rows() if any(v)}
    chosen = sorted(rng.choice(len(cells), min(len(cells), WIDEST), replace=False))
    length = min(len(v) for v in cells.values())
    texts = pa.table({c: pa.array(cells[c][:length], pa.string()) for c in [list(cells)[i] for i in chosen]})
    numbers, whole = as_numbers(texts)
    return pa.table({c: numbers[c] if c in whole else texts[c] for c in texts.column_names})


def executions(table: pa.Table, rng: np.random.Generator, length: int = LENGTH) -> list[pa.Table]:
    """Executions of one table in the way that `rng` draws."""
    n, way = table.num_rows, str(rng.choice(["drawn", "drawn", "kept", "delivered"]))
    if way == "drawn":
        week = np.ones(7) if rng.random() < 0.5 else rng.uniform(0.6, 1, 7)
        size, noise = n * rng.uniform(0.2, 0.7), rng.choice([0.0, 0.05, 0.2])
        sizes = [int(np.clip(size * week[d % 7] * np.exp(rng.normal(0, noise)), 20, n)) for d in range(length)]
        return [table.take(pa.array(np.sort(rng.choice(n, k, replace=False)))) for k in sizes]
    order = np.arange(n) if way == "delivered" else rng.permutation(n)
    size, rate = int(n * rng.uniform(0.4, 0.8)), n * 0.2 / length
    starts = np.minimum(np.cumsum(rng.poisson(rate * rng.uniform(0.2, 1), length)), n - size)
    grows = rng.random() < 0.5  # what was seen stays; else as many leave as come
    return [table.take(pa.array(order[(0 if grows else s) : s + size])) for s in starts.tolist()]
