"""Times far outside of all that a column ever held: a wrong year, a placeholder where none was; and those that are
late, foreseen, or corrected years ago, of which nothing is told."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from catalog.causes.cause import Cause
from catalog.causes.diagnose import diagnose
from catalog.history.series import Past, observe_metrics, paced
from catalog.learners.series.history import learn_history, unused_in
from catalog.rules.verdict import VIOLATED, Batch, Verdict
from catalog.states.folding.fold import fold
from catalog.states.table import TableState

DAYS, ROWS = 24, 600
START = date(2026, 3, 2)


def bookings(day: int, **set_to: Any) -> pa.Table:
    """What a bank books on a day: when it counts, when it was typed in, and when the customer was born; the first
    rows of a column as `set_to` says."""
    rng = np.random.default_rng([3, day])
    today = START + timedelta(days=day)
    columns: dict[str, list[Any]] = {
        "value_date": [today + timedelta(days=int(k)) for k in rng.integers(0, 3, ROWS)],
        "typed_at": [
            datetime(today.year, today.month, today.day, tzinfo=UTC) + timedelta(seconds=int(k))
            for k in rng.integers(25_000, 70_000, ROWS)
        ],
        "born_on": [date(1940, 1, 1) + timedelta(days=int(k)) for k in rng.integers(0, 24_000, ROWS)],
    }
    for name, values in set_to.items():
        columns[name][: len(values)] = values
    return pa.table(columns)


def lived(days: list[pa.Table]) -> tuple[list[TableState], Past]:
    states, series = [fold(one) for one in days], []
    for i, state in enumerate(states):
        found = observe_metrics(state, states[i - 1] if i else None)
        series.append(paced(found, series, 1.0 if i else None))
    return states, series


KNOWN = lived([bookings(day) for day in range(DAYS)])


def judged(rows: pa.Table, waited: float = 1.0, private: tuple[str, ...] = ()) -> tuple[list[Verdict], list[Cause]]:
    states, series = KNOWN
    state, kinds = fold(rows), {name: column.kind for name, column in states[0].columns.items()}
    rules = learn_history(series, kinds=kinds, unused=unused_in(states[-1]), budget=0.001)
    batch = Batch(DAYS, "increment", state, states[-1], [], datetime(2026, 3, 26, tzinfo=UTC), series, waited=waited)
    broken = [(rule, v) for rule in rules if (v := rule.judge(batch)).status == VIOLATED]
    return [v for _, v in broken], [one.cause for one in diagnose("t", batch, broken, rules=rules, private=private)]


@pytest.mark.parametrize(
    ("column", "values", "said"),
    [
        ("value_date", [date(2199, 3, 27)] * 3, "3 rows of `t.value_date` hold times far from all others: the latest "
         "is 2199-03-27, and was 2026-03-27. Probably a wrong year."),
        ("value_date", [date(1900, 1, 1)], "1 row of `t.value_date` holds times far from all others: the earliest is "
         "1900-01-01, and was 2026-03-02. Probably a placeholder where there is no date."),
        ("typed_at", [datetime(2062, 3, 26, 9, tzinfo=UTC)], "Single rows of `t.typed_at` hold times far from all "
         "others: the latest is 2062-03-26 09:00, and was 2026-03-25 19:26. Probably a wrong year."),
        ("typed_at", [datetime(1970, 1, 1, tzinfo=UTC)] * 2, "Probably a placeholder where there is no date."),
        ("born_on", [date(9999, 12, 31)], "Probably a placeholder where there is no date."),
        ("born_on", [date(1900, 1, 1)], "Probably a placeholder where there is no date."),
    ],
)  # fmt: skip
def test_a_few_times_that_are_decades_off(column: str, values: list[Any], said: str) -> None:
    (verdict,), (cause,) = judged(bookings(DAYS, **{column: values}))
    assert (cause.cause, cause.columns) == ("stray", (column,))
    assert said in cause.sentence
    low, high = verdict.offenders["outside"]
    at = [datetime(v.year, v.month, v.day, tzinfo=UTC).timestamp() * 1e6 for v in values]
    assert all(not low <= one <= high for one in at)


def test_no_value_of_a_sensitive_column_is_said() -> None:
    _, (cause,) = judged(bookings(DAYS, born_on=[date(9999, 12, 31)]), private=("born_on",))
    assert "9999" not in cause.sentence
    assert cause.size == {"share": cause.size["share"]}


@pytest.mark.parametrize(
    ("column", "values", "waited"),
    [
        ("value_date", [date(2026, 1, 5)], 1.0),  # two months late, of a table that is three weeks old
        ("value_date", [date(2027, 3, 1)], 1.0),  # foreseen
        ("born_on", [date(1921, 5, 5), date(2021, 5, 5)], 1.0),
        ("typed_at", [], 900.0),
    ],
)
def test_what_is_late_or_foreseen_or_came_after_years_is_no_news(column: str, values: list[Any], waited: float) -> None:
    rows = bookings(DAYS + (900 if waited > 1 else 0), **{column: values})
    found, _ = judged(rows, waited)
    assert not any("stray" in verdict.observed for verdict in found)


def test_a_few_times_before_the_one_in_front_move_no_column() -> None:
    """Losses are reported after days or weeks, so that their middle is a day to and fro; three are of next month."""

    def claims(day: int, late: int = 0) -> pa.Table:
        rng = np.random.default_rng([4, day])
        reported = [datetime(2026, 3, 2, 9, tzinfo=UTC) + timedelta(days=day, hours=float(k)) for k in rng.random(140)]
        lost = [one.date() - timedelta(days=int(k)) for one, k in zip(reported, rng.exponential(9, 140), strict=True)]
        lost[:late] = [reported[0].date() + timedelta(days=30)] * late
        return pa.table({"lost_on": lost, "reported_at": reported})

    states, series = lived([claims(day) for day in range(DAYS)])
    rules = learn_history(
        series, kinds=dict.fromkeys(["lost_on", "reported_at"], "time"), unused=unused_in(states[-1]), budget=0.001
    )
    for day in range(DAYS, DAYS + 4):
        now = Batch(day, "increment", fold(claims(day, 4)), states[-1], [], datetime(2026, 3, 26, tzinfo=UTC), series)
        broken = [(rule, v) for rule in rules if (v := rule.judge(now)).status == VIOLATED]
        found = [v.observed.keys() for _, v in broken if "ordered_ratio" in v.observed]
        assert found
        assert "days_moved" not in [one.cause.cause for one in diagnose("t", now, broken, rules=rules)]
