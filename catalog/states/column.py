"""What one scan leaves of a column."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from catalog.states.parts.calendar import Before, Calendar
from catalog.states.parts.distinct import Distinct
from catalog.states.parts.exact import EXACT_VALUES, VALUE_BYTES, Parts, derive
from catalog.states.parts.moments import Moments
from catalog.states.parts.order import Order
from catalog.states.parts.shapes import Lengths, Shape, Shapes
from catalog.states.parts.summaries import Frequent, Quantiles

__all__ = [
    "COLUMN_KINDS", "EXACT_VALUES", "VALUE_BYTES", "ColumnState", "Distinct", "Frequent", "Lengths", "Moments", "Order",
    "Parts", "Quantiles", "Shape", "Shapes",
]  # fmt: skip

COLUMN_KINDS = ("string", "number", "boolean", "time", "binary", "list", "other")


@dataclass(frozen=True)
class ColumnState:
    """The mergeable state of one column.

    A column with at most `EXACT_VALUES` distinct short values is kept as its table of values: `table` holds (value,
    rows) by rows, largest first, and every other part is derived from it when asked for. Beyond that `table` is None
    and `sketch` holds the parts, each with its own bound.

    Parameters
    ----------
    kind : one of `COLUMN_KINDS`.
    type : Spark's simple type name, such as ``string``, ``bigint``, ``decimal(10,2)``.
    rows : all rows; `nulls` of them are null, `empties` empty strings or empty lists, `nans` floating-point NaN
        (present, not null, not a number: out of every other part).
    order : of strings, how the rows follow each other; a matter of files, not of what the column holds, so that two
        states may be equal without it.
    before : of times, how often they are before those of the time column in front of them; nothing of the column alone.
    """

    kind: str
    type: str
    rows: int
    nulls: int = 0
    empties: int = 0
    nans: int = 0
    table: tuple[tuple[Any, int], ...] | None = ()
    sketch: Parts | None = None
    order: Order | None = field(default=None, compare=False)
    before: tuple[Before, ...] = field(default=(), compare=False)

    @cached_property
    def parts(self) -> Parts:
        """All parts, derived from the table of values where there is one."""
        return derive(self.kind, self.table or ()) if self.sketch is None else self.sketch

    @property
    def moments(self) -> Moments | None:
        """Of numbers and times (epoch microseconds), of lengths for lists, of the parsed numbers for strings."""
        return self.parts.moments

    @property
    def low(self) -> Any:
        """Least value, exactly and in its own type; None when there is none. Strings are cut to `VALUE_BYTES` bytes."""
        return self.parts.low

    @property
    def high(self) -> Any:
        """Largest value, as `low`."""
        return self.parts.high

    @property
    def distinct(self) -> Distinct:
        return self.parts.distinct

    @property
    def different(self) -> float:
        """How many distinct values there are: counted where the state keeps them all, else estimated."""
        return float(len(self.table or ())) if self.sketch is None else self.distinct.estimate()

    @property
    def frequent(self) -> Frequent:
        return self.parts.frequent

    @property
    def quantiles(self) -> Quantiles | None:
        """Of the same numbers as `moments`, infinities included."""
        return self.parts.quantiles

    @property
    def lengths(self) -> Lengths | None:
        return self.parts.lengths

    @property
    def shapes(self) -> Shapes | None:
        return self.parts.shapes

    @property
    def parsed(self) -> int:
        """How many cells of a string column are numbers."""
        return self.parts.parsed

    @property
    def garbled(self) -> int | None:
        """How many cells of a string column show a wrong encoding; None where that is not known."""
        return self.parts.garbled

    @property
    def calendar(self) -> Calendar | None:
        """Hours of the day and days of the week of a time column; None where that is not known."""
        return self.parts.calendar

    @property
    def non_null(self) -> int:
        return self.rows - self.nulls

    @property
    def is_whole(self) -> bool:
        """Whether its type holds whole numbers alone: none has decimal places, or is NaN."""
        return self.kind == "number" and not self.type.startswith(("double", "float", "decimal"))

    @property
    def complete_ratio(self) -> float:
        """Share of rows that are not null; NaN for no rows."""
        return self.non_null / self.rows if self.rows else float("nan")

    def values(self) -> list[tuple[Any, int]] | None:
        """Every value with its count, by count, when the column is kept value by value; else None."""
        return None if self.table is None else list(self.table)
