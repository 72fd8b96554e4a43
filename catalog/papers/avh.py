"""Auto-Validate-by-History as published: algorithms 1 and 3 to 5, propositions 1 to 3 (Tu et al., KDD 2023).

This is the paper's learner, which a person may choose for a table; the product's (`catalog.learners.series.history`)
takes its metrics from it, and the idea of damaging a batch to measure recall, neither its bounds nor its tests. Where
the paper leaves a choice, it is said here:

- A constant history (sigma 0) gives one constraint, the invariant itself, at no cost (example 7: always 50 states).
- beta runs from sigma to `widest` sigma in steps of `step` sigma; 40 sigma let Chebyshev's bound fall below 0.1%.
- Constraints that would catch nothing more are not added in line 5: the objective is the same, the program shorter.
- A metric that is missing in any past batch is not used; the first batch has no batch before it, so metrics of two
  distributions begin with the second.

Where it differs from the paper on purpose, because the metrics are those of the product (`catalog.history.series`):

- KS_dist, Chisquared and Pat_Chisquared are the statistics of these tests (a distance, large when different), not their
  p-values (tables 3 and 4): a p-value shrinks with the number of rows alone, and proposition 2 is for distances.
- Pattern profiles (algorithm 2) keep capitals and small letters apart and each punctuation mark as itself: the paper's
  one symbol for each would not see a change of case or separator.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catalog.history.stationarity import Transform, make_stationary
from catalog.papers.bounds import DISTANCES, false_alarm_bound

NUMERIC: tuple[str, ...] = tuple(
    "EMD JS_div KL_div KS_dist Cohen_d min max mean median sum range row_count unique_ratio complete_ratio".split()
)
CATEGORICAL: tuple[str, ...] = tuple(
    "L_1 L_inf Cosine Chisquared JS_div KL_div Pat_L_1 Pat_L_inf Pat_Cosine Pat_Chisquared Pat_JS_div Pat_KL_div "
    "str_len char_len digit_len punc_len row_count unique_ratio complete_ratio dist_val_count".split()
)
SINGLE = frozenset(
    "min max mean median sum range row_count unique_ratio complete_ratio str_len char_len digit_len punc_len "
    "dist_val_count".split()
)


@dataclass(frozen=True)
class Constraint:
    """Q(M, C, low, high) (definitions 1 and 2), on the transformed metric, with the bound of its false-alarm rate.

    >>> Constraint("unique_ratio", Transform(), 1.0, 1.0, 0.0).holds({"unique_ratio": 0.9}, [])
    False
    """

    metric: str
    transform: Transform
    low: float
    high: float
    fpr: float

    def holds(self, batch: Mapping[str, float], earlier: Sequence[Mapping[str, float]]) -> bool:
        """Whether a batch keeps to it; a metric that cannot be computed breaks it, one without the earlier value
        does not."""
        value = batch.get(self.metric)
        lag = self.transform.lag
        if value is None:
            return False
        if lag and (len(earlier) < lag or self.metric not in earlier[-lag]):
            return True
        low, high = self.transform.band(self.low, self.high, [m.get(self.metric, math.nan) for m in earlier[-lag:]])
        margin = 1e-9 * max(abs(value), abs(low) if math.isfinite(low) else 0.0, abs(high), 1e-9)
        return bool(low - margin <= value <= high + margin)


@dataclass(frozen=True)
class Program:
    """P(S): the conjunction of its constraints (definition 3)."""

    constraints: tuple[Constraint, ...]

    @property
    def fpr(self) -> float:
        """Bound of the false-alarm rate: the sum of the constraints' (equation 10)."""
        return sum(q.fpr for q in self.constraints)

    def broken(self, batch: Mapping[str, float], earlier: Sequence[Mapping[str, float]]) -> list[Constraint]:
        return [q for q in self.constraints if not q.holds(batch, earlier)]


def construct_constraints(
    history: Sequence[Mapping[str, float]],
    metrics: Sequence[str],
    *,
    widest: float = 40.0,
    step: float = 0.5,
    differencing: bool = True,
) -> list[Constraint]:
    """Algorithm 3: all constraints of all metrics, with their bounds."""
    found: list[Constraint] = []
    for metric in metrics:
        first = 0 if metric in SINGLE or (history and metric in history[0]) else 1
        series = [m[metric] for m in history[first:] if metric in m]
        if len(series) < len(history) - first or len(series) < 2:
            continue
        transform = make_stationary(series) if differencing else Transform()
        if transform is None:
            continue
        y = transform.apply(series)
        mu, sigma = float(np.mean(y)), float(np.std(y, ddof=1))
        if sigma <= 1e-12 * abs(mu):
            found.append(Constraint(metric, transform, mu, mu, 0.0))
            continue
        for k in np.arange(1.0, widest + step / 2, step):
            beta = float(k) * sigma
            low = -math.inf if metric in DISTANCES else mu - beta
            found.append(Constraint(metric, transform, low, mu + beta, false_alarm_bound(metric, beta, sigma)))
    return found


def greedy(caught: NDArray[np.bool_], cost: Sequence[float], budget: float, limit: int | None = None) -> list[int]:
    """Algorithm 1, lines 2 to 12: which constraints to take.

    Parameters
    ----------
    caught : [constraint, issue] -> R(Q_i), which issues each constraint catches.
    cost : FPR(Q_i). budget : delta. limit : most constraints to take, None for any number (figure 9).

    The answer catches at least (1/2 - 1/2e) of what the best affordable set does (proposition 4).

    >>> greedy(np.array([[1, 1, 0], [0, 1, 1], [1, 1, 1]], bool), [0.1, 0.1, 0.9], 0.5)
    [0, 1]
    """
    price = np.asarray(cost, float)
    chosen: list[int] = []
    open_, covered, spent = np.ones(len(price), bool), np.zeros(caught.shape[1], bool), 0.0
    while open_.any() and (limit is None or len(chosen) < limit):
        gain = (caught & ~covered).sum(axis=1) * open_
        if not gain.any():
            break
        best = int(np.argmax(np.where(open_, gain / np.maximum(price, 1e-12), -1.0)))
        open_[best] = False
        if gain[best] and price[best] + spent <= budget:
            chosen.append(best)
            covered |= caught[best]
            spent += price[best]
    affordable = np.flatnonzero(price <= budget)
    if len(affordable):
        single = int(affordable[np.argmax(caught[affordable].sum(axis=1))])
        if covered.sum() < caught[single].sum():
            return [single]
    return chosen


def learn_avh(
    history: Sequence[Mapping[str, float]],
    issues: Sequence[Mapping[str, float]],
    *,
    kind: str,
    budget: float,
    limit: int | None = None,
    differencing: bool = True,
    two_distributions: bool = True,
) -> Program:
    """Algorithm 1.

    Parameters
    ----------
    history : metrics of one column in K past batches, oldest first.
    issues : D(C): metrics of the last batch with each injected issue.
    kind : "number" for table 1, anything else for table 2.
    budget : delta, the false-alarm rate not to exceed.
    limit, differencing, two_distributions : the paper's ablations (figures 9, 10 and 8).
    """
    metrics = NUMERIC if kind == "number" else CATEGORICAL
    if not two_distributions:
        metrics = tuple(m for m in metrics if m in SINGLE)
    constraints = construct_constraints(history, metrics, differencing=differencing)
    if not constraints or not issues:
        return Program(())
    earlier = history[:-1]
    caught = np.array([[not q.holds(issue, earlier) for issue in issues] for q in constraints])
    return Program(tuple(constraints[i] for i in greedy(caught, [q.fpr for q in constraints], budget, limit)))
