"""Rules from history: a batch against what its column's or its table's past predicts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar

from catalog.history.series import TableMetrics, column_metrics, column_series, table_metrics
from catalog.history.stationarity import Transform
from catalog.metrics.registry import METRICS, REVEALING, nearest, reveals
from catalog.metrics.words import beside, clip, number
from catalog.rules.band import MOST_ADDED, MOST_GONE, OF_ALL_ROWS, BandClause, filled, growth, in_words, steps_of
from catalog.rules.clause import Clause
from catalog.rules.rule import Rule
from catalog.rules.verdict import NOT_APPLICABLE, PASSED, VIOLATED, Subject, Verdict
from catalog.states.metrics import bounds
from catalog.states.parts.distinct import FULL, repeat_bounds
from catalog.states.table import TableState

#: Of a batch with few rows bands become at most so many times wider: what the tenth part of the usual rows needs.
#: A bound: the root of ten.
WIDEST_FEW = 3.2
FEW = 20  # rows below which one more or less is told as such: a bound, a twentieth of them each
POOLED = 3  # aspects that are named where all count together; a bound of length
#: Where healthy batches of real tables become seldom, one is a change that people wanted (an import, a relabelling),
#: and how far that goes says little of how seldom it is: from this rate on P(beyond q bands) falls as q^-`FAR`. Both
#: fitted by ``python -m benchmarks.weekly --split known --rate 0.001``: Hill's estimate of the 39 of 28,550 healthy
#: (column, version) pairs of 23 real series that were out; 1.18 to 1.34 without any one source of them.
SELDOM, FAR = 0.001, 1.2
#: Half widths by which a metric may be further out and be the same change. Chosen: as healthy batches differ.
FURTHER = 1.0
NOTHING: Mapping[str, Any] = MappingProxyType({})
SAID = 3  # clauses of a program, or broken metrics, that a sentence names; a bound of length


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


class HistoryRule(Rule):
    """A program of clauses on the metrics of a column.

    ``params``: ``{"clauses": [...], "batches": learned from, "kind": of the column}`` and, where all aspects count
    together, ``"pool"``: see `pooled`.
    """

    meanings: ClassVar[Mapping[str, str]] = {"history": "a column's metrics stay within what its own past predicts"}
    clause_type = BandClause
    of_series = True
    of_values = True
    graded = True
    #: Of the power law by which healthy batches are q times their band out, see `catalog.learners.bands.Tail`: for q
    #: near 1, see `p_value_of`.
    tail: ClassVar[float] = 5.5

    def _judge(self, batch: Subject, rows: TableState) -> Verdict:
        """The batch's own metrics are computed from its state and that of the batch before; `batch.history` holds those
        of the earlier batches, oldest first, None for those that are not healthy. Clauses whose metric the batch lacks
        (no number, no batch before) or whose earlier value is missing say nothing; if none says anything the rule does
        not apply."""
        own, past = self._own(batch, rows), column_series(batch.history or [], self.column)
        return self.judge_metrics(own, past, self._sampled(rows))

    def _sampled(self, rows: TableState) -> Mapping[str, tuple[float, float]]:
        """Bounds of the metrics that a sample answered."""
        return bounds(rows.columns[self.column]) if self.column in rows.columns else {}

    def _own(self, batch: Subject, rows: TableState) -> Mapping[str, float]:
        column = self.column or ""
        before = batch.previous.columns.get(column) if batch.previous is not None else None
        return column_metrics(rows.columns[column], before)

    def judge_metrics(
        self,
        values: Mapping[str, float],
        earlier: Sequence[Mapping[str, float]],
        sampled: Mapping[str, tuple[float, float]] = NOTHING,
    ) -> Verdict:
        """The verdict from metrics alone: of the batch and of the `earlier` ones, oldest first, empty for holes.
        `sampled`: the bounds of those that are the answer of a sample, as the sentence says."""
        found = self.findings(values, earlier)
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
        sentence = "; ".join(_say(f, sampled.get(f.metric)) for f in sorted(broken, key=lambda f: -f.excess)[:SAID])
        more = f"; and {len(broken) - SAID} more metrics" if len(broken) > SAID else ""
        offenders = _offenders(worst)
        said = f"{self.subject}: {sentence}{more}."
        p = p_value_of(1 + worst.excess, self.fpr or 1.0, self.tail)
        return Verdict(VIOLATED, said, observed, expected, offenders=offenders, p_value=p, **band)

    def findings(self, values: Mapping[str, float], earlier: Sequence[Mapping[str, float]]) -> list[Finding]:
        """Every clause that says something about the batch, all aspects together counted."""
        return pooled(self.apart(values, earlier), self.pool)

    def apart(self, values: Mapping[str, float], earlier: Sequence[Mapping[str, float]]) -> list[Finding]:
        """The same, each clause by itself."""
        steps = steps_of([*earlier, {}])[-1]
        last: Mapping[str, float] = earlier[-steps] if steps <= len(earlier) else {}
        found = (_finding(c, values, earlier, last, steps) for c in self.clauses if isinstance(c, BandClause))
        return [one for one in found if one is not None]

    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(clause.key for clause in self.clauses)

    def bands(
        self, values: Mapping[str, float], earlier: Sequence[Mapping[str, float]]
    ) -> dict[str, tuple[float, float]]:
        return {one.metric: (one.low, one.high) for one in self.findings(values, earlier)}

    @property
    def pool(self) -> float | None:
        """See `pooled`; None where each clause stands for itself."""
        return self.params.get("pool")

    @property
    def subject(self) -> str:
        return f"Column {self.column!r}" if self.column is not None else "The table"

    @classmethod
    def continues(cls, before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
        """The same metrics out, on the same side, and not further than before by more than `FURTHER`.

        >>> half = {"observed": {"row_count": 50.0}, "expected": {"row_count": [90.0, 110.0]}}
        >>> less = {"observed": {"row_count": 1.0}, "expected": {"row_count": [90.0, 110.0]}}
        >>> VolumeRule.continues(half, half), VolumeRule.continues(half, less)
        (True, False)
        """
        was, out = _beyond(before), _beyond(now)
        near = (
            name in was and was[name] * far > 0 and abs(far) <= abs(was[name]) + FURTHER for name, far in out.items()
        )
        return bool(out) and all(near)

    def fired(self, verdict: Verdict) -> set[str]:
        return set(verdict.observed)

    def with_clauses(self, clauses: Sequence[Clause]) -> HistoryRule:
        sentence = f"{self.sentence.partition(': ')[0]}: {in_words(clauses)}."
        return replace(self, params={**self.params, "clauses": [c.to_json() for c in clauses]}, sentence=sentence)

    # ------------------------------------------------------------------------------------------ privacy

    def _private_sentence(self) -> str:
        words = [clause.sentence(private=True) for clause in self.clauses]
        more = [f"and {len(words) - SAID} more"] if len(words) > SAID else []
        return f"{self.sentence.partition(': ')[0]}: {'; '.join(words[:SAID] + more)}."

    def hide(self, verdict: Verdict) -> Verdict:
        """The verdict without metrics that are values.

        >>> clauses = [{"metric": "min", "lag": 0, "log": False, "low": 1, "high": 2}]
        >>> rule = Rule("history", "pay", {"clauses": clauses}, 0.001, "x", "avh")
        >>> said = Verdict(VIOLATED, "Column 'pay': minimum is 9.", {"min": 9}, {"min": [1, 2]}, "min", 9.0, 1.0, 2.0)
        >>> rule.hide(said)
        Verdict(status='violated', sentence="Column 'pay': minimum is not as expected.", observed={}, expected={},
        metric='min', value=None, low=None, high=None, offenders={}, p_value=None)
        """
        hidden = reveals(verdict.metric)
        figures = hidden and any(one is not None for one in (verdict.value, verdict.low, verdict.high))
        if not (figures or REVEALING & verdict.observed.keys()):  # or it was hidden before
            return verdict
        return replace(
            verdict,
            sentence=self._hidden_sentence(verdict) if verdict.status == VIOLATED else verdict.sentence,
            observed={name: value for name, value in verdict.observed.items() if not reveals(name)},
            expected={name: value for name, value in verdict.expected.items() if not reveals(name)},
            value=None if hidden else verdict.value,
            low=None if hidden else verdict.low,
            high=None if hidden else verdict.high,
            offenders={},
        )

    def _hidden_sentence(self, verdict: Verdict) -> str:
        said = [_say_hidden(name, value, verdict.expected) for name, value in verdict.observed.items()]
        more = f"; and {len(said) - SAID} more metrics" if len(said) > SAID else ""
        return f"{self.subject}: {'; '.join(said[:SAID])}{more}."

    def hide_text(self, sentence: str) -> str:
        """A sentence about metrics that was said before, with what tells values left out.

        >>> clauses = [{"metric": "min", "lag": 0, "log": False, "low": 1, "high": 2}]
        >>> rule = Rule("history", "pay", {"clauses": clauses}, 0.001, "x", "avh")
        >>> rule.hide_text("Column 'pay': minimum is 31,337, expected 1 to 2; share of rows that are not null is 9%.")
        "Column 'pay': minimum is not as expected; share of rows that are not null is 9%."
        """
        told = [METRICS[name].words for name in REVEALING if METRICS[name].judged]
        head, colon, rest = sentence.partition(": ")
        parts = (rest if colon else head).rstrip(".").split("; ")
        fit = [next((f"{name} is not as expected" for name in told if one.startswith(name)), one) for one in parts]
        return (head + colon if colon else "") + "; ".join(fit) + "."


class VolumeRule(HistoryRule):
    """A program of clauses on a table's rows: how many, how many of them stand twice or came before."""

    meanings: ClassVar[Mapping[str, str]] = {"volume": "the number of rows stays within what the past predicts"}
    of_all_rows = True
    graded = False  # rows that are missing are always told
    tail = 4.3

    def _own(self, batch: Subject, rows: TableState) -> Mapping[str, float]:
        return TableMetrics(rows.rows, table=table_metrics(rows, batch.previous)).of_table()

    def _sampled(self, rows: TableState) -> Mapping[str, tuple[float, float]]:
        if rows.row_distinct.threshold == FULL:
            return {}
        low, high = repeat_bounds(rows.row_distinct.counts)
        return {"duplicate_ratio": (1 - 1 / low, 1 - 1 / high)}

    def hide(self, verdict: Verdict) -> Verdict:
        """How many rows a table has is no value of a column."""
        return verdict

    def hide_text(self, sentence: str) -> str:
        return sentence


def p_value_of(out: float, rate: float, tail: float) -> float:
    """The chance that a healthy batch is `out` half widths of its band or more, by a rule that states `rate`: a power
    law of index `tail`, and of index `FAR` from where the chance is `SELDOM`.

    >>> p_value_of(1.0, 0.001, 5.5), p_value_of(10.0, 0.001, 5.5), p_value_of(0.9, 1e-4, 5.5)
    (0.001, 6.3...e-05, 0.0001)
    >>> round(p_value_of(1.2, 0.01, 5.5), 5), round(p_value_of(1.52 * 10, 0.01, 5.5), 6)
    (0.00367, 6.3e-05)
    """
    knee = max(rate / SELDOM, 1.0) ** (1 / tail)
    near, far = min(max(out, 1.0), knee), max(out / knee, 1.0)
    return float(rate * near**-tail * far**-FAR)


def out_of(p: float, rate: float, tail: float) -> float:
    """Inverse of `p_value_of`.

    >>> round(out_of(p_value_of(7.0, 0.01, 5.5), 0.01, 5.5), 9), round(out_of(p_value_of(1.2, 0.01, 5.5), 0.01, 5.5), 9)
    (7.0, 1.2)
    """
    knee = max(rate / SELDOM, 1.0) ** (1 / tail)
    fallen = rate / p
    near = min(fallen ** (1 / tail), knee)
    return float(near * (fallen / near**tail) ** (1 / FAR))


def _beyond(detail: Mapping[str, Any]) -> dict[str, float]:
    """How far each metric of an outcome is beyond its band, in half widths; negative below it."""
    found = {}
    for name, value in (detail.get("observed") or {}).items():
        low, high = (detail.get("expected") or {}).get(name) or (None, None)
        if high is None or value is None:
            found[name] = math.nan
            continue
        half = max((high - (low if low is not None else 0.0)) / 2, 1e-12)
        found[name] = (value - high) / half if low is None or value > high else (value - low) / half
    return found


def _finding(
    clause: BandClause,
    values: Mapping[str, float],
    earlier: Sequence[Mapping[str, float]],
    last: Mapping[str, float],
    steps: int,
) -> Finding | None:
    """A clause on a batch that is so many `steps` behind the `last` healthy one; None where it says nothing."""
    name, value = clause.metric, values.get(clause.metric)
    since = _compared_with(clause, earlier)
    if value is None or (clause.lag and since.get(name) is None):
        return None
    value = nearest(name, value, clause.middle)
    low, center, high = _band(clause, since, earlier, steps)
    slack = (clause.slack or 0.0) * added_rows(values, last)
    usual = filled(since) if clause.lag else clause.filled
    low, center, high = _with_accepted(clause, (low, center, high), last)
    low, high = _for_rows(name, (low - slack, center, high + slack), values, last, usual)
    if not math.isfinite(high):
        return None
    return Finding(name, value, low, high, _excess(value, low, center, high), center)


def _seasons(lag: int, earlier: Sequence[Mapping[str, float]]) -> int:
    """How many times `lag` batches before there is one that is no hole; 0 where there is none."""
    return next((k for k in range(1, len(earlier) // lag + 1) if earlier[-k * lag]), 0)


def _compared_with(clause: BandClause, earlier: Sequence[Mapping[str, float]]) -> Mapping[str, float]:
    """The batch that a clause on a difference compares with: where that is a hole, one more lag before."""
    seasons = _seasons(clause.lag, earlier) if clause.lag else 0
    return earlier[-seasons * clause.lag] if seasons else {}


def _band(
    clause: BandClause, since: Mapping[str, float], earlier: Sequence[Mapping[str, float]], steps: int
) -> tuple[float, float, float]:
    """(low, center, high) of a clause's metric in the batch that is so many `steps` behind the last healthy one.

    Over holes a difference is the sum of several: their centers add up, and their spreads as those of independent
    steps, with the root of their number. So do distances from a batch further back.
    """
    name, lag = clause.metric, clause.lag
    low = -math.inf if clause.low is None else clause.low
    times = float(_seasons(lag, earlier) if lag else 1)
    transform = Transform(1 if lag else 0, clause.log)
    past = [since[name]] if lag else []
    ends = _sum(low, clause.middle, clause.high, times)
    low, center, high = (transform.band(one, one, past)[0] for one in ends)
    return _sum(low, center, high, growth(name, steps))


def _with_accepted(
    clause: BandClause, band: tuple[float, float, float], last: Mapping[str, float]
) -> tuple[float, float, float]:
    """The band with what the `last` healthy batch was, and half the band's width around it: where added rows explained
    that it was beyond, that it stays there is no news."""
    low, center, high = band
    value = None if clause.lag or METRICS[clause.metric].sides == "high" else last.get(clause.metric)
    if value is None or low <= (value := nearest(clause.metric, value, center)) <= high:
        return band
    return min(low, value - (center - low) / 2), center, max(high, value + (high - center) / 2)


def _sum(low: float, center: float, high: float, times: float) -> tuple[float, float, float]:
    """The band of a sum of so many independent terms of that band."""
    wider = math.sqrt(times)
    return times * center - wider * (center - low), times * center, times * center + wider * (high - center)


def _say_hidden(name: str, value: Any, expected: Mapping[str, Any]) -> str:
    if name not in METRICS:
        return f"{name} is not as expected"
    if reveals(name):
        return f"{METRICS[name].words} is not as expected"
    low, high = expected.get(name) or (None, None)
    if high is None:
        return f"{METRICS[name].words} is {number(name, value)}"
    said, band = beside(name, value, low, high)
    return f"{METRICS[name].words} is {said}, expected {band}"


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
    together = math.hypot(*(_counted(f) for f in aspects.values()))
    return together / limit, list(aspects.values())[:POOLED]


def _counted(f: Finding) -> float:
    """How far an aspect is out, for the sum: what may go further alone counts for no more than its band there."""
    alone, out = METRICS[f.metric].alone, max(1 + f.excess, 0.0)
    return out if alone == 1 else min(out * alone, 1.0)


def _narrower(f: Finding, beyond: float) -> Finding:
    """The finding, out by `beyond` half widths; of one that is in its own band, the band shrinks to that."""
    if f.excess > 0:
        return replace(f, excess=beyond - 1)
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
    if size < FEW:  # each of so few rows is a large part of them
        wider = max(wider, usual / size)
    return center - wider * (center - low), center + wider * (high - center)


def added_rows(values: Mapping[str, float], last: Mapping[str, float]) -> float:
    """Share of the batch's rows that were added since the `last` healthy one, at most `MOST_ADDED`, or taken away, at
    most `MOST_GONE`.

    In a table whose rows are kept, that many rows may be new and different: a change that they explain is judged as a
    change of the number of rows, once, and not again in every column.
    """
    now, before = values.get("row_count"), last.get("row_count")
    if not now or before is None:
        return 0.0
    return min(max(now - before, 0.0) / now, MOST_ADDED) or min(max(before - now, 0.0) / now, MOST_GONE)


def _excess(value: float, low: float, center: float, high: float) -> float:
    """Distance beyond the band in half widths; negative inside."""
    if value >= center or not math.isfinite(low):
        return (value - high) / max(high - center, 1e-12)
    return (low - value) / max(center - low, 1e-12)


def _finite(x: float) -> float | None:
    return x if math.isfinite(x) else None


def _say(f: Finding, ends: tuple[float, float] | None = None) -> str:
    """A finding in words; of a sampled figure with the least and the largest value (`ends`) that it may have.

    >>> _say(Finding("unique_ratio", 0.9975, 0.999, 1.0, 2.0), (0.991, 0.9991))
    'distinct values per row is about 99.75% (99.1% to 99.91% in 95 of 100 samples), expected 99.9% to 100%'
    """
    value, band = beside(f.metric, f.value, _finite(f.low), f.high)
    if ends is not None:
        low, high = (number(f.metric, end) for end in clip(f.metric, *ends))  # type: ignore[arg-type]
        value = f"about {value} ({low} to {high} in 95 of 100 samples)"
    return f"{METRICS[f.metric].words} is {value}, expected {band}"


def _offenders(worst: Finding) -> dict[str, Any]:
    """Rows can be pointed at for nulls and for a new extreme."""
    if worst.metric == "complete_ratio" and worst.value < worst.low:
        return {"null": True}
    if worst.metric in ("min", "max"):
        return {"outside": [_finite(worst.low), _finite(worst.high)]}
    return {}
