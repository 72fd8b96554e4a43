"""How many rows usually come: by the last batches, and by those of the same time of other days and weeks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest

from catalog.causes.case import Case
from catalog.history.series import TableMetrics, paced
from catalog.learners.series.history import learn_volume
from catalog.rules.verdict import PASSED, VIOLATED, Batch, Verdict
from catalog.states.folding.fold import fold

FIRST = datetime(2026, 1, 5, 3, tzinfo=UTC)
WEEK = (100, 105, 98, 102, 130, 45, 35)
EVEN = [100 + int(np.random.default_rng(n).integers(-8, 9)) for n in range(60)]


def batches(rows: Sequence[int], days: Sequence[float]) -> list[TableMetrics]:
    return [TableMetrics(n, at=FIRST + timedelta(days=day)) for n, day in zip(rows, days, strict=True)]


def told(past: list[TableMetrics], rows: int, day: float) -> Verdict:
    """The verdict on a batch behind others, by what was learned from these."""
    (last,) = batches([rows], [day])
    rule = learn_volume(past, 0.001)
    return rule.judge_metrics(paced(last, past, 1.0).of_table(), [one.of_table() for one in past])


@pytest.mark.parametrize("spiked", [EVEN, [*EVEN[:45], 600, *EVEN[46:]]])
def test_one_day_of_many_rows_hides_no_day_of_few(spiked: list[int]) -> None:
    past = batches(spiked, range(60))
    assert told(past, 93, 60).status == PASSED
    assert told(past, 45, 60).status == VIOLATED


def test_the_week_has_room_for_a_day_of_few_rows() -> None:
    verdict = told(batches([*EVEN[:45], 600, *EVEN[46:]], range(60)), 45, 60)
    assert (verdict.metric, verdict.p_value < 0.001) == ("shortfall", True)


def test_what_is_usual_on_a_day_of_the_week() -> None:
    rows = [WEEK[n % 7] + n % 3 for n in range(77)]
    for day in range(70, 77):
        past = batches(rows[:day], range(day))
        assert told(past, rows[day] // 2, day).status == VIOLATED, day
        assert told(past, rows[day] * 2, day).status == VIOLATED, day
        assert told(past, rows[day], day).status == PASSED, day


@pytest.mark.parametrize("rows", [10, 90])
def test_what_was_usual_is_said_of_that_day_of_the_week(rows: int) -> None:
    """Of too few as of too many: no other day's number, and not the most that ever came."""
    past = batches([WEEK[n % 7] + n % 3 for n in range(69)], range(69))
    verdict = told(past, rows, 69)
    assert "shortfall" in verdict.observed
    sunday = fold(pa.table({"x": pa.array(range(rows))}))
    batch = Batch(69, "increment", sunday, None, [], FIRST + timedelta(days=69), past)
    usual = Case("sales", batch, {"": [verdict]}, {}, ()).usual()
    assert 35 <= usual["row_count"] <= 36


def test_working_days_are_compared_with_those_of_other_weeks() -> None:
    """Five batches a week, one week four: seven batches before, or five, is another day of the week."""
    days = [n // 5 * 7 + n % 5 for n in range(60) if n != 47]
    rows = {0: 400, 1: 90, 2: 100, 3: 95, 4: 250}
    came = [rows[day % 7] + day % 4 for day in days]
    for at in range(52, 59):
        past = batches(came[:at], days[:at])
        assert told(past, came[at], days[at]).status == PASSED, at
        assert told(past, came[at] // 2, days[at]).status == VIOLATED, at
        assert told(past, came[at] * 2, days[at]).status == VIOLATED, at


def test_many_batches_a_day() -> None:
    """Six batches a day, of which one has many rows."""
    days = [n / 6 + 0.004 * (n % 2) for n in range(60)]
    came = [(20, 30, 400, 150, 60, 40)[n % 6] + n % 3 for n in range(66)]
    past = batches(came[:60], days)
    for at in range(60, 66):
        assert told(past, came[at], at / 6).status == PASSED, at
        assert told(past, came[at] * 2, at / 6).status == VIOLATED, at
        past += batches([came[at]], [at / 6])


def test_a_day_after_holidays_is_not_one_of_many_rows() -> None:
    """Two Fridays of half the rows, a week apart: the one after them is as Fridays were before."""
    rows = [WEEK[n % 7] + n % 3 for n in range(60)]
    friday = 4 + 7 * 7
    rows[friday - 14] //= 2
    rows[friday - 7] //= 2
    past = batches(rows[:friday], range(friday))
    assert told(past, rows[friday], friday).status == PASSED
    assert told(past, rows[friday] * 2, friday).status == VIOLATED


def test_of_loads_of_any_size_nothing_is_asked_that_nobody_would_sign() -> None:
    """Of one row to a hundred thousand: that at least 0.0024% of the usual number come is no demand."""
    rows = [int(10 ** np.random.default_rng(n).uniform(0, 5)) for n in range(40)]
    rule = learn_volume(batches(rows, range(40)), 0.001)
    assert rule is None or "usual number" not in rule.sentence
