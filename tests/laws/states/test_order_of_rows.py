"""How rows follow each other is counted, adds up, is stored, and is read from what an older program stored."""

from __future__ import annotations

import itertools
import random

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.evidence.calibrated.features import COLUMN, UNKNOWN, training_features
from catalog.evidence.clauses.candidates import candidates
from catalog.evidence.pattern_index.views import profile, profile_rows
from catalog.states.column import ColumnState, Order
from catalog.states.encoding import decode, encode
from catalog.states.folding.fold import fold
from catalog.states.parts.order import order_of_texts
from catalog.states.table import merge_all

CELLS = st.lists(st.one_of(st.none(), st.sampled_from(["", "a", "b", "B", "ä", "aa"])), max_size=40)


def column(cells: list[str | None]) -> ColumnState:
    return fold(pa.table({"x": pa.array(cells, pa.string())})).columns["x"]


def counted(cells: list[str | None]) -> Order:
    there = [cell.encode() for cell in cells if cell]
    pairs = list(itertools.pairwise(there))
    return Order(len(pairs), sum(a == b for a, b in pairs), sum(a < b for a, b in pairs))


@given(st.lists(st.text(st.sampled_from("aé\ud800\ue000\uffff😀"), max_size=2)))
def test_texts_compare_as_their_bytes_do(texts: list[str]) -> None:
    there = [text.encode("utf-8", "surrogatepass") for text in texts if text]
    pairs = list(itertools.pairwise(there))
    assert order_of_texts(texts) == Order(len(pairs), sum(a == b for a, b in pairs), sum(a < b for a, b in pairs))


@settings(deadline=None)
@given(st.lists(CELLS, min_size=1, max_size=4))
def test_orders_add_up_over_batches_and_survive_storage(batches: list[list[str | None]]) -> None:
    states = [fold(pa.table({"x": pa.array(cells, pa.string())})) for cells in batches]
    some = [counted(cells) for cells in batches if any(c is not None for c in cells)]
    merged = merge_all(states)
    if some:
        total = Order(*(sum(getattr(o, name) for o in some) for name in ("pairs", "equal", "rising")))
        assert merged.columns["x"].order == total
    stored = decode(encode(merged))
    assert [c.order for c in stored.columns.values()] == [c.order for c in merged.columns.values()]


def test_features_tell_a_sorted_column_from_a_shuffled_one() -> None:
    values = sorted(f"{i % 20:02d}" for i in range(100))
    mixed = random.Random(0).sample(values, len(values))
    at = [COLUMN.index(name) for name in ("sorted", "repeats", "clustered")]
    found = candidates(profile_rows(values))
    told = {name: training_features(profile_rows(v), found, 9.0)[0, at] for name, v in (("s", values), ("m", mixed))}
    assert told["s"][0] == 1.0
    assert told["m"][0] < 0.7
    assert told["s"][2] > 0.5
    assert abs(told["m"][2]) < 0.1
    unknown = profile(column(["only"]))
    assert unknown is not None
    assert (training_features(unknown, candidates(unknown), 9.0)[0, at] == UNKNOWN).all()


def test_a_partition_column_follows_itself_as_if_it_were_written_out() -> None:
    for value in ("a", "", None):
        written = column([value] * 7)
        told = fold(pa.table({"n": range(7)}), constants={"x": (value, pa.string())}).columns["x"]
        assert (told, told.order) == (written, written.order)
