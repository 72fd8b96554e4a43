"""What is called a fault of the rewrites that real writers made.

    python -m benchmarks.rewrites.logs --data DIR

Every version of the valid tables of ``DIR/delta-tables`` that rewrites rows (UPDATE, MERGE, DELETE, replaced
partitions): its rows are compared with those that it replaced, as far as both are in files that are there and have no
deletion vectors. Then the executions of real series (`benchmarks.causes.data.real`, clean windows), each in the place
of the one before, as a MERGE of a register would write it. Nobody damaged them on purpose, so that each fault is a
false one.
"""

from __future__ import annotations

import argparse
from collections import Counter
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.causes.data import PARTS, real
from catalog.errors import AssayError
from catalog.history.replaced.changes import Replaced
from catalog.lake.logs.log import read_commits
from catalog.lake.types import Commit
from catalog.states.folding.fold import fold
from catalog.states.table import TableState, merge_all


def rewrites_of(table: Path) -> list[Commit]:
    """The versions of a table that rewrite rows; none of one whose log cannot be read here."""
    try:
        return [commit for commit in read_commits(str(table)) if commit.batch == "rewrite"]
    except AssayError:
        return []


def state_of(table: Path, keys: list[str]) -> TableState | None:
    """The state of these files; None where one is gone, or has a deletion vector, or none was named."""
    paths = [table / unquote(key) for key in keys]
    if not paths or any("#" in key or not path.is_file() for key, path in zip(keys, paths, strict=True)):
        return None
    try:
        return merge_all(fold(pq.ParquetFile(path).read()) for path in paths)
    except (OSError, pa.ArrowException):
        return None


def of_series(data: Path, part: str) -> Counter[str]:
    """What is told of the executions of the real series of a part, each in the place of the one before."""
    counts: Counter[str] = Counter()
    for series in real(data, part):
        for before, now in pairwise(fold(table) for table in series.tables):
            made = Replaced(now, before)
            counts["pairs"] += 1
            counts["columns"] += len(made.columns)
            counts["columns that changed"] += sum(one.share > 0 for one in made.moves.values())
            counts["pairs with a fault"] += any(change.fault for change in made.changes.values())
            for name, change in made.changes.items():
                counts[f"{'fault' if change.fault else 'told'}: {change.kind}"] += 1
                if change.fault:
                    print(f"{series.name}, {name}: {change}")
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    said = parser.parse_args()
    counts: Counter[str] = Counter()
    for log in sorted((said.data / "delta-tables" / "valid").rglob("_delta_log")):
        table = log.parent
        for commit in rewrites_of(table):
            counts["rewrites"] += 1
            now, before = state_of(table, [file.key for file in commit.added]), state_of(table, list(commit.removed))
            if now is None or before is None:
                counts["of which only one side is known"] += 1
                continue
            made = Replaced(now, before)
            counts["compared"] += 1
            counts["columns"] += len(made.columns)
            counts["columns that changed"] += sum(one.share > 0 for one in made.moves.values())
            for name, change in made.changes.items():
                counts[f"{'fault' if change.fault else 'told'}: {change.kind}"] += 1
                print(f"{table.name}, version {commit.number}, {commit.operation}, {name}: {change}")
    print(dict(counts))
    for part in PARTS:
        print(part, dict(of_series(said.data, part)))


if __name__ == "__main__":
    main()
