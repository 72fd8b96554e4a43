"""Which rows of a frame break a check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
import pyarrow as pa

from catalog.declared.constraint import Constraint
from catalog.declared.kinds.kind import REPEATED
from catalog.errors import AssayError
from catalog.measures.groups.across import alike
from catalog.predicates.engine import evaluate
from catalog.predicates.predicate import Predicate

Columns = Mapping[str, pa.Array]


def breaking(known: Columns, constraint: Constraint, other: Columns | None = None) -> pa.Array:
    """Which rows break a constraint; none where that cannot be asked of these columns, which its verdict has said.

    Parameters
    ----------
    other : leaf columns of the table that it compares with.
    """
    condition = constraint.failing()
    try:
        if condition is not None:
            return evaluate(known, [Predicate(condition)])[0]
        asked = evaluate(known, [Predicate(constraint.where)])[0] if constraint.where else None
        keys = [known[name] for name in constraint.columns]
        if constraint.by_key == REPEATED:
            return _repeated(keys, asked)
        named = constraint.arguments.get("other_columns") or constraint.columns
        return _lacking(keys, [(other or {})[name] for name in named], asked)
    except (AssayError, KeyError, TypeError, pa.ArrowException):
        return pa.nulls(len(next(iter(known.values()))), pa.bool_())


def _repeated(keys: Sequence[pa.Array], asked: pa.Array | None) -> pa.Array:
    """Which of the rows that are asked hold a key that is not null and that another of them holds."""
    frame, names, there = _asked(_table(keys), asked)
    often = there.cast(pl.UInt32).sum().over(names)
    return frame.select((there & (often > 1)).alias("found")).to_series().to_arrow()


def _lacking(keys: Sequence[pa.Array], others: Sequence[pa.Array], asked: pa.Array | None) -> pa.Array:
    """Which of the rows that are asked hold a key that is not null and that is none of the others."""
    own, theirs = alike([_table(keys), _table(others)])
    rows = own.num_rows
    both = pa.concat_tables([own, theirs], promote_options="permissive")
    no = pa.repeat(pa.scalar(False), theirs.num_rows)
    wanted = pa.concat_arrays([pa.repeat(pa.scalar(True), rows) if asked is None else asked, no])
    frame, names, there = _asked(both, wanted)
    frame = frame.with_row_index("row")
    found = (pl.col("row") >= rows).any().over(names)
    return frame.select((there & ~found).alias("found")).to_series().head(rows).to_arrow()


def _table(keys: Sequence[pa.Array]) -> pa.Table:
    return pa.table({str(at): key for at, key in enumerate(keys)})


def _asked(table: pa.Table, asked: pa.Array | None) -> tuple[pl.DataFrame, list[str], Any]:
    """The keys, their names, and which of them are asked of: those with a value in at least one column."""
    frame, names = pl.DataFrame(table), table.column_names
    rows = [True] * frame.height if asked is None else asked.to_pylist()
    frame = frame.with_columns(pl.Series("asked", rows, dtype=pl.Boolean).fill_null(False))
    return frame, names, pl.col("asked") & pl.any_horizontal(pl.col(names).is_not_null())
