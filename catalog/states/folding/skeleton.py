"""What of a string stays when it is written in another way: its letters and digits, in any order and either case.

Of values that stand in one row each a state lists those whose skeleton's hash is least. So two batches of a register
list the same rows of it, though some were written in another way meanwhile: what became of a value can be seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.states.folding.hashing import Hashes, hash_values, splitmix

#: Letters from which a string is told by them in any order. Chosen: of fewer letters too many strings have the same.
LETTERS = 4
MOST_BYTES = 1 << 19  # of a column's cells that are looked through: a bound of time, some 30,000 cells


def _weights() -> Hashes:
    """By byte, what it adds. Letters in either case, and what is taken for each other (0 and o; 1, l and i), alike; the
    last eight bits count letters that are taken for no digit. Bytes beyond ASCII, marks and spaces add nothing."""
    out = np.zeros(256, np.uint64)
    for byte in range(128):
        alike = {"o": "0", "l": "1", "i": "1"}.get(chr(byte).lower(), chr(byte).lower())
        if alike.isalnum():
            out[byte] = splitmix(np.array([ord(alike)], np.uint64))[0] & np.uint64(0xFFFFFFFFFFFFFF00)
            out[byte] |= np.uint64(alike.isalpha())
    return out


_WEIGHTS = _weights()


def skeletons(edges: NDArray[np.int64], data: NDArray[np.uint8], hashes: Hashes) -> Hashes:
    """One hash a cell; of cells of fewer than `LETTERS` letters their own of `hashes`.

    >>> text = b'Zur"zuR" ruZ_'
    >>> cells = np.array([0, 3, 8, 13]), np.frombuffer(text, np.uint8), np.arange(3, dtype=np.uint64)
    >>> skeletons(*cells).tolist()
    [0, 1, 2]
    >>> words = np.frombuffer(b'Zurich"zuRICH"hcirUz', np.uint8)
    >>> len(set(skeletons(np.array([0, 6, 14, 20]), words, np.arange(3, dtype=np.uint64)).tolist()))
    1
    """
    if not len(data):
        return hashes
    sums = np.add.reduceat(np.append(_WEIGHTS[data], np.uint64(0)), edges[:-1])
    sums[edges[1:] == edges[:-1]] = 0
    return np.where(sums & np.uint64(0xFF) >= LETTERS, splitmix(sums), hashes)


def of_values(values: Sequence[Any], hashes: Hashes) -> Hashes:
    """The same of strings as Python has them, or of numbers, whatever their signs; of times their own hashes."""
    if values and isinstance(values[0], date | time):
        return hashes
    if values and not isinstance(values[0], str):
        return hash_values([abs(value) for value in values])
    raw = [value.encode("utf-8", "surrogatepass") for value in values]
    edges = np.concatenate(([0], np.cumsum([len(one) for one in raw], dtype=np.int64)))
    return skeletons(edges, np.frombuffer(b"".join(raw), np.uint8), hashes)
