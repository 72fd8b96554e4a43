"""Rewrites that are right, and rewrites that are wrong: of rows, what an UPDATE, MERGE or DELETE leaves of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from catalog.damage import DAMAGE_KINDS
from catalog.damage.times import swap_day_month

Rng = np.random.Generator
STATES = ["open", "paid", "sent", "cancelled", "closed"]
START = datetime(2026, 1, 5, tzinfo=UTC)


@dataclass(frozen=True)
class Rows:
    """The rows that a rewrite replaces.

    Parameters
    ----------
    rows : as they were.
    more : rows of a load that has not come yet.
    at : when they are rewritten.
    rng : what is drawn.
    """

    rows: pa.Table
    more: pa.Table
    at: datetime
    rng: Rng

    def columns(self, fits: Callable[[pa.DataType], bool], distinct: int = 3) -> list[str]:
        """Columns of the data itself, of such a type and so many values, in an order of chance."""
        names = [
            name
            for name in self.rows.column_names
            if name not in FURNISHED
            and fits(self.rows.schema.field(name).type)
            and pc.count_distinct(self.rows[name], mode="only_valid").as_py() >= distinct
            and self.rows[name].null_count < len(self.rows[name]) / 2
        ]
        return [names[i] for i in self.rng.permutation(len(names))]

    def some(self, share: float) -> np.ndarray:
        return self.rng.random(len(self.rows)) < share


FURNISHED = ("id", "state", "ordered_on", "updated_at", "note", "currency")


def furnished(table: pa.Table, load: int, first: int) -> pa.Table:
    """A load with what tables that are rewritten have: a key, a state, days, times of writing, what comes later."""
    rng = np.random.default_rng([17, load])
    day, n = START + timedelta(days=load), table.num_rows
    kept = table.select([name for name in table.column_names if name not in FURNISHED])
    own = {
        "id": pa.array(range(first, first + n), pa.int64()),
        "state": rng.choice(STATES, n, p=[0.3, 0.3, 0.2, 0.1, 0.1]),
        "ordered_on": [(day - timedelta(days=int(k))).date() for k in rng.integers(0, 20, n)],
        "updated_at": pa.array([day + timedelta(hours=3)] * n, pa.timestamp("us", "UTC")),
        "note": pa.nulls(n, pa.string()),
        "currency": rng.choice(["USD", "GBP"], n),
    }
    for name, values in own.items():
        kept = kept.append_column(name, values if isinstance(values, pa.Array) else pa.array(values))
    return kept


def put(table: pa.Table, name: str, values: Any) -> pa.Table:
    at = table.column_names.index(name)
    kind = table.schema.field(name).type
    made = values if isinstance(values, pa.Array | pa.ChunkedArray) else pa.array(values, from_pandas=True)
    if isinstance(values, list | np.ndarray) and not pa.types.is_null(made.type):
        whole = pa.types.is_integer(kind) and pa.types.is_floating(made.type)
        made = pc.cast(made, kind, safe=False) if whole or made.type != kind else made
    return table.set_column(at, name, pc.cast(made, kind, safe=False))


def changed(r: Rows, name: str, change: Callable[[Any], Any], share: float = 1.0) -> pa.Table:
    """A column with single values changed; None leaves one as it is."""
    hit, out = r.some(share), []
    for value, mine in zip(r.rows[name].to_pylist(), hit, strict=True):
        new = change(value) if mine and value is not None else None
        out.append(value if new is None else new)
    return put(r.rows, name, pa.array(out, r.rows.schema.field(name).type, safe=False) if out else out)


def _scaled(factor: float, share: float = 1.0, told: bool = False) -> Callable[[Rows], pa.Table | None]:
    def rewrite(r: Rows) -> pa.Table | None:
        names = r.columns(_is_number, 8)
        if not names:
            return None
        whole = pa.types.is_integer(r.rows.schema.field(names[0]).type)

        def times(value: Any) -> Any:
            new = value * factor
            return int(new) if whole else new

        done = changed(r, names[0], times, share)
        return put(done, "currency", ["EUR"] * len(done)) if told else done

    return rewrite


def _is_number(kind: pa.DataType) -> bool:
    return pa.types.is_integer(kind) or pa.types.is_floating(kind)


def _set(value: Any, fits: Callable[[pa.DataType], bool], distinct: int) -> Callable[[Rows], pa.Table | None]:
    def rewrite(r: Rows) -> pa.Table | None:
        names = r.columns(fits, distinct)
        if not names:
            return None
        kind = r.rows.schema.field(names[0]).type
        return put(r.rows, names[0], pa.array([value] * len(r.rows), kind))

    return rewrite


def exchanged(r: Rows) -> pa.Table | None:
    for fits in (pa.types.is_string, pa.types.is_floating, pa.types.is_integer):
        names = r.columns(fits, 8)
        pairs = [(a, b) for a in names for b in names if a != b and not r.rows[a].equals(r.rows[b])]
        if pairs:
            a, b = pairs[0]
            return put(put(r.rows, a, r.rows[b]), b, r.rows[a])
    return None


def copied(r: Rows) -> pa.Table | None:
    done = exchanged(r)
    if done is None:
        return None
    moved = [name for name in r.rows.column_names if not done[name].equals(r.rows[name])]
    return put(r.rows, moved[0], r.rows[moved[1]])


def garbled(r: Rows) -> pa.Table | None:
    for name in r.columns(pa.types.is_string):
        values = r.rows[name].to_pylist()
        there = [v for v in values if v is not None]
        made = DAMAGE_KINDS["mojibake"].damage(there, r.rng, 1.0)
        if made is not None and sum(a != b for a, b in zip(there, made, strict=True)) >= len(there) / 5:
            left = iter(made)
            return put(r.rows, name, [None if v is None else next(left) for v in values])
    return None


def one_row(r: Rows) -> pa.Table | None:
    """A MERGE whose condition is always true: each row gets what one row of the source holds, but for its key."""
    done = r.rows
    for name in done.column_names:
        if name != "id":
            done = put(done, name, pa.array([r.more[name][0].as_py()] * len(done), done.schema.field(name).type))
    return done


def upserted(r: Rows) -> pa.Table | None:
    """A MERGE: a tenth of the rows get what other rows hold, and new ones come."""
    hit, names = r.some(0.1), [n for n in r.rows.column_names if n != "id"]
    order = np.arange(len(r.rows))
    order[hit] = r.rng.permutation(order[hit])
    done = r.rows
    for name in names:
        done = put(done, name, r.rows[name].take(pa.array(order)))
    return pa.concat_tables([done, r.more.slice(0, max(len(r.rows) // 20, 1))])


def twice(r: Rows) -> pa.Table | None:
    """A MERGE whose source held rows several times."""
    return pa.concat_tables([r.rows, r.rows.filter(pa.array(r.some(0.3)))])


def corrected(r: Rows) -> pa.Table | None:
    names = r.columns(lambda kind: True)
    if not names:
        return None
    hit = r.some(0.03)
    order = np.arange(len(r.rows))
    order[hit] = r.rng.integers(0, len(r.rows), int(hit.sum()))
    return put(r.rows, names[0], r.rows[names[0]].take(pa.array(order)))


def forgotten(r: Rows) -> pa.Table | None:
    """Values of few people erased."""
    hit, done = r.some(0.02), r.rows
    names = r.columns(pa.types.is_string)[:3]
    for at, name in enumerate(names):
        value = pa.scalar(None if at % 2 else "REDACTED", done.schema.field(name).type)
        done = put(done, name, pc.if_else(pa.array(hit), value, done[name]))
    return done if names else None


def tidied(r: Rows) -> pa.Table | None:
    """Texts in small letters, as somebody wants them now."""
    names = [n for n in r.columns(pa.types.is_string) if not pc.utf8_lower(r.rows[n]).equals(r.rows[n])]
    return put(r.rows, names[0], pc.utf8_lower(r.rows[names[0]])) if names else None


def raised(r: Rows) -> pa.Table | None:
    names = r.columns(pa.types.is_floating, 8)
    return changed(r, names[0], lambda v: round(v * 1.03, 2)) if names else None


def _moved(days: int) -> Callable[[Rows], pa.Table | None]:
    return lambda r: changed(r, "ordered_on", lambda v: v + timedelta(days=days))


#: What is right: what of the rows is left. None where there is no such column.
RIGHT: dict[str, Callable[[Rows], pa.Table | None]] = {
    "a note is filled in": lambda r: put(r.rows, "note", [f"seen by {k % 9}" for k in range(len(r.rows))]),
    "a state moves on": lambda r: changed(r, "state", lambda v: {"open": "paid", "sent": "closed"}.get(v)),
    "all rows get their last state": lambda r: put(r.rows, "state", ["closed"] * len(r.rows)),
    "updated_at": lambda r: put(r.rows, "updated_at", pa.array([r.at] * len(r.rows), pa.timestamp("us", "UTC"))),
    "another currency, which is told": _scaled(163.2, told=True),
    "another currency, untold": _scaled(0.92),
    "cents, which is told": _scaled(100, told=True),
    "prices rise": raised,
    "a hundredth of the rows erased": lambda r: r.rows.filter(pa.array(~r.some(0.01))),
    "people forgotten": forgotten,
    "corrected": corrected,
    "merged": upserted,
    "in small letters": tidied,
    "written as they were": lambda r: r.rows,
}
#: What is wrong, and causes that are right.
WRONG: dict[str, tuple[Callable[[Rows], pa.Table | None], tuple[str, ...]]] = {
    "times 100": (_scaled(100), ("scale",)),
    "divided by 100": (_scaled(0.01), ("scale",)),
    "times 100 in a third": (_scaled(100, 0.33), ("scale",)),
    "columns exchanged": (exchanged, ("swapped",)),
    "a column copied": (copied, ("swapped",)),
    "texts constant": (_set("unknown", pa.types.is_string, 15), ("default",)),
    "numbers 0": (_set(0, _is_number, 15), ("default",)),
    "texts NULL": (_set(None, pa.types.is_string, 3), ("nulls",)),
    "numbers NULL": (_set(None, _is_number, 3), ("nulls",)),
    "letters garbled": (garbled, ("encoding",)),
    "a day later": (_moved(1), ("days_moved",)),
    "a day earlier": (_moved(-1), ("days_moved",)),
    "day and month": (lambda r: changed(r, "ordered_on", swap_day_month), ("day_month",)),
    "keys numbered anew": (lambda r: put(r.rows, "id", np.arange(len(r.rows)) + 900_001), ("identifiers",)),
    "keys one number": (lambda r: put(r.rows, "id", [1] * len(r.rows)), ("default", "repeated_key")),
    "merged into all rows": (one_row, ("default", "schema")),
    "rows twice": (twice, ("duplicates", "repeated_key")),
    "all rows deleted": (lambda r: r.rows.slice(0, 0), ("volume",)),
}


def reprocessed(r: Rows) -> pa.Table | None:
    """The days computed anew: other rows of the same kind, with keys of their own."""
    n = min(len(r.rows), len(r.more))
    own = pa.array(range(2_000_000, 2_000_000 + n), pa.int64())
    return put(r.more.slice(0, n), "id", own)


def pseudonyms(r: Rows) -> pa.Table | None:
    """A column of texts hashed, for good."""
    names = r.columns(pa.types.is_string, 10)
    return changed(r, names[0], lambda v: hashlib.sha256(v.encode()).hexdigest()) if names else None


def in_order(r: Rows) -> pa.Table | None:
    """States that move on as orders do, each with the time at which it did."""
    done = changed(r, "state", lambda v: {"open": "paid", "paid": "sent", "sent": "closed"}.get(v), 0.8)
    hit = pa.array([a != b for a, b in zip(done["state"].to_pylist(), r.rows["state"].to_pylist(), strict=True)])
    return put(done, "updated_at", pc.if_else(hit, pa.scalar(r.at, pa.timestamp("us", "UTC")), r.rows["updated_at"]))


def exchanged_in_half(r: Rows) -> pa.Table | None:
    done, hit = exchanged(r), pa.array(r.some(0.5))
    if done is None:
        return None
    for name in done.column_names:
        if not done[name].equals(r.rows[name]):
            done = put(done, name, pc.if_else(hit, done[name], r.rows[name]))
    return done


def _in_part(value: Any, share: float) -> Callable[[Rows], pa.Table | None]:
    """A column of numbers set to one value in a part of the rows."""

    def rewrite(r: Rows) -> pa.Table | None:
        names = r.columns(_is_number, 15)
        if not names:
            return None
        scalar = pa.scalar(value, r.rows.schema.field(names[0]).type)
        return put(r.rows, names[0], pc.if_else(pa.array(r.some(share)), scalar, r.rows[names[0]]))

    return rewrite


def cut(r: Rows) -> pa.Table | None:
    names = [n for n in r.columns(pa.types.is_string, 10) if pc.mean(pc.utf8_length(r.rows[n])).as_py() >= 8]
    return put(r.rows, names[0], pc.utf8_slice_codeunits(r.rows[names[0]], 0, 5)) if names else None


def negative(r: Rows) -> pa.Table | None:
    names = r.columns(pa.types.is_floating, 8)
    return put(r.rows, names[0], pc.negate(r.rows[names[0]])) if names else None


#: Kinds that nothing was chosen on: they were added when all else was, and are only reported.
RIGHT_LATER: dict[str, Callable[[Rows], pa.Table | None]] = {
    "days computed anew": reprocessed,
    "pseudonyms": pseudonyms,
    "states in their order": in_order,
    "a third of a note filled in": lambda r: put(
        r.rows, "note", pc.if_else(pa.array(r.some(0.33)), pa.scalar("late"), r.rows["note"])
    ),
    "a tenth of the rows erased": lambda r: r.rows.filter(pa.array(~r.some(0.1))),
}
WRONG_LATER: dict[str, tuple[Callable[[Rows], pa.Table | None], tuple[str, ...]]] = {
    "times 1,000": (_scaled(1000), ("scale",)),
    "divided by 10 in half": (_scaled(0.1, 0.5), ("scale",)),
    "columns exchanged in half": (exchanged_in_half, ("swapped",)),
    "numbers -1 in two thirds": (_in_part(-1, 0.67), ("default",)),
    "numbers NULL in two thirds": (_in_part(None, 0.67), ("nulls",)),
    "a month later": (_moved(30), ("days_moved",)),
    "texts cut": (cut, ("cut",)),
    "the other sign": (negative, ("sign", "scale")),
    "all rows twice": (lambda r: pa.concat_tables([r.rows, r.rows]), ("duplicates", "repeated_key")),
}
#: Wrong rewrites that are of the whole table.
OF_ALL = ("merged into all rows", "all rows deleted")
#: Right ones that are never of the whole table: the rows of today are on their way.
OF_PART = ("all rows get their last state",)
#: A load computed anew takes the place of one.
OF_ONE = ("days computed anew",)
