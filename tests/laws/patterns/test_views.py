"""Laws of shapes, views, patterns and their regular expressions, on arbitrary strings."""

from __future__ import annotations

import re
from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.domains.missing import MARKERS
from catalog.evidence.clauses.candidates import candidates
from catalog.evidence.clauses.meaning import LEAST_SHARE
from catalog.evidence.pattern_index.views import profile, profile_values
from catalog.patterns.describe import describe
from catalog.patterns.generalise import space, spaces
from catalog.patterns.language.characters import MOST_CHARACTERS, quote, shape_of
from catalog.patterns.language.hierarchy import DETERMINES, VIEWS, class_of, histograms, project
from catalog.patterns.language.pattern import Pattern
from catalog.patterns.language.regex import class_regex, whole
from catalog.patterns.language.tokens import chunks, lex, signed_chunks
from catalog.states.folding.fold import fold

TEXT = st.text(st.sampled_from("ab9 Zé-.,:/<{+\\\n\t日😀_X1…"), min_size=1, max_size=24)


@given(TEXT)
def test_the_class_of_a_value_matches_it(value: str) -> None:
    for view in VIEWS:
        text = class_of(view, shape_of(value))
        assert re.search(whole([class_regex(view, text)]), value), (view, text)
        assert describe(view, text)


@given(TEXT, TEXT)
def test_the_regex_of_a_shape_matches_nothing_else(a: str, b: str) -> None:
    for view in ("shape", "letters", "alnum", "runs", "words", "tokens", "symbols", "marks", "length", "ends"):
        same = class_of(view, shape_of(a)) == class_of(view, shape_of(b))
        assert bool(re.search(whole([class_regex(view, class_of(view, shape_of(a)))]), b)) == same, view


@given(TEXT)
def test_a_finer_class_determines_the_coarser(value: str) -> None:
    shape = shape_of(value)
    for view, coarser in DETERMINES.items():
        for other in coarser:
            assert project(view, class_of(view, shape), other) == class_of(other, shape)


@given(st.lists(TEXT, min_size=1, max_size=20))
def test_histograms_count_every_row_once(values: list[str]) -> None:
    for table in histograms(Counter(map(shape_of, values))).values():
        assert sum(table.values()) == len(values)


@settings(deadline=None)
@given(st.lists(TEXT, min_size=1, max_size=20))
def test_training_rows_conform_to_every_candidate(values: list[str]) -> None:
    seen = profile_values(Counter(values).items())
    for candidate in candidates(seen):
        if candidate.kind == "domain":
            assert candidate.nonconforming(seen) <= (1 - LEAST_SHARE) * seen.rows + 1e-9
            continue
        if candidate.kind == "presence":
            assert candidate.nonconforming(seen) == sum(v in MARKERS for v in values) * bool(seen.rows)
            continue
        assert candidate.nonconforming(seen) == 0
        regex = re.compile(candidate.regex())
        assert all(regex.search(v) for v in values if v not in MARKERS), candidate


@given(TEXT)
def test_quoted_text_is_itself(value: str) -> None:
    assert re.fullmatch(quote(value), value)


@given(TEXT)
def test_lexing_loses_nothing(value: str) -> None:
    assert "".join(lex(value)) == value
    assert "".join(chunks(value)) == value
    assert "".join(signed_chunks(value)) == value


@given(TEXT)
def test_patterns_of_a_value_match_it_print_and_parse(value: str) -> None:
    parts = signed_chunks(value)
    found = space(parts, [True] * len(parts))
    for number in range(0, found.size, max(7, found.size // 50)):
        pattern = found.pattern(number)
        assert pattern.match(value)
        again = Pattern.parse(str(pattern))
        assert again.regex == pattern.regex
        assert again.generality == pytest.approx(pattern.generality)


def test_generality_grows_with_generalisation() -> None:
    order = ["9", "<digit>{1}", "<digit>+", "<num>", "<alphanum>{1}", "<alphanum>+", "<all>"]
    heights = [Pattern.parse(text).generality for text in order]
    assert heights == sorted(heights)


@pytest.mark.timeout(120)
def test_a_hostile_column_ends_in_bounded_time() -> None:
    """1,000 distinct shapes of 40 tokens, and cells of 100,000 characters."""
    values = [("-".join("ab1"[i % 3] * (1 + (i * k) % 5) for k in range(20)), 1) for i in range(1000)]
    values += [("x1-" * 33_333, 1), ("é😀" * 50_000, 1), ("\x00" * 100_000, 1)]
    seen = profile_values(values)
    found = candidates(seen)
    enumerated = spaces(values, tokens=60, enough=0.5)
    assert found
    assert all(len(options) < 500 for _, hypotheses, _ in enumerated for options in hypotheses.options)
    assert max(map(len, seen.shapes)) <= MOST_CHARACTERS


def test_values_that_recur_do_not_speak_for_those_that_occur_once() -> None:
    """Of 11,000 postcodes one in seven is Dutch and occurs once: no listed value is of that form."""
    german = [f"{10_000 + i}" for i in range(4_700) for _ in range(2)]
    dutch = [f"{1_000 + i} {'ABCDEFGH'[i % 8]}{'KLMNPRST'[i // 8 % 8]}" for i in range(1_600)]
    mixed = profile(fold(pa.table({"postcode": german + dutch})).columns["postcode"])
    pure = profile(fold(pa.table({"postcode": german})).columns["postcode"])
    assert mixed is not None
    assert pure is not None
    assert mixed.domains["integer"] < LEAST_SHARE <= pure.domains["integer"]


def test_a_marker_of_a_missing_value_is_a_code_beside_codes_of_as_many_letters() -> None:
    continents = pa.table({"x": ["AF", "AN", "AS", "EU", "NA", "OC", "SA", "NULL", None]})
    seen = profile(fold(continents).columns["x"])
    assert seen is not None
    assert (seen.rows, seen.missing) == (7, 2)
    many = pa.table({"x": [f"{a}{b}" for a in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" for b in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"] * 3})
    seen = profile(fold(many).columns["x"])  # more values than a state lists
    assert seen is not None
    assert seen.values is None
    assert (seen.rows, seen.missing) == (3 * 26 * 26, 0)
    answers = profile(fold(pa.table({"x": ["Yes", "No", "NA"]})).columns["x"])
    assert answers is not None
    assert (answers.rows, answers.missing) == (2, 1)
