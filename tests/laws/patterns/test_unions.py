"""Unions of patterns: what they hold, what coarser views know of them, and how three engines read them."""

from __future__ import annotations

import random
import re

import duckdb
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from catalog.damage import DAMAGE_KINDS as DAMAGE
from catalog.evidence.clauses.candidates import Candidate
from catalog.evidence.pattern_index.views import profile, profile_values
from catalog.patterns.images import class_pattern, images, parsed
from catalog.patterns.language.characters import shape_of
from catalog.patterns.language.hierarchy import class_of
from catalog.patterns.unions import MOST_PATTERNS, UNION_LEVELS, union
from catalog.states.folding.fold import fold

PARTS = st.sampled_from(
    ["SO", "po", "Ab", "é", "17", "4", "007", "3.5", "-2", "-", "/", " ", ".", "_", "<", "+", "\n", "x9"]
)
VALUES = st.dictionaries(
    st.lists(PARTS, min_size=1, max_size=6).map("".join), st.integers(1, 4), min_size=1, max_size=5
)


def orders(n: int, prefix: str = "SO", start: int = 40_000) -> list[str]:
    r = random.Random(n)
    return [f"{prefix}{r.randint(start, start + 9999)}" for _ in range(n)]


@given(VALUES, st.sampled_from(UNION_LEVELS))
def test_every_value_has_one_of_the_patterns(values: dict[str, float], level: str) -> None:
    found = union(values, level)
    if found is None:
        return
    assert 1 <= len(found.patterns) <= MOST_PATTERNS
    assert sum(found.rows) == sum(values.values())
    for value in values:
        assert any(pattern.match(value) for pattern in found.patterns), (level, value, found.patterns)
        assert any(parsed(str(pattern)).match(value) for pattern in found.patterns)  # and survives its text form


@example({"17": 1.0, "+17": 1.0}, "numbers")
@given(VALUES, st.sampled_from(UNION_LEVELS))
def test_coarser_views_lose_no_value_of_a_pattern(values: dict[str, float], level: str) -> None:
    found = union(values, level)
    for pattern in found.patterns if found else ():
        for value in filter(pattern.match, values):
            seen = images(str(pattern))
            assert not seen or (seen[0][0], class_of(seen[0][0], shape_of(value))) in seen
            for base in ("shape", "runs", "alnum", "tokens"):
                allowed = class_pattern(str(pattern), base)
                assert allowed is None or allowed.fullmatch(class_of(base, shape_of(value))), (
                    base,
                    value,
                    str(pattern),
                )


@pytest.mark.parametrize(
    ("values", "level", "wanted"),
    [
        (orders(50), "constants", ["SO4<digit>{4}", "SO<digit>{5}"]),
        (orders(50), "names", ["SO<digit>{5}"]),
        ([f"ORD-2026-{n:07d}" for n in (17, 4000, 9, 1200003)], "constants", ["ORD-2026-<digit>{7}"]),
        (["a-1", "bc-20"], "stems", ["<lower>+-<digit>+"]),
        (["-1.5", "20"], "numbers", ["<num>"]),
        (["1.50", "20.25", "7.00", "8.12"], "formats", ["<digit>+.<digit>{2}"]),
        (["3f2a-11", "9c01-22", "77aa-01", "ab12-90"], "chunks", ["<alphanum>{4}-<digit>{2}"]),
        (["https://a.org/x/1.png", "https://a.org/y.png"], "affixes", ["https://a.org/<all>.png"]),
    ],
)
def test_what_a_person_would_write(values: list[str], level: str, wanted: list[str]) -> None:
    found = union(dict.fromkeys(values, 1), level)
    assert found is not None
    assert [str(pattern) for pattern in found.patterns] in ([one] for one in wanted)


@pytest.mark.parametrize("level", UNION_LEVELS[:-1])
def test_of_few_different_values_neither_lengths_nor_texts_are_kept(level: str) -> None:
    """However many rows they fill: what was drawn is the number of different values. Nor are days of one month a
    constant."""
    for few in (["1.7.13", "1.7.14"], ["SO-1"], ["2024-11-09", "2024-11-16", "2024-11-23"]):
        found = union(dict.fromkeys(few, 500), level)
        assert found is not None
        assert not any(token.size or token.text.isalnum() for token in found.patterns[0].tokens), (few, found)


def test_constants_that_chunks_keep_are_no_digits() -> None:
    found = union(dict.fromkeys([f"{day:02d}.07.2016" for day in range(1, 29)], 1), "chunks")
    assert found is not None
    assert [str(pattern) for pattern in found.patterns] == ["<digit>{2}.<digit>{2}.<digit>{4}"]


def test_a_large_batch_tells_another_prefix_by_the_bounds_of_its_characters() -> None:
    """Of many distinct values a state lists few; the least and largest character at each position show the rest."""
    candidate = Candidate("names", ("SO<digit>{5}",))
    clean, other = orders(2000), orders(20, "PO")
    seen = [profile(fold(pa.table({"x": rows})).columns["x"]) for rows in (clean, [*clean, *other], orders(2000, "PO"))]
    assert [one.values for one in seen if one] == [None] * 3
    counts = [candidate.nonconforming(one) for one in seen if one]
    assert counts[0] == 0
    assert 1 <= counts[1] <= 20
    assert counts[2] == 2000


@given(st.integers(0, 10**6), st.sampled_from(["last_cut", "lower", "digit_as_letter", "doubled"]))
@settings(max_examples=25)
def test_a_state_never_counts_more_than_there_are(seed: int, key: str) -> None:
    import numpy as np

    r = random.Random(seed)
    rows = [f"SO{r.randint(0, 99999):05d}" for _ in range(400)]
    damaged = DAMAGE[key].damage(rows, np.random.default_rng(seed), share=r.random())
    assert damaged is not None
    coarse, exact = profile(fold(pa.table({"x": damaged})).columns["x"]), profile_values((v, 1) for v in damaged)
    for level in UNION_LEVELS:
        found = union(dict.fromkeys(rows, 1), level)
        if found is None:
            continue
        candidate = Candidate(level, tuple(map(str, found.patterns)))
        assert coarse is not None
        assert candidate.nonconforming(coarse) <= candidate.nonconforming(exact)


def test_three_engines_read_the_patterns_alike() -> None:
    """Python, Rust's regular expressions and RE2; Spark's Java has a test of its own."""
    r = random.Random(7)
    pool = ["SO", "po", "é", "17", "007", "3.5", "-", "/", " ", "\n", ".", "+", "(", "\\", "$", "日"]
    texts = ["".join(r.choice(pool) for _ in range(r.randint(1, 6))) for _ in range(120)]
    for _ in range(150):
        level = r.choice(UNION_LEVELS)
        found = union(dict.fromkeys(r.sample(texts, 2), 1), level)
        for pattern in found.patterns if found else ():
            body = pattern.body
            python = [re.fullmatch(body, text) is not None for text in texts]
            rust = pl.Series(texts).str.contains(rf"\A(?:{body})\z").to_list()
            assert rust == python, body
            if r.random() < 0.2:
                query = "SELECT regexp_full_match(unnest($t), $p, 's')"
                rows = duckdb.execute(query, {"t": texts, "p": body}).fetchall()
                assert [row[0] for row in rows] == python, body
