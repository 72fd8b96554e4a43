# ruff: noqa: S608, PT017 - the SQL is made of our own paths; an error that is or is not raised is judged after it
"""The scan in Spark: equal states whoever reads, each file read once, and what is wrong stays with its file."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pyarrow as pa
import pytest
from deltalake import DeltaTable, WriterProperties, write_deltalake
from pyspark import cloudpickle

from catalog.errors import AssayError
from catalog.lake.logs.log import files_at, read_commits, read_table
from catalog.lake.reading.files import Plan, read_file
from catalog.lake.scanning.delta import scan_delta
from catalog.lake.scanning.scan import SPLIT, Task, fold_file, new_files, plan_units, run_surely, scan, waves
from catalog.states.encoding import decode, encode
from catalog.states.folding.fold import fold
from catalog.states.table import TableState, merge_all

pytestmark = pytest.mark.spark


def tasks_of(uri: str, version: int | None = None) -> list[Task]:
    info = read_table(uri, version=version)
    return [Task(uri, uri, info, file, info.version) for file in info.files]


def states(results: Any) -> dict[str, TableState]:
    found = {}
    for result in results:
        assert result.error is None, result.error
        found[result.file_key] = decode(result.state)
        assert found[result.file_key].rows == result.rows
    return found


def both_ways(spark: Any, uri: str, version: int | None = None) -> dict[str, TableState]:
    """The states by our own reading, after a check that Spark's Delta reader leaves the same ones."""
    tasks = tasks_of(uri, version)
    ours = states(scan(spark, tasks))
    theirs = states(scan_delta(spark, tasks))
    assert ours.keys() == theirs.keys() == {task.file.key for task in tasks}
    for key, state in ours.items():
        for name in state.columns:
            assert state.columns[name] == theirs[key].columns[name], (key, name)
        assert encode(state) == encode(theirs[key]), key
    assert tuple(dict(tasks[0].info.columns)) == tuple(n for n in dict(tasks[0].info.columns) if n in state.columns)
    assert {name: column.type for name, column in state.columns.items()} == dict(tasks[0].info.columns)
    return ours


def sales(start: int, rows: int) -> pa.Table:
    rng = np.random.default_rng(start)
    ids = np.arange(start, start + rows)
    return pa.table(
        {
            "id": ids,
            "city": pa.array([["Wien", "Oslo", "São Paulo", None][i % 4] for i in ids]),
            "code": [f"A-{i:05d}" for i in ids],
            "amount": rng.lognormal(3, 1, rows),
            "day": pa.array([date(2024, 1, 1 + int(i) % 3) for i in ids]),
        }
    )


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


def test_what_is_wrong_stays_with_its_file(spark: Any, tmp_path: Path) -> None:
    good, bad = str(tmp_path / "good"), str(tmp_path / "bad")
    write_deltalake(good, sales(0, 10), mode="append")
    for start in (0, 10, 20):
        write_deltalake(bad, sales(start, 10), mode="append")
    tasks = tasks_of(bad)
    Path(bad, tasks[0].file.path).unlink()
    Path(bad, tasks[1].file.path).write_bytes(b"PAR1 no parquet at all PAR1")
    results = {(r.table_key, r.file_key): r for r in scan(spark, [*tasks, *tasks_of(good)])}
    kinds = [results[bad, task.file.key].error_kind for task in tasks]
    assert kinds == ["missing_file", "unreadable_file", None]
    assert all(r.error is None for (table, _), r in results.items() if table == good)
    assert "FSCK REPAIR" in (results[bad, tasks[0].file.key].error or "")
    through_spark = {r.file_key: r.error_kind for r in scan_delta(spark, [*tasks, *tasks_of(good)])}
    assert through_spark[tasks[0].file.key] in ("missing_file", "unreadable_file")
    assert through_spark[tasks_of(good)[0].file.key] is None


class TestFilesReadOnce:
    """Only files whose key was never seen are read."""

    def learn(self, spark: Any, uri: str, known: dict[str, TableState]) -> int:
        """Fold what is new in all versions of the table; how many files were read."""
        listed = [f for c in read_commits(uri) if c.batch != "none" for f in c.added]
        fresh = new_files(listed, known)
        info = read_table(uri)
        known |= states(scan(spark, [Task(uri, uri, info, file, info.version) for file in fresh]))
        return len(fresh)

    def test_append_merge_optimize(self, spark: Any, tmp_path: Path) -> None:
        uri = str(tmp_path / "t")
        for start in range(0, 1000, 100):
            write_deltalake(uri, sales(start, 100), mode="append")
        known: dict[str, TableState] = {}
        assert self.learn(spark, uri, known) == 10
        write_deltalake(uri, sales(1000, 10), mode="append")
        assert self.learn(spark, uri, known) == 1, "an append of 1% costs its own file"
        update = pa.table({"id": [150], "amount": [9.5]})
        merge = DeltaTable(uri).merge(update, "t.id = s.id AND t.id >= 100 AND t.id < 200", "s", "t")
        merge.when_matched_update({"amount": "s.amount"}).execute()
        assert self.learn(spark, uri, known) == 1, "a MERGE costs the file it rewrote"
        DeltaTable(uri).optimize.compact()
        assert self.learn(spark, uri, known) == 0, "an OPTIMIZE costs nothing"
        live = merge_all(known[f.key] for f in files_at(uri, read_table(uri).version - 1))
        assert (live.rows, live.columns["id"].high) == (1010, 1009)
        DeltaTable(uri).restore(3)
        assert self.learn(spark, uri, known) == 0, "a RESTORE brings back files that are known"

    def test_a_file_listed_twice_is_one_file(self, tmp_path: Path) -> None:
        uri = str(tmp_path / "t")
        write_deltalake(uri, sales(0, 10), mode="append")
        (file,) = read_table(uri).files
        assert new_files([file, file], set()) == [file]
        assert new_files([file], {file.key}) == []


def test_large_files_are_split_by_row_groups(spark: Any, tmp_path: Path) -> None:
    uri = str(tmp_path / "t")
    rng = np.random.default_rng(1)
    rows = 600_000
    data = pa.table({f"x{i}": rng.random(rows) for i in range(10)} | {"id": np.arange(rows)})
    write_deltalake(uri, data, mode="append", writer_properties=WriterProperties(max_row_group_size=50_000))
    tasks = tasks_of(uri)
    assert tasks[0].file.size > SPLIT
    _, units, failed = plan_units(tasks, {})
    assert len(units) > 1
    assert not failed
    covered = sorted(i for unit in units for i in range(*(unit.groups or (0, 0))))
    assert covered == list(range(12))
    (state,) = states(scan(spark, tasks)).values()
    assert (state.rows, state.columns["id"].low, state.columns["id"].high) == (rows, 0, rows - 1)
    direct = fold_file(Plan.of(tasks[0].info), tasks[0].file)
    assert state.columns["x0"].moments.mean == pytest.approx(direct.columns["x0"].moments.mean)  # type: ignore[union-attr]
    assert state.columns["id"].distinct.estimate() == pytest.approx(rows, rel=0.1)


def test_many_small_tables_share_a_job(spark: Any, tmp_path: Path) -> None:
    for number in range(60):
        write_deltalake(str(tmp_path / f"t{number}"), sales(number, 20), mode="append")
    tasks = [task for number in range(60) for task in tasks_of(str(tmp_path / f"t{number}"))]
    _, units, _ = plan_units(tasks, {})
    assert len(list(waves(units))) == 1
    assert {r.table_key for r in scan(spark, tasks)} == {str(tmp_path / f"t{number}") for number in range(60)}


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


class Poisoned(Plan):
    """A plan whose use ends the whole Python worker, as a crash inside a decoder would."""

    def data_fields(self) -> list[Any]:
        os._exit(7)


def test_a_file_that_brings_the_worker_down(spark: Any, tmp_path: Path) -> None:
    """The job is cut until the file is alone; all others have their states."""
    uri = str(tmp_path / "t")
    for start in range(0, 70, 10):
        write_deltalake(uri, sales(start, 10), mode="append")
    tasks = tasks_of(uri)
    (plan,), units, _ = plan_units(tasks, {})
    poisoned = [replace(unit, plan=1) if unit.task == 3 else unit for unit in units]
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    try:
        answers = run_surely(spark, [plan, Poisoned(plan.uri, plan.schema)], [poisoned])
    finally:
        cloudpickle.unregister_pickle_by_value(sys.modules[__name__])
    assert {number: kind for number, _, _, kind, _ in answers} == {
        i: "unreadable_file" if i == 3 else None for i in range(7)
    }


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
    plan = Plan.of(info)
    for file in info.files:
        assert file.size > 1 << 19
        fast = list(read_file(plan, file, views=True))
        assert fast[0].column(0).type == pa.string_view()
        by_arrow = merge_all([fold(batch) for batch in read_file(plan, file)])
        assert encode(merge_all([fold(batch) for batch in fast])) == encode(by_arrow)


def test_a_table_elsewhere_is_folded_too(tmp_path: Path) -> None:
    """Through fsspec: a file system in memory; with a deletion-free file and partition values."""
    write_deltalake(str(tmp_path / "t"), sales(0, 12), partition_by=["city"], mode="append")
    memory = fsspec.filesystem("memory")
    memory.put(str(tmp_path / "t"), "/lake/t", recursive=True)
    try:
        far, near = read_table("memory://lake/t"), read_table(str(tmp_path / "t"))
        pairs = zip(far.files, near.files, strict=True)
        assert all(encode(fold_file(Plan.of(far), a)) == encode(fold_file(Plan.of(near), b)) for a, b in pairs)
    finally:
        memory.rm("/lake", recursive=True)


def test_closing_the_iterator_ends_the_work(spark: Any, tmp_path: Path) -> None:
    uri = str(tmp_path / "t")
    write_deltalake(uri, sales(0, 100), mode="append")
    results = scan(spark, tasks_of(uri) * 50)
    assert next(results).error is None
    results.close()  # type: ignore[attr-defined]
    assert spark.range(3).count() == 3
