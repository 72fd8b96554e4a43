"""Rows where a condition holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Matches:
    """How many rows a condition holds of.

    Parameters
    ----------
    rows : rows asked. defined : those of which the condition says true or false. true : those it holds of.
    """

    rows: int = 0
    defined: int = 0
    true: int = 0

    @property
    def share(self) -> float | None:
        """Share of all rows asked; None where there are none, or the condition is null of every one.

        >>> Matches(4, 4, 3).share, Matches(2, 0, 0).share, Matches().share
        (0.75, None, None)
        """
        return self.true / self.rows if self.defined else None

    def to_json(self) -> Any:
        return [self.rows, self.defined, self.true]

    @classmethod
    def from_json(cls, data: Any) -> Matches:
        return cls(*data)


def merge_matches(parts: Iterable[Matches]) -> Matches:
    """The counts of the rows of all."""
    found = list(parts)
    return Matches(sum(p.rows for p in found), sum(p.defined for p in found), sum(p.true for p in found))


def matches_of(held: Mask, known: Mask, asked: Mask) -> Matches:
    """Counts of a batch: `held` and `known` say of each row whether the condition is true, and
    whether it is not null."""
    return Matches(
        int(np.count_nonzero(asked)), int(np.count_nonzero(known & asked)), int(np.count_nonzero(held & known & asked))
    )
