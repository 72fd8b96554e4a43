"""Strategies for anomalies on the series whose answers deequ's documents and tests give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from catalog.declared.kinds.anomalies import STRATEGIES, expected
from catalog.errors import UsageError

CHANGES = [0, 1, 3, 6, 18, 72]


def flagged(values: Sequence[float], strategy: str, **told: Any) -> list[int]:
    """Places of a series whose value is outside the band that the values before it give."""
    found = []
    for at, value in enumerate(values):
        band = expected(values[:at], strategy, **told)
        if band is None:
            continue
        low, high = band
        if (low is not None and value < low) or (high is not None and value > high):
            found.append(at)
    return found


def test_online_normal_finds_the_one_that_is_twice_as_large() -> None:
    assert flagged([1, 1, 1, 2, 1, 1, 1], "OnlineNormal", lower=1.5, upper=1.5) == [3]


def test_changes_of_the_second_order() -> None:
    assert flagged(CHANGES, "RelativeRateOfChange", upper=8, order=2) == [2, 5]
    assert flagged(CHANGES, "AbsoluteChange", upper=8, order=2) == [4, 5]
    assert flagged(CHANGES, "AbsoluteChange", upper=20, order=0) == flagged(CHANGES, "SimpleThreshold", upper=20) == [5]


def test_a_weekly_season_that_breaks() -> None:
    assert flagged([1] * 20 + [0], "HoltWinters", period=7) == [20]
    week = [10, 20, 30, 40, 50, 5, 1]
    series = [value + at % 3 for at, value in enumerate(week * 5)]
    assert flagged([*series, 12, 400], "HoltWinters", period=7)[-1:] == [36]


def test_the_value_that_is_judged_is_not_in_its_own_band() -> None:
    """deequ takes it in first: three deviations cannot be left by any value before the eleventh."""
    for strategy in ("OnlineNormal", "BatchNormal"):
        assert flagged([5.0, 5.1, 4.9, 5.0, 500.0], strategy) == [4]


def test_anomalies_do_not_widen_the_band_of_those_after_them() -> None:
    past = [5.0, 5.1, 4.9, 5.0, 500.0, 5.0]
    online, batch = expected(past, "OnlineNormal"), expected(past, "BatchNormal")
    assert online is not None and batch is not None and online[1] < 6 < 100 < batch[1]  # type: ignore[operator]  # noqa: PT018


def test_a_past_that_is_too_short_says_nothing() -> None:
    assert expected([], "OnlineNormal") is None
    assert expected([1.0], "BatchNormal") is None
    assert expected([1.0] * 13, "HoltWinters", period=7) is None
    assert expected([1.0], "RelativeRateOfChange", upper=2, order=2) is None
    assert expected([], "SimpleThreshold", upper=2) == (None, 2)


def test_nothing_over_nothing_is_no_change_and_something_over_nothing_is() -> None:
    assert flagged([0, 0, 0], "RelativeRateOfChange", lower=0.5, upper=2) == []
    assert flagged([0, 0, 1], "RelativeRateOfChange", lower=0.5, upper=2) == [2]
    assert flagged([-10, -12, -40], "RelativeRateOfChange", lower=0.5, upper=2) == [2]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_missing_values_are_left_out(strategy: str) -> None:
    past = [1.0, 2.0, 3.0, 2.0] * 5
    holes = [value for one in past for value in (one, float("nan"))]
    assert expected(holes, strategy, lower=0.1, upper=3) == expected(past, strategy, lower=0.1, upper=3)


def test_mistakes_are_told() -> None:
    for told in (
        {"strategy": "Nope"},
        {"strategy": "SimpleThreshold"},
        {"strategy": "AbsoluteChange", "upper": 1, "order": -1},
    ):
        with pytest.raises(UsageError) as error:
            expected([1.0], **told)  # type: ignore[arg-type]
        assert error.value.remedy
