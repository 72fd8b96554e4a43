"""How far times of healthy batches lie outside of all before: of columns of days, written as texts or numbers, too.

    python -m benchmarks.avh.strays --data DIR [--data DIR ...]

Of real series (`benchmarks.lived.data`), of every column of whose filled cells nine of ten begin with a day
(2026-12-31, or 20261231), in batches with `FEWEST` such cells. A healthy batch is compared with all healthy ones before
it as `catalog.history.series.stray_of` does. It counts the pairs from the second batch on and from the eighth, and how
many of them lie outside by so many spans (`AT`); those beyond one are named.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import polars as pl

from benchmarks.lived.data import Series, cells_of, read_series
from benchmarks.split import ALL, KNOWN, series_folders
from catalog.history.times import stray_of
from catalog.learners.series.limits import LEAST

AT = (0.0, 0.25, 0.5, 1.0, 2.0)
FEWEST = 10  # filled cells of a batch that counts
FILLED = 0.9  # share of them that must hold a day
FORMS = {r"^\d{4}-\d\d-\d\d": "%Y-%m-%d", r"^(?:1[89]|2[01])\d{6}$": "%Y%m%d"}
EPOCH = date(1970, 1, 1)


def days_of(cells: pl.Series) -> tuple[float, float] | None:
    """The first and the last day of a column, in days since 1970; None where it holds others than days."""
    filled = cells.filter(cells != "")
    if len(filled) < FEWEST:
        return None
    for regex, form in FORMS.items():
        days = filled.str.extract(f"({regex})").drop_nulls().str.to_date(form, strict=False).drop_nulls()
        first, last = days.min(), days.max()
        if len(days) >= FILLED * len(filled) and isinstance(first, date) and isinstance(last, date):
            return float((first - EPOCH).days), float((last - EPOCH).days)
    return None


def strays(series: Series) -> Iterator[tuple[str, int, int, float]]:
    """(column, batches before, version, how far outside) of every healthy pair."""
    past: dict[str, list[dict[str, float]]] = defaultdict(list)
    at: dict[str, date] = {}
    for version in range(1, len(series.days) + 1):
        wrong = {column for incident in series.wrong(version) for column in incident["columns"]}
        if "*" in wrong:
            continue
        today = date.fromisoformat(series.days[version - 1])
        for name, cells in cells_of(series, version).items():
            ends = None if name in wrong else days_of(cells)
            if ends is None:
                continue
            now = {"time_span": 0.0, "min": ends[0], "max": ends[1]}
            found = stray_of(now, past[name], float((today - at.get(name, today)).days))
            if found:
                yield name, len(past[name]), version, found["stray"]
            past[name].append(now)
            at[name] = today


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, action="append", required=True, help="folder with histories/ (repeated)")
    found: list[tuple[str, str, int, int, float]] = []
    for data in parser.parse_args().data:
        for folder in sorted({*series_folders(data, ALL), *series_folders(data, KNOWN)}):
            own = [(folder.name, *one) for one in strays(read_series(folder))]
            found += own
            print(folder.name, len({column for _, column, *_ in own}), "columns", len(own), "pairs", flush=True)
    for least in (1, LEAST):
        pairs = [one for one in found if one[2] >= least]
        counts = {far: sum(one[4] > far for one in pairs) for far in AT}
        columns = len({one[:2] for one in pairs})
        print(f"{least} batches before or more: {len(pairs):,} pairs of {columns} columns, outside by", counts)
    for name, column, before, version, far in found:
        if far > 1:
            print(f"{name}.{column}: version {version}, {before} before: {far:.2f}")


if __name__ == "__main__":
    main()
