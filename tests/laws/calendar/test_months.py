"""What comes on the same day of each month is expected then, and on no other day."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np

from catalog.history.series import TableMetrics, paced
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
    return [TableMetrics(rows(day), on=day) for day in days]


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


def test_one_day_of_many_rows_hides_no_day_of_few() -> None:
    usual = [100 + int(np.random.default_rng(n).integers(-8, 9)) for n in range(60)]
    spiked = [TableMetrics(rows) for rows in [*usual[:45], 600, *usual[46:]]]
    for past in ([TableMetrics(rows) for rows in usual], spiked):
        rule, earlier = learn_volume(past, 0.001), [one.of_table() for one in past]
        assert rule.judge_metrics(paced(TableMetrics(93), past, 1.0).of_table(), earlier).status == PASSED
        assert rule.judge_metrics(paced(TableMetrics(45), past, 1.0).of_table(), earlier).status == VIOLATED
    told = rule.judge_metrics(paced(TableMetrics(45), spiked, 1.0).of_table(), earlier)
    assert (told.metric, told.p_value < 0.001) == ("shortfall", True)  # the week's budget has room for it


def test_what_is_usual_on_a_day_of_the_week() -> None:
    week = (100, 105, 98, 102, 130, 45, 35)
    past = [TableMetrics(week[n % 7] + n % 3) for n in range(70)]
    rule = learn_volume(past, 0.001)
    for day, rows in enumerate(week):
        later = [*past, *past[:day]]
        now = paced(TableMetrics(rows // 2), later, 1.0)
        assert rule.judge_metrics(now.of_table(), [one.of_table() for one in later]).status == VIOLATED, day
