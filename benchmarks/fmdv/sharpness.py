"""How true the trees' risks are where they are small: ``python -m benchmarks.fmdv.sharpness --data DIR [--tagged]``.

Every replay of the machine-like columns of the develop half (`benchmarks.fmdv --half develop`) is judged by trees that
were fitted without its repository's fold. Of the clauses whose risk the trees put below `RARE` the log-odds of what
happened are fitted to those that were said, tables weighing as the root of their replays, as in a calibration. The
slope and the risk at which both agree stand in `catalog.evidence.calibrated.risk` as SHARPNESS and EVEN.

``--tagged``: how often the later rows of the half's tagged columns, prose too, break the clause that asks for what they
are tagged with, at each tolerance, where the domain knows nearly all of its values and the first tenth of the rows kept
to it; and the line through that. TAGGED in `catalog.learners.strings` is above it.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit

from benchmarks.fmdv.__main__ import SPLIT
from benchmarks.fmdv.data import Column, Tags, load, state_of, tags_of
from benchmarks.fmdv.ours import FOLDS, Ours, ReplaySums
from benchmarks.fmdv.own import halves
from catalog.evidence.calibrated.calibration import calibrate, limits
from catalog.evidence.calibrated.risk import PRESENCE, TOLERANCES, model_rows
from catalog.evidence.clauses.candidate import Candidate
from catalog.evidence.clauses.meaning import is_complete
from catalog.evidence.pattern_index.views import profile
from catalog.learners.strings import TAGGED_AT_ALL, tagged_with

Floats = np.ndarray
RARE = 0.02  # bound of the risks that are fitted: larger ones are not chosen


def said_and_seen(lake: list[Column]) -> tuple[Floats, Floats, Floats]:
    """(log-odds by trees that never saw the repository, whether it broke, weight) of each clause at each tolerance."""
    develop, _ = halves(lake, SPLIT)
    asked = {column.column_id for column in lake if column.machine_like and column.repo in develop}
    index = Ours(lake, 0.0).index("ours")
    order = [key for key, _ in Counter(column.repo for column in lake).most_common()]
    fold_of = {key: k for k in range(FOLDS) for key in order[k::FOLDS]}
    sums = ReplaySums(index, fold_of, FOLDS)
    per_table = Counter(replay.table for replay in index.replays if replay.column in asked)
    parts: list[tuple[Floats, Floats, Floats]] = []
    for fold in range(FOLDS):
        mine = [i for i, one in enumerate(index.replays) if one.column in asked and fold_of.get(one.table) == fold]
        if not mine:
            continue
        features = sums.without(fold)
        model = calibrate(index, excluded=order[fold::FOLDS], features=features)
        assert model is not None
        for i in mine:
            replay = index.replays[i]
            known = np.flatnonzero(replay.kinds != PRESENCE)
            rows, kinds = features[i][known].astype(float), replay.kinds[known]
            theta = np.tile(np.array(TOLERANCES), len(known))
            usual = np.repeat(model.usual[kinds], len(TOLERANCES))
            said = model.trees.log_odds(model_rows(np.repeat(rows, len(TOLERANCES), axis=0), usual, theta))
            caps = np.array([limits(int(n)) for n in replay.rows[known]]).reshape(len(known), len(TOLERANCES))
            broke = (replay.broken[known, None] > caps + 1e-9).ravel().astype(float)
            parts.append((said, broke, np.full(len(said), per_table[replay.table] ** -0.5)))
        print(f"fold {fold + 1} of {FOLDS}: {len(mine)} replays", flush=True)
    said, broke, weight = (np.concatenate(part) for part in zip(*parts, strict=True))
    return said, broke, weight


def of_tags(lake: list[Column], meant: Tags) -> tuple[Floats, Floats, Floats]:
    """(tolerance, whether the later rows broke it, weight) of each tagged column at each tolerance that its first tenth
    keeps to; repositories weigh as the root of their columns."""
    develop, _ = halves(lake, SPLIT)
    parts = []
    for column in (one for one in lake if one.repo in develop):
        for name in filter(is_complete, meant.get(column.column_id, ())):
            head, rest = (profile(state_of(values)) for values in (column.train, column.test))
            if head is None or rest is None or not tagged_with(head, [name], ()):
                continue
            clause, at = Candidate("domain", (name,)), np.array(TOLERANCES)
            caps = limits(rest.rows)
            kept = clause.nonconforming(head) / max(head.rows, 1) <= caps
            broke = clause.nonconforming(rest) / max(rest.rows, 1) > caps
            parts.append((column.repo, at[kept], broke[kept].astype(float)))
    per_repo = Counter(repo for repo, *_ in parts)
    theta, broke = (np.concatenate([part[at] for part in parts]) for at in (1, 2))
    return theta, broke, np.concatenate([np.full(len(at), per_repo[repo] ** -0.5) for repo, at, _ in parts])


def fitted(said: Floats, broke: Floats, weight: Floats) -> tuple[float, float]:
    """(slope, risk at which both agree) by logistic regression."""
    start, slope = _line(said, broke, weight)
    return slope, float(expit(-start / (slope - 1)))


def _line(said: Floats, broke: Floats, weight: Floats) -> tuple[float, float]:
    """The log-odds of what broke, as a line of what was said: (at 0, slope)."""
    weight = weight / weight.sum()

    def loss(at: Floats) -> tuple[float, Floats]:
        odds = at[0] + at[1] * said
        gradient = weight * (expit(odds) - broke)
        return float(weight @ (np.logaddexp(0, odds) - broke * odds)), np.array([gradient.sum(), gradient @ said])

    start, slope = minimize(loss, [0.0, 1.0], jac=True, method="BFGS").x
    return float(start), float(slope)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fmdv.sharpness", description=(__doc__ or "")[:78])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tagged", action="store_true", help="of clauses that ask for what columns are tagged with")
    options = parser.parse_args()
    lake, queries = load(options.data)
    if options.tagged:
        theta, broke, weight = of_tags(lake, tags_of(options.data, [lake[query] for query in queries]))
        for one in np.unique(theta):
            mine = theta == one
            print(f"{one:5}: {np.average(broke[mine], weights=weight[mine]):.3f} of {mine.sum()}")
        start, slope = _line(np.log(theta + TAGGED_AT_ALL), broke, weight)
        print(f"log-odds {start:.2f} {slope:+.2f} log(tolerance + {TAGGED_AT_ALL})")
        return
    said, broke, weight = said_and_seen(lake)
    small = said <= logit(RARE)
    slope, even = fitted(said[small], broke[small], weight[small])
    print(f"{small.sum()} clauses below {RARE}: SHARPNESS {slope:.2f}, EVEN {even:.4f}")


if __name__ == "__main__":
    main()
