"""Versions have a grammar: what is demanded of them is not what they looked like by chance."""

from __future__ import annotations

import re
from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.evidence.clauses.candidate import Candidate
from catalog.evidence.clauses.candidates import LEARNED, candidates
from catalog.evidence.clauses.patterned import Versions
from catalog.evidence.pattern_index.views import Profile, profile, profile_values
from catalog.patterns.language.characters import shape_of
from catalog.patterns.versions import forms_of
from catalog.states.folding.fold import fold

NUMBERS = st.lists(st.integers(0, 300).map(str), min_size=1, max_size=4).map(".".join)
BEHIND = st.sampled_from(["", "-rc.3", "-beta.1", "-canary-20250101", "-20250101", "+abc", "rc1", ".dev3", "-rc.3+5"])
BEFORE = st.sampled_from(["", "v", "^", "~", ">=", ">= ", "<", "==", "^v"])
ONE = st.tuples(BEFORE, NUMBERS, BEHIND).map("".join)
TEXT = st.one_of(ONE, st.lists(ONE, min_size=2, max_size=2).map(", ".join), st.text("v1.x- ,|<", max_size=7))


def seen(values: list[str]) -> Profile:
    return profile_values(Counter(values).items())


def learned(values: list[str]) -> list[Candidate]:
    return candidates(seen(values), LEARNED)


@pytest.mark.parametrize(
    ("known", "later", "wrong"),
    [
        (["1.7.13", "1.7.14"], ["1.8.0", "2.0.0-rc.3", "10.12.4+abc", "1.8.0-canary-20250101"], ["1.8", "v1.8.0"]),
        ([f"0.{n}.{n % 3}" for n in range(123)], ["0.88.0-rc.3", "1.0.0"], ["0.88", "O.88.1", "0,88,1", "soon"]),
        (["v1.2.3", "v1.2.4"], ["v2.0.0-beta.1"], ["1.2.3", "w1.2.3"]),
        (["^1.2.0", ">=3.0.1, <4", "~2.1.7"], ["^18.0.0-rc.1", ">=1.0.0 <2"], ["1.2.0", "^1.2"]),
        ([*(f"1.{n}.0" for n in range(40)), "1.4"], ["1.90.2", "2.0"], []),
    ],
)
def test_what_comes_next_conforms_and_what_is_no_version_of_the_kind_does_not(
    known: list[str], later: list[str], wrong: list[str]
) -> None:
    found = learned(known)
    assert sum(isinstance(one, Versions) for one in found) == 1
    assert not [one.kind for one in found if one.nonconforming(seen(later))]
    for text in wrong:
        assert any(one.nonconforming(seen([text])) for one in found), text


@pytest.mark.parametrize(
    "values", [["1.5", "2.25", "3.125"], ["10.0.0.1", "10.0.0.7"], ["31.12.1999", "24.12.2001"], ["1.7.13", "soon"]]
)
def test_numbers_addresses_days_and_words_are_no_versions(values: list[str]) -> None:
    assert not any(isinstance(one, Versions) for one in learned(values))


def test_few_values_that_are_none_are_exceptions() -> None:
    (found,) = (one for one in learned([*(f"1.{n}.0" for n in range(40)), "latest"]) if isinstance(one, Versions))
    assert found.nonconforming(seen(["latest", "1.50.0"])) == 1


@given(st.lists(ONE, min_size=1, max_size=3), TEXT)
def test_by_form_and_by_expression_values_are_told_alike(known: list[str], text: str) -> None:
    forms = sorted({form for value in known for form in forms_of(value)})
    found = Candidate("versions", tuple(forms))
    assert (re.search(found.regex(), text) is not None) == found.accepts(text)


def test_of_many_values_the_shapes_tell() -> None:
    values = [f"{n // 100}.{n % 100}.{n % 7}" for n in range(30_000)]
    state = profile(fold(pa.table({"x": values})).columns["x"])
    assert state is not None
    assert state.values is None
    (found,) = (one for one in candidates(state, LEARNED) if isinstance(one, Versions))
    assert found.nonconforming(state) == 0
    batch = profile(fold(pa.table({"x": [*values, *["1.2"] * 300, *["3.4.5-rc.1"] * 300]})).columns["x"])
    assert batch is not None
    assert found.nonconforming(batch) == 300
    assert shape_of("v1.2") not in found.accepted
