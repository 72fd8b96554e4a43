"""The calibrated risk of a clause: what replays of the lake's columns say about columns like this one.

Three views of the same replays stand together, because few columns make each err in its own way:

- boosted trees (`catalog.evidence.boosting`) on the candidate's kind and features and the tolerance, for all kinds
together; - small boosted trees for each kind by itself, with the logs of the tolerance's ratios to what else is known
to be new; - a table of plain counts by length, digits, share of values seen once and number of classes, in which no
  table of the lake counts for more than `MOST_PER_TABLE` columns and (alarms + 1) / (columns + 1) is the estimate.

The risk is the geometric mean of both trees, or the table's estimate where that is less; it never grows with the
tolerance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.evidence import boosting
from catalog.evidence.boosting import BINS, Boosting
from catalog.evidence.candidates import KINDS

Floats = NDArray[np.float64]
TOLERANCES = (0.0, 0.005, 0.01, 0.02, 0.03, 0.06, 0.1, 0.15, 0.3, 0.5, 0.8, 0.95)
MOST_PER_TABLE, LEAST_TABLES = 40, 4
TREES, DEPTH, DRAWN, PER_TREE = 80, 4, 30_000, 12_000  # of each kind by itself
JOINT_DRAWN = 120_000
_ROWS, _LONGEST, _DIGITS, _CLASSES, _ONCE, _IMPURITY, _IMPURITY_HALF = 0, 9, 10, 17, 18, 26, 27  # places of features
BUCKETS = 5 * 2 * 4 * 4


def buckets(features: NDArray[np.floating[Any]]) -> NDArray[np.int64]:
    """Bucket of each candidate in the table of counts."""
    longest = np.digitize(features[:, _LONGEST], [1.5, 3.5, 8.5, 20.5])
    once = np.digitize(features[:, _ONCE], [1e-9, 0.05, 0.2])
    classes = np.digitize(features[:, _CLASSES], [1.5, 5.5, 20.5])
    return np.asarray(((longest * 2 + (features[:, _DIGITS] > 0)) * 4 + once) * 4 + classes)


def model_rows(features: Floats, theta: Floats) -> Floats:
    """Rows of the trees: features, tolerance, and the tolerance against what else is known to be new."""
    n, once = features[:, _ROWS], features[:, _ONCE]
    log_theta = np.log(theta + 0.003)
    unseen = (once * n + 0.3) / (n + 1)
    more = np.stack([
        theta, log_theta - np.log(unseen), log_theta - np.log(features[:, _IMPURITY_HALF] + 0.003),
        log_theta - np.log(features[:, _IMPURITY] + 0.003), np.log(n * (theta + 0.003)),
    ], axis=1)  # fmt: skip
    return np.concatenate([features, more], axis=1)


def joint_rows(features: Floats, kinds: NDArray[np.int64], theta: Floats) -> Floats:
    """Rows of the trees of all kinds: features, kind, tolerance."""
    return np.concatenate([features, kinds[:, None], theta[:, None]], axis=1)


@dataclass(frozen=True)
class Risk:
    """A fitted calibration: the trees of all kinds side by side (first axis: kind) and the table (kind, bucket,
    tolerance).

    `fitted` says which kinds have trees; a candidate of another kind is never trusted (risk 1).
    """

    edges: Floats
    feature: NDArray[np.int16]
    cut: NDArray[np.uint8]
    leaves: Floats
    start: Floats
    fitted: NDArray[np.bool_]
    table: Floats
    joint: Boosting

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What is stored."""
        own = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "joint"}
        j = self.joint
        both = {"edges": j.edges, "feature": j.feature, "cut": j.cut, "leaves": j.leaves, "start": np.array([j.start])}
        return {**own, **{f"joint_{name}": array for name, array in both.items()}}

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Risk:
        """The inverse of `arrays`."""
        own = {name: np.array(arrays[name]) for name in cls.__dataclass_fields__ if name != "joint"}
        j = {name: np.array(arrays[f"joint_{name}"]) for name in ("edges", "feature", "cut", "leaves")}
        return cls(**own, joint=Boosting(**j, start=float(arrays["joint_start"][0])))

    def __call__(self, features: Floats, kinds: NDArray[np.int8]) -> Floats:
        """P(false alarm) of candidates at each of `TOLERANCES`: shape (candidates, tolerances)."""
        n, t = len(features), len(TOLERANCES)
        theta = np.tile(np.array(TOLERANCES), n)
        kind = np.repeat(kinds.astype(np.int64), t)
        repeated = np.repeat(features, t, axis=0)
        own = self._trees(model_rows(repeated, theta), kind)
        both = np.sqrt(own * self.joint.predict(joint_rows(repeated, kind, theta))).reshape(n, t)
        risk = np.fmin(both, self.table[kinds.astype(np.int64), buckets(features)])
        risk[~self.fitted[kinds.astype(np.int64)]] = 1.0
        return np.asarray(np.minimum.accumulate(risk, axis=1))

    def _trees(self, X: Floats, kind: NDArray[np.int64]) -> Floats:
        binned = (self.edges[kind] < X[:, :, None]).sum(axis=2)
        rows, trees, k = np.arange(len(X))[:, None], np.arange(self.feature.shape[1])[None, :], kind[:, None]
        node = np.zeros((len(X), self.feature.shape[1]), np.int64)
        for _ in range(DEPTH):
            node = 2 * node + 1 + (binned[rows, self.feature[k, trees, node]] > self.cut[k, trees, node])
        odds = self.start[kind] + self.leaves[k, trees, node - (2**DEPTH - 1)].sum(axis=1)
        return np.asarray(1 / (1 + np.exp(-odds)))


def fit_risk(
    features: NDArray[np.floating[Any]],
    kinds: NDArray[np.int8],
    alarms: NDArray[np.bool_],
    weights: Floats,
    tables: Sequence[int],
) -> Risk:
    """Fit the calibration.

    Parameters
    ----------
    features, kinds : of every replayed candidate.
    alarms : (candidates, tolerances) whether the later rows raised an alarm.
    weights : how often a candidate is drawn.
    tables : number of the table each candidate comes from.
    """
    size, width, t = len(KINDS), features.shape[1] + 5, len(TOLERANCES)
    edges = np.full((size, width, BINS - 1), np.inf)
    feature = np.zeros((size, TREES, 2**DEPTH - 1), np.int16)
    cut = np.full((size, TREES, 2**DEPTH - 1), 255, np.uint8)
    leaves, start, fitted = np.zeros((size, TREES, 2**DEPTH)), np.zeros(size), np.zeros(size, bool)
    theta = np.array(TOLERANCES)
    for kind in range(size):
        mine = np.flatnonzero(kinds == kind)
        if len(mine) < 2:
            continue
        random = np.random.default_rng(20210620 + kind)
        p = weights[mine] / weights[mine].sum()
        drawn = mine[np.searchsorted(np.cumsum(p), random.random(DRAWN), side="right").clip(max=len(mine) - 1)]
        at = random.integers(0, t, DRAWN)
        X = model_rows(features[drawn].astype(np.float64), theta[at])
        model = boosting.fit(
            X,
            alarms[drawn, at].astype(float),
            trees=TREES,
            depth=DEPTH,
            rate=0.12,
            rows=PER_TREE,
            most=DRAWN,
            seed=kind,
        )
        edges[kind], feature[kind], cut[kind], leaves[kind] = model.edges, model.feature, model.cut, model.leaves
        start[kind], fitted[kind] = model.start, True
    random = np.random.default_rng(20210620)
    drawn = np.searchsorted(np.cumsum(weights / weights.sum()), random.random(JOINT_DRAWN), side="right")
    drawn, at = drawn.clip(max=len(weights) - 1), random.integers(0, t, JOINT_DRAWN)
    X = joint_rows(features[drawn].astype(np.float64), kinds[drawn].astype(np.int64), theta[at])
    joint = boosting.fit(X, alarms[drawn, at].astype(float), most=JOINT_DRAWN, rows=30_000)
    return Risk(edges, feature, cut, leaves, start, fitted, _count(features, kinds, alarms, tables), joint)


def _count(
    features: NDArray[np.floating[Any]], kinds: NDArray[np.int8], alarms: NDArray[np.bool_], tables: Sequence[int]
) -> Floats:
    """The table of counts; NaN where fewer than `LEAST_TABLES` tables have a say."""
    cell = kinds.astype(np.int64) * BUCKETS + buckets(features)
    pairs, inverse, n = np.unique(np.stack([cell, np.asarray(tables)]), axis=1, return_inverse=True, return_counts=True)
    scale = np.minimum(1.0, MOST_PER_TABLE / n)
    total = np.bincount(pairs[0], n * scale, len(KINDS) * BUCKETS)
    seen = np.bincount(pairs[0], minlength=len(KINDS) * BUCKETS)
    weight = scale[inverse.ravel()]
    out = np.stack(
        [np.bincount(cell, weight * alarms[:, k], len(KINDS) * BUCKETS) for k in range(alarms.shape[1])], axis=1
    )
    estimate = (out + 1) / (total[:, None] + 1)
    estimate[seen < LEAST_TABLES] = np.nan
    return estimate.reshape(len(KINDS), BUCKETS, -1)
