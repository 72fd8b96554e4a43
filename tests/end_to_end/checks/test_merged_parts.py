"""Parts of a table as it stands are merged once, kept, and changed by what a version changes."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from sqlmodel import delete, select

from catalog.declared.check import Check
from catalog.errors import MissingFile
from catalog.flow.checking.replaying import replay_version
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source
from catalog.flow.declared import counting, merged
from catalog.flow.declared.counting import apply_checks, table_of
from catalog.flow.reading.sources import add_source
from catalog.lake.scanning.spill import RunFiles
from catalog.store.lake import parts
from catalog.store.models import MergedPart, PartState
from catalog.store.pages.rules import find_outcomes

pytestmark = pytest.mark.spark


def rows(first: int, count: int = 200) -> pa.Table:
    ids = list(range(first, first + count))
    return pa.table({"id": ids, "label": [f"item {n} of {7 * n}" for n in ids], "kind": ["ab"[n % 2] for n in ids]})


def check() -> Check:
    return (
        Check("shop/orders")
        .is_unique("id")
        .is_unique("label")
        .has_count_distinct("kind", at_most=2)
        .has_quantile("id", q=0.5, at_least=0)
        .has_entropy("kind", at_least=0.1)
        .has_size(at_least=1)
        .has_max("id", at_least=1)
    )


def values(context: Context, version: int) -> dict[str, Any]:
    with context.reading() as session:
        table = table_of(context, "shop/orders")
        found = find_outcomes(session, table_id=table.id, version=version, limit=1000).items
    return {rule.learner: one.value for one, rule in found if rule.kind == "declared"}


def judged_again(context: Context, version: int) -> dict[str, Any]:
    """The same without anything merged before."""
    with context.transaction() as session:
        session.exec(delete(MergedPart))
    table = table_of(context, "shop/orders")
    with context.reading() as session:
        said = find_outcomes(session, table_id=table.id, version=version, limit=1000).items
    said = [(one, rule) for one, rule in said if rule.kind == "declared"]
    found = replay_version(context, table, version, said)
    assert found.same, found
    return {one.row.learner: one.verdict.value for one in found.again if one.verdict is not None}


@pytest.fixture
def lake(context: Context, tmp_path: Path) -> Path:
    for version in range(3):
        write_deltalake(str(tmp_path / "lake" / "orders"), rows(200 * version), mode="append")
    add_source(context, "shop", str(tmp_path / "lake"))
    crawl_source(context, "shop")
    apply_checks(context, [check()])
    return tmp_path / "lake"


def test_versions_after_the_first_change_what_is_kept(
    context: Context, lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merged, "MANY", 50)
    table = str(lake / "orders")
    looked: list[int] = []
    real = parts.parts_of

    def seen(session: Any, table_id: int, part: str, files: Any) -> Any:
        looked.append(len(files))
        return real(session, table_id, part, files)

    monkeypatch.setattr(counting.kept, "parts_of", seen)
    write_deltalake(table, rows(600), mode="append")
    crawl_source(context, "shop")
    assert max(looked) == 4
    runs = sorted(path.name for path in (context.settings.home / "groups").rglob("*.arrow"))
    assert len(runs) == 2  # of id and label; kinds are few
    looked.clear()
    write_deltalake(table, rows(795, 6), mode="append")  # five ids stand there twice now
    crawl_source(context, "shop")
    assert set(looked) == {1}
    assert sorted(path.name for path in (context.settings.home / "groups").rglob("*.arrow")) == runs
    looked.clear()
    DeltaTable(table).delete("id < 3")  # a file goes, another comes
    crawl_source(context, "shop")
    found = values(context, 5)
    assert found["declared:is_unique_id"] == (803 - 10) / 803
    assert set(looked) == {1, 2, 5}  # of groups in files what came and what went, all files of the few numbers
    assert looked.count(2) == 2
    for version in (4, 5):
        assert judged_again(context, version) == values(context, version)


def test_groups_beyond_the_limit_are_sorted_files_and_exact(
    context: Context, lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "RunFiles", partial(RunFiles, largest=2_000))
    table = str(lake / "orders")
    write_deltalake(table, rows(590, 300), mode="append")
    told = crawl_source(context, "shop")
    assert told["part_bytes"] > 0
    assert told["group_file_bytes"] > 0
    with context.reading() as session:
        own = table_of(context, "shop/orders").id
        of_files, _ = parts.stored_parts(session, own)
        assert session.exec(select(PartState).where(PartState.error != None)).all() == []  # noqa: E711 - SQL
        assert parts.part_bytes(session, own) < 40_000
    assert len(of_files) == 8  # of id and label, of four files each
    assert all((context.settings.home / "groups" / str(own) / f"{name}.groups.arrow").is_file() for name in of_files)
    found = values(context, 3)
    assert found["declared:is_unique_id"] == found["declared:is_unique_label"] == (900 - 20) / 900
    assert found["declared:has_quantile_id"] == 449.5
    for name in of_files:  # whoever deletes the folder loses nothing
        (context.settings.home / "groups" / str(own) / f"{name}.groups.arrow").unlink()
    with context.transaction() as session:
        session.exec(delete(MergedPart))
    write_deltalake(table, rows(890, 10), mode="append")
    crawl_source(context, "shop")
    assert values(context, 4)["declared:is_unique_id"] == (910 - 20) / 910


def test_a_merge_that_is_damaged_or_gone_is_made_again(
    context: Context, lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merged, "MANY", 50)
    table = str(lake / "orders")
    write_deltalake(table, rows(600), mode="append")
    crawl_source(context, "shop")
    first, second = (context.settings.home / "groups").rglob("*.arrow")
    first.unlink()
    second.write_bytes(b"nonsense")
    write_deltalake(table, rows(800, 10), mode="append")
    crawl_source(context, "shop")
    assert values(context, 4)["declared:is_unique_id"] == 1.0
    assert values(context, 4)["declared:is_unique_label"] == 1.0
    with pytest.raises(MissingFile, match="is gone"):
        RunFiles(first.parent).open("another")
