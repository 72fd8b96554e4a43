"""Groups of values with their rows: exact, mergeable, and all that is read off them."""

from __future__ import annotations

import io
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.ipc
from numpy.typing import NDArray

from catalog.errors import UsageError
from catalog.measures.groups.grouping import grouped
from catalog.measures.groups.runs import ROWS
from catalog.measures.groups.tally import Tally, tally_of

#: Most tables of groups are small: to hand their columns to threads costs more than it saves.
_ONE_THREAD = pa.ipc.IpcReadOptions(use_threads=False)


class Groups(ABC):
    """What is read off groups, wherever they are.

    `table` has columns ``g0``, ``g1`` ... (values of the grouping columns) and ``rows``, in no order; `nulls` are rows
    whose grouping columns are all null, they are in no group.
    """

    table: pa.Table
    nulls: int

    @property
    @abstractmethod
    def tally(self) -> Tally: ...

    @abstractmethod
    def ordered(self, places: Sequence[int]) -> list[float]:
        """The numbers that stand at some places (from 0) of the rows in the order of one column of numbers."""

    @property
    def counts(self) -> NDArray[np.int64]:
        found: NDArray[np.int64] = self.table[ROWS].to_numpy()
        return found

    @cached_property
    def rows(self) -> int:
        """Rows with a value in at least one of the columns."""
        return self.tally.total

    @property
    def distinct(self) -> int:
        """Distinct tuples, nulls among them only beside a value (deequ's count of distinct values counts null)."""
        return self.tally.distinct

    @property
    def singletons(self) -> int:
        return self.tally.singletons

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
        return self.tally.entropy

    def quantile(self, q: float) -> float | None:
        """Exact quantile of the numbers of one column, linear between neighbours (half of 1..6 is 3.5).

        Raises `UsageError` where its values are no numbers.
        """
        if not self.rows:
            return None
        kind = self.table.schema.field("g0").type
        if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
            raise UsageError(
                f"values of type {kind} have no quantile", remedy="ask it of a column of numbers, or CAST it"
            )
        place = q * (self.rows - 1)
        a, b = self.ordered([math.floor(place), math.ceil(place)])
        return a + (b - a) * (place - math.floor(place))

    def bins(self, how_many: int) -> list[tuple[float, float, int]]:
        """(from, to, rows) of bins of equal width over the finite numbers of one column; the last has its end.

        >>> [(round(a, 2), round(b, 2), n) for a, b, n in frequencies([pa.array([1, 2, 3, 4, 5, 6, None])]).bins(3)]
        [(1.0, 2.67, 2), (2.67, 4.33, 2), (4.33, 6.0, 2)]
        """
        if not self.rows:
            return []
        values = self.table["g0"].cast(pa.float64()).to_numpy()
        there = np.isfinite(values)
        rows, edges = np.histogram(values[there], how_many, weights=self.counts[there])
        return [(float(a), float(b), int(n)) for a, b, n in zip(edges, edges[1:], rows, strict=False)]

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
        """Of two columns, in nats. Pairs with one null stay among the rows but drop out of the sum, as in deequ; where
        there are no others there is no value.

        >>> a, b = pa.array(["a", "a", "b"]), pa.array(["x", None, "y"])
        >>> round(frequencies([a, b]).mutual_information(), 7)
        0.5013591
        """
        if not self.rows:
            return None
        table, total = self.table, self.rows
        whole = table.filter(pc.and_(pc.is_valid(table["g0"]), pc.is_valid(table["g1"])))
        if not whole.num_rows:  # one of them is null throughout
            return None
        rows = whole[ROWS].to_numpy()
        alone = [_marginal(table, name, whole[name]) for name in ("g0", "g1")]
        return float((rows / total * np.log(rows * (total / alone[0]) / alone[1])).sum()) + 0.0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Groups):
            return NotImplemented
        return self.nulls == other.nulls and sorted(map(repr, self.table.to_pylist())) == sorted(
            map(repr, other.table.to_pylist())
        )

    __hash__ = None  # type: ignore[assignment]  # a table has no hash


@dataclass(frozen=True, eq=False)
class Frequencies(Groups):
    """Every distinct tuple of values of some columns, with its rows, in memory.

    Parameters
    ----------
    table : columns ``g0``, ``g1`` ... (values of the grouping columns) and ``rows``; tuples that are null throughout
        are not in it.
    nulls : rows whose grouping columns are all null.
    """

    table: pa.Table
    nulls: int = 0

    @cached_property
    def tally(self) -> Tally:
        return tally_of(self.counts)

    def ordered(self, places: Sequence[int]) -> list[float]:
        table = self._in_order
        found = np.searchsorted(np.cumsum(table[ROWS].to_numpy()), places, side="right")
        return [float(table["g0"][int(at)].as_py()) for at in found]

    @cached_property
    def _in_order(self) -> pa.Table:
        return self.table.sort_by("g0")

    def encode(self) -> bytes:
        """As an Arrow stream."""
        out = io.BytesIO()
        table = self.table.replace_schema_metadata({b"nulls": str(self.nulls).encode()})
        options = pa.ipc.IpcWriteOptions(compression="zstd", use_threads=False)
        with pa.ipc.new_stream(out, table.schema, options=options) as writer:
            writer.write_table(table)
        return out.getvalue()

    @classmethod
    def decode(cls, data: bytes) -> Frequencies:
        table = pa.ipc.open_stream(data, options=_ONE_THREAD).read_all()
        return cls(table.replace_schema_metadata(None), int((table.schema.metadata or {}).get(b"nulls", b"0")))


def _marginal(table: pa.Table, name: str, wanted: pa.ChunkedArray) -> NDArray[np.int64]:
    """Rows of one column's values, at each of the wanted ones."""
    alone = grouped(table, [name], [ROWS])
    at = pc.index_in(wanted, alone[name].combine_chunks())
    rows: NDArray[np.int64] = alone[ROWS].to_numpy()[at.to_numpy()]
    return rows


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
    return Frequencies(grouped(table, table.column_names), nulls)


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


def merge_frequencies(parts: Iterable[Groups]) -> Frequencies:
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
    return Frequencies(grouped(table, names, [ROWS]) if len(tables) > 1 else table, nulls)
