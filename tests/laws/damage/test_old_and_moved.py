"""Deliveries that are an old one, of tables that repeat nearly all rows anyway; times moved where no other time says
so; columns of which all rows are one value."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from catalog.causes.cause import Cause
from catalog.causes.diagnose import diagnose
from catalog.history.series import Past, observe_metrics, paced
from catalog.learners.series.history import learn_history, unused_in
from catalog.rules.verdict import VIOLATED, Batch
from catalog.states.folding.fold import fold
from catalog.states.table import TableState

DAYS, ROWS = 26, 400
START = datetime(2026, 3, 2, tzinfo=UTC)
FIRMS = ["Ström AB", "Núñez", "Dvořák", "Falk", "Van Dijk"]


def register(number: int, least: int = 24) -> pa.Table:
    """A register that is delivered whole, of which `least` rows or a few more are others each day."""
    rng = np.random.default_rng(7)
    level = rng.integers(0, 10**6, ROWS)
    for later in range(number):
        fresh = np.random.default_rng([7, later])
        chosen = fresh.choice(ROWS, int(fresh.integers(least, least + 4)), replace=False)
        level[chosen] = fresh.integers(0, 10**6, len(chosen))
    return pa.table({"id": [f"R{k:05d}" for k in range(ROWS)], "level": level})


def readings(number: int, moved: timedelta = timedelta(), **other: list[Any]) -> pa.Table:
    """What meters read on a day, every half hour, and when they were read out."""
    rng = np.random.default_rng([8, number])
    times = [START + moved + timedelta(days=number, minutes=30 * (k % 48)) for k in range(ROWS)]
    return pa.table(
        {
            "at": times,
            "kwh": rng.lognormal(0, 0.4, ROWS),
            "quality": [str(v) for v in rng.choice(["A", "E"], ROWS, p=[0.94, 0.06])],
            "failed": (rng.random(ROWS) < 0.03).astype(int),
            "firm": [str(v) for v in rng.choice(FIRMS, ROWS)],
        }
        | other
    )


def lived(days: list[pa.Table]) -> tuple[list[TableState], Past]:
    states, series = [fold(one) for one in days], []
    for i, state in enumerate(states):
        found = observe_metrics(state, states[i - 1] if i else None)
        series.append(paced(found, series, 1.0 if i else None))
    return states, series


REGISTER = lived([register(k) for k in range(DAYS)])
READINGS = lived([readings(k) for k in range(DAYS)])


def causes(known: tuple[list[TableState], Past], rows: pa.Table, waited: float = 1.0) -> list[Cause]:
    states, series = known
    state, kinds = fold(rows), {name: column.kind for name, column in states[0].columns.items()}
    rules = learn_history(series, kinds=kinds, unused=unused_in(states[-1]), budget=0.001)
    batch = Batch(DAYS, "snapshot", state, states[-1], [], START, series, waited=waited)
    broken = [(rule, v) for rule in rules if (v := rule.judge(batch)).status == VIOLATED]
    return [one.cause for one in diagnose("t", batch, broken, rules=rules)]


def test_an_old_delivery_of_a_table_that_repeats_nearly_all_rows() -> None:
    assert causes(REGISTER, register(DAYS)) == []
    (found,) = causes(REGISTER, register(DAYS - 1))
    assert found.cause == "stale"
    assert found.sentence.startswith("`t` holds the same rows as the batch before (400 rows).")


def test_a_register_of_few_changes_may_have_none_for_a_day() -> None:
    assert causes(lived([register(k, 1) for k in range(DAYS)]), register(DAYS - 1, 1)) == []


@pytest.mark.parametrize("days", [-1, 1, 3])
def test_days_off_in_the_only_column_of_times(days: int) -> None:
    (found,) = causes(READINGS, readings(DAYS, timedelta(days=days)))
    assert (found.cause, found.size["days"], found.columns) == ("days_moved", days, ("at",))
    assert f"{abs(days)} day{'s' * (abs(days) > 1)} {'later' if days > 0 else 'earlier'}" in found.sentence


def test_an_hour_off_where_every_hour_of_the_day_is_there() -> None:
    (found,) = causes(READINGS, readings(DAYS, timedelta(hours=1)))
    assert (found.cause, found.size["hours"]) == ("time_zone", 1)


def test_rows_that_came_twice_are_told_though_their_days_moved() -> None:
    """Times that all moved are no fewer than they were: other rows do not become the same by that."""
    rows = readings(DAYS, timedelta(days=3))
    found = causes(READINGS, pa.concat_tables([rows, rows]))
    assert (found[0].cause, found[0].key) == ("duplicates", "batch_twice")


@pytest.mark.parametrize(("day", "waited"), [(DAYS, 1.0), (DAYS, 2.5), (DAYS, 0.1), (DAYS + 1, 2.0)])
def test_a_delivery_that_is_late_or_was_left_out_has_not_moved_its_times(day: int, waited: float) -> None:
    assert causes(READINGS, readings(day), waited) == []


def test_a_day_off_in_a_column_of_dates() -> None:
    days = [pa.table({"on": [date(2026, 3, 2) + timedelta(days=k)] * ROWS}) for k in range(DAYS + 1)]
    assert causes(lived(days[:-1]), days[-1]) == []
    (found,) = causes(lived(days[:-1]), days[-2])
    assert found.cause in ("days_moved", "stale")
    (found,) = causes(lived(days[:-1]), pa.table({"on": [date(2026, 3, 3) + timedelta(days=DAYS)] * ROWS}))
    assert (found.cause, found.size["days"]) == ("days_moved", 1)


@pytest.mark.parametrize(("column", "value"), [("quality", "A"), ("quality", "E"), ("failed", 0)])
def test_all_rows_are_one_value(column: str, value: Any) -> None:
    (found,) = causes(READINGS, readings(DAYS, **{column: [value] * ROWS}))
    assert found.cause == "default"
    assert found.sentence.startswith(f'All values in `t.{column}` are "{value}" now')


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda v: v.encode("ascii", "replace").decode(), "have become question marks"),
        (lambda v: v.encode("ascii", "ignore").decode(), "are missing"),
        (lambda v: v.translate(str.maketrans("öúñřá", "ounra")), "have lost their accents"),
    ],
)
def test_letters_that_another_system_does_not_know(change: Any, words: str) -> None:
    firms = [change(v) for v in readings(DAYS)["firm"].to_pylist()]
    (found,) = causes(READINGS, readings(DAYS, firm=firms))
    assert found.cause == "encoding"
    assert words in found.sentence


def test_a_column_of_days_that_runs_on_has_lost_no_part() -> None:
    """The days of a booking pass; that the oldest are gone explains nothing."""

    def bookings(number: int, **other: Any) -> pa.Table:
        rng = np.random.default_rng([9, number])
        days = [date(2026, 3, 2) + timedelta(days=number + int(k)) for k in rng.exponential(15, ROWS)]
        rooms = [str(v) for v in rng.choice(["DBL", "SGL", "TWN"], ROWS)]
        gone = [d + timedelta(days=1 + int(k)) for d, k in zip(days, rng.poisson(2, ROWS), strict=True)]
        booked = [START + timedelta(days=number, minutes=int(k)) for k in rng.integers(0, 1440, ROWS)]
        return pa.table({"arrival": days, "departure": gone, "room": rooms, "booked": booked} | other)

    known = lived([bookings(k) for k in range(DAYS)])
    good = bookings(DAYS)
    (found,) = causes(known, bookings(DAYS, room=[f"{v[0]}{len(v)}4" for v in good["room"].to_pylist()]))
    assert (found.cause, found.columns) == ("new_values", ("room",))
    (found,) = causes(known, bookings(DAYS, arrival=good["departure"], departure=good["arrival"]))
    assert (found.cause, set(found.columns)) == ("swapped", {"arrival", "departure"})


def test_months_first_between_hyphens() -> None:
    def reported(number: int, pattern: str = "%d-%m-%Y") -> pa.Table:
        rng = np.random.default_rng([10, number])
        days = [date(2026, 3, 2) + timedelta(days=number - int(k)) for k in rng.integers(0, 60, ROWS)]
        return pa.table({"reported": [f"{day:{pattern}}" for day in days]})

    (found,) = causes(lived([reported(k) for k in range(DAYS)]), reported(DAYS, "%m-%d-%Y"))
    assert found.cause == "day_month"


def test_a_lone_column_is_told_before_several_that_broke_alike() -> None:
    good = readings(DAYS)
    none = {name: [v if k % 2 else None for k, v in enumerate(good[name].to_pylist())] for name in ("quality", "firm")}
    first, second = causes(READINGS, readings(DAYS, kwh=[-x for x in good["kwh"].to_pylist()], **none))
    assert (first.cause, first.columns) == ("sign", ("kwh",))
    assert (second.cause, set(second.columns)) == ("nulls", {"quality", "firm"})


@pytest.mark.parametrize(
    ("today", "cause"),
    [(lambda day: day.slice(0, ROWS // 2), "volume"), (lambda day: pa.concat_tables([day] * 2), "duplicates")],
)
def test_rows_lost_or_twice_are_no_old_delivery_of_a_table_that_keeps_most(
    today: Callable[[pa.Table], pa.Table], cause: str
) -> None:
    """A tenth of the rows are others each day, so that a part of them was there before in any case."""
    past = [register(k, ROWS // 10) for k in range(DAYS)]
    found = {one.cause for one in causes(lived(past), today(past[-1]))}
    assert cause in found
    assert "stale" not in found
