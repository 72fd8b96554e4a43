"""What the full one-pass scan costs, against what Spark takes to count non-nulls.

    python -m benchmarks.speed.scan --rows 2000000 --json OUT [--nested]

Generates a Delta table of 20 string and 10 numeric columns in 8 files, then takes turns, in one session of local[2]:
the scan (every data file folded to its full state), the bare Spark scan (count of non-nulls of every column of the same
files), and DuckDB's SUMMARIZE of the same files with two threads. Medians of the rounds after one warm-up each, of
seconds and of the processor seconds of this process and all that it started. With ``--nested`` the table has a key,
lists of structs, lists of strings and maps, and the bare scan counts their elements.

Two states of the code are compared by running this file with either on PYTHONPATH, in turn, on one ``--table``.
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
from contextlib import suppress
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


def nested(rng: np.random.Generator, first: int, rows: int) -> dict[str, pa.Array]:
    """Orders with up to six items each, tags, and labels by their names."""

    def lists(most: int, make: Callable[[int], pa.Array]) -> pa.Array:
        ends = np.concatenate(([0], np.cumsum(rng.integers(0, most + 1, rows))))
        return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), make(int(ends[-1])))

    def items(count: int) -> pa.Array:
        sku = pa.array([f"SKU-{i:05d}" for i in rng.integers(0, 20_000, count).tolist()])
        price = _with_nulls(pa.array(np.round(rng.lognormal(3, 1, count), 2)), rng.random(count) < 0.02)
        quantity = pa.array(rng.poisson(3, count).astype(np.int32))
        return pa.StructArray.from_arrays([sku, price, quantity], ["sku", "price", "quantity"])

    names = np.array(["colour", "size", "season", "origin"])
    ends = np.arange(rows + 1, dtype=np.int32) * 2
    keys, values = names[rng.integers(0, 4, 2 * rows)], rng.choice(_WORDS, 2 * rows)
    return {
        "id": pa.array(np.arange(first, first + rows)),
        "items": lists(6, items),
        "tags": lists(3, lambda count: pa.array(rng.choice(_WORDS, count))),
        "labels": pa.MapArray.from_arrays(pa.array(ends), pa.array(keys), pa.array(values)),
    }


def write_table(uri: str, rows: int, of_lists: bool = False) -> None:
    """The table, `FILES` appends of one file each."""
    for number in range(FILES):
        rng = np.random.default_rng(number)
        first, end = rows * number // FILES, rows * (number + 1) // FILES
        makers = (nested,) if of_lists else (strings, numbers)
        data = pa.table({name: found for make in makers for name, found in make(rng, first, end - first).items()})
        write_deltalake(uri, data, mode="append")


def processor_seconds() -> float:
    """User and system time of this process and of all that it started, those that have ended among them."""
    parents, ticks = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended
            told = stat.read_text().rpartition(")")[2].split()
            parents[int(stat.parent.name)], ticks[int(stat.parent.name)] = int(told[1]), sum(map(int, told[11:15]))

    def is_own(process: int) -> bool:
        return process == os.getpid() or (process in parents and is_own(parents[process]))

    return sum(spent for process, spent in ticks.items() if is_own(process)) / os.sysconf("SC_CLK_TCK")


def alternate(works: dict[str, Callable[[], Any]], rounds: int) -> dict[str, tuple[float, float]]:
    """Median (seconds, processor seconds) of each work, taking turns, after one warm-up each."""
    for work in works.values():
        work()
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            start, worked = time.perf_counter(), processor_seconds()
            work()
            spent[name].append((time.perf_counter() - start, processor_seconds() - worked))
    print({name: [(round(s, 2), round(p, 2)) for s, p in taken] for name, taken in spent.items()}, file=sys.stderr)
    medians = {name: [statistics.median(one) for one in zip(*taken, strict=True)] for name, taken in spent.items()}
    return {name: (seconds, processor) for name, (seconds, processor) in medians.items()}


def counted(name: str, kind: Any) -> list[Any]:
    """What Spark counts of a column: cells that are not null, or elements of its lists, of each of their fields."""
    from pyspark.sql import functions as F

    parts = {"array": [F.col(name)], "map": [F.map_keys(name), F.map_values(name)]}.get(kind.typeName(), [])
    fields = getattr(getattr(kind, "elementType", None), "names", ())
    lists = [F.col(f"{name}.{field}") for field in fields] or parts
    return [F.sum(F.size(one)) for one in lists] or [F.count(name)]


def measure(uri: str, rounds: int) -> dict[str, Any]:
    """The scan, the bare scan and DuckDB on one table; seconds, ratios and sizes."""
    import duckdb

    from catalog.lake.logs.log import read_table
    from catalog.lake.scanning.scan import scan
    from catalog.lake.scanning.session import session
    from catalog.lake.scanning.tasks import Task
    from catalog.settings import Settings

    spark = session(Settings(spark_master=f"local[{THREADS}]"))
    info = read_table(uri)
    tasks = [Task(1, uri, info, file) for file in info.files]
    paths = DeltaTable(uri).file_uris()
    frame = spark.read.parquet(*paths)
    counts = [one for field in frame.schema for one in counted(field.name, field.dataType)]
    sizes: list[int] = []

    def ours() -> None:
        results = list(scan(spark, tasks))
        assert all(result.state for result in results), [r.error for r in results]
        sizes[:] = [len(result.state or b"") for result in results]

    def bare() -> None:
        frame.agg(*counts).collect()

    engine = duckdb.connect(config={"threads": THREADS})

    def summarize() -> None:
        engine.execute("SUMMARIZE SELECT * FROM read_parquet(?)", [paths]).fetchall()

    spent = alternate({"ours": ours, "bare": bare, "duckdb": summarize}, rounds)
    seconds = {name: wall for name, (wall, _) in spent.items()}
    processor = {name: used for name, (_, used) in spent.items()}
    spark.stop()
    data = sum(file.size for file in info.files)
    return {
        "seconds": round(seconds["ours"], 3),
        "bare_seconds": round(seconds["bare"], 3),
        "ratio": round(seconds["ours"] / seconds["bare"], 3),
        "duckdb_seconds": round(seconds["duckdb"], 3),
        "processor_seconds": round(processor["ours"], 3),
        "bare_processor_seconds": round(processor["bare"], 3),
        "processor_ratio": round(processor["ours"] / processor["bare"], 3),
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
    parser.add_argument("--nested", action="store_true", help="a table of lists and maps")
    parser.add_argument("--table", type=Path, help="where the generated table is kept; made there when absent")
    parser.add_argument("--json", type=Path, help="file the figures are written to")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="assay-scan-") as folder:
        uri = str(options.table or Path(folder, "table"))
        if not Path(uri, "_delta_log").is_dir():
            write_table(uri, options.rows, options.nested)
        figures = measure(uri, max(3, options.rounds))
    text = json.dumps(figures, indent=1)
    print(text)
    if options.json:
        options.json.write_text(text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
