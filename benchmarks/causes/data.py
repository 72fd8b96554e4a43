"""Histories for `benchmarks.causes`: real series, executions made of real tables, and business tables with times.

Tables are split by source (repository, series, kind of business table) into a part to develop on and one that only
reports; the business tables are generated, because real ones with clocks are rare in the data folder.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.avh.columns import executions, read_table
from benchmarks.avh.data import as_numbers

PAST = 20  # executions that rules are learned from
LENGTH = PAST + 2  # with the one that is judged, and one after it that tells what is no damage
PARTS = ("develop", "report")
LEAST = 250  # rows of a real table

Rng = np.random.Generator


@dataclass(frozen=True)
class Series:
    """Consecutive executions of one table, oldest first, and where they are from."""

    name: str
    source: str
    tables: list[pa.Table]


def part_of(source: str) -> str:
    """The part that a source belongs to, by a hash of its name."""
    return PARTS[zlib.crc32(f"part {source}".encode()) % 2]


def load(data: Path, part: str, tables: int) -> Iterator[Series]:
    """Series of one part: all real ones, up to `tables` made of real tables, business ones."""
    yield from real(data, part)
    yield from made(data, part, tables)
    yield from business(part)


def real(data: Path, part: str) -> Iterator[Series]:
    """The first executions of the first clean window that is long enough."""
    for folder in sorted((*(data / "histories").iterdir(), *(data / "histories2").iterdir())):
        if not (folder / "incidents.json").exists() or part_of(folder.name) != part:
            continue
        windows = json.loads((folder / "incidents.json").read_text()).get("clean_windows", [])
        start = next((w["start"] for w in windows if w["end"] - w["start"] + 1 >= LENGTH), None)
        if start is not None:
            files = [folder / f"{i:04d}.parquet" for i in range(start, start + LENGTH)]
            tables = [pq.read_table(file) for file in files]
            if min(t.num_rows for t in tables) >= 20:
                yield Series(folder.name, folder.name, typed(tables))


def made(data: Path, part: str, count: int) -> Iterator[Series]:
    """Executions drawn from the rows of real tables (`benchmarks.avh.columns`)."""
    for name, repo, table, rng in real_tables(data, part, count, LEAST, "causes"):
        yield Series(name, repo, typed(executions(table, rng, LENGTH)))


def real_tables(
    data: Path, part: str, count: int, least: int, drawn_for: str
) -> Iterator[tuple[str, str, pa.Table, Rng]]:
    """(name, repository, rows in the order of the file, draws) of up to `count` real tables of one part, of at least so
    many rows, in an order of their own for what they are drawn for."""
    found = pl.read_parquet(data / "columns" / "tables.parquet").filter(pl.col("n_rows") >= least)
    mine = [(t, r) for t, r in found.select("table_id", "repo").rows() if part_of(r) == part]
    mine.sort(key=lambda one: zlib.crc32(f"{drawn_for} {one[0]}".encode()))
    for name, repo in mine[:count]:
        rng = np.random.default_rng(zlib.crc32(name.encode()))
        table = read_table(data, name, rng)
        if table.num_columns and table.num_rows >= least:
            yield name, repo, table, rng


def typed(tables: list[pa.Table]) -> list[pa.Table]:
    """Columns with their types: numbers and ISO dates and times where all cells of all executions are such."""
    names = [n for n in tables[0].column_names if all(n in t.column_names for t in tables)]
    joined = pa.concat_tables([t.select(names) for t in tables])
    texts = [n for n in names if pa.types.is_string(joined.schema.field(n).type)]
    numbers, whole = as_numbers(joined.select(texts)) if texts else (pa.table({}), set())
    columns = {}
    for name in names:
        column = joined[name]
        if name in texts:
            column = numbers[name] if name in whole and numbers[name].null_count < len(column) else moments(column)
        columns[name] = column
    whole_table, out, start = pa.table(columns), [], 0
    for table in tables:
        out.append(whole_table.slice(start, table.num_rows).combine_chunks())
        start += table.num_rows
    return out


def moments(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Timestamps where all cells are ISO times with a clock; else strings, empty ones null."""
    texts = pc.if_else(pc.equal(column, ""), None, column)
    there = texts.drop_null()
    if len(there) and pc.all(pc.match_substring_regex(there, r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d")).as_py():
        found = pl.Series(texts.to_pylist()).str.slice(0, 16).str.replace("T", " ").str.to_datetime("%Y-%m-%d %H:%M")
        return pa.chunked_array([found.to_arrow().cast(pa.timestamp("us", "UTC"))])
    return texts


# ------------------------------------------------------------------------------------------------------ business tables

START = datetime(2026, 1, 5, tzinfo=UTC)
Batch = Callable[[Rng, datetime, int], pa.Table]


def business(part: str) -> Iterator[Series]:
    """One series of each generated table of the part, a batch a day."""
    for name, batch in BUSINESS.items():
        if part_of(name) == part:
            rngs = [np.random.default_rng([zlib.crc32(name.encode()), day]) for day in range(LENGTH)]
            tables = [batch(rng, START + timedelta(days=day), int(rng.normal(900, 40))) for day, rng in enumerate(rngs)]
            yield Series(name, name, tables)


def _office(rng: Rng, day: datetime, n: int, middle: float = 13, width: float = 2.5) -> list[datetime]:
    return [day + timedelta(hours=float(h)) for h in np.clip(rng.normal(middle, width, n), 0, 23.99)]


def _later(rng: Rng, times: list[datetime], hours: float) -> list[datetime]:
    return [t + timedelta(hours=float(h)) for t, h in zip(times, rng.exponential(hours, len(times)), strict=True)]


def _pick(rng: Rng, values: str, n: int, weights: list[float] | None = None) -> list[str]:
    return [str(v) for v in rng.choice(values.split("|"), n, p=weights)]


def tickets(rng: Rng, day: datetime, n: int) -> pa.Table:
    opened = _office(rng, day, n)
    return pa.table(
        {
            "ticket": [f"TCK-{k:06d}" for k in rng.integers(0, 999_999, n)],
            "queue": _pick(rng, "billing|delivery|returns|technical|other", n, [0.3, 0.25, 0.2, 0.15, 0.1]),
            "agent": _pick(rng, "Jörg Müller|Anna Weiß|Zoë Blanc|Tom Ford|Łucja Żak|Ana Peña", n),
            "opened_at": opened,
            "closed_at": _later(rng, opened, 6),
            "minutes": np.round(rng.lognormal(3, 0.6, n), 1),
        }
    )


def shipments(rng: Rng, day: datetime, n: int) -> pa.Table:
    packed = _office(rng, day, n, 10, 2)
    return pa.table(
        {
            "parcel": [f"{k:014d}" for k in rng.integers(0, 10**13, n)],
            "carrier": _pick(rng, "north|swift|parcelo|express", n, [0.4, 0.3, 0.2, 0.1]),
            "postcode": [f"{k:05d}" for k in rng.integers(1000, 99_999, n)],
            "kilograms": np.round(rng.lognormal(0.5, 0.7, n), 2),
            "packed_at": packed,
            "shipped_at": _later(rng, packed, 3),
        }
    )


def weblog(rng: Rng, day: datetime, n: int) -> pa.Table:
    return pa.table(
        {
            "at": _office(rng, day, n, 15, 4),
            "address": [".".join(map(str, rng.integers(1, 255, 4))) for _ in range(n)],
            "path": [f"/item/{k}?ref=a&b={k % 7}" for k in rng.integers(1, 400, n)],
            "status": rng.choice([200, 301, 404, 500], n, p=[0.9, 0.05, 0.04, 0.01]),
            "bytes": rng.lognormal(8, 1, n).astype(int),
            "device": _pick(rng, "mobile|desktop|tablet", n, [0.6, 0.3, 0.1]),
        }
    )


def sensors(rng: Rng, day: datetime, n: int) -> pa.Table:
    read = _office(rng, day, n, 12, 3)
    return pa.table(
        {
            "sensor": [f"S{k:02d}-{'AB'[k % 2]}" for k in rng.integers(1, 40, n)],
            "site": _pick(rng, "Köln|Zürich|Graz|Århus", n),
            "read_at": read,
            "stored_at": _later(rng, read, 0.5),
            "celsius": np.round(rng.normal(19, 3, n), 1),
            "pascal": np.round(rng.normal(101_300, 600, n), 0),
        }
    )


def orders(rng: Rng, day: datetime, n: int) -> pa.Table:
    placed = _office(rng, day, n, 18, 3)
    net = np.round(rng.lognormal(3.5, 0.5, n), 2)
    return pa.table(
        {
            "order_no": [f"SO-{day:%Y}-{k:06d}" for k in rng.integers(0, 999_999, n)],
            "customer": [f"C{k:05d}" for k in rng.integers(0, 30_000, n)],
            "ordered_on": [f"{day:%Y-%m-%d}"] * n,
            "placed_at": placed,
            "paid_at": _later(rng, placed, 2),
            "country": _pick(rng, "DE|FR|NL|AT|PL", n, [0.4, 0.2, 0.2, 0.1, 0.1]),
            "net": net,
            "gross": np.round(net * 1.19, 2),
        }
    )


def payments(rng: Rng, day: datetime, n: int) -> pa.Table:
    booked = _office(rng, day, n, 9, 2)
    return pa.table(
        {
            "payment": [f"{k:x}" for k in rng.integers(16**9, 16**10, n)],
            "method": _pick(rng, "card|transfer|wallet|invoice", n, [0.5, 0.2, 0.2, 0.1]),
            "amount": np.round(rng.lognormal(4, 0.6, n), 2),
            "currency": _pick(rng, "EUR|CHF|PLN", n, [0.8, 0.1, 0.1]),
            "booked_at": booked,
            "settled_at": _later(rng, booked, 30),
        }
    )


BUSINESS: dict[str, Batch] = {one.__name__: one for one in (tickets, shipments, weblog, sensors, orders, payments)}
