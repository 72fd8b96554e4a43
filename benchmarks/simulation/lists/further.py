"""Faults of real life beyond the kinds that rules are drilled with: lists made up before their figures were seen.

Each says which causes are right; none where any word for it will do. Those of `first` were looked at to mend what they
showed, those of `second` were made up afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

Rng = np.random.Generator
#: From a batch, and the one before, to the batch with the fault.
Change = Callable[[pa.Table, Rng, pa.Table], pa.Table]


@dataclass(frozen=True)
class Fault:
    """One fault: what happens, to which column (none: to rows), which causes are right."""

    name: str
    column: str
    causes: str
    change: Change


def put(table: pa.Table, name: str, cells: list[Any]) -> pa.Table:
    """The table with other cells in a column."""
    at = table.schema.get_field_index(name)
    return table.set_column(at, table.schema.field(at), pa.array(cells, table.schema.field(at).type))


def col(name: str, change: Callable[[Any], Any], share: float = 1.0) -> Change:
    """Each cell of a share of the rows changed; nulls stay."""

    def done(table: pa.Table, rng: Rng, before: pa.Table) -> pa.Table:
        hit = rng.random(table.num_rows) < share
        cells = [change(x) if c and x is not None else x for x, c in zip(table[name].to_pylist(), hit, strict=True)]
        return put(table, name, cells)

    return done


def const(name: str, value: Any, share: float = 1.0) -> Change:
    """One value in a share of the rows."""

    def done(table: pa.Table, rng: Rng, before: pa.Table) -> pa.Table:
        hit = rng.random(table.num_rows) < share
        return put(table, name, [value if c else x for x, c in zip(table[name].to_pylist(), hit, strict=True)])

    return done


def drop(name: str, value: str) -> Change:
    """Rows of one value missing."""
    return lambda table, rng, before: table.filter(pc.not_equal(table[name], value))


def first(name: str, share: float) -> Change:
    """A load that broke off, in the order of a column."""
    return lambda table, rng, before: table.sort_by(name).slice(0, int(share * table.num_rows))


def reuse(name: str) -> Change:
    """Identifiers of the batch before."""

    def done(table: pa.Table, rng: Rng, before: pa.Table) -> pa.Table:
        old = before[name].to_pylist()
        return put(table, name, [old[k % len(old)] for k in range(table.num_rows)])

    return done


def join(times: list[int], shares: list[float]) -> Change:
    """Rows multiplied by a join."""

    def done(table: pa.Table, rng: Rng, before: pa.Table) -> pa.Table:
        often = rng.choice(times, table.num_rows, p=shares)
        return table.take(pa.array(np.repeat(np.arange(table.num_rows), often)))

    return done


def tests(**values: Any) -> Change:
    """Rows of a test account."""

    def done(table: pa.Table, rng: Rng, before: pa.Table) -> pa.Table:
        hit = rng.random(table.num_rows) < 0.12
        for name, value in values.items():
            table = put(table, name, [value if c else x for x, c in zip(table[name].to_pylist(), hit, strict=True)])
        return table

    return done


def header(table: pa.Table, rng: Rng, before: pa.Table) -> pa.Table:
    """The line of the names among the rows, five times."""
    places = {int(k) for k in rng.choice(table.num_rows, 5)}
    for field in table.schema:
        new = field.name if pa.types.is_string(field.type) else None
        cells = table[field.name].to_pylist()
        table = put(table, field.name, [new if k in places else cell for k, cell in enumerate(cells)])
    return table


def shiftrow(name: str) -> Change:
    """Cells one row off."""

    def done(table: pa.Table, rng: Rng, before: pa.Table) -> pa.Table:
        cells = table[name].to_pylist()
        return put(table, name, cells[1:] + cells[:1])

    return done


def day_month(value: datetime) -> datetime:
    return value.replace(month=value.day, day=value.month) if value.day <= 12 else value
