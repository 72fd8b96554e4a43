"""The calibrated risk of a clause: what replays of columns say about clauses like this one on columns like this one.

Boosted trees (`catalog.evidence.calibrated.boosting`) on the candidate's kind and features, the tolerance, and the logs
of the tolerance's ratios to what else is known to be new. The risk never grows with the tolerance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.evidence.calibrated import boosting
from catalog.evidence.calibrated.boosting import Boosting
from catalog.evidence.calibrated.features import IMPURITY, IMPURITY_HALF, ONCE, ROWS
from catalog.evidence.clauses.candidates import KINDS

Floats = NDArray[np.float64]
TOLERANCES = (0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.06, 0.1, 0.15, 0.3, 0.5, 0.8, 0.95)
DRAWN = 400_000  # (candidate, tolerance) pairs that the trees are fitted to; a bound of time
LEAST = 1e-4  # no replays of a lake show a smaller risk


def model_rows(features: Floats, usual: Floats, theta: Floats) -> Floats:
    """Rows of the trees; `usual` is how often candidates of the kind break."""
    n, once = features[:, ROWS], features[:, ONCE]
    log_theta = np.log(theta + 0.003)
    unseen = (once * n + 0.3) / (n + 1)
    more = np.stack([
        theta, log_theta - np.log(unseen), log_theta - np.log(features[:, IMPURITY_HALF] + 0.003),
        log_theta - np.log(features[:, IMPURITY] + 0.003), np.log(n * (theta + 0.003)), usual,
    ], axis=1)  # fmt: skip
    return np.concatenate([features, more], axis=1)


@dataclass(frozen=True)
class Risk:
    """A fitted calibration.

    `usual` is how often candidates of each kind break at no tolerance: by it trees tell kinds apart in few cuts.

    `optimism` is how many times more often than the trees say a candidate breaks that was bought because its risk looks
    small: the less a calibration has seen, the more of what looks safe is luck.
    """

    trees: Boosting
    usual: Floats
    optimism: float = 1.0

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What is stored."""
        t = self.trees
        numbers = {"start": np.array([t.start]), "optimism": np.array([self.optimism])}
        return {
            "edges": t.edges, "feature": t.feature, "cut": t.cut, "leaves": t.leaves, "usual": self.usual, **numbers,
        }  # fmt: skip

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Risk:
        """The inverse of `arrays`."""
        parts = {name: np.array(arrays[name]) for name in ("edges", "feature", "cut", "leaves")}
        trees = Boosting(**parts, start=float(arrays["start"][0]))
        return cls(trees, np.array(arrays["usual"]), float(arrays["optimism"][0]))

    def __call__(self, features: Floats, kinds: NDArray[np.int8]) -> Floats:
        """P(false alarm), should it be bought, of candidates at each of `TOLERANCES`: (candidates, tolerances)."""
        n, t = len(features), len(TOLERANCES)
        theta = np.tile(np.array(TOLERANCES), n)
        rows = model_rows(np.repeat(features, t, axis=0), np.repeat(self.usual[kinds], t), theta)
        risk = np.maximum(self.trees.predict(rows), LEAST).reshape(n, t)
        return np.asarray(np.minimum(self.optimism * np.minimum.accumulate(risk, axis=1), 1.0))


def fit_risk(
    features: NDArray[np.floating[Any]], kinds: NDArray[np.int8], alarms: NDArray[np.bool_], weights: Floats,
    optimism: float = 1.0,
) -> Risk:  # fmt: skip
    """Fit the calibration.

    Parameters
    ----------
    features, kinds : of every replayed candidate.
    alarms : (candidates, tolerances) whether the later rows raised an alarm.
    weights : how often a candidate is drawn.
    """
    random = np.random.default_rng(20210620)
    total = np.bincount(kinds, weights, kinds.max() + 1)
    usual = np.bincount(kinds, weights * alarms[:, 0], len(total)) / np.maximum(total, 1e-12)
    size = min(DRAWN, 4 * alarms.size)
    drawn = np.searchsorted(np.cumsum(weights / weights.sum()), random.random(size), side="right")
    drawn, at = drawn.clip(max=len(weights) - 1), random.integers(0, len(TOLERANCES), size)
    X = model_rows(features[drawn].astype(np.float64), usual[kinds[drawn]], np.array(TOLERANCES)[at])
    return Risk(
        boosting.fit(
            X, alarms[drawn, at].astype(float), trees=300, depth=6, rate=0.04, smallest=2.5, rows=30_000, most=DRAWN
        ),
        np.append(usual, np.ones(len(KINDS) - len(usual))),
        optimism,
    )
