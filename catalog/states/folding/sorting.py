"""Values in order: counted, the smallest of them, and where each is first."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from catalog.states.folding.hashing import Hashes

FEW = 1024  # values that numpy sorts before polars has begun; a bound of time
HEAD = 4096  # rows looked at first for a value; a bound
_MOST = np.int64(2**63 - 1)  # bound of 64-bit integers: all bits but the sign


def tally(hashes: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Distinct values ascending and their counts."""
    return runs(ascending(hashes))


def ascending(values: NDArray[Any]) -> NDArray[Any]:
    """The values sorted, as an array of their own. No NaN may be among them.

    polars sorts in a third of numpy's time, and sees at once what is in order already, as identifiers mostly are.

    >>> ascending(np.array([3.0, -np.inf, 1.0])).tolist()
    [-inf, 1.0, 3.0]
    """
    if len(values) < FEW:
        return np.sort(values)
    if values.dtype != np.float64:
        return pl.Series(values).sort().to_numpy()
    # doubles in the order of their bits, of which those of negative ones are turned round: twice as fast
    bits = values.view(np.int64)
    keys = pl.Series(bits ^ ((bits >> 63) & _MOST)).sort().to_numpy()
    found: NDArray[Any] = (keys ^ ((keys >> 63) & _MOST)).view(np.float64)
    return found


def smallest(hashes: Hashes, size: int) -> NDArray[np.int64]:
    """Where the `size` smallest hashes are, in their order; all where there are fewer.

    Hashes are spread evenly: those below twice the share that is wanted are nearly always enough to choose from.

    >>> smallest(np.array([5, 3, 9, 3, 1], np.uint64), 3).tolist()
    [4, 1, 3]
    """
    near = np.arange(len(hashes))
    if 4 * size < len(hashes):
        low = np.flatnonzero(hashes < np.uint64(2 * size * (1 << 64) // len(hashes)))
        near = low if len(low) >= size else near
    if len(near) > size:
        edge = np.partition(hashes[near], size - 1)[size - 1]
        near = near[hashes[near] <= edge]
    return near[np.argsort(hashes[near], kind="stable")][:size]


def runs(ordered: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Distinct values of a sorted array and their counts."""
    if len(ordered) == 0:
        return ordered, np.empty(0, np.int64)
    starts = np.flatnonzero(ordered[1:] != ordered[:-1])
    starts += 1
    starts = np.concatenate((np.zeros(1, np.int64), starts))
    if len(starts) == len(ordered):
        return ordered, np.ones(len(ordered), np.int64)
    counts = np.diff(starts, append=len(ordered))
    return ordered[starts], counts


def first_rows(hashes: Hashes, wanted: Hashes) -> NDArray[np.int64]:
    """The first row of each of the `wanted` hashes (ascending), all of which occur."""
    head = hashes[:HEAD]
    if len(hashes) > HEAD:  # a few rows hold most of the frequent values
        out = _first_rows(head, wanted)
        missing = np.flatnonzero(out < 0)
        if len(missing):
            out[missing] = _first_rows(hashes, wanted[missing])
        return out
    return _first_rows(hashes, wanted)


def _first_rows(hashes: Hashes, wanted: Hashes) -> NDArray[np.int64]:
    """`first_rows`; -1 for what does not occur."""
    table = np.zeros(1 << 16, np.bool_)
    table[wanted >> np.uint64(48)] = True
    rows = np.flatnonzero(table[hashes >> np.uint64(48)])
    near = hashes[rows]
    at = np.minimum(np.searchsorted(wanted, near), len(wanted) - 1)
    hit = wanted[at] == near
    out = np.full(len(wanted), -1, np.int64)
    out[at[hit][::-1]] = rows[hit][::-1]
    return out
