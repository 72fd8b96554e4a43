"""Times that move on otherwise than they do are told, those that do so by whose rows they are, or late, are not."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta

import numpy as np
import pyarrow as pa

from catalog.history.series import TableMetrics, observe_metrics, paced
from catalog.states.folding.fold import fold

#: Days of hiring, in two waves with years between them, the second one by a person smaller.
HIRED = [date(2009, 1, 5) + timedelta(days=7 * n) for n in range(40)] + [
    date(2021, 3, 1) + timedelta(days=7 * n) for n in range(39)
]


def observed(days: Sequence[Sequence[date | datetime]], waited: float = 1.0) -> TableMetrics:
    """The last of some batches, beside the others."""
    states = [fold(pa.table({"at": list(one)})) for one in days]
    past = [observe_metrics(now, before) for before, now in zip([None, *states], states, strict=False)]
    return paced(past[-1], past[:-1], waited)


def test_days_of_people_who_come_and_go_may_be_years_apart() -> None:
    """Two of the first wave leave, and the middle one is of the second."""
    left = observed([HIRED] * 6 + [HIRED[2:]])
    assert left.columns["at"]["time_leap"] > 4000
    assert left.columns["at"]["pace"] == 0.0


def test_a_median_moves_by_no_more_than_summaries_say() -> None:
    """Six hundred dates of birth, one more each day: a point of a summary stands for five of them, half a year."""
    born = np.random.default_rng(5).integers(-9_000, 11_000, 640)
    days = [[datetime(1970, 1, 1) + timedelta(days=int(one)) for one in born[: 600 + 4 * n]] for n in range(10)]
    leaps = [abs(observed(days[: n + 1]).columns["at"]["time_leap"]) for n in range(1, 10)]
    assert max(leaps) == 0.0
    off = [*days[:-1], [one + timedelta(days=2_000) for one in days[-1]]]
    assert observed(off).columns["at"]["time_leap"] > 1_000


def test_all_days_off_are_told_all_the_same() -> None:
    off = observed([HIRED] * 6 + [[one + timedelta(days=400) for one in HIRED]])
    assert off.columns["at"]["pace"] > 300


def loads(count: int) -> list[list[datetime]]:
    """What three loads a day bring: of the morning, the forenoon and the afternoon."""
    starts = [datetime(2026, 1, 5 + n // 3, (2, 6, 12)[n % 3]) for n in range(count)]
    return [[one + timedelta(minutes=minute) for minute in range(60)] for one in starts]


def test_the_first_load_of_a_day_that_comes_late_has_moved_by_its_own_step() -> None:
    assert observed(loads(13), waited=17 / 24).columns["at"]["pace"] < 0.01
    moved = [*loads(12), [one + timedelta(hours=3) for one in loads(13)[-1]]]
    assert round(24 * observed(moved, waited=14 / 24).columns["at"]["pace"]) == 3
