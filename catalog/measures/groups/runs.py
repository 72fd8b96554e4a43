"""Sorted runs: groups in the order of a key of 64 bits, merged and looked up without holding all of them.

A run is an Arrow table of the groups (``g0`` ... and ``rows``) and their key, ascending; its chunks may lie in files
that are mapped into memory. Integers and doubles have keys in their own order, everything else has its hash
(`catalog.states.folding.hashing`); where keys are equal the values decide, so that no collision is taken for a group.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from catalog.measures.groups.grouping import grouped
from catalog.states.folding.hashing import hash_rows

KEY, ROWS = "key", "rows"
Keys = NDArray[np.uint64]
_SIGN = np.uint64(1 << 63)
#: Groups that are merged at once: some 50 MB of texts. Chosen.
ROOM = 1 << 19


def names_of(table: pa.Table) -> list[str]:
    """Names of the grouping columns."""
    return [name for name in table.column_names if name not in (KEY, ROWS)]


def ordered_kind(kind: pa.DataType) -> bool:
    """Whether keys of values of a type are in the order of the values, and are the values."""
    return pa.types.is_signed_integer(kind) or kind in (pa.float32(), pa.float64())


def keys_of(table: pa.Table) -> Keys:
    """The keys of groups."""
    columns = [table[name].combine_chunks() for name in names_of(table)]
    if len(columns) == 1 and ordered_kind(columns[0].type):
        if pa.types.is_integer(columns[0].type):
            whole: Keys = columns[0].cast(pa.int64()).to_numpy(zero_copy_only=False).view(np.uint64) ^ _SIGN
            return whole
        bits: Keys = columns[0].cast(pa.float64()).to_numpy(zero_copy_only=False).view(np.uint64)
        return np.where(bits & _SIGN, ~bits, bits | _SIGN)
    if len(columns) == 1:
        return hash_rows(columns[0])
    return hash_rows(pa.StructArray.from_arrays(columns, names_of(table)))


def sorted_run(table: pa.Table) -> pa.Table:
    """The run of a table of groups."""
    keys = keys_of(table)
    order = np.argsort(keys, kind="stable")
    return pa.table({KEY: keys[order]} | {name: _take(table[name], order) for name in table.column_names})


@dataclass(frozen=True, eq=False)
class Run:
    """A sorted run with a look at its keys."""

    table: pa.Table

    @cached_property
    def keys(self) -> list[Keys]:
        """Of each chunk, without a copy."""
        return [chunk.to_numpy() for chunk in self.table[KEY].chunks]

    @cached_property
    def counts(self) -> list[NDArray[np.int64]]:
        return [chunk.to_numpy() for chunk in self.table[ROWS].chunks]

    def place(self, key: np.uint64) -> int:
        """How many keys are below one."""
        return sum(int(np.searchsorted(keys, key)) for keys in self.keys)

    def rows_up_to(self, keys: Keys) -> NDArray[np.int64]:
        """Rows of the groups whose keys are not above each of these."""
        found = np.zeros(len(keys), np.int64)
        for own, counts in zip(self.keys, self.counts, strict=True):
            summed = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
            found += summed[np.searchsorted(own, keys, side="right")]
        return found

    def beyond(self, rows: int) -> int:
        """The first group with which more than so many rows are reached; the number of groups where none is."""
        first = 0
        for counts in self.counts:
            held = int(counts.sum())
            if held > rows:
                return first + int(np.searchsorted(np.cumsum(counts), rows, side="right"))
            first, rows = first + len(counts), rows - held
        return first


def merge_runs(runs: Sequence[pa.Table], room: int = ROOM) -> Iterator[pa.Table]:
    """The groups of several runs as pieces of one, each of about `room` groups; rows that add up to nothing are gone.

    Memory: a few pieces, however long the runs. Runs whose types differ are brought to a common one, and sorted again
    where their keys change with it.

    >>> one = sorted_run(pa.table({"g0": ["a", "b"], "rows": [1, 2]}))
    >>> other = sorted_run(pa.table({"g0": ["b", "c"], "rows": [-2, 5]}))
    >>> sorted(zip(*(p for p in next(merge_runs([one, other])).drop_columns("key").to_pydict().values())))
    [('a', 1), ('c', 5)]
    """
    runs = alike([run for run in runs if run.num_rows])
    if not runs:
        return
    looked = [Run(run) for run in runs]
    places = [[run.place(edge) for run in looked] for edge in _edges(looked, room)]
    begin = [0] * len(runs)
    for end in [*places, [run.num_rows for run in runs]]:
        pieces = [run.slice(a, b - a) for run, a, b in zip(runs, begin, end, strict=True) if b > a]
        if pieces:
            yield _gathered(pieces)
        begin = end


def _edges(runs: Sequence[Run], room: int) -> Keys:
    """Keys at which pieces begin: every so-manieth of each run's keys stands for those before it."""
    step = max(1, room // (2 * len(runs)))
    seen = np.sort(np.concatenate([keys[step - 1 :: step] for run in runs for keys in run.keys]))
    return np.unique(seen[max(1, room // step) - 1 :: max(1, room // step)])


def alike(runs: list[pa.Table]) -> list[pa.Table]:
    """The runs with types that all values fit."""
    schemas = [run.schema.remove_metadata() for run in runs]
    if all(schema.equals(schemas[0]) for schema in schemas):
        return runs
    schema = pa.unify_schemas(schemas, promote_options="permissive")
    return [run if run.schema.equals(schema) else _retyped(run, schema) for run in runs]


def _retyped(run: pa.Table, schema: pa.Schema) -> pa.Table:
    made = run.select(schema.names).cast(schema)
    kinds = [(run.schema.field(name).type, schema.field(name).type) for name in names_of(run)]
    same = len(kinds) == 1 and pa.types.is_integer(kinds[0][0]) == pa.types.is_integer(kinds[0][1])
    if same and all(map(ordered_kind, kinds[0])):
        return made
    return sorted_run(made.drop_columns(KEY))


def _gathered(pieces: list[pa.Table]) -> pa.Table:
    """One piece of all groups, equal ones taken together."""
    if len(pieces) == 1:
        return pieces[0].combine_chunks()
    table = pa.concat_tables(pieces).combine_chunks()
    keys, counts = table[KEY].to_numpy(), table[ROWS].to_numpy()
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    same = keys[1:] == keys[:-1]
    at = np.flatnonzero(same)
    names = names_of(table)
    values = not (len(names) == 1 and ordered_kind(table.schema.field(names[0]).type))
    if values and not _equal(table, order[at], table, order[at + 1]).all():  # a collision
        summed = grouped(table, [KEY, *names], [ROWS])
        made = summed.filter(pc.not_equal(summed[ROWS], 0)).sort_by(KEY).select(table.column_names)
        return made.combine_chunks()
    starts = np.flatnonzero(np.concatenate((np.ones(1, bool), ~same)))
    counts = np.add.reduceat(counts[order], starts)
    kept = counts != 0
    first = order[starts[kept]]
    columns = {name: _take(table[name], first) for name in names}
    return pa.table({KEY: keys[starts[kept]], **columns, ROWS: counts[kept]}).select(table.column_names)


def rows_before(run: Run, delta: pa.Table) -> NDArray[np.int64]:
    """Rows that a run has of each group of a (small) one; 0 of those it has not."""
    keys = delta[KEY].combine_chunks().to_numpy()
    found = np.zeros(len(keys), np.int64)
    first = 0
    for own, counts in zip(run.keys, run.counts, strict=True):
        chunk, place, at = run.table.slice(first, len(own)), np.searchsorted(own, keys), np.arange(len(keys))
        while len(at):  # once, and again only where hashes collide
            there = place < len(own)
            at, place = at[there], place[there]
            there = own[place] == keys[at]
            at, place = at[there], place[there]
            known = _equal(chunk, place, delta, at)
            found[at[known]] = counts[place[known]]
            at, place = at[~known], place[~known] + 1
        first += len(own)
    return found


def _equal(one: pa.Table, at: NDArray[np.int64], other: pa.Table, there: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether groups at some places of two tables are the same; null is null, NaN is NaN."""
    found = np.ones(len(at), bool)
    for name in names_of(one):
        a, b = _take(one[name], at), _take(other[name], there)
        b = b.cast(a.type)
        same = pc.fill_null(pc.equal(a, b), False)
        if pa.types.is_floating(a.type):
            same = pc.or_(same, pc.fill_null(pc.and_(pc.is_nan(a), pc.is_nan(b)), False))
        same = pc.or_(same, pc.and_(pc.is_null(a), pc.is_null(b)))
        found &= same.to_numpy(zero_copy_only=False)
    return found


def _take(column: pa.ChunkedArray, at: NDArray[np.int64]) -> pa.Array:
    whole = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    taken = whole.take(pa.array(at))
    return taken.combine_chunks() if isinstance(taken, pa.ChunkedArray) else taken
