"""How many versions tables bring in a week, and what the weekly budget lets be told while a lake is new: the figures of
`catalog.checks.weekly.to_come`.

    python -m benchmarks.shipped.first_week --data DIR

Times of versions are the commits of real series. Printed is the Gamma law of how many a day they bring (by moments,
each series counting alike, and without each source). Then `TABLES` tables that come as these series become a lake of
which all is just being registered: with one version each, written on the last day, or with what the `PAST` days before
brought. Their versions state so many false alarms a week; told are these times the share that the procedure leaves
them, in the first three weeks. Beside it: the same by what has been judged of the last seven days, as it was before.
The law is fitted without the half of the sources whose tables come, both ways.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.lateness import of_series
from benchmarks.split import ALL, KNOWN, series_folders, source_of
from catalog.checks import weekly
from catalog.checks.weekly import DAYS, Stated, share, to_come

TABLES, PAST, WEEKS, LAKES = 60, 14.0, 3, 12  # chosen: a run takes a minute
STATED = (1.0, 3.0, 10.0, 30.0)  # false alarms that the rules of a lake state a week, at a budget of one
Days = NDArray[np.float64]


def days_of(folder: Path) -> Days:
    """Days from the first version of a series to each."""
    times = of_series(folder)
    return np.array([(one - times[0]) / timedelta(days=1) for one in times])


def law(series: Sequence[Days]) -> tuple[float, float]:
    """(shape, weight in days) of the Gamma law of the versions that series bring a day, by moments.

    >>> tuple(round(one, 1) for one in law([np.arange(0, 40.0, step) for step in (1, 2, 4, 8)]))
    (1.7, 3.5)
    """
    rates = np.array([(len(days) - 1) / (days[-1] - days[0]) for days in series])
    mean, spread = float(rates.mean()), float(rates.var(ddof=1))
    return mean**2 / spread, mean / spread


def new_lake(series: Sequence[Days], rng: np.random.Generator, past: float) -> list[Days]:
    """When the versions of each table of a lake came and come, in days since it is registered."""
    found = []
    for days in (series[at] for at in rng.integers(len(series), size=TABLES)):
        if past:
            days = days - rng.uniform(days[0] + past, days[-1] - WEEKS * DAYS)
        else:
            first = rng.integers(np.searchsorted(days, days[-1] - WEEKS * DAYS))
            days = days[first:] - days[first] - rng.uniform()
        found.append(days[days <= WEEKS * DAYS])
    return found


def told(lake: Sequence[Days], a_week: float, *, foreseen: bool) -> Days:
    """How many false alarms the versions of each week may raise, at a budget of one, where their rules state `a_week`
    in all: by what the week is foreseen to bring, or by what was judged of it so far."""
    coming = sorted(float(day) for days in lake for day in days if day > 0)
    rate = a_week * WEEKS / len(coming)
    out = np.zeros(WEEKS)
    for now in coming:
        count = 0.0
        for days in lake:
            since = now - DAYS if foreseen else max(now - DAYS, 0.0)
            came = int(np.sum((days > since) & (days <= now)))
            if foreseen and days[0] <= now:
                later = came - int(now - days[0] < DAYS)
                came_and_come = later + to_come(now - days[0], later)
            else:
                came_and_come = came
            count += came_and_come
        out[min(int(now // DAYS), WEEKS - 1)] += rate * share(Stated(0.0, rate * count), 1.0, 1.0)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.shipped.first_week",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with histories/ (and histories2/)")
    data = parser.parse_args().data
    folders = sorted({*series_folders(data, KNOWN), *series_folders(data, ALL)})
    series, sources = [days_of(one) for one in folders], [source_of(one) for one in folders]
    shape, weight = law(series)
    without = [law([s for s, of in zip(series, sources, strict=True) if of != one]) for one in sorted(set(sources))]
    print(f"{len(series)} series of {len(without)} sources: SOON, WEIGHT = {shape:.2f}, {weight:.2f} days;", end=" ")
    print("; ".join(f"{min(each):.2f} to {max(each):.2f}" for each in zip(*without, strict=True)), "without one")
    halves = [[s for s, of in zip(series, sources, strict=True) if sorted(set(sources)).index(of) % 2 == half]
              for half in (0, 1)]  # fmt: skip
    for past in (0.0, PAST):
        for a_week in STATED:
            weeks: dict[bool, list[Days]] = {True: [], False: []}
            for seed in range(LAKES):
                weekly.SOON, weekly.WEIGHT = law(halves[seed % 2])
                lake = new_lake(halves[1 - seed % 2], np.random.default_rng(seed), past)
                for foreseen, each in weeks.items():
                    each.append(told(lake, a_week, foreseen=foreseen))
            said = {how: " ".join(f"{x:.2f}" for x in np.mean(each, axis=0)) for how, each in weeks.items()}
            print(f"{past:g} days known, {a_week:g} stated a week: {said[True]} told; {said[False]} before", flush=True)


if __name__ == "__main__":
    main()
