"""Replays: what each candidate demanded after a column's first batches, and how the later rows kept to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.evidence.calibrated.features import training_features
from catalog.evidence.clauses.candidates import CLAUSE_KINDS, LEARNED, candidates, presence
from catalog.evidence.pattern_index.views import Profile

LEAST_REPLAYED = 5  # rows of either side of a replay; chosen: fewer show nothing of a column


@dataclass(frozen=True)
class Replay:
    """One replayed column, one row per candidate it had.

    Parameters
    ----------
    table, column : whose it is.
    kinds : number of each candidate's kind in `CLAUSE_KINDS`.
    features : (candidates, 32) `catalog.evidence.calibrated.features.training_features`.
    broken : share of the later rows that did not conform.
    rows : (candidates,) number of later rows that each looked at.
    numbers : the `keys` of all candidates, one after the other: an index holds a hundred thousand candidates, and is
        opened by every crawl.
    sizes : (candidates,) how many of `numbers` are each candidate's.
    """

    table: str
    column: str
    kinds: NDArray[np.int8]
    features: NDArray[np.float32]
    broken: NDArray[np.float32]
    rows: NDArray[np.int64]
    numbers: NDArray[np.uint64]
    sizes: NDArray[np.int32]

    @property
    def keys(self) -> list[NDArray[np.uint64]]:
        """Keys of the classes that each candidate accepts; for ``charset`` the two words of the mask, for spans low
        and high."""
        return np.split(self.numbers, np.cumsum(self.sizes)[:-1]) if len(self.sizes) else []


def sides(values: Sequence[str]) -> list[tuple[Sequence[str], Sequence[str]]]:
    """(first rows, later ones) of a column that came at once, cut in several ways to be replayed.

    Heads of a tenth, from both ends and from the middle, of a half and of four fifths for short horizons; and of long
    columns heads of a twentieth against the rest of their half. Columns that turn out otherwise read backwards are as
    many more to learn from.

    >>> [(len(head), len(tail)) for head, tail in sides([str(i) for i in range(100)])]
    [(10, 90), (10, 90), (10, 80), (10, 60), (10, 40), (50, 50), (80, 20)]
    """
    n, back = len(values), values[::-1]
    cuts = [(values, 0, n // 10, n), (back, 0, n // 10, n)]
    if n >= 60:
        cuts += [(values, n * a // 10, n * (a + 1) // 10, n) for a in (1, 3, 5)]
    cuts += [(values, 0, n // 2, n), (values, 0, n * 4 // 5, n)]
    if n >= 200:
        cuts += [(side, at, at + n // 20, end) for side, at, end in ((values, 0, n // 2), (values, n // 2, n))]
        cuts.append((back, 0, n // 20, n // 2))
    return [(rows[a:b], rows[b:end]) for rows, a, b, end in cuts]


def replay_of(table: str, column: str, head: Profile, tail: Profile) -> Replay:
    """Replay one column: candidates from `head`, judged on `tail`; neither is blank."""
    found = candidates(head, LEARNED) if min(head.rows, tail.rows) >= LEAST_REPLAYED else presence(head)
    rows = np.array([c.rows(tail) for c in found], np.int64)
    numbers = [c.numbers() for c in found]
    return Replay(
        table,
        column,
        np.array([CLAUSE_KINDS.index(c.kind) for c in found], np.int8),
        training_features(head, found, tail.all_rows / head.all_rows).astype(np.float32),
        np.array([c.nonconforming(tail) / max(n, 1) for c, n in zip(found, rows, strict=True)], np.float32),
        rows,
        np.concatenate(numbers) if numbers else np.empty(0, np.uint64),
        np.array([len(one) for one in numbers], np.int32),
    )


def join_replays(replays: Sequence[Replay]) -> dict[str, NDArray[Any]]:
    """Flat arrays of many replays, to be stored."""
    if not replays:
        return {}
    return {
        "names": np.array([[r.table, r.column] for r in replays]),
        "sizes": np.array([len(r.kinds) for r in replays], np.int32),
        "rows": np.concatenate([r.rows for r in replays]),
        "kinds": np.concatenate([r.kinds for r in replays]),
        "features": np.concatenate([r.features for r in replays]),
        "broken": np.concatenate([r.broken for r in replays]),
        "key_sizes": np.concatenate([r.sizes for r in replays]),
        "keys": np.concatenate([r.numbers for r in replays]),
    }


def split_replays(arrays: Mapping[str, NDArray[Any]]) -> list[Replay]:
    """The inverse of `join_replays`."""
    if not arrays:
        return []
    arrays = {name: np.asarray(array) for name, array in arrays.items()}  # slices of memory maps cost ten times more
    ends = np.cumsum(arrays["sizes"])
    key_ends = np.concatenate([[0], np.cumsum(arrays["key_sizes"])])
    out, start = [], 0
    for (table, column), end in zip(arrays["names"].tolist(), ends.tolist(), strict=True):
        rows, numbers = slice(start, end), slice(int(key_ends[start]), int(key_ends[end]))
        out.append(
            Replay(
                table, column, arrays["kinds"][rows], arrays["features"][rows], arrays["broken"][rows],
                arrays["rows"][rows], arrays["keys"][numbers], arrays["key_sizes"][rows],
            )
        )  # fmt: skip
        start = end
    return out
