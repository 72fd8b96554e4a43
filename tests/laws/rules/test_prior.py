"""Tables whose own past is too short are held to what healthy tables do: large faults are detected from the second
version on, and what is usual passes."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest

from catalog.history.series import observe_metrics
from catalog.learners.series.history import learn_history, unused_in
from catalog.learners.series.limits import ENOUGH, LEAST
from catalog.learners.series.prior import COLUMN_RATE, prior_column
from catalog.rules.kinds.history import HistoryRule
from catalog.rules.verdict import VIOLATED
from catalog.states.folding.fold import fold
from catalog.states.table import TableState

BUDGET = 0.001


def orders(seed: int, rows: int = 400) -> pa.Table:
    """A day's orders."""
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "amount": np.round(rng.lognormal(3.0, 0.8, rows), 2),
            "items": rng.integers(1, 9, rows),
            "paid": rng.random(rows) < 0.9,
            "note": [f"order {number}" for number in range(rows)],
        }
    )


def learned(*days: pa.Table) -> list[HistoryRule]:
    states = [fold(day) for day in days]
    last = states[-1]
    kinds = {name: column.kind for name, column in last.columns.items()}
    series = [observe_metrics(now, before) for before, now in zip([None, *states], states, strict=False)]
    return learn_history(series, kinds=kinds, unused=unused_in(last), budget=BUDGET)


def broken(rules: list[HistoryRule], before: TableState, day: pa.Table) -> set[str]:
    """Columns whose rule a day breaks; ``*`` for the rows."""
    past, now = observe_metrics(before, None), observe_metrics(fold(day), before)
    found = set()
    for rule in rules:
        values, earlier = (
            (now.of_table(), past.of_table())
            if rule.column is None
            else (now.columns.get(rule.column, {}), past.columns[rule.column])
        )
        if rule.judge_metrics(values, [earlier]).status == VIOLATED:
            found.add(rule.column or "*")
    return found


def changed(day: pa.Table, column: str, values: object) -> pa.Table:
    return day.set_column(day.schema.get_field_index(column), column, pa.array(values))


@pytest.fixture(scope="module")
def first() -> pa.Table:
    return orders(0)


def test_one_version_is_enough_for_numbers_and_flags_and_rows(first: pa.Table) -> None:
    rules = learned(first)
    assert {(rule.kind, rule.column) for rule in rules} == {
        ("volume", None),
        ("history", "amount"),
        ("history", "items"),
        ("history", "paid"),
    }
    for rule in rules:
        assert rule.fpr is not None
        assert 0 < rule.fpr <= BUDGET
        assert "default range for a new table" in rule.sentence


@pytest.mark.parametrize("seed", range(1, 21))
def test_a_usual_day_passes(first: pa.Table, seed: int) -> None:
    assert broken(learned(first), fold(first), orders(seed, rows=330 + 10 * seed)) == set()


def test_large_faults_of_the_second_version_are_detected(first: pa.Table) -> None:
    rules, before, day = learned(first), fold(first), orders(5)
    amounts = day["amount"].to_numpy()
    assert broken(rules, before, changed(day, "amount", amounts * 100)) == {"amount"}
    assert broken(rules, before, changed(day, "amount", amounts / 1000)) == {"amount"}
    assert broken(rules, before, changed(day, "amount", -amounts)) == {"amount"}
    assert broken(rules, before, changed(day, "amount", [None if i % 2 else x for i, x in enumerate(amounts)])) == {
        "amount"
    }
    assert broken(rules, before, changed(day, "amount", [20.0] * day.num_rows)) == {"amount"}
    assert broken(rules, before, changed(day, "paid", [None if i % 2 else True for i in range(day.num_rows)])) == {
        "paid"
    }
    assert "*" in broken(rules, before, day.slice(0, 30))


def lacking(day: pa.Table, share: float) -> pa.Table:
    """The same with so many of the amounts missing, in the order of the rows."""
    missing = round(share * day.num_rows)
    return changed(day, "amount", [None if i < missing else x for i, x in enumerate(day["amount"].to_pylist())])


def test_what_is_missing_in_some_rows_may_be_so_in_more_than_what_never_was(first: pa.Table) -> None:
    """After one version nothing is known of how a share of missing values varies; that none are is made so."""
    some = lacking(first, 0.1)
    more = lacking(orders(5), 0.4)
    assert broken(learned(some), fold(some), more) == set()
    assert broken(learned(first), fold(first), more) == {"amount"}
    assert broken(learned(some), fold(some), lacking(orders(5), 0.7)) == {"amount"}


@pytest.mark.parametrize("left", [0, 1, 5, 19])
def test_a_column_that_lost_nearly_all_of_its_values_is_told_however_few_are_left(first: pa.Table, left: int) -> None:
    day = orders(5, rows=120)
    assert "amount" in broken(learned(first), fold(first), lacking(day, 1 - left / 120))


def test_a_table_that_moves_by_itself_is_given_more(first: pa.Table) -> None:
    """What its few batches did already is no news."""
    day = orders(1)
    dear = changed(day, "amount", day["amount"].to_numpy() * 30)
    assert broken(learned(first), fold(first), dear) == {"amount"}
    assert broken(learned(first, dear, orders(2)), fold(orders(2)), dear) == set()


def test_its_own_past_takes_over(first: pa.Table) -> None:
    days = [orders(seed) for seed in range(LEAST)]
    assert all("default range for a new table" in rule.sentence for rule in learned(*days[:-1]))
    assert all("as in its last" in rule.sentence for rule in learned(*days))


def test_of_a_few_rows_nothing_is_said() -> None:
    assert learned(orders(0, rows=ENOUGH - 1)) == []


def test_bands_are_as_wide_as_the_budget_asks() -> None:
    past = [{"row_count": 900.0, "complete_ratio": 1.0, "dist_val_count": 500.0, "log_mean": 2.0}]
    tight, wide = (
        prior_column(past, column="x", kind="number", budget=budget).clauses for budget in (BUDGET, BUDGET / 4)
    )
    ends = [{one.metric: one.high for one in clauses} for clauses in (tight, wide)]
    assert ends[1]["log_mean"] / ends[0]["log_mean"] == pytest.approx(4 ** (1 / COLUMN_RATE.index))


def test_only_the_end_that_matters_is_told(first: pa.Table) -> None:
    """Of what may become a thousand times as many only that it is too few is said, and drawn."""
    rules, past = learned(first), observe_metrics(fold(first), None)
    now = observe_metrics(fold(first.slice(0, 30)), fold(first))
    volume = next(rule for rule in rules if rule.column is None)
    rows = volume.judge_metrics(now.of_table(), [past.of_table()])
    assert rows.sentence == "The table: 30 rows, expected at least 135."
    assert (rows.expected["row_count"][1], rows.high) == (None, None)
    told = {"observed": rows.observed, "expected": rows.expected}
    fewer = {"observed": {"row_count": -2e3}, "expected": rows.expected}
    assert (HistoryRule.continues(told, told), HistoryRule.continues(told, fewer)) == (True, False)
    amount = next(rule for rule in rules if rule.column == "amount")
    dear = fold(changed(first, "amount", first["amount"].to_numpy() * 100))
    seen = amount.judge_metrics(observe_metrics(dear, fold(first)).columns["amount"], [past.columns["amount"]])
    assert "numbers are of the order of 2,000, expected at most 200;" in seen.sentence


def test_of_what_holds_no_numbers_nothing_is_asked_about_numbers() -> None:
    """A distance of numbers is demanded before there is one: of lists, bytes and times there never is."""
    start = datetime(2026, 1, 1)
    day = pa.table(
        {
            "tags": [["a", "b"][: number % 3] for number in range(200)],
            "raw": [b"abc"] * 200,
            "at": [start + timedelta(hours=number) if number % 9 else None for number in range(200)],
            "amount": [float(number) for number in range(200)],
        }
    )
    asked = {rule.column: {clause.metric for clause in rule.clauses} for rule in learned(day, day) if rule.column}
    assert "log_EMD" in asked.pop("amount")
    assert not {"log_EMD", "log_mean", "nan_ratio", "negative_ratio"} & {one for of in asked.values() for one in of}
    nulls = next(one for rule in learned(day, day) for one in rule.clauses if one.metric == "complete_ratio")
    assert "share of null rows at most" in nulls.brief()
    assert "percentage points higher than in the batch before" in nulls.brief()


def test_that_one_of_two_or_three_values_is_left_is_no_demand_of_a_new_table() -> None:
    """No batch with a value has fewer than one."""
    past = {"row_count": 400.0, "complete_ratio": 1.0}
    few, many = (
        prior_column([past | {"dist_val_count": differ}], column="x", kind="number", budget=BUDGET)
        for differ in (3.0, 30.0)
    )
    assert few is not None
    assert many is not None
    assert "dist_val_count" not in few.metrics
    assert "dist_val_count" in many.metrics
