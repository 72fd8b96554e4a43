"""Judging a batch by what its column's or table's past predicts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from catalog.checks.verdict import NOT_APPLICABLE, PASSED, VIOLATED, Batch, Verdict
from catalog.history.series import column_metrics
from catalog.history.stationarity import Transform
from catalog.rules.bands import MOST_ADDED, filled
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
    earlier healthy batches, oldest first, without the batch's own. Clauses whose metric the batch lacks (no number, no
    batch before) or whose earlier value is missing say nothing; if none says anything the rule does not apply.
    """
    history = list(batch.history or [])
    if rule.column is None:
        values: Mapping[str, float] = {"row_count": float(batch.state.rows)}
        earlier: list[Mapping[str, float]] = [{"row_count": float(m.rows)} for m in history]
    else:
        before = batch.previous.columns.get(rule.column) if batch.previous is not None else None
        values = column_metrics(batch.state.columns[rule.column], before)
        earlier = [m.columns.get(rule.column, {}) for m in history]
    return verdict_of(rule, values, earlier)


def verdict_of(rule: Rule, values: Mapping[str, float], earlier: Sequence[Mapping[str, float]]) -> Verdict:
    """The verdict from metrics alone: those of the batch and of the `earlier` healthy ones, oldest first."""
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
    added = added_rows(values, earlier)
    for clause in rule.params["clauses"]:
        name, lag = clause["metric"], clause["lag"]
        value = values.get(name)
        if value is None or (lag and (len(earlier) < lag or earlier[-lag].get(name) is None)):
            continue
        past = [m.get(name, math.nan) for m in earlier[-lag:]] if lag else []
        low_clause = -math.inf if clause["low"] is None else clause["low"]
        middle = clause.get("center")
        if middle is None:
            middle = 0.0 if clause["low"] is None else (clause["low"] + clause["high"]) / 2
        transform = Transform(lag, clause["log"])
        low, high = transform.band(low_clause, clause["high"], past)
        center = transform.band(middle, middle, past)[0]
        slack = clause.get("slack", 0.0) * added
        low, high = low - slack, high + slack
        usual = filled(earlier[-lag]) if lag else clause.get("filled")
        low, high = _for_rows(name, (low, center, high), values, earlier, usual)
        if math.isfinite(high):
            found.append(Finding(name, value, low, high, _excess(value, low, center, high), center))
    return pooled(found, rule.params.get("pool"))


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
    earlier: Sequence[Mapping[str, float]],
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
    before = (filled(earlier[-1]) if earlier else 0.0) or usual
    size = min(now, before) if METRICS[name].sides == "high" else now
    wider = 1.0 if name in OF_ALL_ROWS else min(max(math.sqrt(usual / size), 1.0), WIDEST_FEW)
    return center - wider * (center - low), center + wider * (high - center)


def added_rows(values: Mapping[str, float], earlier: Sequence[Mapping[str, float]]) -> float:
    """Share of the batch's rows that were added or taken away since the batch before, at most `MOST_ADDED`.

    In a table whose rows are kept, that many rows may be new and different: a change that they explain is judged as a
    change of the number of rows, once, and not again in every column.
    """
    now, before = values.get("row_count"), earlier[-1].get("row_count") if earlier else None
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
