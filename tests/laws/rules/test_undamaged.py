"""The demands that no value is a usual one gone wrong."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.damage import DAMAGE_KINDS
from catalog.evidence.clauses.candidate import Candidate
from catalog.evidence.clauses.candidates import LEARNED, candidates
from catalog.evidence.clauses.undamaged import FAULTS, Undamaged
from catalog.evidence.pattern_index.views import Profile, profile, profile_values
from catalog.patterns.language.characters import shape_of
from catalog.rules.clauses.strings import StringClause
from catalog.states.folding.fold import fold

ORDERS = ["SO-43659", "SO-43701", "SO-50112"]
STATUSES = ["shipped", "open", "Lost"]
TRUNCATED = ["truncated", "truncated_form"]
TEXT = st.text(st.sampled_from("Oo0lI1aAbé-. ,"), min_size=1, max_size=6)
VALUES = st.lists(TEXT, min_size=1, max_size=12)


def seen(values: list[str]) -> Profile:
    return profile_values(Counter(values).items())


def learned(values: list[str]) -> list[Candidate]:
    return candidates(seen(values), FAULTS)


def breaking(values: list[str], text: str) -> list[str]:
    """The kinds of demands, learned from values, that one more breaks."""
    return [found.kind for found in learned(values) if found.nonconforming(seen([text]))]


@pytest.mark.parametrize(
    ("values", "text", "kinds"),
    [
        (STATUSES, "shiped", ["misspelt"]), (STATUSES, "0pen", ["misspelt"]),
        (STATUSES, "lost", ["misspelt"]),
        (STATUSES, "shipp", ["truncated"]), (STATUSES, "returned", []), (STATUSES, "Open", ["misspelt"]),
        (ORDERS, "SO-5O112", ["misspelt"]), (ORDERS, "so-60001", ["misspelt"]), 
        (ORDERS, "SO-6000", ["truncated_form"]),
        (ORDERS, "O-60001", ["truncated_form"]), (ORDERS, "SO43659", ["reformatted", "reformatted_form"]),
        (ORDERS, "SO/60001", ["reformatted_form"]), (ORDERS, "S-O60001", ["exchanged_form"]),
        (ORDERS, "SO-60001", []), (ORDERS, "PO-60001", []), (ORDERS, "SO-600012", []),
        (["2026-03-09", "2026-11-24"], "20260310", ["reformatted_form"]),
        (["h3.svg", "vue.svg", "hugo.svg"], "go.svg", []),
        (["Sartorius", "greiner", "Bosch", "Merck"], "eppendorf", []),
        (["1.50", "1.25", "17.25"], "1,75", ["misspelt", "reformatted_form"]),
        (["1200", "4311"], "1,275", ["misspelt"]),
        (["Item 163", "Item 572", "Item 70"], "Item 57", []), (["Item 163", "Item 572"], "Item 57", TRUNCATED),
    ],
)  # fmt: skip
def test_what_has_gone_wrong_is_told_from_what_is_new(values: list[str], text: str, kinds: list[str]) -> None:
    assert breaking(values, text) == kinds


SOURCES = ["Gaussian 94", "Gaussian 98", "Molpro 2012.1", "taken from the library of 2019"]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [("Gaussian 9", ["truncated", "truncated_form"]), ("Molpro 2010", []), ("aken of the libraries in 2007", [])],
)
def test_the_form_of_a_single_value_is_no_usual_one(text: str, kinds: list[str]) -> None:
    """Another text of about its length is not it cut short: only what several values share is usual."""
    assert breaking(SOURCES, text) == kinds


def test_of_many_values_their_characters_tell_which_forms_several_have() -> None:
    """The extremes of a shape differ where several values have it."""
    values = [f"K-{n:06d}" for n in range(20_000)] + ["Molpro 2012.1"] * 9
    state = profile(fold(pa.table({"x": values})).columns["x"])
    assert state is not None
    assert state.values is None
    (found,) = candidates(state, ["truncated_form"])
    assert isinstance(found, Undamaged)
    assert found.usual["~"] == {"A-000000"}


def test_what_stands_beside_its_like_is_no_fault_there() -> None:
    """Where A and AB are values, nothing is cut off; where one word is written in two ways, both are."""
    assert {c.kind: Candidate.pattern for c in learned(["A", "AB"])}.keys().isdisjoint({"truncated", "truncated_form"})
    (found,) = (c for c in learned(["Berlin", "BERLIN", "Rome"]) if c.kind == "misspelt")
    assert isinstance(found, Undamaged)
    assert "case" not in found.faults
    assert "typo" in found.faults


@settings(deadline=None)
@given(VALUES)
def test_what_was_learned_from_keeps_to_it(values: list[str]) -> None:
    for found in learned(values):
        assert found.nonconforming(seen(values)) == 0, found


@settings(deadline=None)
@given(VALUES, VALUES)
def test_one_by_one_all_at_once_and_by_expression_values_are_told_alike(values: list[str], later: list[str]) -> None:
    for found in learned(values):
        assert isinstance(found, Undamaged)
        known = [text for text in later if text in seen([text]).shapes or seen([text]).rows]
        one_by_one = [not found.accepts(text) for text in known]
        assert found.nonconforming(seen(known)) == sum(one_by_one)
        expression = re.compile(found.regex())
        assert [expression.search(text) is None for text in known] == one_by_one, found


@given(VALUES)
def test_stored_and_read_again_it_is_the_same(values: list[str]) -> None:
    for found in learned(values):
        clause = StringClause.of(found, 0.0)
        again = StringClause.from_json(clause.to_json())
        assert again.candidate == found
        assert again.change(clause) == "same"


@pytest.mark.parametrize(
    "key", ["last_cut", "first_lost", "half_cut", "lower", "separators", "transposed", "digit_as_letter"]
)
def test_damage_to_one_form_is_seen_in_every_value_it_shows_in(key: str) -> None:
    """Of exchanged characters those show that are of two classes."""
    values = [f"INV-{n:05d}" for n in range(10_010, 10_050)]
    damaged = DAMAGE_KINDS[key].damage(values, np.random.default_rng(0))
    assert damaged is not None
    shapes = {shape_of(value) for value in values}
    shown = [new for new in damaged if shape_of(new) not in shapes]
    assert len(shown) >= 10
    assert all(breaking(values, new) for new in shown)


def test_of_many_values_the_shapes_are_asked_and_what_is_unknown_raises_nothing() -> None:
    values = [f"K-{n:06d}" for n in range(40_000)]
    state = profile(fold(pa.table({"x": values})).columns["x"])
    assert state is not None
    assert state.values is None
    kinds = {found.kind: found for found in candidates(state, FAULTS)}
    assert "truncated" not in kinds  # values that are not all known are not compared
    bad = [value[:-1] for value in values[:400]] + values[400:]
    batch = profile(fold(pa.table({"x": bad})).columns["x"])
    assert batch is not None
    assert kinds["truncated_form"].nonconforming(batch) == 400
    assert all(found.nonconforming(state) == 0 for found in kinds.values())


def test_a_sentence_lists_no_value() -> None:
    (found,) = (c for c in learned(["hiv", "flu"]) if c.kind == "truncated")
    clause = StringClause.of(found, 0.0)
    assert clause.sentence(private=True) == clause.sentence() == "no value is a usual one cut short"
    assert clause.hidden()["accepted"] == 3
    assert set(FAULTS) <= set(LEARNED)


def test_long_cells_and_hostile_values_do_no_harm() -> None:
    values = ["a" * 100_000, "(" * 40, "[x]{2}", "\\", "a\nb"]
    for found in learned(values):
        expression = re.compile(found.regex())
        for text in [*values, "a" * 99_999, "(" * 39]:
            assert (expression.search(text) is not None) == found.accepts(text)
