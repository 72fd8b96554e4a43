"""Columns of a benchmark folder, split as Auto-Validate's section 5.1 does, as flat arrays that any rule can be
judged on.

The folder holds columns.parquet (column_id, repo, table_id, column, values, numeric, machine_like, ...) and
benchmark.parquet (column_id of the query columns B), by itself or in its subfolder ``columns``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from catalog.domains.known import KNOWN, in_force
from catalog.domains.missing import MARKERS, markers_among
from catalog.evidence.pattern_index.views import Profile, profile_values
from catalog.patterns.language.characters import shape_of
from catalog.patterns.language.hierarchy import VIEWS, class_of
from catalog.states.column import EXACT_VALUES, ColumnState
from catalog.states.folding.fold import fold
from catalog.states.parts.summaries import LISTED
from catalog.tags.table import propose_table

Tags = Mapping[str, Collection[str]]  # the particular meanings of columns, by column_id

LEAST_LAKE = 20  # columns with fewer non-empty values are no evidence


@dataclass
class Column:
    """One real column: `values` are its non-empty values in file order; the first tenth is for training."""

    column_id: str
    repo: str
    table: str
    name: str
    machine_like: bool
    values: list[str]
    distinct: int

    @property
    def cut(self) -> int:
        return max(1, len(self.values) // 10)

    @property
    def train(self) -> list[str]:
        return self.values[: self.cut]

    @property
    def test(self) -> list[str]:
        return self.values[self.cut :]

    def profile(self, part: str) -> Profile:
        """Profile of "all", "train" or "test"."""
        values = {"all": self.values, "train": self.train, "test": self.test}[part]
        return profile_values(Counter(values).items())


def tags_of(folder: Path, columns: Iterable[Column]) -> dict[str, set[str]]:
    """The particular domains that some columns would be tagged with by what rules are learned from: the first tenth of
    their table's cells, its name and those of its columns. Of folders that do not say which tables there were none."""
    home = folder / "columns" if (folder / "columns" / "columns.parquet").exists() else folder
    if not (home / "tables.parquet").exists():
        return {}
    wanted, found = {column.column_id for column in columns}, {}
    frame = pl.read_parquet(home / "columns.parquet", columns=["column_id", "column", "values"])
    rows = {row["column_id"]: row for row in frame.iter_rows(named=True)}
    for table in pl.read_parquet(home / "tables.parquet").iter_rows(named=True):
        there = {rows[one]["column"]: one for one in table["column_ids"] if one in rows}
        if wanted.isdisjoint(there.values()):
            continue
        heads = {name: [v for v in rows[one]["values"] if v] for name, one in there.items()}
        states = {name: state_of(cells[: max(1, len(cells) // 10)]) for name, cells in heads.items() if cells}
        for name, said in propose_table(states, Path(table["path"]).stem).items():
            meant = {one.domain for one in said if not one.generic and not one.contains}
            if there[name] in wanted and (known := meant & in_force().keys()):
                found[there[name]] = known
    return found


def state_of(values: list[str]) -> ColumnState:
    """State of a column, folded as the scan folds it."""
    return fold(pa.table({"x": pa.array(values, pa.string())})).columns["x"]


def load(folder: Path, *, numeric: bool = False) -> tuple[list[Column], list[int]]:
    """(string columns of the lake, numbers of the query columns among them)."""
    home = folder / "columns" if (folder / "columns" / "columns.parquet").exists() else folder
    frame = pl.read_parquet(home / "columns.parquet")
    wanted = set(pl.read_parquet(home / "benchmark.parquet")["column_id"].to_list())
    lake: list[Column] = []
    queries: list[int] = []
    for row in frame.iter_rows(named=True):
        if row["numeric"] and not numeric and row["column_id"] not in wanted:
            continue
        values = [v for v in row["values"] if v]
        if len(values) < LEAST_LAKE and row["column_id"] not in wanted:
            continue
        if row["column_id"] in wanted:
            queries.append(len(lake))
        lake.append(
            Column(
                str(row["column_id"]), row["repo"], f"{row['repo']}/{row['table_id']}", row["column"],
                bool(row.get("machine_like")), values, len(set(values)),
            )
        )  # fmt: skip
    return lake, queries


@dataclass
class Tests:
    """The test values of all query columns, as numbers of distinct values.

    `order` is a fixed shuffle of each column's test rows, by which rows are replaced and donated under partial damage.
    """

    columns: list[Column]
    texts: list[str] = field(init=False)
    number: dict[str, int] = field(init=False)
    rows: list[np.ndarray] = field(init=False)
    _domains: dict[str, np.ndarray] = field(init=False, default_factory=dict)
    _distinct: np.ndarray | None = field(init=False, default=None)
    _keyed: dict[tuple[bool, Callable[[str], str]], dict[str, list[int]]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.number = {}
        self.rows = []
        random = np.random.default_rng(2021)
        for column in self.columns:
            ids = [self.number.setdefault(value, len(self.number)) for value in column.test]
            self.rows.append(random.permutation(np.array(ids, np.int64)))
        self.texts = list(self.number)
        self.size = np.array([len(r) for r in self.rows])
        self.start = np.concatenate(([0], np.cumsum(self.size)))
        self.flat = np.concatenate(self.rows)

    @cached_property
    def shapes(self) -> tuple[list[str], np.ndarray]:
        """(distinct shapes, shape number of each distinct value)."""
        known: dict[str, int] = {}
        ids = np.array([known.setdefault(shape_of(text), len(known)) for text in self.texts])
        return list(known), ids

    def keyed(self, of_shapes: bool, key: Callable[[str], str]) -> dict[str, list[int]]:
        """Numbers of the distinct values, or of their shapes, by a key of them."""
        known = self._keyed.get((of_shapes, key))
        if known is None:
            known = self._keyed[of_shapes, key] = {}
            for at, text in enumerate(self.shapes[0] if of_shapes else self.texts):
                known.setdefault(key(text), []).append(at)
        return known

    @cached_property
    def missing(self) -> np.ndarray:
        """Distinct values that are markers of missing ones."""
        return np.array([text in MARKERS for text in self.texts])

    def missing_of(self, query: int) -> np.ndarray:
        """Distinct values that are markers of missing ones in a query column (`markers_among`)."""
        out = self.missing.copy()
        codes = MARKERS - markers_among(set(self.columns[query].values))
        out[[self.number[code] for code in codes if code in self.number]] = False
        return out

    @cached_property
    def classes(self) -> dict[str, tuple[dict[str, int], np.ndarray]]:
        """Each view: (number of each class, class number of each distinct shape)."""
        out: dict[str, Any] = {}
        texts = self.shapes[0]
        for view in VIEWS:
            known: dict[str, int] = {}
            ids = np.array([known.setdefault(class_of(view, text), len(known)) for text in texts])
            out[view] = (known, ids)
        return out

    def bad_counts(self, bad: np.ndarray, query: int, shares: tuple[float, ...]) -> np.ndarray:
        """Non-conforming rows when the rows of `query` are replaced by those of each column; shape (shares, columns).

        `bad` says of each distinct value whether it does not conform. At share 1 the batch is the other column itself.
        """
        flat = bad[self.flat].astype(np.int64)
        total = np.concatenate(([0], np.cumsum(flat)))
        start, size = self.start[:-1], self.size
        whole = total[start + size] - total[start]
        own = flat[start[query] : start[query] + size[query]]
        out = np.empty((len(shares), len(size)), np.int64)
        for i, share in enumerate(shares):
            if share >= 1:
                out[i] = whole
                continue
            replaced = max(1, round(share * size[query]))
            rounds, rest = np.divmod(replaced, size)
            out[i] = own[replaced:].sum() + rounds * whole + total[start + rest] - total[start]
        return out

    def outside_domain(self, domain: str) -> np.ndarray:
        """Distinct values that do not belong to a known domain."""
        if domain not in self._domains:
            self._domains[domain] = np.packbits([not KNOWN[domain].validate(text) for text in self.texts])
        return np.unpackbits(self._domains[domain], count=len(self.texts)).astype(bool)

    def drawn(self, query: int, shares: tuple[float, ...]) -> np.ndarray:
        """How many values a state lists of the batches that `bad_counts` describes; 0 where it lists all of them."""
        distinct = np.array([len(np.unique(rows)) for rows in self.rows]) if self._distinct is None else self._distinct
        self._distinct = distinct
        sizes = self.batch_sizes(query, shares)
        mixed = [
            distinct if q >= 1 else distinct[query] + np.minimum(distinct, np.round(q * self.size[query]))
            for q in shares
        ]
        listed = np.clip(sizes // 16, 16, LISTED)
        return np.where(np.stack(mixed) > EXACT_VALUES, listed, 0)

    def batch_sizes(self, query: int, shares: tuple[float, ...]) -> np.ndarray:
        """Rows of the batches that `bad_counts` describes."""
        return np.stack([self.size if share >= 1 else np.full(len(self.size), self.size[query]) for share in shares])
