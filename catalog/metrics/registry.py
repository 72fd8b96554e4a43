"""Every metric of the product, once: what it is called, what it is measured in, whether it tells a value of its column,
and how much of a change of it means nothing.

Names are those of Auto-Validate-by-History, tables 3 and 4, and of deequ where it has one. `catalog.states.metrics`
computes those of one state, and nothing else does; `catalog.history.series` those of two; the profile of a column, the
series of its batches, rules, exports and pages read what a metric is from here.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Any

#: Metrics beyond the paper's, in words.
OURS = {
    "filled_ratio": "share of rows that are neither null nor empty",
    "new_values": "share of rows with a value that is new since the batch before",
    "lost_values": "share of the earlier batch's rows whose value is gone",
    "rewritten_ratio": "share of rows whose value one rule has rewritten since the batch before",
    "Pat_new": "share of rows with a pattern that is new since the batch before",
    "Pat_wide": "share of character positions that go beyond the range they had in the batch before",
    "top_ratio": "share of rows that hold the most frequent value",
    "zero_ratio": "share of zeros",
    "negative_ratio": "share of negative numbers",
    "std": "standard deviation",
    "low_decile": "tenth percentile",
    "high_decile": "ninetieth percentile",
    "upper_len": "average number of upper-case letters",
    "space_len": "average number of white-space characters",
    "other_len": "average number of characters beyond ASCII",
    "min_len": "shortest string",
    "max_len": "longest string",
    "parsed_ratio": "share of strings that are numbers",
    "len_std": "standard deviation of the length",
    "log_mean": "average order of magnitude (decimal logarithm)",
    "log_EMD": "change of the orders of magnitude since the batch before (earth mover's distance)",
    "log_std": "standard deviation of the order of magnitude",
    "decimals": "average number of decimal places",
    "garbled_ratio": "share of strings whose letters are garbled by a wrong encoding",
    "marked_ratio": "share of strings that are a word for a missing value (N/A, null and the like)",
    "ordered_ratio": "share of rows whose time is not before that of the time column to the left",
    "hour_EMD": "hours by which times of day moved since the batch before",
    "hour_turn": "hours by which all times of day are off those of the batch before",
    "weekday_L_1": "change of the days of the week since the batch before",
    "hour_mean": "average time of day",
    "full_second_ratio": "share of times without a fraction of a second",
    "full_minute_ratio": "share of times without seconds",
    "full_hour_ratio": "share of times on the hour",
    "midnight_ratio": "share of times at midnight, as dates are",
    "gap": "hours since the time column to the left (medians)",
    "time_leap": "days by which the median time moved on since the batch before",
    "time_span": "days between the tenth and the ninetieth percentile of the times",
    "no_date_ratio": "share of placeholder dates (1970-01-01, 9999-12-31 and the like)",
    "reused_ratio": "share of identifiers that were in the batch before",
    "nan_ratio": "share of rows that are no number (NaN)",
    "duplicate_ratio": "share of duplicate rows",
    "repeated_ratio": "share of rows that were in the batch before",
    "shortfall": "usual number of rows, as a multiple of those that came",
    "unchanged": "whether all rows are those of the batch before (1) or not (0)",
    "pace": "days by which the times moved on by another step than usual, and than between deliveries",
    "stray": "how far times lie outside of all before, in spans of these (a year at least)",
}


@dataclass(frozen=True)
class Metric:
    """What a metric is, and what change of it means nothing by itself.

    That is its resolution: the sum of `resolution`, `relative` times the metric's usual size, `spread` times the
    column's standard deviation, `length` times its average length, and what `rows` single rows can change. `slack` is
    how far the metric moves, in the same units (1, the standard deviation, the length), when all rows are replaced:
    added rows may move it by their share of that.

    Parameters
    ----------
    words : its name in sentences.
    unit : what it is measured in; ``share`` is said in per cent, ``time of day`` as one, ``value`` is the column's own
        (days since 1970 of times).
    least : what it cannot be below; None where there is no such end.
    greatest : what it cannot be above; None where there is no such end.
    most : the same, of distances that many healthy batches were not near; None of others.
    reveals : whether it is a value of some row, or lies so near to one that it tells it.
    judged : whether a rule may ask for a band of it.
    widening : how much further than other metrics it may go (extremes of heavy tails).
    snapshot_resolution : added to it where rows are delivered again each time: a new category is no error there.
    shrinks_resolution : whether a metric that has shown its spread needs less of it; quantiles and extremes jump.
    early_invariant : whether a few batches are enough to believe an invariant: columns without nulls are made so.
    sides : ``both`` or ``high`` (distances: only large ones are bad).
    per_rows : 1 where the metric grows with the number of rows at most in proportion, -1 where it falls so.
    sampled : how many values of a sample of the distinct ones may be new before it means anything, see `SAMPLED`.
    summary : whether it is read off a summary of many numbers, of which one point stands for many rows.
    inside : rows added to the resolution where the metric is not at its bounds, 0 and 1: what has never been is an
        invariant, one row more or less of what is there already is not.
    tail : how many times as far as the outer tenth of the rows reaches an extreme may go beyond what it was, where
        that can be told: the standard deviation of what has a heavy tail on one side says nothing of the other.
    keeps_share : whether a share of the least past value must be left, see
        `catalog.learners.series.limits.least_remaining`.
    series : kinds of columns of whose batches it is kept, where it is computed of one state; what is computed of two,
        or of whole rows, always is.
    aspect : what it looks at, with others: these say the same thing and count once where evidence is pooled.
    period : where it is measured round a circle, how much once round is; 0 for others.
    alone : how many times as far it may go where the other aspects stay where they were, see `ALONE`.
    """

    words: str
    resolution: float = 0.0
    relative: float = 0.0
    spread: float = 0.0
    length: float = 0.0
    rows: float = 0.0
    slack: float = 0.0
    widening: float = 1.0
    snapshot_resolution: float = 0.0
    shrinks_resolution: bool = True
    early_invariant: bool = False
    sides: str = "both"
    per_rows: int = 0
    sampled: float = 0.0
    summary: bool = False
    inside: float = 0.0
    tail: float = 0.0
    keeps_share: bool = False
    aspect: str = ""
    period: float = 0.0
    alone: float = 1.0
    unit: str = ""
    least: float | None = None
    greatest: float | None = None
    most: float | None = None
    reveals: bool = False
    judged: bool = True
    series: frozenset[str] = frozenset()

    @property
    def is_share(self) -> bool:
        return self.unit == "share"


#: Distinct values of which a state of many keeps the counts, at least: each stands for the others.
#: A bound of the sketches.
SAMPLED = 128

_SHARE: dict[str, Any] = {"resolution": 0.002, "rows": 0.5, "slack": 1.0, "inside": 0.5}
_NEW: dict[str, Any] = {
    "resolution": 0.005,
    "rows": 1.5,
    "slack": 1.5,
    "snapshot_resolution": 0.006,
    "sides": "high",
    "most": 1.0,
}
_MOVED: dict[str, Any] = {"rows": 1.2, "slack": 2, "snapshot_resolution": 0.012, "sides": "high"}
_LENGTH: dict[str, Any] = {"length": 0.004, "relative": 0.002, "rows": 1.0, "slack": 3.0}
_SINCE = "the batch before"

#: `row_count` is judged once, for the table.
METRICS: dict[str, Metric] = {
    "row_count": Metric("number of rows", 2, 0.04),
    "complete_ratio": Metric(
        "share of rows that are not null", **_SHARE, widening=0.95, early_invariant=True, keeps_share=True
    ),
    "filled_ratio": Metric(OURS["filled_ratio"], **_SHARE, early_invariant=True, keeps_share=True),
    "zero_ratio": Metric(
        OURS["zero_ratio"], **_SHARE | {"resolution": 0.0014, "rows": 0.35, "inside": 0.35}, summary=True
    ),
    "negative_ratio": Metric(OURS["negative_ratio"], **_SHARE, summary=True),
    "parsed_ratio": Metric(OURS["parsed_ratio"], **_SHARE),
    "dist_val_count": Metric("number of distinct values", 2.5, 0.02, slack=1.0, per_rows=1),
    "unique_ratio": Metric("distinct values per row", 0.0075, rows=0.75, slack=1.5, widening=0.95, per_rows=-1),
    "top_ratio": Metric(OURS["top_ratio"], 0.02, rows=1.0, slack=1.5),
    "new_values": Metric(OURS["new_values"], **_NEW | {"sampled": 1.4}),
    "lost_values": Metric(
        OURS["lost_values"],
        **_NEW | {"resolution": 0.0055, "rows": 1.0, "slack": 1.0, "snapshot_resolution": 0.0055, "sampled": 1.4},
        widening=1.08,
    ),
    # of 41,606 healthy pairs of batches of a column, of 40 real series, two were not 0: it needs no band
    "rewritten_ratio": Metric(OURS["rewritten_ratio"], 0.002, rows=0.5, early_invariant=True, sides="high", most=1.0),
    "Pat_new": Metric(OURS["Pat_new"], **_NEW | {"resolution": 0.003, "rows": 0.5, "snapshot_resolution": 0.001}),
    "Pat_wide": Metric(
        OURS["Pat_wide"], 0.16, rows=1.2, slack=4.0, snapshot_resolution=0.12, shrinks_resolution=False, sides="high"
    ),
    "mean": Metric("mean", relative=0.005, spread=0.1, slack=6.0, widening=1.2),
    "median": Metric("median", relative=0.02, spread=2.0, slack=6.0),
    "std": Metric(OURS["std"], relative=0.2, slack=12.0, widening=2.0, shrinks_resolution=False),
    "low_decile": Metric(OURS["low_decile"], relative=0.05, spread=2.0, slack=6.0),
    "high_decile": Metric(OURS["high_decile"], relative=0.05, spread=2.0, slack=6.0),
    "min": Metric("minimum", relative=0.1, spread=2.0, tail=0.8, slack=10.0, shrinks_resolution=False, widening=1.5),
    "max": Metric("maximum", relative=0.15, spread=4.0, tail=2.0, slack=10.0, shrinks_resolution=False, widening=1.5),
    "KS_dist": Metric(
        f"shift of the distribution since {_SINCE} (Kolmogorov-Smirnov)",
        0.012,
        rows=1.2,
        slack=2,
        snapshot_resolution=0.02,
        widening=0.9,
        sides="high",
        most=1.0,
    ),
    "JS_div": Metric(
        f"change of the distribution since {_SINCE} (Jensen-Shannon)", 0.03, rows=1.2, slack=2, sides="high", most=1.0
    ),
    "log_EMD": Metric(OURS["log_EMD"], 0.01, rows=2.0, slack=3, widening=1.1, sides="high"),
    "L_1": Metric(
        f"change of the values' shares since {_SINCE} (L1)",
        0.012,
        rows=1.5,
        slack=4,
        snapshot_resolution=0.03,
        sides="high",
    ),
    "L_inf": Metric(f"largest change of a value's share since {_SINCE}", 0.008, **_MOVED),
    "Chisquared": Metric(f"change of the values' shares since {_SINCE} (chi-squared)", 0.008, **_MOVED, widening=0.85),
    "Pat_L_1": Metric(
        f"change of the patterns' shares since {_SINCE} (L1)", 0.006, rows=1.5, slack=4, widening=1.15, sides="high"
    ),
    "Pat_L_inf": Metric(
        f"largest change of a pattern's share since {_SINCE}",
        0.004,
        rows=1.2,
        slack=2,
        snapshot_resolution=0.002,
        widening=1.15,
        sides="high",
    ),
    "garbled_ratio": Metric(OURS["garbled_ratio"], **_SHARE),
    "marked_ratio": Metric(OURS["marked_ratio"], **_SHARE, sides="high"),
    "ordered_ratio": Metric(OURS["ordered_ratio"], **_SHARE | {"rows": 1.0}),
    "hour_EMD": Metric(OURS["hour_EMD"], 0.15, rows=6.0, slack=12.0, sides="high"),
    "hour_turn": Metric(OURS["hour_turn"], 0.5, early_invariant=True, sides="high"),
    "weekday_L_1": Metric(OURS["weekday_L_1"], 0.05, rows=3.0, slack=4.0, sides="high"),
    "hour_mean": Metric(OURS["hour_mean"], 0.2, rows=6.0, slack=12.0, period=24.0, widening=0.85),
    **{name: Metric(OURS[name], **_SHARE, sides="high") for name in OURS if name.startswith(("full_", "midnight"))},
    "gap": Metric(OURS["gap"], 0.1, 0.1, rows=6.0),
    # a delivery may fail for a week, and one of a month may be left out
    "time_leap": Metric(OURS["time_leap"], 10.0, 1.0, shrinks_resolution=False),
    "time_span": Metric(OURS["time_span"], 3.0, 0.5, shrinks_resolution=False),
    "pace": Metric(OURS["pace"], 0.02, rows=1.0, sides="high"),
    # of 2,495 healthy pairs of batches of 38 columns of days none went out by one span (`benchmarks.avh.strays`)
    "stray": Metric(OURS["stray"], 1.0, early_invariant=True, shrinks_resolution=False, sides="high"),
    "no_date_ratio": Metric(OURS["no_date_ratio"], **_SHARE, sides="high"),
    "reused_ratio": Metric(OURS["reused_ratio"], **_NEW | {"resolution": 0.05, "sampled": 1.4}),
    "nan_ratio": Metric(OURS["nan_ratio"], **_SHARE, sides="high"),
    "duplicate_ratio": Metric(
        OURS["duplicate_ratio"], **_SHARE | {"resolution": 0.01, "rows": 1.5, "slack": 0.0}, sides="high"
    ),
    "repeated_ratio": Metric(OURS["repeated_ratio"], **_SHARE | {"resolution": 0.05, "rows": 1.5}, sides="high"),
    # resolutions of its decimal logarithm, in which its band is learned
    "shortfall": Metric(OURS["shortfall"], 0.02, rows=1.0, sides="high"),
    # what never happened in some twenty batches, and not in seven, is said not to happen
    "unchanged": Metric(OURS["unchanged"], 0.55, sides="high"),
    "decimals": Metric(OURS["decimals"], 0.01, 0.005, rows=2.0, slack=10.0),
    "log_mean": Metric(OURS["log_mean"], 0.02, rows=3.0, slack=3.0, widening=0.9),
    "log_std": Metric(OURS["log_std"], 0.04, 0.03, rows=3.0, slack=5.0, widening=0.9, summary=True),
    "str_len": Metric("average length", **_LENGTH),
    "len_std": Metric(OURS["len_std"], length=0.02, relative=0.1, rows=1.0, slack=12.0, shrinks_resolution=False),
    "char_len": Metric("average number of letters", **_LENGTH),
    "digit_len": Metric("average number of digits", **_LENGTH, widening=0.9),
    "punc_len": Metric("average number of punctuation marks", **_LENGTH, widening=0.8),
    "upper_len": Metric(OURS["upper_len"], **_LENGTH, widening=0.8),
    "space_len": Metric(OURS["space_len"], **_LENGTH, widening=0.8),
    "other_len": Metric(OURS["other_len"], **_LENGTH),
}

_ASPECTS = {
    "lengths": "str_len char_len digit_len punc_len upper_len space_len other_len len_std",
    "patterns": "Pat_new Pat_wide Pat_L_1 Pat_L_inf",
    "values": "new_values lost_values reused_ratio L_1 L_inf Chisquared",
    "distinct": "dist_val_count unique_ratio top_ratio",
    "sizes": "mean median std log_mean log_std low_decile high_decile min max",
    "shape": "KS_dist JS_div log_EMD",
    "filled": "complete_ratio filled_ratio",
    "marks": "zero_ratio negative_ratio parsed_ratio garbled_ratio marked_ratio",
    "calendar": "hour_EMD hour_turn weekday_L_1 hour_mean",
    "exactness": "full_second_ratio full_minute_ratio full_hour_ratio midnight_ratio",
    "dates": "time_leap time_span no_date_ratio pace stray",
}
#: People relabel values, or spell them in another way, in a part of the rows: values and patterns then differ as never
#: before, and nothing else does. Chosen on the real series of fit and tune (`benchmarks.weekly`): most of 41 false
#: alarms of columns were of these aspects, in ten of 23 series; with these, 29 of 1,889 versions alarm in place of 36.
ALONE = {"values": 1.5, "patterns": 1.5, "shape": 1.5, "distinct": 1.2, "lengths": 1.2}
for _aspect, _names in _ASPECTS.items():
    METRICS |= {n: replace(METRICS[n], aspect=_aspect, alone=ALONE.get(_aspect, 1.0)) for n in _names.split()}

#: Metrics that are told and kept, but that no rule asks for.
_TOLD = {
    "null_ratio": "share of rows that are null",
    "empty_ratio": "share of rows that are empty",
    "uniqueness": "share of rows whose value occurs once",
    "entropy": "entropy of the values (nats)",
    "sum": "sum",
    "range": "range",
    "q25": "lower quartile",
    "q75": "upper quartile",
    "variance": "variance",
    "skewness": "skewness",
    "kurtosis": "kurtosis",
    "min_len": OURS["min_len"],
    "max_len": OURS["max_len"],
    "EMD": f"earth mover's distance to {_SINCE}",
    "Cohen_d": f"Cohen's d from {_SINCE}",
    "KL_div": f"Kullback-Leibler divergence from {_SINCE}",
    "Cosine": f"cosine distance to {_SINCE}",
    "Pat_Cosine": f"cosine distance of the patterns to {_SINCE}",
    "Pat_Chisquared": f"chi-squared distance of the patterns to {_SINCE}",
    "Pat_JS_div": f"Jensen-Shannon divergence of the patterns from {_SINCE}",
    "Pat_KL_div": f"Kullback-Leibler divergence of the patterns from {_SINCE}",
    "nonconforming": "share of values that do not conform",
    "seconds_to_next_version": "hours to the next version",
    "changed_ratio": "share of the rows that were rewritten which hold another value",
    "erased_ratio": "share of the values that are missing since the rows were rewritten",
    "set_ratio": "share of the rows that were rewritten which hold one value, and did not",
    "deleted_ratio": "share of the table's rows that were deleted",
    "times_kept": "whether rows were added and no earlier time changed (1) or not (0)",
    "leap_of_rows": "days by which rows that came or went may have moved the median of times",
}
METRICS |= {name: Metric(words, judged=False) for name, words in _TOLD.items()}

_UNITS = {
    "share": """complete_ratio filled_ratio zero_ratio negative_ratio parsed_ratio unique_ratio top_ratio new_values
        lost_values rewritten_ratio Pat_new Pat_wide L_inf Pat_L_inf garbled_ratio marked_ratio ordered_ratio
        duplicate_ratio repeated_ratio reused_ratio no_date_ratio null_ratio empty_ratio nan_ratio uniqueness
        nonconforming changed_ratio erased_ratio set_ratio deleted_ratio full_second_ratio full_minute_ratio
        full_hour_ratio midnight_ratio""",
    "rows": "row_count dist_val_count",
    "value": "mean median std low_decile high_decile min max sum range q25 q75",
    "characters": """str_len len_std char_len digit_len punc_len upper_len space_len other_len min_len max_len""",
    "decimal places": "decimals",
    "hours": "hour_EMD hour_turn gap",
    "time of day": "hour_mean",
    "days": "time_leap time_span pace",
    "seconds": "seconds_to_next_version",
}
for _unit, _names in _UNITS.items():
    METRICS |= {name: replace(METRICS[name], unit=_unit) for name in _names.split()}
_COUNTED = [name for name, metric in METRICS.items() if metric.unit in ("share", "rows", "characters")]
for _name in ("std", "log_std", "decimals", "unchanged", "pace", "stray", "time_span", *_COUNTED):
    METRICS[_name] = replace(METRICS[_name], least=0.0)
#: Distances over values, forms and weekdays count rows that went over twice, as gone and as come; no time of day is
#: farther from another than half a day.
_GREATEST = {"KS_dist": 1.0, "JS_div": 1.0, "Chisquared": 1.0, "L_1": 2.0, "Pat_L_1": 2.0, "weekday_L_1": 2.0}
_GREATEST |= {name: 1.0 for name, metric in METRICS.items() if metric.unit == "share"} | {"unchanged": 1.0}
for _name, _most in (_GREATEST | {"hour_EMD": 12.0, "hour_turn": 12.0}).items():
    METRICS[_name] = replace(METRICS[_name], greatest=_most)
# with the number of rows the averages of two versions tell what a row that came holds, as their sums do
for _name in "min max mean log_mean median sum range low_decile high_decile q25 q75".split():
    METRICS[_name] = replace(METRICS[_name], reveals=True)

_VALUES = "string number boolean time"
_SERIES = {
    "string number boolean time list binary other": "row_count complete_ratio",
    "string list binary": "filled_ratio",
    _VALUES: "dist_val_count unique_ratio top_ratio",
    "number time": "min max range median",
    "number": "nan_ratio mean sum std low_decile high_decile negative_ratio zero_ratio decimals log_mean log_std",
    "time": """ordered_ratio hour_mean time_span no_date_ratio full_second_ratio full_minute_ratio full_hour_ratio
        midnight_ratio""",
    "string": """str_len char_len digit_len punc_len upper_len space_len other_len min_len max_len len_std parsed_ratio
        garbled_ratio marked_ratio""",
}
for _kinds, _names in _SERIES.items():
    METRICS |= {name: replace(METRICS[name], series=frozenset(_kinds.split())) for name in _names.split()}

#: Those that a clause may ask for.
JUDGED = {name: metric for name, metric in METRICS.items() if metric.judged}
REVEALING = frozenset(name for name, metric in METRICS.items() if metric.reveals)


def reveals(name: str | None) -> bool:
    """Whether a metric tells a value of its column."""
    return name in REVEALING


def is_share(name: str | None) -> bool:
    """Whether a metric is a share, said in per cent."""
    return name in METRICS and METRICS[name].is_share


def nearest(name: str, value: float, to: float) -> float:
    """A metric's value; of one round a circle as many turns on or back as bring it nearest `to`.

    >>> nearest("hour_mean", 0.5, 23.0), nearest("hour_mean", 22.0, 1.0), nearest("mean", 0.5, 23.0)
    (24.5, -2.0, 0.5)
    """
    period = METRICS[name].period if name in METRICS else 0.0
    return value + period * round((to - value) / period) if period else value


def kept(name: str, kind: str) -> bool:
    """Whether a metric of one state is kept of the batches of columns of that kind."""
    return name in METRICS and kind in METRICS[name].series


def fingerprint() -> str:
    """Names the metrics that versions have, and of which kinds of columns: another one where a metric came or went."""
    told = ";".join(f"{name}:{','.join(sorted(metric.series))}" for name, metric in sorted(METRICS.items()))
    return hashlib.sha256(told.encode()).hexdigest()[:16]
