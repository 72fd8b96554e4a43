"""Our answers and DuckDB's to the same demands on the same files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks.checks.deequ.processor import tree_seconds
from benchmarks.checks.demands import Demand
from catalog.flow.declared.merged import Merged, merged, put_away
from catalog.lake.logs.log import read_table
from catalog.lake.reading.files import ReadPlan
from catalog.lake.scanning import counting
from catalog.lake.scanning import scan as scanning
from catalog.lake.scanning.spill import RunFiles
from catalog.lake.scanning.tasks import Task
from catalog.measures.part import Part, State
from catalog.measures.types import TypeCounts
from catalog.states.encoding import decode, encode
from catalog.states.folding.fold import leaves
from catalog.states.table import TableState, merge_all


@dataclass
class Cost:
    """Processor seconds, and rows that were read."""

    seconds: float = 0.0
    rows: int = 0


@contextmanager
def measured() -> Iterator[Cost]:
    """What the work inside costs: processor seconds of this process tree, rows that left the reader of data files."""
    cost, reader = Cost(), counting.read_file

    def counted(*arguments: Any, **named: Any) -> Iterator[Any]:
        for batch in reader(*arguments, **named):
            cost.rows += batch.num_rows
            yield batch

    counting.read_file = scanning.read_file = counted  # type: ignore[assignment]
    before = tree_seconds()
    try:
        yield cost
    finally:
        cost.seconds = tree_seconds() - before
        counting.read_file = scanning.read_file = reader


def count(uri: str, demands: Sequence[Demand], files: Sequence[str] | None = None) -> dict[str, bytes]:
    """The encoded parts that demands are read off, of each file (all, or those of some keys): what a scan stores.

    Raises the first error that a part met.
    """
    info = read_table(uri)
    plan = ReadPlan.of(info)
    parts = list({one.part.key: one.part for one in demands}.values())
    found: dict[str, bytes] = {}
    for file in info.files:
        if files is not None and file.key not in files:
            continue
        states = counting.count_file(plan, file, parts)
        for part in parts:
            state = states[part.key]
            if isinstance(state, Exception):
                raise state
            found[f"{part.key} {file.key}"] = part.encode(state)
    return found


def read(demands: Sequence[Demand], stored: dict[str, bytes]) -> dict[str, Any]:
    """The answers from stored parts, merged again: no data is read."""
    by_part: dict[str, list[bytes]] = {}
    for key, data in stored.items():
        by_part.setdefault(key.split(" ")[0], []).append(data)
    merged: dict[str, State] = {}
    found = {}
    for one in demands:
        part = one.part
        if part.key not in merged:
            merged[part.key] = part.merge(part.decode(data) for data in by_part.get(part.key, []))
        found[one.id] = one.read(merged[part.key])
    return found


class Standing:
    """The parts of a table as it stands, merged and kept as a crawl does: encoded, many groups in sorted files."""

    def __init__(self, demands: Sequence[Demand], folder: Path) -> None:
        self.demands, self.files = demands, RunFiles(folder)
        self.of_files: dict[str, dict[str, bytes]] = {}
        self.kept: dict[str, tuple[frozenset[str], bytes]] = {}

    def answers(self, uri: str) -> dict[str, Any]:
        """The figures of the table as it is now; only files that were never counted are read."""
        demands = [replace(one) for one in self.demands]  # made again, as a crawl reads its checks once
        keys = frozenset(file.key for file in read_table(uri).files)
        new = sorted(keys - self.of_files.keys())
        for name, data in count(uri, demands, new).items() if new else ():
            part, key = name.split(" ", 1)
            self.of_files.setdefault(key, {})[part] = data
        parts = {one.part.key: one.part for one in demands}
        states = {key: self._merged(part, keys) for key, part in parts.items()}
        return {one.id: one.read(states[one.part.key]) for one in demands}

    def _merged(self, part: Part, keys: frozenset[str]) -> State:
        last = None
        if part.key in self.kept:
            files, data = self.kept[part.key]
            last = Merged(files, part.decode(data, self.files.open), stored=True)

        def load(some: Sequence[str]) -> dict[str, State]:
            return {key: part.decode(self.of_files[key][part.key], self.files.open) for key in some}

        state, worth = merged(part, keys, load, self.files, last)
        if not worth.stored:
            worth = put_away(part, worth, self.files)
            self.kept[part.key] = worth.keys, part.encode(worth.state)
        return state


def profile(uri: str) -> TableState:
    """The full state of a table from its files, as the scan folds, encodes and merges it, in this process."""
    info = read_table(uri)
    plan = ReadPlan.of(info)
    return merge_all([decode(encode(scanning.fold_file(plan, file))) for file in info.files])


def scan(spark: Any, uri: str) -> TableState:
    """The same by the product's scan in a Spark session."""
    info = read_table(uri)
    results = list(scanning.scan(spark, [Task(1, uri, info, file) for file in info.files]))
    return merge_all(decode(one.state) for one in results if one.state is not None)


def types_of(uri: str) -> dict[str, TypeCounts]:
    """Type counts of the columns of text, which the scan does not keep: a pass of their own."""
    info = read_table(uri)
    plan = ReadPlan.of(info)
    texts = [name for name, array in leaves(plan.empty()) if pa.types.is_string(array.type)]
    parts = [Part("types", (name,)) for name in texts]
    counted = [counting.count_file(plan, file, parts) for file in info.files]
    return {part.columns[0]: part.merge(one[part.key] for one in counted) for part in parts}  # type: ignore[misc]


class Duck:
    """DuckDB over the data files of a table, as view ``t``."""

    def __init__(self, files: Sequence[str], threads: int = 2) -> None:
        import duckdb

        self._wrong = duckdb.Error
        self._engine = duckdb.connect(config={"threads": threads})
        self._engine.execute("SET TimeZone = 'UTC'")
        listed = ", ".join("'" + one.replace("'", "''") + "'" for one in files)
        self._engine.execute(f"CREATE VIEW t AS SELECT * FROM read_parquet([{listed}])")

    def row(self, query: str) -> tuple[Any, ...]:
        found = self._engine.execute(query).fetchone()
        return () if found is None else found

    def values(self, demands: Sequence[Demand]) -> dict[str, Any]:
        """Answers by demand, a query each; what it refuses is an ``error``."""
        found: dict[str, Any] = {}
        for one in demands:
            if one.sql is None:
                continue
            rows = "(SELECT 1)" if one.sql.startswith("(SELECT") else "t"
            try:
                found[one.id] = self.row(f"SELECT {one.sql} FROM {rows}")[0]
            except self._wrong as error:
                found[one.id] = {"error": str(error)[:200]}
        return found

    def summarize(self) -> list[Any]:
        """DuckDB's own profile."""
        found: list[Any] = self._engine.execute("SUMMARIZE t").fetchall()
        return found
