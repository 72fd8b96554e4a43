"""Damage to whole batches: rows that are too few or too many, columns in another's place, the delivery of yesterday."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from catalog.damage.kind import Rng

SEGMENTS = 50  # values beyond which a column does not part a table; chosen: shops and countries, not customers
SEGMENT = (0.05, 0.6)  # share of the rows that a missing part has; chosen: neither noise nor nearly all


@dataclass(frozen=True)
class Damaged:
    """A batch after damage: its rows, the columns that were hit (none where all rows were), what was chosen."""

    table: pa.Table
    columns: tuple[str, ...] = ()
    detail: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class TableKind:
    """One kind of damage to a batch; see `catalog.damage.kind.Kind` for what the fields share.

    Parameters
    ----------
    change : from the batch, a generator and the batch before (None where there is none) to the damaged batch, or None
        where the kind does not apply.
    """

    key: str
    cause: str
    words: str
    example: tuple[str, str]
    harmless: str
    change: Callable[[pa.Table, Rng, pa.Table | None], Damaged | None]
    guess: str = ""
    of: str = "tables"

    def damage(self, table: pa.Table, rng: Rng, before: pa.Table | None = None) -> Damaged | None:
        """The damaged batch; None where the kind does not apply or changes nothing."""
        done = self.change(table, rng, before) if table.num_rows else None
        return None if done is None or done.table.equals(table) else done


def _rows(table: pa.Table, rng: Rng, before: pa.Table | None) -> Damaged:
    """Half of the rows or fewer arrive, evenly over the table."""
    share = float(rng.choice([0.1, 0.3, 0.5]))
    kept = np.sort(rng.choice(table.num_rows, max(1, round(share * table.num_rows)), replace=False))
    return Damaged(table.take(pa.array(kept)), detail={"share": share})


def _twice(table: pa.Table, rng: Rng, before: pa.Table | None) -> Damaged:
    return Damaged(pa.concat_tables([table, table]))


def _part_twice(table: pa.Table, rng: Rng, before: pa.Table | None) -> Damaged:
    share = float(rng.choice([0.1, 0.2, 0.3]))
    start = int(rng.integers(max(1, round(table.num_rows * (1 - share)))))
    part = table.slice(start, max(1, round(share * table.num_rows)))
    return Damaged(pa.concat_tables([table, part]), detail={"share": share})


def _key_repeated(table: pa.Table, rng: Rng, before: pa.Table | None) -> Damaged | None:
    """Some rows come again as they are now: what other rows hold, but for what every row has of its own."""
    own = [i for i in range(table.num_columns) if pc.count_distinct(table.column(i)).as_py() == table.num_rows]
    kinds = [table.schema.field(i).type for i in own]
    keys = [i for i, kind in zip(own, kinds, strict=True) if pa.types.is_string(kind) or pa.types.is_integer(kind)]
    if not keys or len(own) == table.num_columns:
        return None
    share = float(rng.choice([0.05, 0.1, 0.2]))
    again = rng.choice(table.num_rows, max(2, round(share * table.num_rows)), replace=False)
    rows = table.take(pa.array(np.roll(again, 1)))
    for i in own:
        rows = rows.set_column(i, table.schema.field(i), table.column(i).take(pa.array(again)))
    return Damaged(pa.concat_tables([table, rows]), (table.column_names[keys[0]],), {"share": share})


def segments(table: pa.Table) -> list[tuple[str, str, float]]:
    """(column, value, share of rows) of every part of a table that can go missing: values of columns of few strings."""
    found = []
    for name in table.column_names:
        kind = table.schema.field(name).type
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            continue
        counts = Counter(v for v in table[name].to_pylist() if v)
        if not 2 <= len(counts) <= SEGMENTS:
            continue
        found += [(name, v, n / table.num_rows) for v, n in counts.items()]
    return [(c, v, s) for c, v, s in found if SEGMENT[0] <= s <= SEGMENT[1]]


def _part_missing(table: pa.Table, rng: Rng, before: pa.Table | None) -> Damaged | None:
    parts = segments(table)
    if not parts:
        return None
    column, value, share = parts[int(rng.integers(len(parts)))]
    kept = pc.fill_null(pc.not_equal(table[column], value), True)
    return Damaged(table.filter(kept), (column,), {"value": value, "share": share})


def _pairs(table: pa.Table) -> list[tuple[int, int]]:
    """Columns of one type that hold different values."""
    kinds = [f.type for f in table.schema]
    every = [(i, j) for j in range(len(kinds)) for i in range(j) if kinds[i] == kinds[j]]
    return [(i, j) for i, j in every if not table.column(i).equals(table.column(j))]


def _swapped(table: pa.Table, rng: Rng, before: pa.Table | None) -> Damaged | None:
    pairs = _pairs(table)
    if not pairs:
        return None
    i, j = pairs[int(rng.integers(len(pairs)))]
    return Damaged(swap(table, i, j), (table.column_names[i], table.column_names[j]))


def swap(table: pa.Table, i: int, j: int) -> pa.Table:
    """The values of two columns exchanged; names stay where they are."""
    first, second = table.column(i), table.column(j)
    return table.set_column(i, table.schema.field(i), second).set_column(j, table.schema.field(j), first)


def _times_swapped(table: pa.Table, rng: Rng, before: pa.Table | None) -> Damaged | None:
    """Two time columns of which one is never before the other."""
    found = []
    for i, j in _pairs(table):
        a, b = table.column(i), table.column(j)
        if not pa.types.is_temporal(a.type):
            continue
        later = pc.sum(pc.greater(b, a)).as_py() or 0
        earlier = pc.sum(pc.less(b, a)).as_py() or 0
        if max(later, earlier) > 0.5 * table.num_rows and min(later, earlier) == 0:
            found.append((i, j))
    if not found:
        return None
    i, j = found[int(rng.integers(len(found)))]
    return Damaged(swap(table, i, j), (table.column_names[i], table.column_names[j]))


def _shifted(table: pa.Table, rng: Rng, before: pa.Table | None) -> Damaged | None:
    """Values of the string columns move one column to the right, the last one's come first."""
    at = [i for i, f in enumerate(table.schema) if pa.types.is_string(f.type)]
    if len(at) < 3:
        return None
    out = table
    for place, source in zip(at, [at[-1], *at[:-1]], strict=True):
        out = out.set_column(place, table.schema.field(place), table.column(source))
    return Damaged(out, tuple(table.column_names[i] for i in at))


def _stale(table: pa.Table, rng: Rng, before: pa.Table | None) -> Damaged | None:
    return None if before is None or not before.num_rows else Damaged(before)


def _nulls(table: pa.Table, rng: Rng, before: pa.Table | None) -> Damaged | None:
    at = [i for i, f in enumerate(table.schema) if table.column(i).null_count < 0.5 * table.num_rows]
    if not at:
        return None
    i, share = at[int(rng.integers(len(at)))], float(rng.choice([0.2, 0.5, 1.0]))
    gone = pa.array(rng.random(table.num_rows) < share)
    column = table.column(i).combine_chunks()
    new = pc.if_else(gone, pa.scalar(None, column.type), column)
    return Damaged(table.set_column(i, table.schema.field(i), new), (table.column_names[i],), {"share": share})


def _schema(table: pa.Table, rng: Rng, before: pa.Table | None) -> Damaged | None:
    if table.num_columns < 2:
        return None
    name = table.column_names[int(rng.integers(table.num_columns))]
    if rng.random() < 0.5:
        return Damaged(table.drop_columns([name]), (name,), {"change": "gone"})
    names = [f"{n}_new" if n == name else n for n in table.column_names]
    return Damaged(table.rename_columns(names), (name,), {"change": "renamed"})


TABLES = (
    TableKind("rows_lost", "volume", "Far fewer rows than usual have come", ("10,000 rows", "3,000 rows"),
              "the number of rows varies as much by itself", _rows, "Probably a load that broke off."),
    TableKind("batch_twice", "duplicates", "Every row has come twice", ("10,000 rows", "20,000 rows"),
              "rows repeat as often anyway", _twice, "Probably a load that ran twice."),
    TableKind("part_twice", "duplicates", "A part of the rows has come twice", ("10,000 rows", "12,000 rows"),
              "rows repeat as often anyway", _part_twice, "Probably a page or file that was loaded twice."),
    TableKind("key_repeated", "repeated_key", "Rows that were there come again, changed",
              ("order 7", "order 7, order 7"), "no column identifies rows", _key_repeated,
              "Probably changes that were appended and not merged."),
    TableKind("part_missing", "part_missing", "All rows of one value are missing", ("5 countries", "4 countries"),
              "no value has as many rows in every batch", _part_missing, "Probably one source that did not deliver."),
    TableKind("columns_swapped", "swapped", "Two columns are swapped", ("first, last", "last, first"),
              "both columns hold the same values, or no batch tells them apart", _swapped,
              "Probably a changed order of columns."),
    TableKind("times_swapped", "swapped", "Two times are swapped", ("opened, closed", "closed, opened"),
              "neither is always before the other", _times_swapped, "Probably two fields confused."),
    TableKind("columns_shifted", "shifted", "Values stand one column further", ("a | b | c", "c | a | b"),
              "the columns hold the same values", _shifted, "Probably a separator too many in a line."),
    TableKind("stale", "stale", "The rows are those of the batch before", ("today's rows", "yesterday's rows"),
              "the table does not change from batch to batch", _stale, "Probably an old file delivered again."),
    TableKind("nulls", "nulls", "Values are missing", ("A17", "NULL"), "as many are missing anyway", _nulls,
              "Probably a source that stopped sending the field."),
    TableKind("schema", "schema", "A column is gone or has another name", ("id, name", "id"),
              "the column was added or dropped on purpose", _schema, "Probably a changed export."),
)  # fmt: skip
