"""Laws of the pattern index: lookups agree with counting by hand, tables come out exactly, readers survive a swap."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from catalog.domains.missing import MARKERS
from catalog.errors import StateError
from catalog.evidence.calibrated.calibration import fold_of, replay_features
from catalog.evidence.calibrated.features import training_features
from catalog.evidence.calibrated.risk import draws
from catalog.evidence.clauses.candidates import candidates
from catalog.evidence.pattern_index.index import PatternIndex
from catalog.evidence.pattern_index.postings import Keys, Shares
from catalog.evidence.pattern_index.starter import starter_columns
from catalog.evidence.pattern_index.views import Profile, profile, profile_rows, profile_values
from catalog.patterns.images import images
from catalog.patterns.unions import UNION_LEVELS
from catalog.states.folding.fold import fold

VALUE = st.text(st.sampled_from("ab1Z-. é"), min_size=1, max_size=6)
COLUMN = st.lists(VALUE, min_size=1, max_size=12)
TABLES = st.dictionaries(
    st.sampled_from("pqrstu"), st.dictionaries(st.sampled_from("xyz"), COLUMN, min_size=1), min_size=1
)


def looks(tables: dict[str, dict[str, list[str]]]) -> dict[str, dict[str, Profile]]:
    return {t: {c: profile_values(Counter(v).items()) for c, v in columns.items()} for t, columns in tables.items()}


def same(a: PatternIndex, b: PatternIndex) -> None:
    """Equal postings, whatever the order in which tables came in."""
    a.settle()
    b.settle()

    def rows(index: PatternIndex) -> list[tuple[int, str, str, float]]:
        keys, columns, shares = index.postings.rows()
        names = [(index.tables[t], n) for t, n in index.columns]
        return sorted((int(k), *names[c], float(s)) for k, c, s in zip(keys, columns, shares, strict=True))

    assert rows(a) == rows(b)
    assert a.symbol_keys.tolist() == b.symbol_keys.tolist()


@settings(deadline=None)
@given(TABLES, COLUMN)
@example({"p": {"x": ["-1Z"]}}, ["1Z"])  # a number's sign beside a letter is of its own class in every view
def test_match_is_the_share_of_rows_that_conform(tables: dict[str, dict[str, list[str]]], values: list[str]) -> None:
    parts = looks(tables)
    index = PatternIndex.build(parts)
    for candidate in candidates(profile_values(Counter(values).items())):
        match = index.match(candidate)
        for share, (table, name) in zip(match, index.columns, strict=True):
            column = parts[index.tables[table]][name]
            rows = candidate.rows(column)
            if not rows:
                assert share == 1  # nothing that could break it
                continue
            if candidate.kind == "domain" and candidate.accepted[0] not in column.domains:
                assert share == 0  # none of the values tried first belongs to it
                continue
            conforming = 1 - candidate.nonconforming(column) / rows
            if candidate.guards:  # no view knows what has gone wrong with values
                assert share >= conforming - 1e-6
                continue
            if candidate.kind in UNION_LEVELS:  # looked up by what coarser views know of it
                if all(images(text) for text in candidate.accepted):
                    assert share >= conforming - 1e-6
                continue
            assert share == pytest.approx(conforming, abs=1e-6)


@settings(deadline=None)
@given(TABLES, TABLES)
def test_updates_equal_a_build_and_subtraction_is_exact(
    first: dict[str, dict[str, list[str]]], second: dict[str, dict[str, list[str]]]
) -> None:
    index = PatternIndex.build(looks(first))
    for key, columns in looks(second).items():
        index.update(key, columns)
    same(index, PatternIndex.build(looks({**first, **second})))
    for key in second:
        index.subtract(key)
    same(index, PatternIndex.build(looks({k: v for k, v in first.items() if k not in second})))


def small(replays: bool = False) -> PatternIndex:
    index = PatternIndex()
    for name, values in starter_columns(12):
        head, tail = (profile_values(Counter(v).items()) for v in (values[:20], values[20:]))
        index.update(
            f"t/{name}", {name: profile_values(Counter(values).items())}, {name: (head, tail)} if replays else None
        )
    index.settle()
    return index


def test_a_saved_index_opens_equal_and_mapped(tmp_path: Path) -> None:
    index = small(replays=True)
    index.save(tmp_path)
    opened = PatternIndex.open(tmp_path)
    same(index, opened)
    assert isinstance(opened.postings.keys, np.memmap)
    assert [r.column for r in opened.replays] == [r.column for r in index.replays]
    for a, b in zip(index.replays, opened.replays, strict=True):
        assert np.array_equal(a.broken, b.broken)
        assert all(np.array_equal(x, y) for x, y in zip(a.keys, b.keys, strict=True))


def test_a_reader_keeps_its_generation_while_writers_swap(tmp_path: Path) -> None:
    index = small()
    index.save(tmp_path)
    reader = PatternIndex.open(tmp_path)
    before = reader.postings.shares[:50].copy()
    for round_ in range(4):
        index.update("more", looks({"more": {"x": [f"v{round_}", "w"]}})["more"])
        index.save(tmp_path)
    assert np.array_equal(reader.postings.shares[:50], before)
    assert "more" in PatternIndex.open(tmp_path).tables
    assert len([p for p in tmp_path.iterdir() if p.name.startswith("gen-")]) <= 2


def test_a_damaged_or_foreign_index_says_so(tmp_path: Path) -> None:
    home = small().save(tmp_path)
    (home / "meta.json").write_text('{"format": 99, "tables": [], "columns": []}')
    with pytest.raises(StateError, match="99"):
        PatternIndex.open(tmp_path)
    (home / "meta.json").write_text("{")
    with pytest.raises(StateError):
        PatternIndex.open(tmp_path)


def test_an_empty_folder_is_an_empty_index(tmp_path: Path) -> None:
    assert PatternIndex.open(tmp_path / "nothing").columns == []


def test_unknown_views_of_coarse_states_raise_no_alarm() -> None:
    """A column with thousands of shapes is judged by a fine clause only as far as its state tells."""
    random = np.random.default_rng(5)
    words = ["".join(random.choice(list("abcDEF12 -"), random.integers(3, 30))) for _ in range(4000)]
    words = [word for word in words if word not in MARKERS]  # which coarse shapes cannot tell from words
    wide = profile(fold(pa.table({"x": words})).columns["x"])
    exact = profile_values(Counter(words).items())
    assert wide is not None
    assert wide.values is None
    for candidate in candidates(profile_values(Counter(words[:300]).items())):
        assert candidate.nonconforming(wide) <= candidate.nonconforming(exact)


def test_profiles_of_exact_states_equal_those_of_values() -> None:
    for _, values in starter_columns(8):
        few = values[:60]
        seen = profile(fold(pa.table({"x": few})).columns["x"])
        assert seen is not None
        assert seen.tables == profile_values(Counter(few).items()).tables


def test_a_coarse_state_breaks_no_candidate_and_is_no_witness_for_it() -> None:
    index = PatternIndex.build({"a": {"x": Profile(10, "marks", None, {"X-": 10}), "y": profile_values([("a-1", 3)])}})
    wanted = candidates(profile_values([("12", 1)]))[1]
    assert wanted.kind == "shape"
    assert index.match(wanted).tolist() == [1.0, 0.0]
    assert index.knows("shape").tolist() == [False, True]
    assert index.knows("marks").tolist() == [True, True]


def test_no_replay_is_told_its_own_answer() -> None:
    """Columns that ask for the same thing are told the same of the lake, whether they kept to it or not, where their
    tables leave each other out; and something else than a column of another fold."""
    keys = [f"table {i}" for i in range(60)]
    first = next(key for key in keys if fold_of(key) == 0)
    second = next(key for key in keys if fold_of(key) == 0 and key != first)
    other = next(key for key in keys if fold_of(key) == 1)
    head, kept, broke = ["12", "34"] * 20, ["56", "78"] * 20, ["a1b", "c-d"] * 20
    index = PatternIndex()
    for key, tail in ((first, kept), (second, broke), (other, kept)):
        pair = (profile_rows(head), profile_rows(tail))
        index.update(key, {"x": profile_rows(head + tail)}, {"x": pair})
    index.settle()
    told = dict(zip((r.table for r in index.replays), replay_features(index, index.replays, ()), strict=True))
    assert np.array_equal(told[first], told[second])
    assert not np.array_equal(told[first], told[other])


def test_what_several_columns_ask_for_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    alike = [key for i in range(60) if fold_of(key := f"table {i}") == 0]
    head, tail = ["12", "34"] * 20, ["56", "78"] * 20
    index = PatternIndex()
    for key in alike[:4]:
        index.update(key, {"x": profile_rows(head + tail)}, {"x": (profile_rows(head), profile_rows(tail))})
    index.settle()
    looked_up: list[tuple[str, bytes]] = []
    look_up = PatternIndex.match_compact

    def counted(self: PatternIndex, kind: str, numbers: Keys) -> Shares:
        looked_up.append((kind, numbers.tobytes()))
        return look_up(self, kind, numbers)

    monkeypatch.setattr(PatternIndex, "match_compact", counted)
    told = replay_features(index, index.replays, ())
    assert len(told) == 4
    assert all(np.array_equal(one, told[0]) for one in told)
    assert 5 < len(looked_up) == len(set(looked_up))


def test_rows_that_repeat_their_neighbour_are_fewer_draws() -> None:
    names = [f"{letter}{i}" for letter in "abcde" for i in range(4)]
    clustered = profile_rows([name for name in names for _ in range(20)])
    shuffled = profile_rows(random.Random(1).sample([name for name in names for _ in range(20)], 400))
    few, many = (
        float(draws(training_features(seen, candidates(seen, ["runs"]), 9.0))[0]) for seen in (clustered, shuffled)
    )
    assert few < 40
    assert 300 < many <= 400
