"""Times that grow from batch to batch: which day they are of, and when of the day, is foreseen; on any table."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest
from past import observed

from catalog.causes.diagnose import diagnose
from catalog.damage.times import shifted, swap_day_month
from catalog.history.series import observe_metrics, paced
from catalog.learners.series.history import learn_history, unused_in
from catalog.rules.kinds.history import HistoryRule
from catalog.rules.verdict import PASSED, VIOLATED, Batch, Verdict
from catalog.states.folding.fold import fold
from catalog.states.metrics import metrics

START = datetime(2026, 3, 2, tzinfo=UTC)
DAYS = 32  # the next one is the third of April
Times = list[datetime]


def day(number: int, middle: float, step: float = 1.0, rows: int = 600) -> Times:
    rng = np.random.default_rng([5, number])
    return [START + timedelta(days=step * number, hours=float(h)) for h in rng.normal(middle, 2.5, rows)]


def judged(middle: float, change: Callable[[Times], Times], step: float = 1.0) -> tuple[HistoryRule, Batch, Verdict]:
    """What a rule on a month of batches says of the next one, changed."""
    states = [fold(pa.table({"at": day(k, middle, step)})) for k in range(DAYS)]
    series = observed(states)
    rules = learn_history(series, kinds={"at": "time"}, unused=unused_in(states[-1]), budget=0.001)
    (rule,) = (one for one in rules if one.column == "at")
    now = fold(pa.table({"at": pa.array(change(day(DAYS, middle, step)), pa.timestamp("us", tz="UTC"))}))
    batch = Batch(DAYS, "increment", now, states[-1], [], START, series)
    return rule, batch, rule.judge(batch)


def exchanged(times: Times) -> Times:
    return [swap_day_month(t) or t for t in times]


def an_hour_on(times: Times) -> Times:
    return [t + timedelta(hours=1.5) for t in times]


def some_unfilled(times: Times) -> Times:
    return [datetime(1970, 1, 1, tzinfo=UTC) if k % 30 == 0 else t for k, t in enumerate(times)]


def some_years_back(times: Times) -> Times:
    return [t - timedelta(days=3653) if k % 5 == 0 else t for k, t in enumerate(times)]


@pytest.mark.parametrize("middle", [0.2, 13.0, 23.5])
@pytest.mark.parametrize(
    ("change", "metric"),
    [
        (exchanged, "time_leap"),
        (an_hour_on, "hour_mean"),
        (some_unfilled, "no_date_ratio"),
        (some_years_back, "time_span"),
    ],
)
def test_what_happens_to_times_is_seen(middle: float, change: Callable[[Times], Times], metric: str) -> None:
    """Around midnight too, where hours of the day begin again."""
    _, _, verdict = judged(middle, change)
    assert verdict.status == VIOLATED
    assert metric in verdict.observed


@pytest.mark.parametrize("middle", [0.2, 6.0, 13.0, 23.5])
@pytest.mark.parametrize("late", [0, 7])
def test_a_delivery_that_is_late_by_a_week_is_no_fault_of_its_times(middle: float, late: int) -> None:
    _, _, verdict = judged(middle, lambda times: [t + timedelta(days=late) for t in times])
    assert verdict.status != VIOLATED, verdict.sentence


def test_deliveries_a_month_apart_may_skip_one() -> None:
    _, _, verdict = judged(13.0, lambda times: [t + timedelta(days=30) for t in times], step=30.0)
    assert "time_leap" not in verdict.observed or verdict.status != VIOLATED


def test_the_cause_is_named() -> None:
    for change, cause in ((exchanged, "day_month"), (lambda times: [shifted(3)(t) for t in times], "time_zone")):
        rule, batch, verdict = judged(13.0, change)
        (found,) = diagnose("parcels", batch, [(rule, verdict)], rules=[rule])
        assert found.cause.cause == cause


def test_the_average_time_of_day_is_said_as_one() -> None:
    _, _, verdict = judged(23.9, lambda times: [t + timedelta(hours=3) for t in times])
    assert "average time of day is 02:45, expected 23:25 to 00:22" in verdict.sentence
    low, high = verdict.expected["hour_mean"]
    assert low < 0 < high < verdict.observed["hour_mean"]  # one line, on both sides of midnight


def test_when_something_ran_is_no_time_of_day() -> None:
    """All rows of a load have its time: how late it was is for freshness to say."""
    loaded = fold(pa.table({"at": [START + timedelta(hours=3, seconds=k) for k in range(50)]}))
    assert "hour_mean" not in metrics(loaded.columns["at"])


def kept_rows(until: int, hours: float = 0.0) -> dict[str, Times]:
    """A table that keeps its rows: most began with it, some come each day, and a few of those end some days later."""
    began = [START] * 500
    began += [START + timedelta(days=number, minutes=k) for number in range(1, until + 1) for k in range(20)]
    ended = [at + timedelta(days=9) if at < START + timedelta(days=until - 9) and k % 5 == 0 else None
             for k, at in enumerate(began)]  # fmt: skip
    later = timedelta(hours=hours)
    return {"began": [at + later for at in began], "ended": [at and at + later for at in ended]}


def test_the_median_of_kept_rows_may_leave_those_that_the_table_began_with() -> None:
    """It stands still for four weeks and goes half a day a day from then on; all times two hours off are told."""
    kind = pa.timestamp("us", tz="UTC")
    states = [fold(pa.table({name: pa.array(at, kind) for name, at in kept_rows(n).items()})) for n in range(36)]
    series = [observe_metrics(states[0], None)]
    for number in range(1, 22):
        series.append(paced(observe_metrics(states[number], states[number - 1]), series, 1.0))
    learned = learn_history(series, kinds={"began": "time"}, unused=unused_in(states[21]), budget=0.001)
    (rule,) = (one for one in learned if one.column)
    for number in range(22, 36):
        batch = Batch(number, "snapshot", states[number], states[number - 1], [], START, series, waited=1.0)
        assert rule.judge(batch).status == PASSED, rule.judge(batch).sentence
        series.append(paced(observe_metrics(states[number], states[number - 1]), series, 1.0))
    off = fold(pa.table({name: pa.array(at, kind) for name, at in kept_rows(36, 2.0).items()}))
    assert rule.judge(Batch(36, "snapshot", off, states[35], [], START, series, waited=1.0)).status == VIOLATED


def test_batches_of_an_hour_go_over_to_the_next_day_at_midnight() -> None:
    """A stream's first night: which day of the week a batch is of was the same for a day."""
    kind = pa.timestamp("us", tz="UTC")
    states = [
        fold(pa.table({"at": pa.array([START + timedelta(hours=n, minutes=k / 5) for k in range(300)], kind)}))
        for n in range(30)
    ]
    series = [observe_metrics(states[0], None)]
    for number in range(1, 24):
        series.append(paced(observe_metrics(states[number], states[number - 1]), series, 1 / 24))
    learned = learn_history(series, kinds={"at": "time"}, unused=unused_in(states[23]), budget=0.001)
    (rule,) = (one for one in learned if one.column)
    for number in range(24, 30):
        batch = Batch(number, "increment", states[number], states[number - 1], [], START, series, waited=1 / 24)
        assert rule.judge(batch).status == PASSED, rule.judge(batch).sentence
        series.append(paced(observe_metrics(states[number], states[number - 1]), series, 1 / 24))
