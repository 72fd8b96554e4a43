"""The calibrated risk of a clause: what replays of columns say about clauses like this one on columns like this one.

Boosted trees (`catalog.evidence.calibrated.boosting`) on the candidate's kind and features, the tolerance, and the logs
of the tolerance's ratios to what else is known to be new, among all rows and among those that are draws of their own
(`draws`): a sorted or clustered file shows less than its rows count. The risk never grows with the tolerance.

Whether values are missing has nothing to do with how they look, nor with how many are missing in other columns: such
clauses have trees of their own, on how many rows were seen, how many are to come, and how many of them are missing.
(The lake's features of such a clause are the same for every column but for what its own part of the lake takes away,
by which trees know the answer of every replay, and nothing of a new column.)

Demands that values have not gone wrong (`Candidate.guards`) have trees of their own as well: they break some ten times
less often than demands on what values are, for other reasons, and the lake's columns say nothing of them.
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
from catalog.evidence.clauses.candidate import class_of_kind
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
GUARDS = np.array([i for i, kind in enumerate(CLAUSE_KINDS) if class_of_kind(kind).guards], np.int8)
_TREES = ("", "missing_", "guards_")  # what the arrays of each part's trees begin with
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
    impurity = np.log(features[:, [IMPURITY_HALF, IMPURITY]] + 0.003)
    lake = np.log(theta + 0.003)[:, None] - impurity
    return np.concatenate([features, _of_tolerance(features, usual, theta), lake], axis=1)


def guard_rows(features: Floats, usual: Floats, theta: Floats, kinds: NDArray[np.int8]) -> Floats:
    """Rows of the trees of demands that values have not gone wrong: what is known of the column, and the kind."""
    column = features[:, : len(COLUMN) + len(CLASS_FEATURES)]
    return np.concatenate([column, _of_tolerance(features, usual, theta), kinds[:, None] == GUARDS], axis=1)


def _of_tolerance(features: Floats, usual: Floats, theta: Floats) -> Floats:
    """The tolerance, and the logs of its ratios to what is known to be new."""
    n, once, drawn = features[:, ROWS], features[:, ONCE], draws(features)
    log_theta = np.log(theta + 0.003)
    unseen = (once * n + 0.3) / (n + 1)
    apart = np.maximum(features[:, SORTED], 0.5) * (1 - np.maximum(features[:, REPEATS], 0))
    return np.stack([
        theta, log_theta - np.log(unseen), np.log(n * (theta + 0.003)), usual, np.log(drawn),
        np.log(drawn * (theta + 0.003)), log_theta - np.log((once * n + 0.3) / (drawn + 1)), apart,
    ], axis=1)  # fmt: skip


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
    """A fitted calibration: `trees`, and those of presence (`missing`) and of what goes wrong (`guards`).

    `usual` is how often candidates of each kind break at no tolerance: by it trees tell kinds apart in few cuts.

    `optimism` is how many times more often than the trees say a candidate breaks that was selected because its risk
    looks small: the less a calibration has seen, the more of what looks safe is luck. Of presence there is nothing to
    choose.

    `longest` is how many rows the replays learned from, at the most. Trees know nothing of more: each doubling of them
    is a trial that the column passed by then, as in the rule of succession, and the risk so much smaller.
    """

    trees: Boosting
    missing: Boosting
    guards: Boosting
    usual: Floats
    optimism: float = 1.0
    longest: float = np.inf

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What is stored."""
        numbers = np.array([self.optimism, self.longest])
        parts: dict[str, NDArray[Any]] = {"usual": self.usual, "numbers": numbers}
        for name, trees in zip(_TREES, (self.trees, self.missing, self.guards), strict=True):
            parts |= {f"{name}{part}": getattr(trees, part) for part in _PARTS}
            parts[f"{name}start"] = np.array([trees.start])
        return parts

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Risk:
        """The inverse of `arrays`."""
        trees, missing, guards = (
            Boosting(
                **{part: np.array(arrays[f"{name}{part}"]) for part in _PARTS}, start=float(arrays[f"{name}start"][0])
            )
            for name in _TREES
        )
        optimism, longest = map(float, arrays["numbers"])
        return cls(trees, missing, guards, np.array(arrays["usual"]), optimism, longest)

    def __call__(self, features: Floats, kinds: NDArray[np.int8]) -> Floats:
        """P(false alarm), should it be selected, of candidates at each of `TOLERANCES`: (candidates, tolerances)."""
        passed = np.log2(np.maximum(features[:, ROWS] / self.longest, 1.0))[:, None]
        t, risk = len(TOLERANCES), np.empty((len(features), len(TOLERANCES)))
        of_presence, of_guards = kinds == PRESENCE, np.isin(kinds, GUARDS)
        for of, part in ((0, ~(of_presence | of_guards)), (1, of_presence), (2, of_guards)):
            if part.any():
                known, kind = np.repeat(features[part], t, axis=0), np.repeat(kinds[part], t)
                theta = np.tile(np.array(TOLERANCES), int(part.sum()))
                risk[part] = self._of_part(of, known, self.usual[kind], theta, kind).reshape(-1, t)
        return np.minimum.accumulate(np.clip(risk * PRIOR / (PRIOR + passed), SMALLEST_RISK, 1.0), axis=1)

    def _of_part(self, of: int, features: Floats, usual: Floats, theta: Floats, kinds: NDArray[np.int8]) -> Floats:
        """The risk of candidates that are asked of the same trees."""
        if of == 1:
            return self.missing.predict(presence_rows(features, theta))
        if of == 2:
            return self.optimism * sharpened(self.guards.log_odds(guard_rows(features, usual, theta, kinds)))
        return self.optimism * sharpened(self.trees.log_odds(model_rows(features, usual, theta)))


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
    usual = np.append(usual, np.ones(len(CLAUSE_KINDS) - len(usual)))

    def drawn(
        part: NDArray[np.bool_],
    ) -> tuple[Floats, Floats, Floats, NDArray[np.int8], Floats]:
        """(features, usual, tolerance, kind, alarm) of candidates drawn by weight; of all where there is none."""
        mine = np.flatnonzero(part if part.any() else np.ones_like(part))
        chosen, at = _drawn(weights[mine], (len(mine), len(TOLERANCES)))
        rows = mine[chosen]
        theta, alarm = np.array(TOLERANCES)[at], alarms[rows, at].astype(float)
        return features[rows].astype(np.float64), usual[kinds[rows]], theta, kinds[rows], alarm

    of_presence, of_guards = kinds == PRESENCE, np.isin(kinds, GUARDS)
    known, often, theta, _, alarm = drawn(~(of_presence | of_guards))
    trees = boosting.fit(
        model_rows(known, often, theta), alarm, trees=300, depth=6, rate=0.04, smallest=2.5, rows=30_000, most=DRAWN
    )
    known, often, theta, kind, alarm = drawn(of_guards)
    guards = boosting.fit(
        guard_rows(known, often, theta, kind), alarm, trees=150, depth=4, rate=0.06, smallest=5.0, rows=30_000,
        most=DRAWN,
    )  # fmt: skip
    known, _, theta, _, alarm = drawn(of_presence)
    missing = boosting.fit(
        presence_rows(known, theta), alarm, trees=60, depth=3, rate=0.1, smallest=10.0, rows=10_000, share=1.0
    )
    return Risk(trees, missing, guards, usual, optimism, float(features[:, ROWS].max()))


def _drawn(weights: Floats, shape: tuple[int, ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Candidates drawn by weight, and tolerances."""
    random = np.random.default_rng(20210620)
    size = min(DRAWN, 4 * shape[0] * shape[1])
    drawn = np.searchsorted(np.cumsum(weights / weights.sum()), random.random(size), side="right")
    return drawn.clip(max=len(weights) - 1), random.integers(0, len(TOLERANCES), size)
