"""Learning what a column's own past predicts: one program of clauses per column, and one for the table's rows.

A clause says that a metric (or its change, or the change of its logarithm) stays in a band. Programs have the form of
Auto-Validate-by-History (definition 3). Bands do not come from its inequalities, which bound the false-alarm rate of a
stationary metric only, but from replays: how far healthy metrics of the same kind went beyond all that was seen before.
The paper's own learner is `catalog.rules.avh`.

Short histories: below `LEAST` batches nothing is learned ("learning"); from there on bands narrow as batches come, see
`reach` and `trust`. Constant metrics (sigma 0) get a band of the metric's floor on both sides: how far an invariant of
that kind may end without being an error. A metric is used where at least three quarters of the batches, the last one
included, have it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.evidence.series import TableMetrics
from catalog.evidence.stationarity import Transform
from catalog.rules.metrics import METRICS, Metric, clip, in_words, is_share, number
from catalog.rules.rule import Rule
from catalog.states.table import TableState

__all__ = ["METRICS", "clip", "is_share", "learn_column", "learn_history", "learn_volume", "number"]

Floats = NDArray[np.float64]

LEAST = 7  # batches below which nothing is said
PRESENT = 0.75  # a metric must be there in this share of the batches

#: Tables whose rows change less than this from batch to batch are kept, not delivered anew: added rows explain changes.
KEPT = 0.01
#: A column's values stand still where the median distance between batches (L1, or KS of numbers) is at most this.
STILL = 0.01
#: A metric that took a new value most of the time has shown how far it goes: this share of the floor is left.
LIVELY = 0.2
#: The most that added rows may explain, as a share of the rows.
MOST_ADDED = 0.05

#: Metrics of a kind of column that are not used: times run on, and their marks with them.
_UNUSED = {"time": {"min", "max", "median", "range"}}


def reach(n: int) -> float:
    """How many of the largest past deviations the next one may go, having seen `n` of them.

    >>> [round(reach(n), 1) for n in (6, 15, 30)]
    [5.4, 3.0, 2.2]
    """
    return 1.4 + 24 / n


@dataclass(frozen=True)
class Tail:
    """How often healthy batches go beyond their band: P(beyond q bands) = `rate` q^-`index`, for q near 1."""

    rate: float
    index: float


#: By ``python -m benchmarks.calibrate_history`` from 58 generated histories (1,160 executions, 9,280 columns): of a
#: column's program (its clause that is furthest out) and of the rule on a table's rows. For rows it finds a rate of
#: 0.0003; generated weeks have no holidays, so that 0.001 stands here.
COLUMN_TAIL = Tail(0.0022, 4.83)
VOLUME_TAIL = Tail(0.001, 6.34)
#: Bands are never made narrower or wider than this many times what they are at strictness 1.
NARROWEST, WIDEST = 0.5, 4.0


def trust(n: int) -> float:
    """How many times its floor a metric may move that was seen `n` times: what held for a week is less of an invariant.

    >>> [round(trust(n), 2) for n in (7, 14, 30, 90)]
    [2.07, 1.46, 1.0, 1.0]
    """
    return max(1.0, math.sqrt(30 / n))


def column_budget(budget: float, columns: int) -> float:
    """What each of a table's columns may spend so that all together spend no more than ten times `budget`.

    >>> column_budget(0.001, 8), column_budget(0.001, 40)
    (0.001, 0.00025)
    """
    return min(budget, 10 * budget / max(columns, 1))


def strictness(budget: float, volume: bool = False) -> float:
    """How many times as wide as at strictness 1 a band must be to spend no more than `budget`, 0..1."""
    tail = VOLUME_TAIL if volume else COLUMN_TAIL
    return min(max((tail.rate / budget) ** (1 / tail.index), NARROWEST), WIDEST)


def stated(width: float, volume: bool = False) -> float:
    """The false-alarm rate that a program with bands of that width states."""
    tail = VOLUME_TAIL if volume else COLUMN_TAIL
    return min(tail.rate * width**-tail.index, 1.0)


def learn_history(
    series: Sequence[TableMetrics], *, kinds: Mapping[str, str], last: TableState, budget: float
) -> list[Rule]:
    """Learn the rules of one table from the metrics of its past batches, oldest first.

    Parameters
    ----------
    series : metrics of healthy batches of one kind (all increments or all snapshots).
    kinds : kind of each column now; columns that are not named are left out.
    last : state of the latest batch (columns that it lacks get no rule).
    budget : stated false-alarm rate that each rule may spend, 0..1; the columns of a wide table less, see
    `column_budget`.

    Returns one rule of kind "history" per column and one of kind "volume"; none below `LEAST` batches.
    """
    if len(series) < LEAST:
        return []
    rules = []
    volume = learn_volume(series, budget)
    if volume is not None:
        rules.append(volume)
    named = {column: kind for column, kind in kinds.items() if column in last.columns}
    share = column_budget(budget, len(named))
    for column, kind in named.items():
        rule = learn_column([m.columns.get(column, {}) for m in series], column=column, kind=kind, budget=share)
        if rule is not None:
            rules.append(rule)
    return rules


def learn_column(series: Sequence[Mapping[str, float]], *, column: str, kind: str, budget: float) -> Rule | None:
    """The program of one column from its metrics in past batches; None where none can be had."""
    names = [n for n in METRICS if n != "row_count" and n not in _UNUSED.get(kind, ())]
    scale = _scale(series)
    clauses = [c for name in names if (c := _clause(name, [m.get(name) for m in series], scale, budget)) is not None]
    if not clauses:
        return None
    return _rule("history", column, clauses, series, kind, budget)


@dataclass(frozen=True)
class Scale:
    """What a column's metrics are measured in: its rows, standard deviation and average length, usually; whether its
    rows are kept."""

    rows: float
    std: float
    length: float
    kept: bool
    still: bool = False


def _scale(series: Sequence[Mapping[str, float]]) -> Scale:
    rows = np.array([m["row_count"] for m in series if "row_count" in m])
    changes = np.abs(np.diff(rows)) / np.maximum(rows[:-1], 1)
    std, length = (float(np.median([m[n] for m in series if n in m] or [0.0])) for n in ("std", "str_len"))
    kept = len(changes) > 0 and float(np.median(changes)) <= KEPT
    moves = [m.get("L_1", m.get("KS_dist", 0.0)) for m in series[1:]]
    still = kept and float(np.median(moves)) <= STILL
    return Scale(float(np.median(rows)) if len(rows) else 0.0, std, length, kept, still)


def _floor(metric: Metric, size: float, scale: Scale) -> float:
    unit = scale.length if metric.length else 1.0
    return (
        metric.floor
        + metric.relative * size
        + metric.spread * scale.std
        + metric.length * scale.length
        + metric.rows / max(scale.rows, 1) * unit
        + (0.0 if scale.still else metric.anew)
    )


def learn_volume(series: Sequence[TableMetrics], budget: float) -> Rule | None:
    """The rule on a table's number of rows; None where they cannot be foreseen."""
    rows = [float(m.rows) for m in series]
    clause = _clause("row_count", rows, Scale(float(np.median(rows)), 0.0, 0.0, False), budget)
    return None if clause is None else _rule("volume", None, [clause], series, "table", budget)


def _rule(
    kind: str, column: str | None, clauses: list[dict[str, Any]], series: Sequence[Any], of: str, budget: float
) -> Rule:
    fpr = stated(strictness(budget, column is None), column is None)
    clauses = [{**c, "fpr": fpr / len(clauses)} for c in clauses]
    params = {"clauses": clauses, "batches": len(series), "kind": of}
    name = f"Column {column!r}" if column is not None else "The table"
    sentence = f"{name} stays what its last {len(series)} batches were: {in_words(clauses)}."
    return Rule(kind, column, params, fpr, sentence, "avh", {"batches": len(series), "clauses": len(clauses)})


# ------------------------------------------------------------------------------------------------------------ clauses


def _clause(name: str, values: Sequence[float | None], scale: Scale, budget: float) -> dict[str, Any] | None:
    """The clause on one metric; None where it is missing too often."""
    x = np.array([math.nan if v is None else v for v in values], float)
    there = np.isfinite(x)
    if there.sum() < max(LEAST - 1, PRESENT * len(x)) or not there[-1]:
        return None
    metric = METRICS[name]
    size = float(np.median(np.abs(x[there])))
    floor = _floor(metric, size, scale)
    transform, center, spread, n = _best_transform(name, x, floor)
    spread *= burstiness(transform.apply(x) - center)
    if metric.lively and _lively(transform.apply(x)):
        floor *= LIVELY
    if not metric.firm:
        floor *= trust(n)
    if transform.log:
        floor = math.log1p(floor / size)
    half = strictness(budget, name == "row_count") * (metric.wild * reach(n) * spread + floor)
    clause = {
        "metric": name,
        "lag": transform.lag,
        "log": transform.log,
        "center": center,
        "low": None if metric.sides == "high" else center - half,
        "high": center + half,
    }
    if scale.kept and metric.slack and not transform.log:
        clause["slack"] = metric.slack * _unit(name, metric, scale)
    return clause


def _unit(name: str, metric: Metric, scale: Scale) -> float:
    """What the metric's `slack` is measured in."""
    if name == "dist_val_count":
        return scale.rows
    if metric.spread or name == "std":
        return scale.std
    return scale.length if metric.length else 1.0


def burstiness(residuals: Floats) -> float:
    """How much further than `reach` says a metric may go that is mostly quiet: the largest deviation in thirds of
    the mean one, 1..3.

    The largest of thirty normal deviations is some 2.8 means; where it is ten, the next one may be larger still.

    >>> float(burstiness(np.array([1.0, -1, 2, -2, 1]))), float(burstiness(np.array([0.0] * 29 + [5.0])))
    (1.0, 3.0)
    """
    sizes = np.abs(residuals[np.isfinite(residuals)])
    mean = float(sizes.mean()) if len(sizes) else 0.0
    return min(max(float(sizes.max()) / (3 * mean), 1.0), 3.0) if mean > 0 else 1.0


def _lively(y: Floats) -> bool:
    """Whether there are enough past values and half of them are distinct: no invariant, and its spread is known."""
    y = y[np.isfinite(y)]
    return len(y) >= 2 * LEAST and 2 * len(np.unique(y)) >= len(y) + 1


def _transforms(name: str, x: Floats) -> list[tuple[Transform, float]]:
    """Candidates with the handicap that each takes: a difference forgets the level, a season needs luck to be found."""
    found = [(Transform(), 1.0), (Transform(1), 1.3)]
    if len(x) >= 15 and METRICS[name].sides == "both":
        found.append((Transform(7), 1.6))
    if name in ("row_count", "dist_val_count") and np.nanmin(x) > 0:
        found.append((Transform(1, log=True), 1.3))
        if len(x) >= 15:
            found.append((Transform(7, log=True), 1.6))
    return found


def _best_transform(name: str, x: Floats, floor: float) -> tuple[Transform, float, float, int]:
    """The transform whose past values stay closest to their middle: (it, center, largest deviation, how many seen)."""
    best: tuple[float, Transform, float, float, int] | None = None
    size = float(np.nanmedian(np.abs(x))) or 1.0
    for transform, handicap in _transforms(name, x):
        y = transform.apply(x)
        y = y[np.isfinite(y)]
        if len(y) < LEAST - 1:
            continue
        center = float(np.median(y))
        spread = float(np.max(np.abs(y - center)))
        comparable = spread * size if transform.log else spread
        cost = handicap * (comparable + floor)
        if best is None or cost < best[0]:
            best = (cost, transform, center, spread, len(y))
    assert best is not None
    return best[1:]
