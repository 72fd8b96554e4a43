"""How full columns are from one healthy batch to the next, and what rules on that alone would have told.

    python -m benchmarks.lived.fills --data DIR [--data DIR ...]

Of real series (`benchmarks.lived.data`), of columns that are neither always full nor always empty. First of batches
whose rows hardly changed in number (`SAME`) and that were neither empty nor full before (`ENOUGH` rows of both): how
many were fuller than ever and by what share of the missing cells, how many emptier and by what share of those that hold
something; `catalog.learners.series.limits` keeps to that. Then rules are learned from how full a column is, and
nothing else, every `EVERY` batches from `OFTEN` on, and judge the healthy batches up to the next, and the same with
shares of the values missing.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.lived.data import Series, cells_of, read_series
from benchmarks.split import ALL, KNOWN, series_folders
from catalog.learners.series.history import learn_column
from catalog.learners.series.limits import ENOUGH
from catalog.rules.clauses.band import filled

OFTEN, EVERY = 15, 5
FEWEST = 10  # rows of a batch that counts
SAME = 0.01
AT = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
MISSING = (0.05, 0.2)
BUDGET = 0.0005  # chosen: what a rule on one of twenty columns may spend
SHARES = ("complete_ratio", "filled_ratio")
Batch = dict[str, float]


def batches(series: Series) -> dict[str, list[Batch]]:
    """How full each column was in its healthy batches."""
    found: dict[str, list[Batch]] = {}
    for index in range(1, len(series.days) + 1):
        cells = {} if series.wrong(index) else cells_of(series, index)
        for name, values in cells.items():
            if len(values) >= FEWEST:
                share = float((values != "").sum()) / len(values)
                found.setdefault(name, []).append({"row_count": float(len(values)), **dict.fromkeys(SHARES, share)})
    return {name: past for name, past in found.items() if any(one["complete_ratio"] % 1 for one in past)}


def steps(past: Sequence[Batch], counts: Counter[str]) -> None:
    """Count the steps of a column beyond all it ever was."""
    shares = [one["complete_ratio"] for one in past]
    for at in range(OFTEN - 1, len(past)):
        rows, now, ever = past[at - 1]["row_count"], shares[at], shares[:at]
        held = filled(past[at - 1])
        same = abs(past[at]["row_count"] - rows) <= SAME * past[at]["row_count"]
        if not same or min(ever) == 0 or max(ever) == 1 or min(held, rows - held) < ENOUGH:
            continue
        counts["batches"] += 1
        for share in AT:
            counts[f"filled, {share:g} of what is missing"] += now > max(ever) and now - ever[-1] > share * (
                1 - ever[-1]
            )
            counts[f"emptied, {share:g} of what is there"] += now < min(ever) and ever[-1] - now > share * ever[-1]


def told(past: Sequence[Batch], counts: Counter[str]) -> set[int]:
    """Count what rules on a column would have told; returns the places of healthy batches that they tell of."""
    rule, out = None, set()
    for at in range(OFTEN, len(past)):
        if (at - OFTEN) % EVERY == 0:
            rule = learn_column(past[:at], column="", kind="string", budget=BUDGET)
        if rule is None:
            continue
        now, before = past[at], past[:at]

        def is_out(metrics: Mapping[str, float], rule=rule, before=before) -> bool:  # type: ignore[no-untyped-def]
            return any(one.excess > 0 for one in rule.findings(metrics, before))

        counts["judged"] += 1
        out |= {at} if is_out(now) else set()
        if filled(now) >= ENOUGH and now["complete_ratio"] < 1:
            counts["partly filled"] += 1
            for share in MISSING:
                lost = {name: (1 - share) * now[name] for name in SHARES}
                counts[f"told, {share:g} missing"] += is_out(now | lost)
    counts["healthy and told"] += len(out)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, action="append", required=True, help="folder with histories/ (repeated)")
    counts: Counter[str] = Counter()
    for data in parser.parse_args().data:
        for folder in sorted({*series_folders(data, ALL), *series_folders(data, KNOWN)}):
            columns = batches(read_series(folder))
            out: set[int] = set()
            for past in columns.values():
                steps(past, counts)
                out |= told(past, counts)
            counts["versions told"] += len(out)
            print(folder.name, len(columns), flush=True)
    for what, count in sorted(counts.items()):
        print(f"{what}: {count:,}")


if __name__ == "__main__":
    main()
