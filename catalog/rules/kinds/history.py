"""Rules from history: a batch against what its column's or its table's past predicts."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from types import MappingProxyType
from typing import Any, ClassVar

from catalog.history.calendar.months import months_before
from catalog.history.series import (
    TableMetrics,
    ahead_of,
    column_metrics,
    column_series,
    shortfall_of,
    table_metrics,
)
from catalog.history.times import beside_past
from catalog.metrics.phrases import heads, hidden, looked_at, named
from catalog.metrics.registry import METRICS, REVEALING, reveals
from catalog.metrics.sayings import finding, told_alone
from catalog.rules.chances import chance_of_first, is_lost, p_value_of
from catalog.rules.clauses.band import BandClause, steps_of
from catalog.rules.clauses.clause import Clause
from catalog.rules.clauses.programs import reworded
from catalog.rules.deviation import Deviation, beside, came_back, deviation_of, of_next_load, pooled, within
from catalog.rules.findings import finite, in_words, offenders_of
from catalog.rules.replaced.columns import Bands, judged
from catalog.rules.replaced.rows import judged_rows
from catalog.rules.rule import Rule
from catalog.rules.verdict import NOT_APPLICABLE, PASSED, VIOLATED, Subject, Verdict
from catalog.states.elements import list_of
from catalog.states.metrics import bounds
from catalog.states.parts.distinct import FULL, repeat_bounds
from catalog.states.table import TableState
from catalog.wording import counted, of_values

#: Half widths by which a metric may be further out and be the same change. Chosen: as healthy batches differ.
FURTHER = 1.0
#: Share of the rows, beside two of them, by which their number is hardly beyond its band. Chosen: 4 of 11 healthy
#: versions of 2,580 that were beyond it were so. Where no such alarm has room in the week, of losses of a tenth of the
#: rows 75% are told in place of 77%, of a twentieth 55% of 66%, of a fifth and more nearly all that were.
NEAR_ROWS = 0.005
#: Half widths of their band by which rows that were rewritten are out. A bound: as far as the band is wide, by which
#: the rows of different days may differ.
WIDE = 2.0
NOTHING: Mapping[str, Any] = MappingProxyType({})
SAID = 3  # clauses of a program, or broken metrics, that a sentence names; a bound of length


class HistoryRule(Rule):
    """A program of clauses on the metrics of a column.

    ``params``: ``{"clauses": [...], "batches": learned from, "kind": of the column}`` and, where all aspects count
    together, ``"pool"``: see `pooled`.
    """

    meanings: ClassVar[Mapping[str, str]] = {"history": "a column's metrics stay within what the past predicts"}
    clause_type = BandClause
    of_series = True
    of_values = True
    graded = True
    #: Of the power law by which healthy batches are q times their band out, see `catalog.learners.series.bands.Tail`:
    #: for q near 1, see `p_value_of`.
    tail: ClassVar[float] = 5.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if list_of(self.column or ""):
            object.__setattr__(self, "sentence", of_values(self.sentence))

    def _judge(self, batch: Subject, rows: TableState) -> Verdict:
        """The batch's own metrics are computed from its state and that of the batch before; `batch.history` holds those
        of the earlier batches, oldest first, None for those that are not healthy. Clauses whose metric the batch lacks
        (no number, no batch before) or whose earlier value is missing say nothing; if none says anything the rule does
        not apply."""
        history = batch.history or []
        own, past, sampled = self._own(batch, rows), column_series(history, self.column), self._sampled(rows)
        if batch.kind == "increment" and self.params.get("batches") == 1:
            own = of_next_load(own, past)
        days = [None if m is None else m.on for m in history]
        return self.judge_on(batch.committed_at.date(), own, past, days, sampled)

    def _of_rewrite(self, batch: Subject) -> Verdict:
        """Rows of many days are no day's rows: they are compared with those that they replaced."""
        column, rows = self.column or "", batch.previous
        if rows is None or any(column not in one.columns for one in (batch.state, rows)):
            return judged(batch, column, self.subject, None)
        past = column_series(batch.history or [], column)
        now, then = (
            column_metrics(one.columns[column], None, ahead_of(one, one.columns[column])) for one in (batch.state, rows)
        )
        found, was = ({one.metric: one.excess for one in self.apart(own, past)} for own in (now, then))
        out = [name for name, far in found.items() if far > WIDE and was.get(name, 1.0) <= 0]
        said = self.judge_metrics({name: now[name] for name in out}, past, self._sampled(batch.state))
        right = max(was.values(), default=0.0) > WIDE and max(found.values(), default=0.0) <= 0
        return judged(batch, column, self.subject, Bands(said, right))

    def _sampled(self, rows: TableState) -> Mapping[str, tuple[float, float]]:
        """Bounds of the metrics that a sample answered."""
        return bounds(rows.columns[self.column]) if self.column in rows.columns else {}

    def _own(self, batch: Subject, rows: TableState) -> Mapping[str, float]:
        column = self.column or ""
        before = batch.previous.columns.get(column) if batch.previous is not None else None
        own = column_metrics(rows.columns[column], before, ahead_of(rows, rows.columns[column]))
        return own | beside_past(own, column_series(batch.history or [], column), batch.waited)

    def judge_on(
        self,
        day: date | None,
        values: Mapping[str, float],
        earlier: Sequence[Mapping[str, float]],
        days: Sequence[date | None],
        sampled: Mapping[str, tuple[float, float]] = NOTHING,
    ) -> Verdict:
        """The verdict on a batch of a `day`: what is out is judged again beside those of the `earlier` batches, whose
        `days` are given, that came at the same place of other months. None is a day not known."""
        verdict = self.judge_metrics(values, earlier, sampled)
        months = months_before(days, day) if verdict.status == VIOLATED and day is not None else []
        return self.judge_metrics(values, earlier, sampled, months) if months else verdict

    def judge_metrics(
        self,
        values: Mapping[str, float],
        earlier: Sequence[Mapping[str, float]],
        sampled: Mapping[str, tuple[float, float]] = NOTHING,
        months: Sequence[int] = (),
    ) -> Verdict:
        """The verdict from metrics alone: of the batch and of the `earlier` ones, oldest first, empty for holes.
        `sampled`: the bounds of those that are the answer of a sample, as the sentence says; `months`: which of the
        earlier ones came at the same place of their months."""
        apart = self.apart(values, earlier, months)
        found = pooled(apart, self.pool)
        if not found:
            return Verdict(NOT_APPLICABLE, "None of the rule's metrics can be computed for this batch.")
        broken = [f for f in found if f.excess > 0]
        alone = {f.metric: f.excess for f in apart if f.excess > 0}
        # of metrics inside their own bands, which all aspects together make narrower, only where none is out by itself
        told = [f for f in broken if f.metric in alone] or broken or [max(found, key=lambda f: f.excess)]
        told = [self._from_nothing(f) for f in sorted(told, key=lambda f: -alone.get(f.metric, f.excess))]
        worst = told[0]
        observed: dict[str, Any] = {f.metric: f.value for f in told}
        expected: dict[str, Any] = {f.metric: [finite(f.low), finite(f.high)] for f in told}
        band: dict[str, Any] = {
            "metric": worst.metric,
            "value": worst.value,
            "low": finite(worst.low),
            "high": finite(worst.high),
        }
        if not broken:
            said = f"Within expected ranges: {looked_at(one.metric for one in found)}."
            return Verdict(PASSED, said, observed, expected, **band)
        out = {f.metric: f for f in told}
        said = self._told(out, lambda name: in_words(out[name], self.of, sampled.get(name)))
        offenders = offenders_of(worst, values, earlier)
        p = self._chance(broken, 1 + max(f.excess for f in broken))
        if p is not None:
            p = min(p, *(chance_of_first(earlier, f.metric, f.value) for f in broken))
            p = 0.0 if is_lost(earlier, values) else p
        return Verdict(VIOLATED, said, observed, expected, offenders=offenders, p_value=p, **band)

    def _from_nothing(self, found: Deviation) -> Deviation:
        """A finding as it is told of a column in which no number was negative: what is too large is so from nothing
        on, and what is too small is below 0."""
        never = any(one.metric == "negative_ratio" and one.middle == 0 for one in self.bands_of)
        if not never or METRICS[found.metric].unit != "value" or found.low >= 0:
            return found
        return replace(found, low=-math.inf if found.value > found.high else 0.0)

    def _told(self, names: Collection[str], say: Callable[[str], str]) -> str:
        """The sentence about broken metrics, the worst first: what is `said` of those that it names."""
        first = named(names)[:SAID]
        left = len(names) - len(first)
        parts = [*map(say, first), *([f"and {counted(left, 'more metric')}"] if left else [])]
        said = f"{self.subject}: {'; '.join(parts)}."
        return of_values(said) if list_of(self.column or "") else said

    def _chance(self, broken: Sequence[Deviation], out: float) -> float | None:
        """The chance of a healthy batch so many half widths `out`; None where that says nothing."""
        return p_value_of(out, self.fpr or 1.0, self.tail)

    def findings(self, values: Mapping[str, float], earlier: Sequence[Mapping[str, float]]) -> list[Deviation]:
        """Every clause that says something about the batch, all aspects together counted."""
        return pooled(self.apart(values, earlier), self.pool)

    def apart(
        self, values: Mapping[str, float], earlier: Sequence[Mapping[str, float]], months: Sequence[int] = ()
    ) -> list[Deviation]:
        """The same, each clause by itself; beside what those of the earlier batches were that `months` names."""
        steps = steps_of([*earlier, {}])[-1]
        last: Mapping[str, float] = earlier[-steps] if steps <= len(earlier) else {}
        judged = (deviation_of(c, values, earlier, last, steps) for c in self.bands_of)
        known = [one for one in judged if one is not None]
        then = [(one, came_back(one, earlier, at)) for at in months for one in self.apart(earlier[at], earlier[:at])]
        found = [beside(one, [other for other in then if other[0].metric == one.metric]) for one in known]
        of = {clause.metric: clause for clause in self.bands_of}
        return [within(one, of[one.metric]) for one in found]

    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(clause.key for clause in self.clauses)

    def bands(
        self, values: Mapping[str, float], earlier: Sequence[Mapping[str, float]]
    ) -> dict[str, tuple[float, float]]:
        return {one.metric: (one.low, one.high) for one in self.findings(values, earlier)}

    @property
    def bands_of(self) -> tuple[BandClause, ...]:
        """Its clauses."""
        return tuple(one for one in self.clauses if isinstance(one, BandClause))

    @property
    def pool(self) -> float | None:
        """See `pooled`; None where each clause stands for itself."""
        return self.params.get("pool")

    @property
    def of(self) -> str:
        """The kind of the column; empty where it is not known."""
        return str(self.params.get("kind") or "")

    def read_clauses(self, data: Iterable[Mapping[str, Any]] | None) -> tuple[Clause, ...]:
        return tuple(replace(one, kind=self.of) for one in super().read_clauses(data) if isinstance(one, BandClause))

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

    @classmethod
    def stays(cls, accepted: Mapping[str, float], now: Mapping[str, Any]) -> bool:
        """No metric is out that compares two batches, and none further than the accepted batch by more than `FURTHER`.
        The past that led to it stays in the rule's bands, which may be narrower than when it alarmed.

        >>> now = {"observed": {"complete_ratio": 0.009}, "expected": {"complete_ratio": [0.06, 0.6]}}
        >>> HistoryRule.stays({"complete_ratio": 0.01}, now), HistoryRule.stays({"complete_ratio": 0.1}, now)
        (True, False)
        """
        far, bands = _beyond(now), now.get("expected") or {}
        was = _beyond({"observed": {name: accepted.get(name) for name in far}, "expected": bands})

        def is_near(name: str) -> bool:
            of_one_state = name in METRICS and bool(METRICS[name].series)
            same_side = _is_out(accepted.get(name), bands.get(name)) and was[name] * far[name] > 0
            return of_one_state and same_side and abs(far[name]) <= abs(was[name]) + FURTHER

        return bool(far) and all(map(is_near, far))

    def fired(self, verdict: Verdict) -> set[str]:
        return set(verdict.observed)

    def with_clauses(self, clauses: Sequence[Clause]) -> HistoryRule:
        params = {**self.params, "clauses": [c.to_json() for c in clauses]}
        return replace(self, params=params, sentence=reworded(self.sentence, clauses))

    # ------------------------------------------------------------------------------------------ privacy

    def _private_sentence(self) -> str:
        said = reworded(self.sentence, self.clauses, private=True)
        return of_values(said) if list_of(self.column or "") else said

    def hide(self, verdict: Verdict) -> Verdict:
        """The verdict without metrics that are values.

        >>> clauses = [{"metric": "min", "lag": 0, "log": False, "low": 1, "high": 2}]
        >>> rule = Rule("history", "pay", {"clauses": clauses}, 0.001, "x", "avh")
        >>> said = Verdict(VIOLATED, "Column 'pay': minimum is 9.", {"min": 9}, {"min": [1, 2]}, "min", 9.0, 1.0, 2.0)
        >>> rule.hide(said)
        Verdict(status='violated', sentence="Column 'pay': minimum is not as expected (hidden, since the column is
        sensitive).", observed={}, expected={}, metric='min', value=None, low=None, high=None, offenders={},
        p_value=None)
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
        seen, expected = verdict.observed, verdict.expected
        return self._told(seen, lambda name: _say_hidden(name, seen[name], expected, self.of))

    def hide_text(self, sentence: str) -> str:
        """A sentence about metrics that was said before, with what tells values left out.

        >>> clauses = [{"metric": "min", "lag": 0, "log": False, "low": 1, "high": 2}]
        >>> rule = Rule("history", "pay", {"clauses": clauses}, 0.001, "x", "avh")
        >>> rule.hide_text("Column 'pay': the smallest is 31,337, expected 1 to 2; 91% of the rows are null.")
        "Column 'pay': minimum is not as expected (hidden, since the column is sensitive); 91% of the rows are null."
        >>> rule.hide_text("minimum is 31,337, expected 1 to 2; share of rows that are not null is 9%.")
        'minimum is not as expected (hidden, since the column is sensitive); share of rows that are not null is 9%.'
        """
        told = {one: hidden(name) for name in REVEALING if METRICS[name].judged for one in heads(name)}
        head, colon, rest = sentence.partition(": ")
        parts = (rest if colon else head).rstrip(".").split("; ")
        fit = [next((told[name] for name in told if one.startswith(name)), one) for one in parts]
        return (head + colon if colon else "") + "; ".join(fit) + "."


class VolumeRule(HistoryRule):
    """A program of clauses on a table's rows: how many, how many of them stand twice or came before."""

    meanings: ClassVar[Mapping[str, str]] = {"volume": "the number of rows stays within what the past predicts"}
    of_all_rows = True
    kept_level = True
    graded = False  # rows that are missing are told, but where they hardly are
    tail = 4.3

    def _chance(self, broken: Sequence[Deviation], out: float) -> float | None:
        """Of a number of rows that is hardly beyond its band (`NEAR_ROWS`), or is less than usual alone: a few rows are
        no news where the week has many. What is further out, came twice or is the batch before again is always told.
        """
        of_number = {one.metric for one in broken} <= {"row_count", "shortfall"}
        rows = next((one for one in broken if one.metric == "row_count"), None)
        return super()._chance(broken, out) if of_number and (rows is None or _is_near(rows)) else None

    def _of_rewrite(self, batch: Subject) -> Verdict:
        return judged_rows(batch)

    def _own(self, batch: Subject, rows: TableState) -> Mapping[str, float]:
        own = table_metrics(rows, batch.previous) | shortfall_of(rows.rows, batch.history or [], batch.committed_at)
        return TableMetrics(rows.rows, table=own).of_table()

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


def _is_near(rows: Deviation) -> bool:
    """Whether a number of rows is hardly beyond its band; none at all is not, however few there were."""
    end = rows.low if rows.value < rows.low else rows.high
    return rows.value > 0 and abs(rows.value - end) <= METRICS["row_count"].resolution + NEAR_ROWS * end


def _beyond(detail: Mapping[str, Any]) -> dict[str, float]:
    """How far each metric of an outcome is beyond its band, in half widths; negative below it."""
    found = {}
    for name, value in (detail.get("observed") or {}).items():
        low, high = (detail.get("expected") or {}).get(name) or (None, None)
        end, other = (high, low) if high is not None and (low is None or value is None or value > high) else (low, high)
        most = METRICS[name].greatest if name in METRICS and high is None else None
        half = 0.0 if end is None else abs(end - (other or 0.0)) / 2 if most is None else abs(end - most)
        found[name] = math.nan if value is None or end is None else (value - end) / max(half, 1e-12)
    return found


def _is_out(value: float | None, band: Sequence[float | None] | None) -> bool:
    low, high = band or (None, None)
    return value is not None and ((low is not None and value < low) or (high is not None and value > high))


def _say_hidden(name: str, value: Any, expected: Mapping[str, Any], kind: str) -> str:
    if name not in METRICS:
        return f"{name} is not as expected"
    if reveals(name):
        return hidden(name)
    low, high = expected.get(name) or (None, None)
    if low is None and high is None:
        return told_alone(name, value, kind)
    return finding(name, value, low, math.inf if high is None else high, kind)
