"""Offending rows: fetched from the batch's own files, as JSON data."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from catalog.errors import MissingFile, UnsupportedTable, UsageError
from catalog.lake.logs.log import read_commits, read_table
from catalog.lake.reading.rows import offending_rows, wrong


@pytest.fixture
def uri(tmp_path: Path) -> str:
    uri = str(tmp_path / "t")
    good = pa.table(
        {
            "id": [1, 2, 3],
            "code": ["A-1", "A-2", "A-3"],
            "amount": [Decimal("1.50"), Decimal("2.50"), None],
            "day": [date(2024, 1, 1), date(2024, 1, 2), None],
            "at": pa.array([datetime(2024, 1, d, tzinfo=UTC) for d in (1, 2, 3)], pa.timestamp("us", "UTC")),
            "who": [{"name": "Ada", "age": 3}, {"name": None, "age": 4}, None],
            "region": ["n", "s", None],
        }
    )
    write_deltalake(uri, good, partition_by=["region"], mode="append")
    bad = good.set_column(1, "code", pa.array(["A-1", "x\ny", "7"])).set_column(0, "id", pa.array([4, 5, 6]))
    write_deltalake(uri, bad, partition_by=["region"], mode="append")
    return uri


CASES: list[tuple[str, dict[str, Any], list[int]]] = [
    ("code", {"regex": r"A-\d"}, [5, 6]),
    ("code", {"regex": "A|x"}, [4, 5, 6]),
    ("code", {"not_in": ["A-1", "7"]}, [5]),
    ("code", {"domain": "integer"}, [4, 5]),
    ("code", {"domain": "of another release"}, []),
    ("amount", {"null": True}, [6]),
    ("amount", {"outside": [2, None]}, [4]),
    ("amount", {"outside": [None, 2.0]}, [5]),
    ("id", {"outside": [5, 5]}, [4, 6]),
    ("id", {"regex": "[45]"}, [6]),
    ("code", {"outside": [0, 6]}, [6]),  # strings that write numbers
    ("day", {"outside": ["2024-01-02", None]}, [4]),
    ("at", {"outside": [None, "2024-01-02T00:00:00+00:00"]}, [6]),
    ("at", {"outside": [None, datetime(2024, 1, 2, tzinfo=UTC).timestamp() * 1e6]}, [6]),
    ("who.name", {"null": True}, [5, 6]),
    ("who.age", {"outside": [None, 3]}, [5]),
    ("region", {"not_in": ["n"]}, [5]),
    ("region", {"null": True}, [6]),
    ("region", {"missing": True}, [6]),
    ("who.name", {"missing": False}, [4]),
]


@pytest.mark.parametrize(("column", "offenders", "ids"), CASES)
def test_the_rows_that_break_a_rule(uri: str, column: str, offenders: dict[str, Any], ids: list[int]) -> None:
    batch = read_commits(uri)[-1].added
    rows = offending_rows(read_table(uri), batch, column, offenders, 10)
    assert sorted(row["id"] for row in rows) == ids
    assert all(list(row) == ["id", "code", "amount", "day", "at", "who", "region"] for row in rows)
    json.dumps(rows, allow_nan=False)


def test_rows_that_repeat_a_key_stand_side_by_side(uri: str) -> None:
    write_deltalake(uri, pa.table({"id": [2, 5], "region": ["n", "s"]}), mode="append", schema_mode="merge")
    info = read_table(uri)
    rows = offending_rows(info, info.files, "id", {"repeated": True}, 10)
    found = [row["id"] for row in rows]
    assert sorted(found) == [2, 2, 5, 5]
    assert found[0] == found[1]
    assert len(offending_rows(info, info.files, "id", {"repeated": True}, 3)) == 3
    assert offending_rows(info, info.files, "day", {"repeated": True}, 10)[0]["day"] is not None


def test_no_more_rows_than_asked_for(uri: str) -> None:
    info = read_table(uri)
    assert len(offending_rows(info, info.files, "id", {"outside": [100, None]}, 4)) == 4
    assert offending_rows(info, info.files, "id", {"outside": [100, None]}, 0) == []
    assert offending_rows(info, info.files, None, {"null": True}, 4) == []
    assert offending_rows(info, info.files, "id", {}, 4) == []


def test_what_cannot_be_asked(uri: str) -> None:
    info = read_table(uri)
    for column, offenders in (("id", {"taller_than": 3}), ("nope", {"null": True}), ("code", {"regex": "(("})):
        with pytest.raises(UsageError):
            offending_rows(info, info.files, column, offenders, 4)
    Path(uri, info.files[0].path).unlink()
    with pytest.raises(MissingFile):
        offending_rows(info, info.files, "id", {"null": True}, 4)


def test_an_expression_that_explodes_elsewhere_is_harmless(uri: str) -> None:
    """RE2 takes time linear in the text, whatever the expression."""
    folder = uri + "_long"
    write_deltalake(folder, pa.table({"id": [1], "code": ["a" * 50_000 + "!"]}), mode="append")
    info = read_table(folder)
    (row,) = offending_rows(info, info.files, "code", {"regex": "(a+)+b"}, 4)
    assert len(row["code"]) == 501


@pytest.mark.spark
def test_rows_through_spark(spark: Any, tmp_path: Path) -> None:
    uri = str(tmp_path / "t")
    spark.sql(
        f"CREATE TABLE delta.`{uri}` (n INT, s STRING) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = true)"
    )
    spark.sql(f"INSERT INTO delta.`{uri}` VALUES (1, 'a'), (2, 'b')")  # noqa: S608
    info = read_table(uri)
    if info.reader == "delta":
        with pytest.raises(UnsupportedTable):
            offending_rows(info, info.files, "s", {"regex": "a"}, 4)
    assert offending_rows(info, info.files, "s", {"regex": "a"}, 4, spark=spark) == [{"n": 2, "s": "b"}]


def test_a_code_that_reads_like_a_marker_is_no_missing_row() -> None:
    continents = pa.array(["AF", "NA", "EU", None, "NULL", ""])
    assert wrong(continents, {"missing": True}).to_pylist() == [False, False, False, True, True, True]
    assert wrong(pa.array(["Yes", "No", "NA"]), {"missing": True}).to_pylist() == [False, False, True]
