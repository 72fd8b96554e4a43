"""Rows that break declared checks, found by Spark: whatever Spark can answer, over any number of rows.

A row breaks a check on single rows, one that its key must occur once, or one that its key must be in another table.
What a check says of whole columns (a mean, a size) no single row breaks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from catalog.declared.constraint import Constraint
from catalog.declared.kinds.kind import REPEATED
from catalog.errors import UsageError
from catalog.lake.logs.schema import parse_schema, sql_names
from catalog.predicates.predicate import Predicate
from catalog.predicates.spark import spark_sql

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

#: The column that names the checks that a row breaks.
FAILED = "failed_checks"
_MARK = "__assay_failed_"


def by_rows(constraint: Constraint) -> bool:
    """Whether single rows break a check.

    >>> by_rows(Constraint("is_unique", ("id",))), by_rows(Constraint("has_mean", ("n",), at_least=1))
    (True, False)
    """
    return constraint.failing() is not None or bool(constraint.by_key)


def failing(
    frame: DataFrame,
    constraints: Sequence[Constraint],
    others: Callable[[Constraint], DataFrame] | None = None,
    within: Mapping[str, Column] | None = None,
) -> DataFrame:
    """The rows of a frame that break checks, with the names of those in a column `FAILED`.

    Parameters
    ----------
    others : the frame of the table that a check names.
    within : by check, the rows that it is asked of; all where none are given.

    Raises `UsageError` where no single row breaks any of the checks, or Spark cannot evaluate one of them.
    """
    from pyspark.errors import AnalysisException
    from pyspark.sql import functions as f

    chosen = [one for one in constraints if by_rows(one)]
    if not chosen:
        raise UsageError("no single row breaks these checks", remedy="ask of a check on rows, such as is_complete")
    columns = frame.columns
    chosen = [one.renamed(names_in_sql(frame)) for one in chosen]
    for at, one in enumerate(chosen):
        asked = (within or {}).get(one.name, f.lit(True))
        try:
            frame = _marked(frame, one, others)
        except AnalysisException:
            raise UsageError(
                f"Spark cannot evaluate the check {one.name}", remedy="correct it, or name the other checks"
            ) from None
        frame = frame.withColumn(f"{_MARK}{at}", f.when(f.col(_MARK) & asked, f.lit(one.name)))
        frame = frame.drop(_MARK)
    marks = [f.col(f"{_MARK}{at}") for at in range(len(chosen))]
    named = frame.withColumn(FAILED, f.array_compact(f.array(*marks)))
    quoted = ["`" + name.replace("`", "``") + "`" for name in columns]
    return named.where(f.size(FAILED) > 0).select(*quoted, FAILED)


def _marked(frame: DataFrame, constraint: Constraint, others: Callable[[Constraint], DataFrame] | None) -> DataFrame:
    """The frame with a column that says whether a row breaks the check."""
    from pyspark.sql import functions as f

    condition = constraint.failing()
    if condition is not None:
        return frame.withColumn(_MARK, f.coalesce(answer(frame, condition), f.lit(False)))
    asked = f.lit(True) if constraint.where is None else answer(frame, constraint.where)
    asked = f.coalesce(asked, f.lit(False))
    keys = [key_column(name) for name in constraint.columns]
    there = f.lit(False)
    for key in keys:
        there = there | key.isNotNull()
    if constraint.by_key == REPEATED:
        from pyspark.sql import Window

        often = f.sum(f.when(asked, 1).otherwise(0)).over(Window.partitionBy(*keys))
        return frame.withColumn(_MARK, asked & there & (often > 1))
    if others is None:
        raise UsageError(f"{constraint.name} compares with another table", remedy="give its frame")
    other = others(constraint)
    constraint = constraint.with_other_renamed(names_in_sql(other))
    named = constraint.arguments.get("other_columns") or constraint.columns
    theirs = other.select(*(key_column(name).alias(f"{_MARK}k{at}") for at, name in enumerate(named)))
    theirs = theirs.distinct().withColumn(f"{_MARK}found", f.lit(True))
    same = [key.eqNullSafe(f.col(f"{_MARK}k{at}")) for at, key in enumerate(keys)]
    joined = frame.join(theirs, on=_all(same), how="left")
    joined = joined.withColumn(_MARK, asked & there & f.col(f"{_MARK}found").isNull())
    return joined.drop(f"{_MARK}found", *(f"{_MARK}k{at}" for at in range(len(keys))))


def _all(conditions: Sequence[Column]) -> Column:
    first, *rest = conditions
    for one in rest:
        first = first & one
    return first


def answer(frame: DataFrame, condition: str) -> Column:
    """What a condition says of each row of a frame."""
    from pyspark.sql import functions as f
    from pyspark.sql.types import ArrayType

    lists = {field.name.casefold() for field in frame.schema.fields if isinstance(field.dataType, ArrayType)}
    return f.expr(spark_sql(Predicate(condition), lists))


def names_in_sql(frame: DataFrame) -> dict[str, str]:
    """How Spark is asked for the columns of a frame whose names hold dots, by their names here."""
    return sql_names(parse_schema(frame.schema.json()))


def key_column(name: str) -> Column:
    """A leaf column by its dotted name; one that holds dots itself stands in backticks."""
    from pyspark.sql import functions as f

    if name.startswith("`"):
        return f.col(name)
    return f.col(".".join("`" + part.replace("`", "``") + "`" for part in name.split(".")))
