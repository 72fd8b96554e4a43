"""What is known about a candidate before it is trusted: numbers from the training rows and from the lake.

Of the column: how many rows, values and classes, what share of them was seen once (Good and Turing's estimate of what
is yet unseen), characters, whether files are sorted or clustered by it, how much is to come for each row seen. Of the
candidate: the same in its view. Of the lake: the coverage and the impurities of the candidate on the columns that share
something with it (Auto-Validate, SIGMOD 2021, definitions 3 to 7), on all that match and on those that match by half.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from catalog.evidence.clauses.candidate import Candidate
from catalog.evidence.pattern_index.postings import Shares
from catalog.evidence.pattern_index.views import Profile

Floats = NDArray[np.float64]

COLUMN = (
    "rows", "values", "shapes", "runs", "tokens", "marks", "seen_once", "length", "shortest", "longest", "digits",
    "capitals", "small", "other", "spaces", "symbols", "words", "sorted", "repeats", "clustered", "horizon",
    "shapes_once", "runs_once", "tokens_once", "symbols_once", "first",
)  # fmt: skip
CLASS_FEATURES = ("classes", "seen_once", "seen_twice", "largest", "smallest", "entropy")
# Places of features that others look at by name.
ROWS, DIFFERENT, HORIZON, ONCE = (
    0,
    COLUMN.index("values"),
    COLUMN.index("horizon"),
    len(COLUMN) + CLASS_FEATURES.index("seen_once"),
)
SORTED, REPEATS, CLUSTERED = (COLUMN.index(name) for name in ("sorted", "repeats", "clustered"))
LAKE = ("touched", "half", "pure", "impurity", "impurity_half", "pure_share", "most_share", "most_of_touched", "share")
IMPURITY = len(COLUMN) + len(CLASS_FEATURES) + LAKE.index("impurity")
IMPURITY_HALF = len(COLUMN) + len(CLASS_FEATURES) + LAKE.index("impurity_half")
UNKNOWN = -1.0  # of what is not known of the order of rows


def column_features(profile: Profile, horizon: float) -> Floats:
    """`COLUMN` of a training profile; `horizon` is how many rows are to be judged for each row seen."""
    tables, rows = profile.tables, profile.basis
    state = profile.state
    if profile.values is not None:
        values = float(len(profile.values))
        once = sum(count == 1 for count in profile.values.values()) / rows
    elif state is not None:
        values, once = state.distinct.estimate(), state.distinct.singletons() / rows
    else:
        values, once = float(rows), 1.0
    base = (
        tables.get("shape")
        or tables.get("letters")
        or tables.get("alnum")
        or tables.get("runs")
        or tables.get("marks", {})
    )
    total = sum(len(text) * count for text, count in base.items())
    share = [sum(text.count(c) * n for text, n in base.items()) / max(total, 1) for c in "0Aaé "]
    sizes = [int(text) for text in tables.get("length", {})]
    if not sizes and state is not None and state.lengths is not None:
        sizes = [state.lengths.shortest, state.lengths.longest]
    listed = sum(base.values()) or 1
    size = [len(tables.get(view, ())) for view in ("shape", "runs", "tokens", "marks")]
    single = [_once(tables.get(view)) for view in ("shape", "runs", "tokens", "symbols")]
    return np.array([
        rows, values, *size, once, total / listed, min(sizes, default=0), max(sizes, default=0), *share, 1 - sum(share),
        len(tables.get("words", ())), *_order_features(profile), np.log(horizon), *single, _first(profile),
    ], float)  # fmt: skip


def _once(table: dict[str, int] | None) -> float:
    """Share of the rows whose class no other row has."""
    return sum(count == 1 for count in table.values()) / sum(table.values()) if table else UNKNOWN


def _first(profile: Profile) -> float:
    """How many characters the values begin with, for each value listed: few where files are sorted."""
    values = [text for text, _ in profile.texts.values]
    return len({text[0] for text in values}) / len(values) if values else UNKNOWN


def _order_features(profile: Profile) -> tuple[float, float, float]:
    """Share of unequal neighbours in the commoner direction; share of equal ones, and by how much that is above what
    shuffled rows would have."""
    order = profile.order
    if order is None or not order.pairs:
        return UNKNOWN, UNKNOWN, UNKNOWN
    falling = order.pairs - order.equal - order.rising
    unequal = order.pairs - order.equal
    known = profile.values
    if known is None:
        known = dict(profile.state.frequent.items) if profile.state is not None else {}
    n = max(profile.rows, 2)
    chance = sum(count * (count - 1) for count in known.values()) / (n * (n - 1))
    repeats = order.equal / order.pairs
    return max(order.rising, falling) / unequal if unequal else 0.5, repeats, repeats - chance


def training_features(profile: Profile, found: list[Candidate], horizon: float) -> Floats:
    """`COLUMN` and `CLASS_FEATURES` of each candidate; shape (candidates, 32)."""
    out = np.empty((len(found), len(COLUMN) + len(CLASS_FEATURES)))
    out[:, : len(COLUMN)] = column_features(profile, horizon)
    for row, candidate in zip(out, found, strict=True):
        row[len(COLUMN) :] = candidate.features(profile)
    return out


def lake_sums(match: Shares, weights: Shares, groups: NDArray[np.int64] | None = None, size: int = 1) -> Floats:
    """What `LAKE` is made of, summed over the columns of each of `size` groups: shape (size, 6).

    Sums of the weights of the columns that share something, match by half, by 90%, wholly; and of their impurities.
    """
    at = np.flatnonzero((match > 0) & (weights > 0))
    m, w = match[at].astype(float), weights[at].astype(float)
    half = m >= 0.5
    parts = (w, w * half, w * (m >= 0.9), w * (m >= 0.9999), w * (1 - m), w * (1 - m) * half)
    if groups is None:
        return np.array([[part.sum() for part in parts]])
    return np.stack([np.bincount(groups[at], part, size) for part in parts], axis=1)


def features_of_sums(sums: Floats, total: float | Floats) -> Floats:
    """`LAKE` from sums (..., 6) and the weight of all columns that count."""
    touched, half, most, pure, impurity, impurity_half = np.moveaxis(sums, -1, 0)
    return np.stack([
        np.log1p(touched), np.log1p(half), np.log1p(pure), (impurity + 0.5) / (touched + 1),
        (impurity_half + 0.05) / (half + 1), (pure + 0.5) / (half + 1), (most + 0.5) / (half + 1),
        (most + 0.5) / (touched + 1), half / np.maximum(total, 1.0),
    ], axis=-1)  # fmt: skip


def lake_features(match: Shares, weights: Shares) -> Floats:
    """`LAKE` from the share of each column that conforms and each column's weight as evidence."""
    return np.asarray(features_of_sums(lake_sums(match, weights)[0], float(weights.sum())))
