"""How a scan is cut into tasks: files read once, in parts, elsewhere; what is wrong stays with its file."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pyarrow as pa
import pytest
from deltalake import DeltaTable, WriterProperties, write_deltalake
from pyspark import cloudpickle
from scanned import new_files, sales, states, tasks_of

from catalog.lake.logs.log import files_at, read_commits, read_table
from catalog.lake.reading.files import ReadPlan
from catalog.lake.scanning.delta import scan_delta
from catalog.lake.scanning.scan import SPLIT, fold_file, plan_units, run_surely, scan, waves
from catalog.lake.scanning.tasks import Task
from catalog.states.encoding import encode
from catalog.states.table import TableState, merge_all


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
    direct = fold_file(ReadPlan.of(tasks[0].info), tasks[0].file)
    assert state.columns["x0"].moments.mean == pytest.approx(direct.columns["x0"].moments.mean)  # type: ignore[union-attr]
    assert state.columns["id"].distinct.estimate() == pytest.approx(rows, rel=0.1)


def test_many_small_tables_share_a_job(spark: Any, tmp_path: Path) -> None:
    for number in range(60):
        write_deltalake(str(tmp_path / f"t{number}"), sales(number, 20), mode="append")
    tasks = [task for number in range(60) for task in tasks_of(str(tmp_path / f"t{number}"))]
    _, units, _ = plan_units(tasks, {})
    assert len(list(waves(units))) == 1
    assert {r.table_key for r in scan(spark, tasks)} == {str(tmp_path / f"t{number}") for number in range(60)}


class Poisoned(ReadPlan):
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


def test_a_table_elsewhere_is_folded_too(tmp_path: Path) -> None:
    """Through fsspec: a file system in memory; with a deletion-free file and partition values."""
    write_deltalake(str(tmp_path / "t"), sales(0, 12), partition_by=["city"], mode="append")
    memory = fsspec.filesystem("memory")
    memory.put(str(tmp_path / "t"), "/lake/t", recursive=True)
    try:
        far, near = read_table("memory://lake/t"), read_table(str(tmp_path / "t"))
        pairs = zip(far.files, near.files, strict=True)
        assert all(encode(fold_file(ReadPlan.of(far), a)) == encode(fold_file(ReadPlan.of(near), b)) for a, b in pairs)
    finally:
        memory.rm("/lake", recursive=True)


def test_closing_the_iterator_ends_the_work(spark: Any, tmp_path: Path) -> None:
    uri = str(tmp_path / "t")
    write_deltalake(uri, sales(0, 100), mode="append")
    results = scan(spark, tasks_of(uri) * 50)
    assert next(results).error is None
    results.close()  # type: ignore[attr-defined]
    assert spark.range(3).count() == 3
