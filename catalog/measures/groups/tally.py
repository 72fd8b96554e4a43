"""How many groups have how many rows: all that most figures of groups need, small however many groups there are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Tally:
    """Groups by their rows. A table of n rows has fewer than √(2n) different numbers of rows a group.

    Parameters
    ----------
    rows : the different numbers of rows a group, ascending, above 0. groups : how many groups have so many.

    >>> tally = tally_of(np.array([2, 1, 1]))
    >>> tally.total, tally.distinct, tally.singletons, round(tally.entropy, 6)
    (4, 3, 2, 1.039721)
    """

    rows: Counts
    groups: Counts

    @property
    def total(self) -> int:
        """Rows of all groups."""
        return int((self.rows * self.groups).sum())

    @property
    def distinct(self) -> int:
        return int(self.groups.sum())

    @property
    def singletons(self) -> int:
        return int(self.groups[0]) if len(self.rows) and self.rows[0] == 1 else 0

    @property
    def entropy(self) -> float | None:
        """In nats, of the rows' groups; None without rows."""
        if not len(self.rows):
            return None
        shares = self.rows / self.total
        return float(-(self.groups * shares * np.log(shares)).sum()) + 0.0

    def changed(self, before: Counts, after: Counts) -> Tally:
        """The tally after groups of `before` rows have `after` rows; 0 where a group is not there."""
        there, come = before[before > 0], after[after > 0]
        more = np.concatenate((np.ones(len(come), np.int64), np.full(len(there), -1, np.int64)))
        return _added([self.rows, come, there], [self.groups, more])

    def to_json(self) -> Any:
        return [self.rows.tolist(), self.groups.tolist()]

    @classmethod
    def from_json(cls, data: Any) -> Tally:
        rows, groups = (np.array(one, np.int64) for one in data)
        return cls(rows, groups)


def tally_of(counts: Counts) -> Tally:
    """The tally of groups by the rows of each."""
    return Tally(*np.unique(counts, return_counts=True))


def add_tallies(found: Iterable[Tally]) -> Tally:
    """The tally of the groups of all; no group is in two of them."""
    listed = list(found)
    return _added([one.rows for one in listed], [one.groups for one in listed])


def _added(rows: list[Counts], groups: list[Counts]) -> Tally:
    if not rows:
        return Tally(np.zeros(0, np.int64), np.zeros(0, np.int64))
    known, at = np.unique(np.concatenate(rows), return_inverse=True)
    summed = np.zeros(len(known), np.int64)
    np.add.at(summed, at, np.concatenate(groups))
    kept = summed != 0
    return Tally(known[kept], summed[kept])
