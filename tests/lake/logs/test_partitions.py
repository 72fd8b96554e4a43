"""Which partitions of time commits write whole, in tables of real writers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from catalog.lake.logs.log import read_commits


def rows(days: list[str], country: str = "DE", **more: Any) -> pa.Table:
    return pa.table({"id": list(range(len(days))), "day": days, "country": [country] * len(days)})


def written(path: Path) -> list[tuple[str, int]]:
    return [(commit.batch, commit.partitions) for commit in read_commits(str(path))]


def test_days_that_replace_days(tmp_path: Path) -> None:
    """Two days each, one of them new; a correction of an old one brings none; a compaction changes nothing."""
    uri = str(tmp_path)
    write_deltalake(uri, rows(["2026-01-01", "2026-01-02"]), partition_by=["day"])
    for last in range(3, 6):
        days = [f"2026-01-0{last - 1}", f"2026-01-0{last}"]
        write_deltalake(uri, rows(days), mode="overwrite", predicate=f"day >= '{days[0]}'")
    write_deltalake(uri, rows(["2026-01-02"]), mode="overwrite", predicate="day = '2026-01-02'")
    write_deltalake(uri, rows(["2026-01-05"]), mode="append")
    DeltaTable(uri).optimize.compact()
    write_deltalake(uri, rows(["2026-01-06"]), mode="append")
    write_deltalake(uri, rows(["2026-01-07", "2026-01-08"]), mode="overwrite")
    assert [found for _, found in written(tmp_path)] == [0, 2, 2, 2, 0, 0, 0, 1, 0]


def test_read_from_any_version_on_it_is_the_same(tmp_path: Path) -> None:
    uri = str(tmp_path)
    for day in range(1, 8):
        write_deltalake(uri, rows([f"2026-01-0{day}"]), mode="append", partition_by=["day"])
        if day == 3:
            DeltaTable(uri).create_checkpoint()
    whole = {commit.number: commit.partitions for commit in read_commits(uri)}
    assert whole == {0: 0} | dict.fromkeys(range(1, 7), 1)
    for after in range(6):
        assert {one.number: one.partitions for one in read_commits(uri, after)}.items() <= whole.items()


def test_other_columns_do_not_part_days(tmp_path: Path) -> None:
    """A day of two countries is one day; one country of it alone is a part of it."""
    uri = str(tmp_path)
    both = ["day", "country"]
    write_deltalake(uri, rows(["2026-01-01"]), partition_by=both)
    day = pa.concat_tables([rows(["2026-01-02"]), rows(["2026-01-02"], "FR")])
    write_deltalake(uri, day, mode="append", partition_by=both)
    again = pa.concat_tables([rows(["2026-01-02"]), rows(["2026-01-03"], "FR")])
    write_deltalake(
        uri, again, mode="overwrite", predicate="day = '2026-01-03' OR country = 'DE' AND day > '2026-01-01'"
    )
    assert written(tmp_path) == [("append", 0), ("append", 1), ("rewrite", 0)]


@pytest.mark.parametrize("column", ["country", "code"])
def test_categories_are_no_time(tmp_path: Path, column: str) -> None:
    uri = str(tmp_path)
    for value in ("DE", "FR", "IT", "DE"):
        data = pa.table({"id": [1, 2], column: [value] * 2})
        if DeltaTable.is_deltatable(uri):
            write_deltalake(uri, data, mode="overwrite", predicate=f"{column} = '{value}'")
        else:
            write_deltalake(uri, data, partition_by=[column])
    assert [found for _, found in written(tmp_path)] == [0, 0, 0, 0]


def test_what_rewrites_rows_in_place_writes_no_partition(tmp_path: Path) -> None:
    uri = str(tmp_path)
    write_deltalake(uri, rows(["2026-01-01", "2026-01-02"]), partition_by=["day"])
    table = DeltaTable(uri)
    table.delete("day = '2026-01-02'")
    source = rows(["2026-01-03"])
    merge = table.merge(source, "s.id = t.id AND s.day = t.day", source_alias="s", target_alias="t")
    merge.when_not_matched_insert_all().execute()
    assert [found for _, found in written(tmp_path)] == [0, 0, 0]
