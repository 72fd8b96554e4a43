"""How long the sentences are that people read of string rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from benchmarks.fmdv.__main__ import SPLIT
from benchmarks.fmdv.data import load
from benchmarks.fmdv.own import halves
from catalog.evidence.pattern_index.index import PatternIndex
from catalog.evidence.pattern_index.starter import starter_columns
from catalog.flow.learning.index import prepare_starter
from catalog.learners.strings import learn_strings
from catalog.settings import Settings
from catalog.states.folding.fold import fold

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def starter(spark_settings: Settings) -> PatternIndex:
    """What a new lake begins with."""
    return PatternIndex.open(prepare_starter(spark_settings))


def lengths(starter: PatternIndex, columns: Iterable[Sequence[str]]) -> list[int]:
    """How many characters are read of the rule of each column of values that has one."""
    states = (fold(pa.table({"x": pa.array(list(column), pa.string())})).columns["x"] for column in columns)
    rules = (learn_strings(state, starter, column="x", own_table=None, budget=0.01) for state in states)
    return [len(rule.sentence) for rule in rules if rule is not None]


def test_rules_of_generated_columns_are_not_long(starter: PatternIndex) -> None:
    """Prose is among them, of which more has to be said."""
    drawn = [values for _, values in starter_columns(120, seed=14)]
    found = lengths(starter, drawn)
    assert len(found) > 0.9 * len(drawn)
    assert np.quantile(found, 0.9) <= 160


def test_rules_of_real_columns_are_read_at_a_glance(starter: PatternIndex, data_dir: Path) -> None:
    """Half of the sentences hold 80 characters, nine of ten 160, of machine-like columns of the repositories that
    choices are made on."""
    lake, queries = load(data_dir)
    develop, _ = halves(lake, SPLIT)
    columns = [lake[query] for query in queries if lake[query].machine_like and lake[query].repo in develop]
    found = lengths(starter, (column.train for column in columns))
    assert len(found) > 150
    assert np.median(found) <= 80
    assert np.quantile(found, 0.9) <= 160
