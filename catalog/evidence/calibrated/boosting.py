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
BLOCK = 2**16  # rows whose leaves are sought together; chosen: what is known of them stays within a processor's cache


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
    `share` of the features and has at most eight levels. A leaf's rows have a sum of p (1 - p) of at least `smallest`.

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
    by_row = _bins(X, edges)  # rows are drawn from it, at one place of memory each
    binned = np.ascontiguousarray(by_row.T)
    mean = float(np.clip(y.mean(), 1e-6, 1 - 1e-6))
    start = float(np.log(mean / (1 - mean)))
    features, cuts, leaves = [], [], []
    score = np.full(len(X), start)
    for _ in range(trees):
        drawn = random.integers(0, len(X), min(rows, len(X)))
        chosen = np.sort(random.choice(len(binned), max(1, round(share * len(binned))), replace=False))
        probability = 1 / (1 + np.exp(-score[drawn]))
        gradient, hessian = y[drawn] - probability, probability * (1 - probability)
        sample = np.ascontiguousarray(by_row.take(drawn, 0).T)
        f, c, leaf = _grow(sample, gradient, hessian, chosen, depth, l2, smallest)
        score += (rate * leaf)[_leaf_of(binned, f, c, depth)]
        features.append(f)
        cuts.append(c)
        leaves.append(rate * leaf)
    return Boosting(edges, np.array(features), np.array(cuts), np.array(leaves), start)


def _leaf_of(binned: NDArray[np.uint8], f: NDArray[np.int16], c: NDArray[np.uint8], depth: int) -> NDArray[np.uint8]:
    """The leaf of each row of `binned` (features, rows), by asking every node of all rows: to compare and join bytes
    takes a fraction of what looking up each row's own node does."""
    leaf = np.zeros(binned.shape[1], np.uint8)
    for start in range(0, len(leaf), BLOCK):
        block, out = binned[:, start : start + BLOCK], leaf[start : start + BLOCK]
        inside = [np.ones(len(out), np.bool_)]  # of each node of a level, which rows come to it
        for level in range(depth):
            right = np.zeros(len(out), np.bool_)
            below: list[NDArray[np.bool_]] = []
            for node, rows in enumerate(inside, 2**level - 1):
                turned = block[f[node]] > c[node]
                turned &= rows
                right |= turned
                below += [rows ^ turned, turned]
            out *= 2
            out += right
            inside = below
    return leaf


def _grow(
    binned: NDArray[np.uint8], g: Floats, h: Floats, chosen: NDArray[np.int64], depth: int, l2: float, smallest: float
) -> tuple[NDArray[np.int16], NDArray[np.uint8], Floats]:
    """One tree on the rows given, `binned` (features, rows): (feature, cut) of the inner nodes and the Newton value of
    the leaves."""
    feature = np.zeros(2**depth - 1, np.int16)
    cut = np.full(2**depth - 1, 255, np.uint8)  # 255: everything goes left
    node = np.zeros(len(g), np.int64)
    columns = np.arange(len(g))
    cells = binned[chosen].astype(np.int64)
    for level in range(depth):
        width = 2**level
        first, places = width - 1, node * BINS
        sums = np.empty((2, len(chosen), width * BINS))
        for i, bins in enumerate(cells):
            at = places + bins
            sums[0, i], sums[1, i] = np.bincount(at, g, width * BINS), np.bincount(at, h, width * BINS)
        G, H = sums.reshape(2, len(chosen), width, BINS)
        gl, hl = G.cumsum(2)[:, :, :-1], H.cumsum(2)[:, :, :-1]
        gt, ht = G.sum(2)[:, :, None], H.sum(2)[:, :, None]
        gain = gl**2 / (hl + l2) + (gt - gl) ** 2 / (ht - hl + l2) - gt**2 / (ht + l2)
        gain[(hl < smallest) | (ht - hl < smallest)] = 0
        # of each node the best cut over all features, the first of equal ones
        gain = gain.transpose(1, 0, 2).reshape(width, -1)
        best = gain.argmax(axis=1)
        better = np.flatnonzero(gain[np.arange(width), best] > 1e-9)
        of, at_bin = np.divmod(best[better], BINS - 1)
        feature[first + better], cut[first + better] = chosen[of], at_bin
        global_node = node + first
        node = 2 * node + (binned[feature[global_node], columns] > cut[global_node])
    G = np.bincount(node, g, 2**depth)
    H = np.bincount(node, h, 2**depth)
    return feature, cut, G / (H + l2)
