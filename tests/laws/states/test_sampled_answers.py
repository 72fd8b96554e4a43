"""An answer from a sample says so, and its bounds hold as often as they say; nothing is demanded beyond them."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import pytest

from catalog.learners.series.bands import clause_of
from catalog.learners.series.scales import scale_of
from catalog.rules.rule import Rule
from catalog.rules.verdict import Batch
from catalog.states.column import ColumnState
from catalog.states.folding.fold import fold
from catalog.states.folding.hashing import splitmix
from catalog.states.metrics import bounds, metrics
from catalog.states.parts.distinct import MERGED_SAMPLE, Distinct, sample
from catalog.states.table import TableState, merge_all
from catalog.tags.privacy.figures import profile
from web.shown.profile import portrait

ROWS = 120_000


def ids(start: int, stop: int) -> ColumnState:
    return fold(pa.table({"id": np.arange(start, stop)})).columns["id"]


@pytest.fixture(scope="module")
def doubled() -> ColumnState:
    """Files of 120,000 ids, and one that brings 100 of them again."""
    files = [(0, 60_000), (60_000, ROWS), (500, 600)]
    return merge_all(fold(pa.table({"id": np.arange(*one)})) for one in files).columns["id"]


def test_uniqueness_of_a_sample_is_never_certain(doubled: ColumnState) -> None:
    once, distinct = (ROWS - 100) / (ROWS + 100), ROWS / (ROWS + 100)
    found = bounds(doubled)
    for name, true in (("uniqueness", once), ("unique_ratio", distinct), ("dist_val_count", float(ROWS))):
        low, high = found[name]
        assert low <= true <= high
        assert low < metrics(doubled)[name] <= high
        assert high - low <= 0.055 * true  # of two files' 128 sampled ids each, one of which is there twice
    assert bounds(ids(0, 1000)) == {}  # of one file it is a count


def test_words_for_a_missing_value_are_counted_within_their_bounds() -> None:
    rng, rows = np.random.default_rng(3), 4_000
    files = [[f"item {k}" for k in rng.zipf(1.3, rows)] for _ in range(6)]
    for cells, share in zip(files, (0.0, 0.05, 0.0, 0.001, 0.0, 0.002), strict=True):
        cells[: int(share * rows)] = ["n/a"] * int(share * rows)
    merged = merge_all(fold(pa.table({"item": cells})) for cells in files).columns["item"]
    true = sum(cells.count("n/a") for cells in files) / (6 * rows)
    low, high = bounds(merged)["marked_ratio"]
    assert metrics(merged)["marked_ratio"] == low <= true <= high < true + 0.01
    assert metrics(fold(pa.table({"item": files[1]})).columns["item"])["marked_ratio"] == 0.05


def test_a_sampled_answer_is_shown_with_its_bounds(doubled: ColumnState) -> None:
    shown = dict(portrait(profile(doubled)).figures)
    for words in ("Distinct values", "Rows whose value occurs once"):
        assert shown[words].startswith("about ")
        assert " to " in shown[words]
    exact = dict(portrait(profile(ids(0, 1000))).figures)
    assert (exact["Distinct values"], exact["Rows whose value occurs once"]) == ("1,000", "100%")
    old = {"rows": 9, "distinct": 7, "distinct_exact": False}  # of an earlier release
    assert dict(portrait(old).figures)["Distinct values"] == "about 7"


def test_a_verdict_on_a_sample_says_about(doubled: ColumnState) -> None:
    clauses = [{"metric": "unique_ratio", "lag": 0, "log": False, "low": 0.9999, "high": 1.0}]
    rule = Rule("history", "id", {"clauses": clauses}, 0.001, "x", "avh")

    def said(column: ColumnState) -> str:
        state = TableState(column.rows, column.rows, {"id": column})
        return rule.judge(Batch(3, "snapshot", state, None, [], datetime(2026, 1, 1, tzinfo=UTC))).sentence

    assert re.search(r" about 99\.\d+% of the rows \(9\d\.\d+% to .*% in 95 of 100 samples\), expected", said(doubled))
    whole = merge_all(fold(pa.table({"id": np.arange(*one)})) for one in [(0, 60_000), (500, 60_000)])
    clauses = [{"metric": "duplicate_ratio", "lag": 0, "log": False, "low": 0.0, "high": 0.01}]
    volume = Rule("volume", None, {"clauses": clauses}, 0.001, "x", "volume")
    told = volume.judge(Batch(3, "snapshot", whole, None, [], datetime(2026, 1, 1, tzinfo=UTC))).sentence
    assert re.search(r"about \d\d(\.\d+)?% of the rows are duplicates \(4\d\.\d+% to 5\d[.0-9]*% in 95", told)
    counted = fold(pa.table({"id": [*range(1000), *range(100)]})).columns["id"]
    assert re.search(r" 90\.9\d?% of the rows, expected", said(counted))


def drawn(seed: int, twice: int, keep: int = MERGED_SAMPLE, skewed: bool = False) -> Distinct:
    """The merged sample of `ROWS` values, `twice` of which have two rows, or a few rows to very many."""
    hashes = np.sort(splitmix(np.arange(ROWS, dtype=np.uint64) + np.uint64(seed * 10**6)))
    counts = np.ones(ROWS, np.int64)
    rng = np.random.default_rng(seed)
    counts[rng.choice(ROWS, twice, replace=False)] = 1 + rng.geometric(0.2, twice) if skewed else 2
    return replace(sample(hashes, counts, keep), known=None)  # as after a merge


@pytest.mark.parametrize("keep", [128, MERGED_SAMPLE])
@pytest.mark.parametrize(("twice", "skewed"), [(0, False), (100, False), (20_000, False), (20_000, True), (ROWS, True)])
def test_bounds_hold_as_often_as_they_say(twice: int, skewed: bool, keep: int) -> None:
    held = once = 0
    for seed in range(200):
        found = drawn(seed, twice, keep, skewed)
        low, high = found.bounds()
        held += low <= ROWS <= high
        low, high = found.singleton_bounds()
        once += low <= ROWS - twice <= high
    assert min(held, once) >= 182  # 95% of 200, less two and a half deviations


def test_bounds_of_ids_are_as_close_as_the_sample_allows() -> None:
    """Of 1,024 sampled ids that all differ, less than .5% can be there twice; with a fifth of them twice, within 3%."""
    low, high = drawn(1, 0).bounds()
    assert (high - low) / ROWS < 0.005
    low, high = drawn(1, ROWS // 5).bounds()
    assert (high - low) / ROWS < 0.05


def test_no_rule_demands_more_uniqueness_than_a_sample_can_show() -> None:
    past = [{"row_count": float(ROWS), "unique_ratio": 1.0, "dist_val_count": float(ROWS)}] * 40
    clause = clause_of("unique_ratio", [1.0] * 40, scale_of(past), 0.01, 40)
    assert clause is not None
    least = clause.low + (1.0 if clause.lag else 0.0)
    healthy = [drawn(seed, 100) for seed in range(100)]
    assert min(one.estimate() / one.rows for one in healthy) >= least
