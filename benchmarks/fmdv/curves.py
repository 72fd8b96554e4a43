"""The paper's sensitivity curves (figure 12), its schema-drift study (figure 15), and our learner on smaller lakes."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.fmdv.data import Column
from benchmarks.fmdv.score import Outcome, summary

GRID: dict[str, tuple[float, ...]] = {
    "r": (0.0, 0.01, 0.02, 0.05, 0.1), "m": (1, 3, 5, 10, 30, 100), "tau": (5, 8, 11, 13),
    "theta": (0.0, 0.01, 0.05, 0.1, 0.2),
}  # fmt: skip
METHODS = ("fmdv", "fmdv_v", "fmdv_h", "fmdv_vh")


def sensitivity(bench: Any, run: Any, every: int = 4) -> dict[str, Any]:
    """Precision and recall of FMDV's variants as one parameter moves and the others keep their defaults.

    `run` is `benchmarks.fmdv.run_paper`; every `every`-th machine-like query column is asked.
    """
    import numpy as np

    machine = np.flatnonzero([c.machine_like for c in bench.columns])[::every]
    out: dict[str, Any] = {}
    for name, values in GRID.items():
        for method in METHODS:
            for value in values:
                cast = int(value) if name in ("m", "tau") else value
                rows = run(bench, method, only=set(machine.tolist()), **{name: cast})
                m = summary(rows, np.ones(len(rows), bool))
                out.setdefault(name, {}).setdefault(method, []).append([value, m["precision"], m["recall"]])
                print(f"{name}={value:g} {method}: precision {m['precision']:.3f} recall {m['recall']:.3f}", flush=True)
    return out


def drift(bench: Any, outcomes: dict[str, list[Outcome]]) -> dict[str, Any]:
    """Two string columns of one table swapped: caught where either column's rule flags the other's values and neither
    raised a false alarm."""
    pairs = [
        (i, j)
        for i, a in enumerate(bench.columns)
        for j, b in enumerate(bench.columns[:i])
        if a.table == b.table and a.values != b.values
    ]
    tables = {bench.columns[i].table for i, _ in pairs}
    out: dict[str, Any] = {"pairs": len(pairs), "tables": len(tables), "caught": {}}
    for name, rows in outcomes.items():
        caught = [
            (rows[i].flagged[0, j] or rows[j].flagged[0, i]) and not (rows[i].false_alarm or rows[j].false_alarm)
            for i, j in pairs
        ]
        out["caught"][name] = sum(caught) / max(len(pairs), 1)
        print(f"swapped columns caught by {name}: {out['caught'][name]:.3f} of {len(pairs)} pairs", flush=True)
    return out


def smaller_lakes(
    lake: Sequence[Column], queries: Sequence[int], parts: int
) -> Iterator[tuple[list[Column], list[int]]]:
    """The repositories dealt at random into `parts` lakes: (columns, numbers of the query columns) of each."""
    repositories = sorted({column.repo for column in lake})
    random.Random(parts).shuffle(repositories)
    asked = {lake[q].column_id for q in queries}
    for k in range(parts):
        mine = set(repositories[k::parts])
        columns = [column for column in lake if column.repo in mine]
        yield columns, [i for i, column in enumerate(columns) if column.column_id in asked]
