"""Learning what a column's own past predicts: one program of clauses per column, and one for the table's rows.

A clause says that a metric (or its change, or the change of its logarithm) stays in a band. Programs have the form of
Auto-Validate-by-History (definition 3); bands do not come from its inequalities, which bound the false-alarm rate of a
stationary metric only, but from replays: how far healthy metrics of the same kind went beyond all that was seen
before. The paper's
own learner is `catalog.rules.avh`.

Short histories: below `LEAST` batches nothing is learned ("learning"); from there on bands narrow as batches come, see
`reach`. Constant metrics (sigma 0) get a band of the metric's floor on both sides: how far an invariant of that kind
may
end without being an error. A metric is used where at least three quarters of the batches, the last one included,
have it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.evidence.series import OURS, TableMetrics
from catalog.evidence.stationarity import Transform
from catalog.rules.rule import Rule
from catalog.states.table import TableState

Floats = NDArray[np.float64]

LEAST = 7  # batches below which nothing is said
PRESENT = 0.75  # a metric must be there in this share of the batches


@dataclass(frozen=True)
class Metric:
    """How a metric is judged: what change of it means nothing by itself.

    That floor is the sum of `floor`, `relative` times the metric's usual size, `spread` times the column's standard
    deviation, `length`
    times its average length, and what `rows` single rows can change. `slack` is how far the metric moves, in the
    same units
    (1, the standard deviation, the length), when all rows are replaced: added rows may move it by their share of that.

    Parameters
    ----------
    words : its name in sentences.
    wild : how much further than other metrics it may go (extremes of heavy tails).
    anew : added to the floor where rows are delivered anew each time: a new category is no error there.
    lively : whether a metric that has shown its spread needs less of a floor; quantiles and extremes jump.
    sides : ``both`` or ``high`` (distances: only large ones are bad).
    """

    words: str
    floor: float = 0.0
    relative: float = 0.0
    spread: float = 0.0
    length: float = 0.0
    rows: float = 0.0
    slack: float = 0.0
    wild: float = 1.0
    anew: float = 0.0
    lively: bool = True
    sides: str = "both"


_SHARE: dict[str, Any] = {"floor": 0.004, "rows": 2.5, "slack": 1.0}
_NEW: dict[str, Any] = {"floor": 0.004, "rows": 3.5, "slack": 1.5, "anew": 0.03, "sides": "high"}
_LENGTH: dict[str, Any] = {"length": 0.004, "relative": 0.002, "rows": 1.0, "slack": 3.0}
_SINCE = "the batch before"

#: Every metric that a clause may use. `row_count` is judged once, for the table.
METRICS: dict[str, Metric] = {
    "row_count": Metric("number of rows", 2, 0.04),
    "complete_ratio": Metric("share of rows that are not null", 0.004, rows=0.5, slack=1.0),
    "filled_ratio": Metric(OURS["filled_ratio"], 0.004, rows=0.5, slack=1.0),
    "zero_ratio": Metric(OURS["zero_ratio"], **_SHARE),
    "negative_ratio": Metric(OURS["negative_ratio"], **_SHARE),
    "parsed_ratio": Metric(OURS["parsed_ratio"], **_SHARE),
    "dist_val_count": Metric("number of distinct values", 2.5, 0.02, slack=0.0),
    "unique_ratio": Metric("distinct values per row", 0.01, rows=1.0, slack=1.5),
    "top_ratio": Metric(OURS["top_ratio"], 0.02, rows=1.0, slack=1.5),
    "new_values": Metric(OURS["new_values"], **_NEW),
    "lost_values": Metric(OURS["lost_values"], **_NEW),
    "Pat_new": Metric(OURS["Pat_new"], **_NEW),
    "Pat_wide": Metric(OURS["Pat_wide"], 0.35, rows=1.5, slack=4.0, anew=0.15, lively=False, sides="high"),
    "mean": Metric("mean", relative=0.005, spread=0.1, slack=6.0),
    "median": Metric("median", relative=0.02, spread=0.3, slack=6.0, lively=False),
    "std": Metric(OURS["std"], relative=0.1, slack=12.0, wild=1.5, lively=False),
    "low_decile": Metric(OURS["low_decile"], relative=0.05, spread=0.7, slack=6.0, lively=False),
    "high_decile": Metric(OURS["high_decile"], relative=0.05, spread=0.7, slack=6.0, lively=False),
    "min": Metric("minimum", relative=1.0, spread=3.0, slack=10.0, lively=False, wild=2.0),
    "max": Metric("maximum", relative=1.0, spread=3.0, slack=10.0, lively=False, wild=2.0),
    "KS_dist": Metric(f"Kolmogorov-Smirnov distance to {_SINCE}", 0.012, rows=3.5, slack=2, anew=0.02, sides="high"),
    "JS_div": Metric(
        f"Jensen-Shannon divergence from {_SINCE}", 0.012, rows=3.5, slack=2, anew=0.01, lively=False, sides="high"
    ),
    "L_1": Metric(f"L1 distance to {_SINCE}", 0.012, rows=7, slack=4, anew=0.03, sides="high"),
    "L_inf": Metric(
        f"largest change of a value's share since {_SINCE}", 0.008, rows=3.5, slack=2, anew=0.012, sides="high"
    ),
    "Chisquared": Metric(f"chi-squared distance to {_SINCE}", 0.008, rows=3.5, slack=2, anew=0.012, sides="high"),
    "Pat_L_1": Metric(f"L1 distance of the patterns to {_SINCE}", 0.02, rows=7, slack=4, sides="high"),
    "Pat_L_inf": Metric(
        f"largest change of a pattern's share since {_SINCE}", 0.006, rows=3.5, slack=2, anew=0.006, sides="high"
    ),
    "str_len": Metric("average length", **_LENGTH),
    "char_len": Metric("average number of letters", **_LENGTH),
    "digit_len": Metric("average number of digits", **_LENGTH),
    "punc_len": Metric("average number of punctuation marks", **_LENGTH),
    "upper_len": Metric(OURS["upper_len"], **_LENGTH),
    "space_len": Metric(OURS["space_len"], **_LENGTH),
    "other_len": Metric(OURS["other_len"], **_LENGTH),
}

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
        unit = scale.std if metric.spread or name == "std" else scale.length if metric.length else 1.0
        clause["slack"] = metric.slack * unit
    return clause


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
    """Whether at least half of the past values are distinct: no invariant, and its spread is known."""
    y = y[np.isfinite(y)]
    return len(y) >= LEAST and 2 * len(np.unique(y)) >= len(y) + 1


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


# ------------------------------------------------------------------------------------------------------------ in words


def in_words(clauses: Sequence[Mapping[str, Any]], most: int = 3) -> str:
    """The first clauses of a program in words."""
    said = [clause_in_words(c) for c in clauses[:most]]
    if len(clauses) > most:
        said.append(f"and {len(clauses) - most} more")
    return "; ".join(said)


def clause_in_words(clause: Mapping[str, Any]) -> str:
    """One clause in words.

    >>> clause_in_words({"metric": "complete_ratio", "lag": 0, "log": False, "low": 0.98, "high": 1.02})
    'share of rows that are not null from 98% to 100%'
    """
    name = clause["metric"]
    words = METRICS[name].words
    if clause["lag"]:
        words = (
            f"{words}, against {'the batch before' if clause['lag'] == 1 else str(clause['lag']) + ' batches before'}"
        )
    low, high = clause["low"], clause["high"]
    if clause["log"]:
        return f"{words}, from {number('', math.exp(low))} to {number('', math.exp(high))} times"
    if not clause["lag"]:
        low, high = clip(name, low, high)
    elif low is not None:
        return f"{words}, changes by {number(name, low)} to {number(name, high)}"
    if low is None:
        return f"{words} at most {number(name, high)}"
    return f"{words} from {number(name, low)} to {number(name, high)}"


def is_share(name: str) -> bool:
    """Whether a metric is a share of rows, said in per cent."""
    return name.endswith("_ratio") or name in ("new_values", "lost_values", "Pat_new", "Pat_wide", "L_inf", "Pat_L_inf")


def clip(name: str, low: float | None, high: float) -> tuple[float | None, float]:
    """A band without the part that no value can reach."""
    if is_share(name):
        high = min(high, 1.0)
    if low is not None and (is_share(name) or name.endswith(("_len", "_count"))):
        low = max(low, 0.0)
    return low, high


def number(name: str, x: float) -> str:
    """A metric's value for people.

    >>> number("new_values", 0.0312), number("mean", 1234567.0), number("mean", 0.000123)
    ('3.12%', '1,234,567', '0.000123')
    """
    if is_share(name):
        return f"{100 * x:.3g}%"
    if abs(x) >= 1000:
        return f"{x:,.0f}"
    return f"{x:.4g}"
