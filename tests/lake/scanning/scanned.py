"""Tables folded by both readers, which have to leave the same states."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any

import numpy as np
import pyarrow as pa

from catalog.lake.logs.log import read_table
from catalog.lake.scanning.delta import scan_delta
from catalog.lake.scanning.scan import scan
from catalog.lake.scanning.tasks import Task
from catalog.lake.types import DataFile
from catalog.states.encoding import decode, encode
from catalog.states.table import TableState


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


def new_files(files: Iterable[DataFile], known: Iterable[str]) -> list[DataFile]:
    """The data files that have never been folded: those whose key is not among `known`.

    An append brings its own files, a MERGE the files it rewrote, an OPTIMIZE files without data change (see
    `catalog.lake.types.Commit.batch`): what is kept by key is never read twice.
    """
    known = set(known)
    return list({file.key: file for file in files if file.key not in known}.values())
