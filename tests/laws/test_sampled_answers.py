"""An answer from a sample says so, and its bounds hold as often as they say; nothing is demanded beyond them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from catalog.flow.learning.profile import profile
from catalog.learners.bands import clause_of, scale_of
from catalog.states.column import ColumnState
from catalog.states.folding.fold import fold
from catalog.states.folding.hashing import splitmix
from catalog.states.metrics import bounds, metrics
from catalog.states.parts.sketches import MERGED_SAMPLE, Distinct, sample
from catalog.states.table import merge_all
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
        assert high - low <= 0.25 * true
    assert bounds(ids(0, 1000)) == {}  # of one file it is a count


def test_a_sampled_answer_is_shown_with_its_bounds(doubled: ColumnState) -> None:
    shown = dict(portrait(profile(doubled)).figures)
    for words in ("Distinct values", "Rows whose value occurs once"):
        assert shown[words].startswith("about ")
        assert " to " in shown[words]
    exact = dict(portrait(profile(ids(0, 1000))).figures)
    assert (exact["Distinct values"], exact["Rows whose value occurs once"]) == ("1,000", "100%")
    old = {"rows": 9, "distinct": 7, "distinct_exact": False}  # of an earlier release
    assert dict(portrait(old).figures)["Distinct values"] == "about 7"


def drawn(seed: int, twice: int) -> Distinct:
    """The merged sample of `ROWS` values, `twice` of which have two rows."""
    hashes = np.sort(splitmix(np.arange(ROWS, dtype=np.uint64) + np.uint64(seed * 10**6)))
    counts = np.ones(ROWS, np.int64)
    counts[np.random.default_rng(seed).choice(ROWS, twice, replace=False)] = 2
    return replace(sample(hashes, counts, MERGED_SAMPLE), known=None)  # as after a merge


@pytest.mark.parametrize("twice", [0, 100, 20_000])
def test_bounds_hold_as_often_as_they_say(twice: int) -> None:
    held = once = 0
    for seed in range(200):
        found = drawn(seed, twice)
        low, high = found.bounds()
        held += low <= ROWS <= high
        low, high = found.singleton_bounds()
        once += low <= ROWS - twice <= high
    assert min(held, once) >= 182  # 95% of 200, less two and a half deviations


def test_no_rule_demands_more_uniqueness_than_a_sample_can_show() -> None:
    past = [{"row_count": float(ROWS), "unique_ratio": 1.0, "dist_val_count": float(ROWS)}] * 40
    clause = clause_of("unique_ratio", [1.0] * 40, scale_of(past), 0.01, 40)
    assert clause is not None
    least = clause.low + (1.0 if clause.lag else 0.0)
    healthy = [drawn(seed, 100) for seed in range(100)]
    assert min(one.estimate() / one.rows for one in healthy) >= least
