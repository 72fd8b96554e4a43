"""Metrics are said in sentences that promise no more than rules do, and hide what they must."""

from __future__ import annotations

import re

import numpy as np
import pytest

from catalog.metrics.phrases import LOOKS_AT, SAYINGS, heads, hidden
from catalog.metrics.registry import JUDGED, METRICS, REVEALING
from catalog.metrics.sayings import beyond, change, demand, finding, times
from catalog.rules.clauses.band import BandClause
from catalog.rules.clauses.programs import in_words
from catalog.rules.kinds.history import HistoryRule
from catalog.rules.verdict import VIOLATED, Verdict
from catalog.tags.privacy.figures import private_profile

#: Metrics whose figures are told as they are.
AS_THEY_ARE = sorted(
    name
    for name in JUDGED
    if METRICS[name].greatest is None and METRICS[name].unit != "time of day" and not SAYINGS[name].of
)


def figures(text: str) -> list[float]:
    return [float(one.replace(",", "")) for one in re.findall(r"-?\d[\d,]*(?:\.\d+)?(?:e[+-]\d+)?", text)]


def test_whatever_a_rule_may_ask_for_has_a_sentence():
    assert JUDGED.keys() - {"unchanged"} <= SAYINGS.keys()
    assert SAYINGS.keys() <= METRICS.keys()
    assert {METRICS[name].aspect or name for name in JUDGED} == LOOKS_AT.keys()
    assert all(saying.form.count("{}") == 1 and "; " not in saying.form for saying in SAYINGS.values())


@pytest.mark.parametrize("name", AS_THEY_ARE)
def test_what_a_sentence_calls_wrong_is_wrong(name):
    """Ends are said outward, by a twentieth of the width at most; counts by whole ones."""
    rng = np.random.default_rng(1)
    least = -1e9 if METRICS[name].least is None else 0.1
    for _ in range(200):
        size = 10.0 ** rng.uniform(-2, 6)
        low = max(size * rng.uniform(-1, 1), least)
        high = low + size * rng.uniform(0.01, 2)
        for exact in (False, True):
            said = SAYINGS[name].form.partition("{}")
            told = demand(name, low, high, exact=exact).removeprefix(said[0]).removesuffix(said[2])
            ends = [0.0] * told.startswith("at most") + figures(told)
            slack = 0.06 * (high - low) + (METRICS[name].unit == "rows")
            assert low - slack - 1e-4 <= ends[0] <= low + 1e-6 * abs(low), (told, low, high)
            assert high - 1e-6 * abs(high) <= ends[-1] <= high + slack + 1e-4, (told, low, high)


@pytest.mark.parametrize("name", AS_THEY_ARE)
def test_what_is_beyond_a_band_is_said_to_be_beyond_it(name):
    rng = np.random.default_rng(2)
    whole = METRICS[name].unit == "rows"
    for _ in range(200):
        size = 10.0 ** rng.uniform(0, 5)
        low = size * rng.uniform(0.5, 1)
        high = low + size * rng.uniform(0.1, 2)
        value = high * (1 + 10.0 ** rng.uniform(-4, 1))
        if whole:
            low, high = np.floor(low), np.ceil(high)
            value = float(np.ceil(value) + 1)
        told, band = beyond(name, value, low, high)
        assert figures(told)[0] > figures(band)[-1], (value, low, high, told, band)


def test_no_change_is_a_range_from_a_negative_number():
    rng = np.random.default_rng(3)
    for name in JUDGED.keys() - {"unchanged"}:
        for _ in range(40):
            low, high = sorted(rng.normal(size=2) * 10.0 ** rng.uniform(-2, 3))
            for said in (
                change(name, low, high, "in the batch before"),
                change(name, None, high, "in the batch before"),
                times(name, np.exp(low / 100), np.exp(high / 100), "in the batch before"),
            ):
                assert not re.search(r"(?<![e\d])-\d", said), said


def test_what_tells_a_value_is_hidden_in_sentences_of_this_release_and_of_older_ones():
    rule = HistoryRule(
        "history", "pay", {"clauses": [BandClause("min", low=1.0, high=2.0).to_json()]}, 0.1, "", "history"
    )
    for name in REVEALING & JUDGED.keys():
        for kind in ("number", "time"):
            value = 3.1337 if name == "log_mean" else 31337.0  # ... as its logarithm
            said = f"Column 'pay': {finding(name, value, 1.0, 2.0, kind)}; 9% of the rows are null."
            assert rule.hide_text(said) == f"Column 'pay': {hidden(name)}; 9% of the rows are null."
        assert all(rule.hide_text(f"{one} is 31,337.") != f"{one} is 31,337." for one in heads(name))
        told = Verdict(VIOLATED, said, {name: 31337.0}, {name: [1.0, 2.0]}, name, 31337.0, 1.0, 2.0)
        assert "31" not in rule.hide(told).sentence


def test_times_are_said_as_points_in_time_and_those_near_a_band_to_the_minute():
    assert (
        finding("max", 20560.5, 20500.0, 20544.2, "time")
        == "the latest is 2026-04-17, expected 2026-02-16 to 2026-04-02"
    )
    assert finding("max", 20544.3, 20500.0, 20544.2, "time").startswith("the latest is 2026-04-01 07:12, expected")
    assert finding("median", -1e9, 20500.0, 20544.2, "time").startswith("the median is 0001-01-01, expected")
    assert finding("max", 20560.5, 20500.0, 20544.2, "number") == "the largest is 20,560, expected 20,500 to 20,546"


def test_the_average_of_a_sensitive_column_is_hidden_wherever_its_extremes_are():
    """With the number of rows it tells what a row that came holds."""
    clauses = [BandClause(name, low=100.0, center=150.0, high=200.0) for name in ("mean", "max")]
    full = BandClause("complete_ratio", low=1.0, center=1.0)
    rule = HistoryRule("history", "pay", {"clauses": [one.to_json() for one in (*clauses, full)]}, 0.1, "", "history")
    assert all("hidden" in one.sentence(private=True) for one in clauses)
    assert all(one.hidden().keys().isdisjoint({"low", "high"}) for one in clauses)
    told = rule.hide(rule.judge_metrics({"mean": 31337.0, "max": 31337.0, "complete_ratio": 0.5}, []))
    assert "31" not in told.sentence + str(told.observed) + str(told.value)
    assert "sensitive" in told.sentence
    said = in_words(rule.clauses, private=True)
    assert said.startswith("none of the rows are null; average as usual (hidden")
    assert in_words(rule.clauses).startswith("the average is 100 to 200; the largest is 100 to 200; none")
    assert private_profile({"metrics": {"mean": 31337.0, "log_mean": 4.5, "std": 2.0}})["metrics"] == {"std": 2.0}


def test_the_sentence_of_a_column_of_texts_says_first_how_many_values_there_are_and_how_frequent():
    names = {"JS_div": 0.1, "str_len": 9.0, "complete_ratio": 1.0, "top_ratio": 0.5, "dist_val_count": 40.0}
    clauses = [BandClause(name, low=0.9 * x, center=x, high=1.1 * x) for name, x in names.items()]
    assert in_words(clauses) == (
        "36 to 44 different values; the most frequent value is in 45% to 55% of the rows; and 3 more metrics"
    )
    rare = BandClause("top_ratio", low=0.02, center=0.06, high=0.1)
    assert in_words([clauses[-1], rare]) == "36 to 44 different values; and 1 more metric"


def test_the_sentence_of_numbers_says_no_more_than_people_would_sign():
    """How many numbers differ is none of it, nor that what never was negative is not below zero."""
    size, never = BandClause("log_mean", 1, low=-1.4, high=1.0), BandClause("negative_ratio", center=0.0, high=0.03)
    differ = BandClause("dist_val_count", 1, True, 0.0, -1.25, 6.9)
    moved = BandClause("log_EMD", center=0.0, high=1.7)
    assert in_words([differ, moved, size, never]) == (
        "numbers at most 26 times smaller or 10 times larger than in the batch before; "
        "at most 3% of the numbers are negative; and 2 more metrics"
    )
    assert in_words([differ, moved, never]) == "at most 3% of the numbers are negative; and 2 more metrics"
    assert in_words([differ, moved]).startswith("at most 72% fewer "), "what else there is"
    average = BandClause("mean", low=0.0, center=300.0, high=540.0)
    assert in_words([average, never, differ]) == (
        "the average is at most 540; at most 3% of the numbers are negative; and 1 more metric"
    )
