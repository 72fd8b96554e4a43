"""The demand that values are free of what goes wrong between systems."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.evidence.clauses.candidate import Candidate
from catalog.evidence.clauses.candidates import LEARNED
from catalog.evidence.clauses.clean import FAULTS, Clean
from catalog.evidence.pattern_index.views import profile, profile_values
from catalog.states.folding.fold import fold

ALL = Candidate("clean", tuple(FAULTS))
TEXT = st.text(st.sampled_from('ab1 "&;%2Fçé\u20ac\ufffd\n'), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("Berlin", []), (" a", ["padded"]), ("a\n", ["padded"]), ('"a"', ["quoted"]), ('"', []),
        ('"a" or "b"', []), ('"3"" pipe"', ["quoted"]), (r'"a \"b\""', ["quoted"]), ('"a", "b"', []),
        ("AT&amp;T", ["html"]), ("AT&T; Co", []), ("a%20b", ["url"]), ("50%", []), ("%9.0g", []),
        ("https://a.org/b%20c.pdf", []), ("s3://lake/day%3D1/a", []), ("https%3A%2F%2Fa.org%2Fb", ["url"]),
        ("ZÃ¼rich", ["garbled"]), ("Z\ufffdrich", ["garbled"]), ("Zürich", []), ("São Paulo", []),
        ("A17A17", ["twice"]), ("1212", []), ("123123", []), ("123456123456", ["twice"]), ("Bora Bora", []),
    ],
)  # fmt: skip
def test_each_fault_is_known(text: str, faults: list[str]) -> None:
    assert [fault for fault in FAULTS if not Candidate("clean", (fault,)).accepts(text)] == faults


@given(TEXT, st.sets(st.sampled_from(sorted(FAULTS)), min_size=1))
def test_the_expression_finds_what_is_accepted(text: str, faults: set[str]) -> None:
    candidate = Candidate("clean", tuple(sorted(faults)))
    assert bool(re.search(candidate.regex(), text)) == candidate.accepts(text)


def test_a_column_with_a_fault_is_asked_for_the_others() -> None:
    (found,) = Clean.learn("clean", profile_values([("a ", 1), ("b", 5)]))
    assert found.accepted == tuple(fault for fault in FAULTS if fault != "padded")
    assert "clean" in LEARNED
    assert "trimmed" not in LEARNED


def test_where_per_cent_signs_are_usual_none_is_an_escape() -> None:
    (found,) = Clean.learn("clean", profile_values([("%9s", 4), ("%8.0g", 9)]))
    assert "url" not in found.accepted
    assert found.nonconforming(profile_values([("%12s", 5), ("%40s", 1)])) == 0


def test_a_state_that_lists_few_values_tells_no_more_than_is_so() -> None:
    good = [f"K{i:06d}x" for i in range(40_000)]
    for bad, told in (("K%06dx ", 1.0), ('"K%06dx"', 1.0), ("K%06d%%20", 0.5), ("K%06dx&amp;", 0.5)):
        values = good[:30_000] + [bad % i for i in range(10_000)]
        seen = profile(fold(pa.table({"x": values})).columns["x"])
        assert seen is not None
        assert seen.values is None
        assert told * 5_000 <= ALL.nonconforming(seen) <= 10_000, bad
        whole = profile(fold(pa.table({"x": good})).columns["x"])
        assert whole is not None
        assert ALL.nonconforming(whole) == 0


def test_a_long_cell_is_searched_in_no_time() -> None:
    """Cells of 100,000 characters go through without harm: the search is linear."""
    for text in (
        "ab" * 50_000,
        "a" * 100_000,
        "&" * 100_000,
        "%2" * 50_000,
        '"' + "x" * 99_999,
        '"' * 99_999,
        '"\\"' * 33_333,
    ):
        ALL.accepts(text)
        re.search(ALL.regex(), text)
