"""A lake's own batches calibrate its rules: first ones against later ones, without those a person called bad."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from catalog.evidence.pattern_index.index import PatternIndex
from catalog.evidence.pattern_index.starter import add_starter
from catalog.flow.context import Context, Progress
from catalog.flow.crawl import crawl_source
from catalog.flow.learning import index as flow_index
from catalog.flow.learning.fingerprint import made_of
from catalog.flow.learning.index import Gathering, open_index
from catalog.flow.learning.replays import replay_pairs
from catalog.flow.reading.observe import read_log
from catalog.flow.reading.sources import add_source
from catalog.flow.reading.states import States
from catalog.store.lake import tables, versions

pytestmark = pytest.mark.spark


def batch(day: int, *, bad: bool = False) -> pa.Table:
    rng = random.Random(day)
    code = "?????" if bad else "AB-{}"
    return pa.table({"code": [code.format(rng.randrange(1000, 9999)) for _ in range(50)], "n": list(range(50))})


@pytest.fixture
def beginning(context: Context, tmp_path: Path) -> None:
    """A lake that begins with few columns of others: what they replayed is asked again wherever trees are grown."""
    index = PatternIndex()
    add_starter(index, 40)
    index.model, index.made_of = PatternIndex.open(context.settings.starter_path).model, made_of()
    index.save(tmp_path / "starter")
    context.settings = context.settings.model_copy(update={"starter_index": str(tmp_path / "starter")})


@pytest.mark.usefixtures("beginning")
def test_batches_are_replayed_and_the_calibration_is_fitted_again(
    context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "lake"
    for day in range(6):
        write_deltalake(str(root / "codes"), batch(day, bad=day == 4), mode="append")
    for version in range(3):
        write_deltalake(str(root / "whole"), batch(10 + version % 2), mode="overwrite")  # the last as the first
    crawl_source(context, add_source(context, "lake", str(root)).id or 0)
    index = open_index(context.settings)
    assert index.replayed() == 2
    own = [replay for replay in index.replays if replay.column == "code" and not replay.table.startswith("starter:")]
    rows = sorted(int(replay.rows[0]) for replay in own)
    assert rows == [50, 50, 50, 100, 150, 250]  # three snapshots two by two; increments cut at 1, 3 and 4 of 6

    with context.reading() as session:
        table = tables.get_table(session, "codes")
    with context.transaction() as session:
        versions.set_version(session, table.id or 0, 4, label="incident")
    observed = read_log(context, table)
    tails = {tail.rows for _, tail in replay_pairs(context, observed)["code"]}
    assert tails == {200, 150, 50}  # five batches are left

    monkeypatch.setattr(flow_index, "LEAST_REPLAYED", 2)  # a lake of a hundred columns would take minutes
    before = index.model
    latest = States(context, table.id or 0).merged(observed.latest_keys)
    assert latest is not None
    gathering = Gathering(context, Progress(context, None))
    gathering.add(observed, latest)
    again = gathering.finish()
    assert again is not None
    assert again.fitted == 2
    assert again.model is not None
    assert before is not None
    assert not (again.model.trees.leaves == before.trees.leaves).all()
    assert open_index(context.settings).fitted == 2
