"""Replays: what each candidate demanded after a column's first batches, and how the later rows kept to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.evidence.candidates import KINDS, Candidate, candidates, nonconforming
from catalog.evidence.features import training_features
from catalog.evidence.postings import keys_of, mask_of
from catalog.evidence.views import Profile


@dataclass(frozen=True)
class Replay:
    """One replayed column, one row per candidate it had.

    Parameters
    ----------
    table, column : whose it is.
    kinds : number of each candidate's kind in `KINDS`.
    features : (candidates, 27) `catalog.evidence.features.training_features`.
    broken : share of the later rows that did not conform.
    rows : number of later rows.
    keys : keys of the accepted classes; for ``charset`` the two words of the mask, for spans low and high.
    """

    table: str
    column: str
    kinds: NDArray[np.int8]
    features: NDArray[np.float32]
    broken: NDArray[np.float32]
    rows: int
    keys: tuple[NDArray[np.uint64], ...]


def cuts(rows: int) -> list[tuple[int, int, int]]:
    """Where a column that came at once is cut to be replayed, as (first row of the head, first of the tail, end).

    Heads of a tenth, from several places, and, for short horizons, of a half and of four fifths.

    >>> cuts(100)[0], cuts(100)[-1], len(cuts(30))
    ((0, 10, 100), (0, 80, 100), 3)
    """
    tenths = [(rows * a // 10, rows * (a + 1) // 10) for a in (1, 3, 5) if rows >= 60]
    return [(a, b, rows) for a, b in [(0, rows // 10), *tenths, (0, rows // 2), (0, rows * 4 // 5)]]


def compact(candidate: Candidate) -> NDArray[np.uint64]:
    """What a lookup needs of a candidate, as numbers."""
    if candidate.kind == "charset":
        return np.array(mask_of(candidate.accepted[0]), np.uint64)
    if candidate.kind in ("span", "wide"):
        return np.array(candidate.span, np.uint64)
    return keys_of(candidate.kind, candidate.accepted)


def replay_of(table: str, column: str, head: Profile, tail: Profile) -> Replay:
    """Replay one column: candidates from `head`, judged on `tail`."""
    found = candidates(head)
    return Replay(
        table,
        column,
        np.array([KINDS.index(c.kind) for c in found], np.int8),
        training_features(head, found, tail.rows / head.rows).astype(np.float32),
        np.array([nonconforming(c, tail) / tail.rows for c in found], np.float32),
        tail.rows,
        tuple(compact(c) for c in found),
    )


def join_replays(replays: Sequence[Replay]) -> dict[str, NDArray[Any]]:
    """Flat arrays of many replays, to be stored."""
    if not replays:
        return {}
    keys = [k for r in replays for k in r.keys]
    return {
        "names": np.array([[r.table, r.column] for r in replays]),
        "sizes": np.array([len(r.kinds) for r in replays], np.int32),
        "rows": np.array([r.rows for r in replays], np.int64),
        "kinds": np.concatenate([r.kinds for r in replays]),
        "features": np.concatenate([r.features for r in replays]),
        "broken": np.concatenate([r.broken for r in replays]),
        "key_sizes": np.array([len(k) for k in keys], np.int32),
        "keys": np.concatenate(keys),
    }


def split_replays(arrays: Mapping[str, NDArray[Any]]) -> list[Replay]:
    """The inverse of `join_replays`."""
    if not arrays:
        return []
    out = []
    arrays = {name: np.asarray(array) for name, array in arrays.items()}  # slices of memory maps cost ten times more
    ends, key_ends = np.cumsum(arrays["sizes"]), np.cumsum(arrays["key_sizes"])
    for i, (name, size) in enumerate(zip(arrays["names"], arrays["sizes"], strict=True)):
        rows = slice(int(ends[i] - size), int(ends[i]))
        keys = tuple(
            arrays["keys"][int(e - s) : int(e)] for e, s in zip(key_ends[rows], arrays["key_sizes"][rows], strict=True)
        )
        out.append(
            Replay(
                str(name[0]), str(name[1]), arrays["kinds"][rows], arrays["features"][rows], arrays["broken"][rows],
                int(arrays["rows"][i]), keys,
            )
        )  # fmt: skip
    return out
