"""What the fold costs against an earlier state of the code, on one core, turn by turn.

    python -m benchmarks.speed.fold --against TREE [--nested] [--turns N]

TREE is a working tree of the other state (``git worktree add --detach TREE COMMIT``). A process of either reads the
same files, of the tables of `benchmarks.speed.scan`; in each turn both fold one file, in an order by chance, so that
what else the machine does hits both. Printed is the processor time of this tree as a ratio to the other's: the median
of the turns and how far it goes in 95% of resamples.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parents[2]
ROWS, FILES = 30_000, 4


def serve(folder: Path) -> None:
    """Fold the file whose number is asked for, and say what it cost; runs under either state of the code."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from catalog.states.folding.fold import fold

    pa.set_cpu_count(1)
    tables = [pq.read_table(file) for file in sorted(folder.glob("*.parquet"))]
    for table in tables:
        fold(table)
    for asked in sys.stdin:
        began = time.process_time()
        fold(tables[int(asked)])
        print(time.process_time() - began, flush=True)


def duel(folder: Path, trees: list[Path], turns: int) -> list[list[float]]:
    """Processor seconds of each turn, by tree."""
    command = [sys.executable, __file__, "--serve", str(folder)]
    quiet = {**os.environ, "POLARS_MAX_THREADS": "1"}
    both = [
        subprocess.Popen(
            command, cwd=tree, env=quiet | {"PYTHONPATH": str(tree)}, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for tree in trees
    ]
    spent: list[list[float]] = [[] for _ in trees]
    for turn in range(turns):
        for at in random.sample(range(len(both)), len(both)):
            asked, answered = both[at].stdin, both[at].stdout
            assert asked is not None
            assert answered is not None
            asked.write(f"{turn % FILES}\n".encode())
            asked.flush()
            spent[at].append(float(answered.readline()))
    for one in both:
        one.communicate()
    return spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, help="a working tree of the other state")
    parser.add_argument("--nested", action="store_true", help="a table of lists and maps")
    parser.add_argument("--turns", type=int, default=80)
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return serve(options.serve)
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    from benchmarks.speed.scan import nested, numbers, strings

    with tempfile.TemporaryDirectory(prefix="assay-fold-") as folder:
        for number in range(FILES):
            rng = np.random.default_rng(number)
            makers = (nested,) if options.nested else (strings, numbers)
            made = {name: array for make in makers for name, array in make(rng, number * ROWS, ROWS).items()}
            pq.write_table(pa.table(made), Path(folder, f"{number}.parquet"))
        ours, theirs = duel(Path(folder), [HERE, options.against.resolve()], options.turns)
    ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
    resampled = sorted(statistics.median(random.choices(ratios, k=len(ratios))) for _ in range(2000))
    low, high = resampled[50], resampled[-51]
    milliseconds = [round(1000 * statistics.median(one), 1) for one in (ours, theirs)]
    print(
        f"{milliseconds[0]} ms, {milliseconds[1]} ms; ratio {statistics.median(ratios):.3f} ({low:.3f} to {high:.3f})"
    )


if __name__ == "__main__":
    main()
