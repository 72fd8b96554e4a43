"""Judging a batch by what its column's or table's past predicts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from catalog.checks.verdict import NOT_APPLICABLE, PASSED, VIOLATED, Batch, Verdict
from catalog.history.series import TableMetrics, column_metrics, column_series, table_metrics
from catalog.history.stationarity import Transform
from catalog.rules.bands import MOST_ADDED, filled, growth, steps_of
from catalog.rules.metrics import METRICS, beside
from catalog.rules.rule import Rule

#: Of a batch with few rows bands become at most so many times wider: what the tenth part of the usual rows needs.
WIDEST_FEW = 3.2
POOLED = 3  # aspects that are named where all count together
OF_ALL_ROWS = ("complete_ratio", "filled_ratio")  # these say how many rows are filled


@dataclass(frozen=True)
class Finding:
    """One clause on one batch: `excess` is how far beyond its band the metric is, in half widths of the band (<= 0:
    inside), measured from `center`."""

    metric: str
    value: float
    low: float
    high: float
    excess: float
    center: float = math.nan


def judge_history(rule: Rule, batch: Batch) -> Verdict:
    """What a rule of kind "history" or "volume" says of a batch.

    The batch's own metrics are computed from `batch.state` and `batch.previous`; `batch.history` holds those of the
    earlier batches, oldest first, without the batch's own, None for those that are not healthy. Clauses whose metric
    the batch lacks (no number, no batch before) or whose earlier value is missing say nothing; if none says anything
    the rule does not apply.
    """
    history = list(batch.history or [])
    if rule.column is None:
        values: Mapping[str, float] = TableMetrics(
            batch.state.rows, table=table_metrics(batch.state, batch.previous)
        ).of_table()
    else:
        before = batch.previous.columns.get(rule.column) if batch.previous is not None else None
        values = column_metrics(batch.state.columns[rule.column], before)
    return verdict_of(rule, values, column_series(history, rule.column))


def verdict_of(rule: Rule, values: Mapping[str, float], earlier: Sequence[Mapping[str, float]]) -> Verdict:
    """The verdict from metrics alone: those of the batch and of the `earlier` ones, oldest first, empty for holes."""
    found = findings(rule, values, earlier)
    if not found:
        return Verdict(NOT_APPLICABLE, "None of the rule's metrics can be computed for this batch.")
    worst = max(found, key=lambda f: f.excess)
    broken = [f for f in found if f.excess > 0]
    band: dict[str, Any] = {
        "metric": worst.metric,
        "value": worst.value,
        "low": _finite(worst.low),
        "high": _finite(worst.high),
    }
    observed: dict[str, Any] = {f.metric: f.value for f in broken or [worst]}
    expected: dict[str, Any] = {f.metric: [_finite(f.low), _finite(f.high)] for f in broken or [worst]}
    if not broken:
        said = f"{METRICS[worst.metric].words} is" if len(found) == 1 else f"{len(found)} metrics are"
        return Verdict(PASSED, f"{said[0].upper()}{said[1:]} as the past predicts.", observed, expected, **band)
    sentence = "; ".join(_say(f) for f in sorted(broken, key=lambda f: -f.excess)[:3])
    more = f"; and {len(broken) - 3} more metrics" if len(broken) > 3 else ""
    subject = f"Column {rule.column!r}" if rule.column is not None else "The table"
    offenders = _offenders(worst)
    return Verdict(VIOLATED, f"{subject}: {sentence}{more}.", observed, expected, offenders=offenders, **band)


def findings(rule: Rule, values: Mapping[str, float], earlier: Sequence[Mapping[str, float]]) -> list[Finding]:
    """Every clause that says something about the batch; one stored without a center has it in the middle."""
    found = []
    steps = steps_of([*earlier, {}])[-1]
    last: Mapping[str, float] = earlier[-steps] if steps <= len(earlier) else {}
    added = added_rows(values, last)
    for clause in rule.params["clauses"]:
        name, value = clause["metric"], values.get(clause["metric"])
        since = _compared_with(clause, earlier)
        if value is None or (clause["lag"] and since.get(name) is None):
            continue
        low, center, high = _band(clause, since, earlier, steps)
        slack = clause.get("slack", 0.0) * added
        low, high = low - slack, high + slack
        usual = filled(since) if clause["lag"] else clause.get("filled")
        low, high = _for_rows(name, (low, center, high), values, last, usual)
        if math.isfinite(high):
            found.append(Finding(name, value, low, high, _excess(value, low, center, high), center))
    return pooled(found, rule.params.get("pool"))


def _seasons(lag: int, earlier: Sequence[Mapping[str, float]]) -> int:
    """How many times `lag` batches before there is one that is no hole; 0 where there is none."""
    return next((k for k in range(1, len(earlier) // lag + 1) if earlier[-k * lag]), 0)


def _compared_with(clause: Mapping[str, Any], earlier: Sequence[Mapping[str, float]]) -> Mapping[str, float]:
    """The batch that a clause on a difference compares with: where that is a hole, one more lag before."""
    seasons = _seasons(clause["lag"], earlier) if clause["lag"] else 0
    return earlier[-seasons * clause["lag"]] if seasons else {}


def _band(
    clause: Mapping[str, Any], since: Mapping[str, float], earlier: Sequence[Mapping[str, float]], steps: int
) -> tuple[float, float, float]:
    """(low, center, high) of a clause's metric in the batch that is so many `steps` behind the last healthy one.

    Over holes a difference is the sum of several: their centers add up, and their spreads as those of independent
    steps, with the root of their number. So do distances from a batch further back.
    """
    name, lag = clause["metric"], clause["lag"]
    low = -math.inf if clause["low"] is None else clause["low"]
    center, high = clause.get("center"), clause["high"]
    if center is None:
        center = 0.0 if clause["low"] is None else (low + high) / 2
    times = float(_seasons(lag, earlier) if lag else 1)
    transform = Transform(1 if lag else 0, clause["log"])
    past = [since[name]] if lag else []
    low, center, high = (transform.band(one, one, past)[0] for one in _sum(low, center, high, times))
    return _sum(low, center, high, growth(name, steps))


def _sum(low: float, center: float, high: float, times: float) -> tuple[float, float, float]:
    """The band of a sum of so many independent terms of that band."""
    wider = math.sqrt(times)
    return times * center - wider * (center - low), times * center, times * center + wider * (high - center)


def pooled(found: Sequence[Finding], limit: float | None) -> list[Finding]:
    """The findings, with narrower bands where all aspects together are too much for chance.

    An issue moves several metrics a little, healthy batches seldom do. How far the aspects (lengths, patterns, values,
    ...) are out, in half widths of their bands, may come to `limit` as the root of the sum of squares; beyond it the
    bands of the three that are furthest out shrink until each is as far out as all are together.
    """
    beyond, top = _together(found, limit)
    if beyond <= 1:
        return list(found)
    return [_narrower(f, beyond) if f in top and 0 < 1 + f.excess < beyond else f for f in found]


def furthest(found: Sequence[Finding], limit: float | None) -> float:
    """How far out a batch is, in half widths: by one clause, or by all aspects together. `found` without pooling."""
    return max(1 + max((f.excess for f in found), default=-1.0), _together(found, limit)[0])


def _together(found: Sequence[Finding], limit: float | None) -> tuple[float, list[Finding]]:
    """(how far all aspects are out together, as a share of `limit`; the findings furthest out); (0, []) where not
    pooled."""
    aspects: dict[str, Finding] = {}
    for f in sorted(found, key=lambda f: -f.excess):
        aspects.setdefault(METRICS[f.metric].aspect or f.metric, f)
    if limit is None or not aspects:
        return 0.0, []
    together = math.hypot(*(max(1 + f.excess, 0.0) for f in aspects.values()))
    return together / limit, list(aspects.values())[:POOLED]


def _narrower(f: Finding, beyond: float) -> Finding:
    """The finding with its band shrunk so that it is out by `beyond` half widths."""
    share = (1 + f.excess) / beyond
    low, high = f.center - share * (f.center - f.low), f.center + share * (f.high - f.center)
    return replace(f, low=low, high=high, excess=beyond - 1)


def _for_rows(
    name: str,
    band: tuple[float, float, float],
    values: Mapping[str, float],
    last: Mapping[str, float],
    usual: float | None,
) -> tuple[float, float]:
    """The band (low, center, high) for a batch of other size than the `usual` filled rows: (low, high), never narrower.

    The number of rows is judged once, by the rule on the table. More rows bring at most as many more distinct values,
    fewer take at most as many away; the standard error of averages and distances grows as 1 / sqrt(rows).
    """
    low, center, high = band
    now = filled(values)
    if not now or not usual or name == "row_count":
        return low, high
    times = METRICS[name].per_rows * math.log(now / usual)
    if times:
        low, high = (low * math.exp(min(times, 0)) if low > 0 else low), high * math.exp(max(times, 0))
    before = filled(last) or usual
    size = min(now, before) if METRICS[name].sides == "high" else now
    wider = 1.0 if name in OF_ALL_ROWS else min(max(math.sqrt(usual / size), 1.0), WIDEST_FEW)
    return center - wider * (center - low), center + wider * (high - center)


def added_rows(values: Mapping[str, float], last: Mapping[str, float]) -> float:
    """Share of the batch's rows that were added or taken away since the `last` healthy one, at most `MOST_ADDED`.

    In a table whose rows are kept, that many rows may be new and different: a change that they explain is judged as a
    change of the number of rows, once, and not again in every column.
    """
    now, before = values.get("row_count"), last.get("row_count")
    if not now or before is None:
        return 0.0
    return min(abs(now - before) / now, MOST_ADDED)


def _excess(value: float, low: float, center: float, high: float) -> float:
    """Distance beyond the band in half widths; negative inside."""
    if value >= center or not math.isfinite(low):
        return (value - high) / max(high - center, 1e-12)
    return (low - value) / max(center - low, 1e-12)


def _finite(x: float) -> float | None:
    return x if math.isfinite(x) else None


def _say(f: Finding) -> str:
    value, band = beside(f.metric, f.value, _finite(f.low), f.high)
    return f"{METRICS[f.metric].words} is {value}, expected {band}"


def _offenders(worst: Finding) -> dict[str, Any]:
    """Rows can be pointed at for nulls and for a new extreme."""
    if worst.metric == "complete_ratio" and worst.value < worst.low:
        return {"null": True}
    if worst.metric in ("min", "max"):
        return {"outside": [_finite(worst.low), _finite(worst.high)]}
    return {}
