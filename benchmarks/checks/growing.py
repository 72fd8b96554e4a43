"""A table that grows in ten deltas (figures 5 to 8 of the deequ paper): all figures again against states that grow.

Incremental, a delta costs what its own rows cost and the merge with what is kept; at once, all rows so far are read.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from deltalake import write_deltalake

from benchmarks.checks import engines, tables
from benchmarks.checks.deequ.environment import Deequ
from benchmarks.checks.demands import Demand, demands_of
from benchmarks.checks.differences import same
from catalog.lake.logs.log import read_table

DELTAS = 10
#: Workloads as in the paper: no grouping (figure 5), groups of few values (6 and 7), groups of as many as rows (8).
COLUMNS = {"no_grouping": (), "few_values": ("country", "status"), "unique_values": ("order_key",)}


def growing(deequ: Deequ, folder: Path, rows: int) -> dict[str, Any]:
    """Processor seconds after each delta, for each workload, ours and deequ's, incremental and again."""
    uri = str(folder / "growing")
    files: list[list[str]] = []
    for number in range(DELTAS):
        first, end = rows * number // DELTAS, rows * (number + 1) // DELTAS
        write_deltalake(uri, tables.wide(end - first, first, 100 + number), mode="append")
        known = {one for some in files for one in some}
        files.append([one for one in tables.files_of(uri) if one not in known])
    return {name: _workload(deequ, uri, files, _demands(uri, name)) for name in COLUMNS}


def _demands(uri: str, name: str) -> list[Demand]:
    schema, _, _, _ = tables.described(uri)
    everything = demands_of(schema, set(), [])
    if name == "no_grouping":
        five = ("order_key", "phone", "comment", "amount", "weight")
        return [d for d in everything if d.where is None and (d.name == "Size" or _is(d, "Completeness", five))]
    return [d for d in everything if _is(d, "Uniqueness", COLUMNS[name]) or _is(d, "Entropy", COLUMNS[name])]


def _is(demand: Demand, name: str, columns: Sequence[str]) -> bool:
    return demand.name == name and demand.columns[0] in columns and len(demand.columns) == 1


def _workload(deequ: Deequ, uri: str, files: list[list[str]], demands: list[Demand]) -> dict[str, Any]:
    keys = [
        [one.key for one in read_table(uri).files if any(path.endswith(one.path) for path in some)] for some in files
    ]
    asked = [one.to_deequ() for one in demands]
    batch, grown = _counted_at_once(uri, keys, demands), _incremental(uri, keys, demands)
    theirs = {
        how: deequ.ask("grow", deltas=files, demands=asked, incremental=how == "incremental")["found"]
        for how in ("batch", "incremental")
    }
    equal = all(same(batch[1][one], grown[1][one]) and same(batch[1][one], found[-1]["found"][one])
                for found in theirs.values() for one in batch[1])  # fmt: skip
    return {
        "figures": len(demands), "equal": equal,
        "ours": {"batch": batch[0], "incremental": grown[0]},
        "deequ": {how: [one["seconds"] for one in found] for how, found in theirs.items()},
    }  # fmt: skip


def after_append(folder: Path, rows: int) -> dict[str, Any]:
    """What the checks of the whole wide table cost after an append of a hundredth, against counting all of it."""
    uri = tables.write_wide(folder, rows, files=20)
    schema, few, numeric, _ = tables.described(uri)
    demands = demands_of(schema, few, numeric)
    groups = ("Uniqueness", "Distinctness", "UniqueValueRatio", "CountDistinct", "Entropy", "ExactQuantile")
    cheap = [one for one in demands if one.name not in (*groups, "ApproxCountDistinct")]
    return {"all_figures": _append(uri, rows, demands), "without_groups_of_every_value": _append(uri, rows, cheap)}


def _append(uri: str, rows: int, demands: list[Demand]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="assay-groups-") as folder:
        return _appended(uri, rows, engines.Standing(demands, Path(folder)))


def _appended(uri: str, rows: int, standing: engines.Standing) -> dict[str, Any]:
    with engines.measured() as full:
        standing.answers(uri)
    write_deltalake(uri, tables.wide(rows // 100, rows, 1000 + len(standing.of_files)), mode="append")
    with engines.measured() as cost:
        found = standing.answers(uri)
    again = engines.read(standing.demands, engines.count(uri, standing.demands))
    wrong = [one.id for one in standing.demands if not same(found[one.id], again[one.id])]
    return {
        "figures": len(standing.demands), "full_seconds": round(full.seconds, 2),
        "append_seconds": round(cost.seconds, 2), "share": round(cost.seconds / full.seconds, 3),
        "rows_read": cost.rows, "other_than_counted_at_once": wrong,
    }  # fmt: skip


def _counted_at_once(uri: str, keys: list[list[str]], demands: list[Demand]) -> tuple[list[float], dict[str, Any]]:
    seconds, found = [], {}
    for number in range(len(keys)):
        with engines.measured() as cost:
            found = engines.read(demands, engines.count(uri, demands, [one for k in keys[: number + 1] for one in k]))
        seconds.append(round(cost.seconds, 3))
    return seconds, found


def _incremental(uri: str, keys: list[list[str]], demands: list[Demand]) -> tuple[list[float], dict[str, Any]]:
    kept: dict[str, bytes] = {}
    seconds, found = [], {}
    for some in keys:
        with engines.measured() as cost:
            kept |= engines.count(uri, demands, some)
            found = engines.read(demands, kept)
        seconds.append(round(cost.seconds, 3))
    return seconds, found
