"""Times that were cut short, in a few rows too, and clocks in another zone where the batch before says little."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from past import observed

from catalog.causes.diagnose import Diagnosis, diagnose
from catalog.damage.times import cut_to, shifted
from catalog.history.series import TableMetrics
from catalog.learners.series.history import learn_history, unused_in
from catalog.rules.kinds.history import HistoryRule
from catalog.rules.rule import Rule
from catalog.rules.verdict import VIOLATED, Batch, Verdict
from catalog.states.folding.fold import fold
from catalog.states.metrics import WHOLE, metrics
from catalog.states.table import TableState

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
DAYS = 20
Change = Callable[[Any], Any]


def load(day: int, rows: int = 400, exact: int = 1) -> list[datetime]:
    """A day's times: a peak in the morning and one in the evening, to so many microseconds."""
    rng = np.random.default_rng([11, day])
    hours = np.where(rng.random(rows) < 0.5, rng.normal(8, 1.5, rows), rng.normal(17.5, 1.5, rows))
    micros = (hours * 3_600_000_000).astype(np.int64) // exact * exact
    return [MONDAY + timedelta(days=day, microseconds=int(m)) for m in micros]


def state_of(times: list[Any]) -> TableState:
    return fold(pa.table({"at": pa.array(times, pa.timestamp("us", tz="UTC"))}))


def series_of(states: list[TableState]) -> list[TableMetrics]:
    return observed(states)


def rule_of(series: list[TableMetrics], last: TableState) -> HistoryRule:
    rules = learn_history(series, kinds={"at": "time"}, unused=unused_in(last), budget=0.001)
    (rule,) = (one for one in rules if one.column == "at")
    return rule


def judged(change: Change, share: float, exact: int = 1) -> tuple[Verdict, list[Diagnosis]]:
    """What is said of a day in which so many times were changed."""
    states = [state_of(load(day, exact=exact)) for day in range(DAYS)]
    series = series_of(states)
    rule = rule_of(series, states[-1])
    times = load(DAYS, exact=exact)
    step = round(1 / share)
    now = state_of([(change(t) or t) if k % step == 0 else t for k, t in enumerate(times)])
    batch = Batch(DAYS, "increment", now, states[-1], [], MONDAY, series, waited=1.0)
    verdict = rule.judge(batch)
    pairs: list[tuple[Rule, Verdict]] = [(rule, verdict)] if verdict.status == VIOLATED else []
    return verdict, diagnose("visits", batch, pairs, rules=[rule])


def midnight(value: datetime) -> datetime:
    return value.replace(hour=0, minute=0, second=0, microsecond=0)


@pytest.mark.parametrize("exact", [1, 1_000_000])
def test_a_healthy_day_is_healthy(exact: int) -> None:
    assert judged(lambda t: t, 1.0, exact)[0].status != VIOLATED


@pytest.mark.parametrize("exact", [1, 1_000_000])
@pytest.mark.parametrize("share", [1.0, 0.2, 0.05])
def test_a_time_of_day_that_was_lost_is_told(share: float, exact: int) -> None:
    verdict, (found,) = judged(midnight, share, exact)
    assert "midnight_ratio" in verdict.observed
    assert found.cause.cause == "time_lost"
    assert found.cause.size["share"] == pytest.approx(share, abs=0.02)
    assert "Times in `visits.at` are at midnight, as dates are" in found.cause.sentence


@pytest.mark.parametrize(
    ("unit", "exact", "metric"),
    [("hour", 1, "full_hour_ratio"), ("minute", 1_000_000, "full_minute_ratio"), ("second", 1, "full_second_ratio")],
)
@pytest.mark.parametrize("share", [1.0, 0.2])
def test_times_that_were_cut_are_told(unit: str, exact: int, metric: str, share: float) -> None:
    verdict, (found,) = judged(cut_to(unit), share, exact)
    assert metric in verdict.observed
    assert found.cause.cause == "time_cut"
    assert f"Times in `visits.at` are cut to whole {unit}s" in found.cause.sentence


@pytest.mark.parametrize("hours", [1, 2, 5, -7, 12])
def test_a_clock_in_another_zone_is_told_with_its_hours(hours: int) -> None:
    """Of two peaks the one moves to where the other was: no average tells it."""
    verdict, (found,) = judged(shifted(hours), 1.0)
    assert verdict.observed["hour_turn"] == abs(hours)
    assert (found.cause.cause, found.cause.size["hours"] % 24) == ("time_zone", hours % 24)
    assert "Probably local time taken for UTC, or the reverse." in found.cause.sentence


def test_times_that_are_always_whole_or_never_say_nothing_of_others() -> None:
    """Finer times than ever are no fault: only those that lost something are."""
    verdict, _ = judged(lambda t: t + timedelta(microseconds=1), 1.0, exact=3_600_000_000)
    assert not set(verdict.observed) & set(WHOLE) or verdict.status != VIOLATED


def test_what_ran_at_one_time_is_whole_by_chance() -> None:
    ran = [state_of([MONDAY + timedelta(days=day, hours=3, seconds=7 * day + 1)] * 60) for day in range(DAYS)]
    assert not set(rule_of(series_of(ran), ran[-1]).metrics) & {*WHOLE, "hour_turn"}
    assert metrics(state_of([MONDAY] * 60).columns["at"])["midnight_ratio"] == 1.0


def test_metrics_of_earlier_releases_have_none_of_it() -> None:
    """A past in which nobody counted says nothing: no clause, no finding, until enough batches were counted."""
    states = [state_of(load(day)) for day in range(DAYS)]
    new = {*WHOLE, "hour_turn"}
    earlier = [
        replace(one, columns={"at": {name: value for name, value in one.columns["at"].items() if name not in new}})
        for one in series_of(states)
    ]
    assert not set(rule_of(earlier, states[-1]).metrics) & new
    mixed = [*earlier[:-3], *series_of(states)[-3:]]
    rule = rule_of(mixed, states[-1])
    assert not set(rule.metrics) & new
    now = state_of([midnight(t) for t in load(DAYS)])
    assert not set(rule.judge(Batch(DAYS, "increment", now, states[-1], [], MONDAY, mixed)).observed) & new
