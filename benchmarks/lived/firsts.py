"""How often healthy batches have what no batch before them had, and how much of it.

    python -m benchmarks.lived.firsts --data DIR [--data DIR ...]

Of every healthy (column, version) pair of real series (`benchmarks.lived.data`) whose share of values there are, of
texts that are not empty, of negative or of garbled ones was what most are for good (`NEVER`) in `OFTEN` healthy batches
and more: how many such pairs there are, and by how much the share then moved. Through the counts above .17%, .5%, 4%
and 10% of the rows of columns that were always filled a power law is fitted, whose chance at `SOME` and index stand in
`catalog.rules.chances`; and so do the shares of columns that lost all their values, or all but one of many
(`is_lost`), and how many pairs of columns that were keys (`catalog.learners.keys`) repeat values in more than
`REPEATED` of their rows.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from benchmarks.lived.data import Series, delivery, read_series
from benchmarks.split import ALL, KNOWN, series_folders
from catalog.history.series import TableMetrics, observe_metrics
from catalog.learners.keys import is_called_key, is_key
from catalog.rules.chances import NEVER, OFTEN, REPEATED, SOME, is_lost
from catalog.rules.clauses.band import filled
from catalog.states.folding.fold import fold

AT = (0.0017, SOME, 0.04, 0.1)
FEWEST = 10  # rows of a batch that counts


def observed(series: Series) -> Iterator[tuple[set[str], TableMetrics]]:
    """The columns that an incident is about, and the metrics, of each version; ``*`` for all columns."""
    previous = None
    for index in range(1, len(series.days) + 1):
        state = fold(delivery(series, index))
        wrong = {column for incident in series.wrong(index) for column in incident["columns"]}
        if state.rows >= FEWEST and "*" not in wrong:
            yield wrong, observe_metrics(state, previous)
        previous = previous if wrong else state


def firsts(series: Series, pairs: dict[str, int], moved: dict[str, list[float]]) -> None:
    """Count the pairs of a series by metric, and add by how much those that moved did; of ``emptied`` and ``single`` by
    which version."""
    past: dict[str, list[Mapping[str, float]]] = defaultdict(list)
    for version, (wrong, metrics) in enumerate(observed(series)):
        lost: set[str] = set()
        for column in metrics.columns.keys() - wrong:
            of, seen = metrics.columns[column], past[column]
            for name in set(NEVER) & of.keys():
                before = [one[name] for one in seen if name in one]
                if len(before) >= OFTEN and all(share == NEVER[name] for share in before):
                    pairs[name] += 1
                    moved[name] += [abs(of[name] - NEVER[name])] if of[name] != NEVER[name] else []
            if seen and is_called_key(column, series.name) and all(map(is_key, seen)):
                pairs["key"] += 1
                moved["key"] += [1 - of["unique_ratio"]] if of.get("unique_ratio", 1.0) < 1 else []
            for kind, gone in (("emptied", {"complete_ratio": 0.0}), ("single", {"dist_val_count": 1.0})):
                pairs[kind] += is_lost(seen, of | gone)
                if is_lost(seen, of) and (filled(of) == 0) == (kind == "emptied"):
                    lost.add(kind)
            seen.append(of)
        for kind in lost:
            moved[kind].append(version)


def law(pairs: int, moved: list[float]) -> tuple[float, float]:
    """(chance at `SOME`, index) of the power law through the counts at `AT`, by least squares of their logarithms."""
    counts = np.array([max(sum(one >= at for one in moved), 0.5) for at in AT])
    slope, height = np.polyfit(np.log(np.array(AT) / SOME), np.log(counts / max(pairs, 1)), 1)
    return float(np.exp(height)), float(-slope)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, action="append", required=True, help="folder with histories/ (repeated)")
    pairs: dict[str, int] = defaultdict(int)
    moved: dict[str, list[float]] = defaultdict(list)
    keyed = 0
    for data in parser.parse_args().data:
        for folder in sorted({*series_folders(data, ALL), *series_folders(data, KNOWN)}):
            before = pairs["key"]
            firsts(read_series(folder), pairs, moved)
            keyed += pairs["key"] > before
            print(folder.name, dict(pairs), flush=True)
    for name in NEVER:
        print(f"{name}: of {pairs[name]:,} pairs moved", {at: sum(one >= at for one in moved[name]) for at in AT})
    for kind in ("emptied", "single"):
        print(f"{kind}: of {pairs[kind]:,} pairs those of {len(moved[kind])} versions")
    repeated = sum(one > REPEATED for one in moved["key"])
    among = f"of {pairs['key']:,} pairs of {keyed} tables {len(moved['key'])}"
    print(f"keys: {among} repeat values, {repeated} in more than {REPEATED:.1%}")
    chance, index = law(pairs["complete_ratio"], moved["complete_ratio"])
    print(f"complete_ratio: chance at {SOME} {chance:.2e}, index {index:.2f}")


if __name__ == "__main__":
    main()
