"""Rules from history see what values do not show: shifted clocks, swapped times, garbled letters, rows twice."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest
from past import Past, broken_by

from catalog.damage import DAMAGE_KINDS, TABLES
from catalog.history.series import TableMetrics, observe_metrics
from catalog.learners.series.history import learn_history, unused_in
from catalog.rules.verdict import PASSED, Batch
from catalog.states.folding.fold import fold
from catalog.states.table import TableState

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
BY_KEY = {kind.key: kind for kind in TABLES}


def day(number: int, rows: int = 800) -> pa.Table:
    """One day's tickets: opened in office hours, closed hours later, by people whose names are not all ASCII."""
    rng = np.random.default_rng([17, number])
    hours = rng.normal(12.5, 2.0, rows).clip(7, 19)
    opened = [MONDAY + timedelta(days=number, hours=float(h)) for h in hours]
    closed = [t + timedelta(hours=float(h)) for t, h in zip(opened, rng.exponential(5, rows), strict=True)]
    names = rng.choice(["Jürgen", "Anna", "Zoë", "Peter", "Łukasz"], rows)
    return pa.table(
        {
            "id": [f"T-{number:03d}-{k:05d}" for k in range(rows)],
            "by": [f"{name} {k}" for name, k in zip(names, rng.integers(0, 400, rows), strict=True)],
            "opened": opened,
            "closed": closed,
        }
    )


PAST = Past("tickets", day, 20, MONDAY)


def violated(table: pa.Table) -> dict[str, set[str]]:
    """Metrics that a rule on twenty healthy days finds broken, by column ("" for the table)."""
    assert {rule.column for rule in PAST.rules} == {None, *PAST.states[0].columns}
    broken = broken_by(PAST.next(fold(table)), PAST.rules)
    return {rule.column or "": set(verdict.observed) for rule, verdict in broken}


def test_a_healthy_day_is_healthy() -> None:
    assert violated(day(20)) == {}


def of_column(key: str, column: str) -> Callable[[pa.Table], pa.Table]:
    def damaged(table: pa.Table) -> pa.Table:
        at = table.schema.get_field_index(column)
        values = DAMAGE_KINDS[key].damage(table[column].to_pylist(), np.random.default_rng(2))
        assert values is not None
        return table.set_column(at, table.schema.field(at), pa.array(values, table.schema.field(at).type))

    return damaged


def of_table(key: str) -> Callable[[pa.Table], pa.Table]:
    def damaged(table: pa.Table) -> pa.Table:
        done = BY_KEY[key].damage(table, np.random.default_rng(2), day(19))
        assert done is not None
        return done.table

    return damaged


CASES = [
    (of_column("zone", "opened"), "opened", "hour_EMD"),
    (of_column("time_lost", "opened"), "opened", "hour_EMD"),
    (of_table("times_swapped"), "closed", "ordered_ratio"),
    (of_column("mojibake", "by"), "by", "garbled_ratio"),
    (of_column("replaced", "by"), "by", "garbled_ratio"),
    (of_table("part_twice"), "", "duplicate_ratio"),
    (of_table("batch_twice"), "", "duplicate_ratio"),
    (of_table("stale"), "", "repeated_ratio"),
]


@pytest.mark.parametrize(("damage", "column", "metric"), CASES, ids=[metric for _, _, metric in CASES])
def test_what_happens_in_real_life_is_seen(damage: Callable[[pa.Table], pa.Table], column: str, metric: str) -> None:
    assert metric in violated(damage(day(20)))[column]


def test_words_for_a_missing_value_are_seen_where_there_never_were_any() -> None:
    table = day(20)
    names = ["NULL" if k % 20 == 0 else name for k, name in enumerate(table["by"].to_pylist())]
    damaged = table.set_column(table.schema.get_field_index("by"), "by", pa.array(names))
    (rule,) = (rule for rule in PAST.rules if rule.column == "by")
    verdict = rule.judge(PAST.next(fold(damaged)))
    assert verdict.observed["marked_ratio"] == 0.05
    assert verdict.p_value is not None
    assert verdict.p_value <= 6.2e-5
    earlier = [replace(one, columns={n: _unmarked(of) for n, of in one.columns.items()}) for one in PAST.series]
    rules = learn_history(earlier, kinds=PAST.kinds, unused=unused_in(PAST.states[-1]), budget=0.001)
    assert not any("marked_ratio" in r.metrics for r in rules)  # what earlier releases kept says nothing of it


def _unmarked(of: dict[str, float]) -> dict[str, float]:
    return {name: value for name, value in of.items() if name != "marked_ratio"}


def test_metrics_of_earlier_releases_have_none_of_the_table() -> None:
    import json
    import zlib

    old = b"\x01" + zlib.compress(json.dumps([3, {"a": {"row_count": 3.0}}]).encode())
    assert TableMetrics.decode(old) == TableMetrics(3, {"a": {"row_count": 3.0}})
    assert TableMetrics.decode(old).of_table() == {"row_count": 3.0}
    assert observe_metrics(TableState.empty(), None).table == {}


def test_days_without_a_clock_have_weekdays_only() -> None:
    mondays = [date(2026, 3, 2) + timedelta(days=7 * k) for k in range(50)]
    before, now = (fold(pa.table({"d": [day + timedelta(days=k) for day in mondays]})) for k in (0, 1))
    metrics = observe_metrics(now, before).columns["d"]
    assert metrics["weekday_L_1"] == pytest.approx(1.96)  # one of the 50 is set aside
    assert "hour_EMD" not in metrics


def test_a_day_that_many_rows_hold_is_one_day_of_the_week() -> None:
    """Half of the rows hold the last day, which goes on from a Tuesday to a Monday."""
    others = [date(2026, 1, 1) + timedelta(days=k) for k in range(100)]
    before, now = (fold(pa.table({"d": others + [last] * 120})) for last in (date(2026, 9, 1), date(2026, 9, 14)))
    assert observe_metrics(now, before).columns["d"]["weekday_L_1"] == pytest.approx(0.0, abs=1e-9)
    moved = fold(pa.table({"d": [day + timedelta(days=3) for day in others] + [date(2026, 9, 1)] * 120}))
    assert observe_metrics(moved, before).columns["d"]["weekday_L_1"] > 0.01


def test_rows_are_compared_where_their_values_are_of_the_kinds_they_were() -> None:
    def batch(rates: list[object]) -> TableState:
        return fold(pa.table({"day": list(range(50)), "rate": rates}))

    numbers, whole, texts = batch([1.5] * 50), batch([1] * 50), batch(["1.5"] * 49 + ["N/A"])
    assert observe_metrics(numbers, numbers).table["repeated_ratio"] == 1.0
    assert observe_metrics(whole, numbers).table["repeated_ratio"] == 0.0
    assert "repeated_ratio" not in observe_metrics(texts, numbers).table  # else the usual share is "too many" next time


def test_days_that_some_late_rows_keep_are_gone_behind_a_hole() -> None:
    """Nine of ten rows are of the day, the others of the day before: of what was there a tenth is gone after a day, and
    all of it after two, which one wrong batch in between makes of it."""
    start = date(2026, 3, 2)
    days = [
        pa.table({"on": [start + timedelta(days=k)] * 90 + [start + timedelta(days=k - 1)] * 10}) for k in range(20)
    ]
    states, series = [fold(one) for one in days], []
    for i, state in enumerate(states):
        series.append(observe_metrics(state, states[i - 1] if i else None))
    (rule,) = learn_history(series[:18], kinds={"on": "time"}, unused={"on": ()}, budget=0.001)[1:]
    wrong = [*series[:18], None]
    behind = Batch(19, "increment", states[19], states[17], [], datetime(2026, 3, 22, tzinfo=UTC), wrong, waited=2.0)
    assert rule.judge(behind).status == PASSED


def test_how_many_different_flags_there_are_is_not_asked() -> None:
    """There are two; how often each comes says all of it."""
    rng = np.random.default_rng(9)
    states, series = [fold(pa.table({"paid": rng.random(500) < 0.3})) for _ in range(20)], []
    for i, state in enumerate(states):
        series.append(observe_metrics(state, states[i - 1] if i else None))
    rules = learn_history(series, kinds={"paid": "boolean"}, unused={"paid": ()}, budget=0.001)
    (rule,) = (one for one in rules if one.column == "paid")
    assert "top_ratio" in rule.metrics
    assert not {"dist_val_count", "unique_ratio"} & set(rule.metrics)
