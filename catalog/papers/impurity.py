"""FPR_T and Cov_T of patterns over the columns of a lake (Auto-Validate, section 2, definitions 3 to 7).

The offline stage enumerates P(D) of every column D with the share of D's values that each pattern matches; the table
maps a pattern's key to those shares, so that FPR_T(p) = mean of 1 - share over the columns where the share is not
zero, Cov_T(p) is their number, and any set of columns can be left out exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from catalog.evidence.pattern_index.postings import Keys, Postings, Shares
from catalog.evidence.pattern_index.views import Profile
from catalog.patterns.generalise import Space, spaces
from catalog.patterns.language.characters import LOWER, OTHER

Floats = NDArray[np.float64]
TOKENS = 13  # tau: wider values are left out of the offline stage; vertical cuts make up for them
MOST_SPACES = 64  # distinct pattern spaces enumerated of one column, the most frequent first
MOST_INDEXED = 1024  # patterns enumerated of one value offline


def representatives(profile: Profile) -> list[tuple[str, int]]:
    """(value, rows) of a column: its values where they are known, else one value per shape with its known constants."""
    if profile.values is not None:
        return list(profile.values.items())
    if profile.base != "shape":
        return []
    state = profile.state
    low_high = {s.text: (s.low, s.high) for s in state.shapes.items} if state is not None and state.shapes else {}
    out = []
    for shape, count in profile.shapes.items():
        low, high = low_high.get(shape, ("", ""))
        same = len(low) == len(shape) == len(high)
        text = "".join(
            low[i] if same and low[i] == high[i] else (c if c != OTHER else LOWER) for i, c in enumerate(shape)
        )
        out.append((text, count))
    return out


def column_patterns(values: Sequence[tuple[str, int]], *, tokens: int = TOKENS) -> tuple[Keys, Shares]:
    """Keys of P(D), bounded, and the share of D's values that each matches: 1 - Imp_D.

    >>> keys, shares = column_patterns([("9:07", 2), ("10:15", 8)])
    >>> from catalog.patterns.generalise import space
    >>> hours = space(("9", ":", "00"), (False, False, False))
    >>> [round(float(shares[keys == k][0]), 1) for k in hours.keys[:2]]
    [0.2, 0.2]
    """
    found = sorted(spaces(values, tokens=tokens, most=MOST_INDEXED), key=lambda item: -item[1])[:MOST_SPACES]
    total = sum(count for _, count in values)
    if not found or not total:
        return np.empty(0, np.uint64), np.empty(0, np.float32)
    parts = [space.keys for space, _ in found]
    rows = np.repeat([count for _, count in found], [len(p) for p in parts])
    keys, inverse = np.unique(np.concatenate(parts), return_inverse=True)
    return keys, (np.bincount(inverse, rows) / total).astype(np.float32)


def pattern_table(columns: Iterable[Sequence[tuple[str, int]]], *, tokens: int = TOKENS) -> Postings:
    """The offline index over columns given as (value, rows), numbered in their order."""
    keys, at, shares = [], [], []
    for number, values in enumerate(columns):
        k, s = column_patterns(values, tokens=tokens)
        keys.append(k)
        at.append(np.full(len(k), number, np.int32))
        shares.append(s)
    if not keys:
        return Postings.build(np.empty(0, np.uint64), np.empty(0, np.int32), np.empty(0, np.float32))
    return Postings.build(np.concatenate(keys), np.concatenate(at), np.concatenate(shares))


def evidence(table: Postings, keys: Keys, counts: NDArray[np.bool_]) -> tuple[Floats, NDArray[np.int64]]:
    """(FPR_T, Cov_T) of each key over the columns for which `counts` is true; FPR_T is NaN where Cov_T is 0."""
    fpr = np.full(len(keys), np.nan)
    cov = np.zeros(len(keys), np.int64)
    if not len(table.keys):
        return fpr, cov
    at = np.searchsorted(table.keys, keys).clip(max=len(table.keys) - 1)
    hit = np.flatnonzero(table.keys[at] == keys)
    begin, end = table.offsets[at[hit]], table.offsets[at[hit] + 1]
    size = end - begin
    if not size.sum():
        return fpr, cov
    owner = np.repeat(hit, size)
    places = np.repeat(begin - np.concatenate(([0], np.cumsum(size)[:-1])), size) + np.arange(size.sum())
    kept = counts[table.columns[places]]
    owner, places = owner[kept], places[kept]
    cov = np.bincount(owner, minlength=len(keys))
    impurity = np.bincount(owner, 1 - table.shares[places].astype(float), len(keys))
    with np.errstate(invalid="ignore"):
        fpr = np.where(cov > 0, impurity / np.maximum(cov, 1), np.nan)
    return fpr, cov


__all__ = ["Space", "column_patterns", "evidence", "pattern_table", "representatives"]
