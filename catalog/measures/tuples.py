"""Values of several columns taken together: a sample of the distinct tuples by their hashes, of which no value can be
read."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from catalog.states.folding.hashing import EMPTY, hash_rows, splitmix
from catalog.states.folding.sorting import tally
from catalog.states.parts.distinct import MERGED_SAMPLE, Distinct, Hashes, merge_distinct, no_distinct, sample


@dataclass(frozen=True)
class Tuples:
    """The rows that have a value in each of some columns, null and the empty text being none.

    Parameters
    ----------
    distinct : sample of the tuples, with the rows of each.
    """

    distinct: Distinct = field(default_factory=no_distinct)

    def to_json(self) -> list[Any]:
        """As JSON data, no object as files of groups are; counts are listed of tuples that come more than once."""
        one, more = self.distinct, np.flatnonzero(self.distinct.counts > 1)
        hashes = base64.b64encode(one.hashes.astype("<u8").tobytes()).decode()
        counts = [[int(at), int(one.counts[at])] for at in more]
        known = None if one.known is None else list(one.known)
        return [hashes, counts, one.threshold, one.rows, known]

    @classmethod
    def from_json(cls, data: Sequence[Any]) -> Tuples:
        """Inverse of `to_json`.

        >>> found = tuples_of([pa.array([1, 1, 2, None]), pa.array(["a", "a", "a", "b"])])
        >>> found.distinct.known, Tuples.from_json(found.to_json()) == found
        ((2, 1), True)
        """
        encoded, more, threshold, rows, known = data
        hashes = np.frombuffer(base64.b64decode(encoded), "<u8").astype(np.uint64)
        counts = np.ones(len(hashes), np.int64)
        for at, many in more:
            counts[at] = many
        exact = None if known is None else (int(known[0]), int(known[1]))
        return cls(Distinct(hashes, counts, int(threshold), int(rows), exact))


def tuple_hashes(columns: Sequence[pa.Array]) -> tuple[Hashes, NDArray[np.bool_]]:
    """(one hash a row of some columns, in their order; which rows have a value in each)."""
    hashes = np.zeros(len(columns[0]), np.uint64)
    there = np.ones(len(columns[0]), np.bool_)
    for array in columns:
        own = hash_rows(array)
        there &= array.is_valid().to_numpy(zero_copy_only=False) & (own != np.uint64(EMPTY))
        hashes = splitmix(hashes ^ own)
    return hashes, there


def tuples_of(columns: Sequence[pa.Array], asked: NDArray[np.bool_] | None = None) -> Tuples:
    """The tuples of a batch; of the rows `asked` only."""
    hashes, there = tuple_hashes(columns)
    there = there if asked is None else there & asked
    return Tuples(sample(*tally(hashes[there]), MERGED_SAMPLE))


def merge_tuples(parts: Iterable[Tuples]) -> Tuples:
    """The tuples of the rows of all.

    >>> a, b = tuples_of([pa.array([1, 2])]), tuples_of([pa.array([2, 3])])
    >>> merge_tuples([a, b]).distinct.known
    (3, 2)
    """
    return Tuples(merge_distinct([part.distinct for part in parts]))
