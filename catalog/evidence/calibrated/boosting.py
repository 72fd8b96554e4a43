"""Gradient-boosted trees for a probability, small enough to fit within a crawl and to ask within a millisecond.

Logistic loss, trees of fixed depth grown level by level on features cut into at most `BINS` quantile bins, Newton
leaf values with ridge `l2` (Friedman, "Greedy function approximation", 2001; the histogram method is LightGBM's).
Rows are drawn anew for every tree in proportion to their weights, from a seeded generator: the same rows give the
same model.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
BINS = 32  # of each feature, by its quantiles; a bound of time


@dataclass(frozen=True)
class Boosting:
    """A fitted model.

    Parameters
    ----------
    edges : (features, BINS - 1) upper edges of the bins, padded by +inf.
    feature, cut : (trees, 2**depth - 1) split of each inner node: go right when bin > cut.
    leaves : (trees, 2**depth) additions to the log-odds.
    start : log-odds of the average row.
    """

    edges: Floats
    feature: NDArray[np.int16]
    cut: NDArray[np.uint8]
    leaves: Floats
    start: float

    def bins(self, X: Floats) -> NDArray[np.uint8]:
        """Bin of each value; shape (rows, features)."""
        return _bins(X, self.edges)

    def log_odds(self, X: Floats) -> Floats:
        """Log-odds of each row of X (rows, features)."""
        binned = self.bins(X)
        (n, width), (trees, inner) = binned.shape, self.feature.shape
        depth = int(np.log2(self.leaves.shape[1]))
        # flat places cost a third of what indexing by two arrays does
        cells, feature, cut = binned.ravel(), self.feature.astype(np.int32).ravel(), self.cut.ravel()
        row, tree = np.arange(n, dtype=np.int32)[:, None] * width, np.arange(trees, dtype=np.int32)[None, :]
        node = np.zeros((n, trees), np.int32)
        for _ in range(depth):
            at = node + tree * inner
            node = 2 * node + 1 + (cells.take(row + feature.take(at)) > cut.take(at))
        leaf = node - inner + tree * self.leaves.shape[1]
        out: Floats = self.start + self.leaves.ravel().take(leaf).sum(axis=1)
        return out

    def predict(self, X: Floats) -> Floats:
        """Probability of each row."""
        return np.asarray(1 / (1 + np.exp(-self.log_odds(X))))


def _edges(X: Floats) -> Floats:
    edges = np.full((X.shape[1], BINS - 1), np.inf)
    for j in range(X.shape[1]):
        values = np.unique(X[:, j])
        if len(values) > BINS:
            values = np.unique(np.quantile(X[:, j], np.linspace(0, 1, BINS + 1)[1:]))
        middle = (values[1:] + values[:-1]) / 2
        edges[j, : min(len(middle), BINS - 1)] = middle[: BINS - 1]
    return edges


def _bins(X: Floats, edges: Floats) -> NDArray[np.uint8]:
    out = np.empty(X.shape, np.uint8)
    for j in range(X.shape[1]):
        out[:, j] = np.searchsorted(edges[j], X[:, j], side="left")
    return out


def fit(
    X: Floats,
    y: Floats,
    weights: Floats | None = None,
    *,
    trees: int = 110,
    depth: int = 5,
    rate: float = 0.12,
    l2: float = 5.0,
    smallest: float = 2.0,
    rows: int = 40_000,
    most: int = 160_000,
    share: float = 0.6,
    seed: int = 0,
) -> Boosting:
    """Fit P(y = 1 | X).

    At most `most` rows, drawn by weight, take part; `rows` of them are drawn for each tree, which sees a random
    `share` of the features. A leaf's rows have a sum of p (1 - p) of at least `smallest`.

    >>> X = np.linspace(0, 1, 4000)[:, None]
    >>> model = fit(X, (X[:, 0] > 0.5) * 1.0, trees=20, rows=2000)
    >>> np.round(model.predict(np.array([[0.1], [0.9]])))
    array([0., 1.])
    """
    random = np.random.default_rng(seed)
    if weights is not None or len(X) > most:
        p = np.ones(len(X)) if weights is None else np.asarray(weights, np.float64)
        drawn = np.searchsorted(np.cumsum(p / p.sum()), random.random(min(most, len(X))), side="right")
        drawn = np.sort(drawn.clip(max=len(X) - 1))
        X, y = X[drawn], y[drawn]
    edges = _edges(X[random.integers(0, len(X), min(len(X), 30_000))])
    binned = np.ascontiguousarray(_bins(X, edges).T)
    mean = float(np.clip(y.mean(), 1e-6, 1 - 1e-6))
    start = float(np.log(mean / (1 - mean)))
    features, cuts, leaves = [], [], []
    score = np.full(len(X), start)
    for _ in range(trees):
        drawn = random.integers(0, len(X), min(rows, len(X)))
        chosen = np.sort(random.choice(len(binned), max(1, round(share * len(binned))), replace=False))
        probability = 1 / (1 + np.exp(-score[drawn]))
        gradient, hessian = y[drawn] - probability, probability * (1 - probability)
        f, c, leaf = _grow(binned[:, drawn], gradient, hessian, chosen, depth, l2, smallest)
        score += rate * leaf[_leaf_of(binned, f, c, depth)]
        features.append(f)
        cuts.append(c)
        leaves.append(rate * leaf)
    return Boosting(edges, np.array(features), np.array(cuts), np.array(leaves), start)


def _leaf_of(binned: NDArray[np.uint8], f: NDArray[np.int16], c: NDArray[np.uint8], depth: int) -> NDArray[np.int32]:
    n = binned.shape[1]
    cells, first, columns = binned.ravel(), f.astype(np.int64) * n, np.arange(n)
    node = np.zeros(n, np.int32)
    for _ in range(depth):
        node = 2 * node + 1 + (cells.take(first.take(node) + columns) > c.take(node))
    node -= 2**depth - 1
    return node


def _grow(
    binned: NDArray[np.uint8], g: Floats, h: Floats, chosen: NDArray[np.int64], depth: int, l2: float, smallest: float
) -> tuple[NDArray[np.int16], NDArray[np.uint8], Floats]:
    """One tree on the rows given: (feature, cut) of the inner nodes and the Newton value of the leaves."""
    feature = np.zeros(2**depth - 1, np.int16)
    cut = np.full(2**depth - 1, 255, np.uint8)  # 255: everything goes left
    node = np.zeros(len(g), np.int64)
    columns = np.arange(len(g))
    for level in range(depth):
        width = 2**level
        best = np.full(width, 1e-9)
        first, places = width - 1, node * BINS
        for j in chosen:
            at = places + binned[j]
            G = np.bincount(at, g, width * BINS).reshape(width, BINS)
            H = np.bincount(at, h, width * BINS).reshape(width, BINS)
            gl, hl = G.cumsum(1)[:, :-1], H.cumsum(1)[:, :-1]
            gt, ht = G.sum(1)[:, None], H.sum(1)[:, None]
            gain = gl**2 / (hl + l2) + (gt - gl) ** 2 / (ht - hl + l2) - gt**2 / (ht + l2)
            gain[(hl < smallest) | (ht - hl < smallest)] = 0
            k = gain.argmax(axis=1)
            value = gain[np.arange(width), k]
            better = value > best
            best[better] = value[better]
            feature[first : first + width][better] = j
            cut[first : first + width][better] = k[better]
        global_node = node + first
        node = 2 * node + (binned[feature[global_node], columns] > cut[global_node])
    G = np.bincount(node, g, 2**depth)
    H = np.bincount(node, h, 2**depth)
    return feature, cut, G / (H + l2)
