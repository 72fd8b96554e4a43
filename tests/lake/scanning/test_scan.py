# ruff: noqa: S608, PT017 - the SQL is made of our own paths; an error that is or is not raised is judged after it
"""The scan in Spark: equal states whoever reads, each file read once, and what is wrong stays with its file."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from deltalake import write_deltalake
from scanned import both_ways, sales, states, tasks_of

from catalog.errors import AssayError
from catalog.lake.logs.log import files_at, read_table
from catalog.lake.reading.files import ReadPlan, read_file
from catalog.lake.scanning.delta import scan_delta
from catalog.lake.scanning.scan import scan
from catalog.lake.scanning.tasks import Task
from catalog.states.encoding import encode
from catalog.states.folding.fold import fold
from catalog.states.table import merge_all

pytestmark = pytest.mark.spark


def test_a_plain_table(spark: Any, tmp_path: Path) -> None:
    uri = str(tmp_path / "t")
    for start in (0, 500):
        write_deltalake(uri, sales(start, 500), mode="append")
    found = both_ways(spark, uri)
    whole = merge_all(list(found.values()))
    assert whole.rows == 1000
    assert whole.columns["id"].high == 999
    assert whole.columns["city"].nulls == 250


@pytest.mark.parametrize("column", ["city", "day", "id"])
def test_partitioned_tables(spark: Any, tmp_path: Path, column: str) -> None:
    uri = str(tmp_path / "with space" / "Ünïcode 100%")
    write_deltalake(uri, sales(0, 12), partition_by=[column], mode="append")
    found = both_ways(spark, uri)
    direct = fold(sales(0, 12))
    whole = merge_all(list(found.values()))
    assert whole.rows == 12
    assert whole.columns[column].low == direct.columns[column].low
    assert whole.columns[column].nulls == direct.columns[column].nulls
    assert whole.row_distinct.estimate() == 12


def test_an_evolved_schema(spark: Any, tmp_path: Path) -> None:
    """Files written before a column was added have nulls there; nested fields, too."""
    uri = str(tmp_path / "t")
    write_deltalake(uri, pa.table({"id": [1, 2], "who": [{"name": "a"}, None]}), mode="append")
    later = pa.table({"new": ["x", "y"], "id": [3, 4], "who": [{"name": "b", "age": 3}, {"name": None, "age": 4}]})
    write_deltalake(uri, later, mode="append", schema_mode="merge")
    whole = merge_all(list(both_ways(spark, uri).values()))
    assert {n: c.nulls for n, c in whole.columns.items()} == {"id": 0, "who.name": 2, "who.age": 2, "new": 2}


def test_all_types(spark: Any, tmp_path: Path) -> None:
    uri = str(tmp_path / "t")
    moment = datetime(2024, 5, 6, 7, 8, 9, 123456, tzinfo=UTC)
    table = pa.table(
        {
            "bool": [True, None, False],
            "tiny": pa.array([1, None, -3], pa.int8()),
            "small": pa.array([1, None, -3], pa.int16()),
            "int": pa.array([1, None, -3], pa.int32()),
            "long": pa.array([1, None, -(2**63)], pa.int64()),
            "float": pa.array([1.5, float("nan"), None], pa.float32()),
            "double": pa.array([1e300, float("-inf"), None]),
            "money": pa.array([Decimal("12345678901234567890.12"), None, Decimal("-0.01")], pa.decimal128(38, 2)),
            "bytes": [b"\x00\xff", None, b""],
            "date": [date(1900, 1, 1), None, date(2024, 2, 29)],
            "zoned": pa.array([moment, None, moment], pa.timestamp("us", "UTC")),
            "local": pa.array([moment.replace(tzinfo=None), None, None], pa.timestamp("us")),
            "list": [[1, 2], None, []],
            "maps": pa.array([[("k", 1.5)], None, []], pa.map_(pa.string(), pa.float64())),
            "deep": [{"a": {"b": [{"c": "x"}]}, "d": 1}, None, {"a": None, "d": 2}],
            "text": ["ü", "", None],
        }
    )
    write_deltalake(uri, table, mode="append")
    info = read_table(uri)
    assert dict(info.columns)["deep.a.b"] == "array<struct<c:string>>"
    (state,) = both_ways(spark, uri).values()
    assert state.columns["long"].low == -(2**63)
    assert state.columns["money"].high == Decimal("12345678901234567890.12")
    assert state.columns["zoned"].nulls == 1


class TestFeatures:
    """Tables made by Spark with the features that change what a file means."""

    def test_deletion_vectors(self, spark: Any, tmp_path: Path) -> None:
        uri = str(tmp_path / "t")
        spark.sql(
            f"CREATE TABLE delta.`{uri}` (id BIGINT, name STRING) USING delta "
            "TBLPROPERTIES ('delta.enableDeletionVectors' = true)"
        )
        frame = spark.range(0, 20000, 1, 1).selectExpr("id", "concat('n', id) AS name")
        frame.write.format("delta").mode("append").save(uri)
        spark.sql(f"DELETE FROM delta.`{uri}` WHERE id % 3 = 0 OR id BETWEEN 5000 AND 12000")
        spark.sql(f"DELETE FROM delta.`{uri}` WHERE id = 1")
        info = read_table(uri)
        assert all(file.deletion_vector for file in info.files)
        (state,) = both_ways(spark, uri).values()
        kept = {i for i in range(20000) if i % 3 and not 5000 <= i <= 12000 and i != 1}
        assert (state.rows, state.columns["id"].low) == (len(kept), 2)
        both_ways(spark, uri, version=2)
        before = {f.key for f in files_at(uri, 2)}
        assert before.isdisjoint(f.key for f in info.files)  # another vector, another state

    @pytest.mark.parametrize("mode", ["name", "id"])
    def test_column_mapping(self, spark: Any, tmp_path: Path, mode: str) -> None:
        uri = str(tmp_path / "t")
        spark.sql(
            f"CREATE TABLE delta.`{uri}` (id BIGINT, old STRING, `odd name, (x)` INT, part STRING, "
            "s STRUCT<a: INT, b: STRING>) USING delta PARTITIONED BY (part) "
            f"TBLPROPERTIES ('delta.columnMapping.mode' = '{mode}')"
        )
        spark.sql(f"INSERT INTO delta.`{uri}` VALUES (1, 'x', 7, 'p', struct(1, 'q')), (2, 'y', 8, 'p', NULL)")
        spark.sql(f"ALTER TABLE delta.`{uri}` RENAME COLUMN old TO new")
        spark.sql(f"ALTER TABLE delta.`{uri}` RENAME COLUMN s.a TO aa")
        spark.sql(f"ALTER TABLE delta.`{uri}` DROP COLUMN id")
        spark.sql(f"ALTER TABLE delta.`{uri}` ADD COLUMN id STRING")
        spark.sql(f"INSERT INTO delta.`{uri}` VALUES ('z', 9, 'r', struct(2, 'w'), 'again')")
        whole = merge_all(list(both_ways(spark, uri).values()))
        assert set(whole.columns) == {"new", "odd name, (x)", "part", "s.aa", "s.b", "id"}
        assert whole.columns["id"].nulls == 2  # the dropped column's values stay dropped
        assert whole.columns["s.aa"].high == 2

    def test_type_widening(self, spark: Any, tmp_path: Path) -> None:
        uri = str(tmp_path / "t")
        spark.sql(f"CREATE TABLE delta.`{uri}` (n INT) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = true)")
        spark.sql(f"INSERT INTO delta.`{uri}` VALUES (1), (2)")
        spark.sql(f"ALTER TABLE delta.`{uri}` ALTER COLUMN n TYPE BIGINT")
        spark.sql(f"INSERT INTO delta.`{uri}` VALUES (5000000000)")
        assert read_table(uri).columns == (("n", "bigint"),)
        whole = merge_all(list(both_ways(spark, uri).values()))
        assert (whole.rows, whole.columns["n"].high) == (3, 5_000_000_000)

    def test_variants_go_through_spark(self, spark: Any, tmp_path: Path) -> None:
        """Arrow has no such type: variants, nested ones too, come as the JSON text Spark makes of them."""
        uri = str(tmp_path / "t")
        spark.sql(f"CREATE TABLE delta.`{uri}` (v VARIANT, s STRUCT<a: INT, w: VARIANT>) USING delta")
        spark.sql(f"INSERT INTO delta.`{uri}` SELECT parse_json('{{\"a\":1}}'), struct(1, parse_json('3'))")
        tasks = tasks_of(uri)
        assert tasks[0].info.reader == "delta"
        (state,) = states(scan(spark, tasks)).values()
        assert state.columns["v"].values() == [('{"a":1}', 1)]
        assert state.columns["s.w"].values() == [("3", 1)]


def test_the_real_tables_both_ways(spark: Any, data_dir: Path) -> None:
    """Every valid table that Spark's Delta reads is taken in, with equal states; what it refuses is told by kind."""
    tasks: list[Task] = []
    told: dict[str, set[str | None]] = {}
    for folder in sorted((data_dir / "delta-tables" / "valid").iterdir()):
        try:
            tasks += tasks_of(str(folder))
            told[str(folder)] = set()
        except AssayError as error:
            told[str(folder)] = {error.kind}
    ours = {(r.table_key, r.file_key): r for r in scan(spark, tasks)}
    theirs = {(r.table_key, r.file_key): r for r in scan_delta(spark, tasks)}
    assert ours.keys() == theirs.keys()
    for key, result in theirs.items():
        told[key[0]].add(result.error_kind)
        if result.error is None:
            assert ours[key].state == result.state, key
    for uri, kinds in told.items():
        if kinds - {None}:
            with pytest.raises(Exception, match=r".+"):  # Spark itself cannot read these
                spark.read.format("delta").load(uri).collect()
    taken = [uri for uri, kinds in told.items() if kinds <= {None}]
    assert len(taken) >= 27


def test_the_broken_tables(spark: Any, data_dir: Path) -> None:
    """Each is reported on itself: the log's damage by the log, missing files by the scan, file by file."""
    kinds: dict[str, set[str | None]] = {}
    tasks = []
    for folder in sorted((data_dir / "delta-tables" / "broken").iterdir()):
        try:
            tasks += tasks_of(str(folder))
        except AssayError as error:
            kinds[folder.name] = {error.kind}
            assert error.remedy
    for result in scan(spark, tasks):
        kinds.setdefault(Path(result.table_key).name, set()).add(result.error_kind)
    assert kinds == {
        "table_a": {"missing_file"},
        "table_b": {"missing_file"},
        "table_c": {"corrupt_log"},
        "table_d": {"unsupported_table"},
    }


def test_a_thousand_columns(spark: Any, tmp_path: Path) -> None:
    uri = str(tmp_path / "wide")
    rng = np.random.default_rng(2)
    data = pa.table({f"c{i}": rng.integers(0, 9, 500) if i % 2 else [f"v{i}"] * 500 for i in range(1000)})
    write_deltalake(uri, data, mode="append")
    (state,) = states(scan(spark, tasks_of(uri))).values()
    assert len(state.columns) == 1000
    assert state.columns["c999"].rows == 500


def test_a_table_of_partition_columns_only(spark: Any, tmp_path: Path) -> None:
    uri = str(tmp_path / "t")
    spark.sql(f"CREATE TABLE delta.`{uri}` (a STRING, b INT) USING delta PARTITIONED BY (a)")
    spark.sql(f"INSERT INTO delta.`{uri}` VALUES ('x', NULL), ('x', NULL), ('y', 3)")
    whole = merge_all(list(both_ways(spark, uri).values()))
    assert (whole.rows, whole.columns["a"].values()) == (3, [("x", 2), ("y", 1)])


def test_both_parquet_readers_leave_the_same_state(tmp_path: Path) -> None:
    """Large local files of simple types are read by polars, all others by Arrow."""
    rows = 30_000
    rng = np.random.default_rng(3)
    data = pa.table(
        {
            "text": pa.array([None if i % 11 == 0 else f"täxt {i} {'x' * (i % 40)}" for i in range(rows)]),
            "long": pa.array(rng.integers(-(2**62), 2**62, rows)),
            "tiny": pa.array(rng.integers(-128, 127, rows), pa.int8()),
            "float": pa.array(rng.normal(size=rows).astype(np.float32)),
            "double": pa.array([None if i % 7 == 0 else float(v) for i, v in enumerate(rng.normal(size=rows))]),
            "flag": pa.array(rng.random(rows) < 0.5),
            "day": pa.array(rng.integers(-20000, 20000, rows).astype("datetime64[D]")),
        }
    )
    write_deltalake(str(tmp_path / "t"), data, mode="append")
    more = data.append_column("late", pa.array([1] * rows))
    write_deltalake(str(tmp_path / "t"), more, mode="append", schema_mode="merge")
    uri = str((tmp_path / "t").rename(tmp_path / "[odd] *name*"))
    info = read_table(uri)
    plan = ReadPlan.of(info)
    for file in info.files:
        assert file.size > 1 << 19
        fast = list(read_file(plan, file, views=True))
        assert fast[0].column(0).type == pa.string_view()
        by_arrow = merge_all([fold(batch) for batch in read_file(plan, file)])
        assert encode(merge_all([fold(batch) for batch in fast])) == encode(by_arrow)
