"""What was drawn are the different values, however many rows repeat them."""

from __future__ import annotations

import numpy as np
import pytest

from catalog.evidence.calibrated.risk import TOLERANCES
from catalog.evidence.clauses.candidates import LEARNED, candidates
from catalog.evidence.pattern_index.views import profile_values
from catalog.learners.strings import of_few_values

LENGTHS = {"shape", "letters", "alnum", "length", "length_range"}


def offered(values: list[str], risk: float = 0.001) -> dict[str, float]:
    """The risk of each kind of demand at no tolerance, of a column that holds each value in a hundred rows, where the
    trees call all but the list of values safe."""
    found = candidates(profile_values((value, 100) for value in values), LEARNED)
    said = np.full((len(found), len(TOLERANCES)), risk)
    said[[one.kind == "value" for one in found]] = 0.9
    agreed = of_few_values(said, found, len(values), np.full(len(found), 0.3))
    return {one.kind: float(agreed[at, 0]) for at, one in enumerate(found)}


@pytest.mark.parametrize("values", [["new", "old"], ["A-1", "B-2", "C-3"]])
def test_lengths_of_two_or_three_different_values_are_not_demanded(values: list[str]) -> None:
    risks = offered(values)
    assert {kind for kind in LENGTHS if risks.get(kind, 1.0) < 1.0} == set()
    assert risks["tokens"] == risks["charset"] == 0.001
    more = offered([*values, "D-4", "E-5"])
    assert more["length_range"] == more["alnum"] == 0.001


def test_of_one_value_its_characters_are_as_unsafe_as_demands_of_the_kind_are() -> None:
    risks = offered(["EUR"])
    assert risks["runs"] == risks["charset"] == pytest.approx(0.3 * 2 / 3 * 0.9)
    assert risks["presence"] == 0.001
    assert offered(["2024-11-09"])["domain"] == 0.001


def test_what_few_values_mean_is_not_demanded_where_several_domains_have_them() -> None:
    assert offered(["USA"])["domain"] == 1.0  # the name of a country, and a code of one
    assert offered(["a@b.org"])["domain"] == 0.001


def test_a_form_of_so_many_words_has_no_gap_and_lengths_are_a_range() -> None:
    """Of one and three words two are no other form; four lengths are from the shortest to the longest."""
    seen = profile_values([("red", 9), ("pale sky blue", 5), ("steel", 3), ("off white ox", 1)])
    found = {one.kind: one for one in candidates(seen)}
    assert found["words"].accepts("a a")
    assert not found["words"].accepts("a a a a")
    assert "length" not in found
    assert found["length_range"].accepted == ("3", "13")
    two = {one.kind: one for one in candidates(profile_values([("DE", 9), ("USA", 5)]))}
    assert two["length"].accepted == ("2", "3")
