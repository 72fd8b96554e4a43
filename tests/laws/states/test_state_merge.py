"""States are a commutative monoid, and every metric of a merge is that of the union within the bound it states."""

from __future__ import annotations

import itertools
import random
from functools import reduce

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from state_columns import Naive, columns, split

from catalog.states.column import ColumnState
from catalog.states.encoding import encode
from catalog.states.folding.fold import fold
from catalog.states.folding.hashing import hash_values
from catalog.states.metrics import metrics
from catalog.states.parts.distinct import FULL, truncate
from catalog.states.parts.exact import as_float
from catalog.states.parts.shapes import shape_of
from catalog.states.table import TableState, merge, merge_all

CUTS = st.lists(st.floats(0, 1), max_size=6)
FEW = settings(max_examples=60, deadline=None)


def state_of(array: pa.Array) -> TableState:
    return fold(pa.table({"x": array}))


def agrees(state: ColumnState, naive: Naive) -> None:
    """The state tells the truth about the naive model, exactly or within its bounds."""
    assert (state.rows, state.nulls, state.nans) == (naive.rows, naive.nulls, naive.nans)
    if state.table is not None:
        assert dict(state.table) == naive.counts
    if not naive.counts:
        assert state.low is None
        assert state.moments is None
        assert state.distinct.estimate() == 0
        return
    values = naive.counts
    if state.kind != "string":
        assert (state.low, state.high) == (min(values), max(values))
    distinct_agrees(state, naive)
    frequent_agrees(state, naive)
    if state.kind in ("number", "time"):
        numbers_agree(state, naive)
    if state.kind == "string":
        strings_agree(state, naive)


def distinct_agrees(state: ColumnState, naive: Naive) -> None:
    d = state.distinct
    whole = list(naive.counts)
    hashes = truncate(hash_values(whole))
    below = {int(h): naive.counts[v] for h, v in zip(hashes, whole, strict=True) if int(h) < d.threshold}
    assert dict(zip(d.hashes.tolist(), d.counts.tolist(), strict=True)) == below  # nothing missing, counts exact
    assert d.rows == naive.n
    if state.kind == "string":
        written = {int(h): str(v).encode()[:256].decode(errors="ignore") for h, v in zip(hashes, whole, strict=True)}
        assert [written[int(h)] for h in d.hashes[: len(d.values)]] == list(d.values)
        assert len(d.values) >= min(len(d.hashes), 8)
    else:
        assert not d.values
    if d.exact:
        assert d.estimate() == len(whole)
        assert d.singletons() == sum(c == 1 for c in naive.counts.values())
    else:
        assert abs(d.estimate() - len(whole)) <= 6 * len(whole) * d.error + 1


def frequent_agrees(state: ColumnState, naive: Naive) -> None:
    f = state.frequent
    # by hash: long strings are cut and may look alike
    true = dict(zip(map(int, truncate(hash_values(list(naive.counts)))), naive.counts.values(), strict=True))
    listed = dict(zip(f.hashes, (count for _, count in f.items), strict=True))
    for h, count in listed.items():
        assert count <= true[h] <= count + f.undercount
    assert f.undercount <= f.most_unlisted
    assert all(count <= f.most_unlisted for h, count in true.items() if h not in listed)
    assert [c for _, c in f.items] == sorted((c for _, c in f.items), reverse=True)
    assert f.most_unlisted <= 4 * naive.n / 17 + 8  # no more than a few levels of merging can miss


def numbers_agree(state: ColumnState, naive: Naive) -> None:
    ordered = np.array([as_float(v) for v in naive.ordered])
    finite = ordered[np.isfinite(ordered)]
    m, q = state.moments, state.quantiles
    assert q is not None
    assert q.n == naive.n
    for x in np.unique(ordered)[:: max(1, len(ordered) // 50)]:
        assert abs(q.rank(x) - np.searchsorted(ordered, x, side="right") / len(ordered)) <= q.error + 1e-9
    assert q.values[0] == ordered[0]
    assert q.values[-1] == ordered[-1]
    if len(finite) == 0:
        return
    assert m is not None
    assert m.n == len(finite)
    assert m.mean == pytest.approx(finite.mean(), rel=1e-12, abs=1e-9)
    step = float(np.spacing(np.abs(finite).max()))  # doubles of this size are so far apart
    assert abs(m.variance - finite.var()) <= 1e-9 * finite.var() + 4 * step * finite.std() + step**2
    if not isinstance(m.total, float) and state.kind == "number":
        assert m.total == sum(naive.counts.elements())


def strings_agree(state: ColumnState, naive: Naive) -> None:
    cells = list(naive.counts.elements())
    assert state.lengths is not None
    assert state.shapes is not None
    assert state.empties == naive.counts[""]
    assert (state.lengths.n, state.lengths.chars) == (len(cells), sum(map(len, cells)))
    assert (state.lengths.shortest, state.lengths.longest) == (min(map(len, cells)), max(map(len, cells)))
    assert state.lengths.digits == sum(c in "0123456789" for cell in cells for c in cell)
    assert state.lengths.other == sum(not c.isascii() for cell in cells for c in cell)
    assert state.shapes.rows == len(cells)
    true: dict[str, list[str]] = {}
    from catalog.states.parts.shapes import coarsen

    for value in naive.counts:
        true.setdefault(coarsen(shape_of(value), state.shapes.level)[:256], []).append(value)
    for shape in state.shapes.items:
        assert shape.count <= sum(naive.counts[v] for v in true[shape.text])
        if shape.low and not state.shapes.other:
            positions = list(zip(*true[shape.text], strict=True))
            assert shape.low == "".join(map(min, positions))
            assert shape.high == "".join(map(max, positions))


@FEW
@given(columns(), CUTS, st.randoms(use_true_random=False))
def test_merge_of_parts_is_the_union(array: pa.Array, cuts: list[float], r: random.Random) -> None:
    parts = [state_of(part) for part in split(array, cuts)]
    r.shuffle(parts)
    whole, naive = state_of(array), Naive.of(array)
    agrees(whole.columns["x"], naive)
    merged = merge_all(parts)
    agrees(merged.columns["x"], naive)
    assert (merged.rows, merged.complete_rows) == (whole.rows, whole.complete_rows)
    if whole.columns["x"].table is not None:
        assert merged.columns["x"].table == whole.columns["x"].table
        one, other = metrics(merged.columns["x"]), metrics(whole.columns["x"])
        assert one == other


@FEW
@given(columns(), st.lists(st.floats(0, 1), min_size=2, max_size=4))
def test_merge_is_associative_and_commutative(array: pa.Array, cuts: list[float]) -> None:
    parts = [state_of(part) for part in split(array, cuts)]
    naive = Naive.of(array)
    left = reduce(merge, parts)
    right = reduce(lambda a, b: merge(b, a), reversed(parts))
    flat = merge_all(parts)
    for merged in (left, right, flat, merge_all(reversed(parts))):
        agrees(merged.columns["x"], naive)
        assert merged.row_distinct == flat.row_distinct or merged.row_distinct.threshold != flat.row_distinct.threshold
        if flat.columns["x"].table is not None:
            assert merged.columns["x"].table == flat.columns["x"].table
        if flat.columns["x"].distinct.threshold == FULL:
            assert merged.columns["x"].distinct == flat.columns["x"].distinct


@FEW
@given(columns(), columns())
def test_the_empty_state_is_the_identity_and_no_input_changes(a: pa.Array, b: pa.Array) -> None:
    one, other = state_of(a), state_of(b)
    before = encode(one), encode(other)
    merge(one, other)
    assert (encode(one), encode(other)) == before
    for merged in (merge(one, TableState.empty()), merge(TableState.empty(), one), merge_all([one])):
        assert merged == one
        assert encode(merged) == before[0]


def test_three_increments_equal_a_recomputation() -> None:
    r = random.Random(5)
    batches = [[r.choice("abcdefgh") * r.randrange(4) for _ in range(500)] for _ in range(3)]
    running = TableState.empty()
    for batch in batches:
        running = merge(running, fold(pa.table({"x": batch})))
    assert running.columns["x"] == fold(pa.table({"x": list(itertools.chain(*batches))})).columns["x"]


def test_the_sampled_values_of_a_union_are_those_of_its_parts_as_far_as_they_are_known() -> None:
    r = random.Random(3)
    cells = [f"{r.randrange(3000)}" * r.randrange(1, 9) for _ in range(12_000)]
    whole = fold(pa.table({"x": cells})).columns["x"].distinct
    parts = [fold(pa.table({"x": cells[i::5]})) for i in range(5)]
    assert 8 <= len(whole.values) <= 64
    for merged in (merge_all(parts), reduce(merge, parts), reduce(merge, reversed(parts))):
        assert merged.columns["x"].distinct.values == whole.values


def test_replacing_one_partition_needs_only_that_partition() -> None:
    parts = {name: fold(pa.table({"x": [f"{name}{i}" for i in range(200)]})) for name in ("DE", "US", "CN")}
    parts["US"] = fold(pa.table({"x": [f"US{i}" for i in range(100, 400)]}))
    merged = merge_all(parts.values()).columns["x"]
    assert merged.rows == 700
    assert merged.distinct.estimate() == pytest.approx(700, rel=0.2)


def test_a_column_that_came_later_is_null_before() -> None:
    old, new = fold(pa.table({"a": [1, 2]})), fold(pa.table({"a": [3], "b": ["x"]}))
    merged = merge(old, new)
    assert (merged.columns["b"].rows, merged.columns["b"].nulls) == (3, 2)
    assert merged.complete_rows == 1
    same = fold(pa.table({"a": [1, 2, 3], "b": [None, None, "x"]}))
    assert merged == same
    assert merge(new, old).columns["b"] == merged.columns["b"]


def test_a_widened_type_keeps_its_values() -> None:
    merged = merge(fold(pa.table({"a": pa.array([1, 2], pa.int32())})), fold(pa.table({"a": [2.0, 2.5]}))).columns["a"]
    assert (merged.kind, merged.type) == ("number", "double")
    assert merged.values() == [(2, 2), (1, 1), (2.5, 1)]
    assert merged.distinct.estimate() == 3


def test_a_column_that_changed_its_kind_keeps_its_counts() -> None:
    many = fold(pa.table({"a": list(range(1000))}))
    merged = merge(many, fold(pa.table({"a": ["x", None]}))).columns["a"]
    assert (merged.kind, merged.rows, merged.nulls, merged.low) == ("other", 1002, 1, None)
    assert 800 < merged.distinct.estimate() < 1200


@pytest.mark.parametrize("files", [2, 8, 40])
@pytest.mark.parametrize(
    ("name", "distinct"),
    [("unique", None), ("uniform", 3000), ("heavy", 3000), ("zipf", 3000), ("ten thousand", 10_000)],
)
def test_distinct_estimate_of_many_files(files: int, name: str, distinct: int | None) -> None:
    r = np.random.default_rng(7)
    n = 4000
    parts, seen = [], set()
    for i in range(files):
        x = {
            "unique": lambda i=i: np.arange(i * n, (i + 1) * n),
            "uniform": lambda: r.integers(0, 3000, n),
            "heavy": lambda: np.where(r.random(n) < 0.9, 1, r.integers(0, 3000, n)),
            "zipf": lambda: np.minimum(r.zipf(1.3, n), 3000),
            "ten thousand": lambda: r.integers(0, 10_000, n),
        }[name]()
        seen.update(x.tolist())
        parts.append(fold(pa.table({"x": [f"v{k}" for k in x]})))
    d = merge_all(parts).columns["x"].distinct
    allowed = 0 if name == "unique" else 0.2
    assert d.estimate() == pytest.approx(len(seen), rel=allowed, abs=1e-6)
    if name == "unique":
        assert d.singletons() == pytest.approx(len(seen))
