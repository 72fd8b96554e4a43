"""How likely a candidate is to raise a false alarm, learned by replaying the learner on the lake's own columns.

Every replay says of each candidate whether the later rows of its column would have broken it, at each tolerance. A
boosted model (`catalog.evidence.boosting`) of these outcomes given the features of the candidate is the calibration:
it needs no labels, and works on lakes far too small for evidence per pattern. Nothing of a column's own table is in
the features of its replay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from catalog.evidence import boosting
from catalog.evidence.boosting import Boosting
from catalog.evidence.candidates import KINDS
from catalog.evidence.features import lake_features
from catalog.evidence.index import PatternIndex
from catalog.evidence.replay import Replay

Floats = NDArray[np.float64]
TOLERANCES = (0.0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 0.97)
LEVEL = 0.01  # significance of the test that the share of non-conforming rows is above the tolerance


@lru_cache(maxsize=65536)
def limit(rows: int, theta: float) -> float:
    """Largest share of non-conforming rows that is no alarm: the upper `LEVEL` quantile of Binomial(rows, theta).

    >>> limit(100, 0.0), limit(100, 0.05)
    (0.0, 0.11)
    """
    return 0.0 if theta == 0 or rows == 0 else float(binom.ppf(1 - LEVEL, rows, theta)) / rows


def limits(rows: int) -> Floats:
    """`limit` at each of `TOLERANCES`."""
    return np.array([limit(rows, theta) for theta in TOLERANCES])


def rows_of(features: Floats, kinds: NDArray[np.int8]) -> Floats:
    """Rows of the model: each candidate at each tolerance; shape (candidates * tolerances, features + 2)."""
    n, t = len(features), len(TOLERANCES)
    x = np.concatenate([features, kinds[:, None].astype(float)], axis=1)
    return np.concatenate([np.repeat(x, t, axis=0), np.tile(np.array(TOLERANCES), n)[:, None]], axis=1)


def replay_features(index: PatternIndex, replay: Replay, excluded: Iterable[str]) -> Floats:
    """Training and lake features of each candidate of a replay, with the `excluded` tables and its own left out."""
    weights = index.weights({*excluded, replay.table})
    lake = [
        lake_features(index.match_compact(KINDS[kind], numbers), weights)
        for kind, numbers in zip(replay.kinds, replay.keys, strict=True)
    ]
    return np.concatenate([replay.features, np.array(lake)], axis=1)


def calibrate(
    index: PatternIndex,
    *,
    excluded: Iterable[str] = (),
    weight: Callable[[Replay], float] | None = None,
    features: Sequence[Floats] | None = None,
    trees: int = 150,
) -> Boosting | None:
    """Fit the risk model on the index's replays outside the `excluded` tables; None without any.

    `features` are the replays' features where they are known already, in the order of ``index.replays``.
    """
    out = set(excluded)
    X, y, w = [], [], []
    for i, replay in enumerate(index.replays):
        if replay.table in out:
            continue
        f = replay_features(index, replay, out) if features is None else features[i]
        X.append(rows_of(f, replay.kinds))
        y.append((replay.broken[:, None] > limits(replay.rows)[None, :] + 1e-9).ravel())
        w.append(np.full(len(y[-1]), 1.0 if weight is None else weight(replay)))
    if not X:
        return None
    return boosting.fit(np.concatenate(X), np.concatenate(y).astype(float), np.concatenate(w), trees=trees)


def risks(model: Boosting, features: Floats, kinds: NDArray[np.int8]) -> Floats:
    """P(false alarm), shape (candidates, tolerances); never grows with the tolerance."""
    p = model.predict(rows_of(features, kinds)).reshape(len(features), len(TOLERANCES))
    return np.minimum.accumulate(p, axis=1)
