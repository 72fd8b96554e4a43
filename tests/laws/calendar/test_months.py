"""What comes on the same day of each month is expected then, and on no other day."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

import numpy as np

from catalog.history.series import TableMetrics
from catalog.history.times import months_before
from catalog.learners.series.history import learn_volume
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
