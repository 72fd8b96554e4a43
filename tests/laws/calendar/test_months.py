"""What comes on the same day of each month is expected then, and on no other day."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, time, timedelta

import numpy as np

from catalog.checks.drill import replay_learner
from catalog.history.calendar.months import months_before
from catalog.history.series import TableMetrics, column_series
from catalog.learners.series.history import learn_column, learn_volume
from catalog.learners.series.replayed import replay
from catalog.rules.kinds.history import HistoryRule
from catalog.rules.verdict import PASSED, VIOLATED

FIRST = date(2026, 1, 5)


def is_last(day: date) -> bool:
    return (day + timedelta(days=1)).month != day.month


def rows(day: date, seed: int = 0) -> int:
    usual = 100 + int(np.random.default_rng([seed, day.toordinal()]).integers(-8, 9))
    return 5 * usual if is_last(day) else usual


def past(until: date) -> list[TableMetrics]:
    days = (FIRST + timedelta(days=n) for n in range((until - FIRST).days))
    return [TableMetrics(rows(day), at=datetime.combine(day, time(3))) for day in days]


def judged(rule, series: list[TableMetrics], day: date, found: int) -> str:
    earlier = [one.of_table() for one in series]
    values = {"row_count": float(found)}
    if rule.judge_metrics(values, earlier).status == PASSED:
        return PASSED
    months = months_before([one.on for one in series], day)
    return rule.judge_metrics(values, earlier, months=months).status


def test_the_second_end_of_a_month_is_as_the_first() -> None:
    series = past(date(2026, 2, 28))
    rule = learn_volume([one for one in series if not is_last(one.on)], 0.001)
    assert judged(rule, series, date(2026, 2, 28), rows(date(2026, 2, 28))) == PASSED
    assert judged(rule, series, date(2026, 2, 27), 500) == VIOLATED
    assert judged(rule, series, date(2026, 2, 28), 5000) == VIOLATED


def test_after_three_months_their_ends_make_no_band_wider() -> None:
    series = past(date(2026, 4, 9))
    rule = learn_volume(series, 0.001)
    assert judged(rule, series, date(2026, 4, 9), 100) == PASSED
    assert judged(rule, series, date(2026, 4, 9), 300) == VIOLATED
    assert judged(rule, series, date(2026, 4, 30), 520) == PASSED
    two = learn_volume(series[40:], 0.001)  # of two ends of a month nobody knows whether they are a habit
    assert judged(two, series, date(2026, 4, 9), 300) == PASSED


def test_a_level_that_moved_once_for_good_is_no_habit_of_its_day() -> None:
    """Rows that were lost once are no reason to lose as many a month later."""
    series = [replace(one, rows=1960 if one.on < date(2026, 1, 9) else 1568) for one in past(date(2026, 2, 9))]
    rule = learn_volume(series, 0.001)
    assert judged(rule, series, date(2026, 2, 9), 1456) == VIOLATED


def of_amounts(day: date) -> dict[str, float]:
    amount = 40 + float(np.random.default_rng(day.toordinal()).normal(0, 1))
    return {"row_count": 100.0, "complete_ratio": 1.0, "mean": amount * (5 if is_last(day) else 1), "std": 8.0}


def test_backtests_and_replays_of_a_past_know_ends_of_months() -> None:
    """From the fourth end on each is beside three others, and bands are those of other days."""
    series = [replace(one, columns={"net": of_amounts(one.on)}) for one in past(date(2026, 7, 3))]
    ends = [at for at, one in enumerate(series) if is_last(one.on)]
    for column in (None, "net"):
        found = replay_learner(series, column=column, kind="number", budget=0.001, per_month=30)
        assert [at for at, _ in found.alarms] == ends[:1]
    days = [one.on for one in series]

    def learn(column: str, batches: int) -> HistoryRule | None:
        known = column_series(series, column)[:batches]
        return learn_column(known, column=column, kind="number", budget=0.001, days=days[:batches])

    assert replay(series, ["net"], learn, 0.001).alarms == 1
