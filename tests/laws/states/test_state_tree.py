"""A tree of merges is a function of the files, changes where they change, and says what a flat merge says."""

from __future__ import annotations

import random

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from state_columns import Naive, columns, split
from test_state_merge import agrees, state_of

from catalog.states.encoding import decode, encode
from catalog.states.folding.fold import fold
from catalog.states.metrics import metrics
from catalog.states.parts.summaries import INNER
from catalog.states.table import TableState, merge_all, shortened
from catalog.states.tree import MOST_CHILDREN, Node, tree_of


def names(count: int, seed: int = 0) -> list[str]:
    r = random.Random(seed)
    return [f"part-{i % 7:05d}-{r.getrandbits(128):032x}.parquet" for i in range(count)]


def files(node: Node) -> list[str]:
    return [node.key] if node.is_file else [key for child in node.children for key in files(child)]


def merged(node: Node, states: dict[str, TableState]) -> TableState:
    """As a catalog does that keeps what it merged: written and read again between the levels."""
    if node.is_file:
        return states[node.key]
    return decode(encode(merge_all([merged(child, states) for child in node.children], INNER)))


def test_a_change_touches_one_branch() -> None:
    keys = names(10_000)
    before = {node.digest for node in tree_of(keys).inner()}
    assert len(before) < 10_000 / 4
    for changed in (
        [*keys, "new"],
        keys[:-1],
        keys[1:],
        [*keys[:5000], *keys[5001:]],
        [*keys[:777], "new", *keys[777:]],
    ):
        tree = tree_of(changed)
        assert files(tree) == changed
        new = [node for node in tree.inner() if node.digest not in before]
        assert sum(len(node.children) for node in new) < 200


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 400), st.integers(0, 10**6))
def test_every_tree_holds_its_files_in_order(count: int, seed: int) -> None:
    keys = names(count, seed)
    tree = tree_of(keys)
    assert files(tree) == keys
    assert all(2 <= len(node.children) <= MOST_CHILDREN for node in tree.inner())


@settings(max_examples=40, deadline=None)
@given(columns(), st.lists(st.floats(0, 1), min_size=33, max_size=80), st.integers(0, 99))
def test_merged_along_a_tree_is_merged_at_once(array: pa.Array, cuts: list[float], seed: int) -> None:
    parts = [state_of(part) for part in split(array, cuts)]
    keys = names(len(parts), seed)
    flat = merge_all(parts).columns["x"]
    tree = shortened(merged(tree_of(keys), dict(zip(keys, parts, strict=True)))).columns["x"]
    agrees(tree, Naive.of(array))
    counts = ("kind", "type", "rows", "nulls", "empties", "nans", "table", "low", "high", "parsed", "distinct", "order")
    assert [getattr(tree, name) for name in counts] == [getattr(flat, name) for name in counts]
    if flat.moments is not None and not isinstance(flat.moments.total, float):
        assert tree.moments is not None
        assert tree.moments.total == flat.moments.total
    if flat.table is not None:  # kept value by value: every figure, to the last bit
        assert metrics(tree) == metrics(flat)
        assert encode(TableState(columns={"x": tree})) == encode(TableState(columns={"x": flat}))


def test_summaries_of_a_tree_are_nearly_as_good_as_those_of_a_flat_merge() -> None:
    r = random.Random(3)
    parts = []
    for day in range(400):
        cells = [r.lognormvariate(day / 400, 1) for _ in range(300)]
        codes = [f"{r.choice('ABCD')}-{min(int(r.paretovariate(0.7)), 10**6)}" for _ in range(300)]
        parts.append(fold(pa.table({"x": cells, "code": codes})))
    keys = names(len(parts))
    flat, tree = merge_all(parts), shortened(merged(tree_of(keys), dict(zip(keys, parts, strict=True))))
    assert tree.row_distinct == flat.row_distinct
    one, other = tree.columns["x"].quantiles, flat.columns["x"].quantiles
    assert one is not None
    assert other is not None
    assert one.error <= 1.5 * other.error
    frequent = tree.columns["code"].frequent
    assert frequent.most_unlisted <= 1.5 * flat.columns["code"].frequent.most_unlisted
    assert frequent.items[:5] == flat.columns["code"].frequent.items[:5]
    assert tree.columns["code"].shapes == flat.columns["code"].shapes
