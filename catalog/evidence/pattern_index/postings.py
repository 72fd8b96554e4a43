"""Which columns of the lake hold which classes, as flat sorted arrays that can be memory-mapped.

``keys`` ascending; the columns of ``keys[i]`` are ``columns[offsets[i]:offsets[i+1]]``, and ``shares`` says which
share of the column's rows belongs to the class. From these alone come a rule's matching share on every column of the
lake, hence its coverage Cov_T, its impurities Imp_D and its power, with any set of columns left out exactly.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catalog.patterns.language.characters import MOST_CHARACTERS

Keys = NDArray[np.uint64]
Shares = NDArray[np.float32]


def key_of(view: str, text: str) -> int:
    """Stable 64-bit key of a class of a view (BLAKE2b).

    >>> key_of("shape", "00") == key_of("shape", "00"), key_of("shape", "00") == key_of("runs", "00")
    (True, False)
    """
    raw = f"{view}\0{text}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(raw, digest_size=8).digest(), "little")


def keys_of(view: str, texts: Iterable[str]) -> Keys:
    """Keys of several classes of one view."""
    return np.array([key_of(view, text) for text in texts], np.uint64)


def mask_of(characters: str) -> tuple[int, int]:
    """Set of characters as two 64-bit words; everything beyond ASCII is bit 127.

    >>> mask_of("\\x00\\x01") == (3, 0)
    True
    """
    mask = 0
    for character in characters:
        mask |= 1 << min(ord(character), 127)
    return mask & (2**64 - 1), mask >> 64


LENGTH_KEYS = keys_of("length", (str(i) for i in range(MOST_CHARACTERS + 1)))


@dataclass(frozen=True)
class Postings:
    """Sorted keys and their postings; arrays may be memory maps."""

    keys: Keys
    offsets: NDArray[np.int64]
    columns: NDArray[np.int32]
    shares: Shares

    @classmethod
    def build(cls, keys: Keys, columns: NDArray[np.int32], shares: Shares) -> Postings:
        """From one row per (class, column)."""
        order = np.lexsort((columns, keys))
        keys, columns, shares = keys[order], columns[order], shares[order]
        first = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1]))) if len(keys) else np.empty(0, np.int64)
        offsets = np.append(first, len(keys)).astype(np.int64)
        return cls(keys[first], offsets, columns, shares)

    def rows(self) -> tuple[Keys, NDArray[np.int32], Shares]:
        """The inverse of `build`."""
        return np.repeat(self.keys, np.diff(self.offsets)), np.asarray(self.columns), np.asarray(self.shares)

    def match(self, keys: Keys, n_columns: int) -> Shares:
        """Share of each column's rows that belong to any of `keys` (distinct classes of one view)."""
        if len(self.keys) == 0 or len(keys) == 0:
            return np.zeros(n_columns, np.float32)
        at = np.searchsorted(self.keys, keys).clip(max=len(self.keys) - 1)
        at = at[self.keys[at] == keys]
        begin, end = self.offsets[at], self.offsets[at + 1]
        size = end - begin
        if size.sum() == 0:
            return np.zeros(n_columns, np.float32)
        places = np.repeat(begin - np.concatenate(([0], np.cumsum(size)[:-1])), size) + np.arange(size.sum())
        total = np.bincount(self.columns[places], self.shares[places], n_columns)
        return np.minimum(total, 1.0).astype(np.float32)
