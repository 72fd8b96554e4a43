"""How far the metrics of a batch are from the bands that a program of clauses gives them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from catalog.history.stationarity import Transform
from catalog.metrics.registry import METRICS, nearest
from catalog.metrics.words import whole
from catalog.rules.clauses.band import FILLS, MOST_ADDED, MOST_GONE, OF_ALL_ROWS, WILD, BandClause, filled, growth

#: Of a batch with few rows bands become at most so many times wider: what the tenth part of the usual rows needs.
#: A bound: the root of ten.
WIDEST_FEW = 3.2
#: Averages of characters of one kind, of which a text has no more than it is long.
OF_A_KIND = frozenset({"char_len", "digit_len", "punc_len", "upper_len", "space_len", "other_len"})
#: Shares of times that are others than in the batch before: over a hole nothing follows for them from what they are
#: from one batch to the next. A day that stays in a few late rows is not lost then, and later with all its rows.
RENEWED = frozenset({"new_values", "lost_values"})
FEW = 20  # rows below which one more or less is told as such: a bound, a twentieth of them each
POOLED = 3  # aspects that are named where all count together; a bound of length
#: A single row may be so many times the largest number that ever was. Chosen: a misplaced decimal point makes ten of
#: it, and on unseen tables four and five times as large was twice the right number of a row that was new.
OF_ONE_ROW = 10.0


@dataclass(frozen=True)
class Deviation:
    """One clause on one batch: `excess` is how far beyond its band the metric is, in half widths of the band (<= 0:
    inside), measured from `center`."""

    metric: str
    value: float
    low: float
    high: float
    excess: float
    center: float = math.nan


def deviation_of(
    clause: BandClause,
    values: Mapping[str, float],
    earlier: Sequence[Mapping[str, float]],
    last: Mapping[str, float],
    steps: int,
) -> Deviation | None:
    """A clause on a batch that is so many `steps` behind the `last` healthy one; None where it says nothing."""
    name, value = clause.metric, values.get(clause.metric)
    since = _compared_with(clause, earlier)
    if value is None or (clause.lag and since.get(name) is None):
        return None
    if steps > 1 and clause.kind == "time" and name in RENEWED:
        return None
    value = nearest(name, value, clause.middle)
    low, center, high = _band(clause, since, earlier, steps)
    if clause.log and clause.high >= WILD:
        high = math.inf  # only fewer are told
    down, up = _explained(clause, values, last)
    usual = filled(since) if clause.lag else clause.filled
    low, center, high = _with_accepted(clause, (low, center, high), last)
    low, high = _for_rows(name, (low - down, center, high + up), values, last, usual)
    if not math.isfinite(high) and not math.isfinite(low):
        return None
    if name == "max" and value > high and _of_one_row(value, values, last):
        high = max(high, OF_ONE_ROW * max(abs(one["max"]) for one in earlier if "max" in one))
    emptied = name == "row_count" and value <= 0 < low  # not a row fewer than may be counted, but none at all
    low, high = whole(name, low, high)
    low = max(low, 1.0) if emptied else low
    return Deviation(name, value, low, high, _excess(value, low, center, high), center)


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


def _explained(clause: BandClause, values: Mapping[str, float], last: Mapping[str, float]) -> tuple[float, float]:
    """How far down and up rows that were added since the `last` healthy batch, or taken away, may have moved a metric.

    Of a share a of the rows, with an average y where the others have x, the average of all is x + a (y - x). The
    clause's slack is as large as y - x may be. Of characters y - x is no less than -x, and of one kind new rows have no
    more than they have in all: where digits became letters in rows that nobody was to touch, or capitals small, a few
    new ones explain nothing of it.

    >>> last = {"row_count": 96.0, "str_len": 10.0, "digit_len": 4.0}
    >>> digits = BandClause("digit_len", low=3.5, high=4.5, slack=30.0)
    >>> new = ({"row_count": 100.0, "str_len": length} for length in (9.6, 10.0))  # 4 rows of no character, of 10 each
    >>> [[round(one, 3) for one in _explained(digits, now, last)] for now in new]
    [[0.16, 0.0], [0.16, 0.24]]
    """
    name, before = clause.metric, last.get(clause.metric)
    share = (added_rows if name in OF_ALL_ROWS else added_cells)(values, last)
    most = (clause.slack or 0.0) * share
    if not most or before is None or name not in ("str_len", *OF_A_KIND):
        return most, most
    less, more = min(most, share * before), most
    had, has = filled(last), filled(values)
    if name in OF_A_KIND and "str_len" in values and "str_len" in last:
        all_new = abs(has * values["str_len"] - had * last["str_len"])
        more = min(most, max(all_new / has - share * before, 0.0))
    return (less, more) if has > had else (more, less)


def _of_one_row(largest: float, values: Mapping[str, float], last: Mapping[str, float]) -> bool:
    """Whether the sum of a column became larger than that of the `last` healthy batch by less than two of its `largest`
    numbers: so many rows do not hold it.

    >>> before = {"row_count": 100.0, "mean": 3.0, "max": 9.0}
    >>> [_of_one_row(40.0, before | {"mean": mean, "max": 40.0}, before) for mean in (3.37, 3.74, 4.1)]
    [True, True, False]
    """
    if "mean" not in values or "mean" not in last:
        return False
    return filled(values) * values["mean"] - filled(last) * last["mean"] < 2 * largest


def _sum(low: float, center: float, high: float, times: float) -> tuple[float, float, float]:
    """The band of a sum of so many independent terms of that band."""
    wider = math.sqrt(times)
    return times * center - wider * (center - low), times * center, times * center + wider * (high - center)


def pooled(found: Sequence[Deviation], limit: float | None) -> list[Deviation]:
    """The findings, with narrower bands where all aspects together are too much for chance.

    An issue moves several metrics a little, healthy batches seldom do. How far the aspects (lengths, patterns, values,
    ...) are out, in half widths of their bands, may come to `limit` as the root of the sum of squares; beyond it the
    bands of the three that are furthest out shrink until each is as far out as all are together.
    """
    beyond, top = _together(found, limit)
    if beyond <= 1:
        return list(found)
    return [_narrower(f, beyond) if f in top and 0 < 1 + f.excess < beyond else f for f in found]


def furthest(found: Sequence[Deviation], limit: float | None) -> float:
    """How far out a batch is, in half widths: by one clause, or by all aspects together. `found` without pooling."""
    return max(1 + max((f.excess for f in found), default=-1.0), _together(found, limit)[0])


def _together(found: Sequence[Deviation], limit: float | None) -> tuple[float, list[Deviation]]:
    """(how far all aspects are out together, as a share of `limit`; the findings furthest out); (0, []) where not
    pooled."""
    aspects: dict[str, Deviation] = {}
    for f in sorted(found, key=lambda f: -f.excess):
        aspects.setdefault(METRICS[f.metric].aspect or f.metric, f)
    if limit is None or not aspects:
        return 0.0, []
    together = math.hypot(*(_counted(f) for f in aspects.values()))
    return together / limit, list(aspects.values())[:POOLED]


def _counted(f: Deviation) -> float:
    """How far an aspect is out, for the sum: what may go further alone counts for no more than its band there."""
    alone, out = METRICS[f.metric].alone, max(1 + f.excess, 0.0)
    return out if alone == 1 else min(out * alone, 1.0)


def _narrower(f: Deviation, beyond: float) -> Deviation:
    """The finding, out by `beyond` half widths; of one that is in its own band, the band shrinks to that."""
    if f.excess > 0:
        return replace(f, excess=beyond - 1)
    share = (1 + f.excess) / beyond
    low, high = _counts(f.metric, f.center - share * (f.center - f.low), f.center + share * (f.high - f.center))
    return replace(f, low=low, high=high, excess=beyond - 1)


def _counts(name: str, low: float, high: float) -> tuple[float, float]:
    """A band of a metric that counts rows, in to the whole rows that lie in it, where there are any: what is beyond it
    is beyond these.

    >>> _counts("dist_val_count", 309.2, 313.7), _counts("dist_val_count", 313.2, 313.7), _counts("mean", 309.2, 313.7)
    ((310.0, 313.0), (313.2, 313.7), (309.2, 313.7))
    >>> _counts("dist_val_count", 309.2, math.inf)  # only fewer are told
    (310.0, inf)
    """
    if METRICS[name].unit != "rows" or not math.isfinite(low) or math.ceil(low) > high:
        return low, high
    return float(math.ceil(low)), float(math.floor(high)) if math.isfinite(high) else high


def _for_rows(
    name: str,
    band: tuple[float, float, float],
    values: Mapping[str, float],
    last: Mapping[str, float],
    usual: float | None,
) -> tuple[float, float]:
    """The band (low, center, high) for a batch of other size than the `usual` filled rows: (low, high), never narrower.

    The number of rows is judged once, by the rule on the table. More rows bring at most as many more distinct values,
    fewer take at most as many away; the standard error of averages, distances and of the share of missing cells grows
    as 1 / sqrt(rows).

    >>> few = {"row_count": 40.0, "complete_ratio": 0.525}
    >>> [round(end, 2) for end in _for_rows("complete_ratio", (0.65, 0.7, 0.75), few, few, 280.0)]  # of 400 rows
    [0.54, 0.86]
    >>> [round(end, 2) for end in _for_rows("complete_ratio", (0.99, 1.0, 1.01), few, few, 400.0)]  # always filled
    [0.99, 1.01]
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
    if name == "complete_ratio":
        size = values.get("row_count", size)  # a column that lost its values is not one of few rows
        if low > 0 and high < 1:  # some cells are missing each time: of few rows the share is as rough as an average
            wider = min(max(math.sqrt(usual / center / size), 1.0), WIDEST_FEW)
    wider = max(wider, of_few(size, usual))
    return center - wider * (center - low), center + wider * (high - center)


def of_few(rows: float, usual: float) -> float:
    """How many times wider a band is for so few rows, each of which is a large part of them.

    >>> of_few(2.0, 6.0), of_few(20.0, 60.0)
    (3.0, 1.0)
    """
    return max(usual / rows, 1.0) if 0 < rows < FEW else 1.0


def added_rows(values: Mapping[str, float], last: Mapping[str, float]) -> float:
    """Share of the batch's rows that were added since the `last` healthy one, at most `MOST_ADDED`, or taken away, at
    most `MOST_GONE`.

    In a table whose rows are kept, that many rows may be new and different: a change that they explain is judged as a
    change of the number of rows, once, and not again in every column.
    """
    return _added(values.get("row_count", 0.0), last.get("row_count"))


def added_cells(values: Mapping[str, float], last: Mapping[str, float]) -> float:
    """The same of the rows that hold something in the column: what is said of values is said of these. Cells that were
    filled are rows that came, as many of those that were missing as may be at once (`FILLS`), and rows that came empty
    say nothing.

    >>> last = {"row_count": 400.0, "complete_ratio": 0.25}
    >>> added_cells(last | {"complete_ratio": 0.3125}, last), added_cells(last | {"row_count": 480.0}, last)
    (0.2, 0.166...)
    >>> added_cells(last | {"complete_ratio": 1.0}, last) == added_cells(last | {"complete_ratio": 0.4}, last)
    True
    >>> added_cells({"row_count": 500.0, "complete_ratio": 0.2}, last), added_cells(last, {})
    (0.0, 0.0)
    """
    if "row_count" not in last:
        return 0.0
    before, rows = filled(last), max(values.get("row_count", 0.0) - last["row_count"], 0.0)
    return _added(min(filled(values), before + rows + FILLS * (last["row_count"] - before)), before)


def _added(now: float, before: float | None) -> float:
    if not now or before is None:
        return 0.0
    return min(max(now - before, 0.0) / now, MOST_ADDED) or min(max(before - now, 0.0) / now, MOST_GONE)


def came_back(one: Deviation, series: Sequence[Mapping[str, float]], at: int) -> bool:
    """Whether the metric was nearer to what it was before in any batch after that of a finding: a level that moved once
    for good is no habit of its place in the month.

    >>> one = Deviation("row_count", 50.0, 90.0, 110.0, 4.0, 100.0)
    >>> series = [[{"row_count": rows} for rows in (100.0, 50.0, later)] for later in (60.0, 80.0)]
    >>> [came_back(one, past, 1) for past in series]
    [False, True]
    """
    was = next((past[one.metric] for past in reversed(series[:at]) if one.metric in past), one.value)
    middle = (was + one.value) / 2
    return any((past[one.metric] - middle) * (was - middle) >= 0 for past in series[at + 1 :] if one.metric in past)


def beside(now: Deviation, then: Sequence[tuple[Deviation, bool]]) -> Deviation:
    """A finding, its band wider by how far the metric was from its center in earlier batches, in half widths, on either
    side: what was so at the same place of another month may be so again, and as far off as usual.

    Parameters
    ----------
    then : findings at that place, and whether the metric `came_back` from each. Of those from which it did not the
        second furthest counts: one is no habit.

    >>> now, then = (Deviation("mean", x, -1.0, 1.0, x - 1.0, 0.0) for x in (5.0, 4.0))
    >>> beside(now, [(then, True)]), beside(now, [(replace(then, value=-4.0), True)]).high
    (Deviation(metric='mean', value=5.0, low=-1.0, high=5.0, excess=0.0, center=0.0), 1.0)
    >>> beside(now, [(then, False)]).high, beside(now, [(then, False)] * 2).high
    (1.0, 5.0)
    """

    def reach(above: bool) -> float:
        side = [(1 + one.excess, back) for one, back in then if (one.value >= one.center) is above]
        stayed = sorted((out for out, back in side if not back), reverse=True)
        return max([0.0, *stayed[1:2], *(out for out, back in side if back)])

    low = now.low - reach(False) * (now.center - now.low) if math.isfinite(now.low) else now.low
    high = now.high + reach(True) * (now.high - now.center) if math.isfinite(now.high) else now.high
    is_distance = METRICS[now.metric].sides == "high" and not math.isfinite(now.low)
    if (low, high) == (now.low, now.high) or math.isnan(low + high) or is_distance:
        return now
    return replace(now, low=low, high=high, excess=_excess(now.value, low, now.center, high))


def within(found: Deviation, clause: BandClause) -> Deviation:
    """A finding whose band ends where the column's values do; what is beyond these is out by how far it is from the
    center, against how far they can be.

    >>> latitude = BandClause("max", center=75.0, low=-1250.0, high=1400.0, least=-90.0, most=90.0)
    >>> within(Deviation("max", 180.0, -1250.0, 1400.0, -0.92, 75.0), latitude)
    Deviation(metric='max', value=180.0, low=-90.0, high=90.0, excess=6.0, center=75.0)
    >>> within(Deviation("max", 80.0, -1250.0, 1400.0, -0.99, 75.0), latitude).excess
    -0.99
    """
    low = found.low if clause.least is None else max(found.low, clause.least)
    high = found.high if clause.most is None else min(found.high, clause.most)
    if low <= found.value <= high:
        return replace(found, low=low, high=high)
    return replace(found, low=low, high=high, excess=max(found.excess, _excess(found.value, low, found.center, high)))


def _excess(value: float, low: float, center: float, high: float) -> float:
    """Distance beyond the band in half widths; negative inside."""
    if (value >= center and math.isfinite(high)) or not math.isfinite(low):
        return (value - high) / max(high - center, 1e-12)
    return (low - value) / max(center - low, 1e-12)


def of_next_load(values: Mapping[str, float], past: Sequence[Mapping[str, float]]) -> Mapping[str, float]:
    """The metrics of a table's second load that its first one foretells. That may hold years: it does not say how much
    comes at once, nor, of what only some of its rows hold, how many do, which may come with their age, as the day on
    which an order was delivered does.

    >>> values = {"row_count": 9.0, "complete_ratio": 0.0, "log_mean": 1.0}
    >>> [list(of_next_load(values, [{"complete_ratio": share}])) for share in (1.0, 0.9)]
    [['complete_ratio', 'log_mean'], ['log_mean']]
    """
    partly = any(one.get("complete_ratio", 1.0) < 1 for one in past)
    told = (name for name in values if METRICS[name].unit != "rows" and not (partly and name == "complete_ratio"))
    return {name: values[name] for name in told}
