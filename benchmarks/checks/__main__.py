"""Declared checks and a full profile: ours against the real deequ 2.1.0 (on Spark 3.5) and DuckDB.

    python -m benchmarks.checks --cache FOLDER --json OUT [--data DIR] [--rows 2000000]

Values are compared one by one; a difference is explained by a test that names its reason, or it is unexplained. Then
the costs: processor seconds of the process tree in this one run (Linux; the start of Spark is counted for nobody), and
passes over the data: records that a reader gave / rows. Then a table that grows in ten deltas, all figures against
states that grow, and a check of a whole table after an append of one row in a hundred.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

os.environ.setdefault("POLARS_MAX_THREADS", "1")  # as a scan in Spark's workers

from benchmarks.checks import engines, growing, profiles, tables
from benchmarks.checks.deequ.environment import Deequ
from benchmarks.checks.demands import demands_of
from benchmarks.checks.differences import Difference, reason_of, same


def compare_checks(deequ: Deequ, name: str, uri: str) -> dict[str, Any]:
    """All figures of a table by the three engines: how many, those that differ, costs and passes."""
    schema, few, numeric, rows = tables.described(uri)
    demands = demands_of(schema, few, numeric)
    files = tables.files_of(uri)
    with engines.measured() as cost:
        ours = engines.read(demands, engines.count(uri, demands))
    theirs = deequ.ask("values", files=files, demands=[one.to_deequ() for one in demands])
    duck = engines.Duck(files)
    with engines.measured() as duck_cost:
        said = duck.values(demands)
    differences = []
    for one in demands:
        a, b, c = ours[one.id], theirs["found"][one.id], said.get(one.id)
        if not same(a, b) or (one.id in said and not same(a, c)):
            differences.append(Difference(name, one.id, a, b, c, reason_of(one, a, b, c, duck.row)))
    return _told(name, rows, len(demands), differences, cost, theirs, duck_cost)


def compare_profiles(deequ: Deequ, name: str, uri: str) -> dict[str, Any]:
    """The full profile of a table, likewise."""
    schema, _, _, rows = tables.described(uri)
    files = tables.files_of(uri)
    with engines.measured() as cost:
        state = engines.profile(uri)
    with engines.measured() as types_cost:
        types = engines.types_of(uri)
    try:
        theirs = deequ.ask("profile", files=files)
    except RuntimeError as error:
        reason = "deequ's profiler fails on a table without rows" if not rows else ""
        if "Unsupported nested column type" in str(error):
            reason = "deequ's profiler fails on a table with arrays, maps or structs"
        failed = Difference(name, "profile", "a profile", str(error)[:300], None, reason)
        return _told(name, rows, 0, [failed], cost, {"seconds": 0.0, "rows_read": 0, "jobs": 0}, engines.Cost()) | {
            "kind": "profile"
        }
    duck = engines.Duck(files)
    with engines.measured() as duck_cost:
        duck.summarize()
    said = duck.values(profiles.demands_for_duckdb(schema))
    figures, differences = profiles.compared(name, state, types, theirs["found"], said, duck.row)
    told = _told(name, rows, figures, differences, cost, theirs, duck_cost) | {"kind": "profile"}
    told["seconds"]["ours_with_types_of_texts"] = round(cost.seconds + types_cost.seconds, 2)
    told["passes"]["ours_with_types_of_texts"] = _passes(cost.rows + types_cost.rows, rows)
    return told


def _told(
    name: str, rows: int, figures: int, differences: list[Difference], cost: engines.Cost, theirs: dict[str, Any],
    duck: engines.Cost,
) -> dict[str, Any]:  # fmt: skip
    return {
        "table": name, "kind": "checks", "rows": rows, "figures": figures, "differences": differences,
        "seconds": {"ours": round(cost.seconds, 2), "deequ": theirs["seconds"], "duckdb": round(duck.seconds, 2)},
        "passes": {"ours": _passes(cost.rows, rows), "deequ": _passes(theirs["rows_read"], rows)},
        "deequ_jobs": theirs["jobs"],
    }  # fmt: skip


def _passes(read: int, rows: int) -> float:
    return round(read / rows, 2) if rows else 0.0


def gather(found: list[dict[str, Any]], wide: dict[str, Any], grown: dict[str, Any], append: Any) -> dict[str, Any]:
    """The figures of the run."""
    differences = [one for told in [*found, wide] for one in told.pop("differences")]
    unexplained = [asdict(one) for one in differences if not one.reason]
    seconds = wide["seconds"]
    return {
        "figures": sum(told["figures"] for told in [*found, wide]),
        "unexplained_differences": len(unexplained),
        "unexplained": unexplained,
        "explained_differences": dict(Counter(one.reason for one in differences if one.reason)),
        "explained": [asdict(one) for one in differences if one.reason],
        "profile_speedup_vs_deequ": round(seconds["deequ"] / seconds["ours"], 1),
        "profile_speedup_with_types_of_texts": round(seconds["deequ"] / seconds["ours_with_types_of_texts"], 1),
        "profile_ratio_to_duckdb_summarize": round(seconds["ours"] / seconds["duckdb"], 2),
        "profile": wide,
        "passes": {f"{told['kind']} of {told['table']}": told["passes"] for told in [*found, wide]},
        "checks": found,
        "incremental": {"deltas": grown, "append_of_one_percent": append},
    }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.checks", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--cache", type=Path, required=True, help="folder of deequ's environment, built if absent")
    parser.add_argument("--data", type=Path, help="folder of real data, with columns/ and delta-tables/")
    parser.add_argument("--rows", type=int, default=2_000_000, help="rows of the table that is profiled and checked")
    parser.add_argument("--growing", type=int, default=200_000, help="rows of the table that grows in ten deltas")
    parser.add_argument(
        "--compared", type=int, default=20_000, help="rows of the generated table whose checks are compared"
    )
    parser.add_argument("--real", type=int, default=12, help="how many real tables are rebuilt from columns/")
    parser.add_argument("--memory", default="4g", help="of deequ's JVM")
    parser.add_argument("--json", type=Path, help="file the figures are written to")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="assay-checks-") as folder:
        report = run(options, Path(folder))
    text = json.dumps(report, indent=1, default=str)
    print(json.dumps({key: one for key, one in report.items() if key not in ("explained", "checks")}, default=str))
    if options.json:
        options.json.write_text(text + "\n")
    return 1 if report["unexplained_differences"] else 0


def said(told: dict[str, Any]) -> dict[str, Any]:
    """A comparison, after telling of it."""
    unexplained = [asdict(one) for one in told["differences"] if not one.reason]
    shown = {key: value for key, value in told.items() if key != "differences"}
    print(shown | {"unexplained": unexplained}, file=sys.stderr, flush=True)
    return told


def run(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    uris = tables.write_generated(folder, options.compared)
    if options.data:
        uris |= tables.write_real(options.data, folder, options.real)
    big = tables.write_wide(folder / "big", options.rows)
    found = []
    with Deequ(options.cache, options.cache / "spark.log", options.memory) as deequ:
        compare_profiles(deequ, "warm-up", uris["odd"])
        wide = said(compare_profiles(deequ, f"wide, {options.rows:,} rows", big))
        grown = growing.growing(deequ, folder, options.growing)
        print(grown, file=sys.stderr, flush=True)
        for name, uri in uris.items():
            found += [said(compare(deequ, name, uri)) for compare in (compare_checks, compare_profiles)]
    return gather(found, wide, grown, growing.after_append(folder / "appended", options.rows))


if __name__ == "__main__":
    sys.exit(main())
