"""Phrases of metrics: how each is said of a batch, what its change is called, and what of a batch it looks at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from catalog.metrics.registry import METRICS

ALIKE = "since the batch before"


@dataclass(frozen=True)
class Saying:
    """How a metric is said.

    Parameters
    ----------
    form : a sentence with a place for the figure, or for the band that it should be in.
    of : how the figure is made of the metric: ``rest`` what is left of all, ``half`` of it, a ``share`` as it is, a
        ``factor`` of the decimal logarithm, the ``part`` that one is of it; empty where it is the metric itself.
    abstract : whether it is said only where nothing plainer broke.
    noun : what it is called where its change is told; empty where that is its name.
    """

    form: str
    of: str = ""
    abstract: bool = False
    noun: str = ""


SAYINGS = {
    "row_count": Saying("{} rows"),
    "shortfall": Saying(
        "the rows come to {} of their usual number", "part", True, noun="rows against their usual number"
    ),
    "complete_ratio": Saying("{} of the rows are null", "rest", noun="share of null rows"),
    "filled_ratio": Saying("{} of the rows are null or empty", "rest", noun="share of null or empty rows"),
    "zero_ratio": Saying("{} of the numbers are zero"),
    "negative_ratio": Saying("{} of the numbers are negative"),
    "parsed_ratio": Saying("{} of the texts are numbers"),
    "garbled_ratio": Saying("{} of the texts have letters that a wrong encoding garbled"),
    "marked_ratio": Saying("{} of the texts are a word for a missing value (N/A, null and the like)"),
    "nan_ratio": Saying("{} of the numbers are NaN"),
    "no_date_ratio": Saying("{} of the times are placeholders (1970-01-01, 9999-12-31 and the like)"),
    "ordered_ratio": Saying("{} of the times are before those in the time column to the left", "rest"),
    "dist_val_count": Saying("{} different values"),
    "unique_ratio": Saying("different values come to {} of the rows", noun="different values per row"),
    "top_ratio": Saying("the most frequent value is in {} of the rows", noun="share of the most frequent value"),
    "new_values": Saying(f"{{}} of the rows have values that are new {ALIKE}"),
    "lost_values": Saying("{} of the rows of the batch before had values that are gone"),
    "rewritten_ratio": Saying(f"{{}} of the rows have values that are written another way {ALIKE}"),
    "reused_ratio": Saying("{} of the identifiers were in the batch before"),
    "duplicate_ratio": Saying("{} of the rows are duplicates"),
    "repeated_ratio": Saying("{} of the rows were in the batch before"),
    "Pat_new": Saying(f"{{}} of the rows have values of a form that is new {ALIKE}"),
    "Pat_wide": Saying("{} of the places in values hold characters that none held in the batch before", "", True),
    "mean": Saying("the average is {}", noun="average"),
    "median": Saying("the median is {}"),
    "std": Saying("the standard deviation is {}", "", True),
    "low_decile": Saying("a tenth of the numbers are below {}"),
    "high_decile": Saying("a tenth of the numbers are above {}"),
    "min": Saying("the smallest is {}"),
    "max": Saying("the largest is {}"),
    "KS_dist": Saying(f"{{}} of the rows moved up or down {ALIKE}", "share", True),
    "L_1": Saying(f"{{}} of the rows went over to other values {ALIKE}", "half"),
    "L_inf": Saying(f"the share of one value changed by {{}} of the rows {ALIKE}", "", True),
    "JS_div": Saying("the mix of values differs by {} from the batch before (0: not at all, 1: in all)", "", True),
    "Chisquared": Saying(
        "the shares of values differ by {} from the batch before (0: not at all, 1: in all)", "", True
    ),
    "Pat_L_1": Saying(f"{{}} of the rows went over to other forms {ALIKE}", "half"),
    "Pat_L_inf": Saying(f"the share of one form changed by {{}} of the rows {ALIKE}", "", True),
    "log_EMD": Saying(f"numbers went up or down by a factor of {{}} on average {ALIKE}", "factor", True),
    "log_mean": Saying("numbers are of the order of {}", "factor", True, noun="size of the numbers"),
    "log_std": Saying("numbers differ in size by {} powers of ten (deviation)", "", True, noun="spread of sizes"),
    "hour_EMD": Saying(f"times of day moved by {{}} hours {ALIKE}"),
    "hour_turn": Saying("all times of day are {} hours off those of the batch before"),
    "weekday_L_1": Saying(f"{{}} of the rows went over to other days of the week {ALIKE}", "half"),
    "hour_mean": Saying("the average time of day is {}"),
    "full_second_ratio": Saying("{} of the times have no fraction of a second"),
    "full_minute_ratio": Saying("{} of the times have no seconds"),
    "full_hour_ratio": Saying("{} of the times are on the hour"),
    "midnight_ratio": Saying("{} of the times are at midnight, as dates are"),
    "gap": Saying("{} hours since the time column to the left (medians)"),
    "time_leap": Saying(f"times moved on by {{}} days {ALIKE}", noun="days by which times moved on"),
    "time_span": Saying("eight of ten times lie within {} days"),
    "pace": Saying("times moved on by {} days more or less than usual, and than between deliveries"),
    "stray": Saying("times lie {} times as far outside of all before as these span (a year at least)"),
    "decimals": Saying("{} decimal places on average"),
    "str_len": Saying("{} characters on average"),
    "len_std": Saying("lengths have a standard deviation of {} characters", "", True),
    "char_len": Saying("{} letters on average"),
    "digit_len": Saying("{} digits on average"),
    "punc_len": Saying("{} punctuation marks on average"),
    "upper_len": Saying("{} capital letters on average"),
    "space_len": Saying("{} white-space characters on average"),
    "other_len": Saying("{} characters beyond ASCII on average"),
    "nonconforming": Saying("{} of the values do not conform"),
}
#: What ends of columns of times are called.
OF_TIMES = {"min": Saying("the earliest is {}"), "max": Saying("the latest is {}")}
#: Of times these are points in time, not numbers.
DATES = frozenset({"min", "max", "median"})
#: What metrics look at, by their aspect or, without one, by their name: the words of the trade for it.
LOOKS_AT = {
    "row_count": "number of rows",
    "shortfall": "number of rows",
    "filled": "completeness",
    "distinct": "distinct values",
    "sizes": "average, range",
    "shape": "distribution",
    "values": "frequent values, new values",
    "patterns": "format",
    "lengths": "length",
    "marks": "zeros, signs, placeholders",
    "decimals": "decimal places",
    "nan_ratio": "NaN",
    "dates": "dates",
    "calendar": "time of day, weekday",
    "exactness": "times cut to hours or days",
    "ordered_ratio": "order in time",
    "gap": "time since the column to the left",
    "rewritten_ratio": "spelling",
    "duplicate_ratio": "duplicates",
    "repeated_ratio": "repeated rows",
    "unchanged": "repeated rows",
}


def looked_at(names: Iterable[str]) -> str:
    """What of a batch some metrics look at, in words of the trade.

    >>> looked_at(["complete_ratio", "filled_ratio", "str_len", "dist_val_count"]), looked_at(["unchanged"])
    ('completeness, distinct values and length', 'repeated rows')
    """
    found = {(METRICS[name].aspect if name in METRICS else "") or name for name in names}
    known = [words for aspect, words in LOOKS_AT.items() if aspect in found]
    *some, last = ", ".join(dict.fromkeys([*known, *sorted(map(called, found - LOOKS_AT.keys()))])).split(", ")
    return f"{', '.join(some)} and {last}" if some else last


def named(names: Iterable[str]) -> list[str]:
    """Metrics in the order in which a sentence names them: of each aspect one, the first that is said plainly; those
    that are not only where nothing is.

    >>> named(["JS_div", "complete_ratio", "Pat_new", "filled_ratio", "Pat_L_1", "std"]), named(["JS_div", "std"])
    (['complete_ratio', 'Pat_new'], ['JS_div', 'std'])
    """
    first: dict[str, str] = {}
    for name in sorted(names, key=lambda name: name not in SAYINGS or SAYINGS[name].abstract):
        first.setdefault((METRICS[name].aspect if name in METRICS else "") or name, name)
    found = list(first.values())
    return [name for name in found if name in SAYINGS and not SAYINGS[name].abstract] or found


def is_date(name: str, kind: str) -> bool:
    """Whether a metric of a column of that kind is a point in time."""
    return kind == "time" and name in DATES


def heads(name: str) -> tuple[str, ...]:
    """All that a sentence about a metric may begin with, those of older releases too."""
    said = (one.form.partition("{}")[0] for one in (SAYINGS.get(name), OF_TIMES.get(name)) if one is not None)
    return tuple(one for one in (METRICS[name].words, *said) if one)


def hidden(name: str, said: str = "is not as expected") -> str:
    """What is said of a metric that tells values of a sensitive column, and why no figure is.

    >>> hidden("mean")
    'average is not as expected (hidden, since the column is sensitive)'
    """
    return f"{called(name)} {said} (hidden, since the column is sensitive)"


def called(name: str) -> str:
    """What a metric is called where its change is told."""
    return (SAYINGS[name].noun if name in SAYINGS else "") or _noun(name)


def saying_of(name: str, kind: str) -> Saying:
    """How a metric of a column of that kind is said."""
    if kind == "time" and name in OF_TIMES:
        return OF_TIMES[name]
    return SAYINGS.get(name) or Saying(f"{_noun(name)} is {{}}", "", True)


def _noun(name: str) -> str:
    return METRICS[name].words if name in METRICS else name
