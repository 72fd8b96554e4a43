"""Two tables compared by their groups of values: exact, in memory that grows with distinct values, not with rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from catalog.errors import UsageError
from catalog.measures.groups.frequency import Groups
from catalog.measures.groups.grouping import grouped
from catalog.measures.groups.runs import ROWS


@dataclass(frozen=True)
class Pairing:
    """Every distinct tuple of two tables: its rows in the first (`own`) and in the second (`theirs`)."""

    own: NDArray[np.int64]
    theirs: NDArray[np.int64]

    @property
    def found(self) -> int:
        """Rows of the first whose tuple the second has."""
        return int(self.own[self.theirs > 0].sum())

    @property
    def alike(self) -> int:
        """Rows that both have, each counted as often as both have it."""
        return int(np.minimum(self.own, self.theirs).sum())


def pair(own: Groups, theirs: Groups) -> Pairing:
    """The tuples of two tables side by side; integers of any width, and texts, are compared by value.

    Raises `UsageError` for columns whose values cannot be compared.

    >>> from catalog.measures.groups.frequency import frequencies
    >>> orders, customers = frequencies([pa.array([1, 1, 7])]), frequencies([pa.array([1, 2], pa.int32())])
    >>> found = pair(orders, customers)
    >>> found.found, found.alike
    (2, 1)
    """
    sides = [_sided(one.table, side) for side, one in enumerate((own, theirs)) if one.table.num_rows]
    if not sides:
        return Pairing(np.zeros(0, np.int64), np.zeros(0, np.int64))
    try:
        table = pa.concat_tables(alike(sides), promote_options="permissive")
    except (pa.ArrowException, TypeError) as error:
        types = " and ".join(", ".join(str(kind) for kind in one.schema.types[:-2]) for one in sides)
        raise UsageError(f"values of types {types} cannot be compared", remedy="compare columns of one type") from error
    names = [name for name in table.column_names if name not in ("own", "theirs")]
    found = grouped(table, names, ["own", "theirs"])
    return Pairing(found["own"].to_numpy(), found["theirs"].to_numpy())


def _sided(table: pa.Table, side: int) -> pa.Table:
    counts, nothing = table[ROWS], pa.repeat(pa.scalar(0, pa.int64()), table.num_rows)
    sides = [counts, nothing] if side == 0 else [nothing, counts]
    return table.drop_columns([ROWS]).append_column("own", sides[0]).append_column("theirs", sides[1])


def alike(tables: Sequence[pa.Table]) -> list[pa.Table]:
    """The same tables with texts of one kind: a reader may give them as large ones."""
    made = []
    for table in tables:
        fields = [f.with_type(pa.large_string()) if pa.types.is_string(f.type) else f for f in table.schema]
        made.append(table.cast(pa.schema(fields)))
    return made
