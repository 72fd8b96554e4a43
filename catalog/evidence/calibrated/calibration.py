"""How likely a candidate is to raise a false alarm, learned by replaying the learner on the lake's own columns.

Every replay says of each candidate whether the later rows of its column would have broken it, at each tolerance. A
model of these outcomes given the features of the candidate (`catalog.evidence.calibrated.risk`) is the calibration: it
needs no labels, and works on lakes far too small for evidence per pattern. Nothing of a column's own table is in the
features of its replay, nor anything of the other tables of its fold (`fold_of`): what is left when each column leaves
out itself alone tells trees the column, since the sum of all is the same for every column that asks for the same thing,
and what its own part takes away is its answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from catalog.evidence.calibrated.features import features_of_sums, lake_sums
from catalog.evidence.calibrated.replay import Replay
from catalog.evidence.calibrated.risk import TOLERANCES, Risk, fit_risk
from catalog.evidence.clauses.candidates import CLAUSE_KINDS
from catalog.evidence.pattern_index.index import STARTER, PatternIndex

Floats = NDArray[np.float64]
MOST_REPLAYS = 16_000  # pairs of states that a calibration replays; a bound of time
OWN_ENOUGH = 500  # chosen: replayed columns of the lake that need no help of the starter index
# How optimistic programs are (`Risk.optimism`): of the starter's calibration on real columns, which are stranger than
# generated ones, and of a lake's own on real columns of other repositories. Chosen, on columns of benchmarks.fmdv.
OPTIMISM_STARTER, OPTIMISM_OWN = 2.5, 1.35
SIGNIFICANCE = 0.01  # chosen: significance of the test that the share of non-conforming rows is above the tolerance
FOLDS = 8  # groups of tables that leave each other out; chosen: an eighth less evidence than a new column finds


@lru_cache(maxsize=65536)
def limit(rows: int, theta: float) -> float:
    """Largest share of non-conforming rows that is no alarm: the upper quantile at `SIGNIFICANCE` of
    Binomial(rows, theta).

    >>> limit(100, 0.0), limit(100, 0.05)
    (0.0, 0.11)
    """
    if theta == 0 or rows == 0:
        return 0.0
    # the functions beneath scipy.stats, which takes longer to import than the command line takes to answer
    from scipy.special import bdtr, bdtrik

    above = float(np.ceil(bdtrik(1 - SIGNIFICANCE, rows, theta)))
    below = max(above - 1, 0.0)
    return (below if bdtr(below, rows, theta) >= 1 - SIGNIFICANCE else above) / rows


def limits(rows: int) -> Floats:
    """`limit` at each of `TOLERANCES`."""
    return np.array([limit(rows, theta) for theta in TOLERANCES])


def fold_of(table: str) -> int:
    """The fold of a table, by its key: the same in every process.

    >>> fold_of("a"), fold_of("b")
    (3, 1)
    """
    return crc32(table.encode("utf-8", "surrogatepass")) % FOLDS


def replay_features(index: PatternIndex, replays: Sequence[Replay], excluded: Iterable[str]) -> list[Floats]:
    """Training and lake features of each candidate of each replay, with the `excluded` tables and its fold left out."""
    out, found = set(excluded), [np.empty((0, 0))] * len(replays)
    for fold in range(FOLDS):
        weights = index.weights(out | {key for key in index.tables if fold_of(key) == fold})
        total, place = float(weights.sum()), {}  # columns of a lake ask for the same: each is looked up once
        sums: list[Floats] = []
        asked: list[tuple[int, list[int]]] = []
        for i, replay in enumerate(replays):
            if fold_of(replay.table) != fold:
                continue
            rows = []
            for kind, numbers in zip(replay.kinds.tolist(), replay.keys, strict=True):
                key = kind, numbers.tobytes()
                if key not in place:
                    place[key] = len(sums)
                    sums.append(lake_sums(index.match_compact(CLAUSE_KINDS[kind], numbers), weights)[0])
                rows.append(place[key])
            asked.append((i, rows))
        lake = features_of_sums(np.array(sums), total) if sums else np.empty((0, 0))
        for i, rows in asked:
            found[i] = np.concatenate([replays[i].features, lake[rows]], axis=1)
    return found


def calibrate(
    index: PatternIndex, *, excluded: Iterable[str] = (), features: Sequence[Floats] | None = None
) -> Risk | None:
    """Fit the risk model on the index's replays outside the `excluded` tables; None without any.

    A table's replays together weigh as the root of their number: they are alike. Those of the starter index weigh the
    less the more columns the lake has replayed itself, and nothing from `OWN_ENOUGH` on. Of very many replays
    `MOST_REPLAYS` are used, evenly spaced. `features` are the replays' features where they are known already, in the
    order of ``index.replays``.
    """
    out = set(excluded)
    used = [i for i, replay in enumerate(index.replays) if replay.table not in out and len(replay.kinds)]
    own = {(r.table, r.column) for r in (index.replays[i] for i in used) if not r.table.startswith(STARTER)}
    own_weight = min(len(own) / OWN_ENOUGH, 1.0)
    if own_weight == 1:
        used = [i for i in used if not index.replays[i].table.startswith(STARTER)]
    if not used:
        return None
    used = used[:: -(-len(used) // MOST_REPLAYS)]
    replays = [index.replays[i] for i in used]
    known = replay_features(index, replays, out) if features is None else [features[i] for i in used]
    size = [len(r.kinds) for r in replays]
    X = np.concatenate(known).astype(np.float32)
    kinds = np.concatenate([r.kinds for r in replays])
    broken = np.concatenate([r.broken for r in replays])
    judged, at = np.unique(np.concatenate([r.rows for r in replays]), return_inverse=True)
    caps = np.array([limits(int(rows)) for rows in judged])[at]
    per_table = Counter(r.table for r in replays)
    weights = np.repeat([per_table[r.table] ** -0.5 for r in replays], size)
    mine = np.repeat([not r.table.startswith(STARTER) for r in replays], size)
    if 0 < own_weight < 1:
        weights[mine] *= own_weight / weights[mine].sum()
        weights[~mine] *= (1 - own_weight) / weights[~mine].sum()
    optimism = OPTIMISM_STARTER + (OPTIMISM_OWN - OPTIMISM_STARTER) * own_weight
    return fit_risk(X, kinds, broken[:, None] > caps + 1e-9, weights, optimism)
