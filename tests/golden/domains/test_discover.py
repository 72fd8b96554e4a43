"""Domains found in a lake and tags by example, on a small lake whose domains are known."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from catalog.evidence.pattern_index.index import PatternIndex
from catalog.states.column import ColumnState
from catalog.states.folding.fold import fold
from catalog.tags.discovery.discover import as_domain, discover
from catalog.tags.discovery.example import tag_by_example, tag_pattern
from catalog.tags.propose import propose_tags


def _lake() -> dict[str, dict[str, ColumnState]]:
    r = random.Random(7)
    lake = {}
    for table in range(8):
        n = 60 + 30 * table
        columns = {
            "order_no": [f"SO{r.randint(10000, 99999)}" for _ in range(n)],
            "ordered": [f"2024-{r.randint(1, 12):02d}-{r.randint(1, 28):02d}" for _ in range(n)],
            "ticket": [f"{r.choice('ABC')}-{r.randint(100, 999)}/{r.randint(10, 99)}" for _ in range(n)],
            "remark": [
                " ".join(r.choice(["good", "late", "Blue", "x", "door 4"]) for _ in range(r.randint(1, 5)))
                for _ in range(n)
            ],
            "mail": [f"u{r.randint(1, 999)}@example.com" for _ in range(n)],
        }
        lake[f"t{table}"] = fold(pa.table({k: pa.array(v, pa.string()) for k, v in columns.items()})).columns
    return lake


@pytest.fixture(scope="module")
def lake() -> dict[str, dict[str, ColumnState]]:
    return _lake()


@pytest.fixture(scope="module")
def index(lake: dict[str, dict[str, ColumnState]]) -> PatternIndex:
    return PatternIndex.build(lake)


def test_common_patterns_are_found_and_named_where_known(lake, index) -> None:
    found = discover(index, {(t, c): s for t, columns in lake.items() for c, s in columns.items()})
    by_column = {d.described[0][1]: d for d in found}
    assert set(by_column) == {"order_no", "ordered", "ticket", "mail"}
    assert by_column["ordered"].domain == "date"
    assert by_column["mail"].domain == "email"
    assert by_column["ticket"].domain is None
    assert all(len(d.described) == 8 and d.tables == 8 and d.impurity <= 0.1 for d in found)


def test_an_example_tags_its_like_and_nothing_else(index) -> None:
    found = tag_by_example(["B-104/22", "C-999/10", "A-555/71"], index)
    best = next(p for p in found if p.recommended)
    assert {(table, column) for table, column, _ in best.described} == {(f"t{i}", "ticket") for i in range(8)}
    assert best.coverage == 8
    assert [p.coverage for p in found] == sorted(p.coverage for p in found)
    assert tag_by_example([], index) == []
    assert tag_by_example(["", " "], index) == []


def test_the_starter_is_no_part_of_the_lake(lake) -> None:
    index = PatternIndex.build({f"starter:{key}": columns for key, columns in lake.items()})
    assert discover(index, {("t0", c): s for c, s in lake["t0"].items()}) == []
    assert all(not p.described for p in tag_by_example(["B-104/22", "C-999/10"], index))


def test_an_empty_index_answers(lake) -> None:
    assert discover(PatternIndex(), {("t0", c): s for c, s in lake["t0"].items()}) == []
    assert all(p.coverage == 0 for p in tag_by_example(["B-104/22"], PatternIndex()))


def test_a_named_pattern_is_proposed_beside_known_domains(lake, index) -> None:
    ours = as_domain("order_number", "Order number", "SO[0-9]{5}", chance=1e-4)
    found = propose_tags(lake["t3"]["order_no"], "c", domains=[ours], index=index)
    assert found[0].domain == "order_number"
    assert found[0].evidence["columns_with_it"] == 8
    assert found[0].evidence["main_pattern"] == "A0"


def test_a_written_pattern_finds_the_same_columns(index) -> None:
    found = tag_pattern("A-000/00", index)
    assert {view.kind for view in found} >= {"shape"}
    best = next(one for one in found if one.kind == "shape")
    assert {(table, column) for table, column, _ in best.described} == {(f"t{i}", "ticket") for i in range(8)}
    assert 0 < best.chance < 0.01
    assert tag_pattern("no such", index) == []
    assert tag_pattern("", index) == []


def test_a_common_pattern_is_likelier_to_be_hit_by_chance(index) -> None:
    narrow = next(one for one in tag_by_example(["B-104/22", "C-999/10", "A-555/71"], index) if one.recommended)
    texts = tag_by_example(["good", "late", "Blue door", "x y z"], index)
    assert narrow.chance < max(one.chance for one in texts)
