"""Groups of values with their rows: exact, mergeable, and all that is read off them."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.ipc
from numpy.typing import NDArray

ROWS = "rows"  # name of the column of counts; groups are g0, g1 ...


@dataclass(frozen=True, eq=False)
class Frequencies:
    """Every distinct tuple of values of some columns, with its rows.

    Parameters
    ----------
    table : columns ``g0``, ``g1`` ... (values of the grouping columns) and ``rows``; tuples that are null throughout
        are not in it.
    nulls : rows whose grouping columns are all null.
    """

    table: pa.Table
    nulls: int = 0

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        found: NDArray[np.int64] = self.table[ROWS].to_numpy()
        return found

    @property
    def rows(self) -> int:
        """Rows with a value in at least one of the columns."""
        return int(self.counts.sum())

    @property
    def distinct(self) -> int:
        """Distinct tuples, nulls among them only beside a value (deequ's count of distinct values counts null)."""
        return len(self.counts)

    @property
    def singletons(self) -> int:
        return int(np.count_nonzero(self.counts == 1))

    @property
    def duplicates(self) -> int:
        """Rows that are not the only one of their tuple."""
        return self.rows - self.singletons

    @property
    def uniqueness(self) -> float | None:
        """deequ's Uniqueness: singletons / rows."""
        return self.singletons / self.rows if self.rows else None

    @property
    def unique_value_ratio(self) -> float | None:
        """The paper's Uniqueness, deequ's UniqueValueRatio: singletons / distinct."""
        return self.singletons / self.distinct if self.distinct else None

    @property
    def distinctness(self) -> float | None:
        """deequ's Distinctness: distinct / rows (the paper divides by all rows, nulls included)."""
        return self.distinct / self.rows if self.rows else None

    @property
    def entropy(self) -> float | None:
        """In nats, over the rows with a value.

        >>> round(frequencies([pa.array(["a", "a", "a", "b"])]).entropy, 10)
        0.5623351446
        """
        if not self.rows:
            return None
        shares = self.counts / self.rows
        return float(-(shares * np.log(shares)).sum()) + 0.0

    def histogram(self, most: int | None = None) -> list[tuple[Any, int, float]]:
        """(value, rows, share of all rows) of one column, most frequent first; null is a bin of its own, None.

        >>> frequencies([pa.array(["a", "a", "b", None])]).histogram()
        [('a', 2, 0.5), ('b', 1, 0.25), (None, 1, 0.25)]
        """
        total = self.rows + self.nulls
        values = self.table["g0"].to_pylist() if self.distinct else []  # a state of no rows knows no columns
        bins = list(zip(values, self.counts.tolist(), strict=True))
        bins += [(None, self.nulls)] if self.nulls else []
        bins.sort(key=lambda one: (-one[1], one[0] is None, str(one[0])))
        return [(value, rows, rows / total) for value, rows in bins[:most]]

    def mutual_information(self) -> float | None:
        """Of two columns, in nats. Pairs with one null stay among the rows but drop out of the sum, as in deequ.

        >>> a, b = pa.array(["a", "a", "b"]), pa.array(["x", None, "y"])
        >>> round(frequencies([a, b]).mutual_information(), 7)
        0.5013591
        """
        if not self.rows:
            return None
        first, second = _marginal(self.table, "g0"), _marginal(self.table, "g1")
        whole = self.table.filter(pc.and_(pc.is_valid(self.table["g0"]), pc.is_valid(self.table["g1"])))
        total, out = self.rows, 0.0
        for a, b, rows in zip(*(whole[name].to_pylist() for name in ("g0", "g1", ROWS)), strict=True):
            out += rows / total * math.log(rows * total / (first[a] * second[b]))
        return out

    def encode(self) -> bytes:
        """As an Arrow stream."""
        out = io.BytesIO()
        table = self.table.replace_schema_metadata({b"nulls": str(self.nulls).encode()})
        options = pa.ipc.IpcWriteOptions(compression="zstd")
        with pa.ipc.new_stream(out, table.schema, options=options) as writer:
            writer.write_table(table)
        return out.getvalue()

    @classmethod
    def decode(cls, data: bytes) -> Frequencies:
        table = pa.ipc.open_stream(data).read_all()
        return cls(table.replace_schema_metadata(None), int((table.schema.metadata or {}).get(b"nulls", b"0")))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Frequencies):
            return NotImplemented
        return self.nulls == other.nulls and sorted(map(repr, self.table.to_pylist())) == sorted(
            map(repr, other.table.to_pylist())
        )

    __hash__ = None  # type: ignore[assignment]  # a table has no hash


def _marginal(table: pa.Table, name: str) -> dict[Any, int]:
    found = table.group_by(name).aggregate([(ROWS, "sum")])
    return dict(zip(found[name].to_pylist(), found[f"{ROWS}_sum"].to_pylist(), strict=True))


def frequencies(columns: Sequence[pa.Array], asked: NDArray[np.bool_] | None = None) -> Frequencies:
    """Groups of a batch; of the rows `asked` only."""
    table = pa.table({f"g{at}": _keyed(array) for at, array in enumerate(columns)})
    if asked is not None:
        table = table.filter(pa.array(asked))
    empty = np.ones(table.num_rows, bool)
    for column in table.columns:
        empty &= column.is_null().to_numpy()
    nulls = int(np.count_nonzero(empty))
    if nulls:
        table = table.filter(pa.array(~empty))
    found = table.group_by(table.column_names).aggregate([([], "count_all")])
    return Frequencies(found.rename_columns([*table.column_names, ROWS]), nulls)


def _keyed(array: pa.Array) -> pa.Array:
    """Values that can be grouped by; -0.0 is 0.0, all NaNs are one."""
    kind = array.type
    if pa.types.is_floating(kind):
        plain = pc.if_else(pc.equal(array, 0), pa.scalar(0.0, kind), array)
        return pc.if_else(pc.is_nan(array), pa.scalar(float("nan"), kind), plain)
    if pa.types.is_string_view(kind):
        return array.cast(pa.string())
    if pa.types.is_nested(kind):
        raise TypeError(f"values of type {kind} cannot be grouped by")
    return array


def merge_frequencies(parts: Iterable[Frequencies]) -> Frequencies:
    """The groups of the rows of all.

    >>> a, b = frequencies([pa.array(["a", "b"])]), frequencies([pa.array(["b", None, "c"])])
    >>> merged = merge_frequencies([a, b])
    >>> merged.distinct, merged.nulls, merged.uniqueness
    (3, 1, 0.5)
    """
    found = [part for part in parts if part.table.num_rows or part.nulls]
    if not found:
        return Frequencies(pa.table({ROWS: pa.array([], pa.int64())}))
    nulls = sum(part.nulls for part in found)
    tables = [part.table for part in found if part.table.num_rows]
    if not tables:
        return Frequencies(found[0].table, nulls)
    table = pa.concat_tables(tables, promote_options="permissive")
    names = [name for name in table.column_names if name != ROWS]
    merged = table.group_by(names).aggregate([(ROWS, "sum")]) if len(tables) > 1 else table
    return Frequencies(merged.rename_columns([*names, ROWS]), nulls)
