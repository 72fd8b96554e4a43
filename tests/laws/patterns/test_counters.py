"""A run of digits that counts is open above, in what strings and their lengths are demanded to be."""

from __future__ import annotations

import random
import re

import pyarrow as pa
import pytest
from past import observed

from catalog.evidence.clauses.candidate import Candidate
from catalog.evidence.clauses.candidates import candidates
from catalog.evidence.clauses.counters import Counter, counters
from catalog.evidence.pattern_index.views import profile, profile_rows
from catalog.learners.series.history import learn_history, unused_in
from catalog.states.folding.fold import fold


def _mails(numbers: range, name: str = "user") -> list[str]:
    return [f"{name}{i}@shop.org" for i in numbers]


@pytest.mark.parametrize(
    ("first", "later"),
    [
        (_mails(range(100)), _mails(range(100, 250))),
        (_mails(range(1, 58)), _mails(range(58, 130))),
        ([f"INV-{i}" for i in range(1, 9000)], [f"INV-{i}" for i in range(9000, 12_000)]),
        ([f"{i:03d}/a" for i in range(990)], [f"{i:03d}/a" for i in range(990, 1100)]),
    ],
)
def test_the_numbers_after_those_seen_conform(first: list[str], later: list[str]) -> None:
    seen, batch = profile_rows(first), profile_rows(later)
    assert len(seen.counters) == 1
    for candidate in candidates(seen):
        assert candidate.nonconforming(batch) == 0, (candidate.kind, candidate.accepted)
        if candidate.is_pattern:
            assert all(re.search(candidate.regex(), text) for text in (*first, *later)), candidate.kind


@pytest.mark.parametrize(
    "wrong", ["user@shop.org", "user7@shop", "USER7@shop.org", "7user@shop.org", "user 7@shop.org"]
)
def test_what_does_not_count_is_demanded_as_before(wrong: str) -> None:
    found = {candidate.kind: candidate for candidate in candidates(profile_rows(_mails(range(100))))}
    batch = profile_rows([wrong])
    assert found["shape"].accepted == ("aaaa00…@aaaa.aaa", "aaaa0@aaaa.aaa")
    assert found["shape"].nonconforming(batch) == 1
    assert not re.search(found["shape"].regex(), wrong)
    assert "four small letters, one digit or more, “@”" in found["shape"].words(0.0)
    assert Candidate("shape", found["shape"].accepted) == found["shape"]
    assert not {"length", "value"} & set(found)  # of these the next value is none


def test_what_is_drawn_and_not_counted_is_no_counter() -> None:
    rng = random.Random(1)
    drawn = {
        "postcodes": [f"{rng.randrange(10_000, 99_999)}" for _ in range(3000)],
        "few codes": [f"K{rng.randrange(1000, 9999)}" for _ in range(200)],
        "many codes": [f"K{rng.randrange(1000, 9999)}" for _ in range(9000)],
        "times": [f"{rng.randrange(24)}:{rng.randrange(60):02d}" for _ in range(2000)],
        "days": [f"day {rng.randrange(1, 32)}" for _ in range(40)],
        "percent": [f"{rng.randrange(101)}%" for _ in range(500)],
        "years": [f"FY{rng.randrange(1990, 2026)}" for _ in range(300)],
        "dates": [f"2026-{month:02d}-{day:02d}" for month in range(1, 13) for day in range(1, 29)],
        "keys": [f"{rng.getrandbits(128):032x}" for _ in range(500)],
        "orders": [f"ORD-{100_000 + i}" for i in range(2000)],  # there is room
    }
    assert {name: counters(profile_rows(rows)) for name, rows in drawn.items()} == dict.fromkeys(drawn, ())


def test_a_state_of_many_values_tells_the_same() -> None:
    state = fold(pa.table({"x": _mails(range(20_000))})).columns["x"]
    seen = profile(state)
    assert seen is not None
    assert seen.values is None
    assert seen.counters == (Counter("a0@a.a", 0, 5),)
    batch = profile(fold(pa.table({"x": _mails(range(95_000, 105_000))})).columns["x"])
    assert batch is not None
    for candidate in candidates(seen):
        assert candidate.nonconforming(batch) == 0, (candidate.kind, candidate.accepted)


def test_lengths_that_follow_from_a_counter_are_not_demanded() -> None:
    states = [fold(pa.table({"x": _mails(range(day * 5, day * 5 + 5))})) for day in range(20)]
    series = observed(states)
    whole = fold(pa.table({"x": _mails(range(100))}))
    (rule,) = [
        r
        for r in learn_history(series, kinds={"x": "string"}, unused=unused_in(whole), budget=0.001)
        if r.column == "x"
    ]
    named = {clause["metric"] for clause in rule.params["clauses"]}
    assert not named & {"str_len", "digit_len", "len_std"}
    assert "char_len" in named
