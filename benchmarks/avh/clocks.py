"""What history rules say of columns of times: of healthy batches, of clocks in another zone, and of times cut short.

    python -m benchmarks.avh.clocks [--data DIR ...]

Real columns are those of the series of `DIR` (`benchmarks.lived.data`) of whose filled cells nine of ten hold a time of
day that is not always midnight. Generated ones (`PROFILES`) are loads of a day each. Of every column the rule of the
last `PAST` healthy batches judges the next one, as it is and with each of `FAULTS`, in all rows and in a part; a second
figure is of the same rule without its clauses on how exact times are and by how many hours they turned (`NEW`).
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from benchmarks.lived.data import Series, cells_of, read_series
from benchmarks.split import ALL, KNOWN, series_folders
from catalog.damage.times import CUTS, cut_to, shifted
from catalog.history.series import TableMetrics, observe_metrics, paced
from catalog.learners.series.history import learn_column, unused_of
from catalog.rules.kinds.history import HistoryRule
from catalog.rules.verdict import VIOLATED, Batch
from catalog.states.folding.fold import fold
from catalog.states.metrics import WHOLE
from catalog.states.table import TableState

NEW = {*WHOLE, "hour_turn"}
PAST = (7, 14, 30)
FEWEST = 20  # filled cells of a batch that counts
FILLED = 0.9  # share of them that must hold a time of day
MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
MONDAY = datetime(2026, 3, 2, tzinfo=UTC)

Times = list[datetime | None]
Draw = Callable[[np.random.Generator, int], np.ndarray]


def _lost(value: Any) -> Any:
    return value.replace(hour=0, minute=0, second=0, microsecond=0)


#: (name, change of one time, share of the rows)
FAULTS: tuple[tuple[str, Callable[[Any], Any], float], ...] = (
    *((f"{hours:+d} h", shifted(hours), 1.0) for hours in (1, 2, 5, -7)),
    *((f"time lost in {share:.0%}", _lost, share) for share in (1.0, 0.2, 0.05, 0.01)),
    *((f"{unit}s in {share:.0%}", cut_to(unit), share) for unit in CUTS for share in (1.0, 0.2)),
)  # fmt: skip

PROFILES: dict[str, Draw] = {
    "office hours": lambda rng, n: rng.normal(12.5, 2.5, n).clip(7, 19),
    "evenings": lambda rng, n: (rng.normal(20.0, 3.5, n)) % 24,
    "two peaks": lambda rng, n: np.where(rng.random(n) < 0.5, rng.normal(8, 1, n), rng.normal(17.5, 1.2, n)),
    "round the clock": lambda rng, n: rng.uniform(0, 24, n),
}


def generated(profile: Draw, rows: int, exact: int, seed: int, days: int = 31) -> Iterator[Times]:
    """Loads of a day each, of about so many `rows`, to `exact` microseconds."""
    for day in range(days):
        rng = np.random.default_rng([seed, day])
        hours = profile(rng, max(int(rng.normal(rows, 0.1 * rows)), FEWEST))
        micros = (hours * 3_600_000_000).astype(np.int64) // exact * exact
        yield [MONDAY + timedelta(days=day, microseconds=int(m)) for m in micros]


def moments(cells: pl.Series) -> Times | None:
    """The cells as times; None where they are none."""
    filled = [cell for cell in cells.to_list() if cell]
    if len(filled) < FEWEST or sum(MOMENT.match(cell) is not None for cell in filled) < FILLED * len(filled):
        return None
    found = [_moment(cell) for cell in cells.to_list()]
    return found if any(t is not None and t != _lost(t) for t in found) else None


def _moment(cell: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", cell))
    except ValueError:
        return None
    return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)


def columns_of(series: Series) -> dict[str, list[Times]]:
    """The healthy batches of each column of times, oldest first."""
    found: dict[str, list[Times]] = {}
    for version in range(1, len(series.days) + 1):
        wrong = {column for incident in series.wrong(version) for column in incident["columns"]}
        for name, cells in cells_of(series, version).items():
            times = None if {"*", name} & wrong else moments(cells)
            if times is not None:
                found.setdefault(name, []).append(times)
    return found


def state_of(times: Times) -> TableState:
    return fold(pa.table({"at": pa.array(times, pa.timestamp("us", tz="UTC"))}))


def damaged(times: Times, change: Callable[[Any], Any], share: float, seed: int) -> Times | None:
    """The times with that change in a share of those that it changes; None where these are fewer than half."""
    new = [None if t is None else change(t) for t in times]
    places = [i for i, (a, b) in enumerate(zip(times, new, strict=True)) if a is not None and b is not None and a != b]
    if 2 * len(places) < sum(t is not None for t in times):
        return None
    chosen = set(np.random.default_rng(seed).choice(places, max(round(share * len(places)), 1), replace=False).tolist())
    return [new[i] if i in chosen else t for i, t in enumerate(times)]


def judged(batches: Sequence[Times], past: int, every: int) -> Iterator[tuple[str, bool, bool, set[str]]]:
    """(fault or "healthy", alarm, alarm without `NEW`, metrics that are out) of every batch."""
    states = [state_of(times) for times in batches]
    series: list[TableMetrics] = []
    for i, state in enumerate(states):
        series.append(paced(observe_metrics(state, states[i - 1] if i else None), series, 1.0))
    for at in range(past, len(states), every):
        known = series[at - past : at]
        rule = learn_column(
            [m.columns["at"] for m in known], column="at", kind="time", budget=0.001,
            unused=unused_of(states[at - 1].columns["at"]),
        )  # fmt: skip
        if rule is None:
            continue
        clauses = [clause for clause in rule.params["clauses"] if clause["metric"] not in NEW]
        less = replace(rule, params={**rule.params, "clauses": clauses})
        cases = [("healthy", batches[at])]
        cases += [(name, new) for name, change, share in FAULTS if (new := damaged(batches[at], change, share, at))]
        for name, times in cases:
            state = state_of(times)
            now = paced(observe_metrics(state, states[at - 1]), known, 1.0)
            batch = Batch(at, "increment", state, states[at - 1], [], MONDAY, known, waited=1.0)
            yield name, _alarms(rule, batch), _alarms(less, batch), _out(rule, now, known)


def _out(rule: HistoryRule, now: TableMetrics, known: Sequence[TableMetrics]) -> set[str]:
    found = rule.findings(now.columns["at"], [m.columns["at"] for m in known])
    return {one.metric for one in found if one.excess > 0}


def _alarms(rule: HistoryRule, batch: Batch) -> bool:
    return rule.judge(batch).status == VIOLATED


def show(title: str, found: Sequence[tuple[str, bool, bool, set[str]]]) -> None:
    names = list(dict.fromkeys(name for name, *_ in found))
    for name in names:
        own = [one for one in found if one[0] == name]
        told = sum(one[1] for one in own) / len(own)
        less = sum(one[2] for one in own) / len(own)
        by = Counter(metric for *_, out in own for metric in out)
        print(
            f"{title:34} {name:18} {len(own):5} judged, {told:6.1%} told, {less:6.1%} without", dict(by.most_common(4))
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, action="append", default=[], help="folder with histories/ (repeated)")
    args = parser.parse_args()
    for data in args.data:
        for folder in sorted({*series_folders(data, ALL), *series_folders(data, KNOWN)}):
            for name, batches in columns_of(read_series(folder)).items():
                for past in PAST:
                    show(f"{folder.name}.{name} {past}", list(judged(batches, past, 1)))
    if not args.data:
        for past in PAST:
            for title, profile in PROFILES.items():
                found = [
                    one
                    for rows in (50, 500, 5000)
                    for exact in (1, 1_000_000)
                    for seed in range(3)
                    for one in judged(list(generated(profile, rows, exact, seed + rows)), past, 4 if past < 30 else 1)
                ]
                show(f"{title} {past}", found)


if __name__ == "__main__":
    main()
