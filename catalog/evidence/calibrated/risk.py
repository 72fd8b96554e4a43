"""The calibrated risk of a clause: what replays of columns say about clauses like this one on columns like this one.

Boosted trees (`catalog.evidence.calibrated.boosting`) on the candidate's kind and features, the tolerance, and the logs
of the tolerance's ratios to what else is known to be new, among all rows and among those that are draws of their own
(`draws`): a sorted or clustered file shows less than its rows count. The risk never grows with the tolerance.

Whether values are missing has nothing to do with how they look, nor with how many are missing in other columns: such
clauses have trees of their own, on how many rows were seen, how many are to come, and how many of them are missing.
(The lake's features of such a clause are the same for every column but for what its own part of the lake takes away,
by which trees know the answer of every replay, and nothing of a new column.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.evidence.calibrated import boosting
from catalog.evidence.calibrated.boosting import Boosting
from catalog.evidence.calibrated.features import (
    CLASS_FEATURES,
    CLUSTERED,
    COLUMN,
    HORIZON,
    IMPURITY,
    IMPURITY_HALF,
    ONCE,
    REPEATS,
    ROWS,
    SORTED,
)
from catalog.evidence.clauses.candidates import CLAUSE_KINDS

Floats = NDArray[np.float64]
#: Shares of a batch that may break a clause. Chosen: none, then each about twice the one before.
TOLERANCES = (0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.06, 0.1, 0.15, 0.3, 0.5, 0.8, 0.95)
DRAWN = 400_000  # (candidate, tolerance) pairs that the trees are fitted to; a bound of time
SMALLEST_RISK = 1e-4  # bound: no replays of a lake show a smaller risk
PRIOR = 2.0  # trials of a column itself that what is known of others is worth; chosen: few, a column knows itself best
#: The slope of the log-odds, and the risk at which both agree. Fitted by `python -m benchmarks.fmdv.sharpness`, on the
#: half of the repositories that choices are made on (1.65 at 0.016 and 1.64 at 0.021 in two runs; the more careful is
#: taken): of what the trees call safe (below 0.02) more is safe than they say. Shrunken trees with large leaves pull
#: what is rare towards the mean.
EVEN, SHARPNESS = 0.015, 1.65
SMOOTHED = 0.01  # added to shares of which one may be all; chosen: a constant column is as many rows as it has
PRESENCE = CLAUSE_KINDS.index("presence")
_PARTS = ("edges", "feature", "cut", "leaves")
_OF_PRESENCE = [ROWS, HORIZON, *range(len(COLUMN), len(COLUMN) + len(CLASS_FEATURES))]


def draws(features: Floats) -> Floats:
    """How many rows were drawn independently of the one before, about: of a file that is sorted or clustered a value,
    most rows repeat their neighbour, and say nothing new of what else may come.

    Of m rows of which a share r equal the row before, where shuffled rows would by a share c: 1 <= m (1 - r) / (1 - c).
    """
    repeats = np.maximum(features[:, REPEATS], 0)
    chance = np.clip(repeats - np.where(features[:, REPEATS] < 0, 0, features[:, CLUSTERED]), 0, 1)
    new = (1 - repeats + SMOOTHED) / (1 - chance + SMOOTHED)
    return np.asarray(np.maximum(features[:, ROWS] * np.clip(new, 0, 1), 1))


def model_rows(features: Floats, usual: Floats, theta: Floats) -> Floats:
    """Rows of the trees; `usual` is how often candidates of the kind break."""
    n, once, drawn = features[:, ROWS], features[:, ONCE], draws(features)
    log_theta = np.log(theta + 0.003)
    unseen = (once * n + 0.3) / (n + 1)
    apart = np.maximum(features[:, SORTED], 0.5) * (1 - np.maximum(features[:, REPEATS], 0))
    more = np.stack([
        theta, log_theta - np.log(unseen), log_theta - np.log(features[:, IMPURITY_HALF] + 0.003),
        log_theta - np.log(features[:, IMPURITY] + 0.003), np.log(n * (theta + 0.003)), usual,
        np.log(drawn), np.log(drawn * (theta + 0.003)), log_theta - np.log((once * n + 0.3) / (drawn + 1)), apart,
    ], axis=1)  # fmt: skip
    return np.concatenate([features, more], axis=1)


def presence_rows(features: Floats, theta: Floats) -> Floats:
    """Rows of the trees of presence."""
    return np.concatenate([features[:, _OF_PRESENCE], theta[:, None]], axis=1)


def sharpened(log_odds: Floats) -> Floats:
    """The probability that the trees' log-odds stand for, see `SHARPNESS`.

    >>> sharpened(np.log([0.001 / 0.999, 0.015 / 0.985])).round(5)
    array([0.00017, 0.015  ])
    """
    even = np.log(EVEN / (1 - EVEN))
    return np.asarray(1 / (1 + np.exp(-(even + SHARPNESS * (log_odds - even)))))


@dataclass(frozen=True)
class Risk:
    """A fitted calibration: `trees`, and `missing`, those of presence.

    `usual` is how often candidates of each kind break at no tolerance: by it trees tell kinds apart in few cuts.

    `optimism` is how many times more often than the trees say a candidate breaks that was selected because its risk
    looks small: the less a calibration has seen, the more of what looks safe is luck. Of presence there is nothing to
    choose.

    `longest` is how many rows the replays learned from, at the most. Trees know nothing of more: each doubling of them
    is a trial that the column passed by then, as in the rule of succession, and the risk so much smaller.
    """

    trees: Boosting
    missing: Boosting
    usual: Floats
    optimism: float = 1.0
    longest: float = np.inf

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What is stored."""
        numbers = np.array([self.optimism, self.longest])
        parts: dict[str, NDArray[Any]] = {"usual": self.usual, "numbers": numbers}
        for name, trees in (("", self.trees), ("missing_", self.missing)):
            parts |= {f"{name}{part}": getattr(trees, part) for part in _PARTS}
            parts[f"{name}start"] = np.array([trees.start])
        return parts

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Risk:
        """The inverse of `arrays`."""
        trees, missing = (
            Boosting(
                **{part: np.array(arrays[f"{name}{part}"]) for part in _PARTS}, start=float(arrays[f"{name}start"][0])
            )
            for name in ("", "missing_")
        )
        optimism, longest = map(float, arrays["numbers"])
        return cls(trees, missing, np.array(arrays["usual"]), optimism, longest)

    def __call__(self, features: Floats, kinds: NDArray[np.int8]) -> Floats:
        """P(false alarm), should it be selected, of candidates at each of `TOLERANCES`: (candidates, tolerances)."""
        t, of_presence = len(TOLERANCES), kinds == PRESENCE
        passed = np.log2(np.maximum(features[:, ROWS] / self.longest, 1.0))[:, None]
        theta = np.tile(np.array(TOLERANCES), len(features))
        features = np.repeat(features, t, axis=0)
        rows = model_rows(features, np.repeat(self.usual[kinds], t), theta)
        risk = self.optimism * sharpened(self.trees.log_odds(rows)).reshape(-1, t)
        if of_presence.any():
            at = np.repeat(of_presence, t)
            risk[of_presence] = self.missing.predict(presence_rows(features[at], theta[at])).reshape(-1, t)
        return np.minimum.accumulate(np.clip(risk * PRIOR / (PRIOR + passed), SMALLEST_RISK, 1.0), axis=1)


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
    total = np.bincount(kinds, weights, kinds.max() + 1)
    usual = np.bincount(kinds, weights * alarms[:, 0], len(total)) / np.maximum(total, 1e-12)
    drawn, at = _drawn(weights, alarms.shape)
    theta = np.array(TOLERANCES)[at]
    trees = boosting.fit(
        model_rows(features[drawn].astype(np.float64), usual[kinds[drawn]], theta), alarms[drawn, at].astype(float),
        trees=300, depth=6, rate=0.04, smallest=2.5, rows=30_000, most=DRAWN,
    )  # fmt: skip
    mine = np.flatnonzero(kinds == PRESENCE)
    drawn, at = _drawn(weights[mine], (len(mine), len(TOLERANCES)))
    missing = boosting.fit(
        presence_rows(features[mine[drawn]].astype(np.float64), np.array(TOLERANCES)[at]),
        alarms[mine[drawn], at].astype(float), trees=60, depth=3, rate=0.1, smallest=10.0, rows=10_000, share=1.0,
    )  # fmt: skip
    usual = np.append(usual, np.ones(len(CLAUSE_KINDS) - len(usual)))
    return Risk(trees, missing, usual, optimism, float(features[:, ROWS].max()))


def _drawn(weights: Floats, shape: tuple[int, ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Candidates drawn by weight, and tolerances."""
    random = np.random.default_rng(20210620)
    size = min(DRAWN, 4 * shape[0] * shape[1])
    drawn = np.searchsorted(np.cumsum(weights / weights.sum()), random.random(size), side="right")
    return drawn.clip(max=len(weights) - 1), random.integers(0, len(TOLERANCES), size)
