"""How many rows of a column hold another value than before, from the states of the same rows before and after.

Both sides sample values by their hashes: what neither side left out is counted exactly on both, so that rows which were
written again as they were cancel out, however many values there are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from catalog.states.column import ColumnState
from catalog.states.parts.distinct import FULL, Counts, Distinct, Hashes

#: Share of the rows from which a value has many. Chosen: of fewer a sample tells as much.
MANY = 0.01
#: Different values that must have moved from one column to another. Chosen: flags exchange one or two by chance.
MOVED = 3
#: Share of what moved that may be otherwise where two columns were exchanged, or one was copied. Chosen: of a sample
#: of values all agree, but of those that were nulls.
OFF = 0.05


@dataclass(frozen=True)
class Moves:
    """Rows in which a column changed.

    Parameters
    ----------
    share : of the rows that are there before and after, 0..1: so many hold another value, NULL for one.
    filled : as many of these rows hold a value where there was none, 0..1.
    """

    share: float
    filled: float


def moves(now: ColumnState, before: ColumnState) -> Moves:
    """Rows of one column in which it changed, as far as its values tell: where rows exchange theirs, none did. Rows
    that were deleted or added are none.

    >>> import pyarrow as pa
    >>> from catalog.states.folding.fold import fold
    >>> before, now = (fold(pa.table({"x": x})).columns["x"] for x in ([1, 2, None, None], [1, 20, 30, None]))
    >>> moves(now, before)
    Moves(share=0.5, filled=0.25)
    """
    came, gone = _differences(now, before)
    # NaN is neither NULL nor a value that a state counts by its hash
    nulls = (now.nulls + now.nans) - (before.nulls + before.nans)
    more, stayed = now.rows - before.rows, min(now.rows, before.rows)
    if not stayed:
        return Moves(0.0, 0.0)
    # of what a sample knows nothing on one side, the other one tells: as many rows got a value as lost one
    changed = max(gone + max(-nulls, 0) - max(-more, 0), came + max(nulls, 0) - max(more, 0), 0.0)
    return Moves(min(changed / stayed, 1.0), max(-nulls - max(-more, 0), 0) / stayed)


def _differences(now: ColumnState, before: ColumnState) -> tuple[float, float]:
    """Rows that more values have than before, by how many, and that others have less.

    Values of many rows are counted one by one, as near as they are known; of the others those below the edge of both
    samples, whose counts are exact, stand for all.
    """
    edge = min(now.distinct.threshold, before.distinct.threshold)
    hashes, x, y = aligned(now.distinct, before.distinct, edge)
    many = {} if edge == FULL else _many(now, before)
    light = ~np.isin(hashes, np.array(sorted(many), np.uint64)) if many else np.ones(len(hashes), bool)
    scale = FULL / edge
    came, gone = (scale * float(np.maximum(d[light], 0).sum()) for d in (x - y, y - x))
    exact = dict(zip(hashes.tolist(), (x - y).tolist(), strict=True))
    for code, (more, loose) in many.items():
        by = exact.get(code, 0) if code < edge else np.sign(more) * max(abs(more) - loose, 0)
        came, gone = came + max(by, 0), gone + max(-by, 0)
    return float(came), float(gone)


def _many(now: ColumnState, before: ColumnState) -> dict[int, tuple[int, int]]:
    """(rows more than before, by how many that may be out) of each value that many rows have, by hash."""
    sides = [dict(zip(one.frequent.hashes, (n for _, n in one.frequent.items), strict=True)) for one in (now, before)]
    found = {}
    for code in {code for one, rows in zip(sides, (now.rows, before.rows), strict=True)
                 for code, n in one.items() if n >= MANY * rows}:  # fmt: skip
        counts = [one.get(code, 0) for one in sides]
        loose = [
            one.frequent.undercount if code in side else one.frequent.most_unlisted
            for one, side in zip((now, before), sides, strict=True)
        ]
        found[int(code)] = (counts[0] - counts[1], sum(loose))
    return found


def aligned(a: Distinct, b: Distinct, edge: int) -> tuple[Hashes, Counts, Counts]:
    """The hashes below an edge that either sample holds, and the rows of each."""
    sides = []
    for one in (a, b):
        kept = np.ones(len(one.hashes), bool) if edge == FULL else one.hashes < np.uint64(edge)
        sides.append((one.hashes[kept], one.counts[kept]))
    union = np.union1d(sides[0][0], sides[1][0])
    counts = []
    for hashes, count in sides:
        row = np.zeros(len(union), np.int64)
        row[np.searchsorted(union, hashes)] = count
        counts.append(row)
    return union, counts[0], counts[1]


@dataclass(frozen=True)
class Two:
    """Two columns of a kind before and after."""

    a_now: Distinct
    a_before: Distinct
    b_now: Distinct
    b_before: Distinct

    def exchanged(self) -> bool:
        """Whether both together hold what they held, and each got what the other one lost: in all rows or in some."""
        edge = min(one.threshold for one in (self.a_now, self.a_before, self.b_now, self.b_before))
        union = np.unique(np.concatenate([aligned(one, one, edge)[0] for one in self._all]))
        a, b, c, d = (_rows_of(one, union, edge) for one in self._all)
        mine, others = a - b, c - d
        moved = float(np.abs(mine).sum())
        values = min(int((mine > 0).sum()), int((mine < 0).sum()))
        return values >= MOVED and float(np.abs(mine + others).sum()) <= OFF * moved

    def copied(self) -> bool:
        """Whether the first one holds what the second one holds and held, and held something else."""
        edge = min(one.threshold for one in (self.a_now, self.a_before, self.b_now, self.b_before))
        _, now, other = aligned(self.a_now, self.b_now, edge)
        _, was, then = aligned(self.a_before, self.b_before, edge)
        same, apart = float(np.abs(now - other).sum()), float(np.abs(was - then).sum())
        rows = float(other.sum())
        return int((other > 0).sum()) > MOVED and same <= 2 * OFF * rows and apart >= rows

    @property
    def _all(self) -> tuple[Distinct, Distinct, Distinct, Distinct]:
        return self.a_now, self.a_before, self.b_now, self.b_before


def _rows_of(one: Distinct, union: Hashes, edge: int) -> Counts:
    hashes, counts, _ = aligned(one, one, edge)
    row = np.zeros(len(union), np.int64)
    row[np.searchsorted(union, hashes)] = counts
    return row
