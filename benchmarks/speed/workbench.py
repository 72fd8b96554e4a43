"""How long the workbench's dry run takes on a large lake: every pattern of an example tried on all columns at once.

    python -m benchmarks.speed.workbench [--columns 100000] [--json OUT]

Columns are generated in sixty forms of machine-written values. Beside processor seconds it prints the ratio to one bare
pass over the index's postings (a sum of the shares by column), which is what any answer about all columns has to do.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from catalog.evidence.pattern_index.index import PatternIndex
from catalog.evidence.pattern_index.views import Profile, profile_values
from catalog.tags.discovery.example import tag_by_example

EXAMPLE = ["SO-10423", "SO-99813", "SO-00017", "SO-55512", "SO-31337"]
COLUMNS_A_TABLE = 40


def forms(random: Random, many: int = 60) -> list[Profile]:
    """Profiles of columns: each of codes of one random form, the first of the example's."""
    out = []
    for number in range(many):
        form = "AA-00000" if number == 0 else "".join(random.choice("Aa0-/. ") for _ in range(random.randint(4, 14)))
        values = ("".join(_character(random, one) for one in form) for _ in range(60))
        out.append(profile_values([(value, 1) for value in values]))
    return out


def _character(random: Random, kind: str) -> str:
    ranges = {"A": "ABCDEFGHJK", "a": "abcdefghjk", "0": "0123456789"}
    return random.choice(ranges.get(kind, kind))


def lake(columns: int) -> PatternIndex:
    """An index of so many columns."""
    random = Random(7)
    made = forms(random)
    tables = {
        str(table): {f"c{at}": random.choice(made) for at in range(min(COLUMNS_A_TABLE, columns - table))}
        for table in range(0, columns, COLUMNS_A_TABLE)
    }
    index = PatternIndex.build(tables)
    index.settle()
    return index


def seconds(work: Callable[[], Any], times: int = 7) -> float:
    """The median of the processor seconds that it takes."""
    found = []
    for _ in range(times):
        started = time.process_time()
        work()
        found.append(time.process_time() - started)
    return float(np.median(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--columns", type=int, default=100_000)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    index = lake(asked.columns)
    postings = index.postings
    at, shares = np.asarray(postings.columns), np.asarray(postings.shares)
    bare = seconds(lambda: np.bincount(at, weights=shares, minlength=len(index.columns)))
    first = seconds(lambda: tag_by_example(EXAMPLE, index), times=1)
    run = seconds(lambda: tag_by_example(EXAMPLE, index))
    found = tag_by_example(EXAMPLE, index)
    best = next(one for one in found if one.recommended)
    data = {
        "columns": len(index.columns), "postings": len(at), "patterns": len(found), "would_tag": len(best.described),
        "bare_pass_seconds": round(bare, 5), "dry_run_seconds": round(run, 4), "first_seconds": round(first, 4),
        "ratio": round(run / bare, 1),
    }  # fmt: skip
    for name, value in data.items():
        print(f"{name.replace('_', ' '):>20}  {value:,}")
    if asked.json:
        asked.json.write_text(json.dumps(data, indent=1))


if __name__ == "__main__":
    main()
