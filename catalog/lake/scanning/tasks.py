"""What is asked of the scan and what it answers, for both ways of reading: our own and Spark's Delta reader."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from catalog.errors import AssayError
from catalog.lake.types import DataFile, TableInfo
from catalog.states.folding.fold import fold
from catalog.states.table import TableState

#: A unit's task number, state, rows, error kind and error.
Answer = tuple[int, bytes | None, int, str | None, str | None]
SCHEMA = "unit long, state binary, rows long, kind string, error string"


@dataclass(frozen=True)
class Task:
    """A data file to be folded. `version`: one in which it is live, for Spark's Delta reader; None: the latest."""

    table_key: Any
    uri: str
    info: TableInfo
    file: DataFile
    version: int | None = None


@dataclass(frozen=True)
class Result:
    """What became of a task: an encoded state and its rows, or an error with its kind (`catalog.errors`)."""

    table_key: Any
    file_key: str
    state: bytes | None
    rows: int
    error_kind: str | None = None
    error: str | None = None


def failure(task: Task, error: AssayError) -> Result:
    return Result(task.table_key, task.file.key, None, 0, error.kind, str(error))


def quiet_worker() -> None:
    """One thread a worker: Spark already runs as many workers as there are cores."""
    os.environ["POLARS_MAX_THREADS"] = "1"
    pa.set_cpu_count(1)


def answer(unit: int, state: bytes | None, rows: int, kind: str | None, error: str | None) -> pa.RecordBatch:
    """A result row as Arrow."""
    return pa.record_batch(
        [
            pa.array([unit], pa.int64()),
            pa.array([state], pa.binary()),
            pa.array([rows], pa.int64()),
            pa.array([kind], pa.string()),
            pa.array([error], pa.string()),
        ],
        names=["unit", "state", "rows", "kind", "error"],
    )


def fold_batch(batch: pa.RecordBatch, constants: dict[str, tuple[Any, pa.DataType]]) -> TableState:
    """A batch of data columns with its partition columns; without data columns these become real columns."""
    if batch.schema.names != [""]:
        return fold(batch, constants=constants)
    arrays = [pa.array([value] * batch.num_rows, kind) for value, kind in constants.values()]
    return fold(pa.record_batch(arrays, names=list(constants)))
