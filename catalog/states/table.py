"""The state of a table, and the merge of states.

A state is a commutative monoid: `merge_all` in any order and grouping describes the union of the rows, the empty state
is its identity. Counts, extremes, sums, distinct samples and everything of columns kept value by value are equal in
any order to the last bit of their integers (floating-point sums to rounding); summaries that leave something out stay
within the bounds they state.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from functools import cached_property
from typing import Any

from catalog.states.column import ColumnState
from catalog.states.elements import list_of
from catalog.states.parts.calendar import merge_before, merge_calendars
from catalog.states.parts.distinct import Distinct, merge_distinct, no_distinct
from catalog.states.parts.exact import Parts, canonical, derive, fits
from catalog.states.parts.moments import merge_moments
from catalog.states.parts.order import merge_orders
from catalog.states.parts.shapes import merge_lengths, merge_shapes
from catalog.states.parts.summaries import FINAL, Sizes, merge_frequent, merge_quantiles

TABULAR = ("string", "number", "boolean", "time")  # kinds that can be kept value by value


@dataclass(frozen=True)
class TableState:
    """What one scan leaves of a table.

    Parameters
    ----------
    rows : all rows; `complete_rows` of them have no null in any leaf column.
    columns : the state of every leaf column by dotted name, in table order; of those inside lists, ``a[].b``, the rows
        are elements (`catalog.states.elements`).
    row_distinct : distinct sample of whole rows: duplicates are rows - estimate.
    """

    rows: int = 0
    complete_rows: int = 0
    columns: dict[str, ColumnState] = field(default_factory=dict)
    row_distinct: Distinct = field(default_factory=no_distinct)

    @classmethod
    def empty(cls) -> TableState:
        """The state of no rows: the identity of `merge`."""
        return cls()

    @cached_property
    def of_rows(self) -> dict[str, ColumnState]:
        """The columns that have a value in each row: all but those inside lists."""
        return {name: column for name, column in self.columns.items() if not list_of(name)}


def merge(a: TableState, b: TableState) -> TableState:
    """The state of the rows of both; neither is changed."""
    return merge_all([a, b])


def merge_all(states: Iterable[TableState], sizes: Sizes = FINAL) -> TableState:
    """The state of the rows of all, merged at once (a flat merge loses least), its summaries of these `sizes`.

    A column that a part lacks was added later: that part's rows have null there, or its elements. A part that knows no
    element of a list is of a release that looked at none, and says nothing of them.
    """
    all_parts = list(states)
    parts = [s for s in all_parts if s.rows]
    if len(parts) <= 1:
        # states of no rows still know their columns
        parts = parts or [s for s in all_parts if s.columns]
        if len(parts) <= 1:
            return parts[0] if parts else TableState.empty()
    names = list(dict.fromkeys(name for s in parts for name in s.columns))
    columns = {}
    for name in names:
        there = [s.columns[name] for s in parts if name in s.columns]
        absent = sum(_values(s, name) for s in parts if name not in s.columns)
        columns[name] = merge_columns(there, absent, sizes)
    whole = sum(1 for name in names if not list_of(name))
    return TableState(
        rows=sum(s.rows for s in parts),
        complete_rows=sum(s.complete_rows for s in parts if len(s.of_rows) == whole),
        columns=columns,
        row_distinct=merge_distinct([s.row_distinct for s in parts]),
    )


def _values(state: TableState, column: str) -> int:
    """How many values a column that a state lacks would have there."""
    own = list_of(column)
    if not own:
        return state.rows
    return next((one.rows for name, one in state.columns.items() if list_of(name) == own), 0)


def shortened(state: TableState, sizes: Sizes = FINAL) -> TableState:
    """The same rows in summaries of these `sizes`: what a merge of more room is shown and judged as."""
    columns = {
        name: column
        if column.sketch is None
        else replace(column, sketch=merge_parts([column.sketch], column.kind, sizes))
        for name, column in state.columns.items()
    }
    return replace(state, columns=columns)


def merge_columns(states: Sequence[ColumnState], absent: int = 0, sizes: Sizes = FINAL) -> ColumnState:
    """Merge the states of one column; `absent` more rows are null."""
    if len(states) == 1:
        one = states[0]
        return replace(one, rows=one.rows + absent, nulls=one.nulls + absent) if absent else one
    kind, kind_type = _common([s for s in states if s.non_null] or list(states))
    head = ColumnState(
        kind,
        kind_type,
        rows=sum(s.rows for s in states) + absent,
        nulls=sum(s.nulls for s in states) + absent,
        empties=sum(s.empties for s in states),
        nans=sum(s.nans for s in states),
        order=merge_orders(s.order for s in states),
        before=merge_before(s.before for s in states),
    )
    filled = [s for s in states if s.non_null]
    tables = [s for s in filled if s.table is not None]
    sketches = [s.parts for s in filled if s.table is None]
    union = _union(tables, kind)
    if not sketches and kind in TABULAR:
        table = canonical(union.items())
        if fits(list(union)):
            return replace(head, table=table)
    if union:
        sketches.append(derive(kind, canonical(union.items())))
    return replace(head, table=None, sketch=merge_parts(sketches, kind, sizes))


def _union(tables: Sequence[ColumnState], kind: str) -> dict[Any, int]:
    """Rows of every value of the columns that are kept value by value."""
    union: dict[Any, int] = {}
    for state in tables:
        for value, count in state.table or ():
            union[value] = union.get(value, 0) + count
    if kind == "time" and len({type(v) for v in union}) > 1:
        mixed, union = union, {}
        for value, count in mixed.items():
            value = _as_datetime(value)
            union[value] = union.get(value, 0) + count
    return union


def _as_datetime(value: Any) -> Any:
    """Dates become midnights: a column of dates that became one of timestamps."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime.combine(value, time())
    return value


def merge_parts(parts: Sequence[Parts], kind: str, sizes: Sizes = FINAL) -> Parts:
    """Merge sketches, each part by its own law."""
    frequent = merge_frequent([p.frequent for p in parts], sizes.listed, sizes.budget)
    distinct = merge_distinct([p.distinct for p in parts]).without(
        [(h, c) for h, (_, c) in zip(frequent.hashes, frequent.items, strict=True)]
    )
    if kind == "other":  # values of several kinds are only counted
        return Parts(distinct=distinct, frequent=frequent)
    low, high = _extremes([p.low for p in parts], [p.high for p in parts], kind)
    return Parts(
        moments=merge_moments([p.moments for p in parts]),
        low=low,
        high=high,
        distinct=distinct,
        frequent=frequent,
        quantiles=merge_quantiles([p.quantiles for p in parts], sizes.points),
        lengths=merge_lengths([p.lengths for p in parts]),
        shapes=merge_shapes([p.shapes for p in parts], sizes.shapes),
        parsed=sum(p.parsed for p in parts),
        garbled=_sum_known([p.garbled for p in parts]),
        calendar=merge_calendars(p.calendar for p in parts),
    )


def _sum_known(counts: Sequence[int | None]) -> int | None:
    """The sum; None where one is not known."""
    return None if None in counts else sum(n for n in counts if n is not None)


def _extremes(lows: Iterable[Any], highs: Iterable[Any], kind: str) -> tuple[Any, Any]:
    lows = [x for x in lows if x is not None]
    highs = [x for x in highs if x is not None]
    if kind == "time" and len({type(x) for x in [*lows, *highs]}) > 1:
        lows, highs = list(map(_as_datetime, lows)), list(map(_as_datetime, highs))
    try:
        return min(lows, default=None), max(highs, default=None)
    except TypeError:  # values that do not compare, after a column changed its type
        return None, None


def _common(states: Sequence[ColumnState]) -> tuple[str, str]:
    """Kind and type of a union: those of the widest, "other" where the kinds differ."""
    kinds = {s.kind for s in states}
    types = list(dict.fromkeys(s.type for s in states))
    kind = states[0].kind if len(kinds) == 1 else "other"
    if len(types) == 1:
        return kind, types[0]
    return kind, max(types, key=_width)


_WIDTHS = (
    "void",
    "boolean",
    "tinyint",
    "smallint",
    "int",
    "bigint",
    "decimal",
    "float",
    "double",
    "date",
    "timestamp_ntz",
    "timestamp",
    "string",
)


def _width(name: str) -> tuple[int, str]:
    """Order of types for unions: wider ones later; the same in any order of merging."""
    base = name.split("(")[0]
    return (_WIDTHS.index(base) if base in _WIDTHS else len(_WIDTHS), name)
