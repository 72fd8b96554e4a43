"""Rows taken together by their values."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

#: pyarrow's hash of eight bytes makes little of the upper ones: whole numbers in doubles, whose lower bytes are zero,
#: nearly all fall into one place, and 65,536 of them take a hundred times as long as that many integers.
#: A bound: their bits.
_EIGHT_BYTES = 64


def grouped(table: pa.Table, names: Sequence[str], sums: Sequence[str] = ()) -> pa.Table:
    """The different tuples of some columns, in the order in which they are met, and the sums of others over the rows of
    each; without `sums` a column ``rows`` that counts them.

    Doubles are the same where their bits are.

    >>> grouped(pa.table({"a": [2.0, 1.0, 2.0, None]}), ["a"]).to_pylist()
    [{'a': 2.0, 'rows': 2}, {'a': 1.0, 'rows': 1}, {'a': None, 'rows': 1}]
    >>> grouped(pa.table({"a": ["x", "x"], "n": [3, 4]}), ["a"], ["n"]).to_pylist()
    [{'a': 'x', 'n': 7}]
    """
    spread = {name: table.schema.field(name).type for name in names if _spreads(table.schema.field(name).type)}
    columns = {name: _mixed(table[name]) if name in spread else table[name] for name in (*names, *sums)}
    # one thread: most groups are small, and a scan has a process a core
    counted = pa.table(columns).group_by(list(names), use_threads=False)
    wanted: list[Any] = [(name, "sum") for name in sums] or [([], "count_all")]
    found = counted.aggregate(wanted)
    found = found.rename_columns([*names, *(sums or ["rows"])])
    for name, kind in spread.items():
        found = found.set_column(found.schema.get_field_index(name), name, _mixed(found[name]).view(kind))
    return found


def _spreads(kind: pa.DataType) -> bool:
    fixed = pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_temporal(kind)
    return bool(fixed and kind.bit_width == _EIGHT_BYTES)


def _mixed(values: pa.ChunkedArray) -> pa.Array:
    """Values of eight bytes with their upper half mixed into the lower one; mixed again they are what they were."""
    bits = values.combine_chunks().view(pa.uint64())
    return pc.bit_wise_xor(bits, pc.shift_right(bits, _half()))


@cache
def _half() -> pa.Scalar:
    """Made when first needed: pyarrow loads pandas to make a value, which takes longer than all of a short command."""
    return pa.scalar(32, pa.uint64())
