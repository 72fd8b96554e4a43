"""The worked examples of Auto-Validate-by-History, to the letter."""

import numpy as np
import pytest

from catalog.history.stationarity import Transform, make_stationary, stationary
from catalog.papers.avh import Constraint, Program, construct_constraints, greedy, learn_avh
from catalog.papers.bounds import chebyshev


def test_example_3_conjunction_of_three_constraints():
    program = Program(
        (
            Constraint("L_inf", Transform(), 0.0, 0.01, 0.0),
            Constraint("complete_ratio", Transform(), 0.95, 1.0, 0.0),
            Constraint("dist_val_count", Transform(), 0.0, 6.0, 0.0),
        )
    )
    good = {"L_inf": 0.004, "complete_ratio": 0.97, "dist_val_count": 6.0}
    assert program.broken(good, []) == []
    assert [q.metric for q in program.broken(good | {"complete_ratio": 0.94, "L_inf": 0.02}, [])] == [
        "L_inf",
        "complete_ratio",
    ]


def test_example_4_chebyshev_bands_of_complete_ratio():
    mu, sigma = 0.9, 0.01
    assert chebyshev(0.05, sigma) == pytest.approx(0.04)  # Q6: 0.85..0.95
    assert chebyshev(0.10, sigma) == pytest.approx(0.01)  # Q7: 0.80..1.00
    q6 = Constraint("complete_ratio", Transform(), mu - 0.05, mu + 0.05, 0.04)
    q7 = Constraint("complete_ratio", Transform(), mu - 0.10, mu + 0.10, 0.01)
    assert not q6.holds({"complete_ratio": 0.82}, [])
    assert q7.holds({"complete_ratio": 0.82}, [])


def test_example_5_growing_row_counts_are_not_stationary():
    steps = np.random.default_rng(5).choice([1000, 2000, 3000], size=30)
    growth = 100_000 + np.cumsum(steps)
    assert not stationary(growth)


def test_example_6_differencing_makes_them_stationary():
    steps = np.random.default_rng(5).choice([1000.0, 2000.0, 3000.0], size=30)
    growth = 100_000 + np.cumsum(steps)
    transform = make_stationary(growth)
    assert transform is not None
    assert (transform.lag, transform.log) == (1, False)
    assert transform.apply([100, 103, 105, 106]).tolist() == [3, 2, 1]


def test_example_6_weekly_cycles_are_differenced_away():
    week = np.array([100, 110, 120, 130, 140, 60, 50.0])
    rng = np.random.default_rng(0)
    series = np.tile(week, 6) * 1000 + np.arange(42) * 3000 + rng.normal(0, 300, 42)
    transform = make_stationary(series)
    assert transform is not None
    change = transform.apply(series)
    assert stationary(change)


def test_example_7_fifty_states_is_an_invariant():
    history = [{"dist_val_count": 50.0, "row_count": 50.0 + i % 3, "complete_ratio": 1.0} for i in range(30)]
    issues = [{"dist_val_count": 50.0 + k, "row_count": 51.0, "complete_ratio": 1.0} for k in (1, 5, 12)]
    program = learn_avh(history, issues, kind="string", budget=0.001)
    assert [(q.metric, q.low, q.high, q.fpr) for q in program.constraints] == [("dist_val_count", 50.0, 50.0, 0.0)]
    assert program.broken({"dist_val_count": 10.0, "row_count": 50.0, "complete_ratio": 1.0}, history)


def test_algorithm_3_widens_beta_and_keeps_the_bound():
    rng = np.random.default_rng(1)
    history = [{"median": x} for x in rng.normal(10, 1, 40)]
    found = construct_constraints(history, ["median"])
    assert len(found) > 20
    assert [q.fpr for q in found] == sorted((q.fpr for q in found), reverse=True)
    assert all(q.high > q.low for q in found)


def test_algorithm_1_takes_a_better_single_constraint_instead():
    # two cheap ones catch one issue each; one that costs nearly the budget catches four
    caught = np.array([[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [1, 1, 1, 1, 0]], bool)
    assert greedy(caught, [0.001, 0.001, 0.01], 0.01) == [2]
    assert sorted(greedy(caught, [0.001, 0.001, 0.01], 0.02)) == [0, 1, 2]


def test_program_stays_within_the_budget():
    rng = np.random.default_rng(2)
    history = [{"mean": m, "median": m + rng.normal(0, 0.1), "min": rng.normal(0, 1)} for m in rng.normal(10, 1, 40)]
    issues = [{"mean": 10 * k, "median": 10 * k, "min": -k} for k in (2, 10, 100)]
    program = learn_avh(history, issues, kind="number", budget=0.001)
    assert program.constraints
    assert program.fpr <= 0.001
    assert all(program.broken(issue, history) for issue in issues)


def test_growth_that_is_regular_but_for_rounding_is_differenced_away():
    """Differences of tenths and logarithms of powers are constant up to the last bits."""
    tenths = make_stationary([0.1 * i for i in range(40)])
    powers = make_stationary([2.0**i for i in range(40)])
    assert tenths is not None
    assert (tenths.lag, tenths.log) == (1, False)
    assert powers is not None
    assert (powers.lag, powers.log) == (1, True)


def test_a_history_from_the_first_batch_on_keeps_metrics_of_two_distributions():
    rng = np.random.default_rng(3)
    history = [{"EMD": d, "mean": m} for d, m in zip(rng.exponential(1, 30), rng.normal(5, 1, 30), strict=True)]
    del history[0]["EMD"]  # there is no batch before the first
    assert {q.metric for q in construct_constraints(history, ["EMD", "mean"])} == {"EMD", "mean"}
    del history[9]["EMD"]
    assert {q.metric for q in construct_constraints(history, ["EMD", "mean"])} == {"mean"}
