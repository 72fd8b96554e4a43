"""False alarms a week under the lake's budget: ``python -m benchmarks.weekly --data DIR --json OUT [--split tune]``.

History rules are learned and judged along each real series as in a life of the table (registered after `FIRST`
executions, learned again every `AGAIN` and after each false alarm; real incidents stay out of the history). Then all
series are one lake, one version a table a day, each beginning at a random day and going round: `ORDERS` random orders.
Of every version the procedure of `catalog.checks.weekly` tells what its budget has room for; a simulated steward
answers at once. Rules spend ten times the usual rate here (`--rate`), so that there is something to choose from. Told
are false alarms a week for each budget, the share of incidents (severity `column`) that are told, and both without any
budget; and, without one, the clean versions and columns with a false alarm of history rules, by source.
"""

from __future__ import annotations

import argparse
import json
import math
import pickle
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import numpy as np

from benchmarks.lake import unique_names
from benchmarks.lived.data import Series, delivery, read_series
from benchmarks.split import ALL, FIT, KNOWN, REPORT, TUNE, by_source, interval, look, series_folders, source_of
from catalog.checks.budget import WINDOW_DAYS
from catalog.checks.weekly import DAYS, Seen, Stated, are_told, optimism, share, told_of
from catalog.history.series import Past, TableMetrics, column_series, observe_metrics, paced, without
from catalog.learners.series.history import learn_history, learn_volume, unused_in
from catalog.rules.chances import FAR, SELDOM
from catalog.rules.kinds.history import HistoryRule
from catalog.rules.verdict import NOT_APPLICABLE, VIOLATED
from catalog.states.folding.fold import fold
from catalog.states.table import TableState

FIRST, AGAIN = 15, 5
RATE, USUAL = (
    0.01,
    0.001,
)  # what each column's rule may spend here, and the one on rows, which is told but where it is hardly out
BUDGETS = (0.25, 1.0, 4.0)
ORDERS = 60


@dataclass
class Said:
    """What the rules said of one version: (p-value, rate) of those that broke, sums of the rates stated; whether it
    counts as clean, and which incident it is."""

    found: list[tuple[float | None, float]] = field(default_factory=list)
    fixed: float = 0.0
    graded: float = 0.0
    clean: bool = False
    incident: bool = False
    columns: int = 0
    broken: int = 0  # columns, that count
    out: list[float] = field(default_factory=list)  # by how many half widths of their bands, of columns


@dataclass
class Observed:
    """A version of a series: its metrics, kinds of columns, and what is known of them."""

    metrics: TableMetrics
    types: dict[str, str]
    kinds: dict[str, str]
    unused: dict[str, frozenset[str]]


def observe(series: Series) -> list[Observed]:
    """Fold each execution once; its metrics are against the last one that is no incident."""
    found: list[Observed] = []
    past: list[TableMetrics | None] = []
    last: TableState | None = None
    last_day: date | None = None
    for index in range(1, len(series.days) + 1):
        table = delivery(series, index)
        state, types = fold(table), {f.name: str(f.type) for f in table.schema}
        kinds = {name: column.kind for name, column in state.columns.items()}
        day, wrong = date.fromisoformat(series.days[index - 1]), bool(series.wrong(index))
        waited = None if last_day is None else float((day - last_day).days)
        metrics = replace(observe_metrics(state, last), at=datetime.combine(day, time.min))
        metrics = paced(metrics, past, waited)
        found.append(Observed(metrics, types, kinds, unused_in(state)))
        past.append(None if wrong else metrics)
        last, last_day = (last, last_day) if wrong else (state, day)
    return found


def life(series: Series, versions: Sequence[Observed], rate: float) -> list[Said]:
    """What the rules say of each version of a series after its first ones."""
    past: list[TableMetrics | None] = []
    rules: list[HistoryRule] = []
    types: dict[str, str] = {}
    since, out = 0, []
    for index, now in enumerate(versions, 1):
        past = without(past, [name for name in types if now.types.get(name, types[name]) != types[name]])
        types, wrong = now.types, series.wrong(index)
        if index > FIRST:
            aside = series.aside(index)
            said = _judged(rules, now, past, aside or set(), [name for x in wrong for name in x["columns"]])
            said.clean, said.incident = aside is not None, bool(wrong)
            said.columns = len(types) - len(aside or ())
            out.append(said)
        past.append(None if wrong else now.metrics)
        since += 1
        false = index > FIRST and bool(out[-1].found) and not wrong
        if index >= FIRST and not wrong and (index == FIRST or false or since >= AGAIN):
            since = 0
            learned = learn_history(past, kinds=now.kinds, unused=now.unused, budget=rate)
            rules = [rule for rule in learned if rule.column]
            rules += [rule for rule in [learn_volume(past, min(rate, USUAL))] if rule is not None]
    return out


def _judged(rules: Sequence[HistoryRule], now: Observed, past: Past, aside: Collection[str], named: list[str]) -> Said:
    """What rules say, but of columns that are set aside; of an incident, of the columns that it names."""
    said = Said()
    for rule in rules:
        if rule.column and (rule.column not in now.kinds or rule.column in aside):
            continue
        if rule.column and named and "*" not in named and rule.column not in unique_names(named):
            continue
        own = now.metrics.columns[rule.column] if rule.column else now.metrics.of_table()
        verdict = rule.judge_metrics(own, column_series(past, rule.column))
        if verdict.status == NOT_APPLICABLE:
            continue
        fixed = rule.column is None
        said.fixed += (rule.fpr or 0.0) * fixed
        said.graded += (rule.fpr or 0.0) * (not fixed)
        if verdict.status == VIOLATED:
            said.broken += 1
            said.found.append((verdict.p_value, rule.fpr or 0.0))
            if rule.column and verdict.p_value:
                said.out.append(out_of(verdict.p_value, rule.fpr or 1.0, rule.tail))
    return said


def one_lake(lives: Sequence[Sequence[Said]], budget: float | None, rng: np.random.Generator) -> dict[str, float]:
    """One random order: false alarms a week and the share of incidents told; without a budget where that is None."""
    days = max(len(one) for one in lives)
    starts = [int(rng.integers(days)) for _ in lives]
    calendar = [[(t, one[(day - start) % days]) for t, (one, start) in enumerate(zip(lives, starts, strict=True))
                 if (day - start) % days < len(one)] for day in range(days)]  # fmt: skip
    stated: list[dict[int, Stated]] = []
    false: list[tuple[int, int]] = []  # day, table
    incidents = seen = 0
    for day, versions in enumerate(calendar):
        stated.append({t: Stated(said.fixed, said.graded) for t, said in versions})
        week = [one for of_day in stated[-DAYS:] for one in of_day.values()]
        month = [(t, one.total) for of_day in stated[-WINDOW_DAYS - 1 : -1] for t, one in of_day.items()]
        recent = [t for at, t in false if at >= day - WINDOW_DAYS]
        allowed = budget or 1.0
        lake = optimism(told_of(Seen(sum(x for _, x in month), len(recent), min(day, WINDOW_DAYS)), allowed))
        part = share(Stated(sum(x.fixed for x in week), sum(x.graded for x in week)), allowed, lake)
        for t, said in versions:
            table = optimism(Seen(sum(x for of, x in month if of == t), recent.count(t)), lake)
            told = bool(said.found) and (budget is None or are_told(said.found, part, lake, table))
            incidents, seen = incidents + said.incident, seen + (said.incident and told)
            if told and said.clean:
                false.append((day, t))
    return {"false_a_week": len(false) * 7 / days, "incidents_told": seen / max(incidents, 1), "weeks": days / 7}


def figures(lives: Sequence[Sequence[Said]], orders: int) -> dict[str, Any]:
    """Means over random orders, for each budget and without one."""
    found = {}
    for budget in (*BUDGETS, None):
        runs = [one_lake(lives, budget, np.random.default_rng(seed)) for seed in range(orders)]
        means: dict[str, Any] = {name: float(np.mean([run[name] for run in runs])) for name in runs[0]}
        spread = [float(x) for x in np.quantile([run["false_a_week"] for run in runs], [0.05, 0.95])]
        ratio = means["false_a_week"] / budget if budget else None
        found[str(budget) if budget else "none"] = means | {"orders_5_95": spread, "ratio": ratio}
    return found


def rates(sources: Sequence[str], lives: Sequence[Sequence[Said]]) -> dict[str, Any]:
    """Clean versions and columns with a false alarm, and incidents seen, of history rules without a budget."""
    hits: Counter[tuple[str, str]] = Counter()
    tests: Counter[tuple[str, str]] = Counter()
    for source, one in zip(sources, lives, strict=True):
        for said in one:
            tests["versions", source] += said.clean
            tests["columns", source] += said.columns * said.clean
            tests["incident versions", source] += said.incident
            hits["versions", source] += said.clean and said.broken > 0
            hits["columns", source] += said.broken * said.clean
            hits["incident versions", source] += said.incident and said.broken > 0
    names = ("versions", "columns", "incident versions")
    return {name: by_source({s: (hits[name, s], n) for (of, s), n in tests.items() if of == name}) for name in names}


def far(sources: Sequence[str], lives: Sequence[Sequence[Said]], without: str = "") -> float:
    """The index by which healthy columns are out (`catalog.rules.chances.FAR`): Hill's estimate."""
    pairs = [(source, said) for source, one in zip(sources, lives, strict=True) for said in one]
    logs = [math.log(q) for source, said in pairs if source != without and said.clean for q in said.out]
    return len(logs) / sum(logs) if sum(logs) else math.nan


def out_of(p: float, rate: float, tail: float) -> float:
    """Inverse of `p_value_of`.

    >>> from catalog.rules.chances import p_value_of
    >>> round(out_of(p_value_of(7.0, 0.01, 5.5), 0.01, 5.5), 9), round(out_of(p_value_of(1.2, 0.01, 5.5), 0.01, 5.5), 9)
    (7.0, 1.2)
    """
    knee = max(rate / SELDOM, 1.0) ** (1 / tail)
    fallen = rate / p
    near = min(fallen ** (1 / tail), knee)
    return float(near * (fallen / near**tail) ** (1 / FAR))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.weekly", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with histories/ (and histories2/)")
    parser.add_argument("--json", type=Path, required=True, help="where to write the figures")
    parser.add_argument("--split", default=ALL, choices=(ALL, FIT, TUNE, KNOWN, REPORT), help="part of the sources")
    parser.add_argument("--rate", type=float, default=RATE, help="false-alarm rate that each column may spend, 0..1")
    parser.add_argument("--cache", type=Path, default=Path(gettempdir()) / "assay-weekly")
    options = parser.parse_args()
    folders = series_folders(options.data, options.split)
    if options.split == REPORT:
        look(folders, "benchmarks.weekly")
    lives = [cached_life(folder, options.cache, options.rate) for folder in folders]
    report: dict[str, Any] = {"tables": len(lives), "versions": sum(map(len, lives)), "budgets": figures(lives, ORDERS)}
    sources = [source_of(folder) for folder in folders]
    report["by_source"] = rates(sources, lives)
    report["far"] = {"all": far(sources, lives)} | {one: far(sources, lives, one) for one in sorted(set(sources))}
    options.json.write_text(json.dumps(report, indent=1))
    print(f"{report['tables']} tables, {report['versions']} versions, {ORDERS} orders")
    for budget, one in report["budgets"].items():
        print(f"budget {budget}: {one}")
    for what, one in report["by_source"].items():
        print(f"{what}: {interval(one)}")
    print(
        f"FAR = {report['far']['all']:.2f}, {min(report['far'].values()):.2f} to {max(report['far'].values()):.2f}"
        " without one source"
    )


def cached_life(folder: Path, cache: Path, rate: float) -> list[Said]:
    """What is said of a series, which is folded once for a cache folder."""
    cache.mkdir(parents=True, exist_ok=True)
    path, series = cache / f"{folder.name}.observed.pickle", read_series(folder)
    if not path.exists():
        path.write_bytes(pickle.dumps(observe(series)))
    return life(series, pickle.loads(path.read_bytes()), rate)  # noqa: S301 our own cache


if __name__ == "__main__":
    main()
