"""What the full one-pass scan costs, against what Spark takes to count non-nulls.

    python -m benchmarks.speed.scan --rows 2000000 --json OUT

Generates a Delta table of 20 string and 10 numeric columns in 8 files, then takes turns, in one session of local[2]:
the scan (every data file folded to its full state), the bare Spark scan (count of non-nulls of every column of the same
files), and DuckDB's SUMMARIZE of the same files with two threads. Medians of the rounds after one warm-up each.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("POLARS_MAX_THREADS", "1")

import numpy as np
import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

FILES = 8
THREADS = 2
_HEX = np.frombuffer(b"0123456789abcdef", np.uint8)
_CITIES = ["Berlin", "São Paulo", "New York", "Wien", "Kyiv", "Tokyo", "Reykjavík", "Lagos", "Lima", "Oslo"]
_WORDS = ["red", "green", "blue", "big", "small", "fast", "slow", "new", "old", "wide", "long", "warm", "cold", "dry"]


def strings(rng: np.random.Generator, first: int, rows: int) -> dict[str, pa.Array]:
    """Twenty string columns, as lakes have them: keys, codes, names, dates as text, texts, sparse and constant ones."""
    number = np.arange(first, first + rows)

    def pick(values: list[str], skew: float = 0.0) -> pa.Array:
        weights = 1.0 / np.arange(1, len(values) + 1) ** skew
        index = rng.choice(len(values), rows, p=weights / weights.sum())
        return pa.DictionaryArray.from_arrays(pa.array(index, pa.int32()), pa.array(values)).cast(pa.string())

    def form(text: str, *parts: Any) -> pa.Array:
        return pa.array([text % row for row in zip(*(np.asarray(p).tolist() for p in parts), strict=True)])

    def digits(low: int, high: int) -> np.ndarray:
        return rng.integers(low, high, rows)

    def hexadecimal(width: int) -> np.ndarray:
        return _HEX[rng.integers(0, 16, (rows, width))].view(f"S{width}").ravel()

    names = [f"{a} {b}" for a in ("Ada", "Ben", "Chi", "Dua", "Eli", "Fay") for b in ("Kim", "Lee", "Roy", "Sol")]
    products = [f"SKU-{i:05d}" for i in range(20_000)]
    uuid = hexadecimal(32).astype("U32")
    mail = pa.array([f"user{n}@{d}.example" for n, d in zip(digits(0, 500_000), digits(0, 40), strict=True)])
    columns = {
        "order_key": form("ORD-%09d", number),
        "session_id": pa.array([f"{u[:8]}-{u[8:12]}-{u[12:16]}-{u[16:20]}-{u[20:]}" for u in uuid.tolist()]),
        "content_hash": pa.array(hexadecimal(16).astype("U16").tolist()),
        "email": mail,
        "phone": form("+49 %03d %07d", digits(150, 180), digits(0, 10_000_000)),
        "iban_like": form("DE%02d%018d", digits(10, 99), digits(0, 10**15)),
        "ip_address": form("%d.%d.%d.%d", *(digits(1, 255) for _ in range(4))),
        "ordered_at": form("2024-%02d-%02d %02d:%02d:%02d", *(digits(a, b) for a, b in _CLOCK)),
        "ship_date": form("%02d/%02d/2024", digits(1, 13), digits(1, 29)),
        "postcode": form("%05d", digits(1000, 99999)),
        "product": pick(products, 0.7),
        "price_text": form("%d.%02d", digits(1, 500), digits(0, 100)),
        "customer": pick(names, 0.5),
        "city": pick(_CITIES, 1.0),
        "country": pick(["DE", "BR", "US", "AT", "UA", "JP", "IS", "NG", "PE", "NO"], 1.0),
        "status": pick(["paid", "open", "shipped", "returned", "cancelled"], 1.5),
        "channel": pick(["web", "shop", "phone"]),
        "comment": form("%s %s %s %s", *(rng.choice(_WORDS, rows) for _ in range(4))),
        "url": form("https://shop.example/p/%d?ref=%s", digits(0, 100_000), rng.choice(_WORDS, rows)),
        "note": pick(["", "gift", "fragile"], 2.0),
    }
    for name, share in {"phone": 0.2, "comment": 0.6, "ship_date": 0.05}.items():
        columns[name] = _with_nulls(columns[name], rng.random(rows) < share)
    return columns


_CLOCK = ((1, 13), (1, 29), (0, 24), (0, 60), (0, 60))


def _with_nulls(array: pa.Array, null: np.ndarray) -> pa.Array:
    return pa.compute.if_else(pa.array(null), pa.scalar(None, array.type), array)


def numbers(rng: np.random.Generator, first: int, rows: int) -> dict[str, pa.Array]:
    """Ten numeric columns: key, counts, amounts, measurements, flags; one with nulls."""
    amount = np.round(rng.lognormal(3, 1, rows), 2)
    return {
        "id": pa.array(np.arange(first, first + rows)),
        "customer_id": pa.array(rng.integers(0, 300_000, rows)),
        "quantity": pa.array(rng.poisson(3, rows).astype(np.int32)),
        "amount": pa.array(amount),
        "tax": pa.array(np.round(amount * 0.19, 2)),
        "discount": pa.array(np.where(rng.random(rows) < 0.8, 0.0, np.round(rng.random(rows), 2))),
        "weight": _with_nulls(pa.array(rng.normal(5, 2, rows)), rng.random(rows) < 0.1),
        "latitude": pa.array(rng.uniform(-90, 90, rows)),
        "score": pa.array(rng.normal(0, 1, rows).astype(np.float32)),
        "year": pa.array(rng.integers(2015, 2025, rows).astype(np.int32)),
    }


def write_table(uri: str, rows: int) -> None:
    """The table, `FILES` appends of one file each."""
    for number in range(FILES):
        rng = np.random.default_rng(number)
        first, end = rows * number // FILES, rows * (number + 1) // FILES
        data = pa.table({**strings(rng, first, end - first), **numbers(rng, first, end - first)})
        write_deltalake(uri, data, mode="append")


def alternate(works: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Median seconds of each work, taking turns, after one warm-up each."""
    for work in works.values():
        work()
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            start = time.perf_counter()
            work()
            seconds[name].append(time.perf_counter() - start)
    print({name: [round(s, 2) for s in taken] for name, taken in seconds.items()}, file=sys.stderr)
    return {name: statistics.median(taken) for name, taken in seconds.items()}


def measure(uri: str, rounds: int) -> dict[str, Any]:
    """The scan, the bare scan and DuckDB on one table; seconds, ratios and sizes."""
    import duckdb
    from pyspark.sql import functions as F

    from catalog.lake.logs.log import read_table
    from catalog.lake.scanning.scan import scan
    from catalog.lake.scanning.session import session
    from catalog.lake.scanning.tasks import Task
    from catalog.settings import Settings

    spark = session(Settings(spark_master=f"local[{THREADS}]"))
    info = read_table(uri)
    tasks = [Task(1, uri, info, file) for file in info.files]
    paths = DeltaTable(uri).file_uris()
    names = [name for name, _ in info.columns]
    sizes: list[int] = []

    def ours() -> None:
        results = list(scan(spark, tasks))
        assert all(result.state for result in results), [r.error for r in results]
        sizes[:] = [len(result.state or b"") for result in results]

    def bare() -> None:
        spark.read.parquet(*paths).agg(*(F.count(name) for name in names)).collect()

    engine = duckdb.connect(config={"threads": THREADS})

    def summarize() -> None:
        engine.execute("SUMMARIZE SELECT * FROM read_parquet(?)", [paths]).fetchall()

    seconds = alternate({"ours": ours, "bare": bare, "duckdb": summarize}, rounds)
    spark.stop()
    data = sum(file.size for file in info.files)
    return {
        "seconds": round(seconds["ours"], 3),
        "bare_seconds": round(seconds["bare"], 3),
        "ratio": round(seconds["ours"] / seconds["bare"], 3),
        "duckdb_seconds": round(seconds["duckdb"], 3),
        "rows": sum(file.rows or 0 for file in info.files),
        "files": len(info.files),
        "data_bytes": data,
        "state_bytes": sum(sizes),
        "state_share": round(sum(sizes) / data, 5),
    }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.scan", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--rounds", type=int, default=3, help="alternating rounds after the warm-up (at least 3)")
    parser.add_argument("--table", type=Path, help="where the generated table is kept; made there when absent")
    parser.add_argument("--json", type=Path, help="file the figures are written to")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="assay-scan-") as folder:
        uri = str(options.table or Path(folder, "table"))
        if not Path(uri, "_delta_log").is_dir():
            write_table(uri, options.rows)
        figures = measure(uri, max(3, options.rounds))
    text = json.dumps(figures, indent=1)
    print(text)
    if options.json:
        options.json.write_text(text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
