"""What was merged once is kept: an append merges what it added, whatever the catalog remembers the verdict is the same,
and what is kept stays small."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from singly import count_merged_states, upsert_table
from sqlmodel import select

from catalog.flow.context import Context
from catalog.flow.reading import states as flow_states
from catalog.flow.reading.states import States
from catalog.settings import Settings
from catalog.states.encoding import encode
from catalog.states.folding.fold import fold
from catalog.states.tree import FLAT
from catalog.store.lake import batches, merges, sources, versions
from catalog.store.models import MergedState

HOUR = 3_600_000


@pytest.fixture
def context(home: Path) -> Iterator[Context]:
    """A catalog that asks no lake."""
    context = Context(Settings(home=home))
    yield context
    context.close()


@pytest.fixture
def table_id(context: Context) -> int:
    with context.transaction() as session:
        source = sources.add_source(session, "lake", "/lake")
        return upsert_table(session, source.id or 0, "t", "/lake/t").id or 0


def put(context: Context, table_id: int, numbers: Sequence[int]) -> list[str]:
    """Files with few rows of real states, and their keys: file n was written in hour n."""
    rows = []
    for n in numbers:
        r = random.Random(n)
        cells = {"id": [f"{n:05d}-{i:03d}" for i in range(40)], "x": [r.gauss(n, 1) for _ in range(40)]}
        key = f"part-{n % 3:05d}-{r.getrandbits(64):016x}.parquet"
        rows.append((table_id, key, 40, 4000, encode(fold(pa.table(cells))), n * HOUR))
    with context.transaction() as session:
        versions.put_file_states(session, rows)
    return [row[1] for row in rows]


class Counted:
    """How many states were decoded since it was asked last."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count, real = 0, flow_states.decode

        def decode(data: bytes) -> object:
            self.count += 1
            return real(data)

        monkeypatch.setattr(flow_states, "decode", decode)

    def since(self) -> int:
        count, self.count = self.count, 0
        return count


def test_an_append_merges_what_it_added(context: Context, table_id: int, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = put(context, table_id, range(1500))
    counted = Counted(monkeypatch)
    assert States(context, table_id, keep=True).merged(keys) is not None
    assert counted.since() == 1500
    assert States(context, table_id).merged(keys[::-1]) is not None
    assert counted.since() == 1  # the root

    keys += put(context, table_id, [1500])
    grown = States(context, table_id, keep=True).merged(keys)
    assert counted.since() < 100
    assert grown is not None
    assert grown.rows == 1501 * 40

    del keys[700]
    assert States(context, table_id, keep=True).merged(keys) is not None
    assert counted.since() < 150
    assert States(context, table_id).merged([*keys, "gone"]) is None


def test_a_state_does_not_depend_on_what_came_before(context: Context, table_id: int) -> None:
    r = random.Random(1)
    keys = put(context, table_id, range(200))
    live, states = keys[:60], States(context, table_id, keep=True)
    for key in keys[60:]:
        live.append(key)
        if r.random() < 0.5:
            live.pop(r.randrange(len(live)))
        if r.random() < 0.2:
            assert states.merged(live) is not None
    state = states.merged(live)
    with context.transaction() as session:
        merges.drop_merged_states(session, table_id)
    again = States(context, table_id).merged(r.sample(live, len(live)))
    assert state is not None
    assert again is not None
    assert encode(state) == encode(again)


def test_what_is_kept_is_bounded_and_made_again(context: Context, table_id: int) -> None:
    keys = put(context, table_id, range(300))

    def kept() -> int:
        with context.reading() as session:
            return count_merged_states(session, table_id)

    states = States(context, table_id, keep=True)
    most = 0
    for end in range(FLAT + 1, 301):
        states.merged(keys[:end])
        most = max(most, kept())
    assert most <= 300
    states.prune([keys])
    nodes = kept()
    assert nodes < 300 / 4
    whole = states.merged(keys)
    assert whole is not None

    with context.transaction() as session:
        for row in session.exec(select(MergedState).where(MergedState.table_id == table_id)):
            row.state = row.state[:-1] + b"?"
    after = States(context, table_id, keep=True).merged(keys)
    assert after is not None
    assert encode(after) == encode(whole)
    assert kept() == nodes
    again = States(context, table_id).merged(keys)
    assert again is not None
    assert encode(again) == encode(whole)

    states.prune([])
    assert kept() == 0


def test_few_files_are_merged_at_once_and_nothing_is_kept(context: Context, table_id: int) -> None:
    keys = put(context, table_id, range(FLAT))
    assert States(context, table_id, keep=True).merged(keys) is not None
    with context.reading() as session:
        assert count_merged_states(session, table_id) == 0


def test_a_table_made_again_keeps_no_merge_of_its_predecessor(context: Context, table_id: int) -> None:
    keys = put(context, table_id, range(FLAT + 8))
    States(context, table_id, keep=True).merged(keys)
    with context.transaction() as session:
        assert count_merged_states(session, table_id) > 0
        batches.forget_history(session, table_id)
        assert count_merged_states(session, table_id) == 0
