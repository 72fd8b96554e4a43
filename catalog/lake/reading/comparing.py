"""Two tables compared by a Spark join, where their distinct values are too many to be kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from catalog.declared.facts import Compared
from catalog.lake.reading.failing import answer, key_column

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def compare(
    own: DataFrame, theirs: DataFrame, columns: Sequence[str], other_columns: Sequence[str], where: str | None = None
) -> Compared:
    """The same figures as `catalog.measures.groups.across.pair`, in the memory of Spark's join."""
    from pyspark.sql import functions as f

    if where is not None:
        own = own.where(answer(own, where))
    mine = _grouped(own, columns, "a")
    others = _grouped(theirs, other_columns, "b")
    names = [f"k{at}" for at in range(len(columns))]
    same, there = f.lit(True), f.lit(False)
    for name in names:
        same = same & mine[name].eqNullSafe(others[name])
        there = there | mine[name].isNotNull()
    both = mine.join(others, on=same, how="full_outer")
    a, b = f.coalesce(mine["a"], f.lit(0)), f.coalesce(others["b"], f.lit(0))
    row = both.select(
        f.sum(a), f.sum(b), f.sum(f.when(there, a)), f.sum(f.when(there & (b > 0), a)), f.sum(f.least(a, b))
    ).first()
    return Compared(*(int(one or 0) for one in row or (0,) * 5))


def _grouped(frame: DataFrame, columns: Sequence[str], count: str) -> DataFrame:
    from pyspark.sql import functions as f

    named = [key_column(name).alias(f"k{at}") for at, name in enumerate(columns)]
    return frame.groupBy(*named).agg(f.count(f.lit(1)).alias(count))
