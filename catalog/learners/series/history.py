"""Learning what a column's own past predicts: one program of clauses per column, and one for the table's rows.

A clause says that a metric (or its change, or the change of its logarithm) stays in a band. Programs have the form of
Auto-Validate-by-History (definition 3). Bands do not come from its inequalities, which bound the false-alarm rate of a
stationary metric only, but from replays: how far healthy metrics of the same kind went beyond all that was seen before.
The paper's own learner is `catalog.papers.avh`.

Short histories: below `LEAST` batches a table's own past says too little, and rules are those that healthy tables keep
(`catalog.learners.series.prior`); from there on bands narrow as batches come, see `catalog.learners.series.bands`.
Constant metrics (sigma 0) get a band of the metric's resolution on both sides: how far an invariant of that kind may
end without being an error. A column's past begins with the first batch in which it holds a value, once it was there in
`LEAST` batches: an empty one says nothing of the values to come. A metric is used where at least three quarters of the
batches, the last one included, have it.

Batches that are not healthy are holes of the past: they keep their place, and no difference is taken with them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np

from catalog.domains.known import in_force
from catalog.domains.validators.text import flag_pair
from catalog.evidence.pattern_index.views import profile
from catalog.history.calendar.months import is_part_of_date
from catalog.history.calendar.seasons import usual_rows
from catalog.history.series import Past, column_series, of_columns, rows_at, since_filled
from catalog.learners.series.bands import clause_of, of_one_step, stated, strictness
from catalog.learners.series.explained import SHARES, monthly, one_sided, without_added, without_months
from catalog.learners.series.limits import BREAK, ENOUGH, LEAST, of_values
from catalog.learners.series.prior import prior_column, prior_volume
from catalog.learners.series.replayed import replay, wider
from catalog.learners.series.scales import Scale, is_kept, scale_of
from catalog.metrics.registry import JUDGED, METRICS
from catalog.rules.clauses.band import BandClause, filled, steps_of, that_bind
from catalog.rules.clauses.programs import stays
from catalog.rules.kinds.history import HistoryRule, VolumeRule
from catalog.rules.replayed import WIDER, Replayed
from catalog.states.column import ColumnState
from catalog.states.metrics import WHOLE
from catalog.states.table import TableState

#: Metrics of a kind of column that are not used: times run on, and their marks with them; a quantile jumps where the
#: distribution has a gap there, and the Kolmogorov-Smirnov distance sees what it would have seen; of flags there are
#: two, and how frequent they are says all.
_UNUSED = {
    "time": {"min", "max", "median", "range"},
    "number": {"median", "low_decile", "high_decile"},
    "boolean": {"dist_val_count", "unique_ratio"},
}
#: A day of these centuries, in one of the forms that sort.
_DATE = re.compile(r"(?<!\d)(?:19|20)\d\d([-/.]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])(?!\d)")
#: Rows that nine of ten batches must have had new, for one without any to be news. Chosen: where the fewest of thirty
#: are five by chance (Poisson), ten come usually, and one batch in 20,000 has none; where it is one, one in a hundred.
ALWAYS_NEW = 5
#: Metrics of whole rows, judged once for the table.
OF_TABLE = ("row_count", "shortfall", "duplicate_ratio", "repeated_ratio", "unchanged")
#: What follows from the digits of a counter in a column's strings, which become more.
LENGTHS = frozenset({"str_len", "digit_len", "len_std"})
#: What says nothing of dates: as integers (20261231, 20270101) they jump, and what moves in them is the calendar.
_OF_DATES = {
    "number": frozenset({"min", "max", "mean", "std", "log_mean", "log_std", "log_EMD"}),
    "string": frozenset({"Pat_wide"}),
}
#: Of a part of a date that each batch holds one of, the values say which one it is.
_OF_PARTS = frozenset(name for name, metric in METRICS.items() if metric.aspect in ("values", "sizes", "shape"))
#: Of whole numbers these are 0, and of numbers that name things they say nothing.
_OF_FRACTIONS, _OF_MEASURES = frozenset({"nan_ratio", "decimals"}), frozenset({"mean", "std"})
#: Domains of texts that say when; and a month as a number.
_PERIODS = ("date", "year_month", "quarter", "iso_week", "year_range", "year", "month", "weekday")
_MONTH = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])")
#: Powers of ten between the rows that come and those that usually do, beyond which nothing is asked of them. Chosen:
#: that at least a hundredth of the usual rows come nobody would sign.
FURTHEST_OFF = 2.0
#: Values of such a part in a batch. Chosen: one, and that of the day before where late rows are among them.
_MOST_PARTS = 2
_OF_CLOCKS = frozenset({*WHOLE, "hour_turn"})
#: Of few numbers one decides these; their orders of magnitude say what all of them are. Of the few texts of a
#: table of many rows one decides how long they are; their patterns and values say what all of them are.
_SIZES = frozenset({"min", "max", "mean", "std"})
_OF_LENGTH = frozenset(name for name, metric in METRICS.items() if metric.aspect == "lengths")
#: What all aspects of a column may be out by together, in half widths of their bands (`catalog.rules.kinds.history`).
#: Where values stand still they are not summed: there one edit moves all aspects at once.
#: Chosen; what it costs in false alarms `benchmarks.shipped.calibrate_history` tells.
POOL = 1.3


def column_budget(budget: float, columns: int) -> float:
    """What each of a table's columns may spend so that all together spend no more than ten times `budget`.

    >>> column_budget(0.001, 8), column_budget(0.001, 40)
    (0.001, 0.00025)
    """
    return min(budget, 10 * budget / max(columns, 1))


def learn_history(
    series: Past,
    *,
    kinds: Mapping[str, str],
    unused: Mapping[str, Collection[str]],
    budget: float,
    limits: Mapping[str, tuple[float, float]] | None = None,
    own: Replayed | None = None,
    lake: Replayed | None = None,
) -> list[HistoryRule]:
    """Learn the rules of one table from the metrics of its past batches, oldest first.

    Parameters
    ----------
    series : metrics of the batches of one kind (all increments or all snapshots), None for those that are not healthy;
        the first ones may be of rows alone (`of_columns`).
    kinds : kind of each column now; columns that are not named are left out.
    unused : metrics that say nothing of each column of the latest batch, see `unused_in`; others get no rule.
    budget : stated false-alarm rate that each rule may spend, 0..1; the columns of a wide table less, see
    `column_budget`.
    limits : of columns that are known to measure something, the least and the greatest number that it can be.
    own : what replays of the table showed before, in its rules' evidence; without versions they are made now.
    lake : what those of the lake's other tables showed.

    Returns one rule of kind "history" per column and one of kind "volume"; below `LEAST` batches those of `prior`.
    """
    named = {column: kind for column, kind in kinds.items() if column in unused}
    share = column_budget(budget, len(named))
    every, series = series, of_columns(series)
    past = {column: column_series(series, column) for column in named}
    turning = {column for column, kind in named.items() if kind == "number" and turns_with_dates(column, past[column])}
    unused = {name: {*of, *_OF_PARTS} if name in turning else of for name, of in unused.items()}
    unused |= {column: {*unused[column], "weekday_L_1"} for column in named if _within_a_day(past[column])}
    if sum(m is not None for m in series) < LEAST:
        rows = prior_volume(column_series(series, None), budget)
        first = [
            prior_column(past[column], column=column, kind=kind, budget=budget, unused=unused[column])
            for column, kind in named.items()
        ]
        return [rule for rule in (rows, *first) if rule is not None]
    rules: list[HistoryRule] = []
    volume = learn_volume(every, budget)
    if volume is not None:
        rules.append(volume)

    days = [None if m is None else m.on for m in series]

    def learn(column: str, batches: int, width: float = 1.0) -> HistoryRule | None:
        own = past[column][:batches]
        of, kind, came = unused[column], named[column], days[:batches]
        ends = (limits or {}).get(column)
        return learn_column(own, column=column, kind=kind, budget=share, unused=of, width=width, days=came, limits=ends)

    seen = own or Replayed()
    if not seen.versions:
        seen = replace(replay(series, list(named), learn, share), until=seen.until)
    width = wider(seen, lake or Replayed())
    found = (learn(column, len(series), width) for column in named)
    rules += [rule for rule in found if rule is not None]
    told = seen.to_json() | ({WIDER: round(width, 3)} if width > 1 else {})
    return [replace(rule, evidence={**rule.evidence, **told}) for rule in rules]


def unused_in(last: TableState, codes: Collection[str] = ()) -> dict[str, frozenset[str]]:
    """The metrics that say nothing of each column of a table; `codes` are those whose numbers measure nothing."""
    return {
        name: unused_of(column) | (_OF_MEASURES if name in codes else frozenset())
        for name, column in last.columns.items()
    }


def unused_of(state: ColumnState) -> frozenset[str]:
    """The metrics that say nothing of such a column: it counts up, holds dates, or one period, or few times, such as
    those at which something ran (how many seconds these have is chance), or flags that are written as text.

    >>> import pyarrow as pa
    >>> from catalog.states.folding.fold import fold
    >>> sorted(unused_of(fold(pa.table({"paid": ["Y", "N", None, "Y"]})).columns["paid"]))
    ['dist_val_count', 'unique_ratio']
    """
    if state.kind == "time" and state.distinct.estimate() < ENOUGH:
        return _OF_CLOCKS
    seen = profile(state) if state.kind == "string" else None
    lengths = LENGTHS if seen is not None and seen.counters else frozenset()
    of_dates = _OF_DATES.get(state.kind, frozenset())
    flags = seen is not None and seen.values is not None and flag_pair(set(seen.values))
    of_flags = _UNUSED["boolean"] if flags else frozenset()
    of_parts = _OF_PARTS if _is_period(state) else frozenset()
    of_fractions = _OF_FRACTIONS if state.is_whole else frozenset()
    return lengths | of_flags | of_parts | of_fractions | (of_dates if of_dates and _dates(state) else frozenset())


def _is_period(state: ColumnState) -> bool:
    """Whether all rows are of one period of the calendar, or of two: the next batch may be of the next one.

    >>> import pyarrow as pa
    >>> from catalog.states.folding.fold import fold
    >>> table = {"of": ["Dec 2026", "Dec 2026"], "week": ["2026-W53", "2027-W01"], "no": [202612, 202701]}
    >>> table |= {"id": [202613, 202613], "by": ["Dec", "Dana"], "none": pa.nulls(2, pa.string())}
    >>> [_is_period(state) for state in fold(pa.table(table)).columns.values()]
    [True, True, True, False, False, False]
    """
    texts = {str(value).removesuffix(".0") for value, _ in state.frequent.items if value not in (None, "")}
    if not texts or len(texts) > _MOST_PARTS or state.distinct.estimate() > _MOST_PARTS:
        return False
    if all(map(_MONTH.fullmatch, texts)):
        return True
    known = in_force()
    return state.kind == "string" and any(all(map(known[name].validate, texts)) for name in _PERIODS)


def _dates(state: ColumnState) -> bool:
    """Whether every frequent value of a column holds a date: 2026-12-31, 20261231, a range of them.

    >>> import pyarrow as pa
    >>> from catalog.states.folding.fold import fold
    >>> table = {"day": [20261231, 20270101], "no": [20261331, 20270101], "to": ["2026-01-01 to 2026-01-31"] * 2}
    >>> [_dates(state) for state in fold(pa.table(table)).columns.values()]
    [True, False, True]
    """
    texts = [str(value).removesuffix(".0") for value, _ in state.frequent.items if value not in (None, "")]
    return len(texts) > 0 and all(_DATE.search(text) for text in texts)


def turns_with_dates(column: str, series: Sequence[Mapping[str, float]]) -> bool:
    """Whether a column is called as a part of a date, and each batch is of one: the 31st is followed by the 1st.

    >>> turns_with_dates("order_month", [{"dist_val_count": 1.0}, {}, {"dist_val_count": 2.0}])
    True
    >>> turns_with_dates("month", [{"dist_val_count": 12.0}])
    False
    """
    return is_part_of_date(column) and all(m.get("dist_val_count", math.inf) <= _MOST_PARTS for m in series if m)


def _within_a_day(series: Sequence[Mapping[str, float]]) -> bool:
    """Whether the times of each batch lie within a day: the next batch may be of the next one, at midnight."""
    spans = [m["time_span"] for m in series if "time_span" in m]
    return bool(spans) and max(spans) < 1


def learn_column(
    series: Sequence[Mapping[str, float]],
    *,
    column: str,
    kind: str,
    budget: float,
    differencing: bool = True,
    unused: Collection[str] = (),
    width: float = 1.0,
    days: Sequence[date | None] = (),
    limits: tuple[float, float] | None = None,
) -> HistoryRule | None:
    """The program of one column from its metrics in past batches, empty for a hole; None where none can be had.

    No clause is on a metric in `unused`; bands are `width` times as wide as the calibration histories ask for. Without
    `differencing` none is on a change against an earlier batch (the paper's figure 10). `days`: when the batches came;
    `limits`: what its values cannot be beyond.
    """
    days = days or [None] * len(series)
    if sum(map(bool, since := since_filled(series))) >= LEAST:
        series, days = since, days[len(series) - len(since) :]
    there = [i for i, m in enumerate(series) if m]
    while there and series[there[-1]].get("row_count") == 0:  # a day without a row says nothing of the next one's
        there.pop()
    if len(there) < LEAST:
        return None
    at = since_break([series[i].get("row_count", math.nan) for i in there])
    lived = slice(there[at], there[-1] + 1)  # from when there was such a column
    series, alike = series[lived], monthly(days[lived])
    batches = [m for m in series if m]
    left_out = {*OF_TABLE, *_UNUSED.get(kind, ()), *unused}
    scale = scale_of(batches)
    if scale.filled < ENOUGH:
        left_out |= _SIZES if "log_mean" in batches[-1] else _OF_LENGTH if scale.rows >= ENOUGH else set()
    few = [filled(m) for m in series] if scale.filled < ENOUGH else []
    names = [n for n in JUDGED if n not in left_out]
    steps = steps_of(series)
    values = {name: of_one_step(name, [m.get(name) for m in series], steps) for name in names}
    if scale.kept:
        values |= {name: without_added(values[name], series) for name in names if name in SHARES}
    if alike:
        values = {name: without_months(past, alike) for name, past in values.items()}
    found = [
        clause_of(name, values[name], scale, budget, len(batches), differencing=differencing, width=width, filled=few)
        for name in names
    ]
    clauses = [clause for clause in found if clause is not None]
    if kind == "number":
        clauses = [of_values(clause, batches, limits) for clause in clauses]
    return _rule("history", column, clauses, len(batches), kind, budget, pool=not scale.still)


def since_break(rows: Sequence[float]) -> int:
    """The first batch of the table as it is now: where its rows at once became `BREAK` times more or fewer, and stayed.

    All batches before must be that far from all after it, of which there are at least `LEAST` - 1, and these within a
    factor of 1.5: weekly cycles and growth are no breaks. 0 where there is none.

    >>> since_break([100, 104, 99, 3400, 3410, 3420, 3420, 3430, 3440]), since_break([100, 20] * 10)
    (3, 0)
    """
    x = np.asarray(rows, float)
    for at in range(len(x) - LEAST + 1, 0, -1):
        before, after = x[:at], x[at:]
        if after.max() > 1.5 * after.min():
            break
        if after.min() >= BREAK * before.max() or before.min() >= BREAK * after.max():
            return at
    return 0


def learn_volume(series: Past, budget: float) -> HistoryRule | None:
    """The rule on a table's rows: how many they are, how many stand twice or in the batch before as well; None where
    nothing of it can be foreseen."""
    there = [i for i, m in enumerate(series) if m is not None]
    past = column_series(series, None)
    at = since_break([past[i]["row_count"] for i in there])
    lived = slice(there[at], there[-1] + 1) if there else slice(0)
    past, series = past[lived], series[lived]
    alike = monthly([None if m is None else m.on for m in series])
    known = [m["row_count"] for m in past if m]
    if not known:
        return None
    scale = Scale(float(np.median(known)), 0.0, 0.0, is_kept(np.asarray(known)))
    names = [name for name in OF_TABLE if name != "unchanged" or _usually_new(past) >= ALWAYS_NEW]
    values = {name: [m.get(name) for m in past] for name in names if name != "shortfall"}
    values = {name: without_months(of, alike) for name, of in values.items()}
    found = [clause_of(name, of, scale, budget, sum(one is not None for one in of)) for name, of in values.items()]
    if not scale.kept:  # of rows that are kept each that is gone is missed
        found.append(_against_usual(series, alike, scale, budget))
    return _rule("volume", None, [clause for clause in found if clause is not None], len(there), "table", budget)


def _against_usual(series: Past, alike: Sequence[frozenset[int]], scale: Scale, budget: float) -> BandClause | None:
    """The clause on how many rows come beside how many usually do, each side from how far it went from the middle; None
    where too little is known."""
    rows, at = zip(*rows_at(series), strict=True)
    off = np.log10(usual_rows(rows, at)[0] / np.maximum(np.array(rows, float), 1.0))
    sides = []
    for sign in (1, -1):
        side = without_months(one_sided([None if math.isnan(one) else sign * one for one in off.tolist()]), alike)
        sides.append(clause_of("shortfall", side, scale, budget, sum(one is not None for one in side)))
    fewer, more = sides
    if fewer is None or more is None or fewer.high > FURTHEST_OFF:
        return None
    low = 10.0**-more.high if more.high <= FURTHEST_OFF else None
    return replace(fewer, center=10.0**fewer.middle, low=low, high=10.0**fewer.high)


def _usually_new(past: Sequence[Mapping[str, float]]) -> float:
    """Rows of a batch that the one before had not, in nine of ten batches at least: of a register that changes by two
    rows a week none may have changed by chance. The shares are told by samples, so that the least says nothing.

    >>> _usually_new([{"row_count": 90.0}] + [{"row_count": 100.0, "repeated_ratio": 0.75}] * 9), _usually_new([])
    (25.0, 0.0)
    """
    rows = [m["row_count"] * (1 - m["repeated_ratio"]) for m in past if "repeated_ratio" in m]
    return float(np.quantile(rows, 0.1)) if rows else 0.0


def _rule(
    kind: str,
    column: str | None,
    clauses: Sequence[BandClause],
    batches: int,
    of: str,
    budget: float,
    *,
    pool: bool = False,
) -> HistoryRule | None:
    """The rule of the clauses that some value would break, None where there is none."""
    fpr = stated(strictness(budget, column is None), column is None)
    clauses = that_bind(clauses)
    if not clauses:
        return None
    clauses = [replace(clause, fpr=fpr / len(clauses)) for clause in clauses]
    params: dict[str, Any] = {"clauses": [clause.to_json() for clause in clauses], "batches": batches, "kind": of}
    if pool:
        params["pool"] = POOL
    sentence = stays(batches, clauses)
    cls = HistoryRule if column is not None else VolumeRule
    return cls(kind, column, params, fpr, sentence, "history", {"batches": batches, "clauses": len(clauses)})
