"""Generated histories: healthy tables of many sorts, from which a new lake learns how far healthy metrics go.

Three sorts of tables: **increments** (each execution brings a day's rows; weekly cycle, growth, noise), **kept**
snapshots (few rows
added, edited or removed) and **drawn** snapshots (all values anew, such as a ranking). Invariants end as they do in
healthy tables: a
first null, a new category, a longer name, one row more after many days without.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks.avh_data import Broken, Execution, History, load_cached
from catalog.evidence.series import column_metrics
from catalog.rules.injector import ISSUES, inject
from catalog.states.column import ColumnState
from catalog.states.fold import fold

Rng = np.random.Generator
START = datetime(2025, 1, 6)
SYLLABLES = np.array([a + b for a in "bklmnrstvz" for b in "aeio"])
LENGTH = 50  # executions of a generated history

Column = Callable[[Rng, int, int], list]  # (rng, rows, day) -> cells


def _words(rng: Rng, n: int, most: int = 4) -> list[str]:
    parts = rng.choice(SYLLABLES, size=(n, most))
    return ["".join(row[: 2 + k]).capitalize() for row, k in zip(parts, rng.integers(0, most - 1, n), strict=True)]


# ---------------------------------------------------------------------------------------------------- columns of a day


def _amount(rng: Rng) -> Column:
    mu, sigma, drift = rng.uniform(0, 6), rng.uniform(0.2, 1.2), rng.choice([0, 0, 0.002, 0.01])
    digits = int(rng.choice([0, 2, 2, 4]))
    return lambda r, n, day: np.round(r.lognormal(mu + drift * day, sigma, n), digits).tolist()


def _level(rng: Rng) -> Column:
    mean, sd, walk = rng.uniform(-50, 500), rng.uniform(0.5, 40), rng.choice([0, 0, 0.05])
    path = np.cumsum(rng.normal(0, walk * sd, 400))
    return lambda r, n, day: np.round(r.normal(mean + path[day], sd, n), 2).tolist()


def _count(rng: Rng) -> Column:
    rate, zeros = rng.uniform(0.3, 30), rng.choice([0.0, 0.0, 0.4, 0.95])
    return lambda r, n, day: (r.poisson(rate, n) * (r.random(n) >= zeros)).tolist()


def _heavy(rng: Rng) -> Column:
    shape = rng.uniform(1.5, 3)
    return lambda r, n, day: np.round((r.pareto(shape, n) + 1) * 10, 2).tolist()


def _serial(rng: Rng) -> Column:
    start = int(rng.integers(1, 1_000_000))
    return lambda r, n, day: list(range(start + day * 100_000, start + day * 100_000 + n))


def _foreign(rng: Rng) -> Column:
    most = int(rng.integers(50, 20_000))
    return lambda r, n, day: r.integers(1, most, n).tolist()


def _category(rng: Rng) -> Column:
    size, wobble, weekly = int(rng.integers(2, 40)), rng.choice([0.0, 0.05, 0.2]), rng.choice([0.0, 0.0, 0.4])
    names = np.array(_words(rng, size + 4))
    if rng.random() < 0.4:
        names = np.array([x.upper()[:3] for x in names])
    base = 1 / np.arange(1, size + 1) ** rng.uniform(0.3, 1.5)
    joins = sorted(rng.integers(20, 300, 4))

    def cells(r: Rng, n: int, day: int) -> list[str]:
        extra = sum(day >= j for j in joins)
        p = np.concatenate((base, np.full(extra, base[-1] / 2)))
        p = p * np.exp(r.normal(0, wobble, len(p))) * (1 + weekly * (day % 7 >= 5) * (np.arange(len(p)) % 2))
        return names[r.choice(len(p), n, p=p / p.sum())].tolist()

    return cells


def _code(rng: Rng) -> Column:
    prefix, width, most = "".join(rng.choice(list("ABCDEFGH"), 3)), int(rng.integers(3, 8)), int(rng.integers(30, 5000))
    return lambda r, n, day: [f"{prefix}-{v:0{width}d}" for v in r.integers(0, most, n)]


def _mail(rng: Rng) -> Column:
    hosts = [w.lower() for w in _words(rng, 8)]
    return lambda r, n, day: [
        f"{w.lower()}{k}@{hosts[k % 8]}.com" for w, k in zip(_words(r, n), r.integers(1, 900, n), strict=True)
    ]


def _text(rng: Rng) -> Column:
    most = int(rng.integers(3, 15))
    pool = np.array(_words(rng, 400))
    return lambda r, n, day: [" ".join(r.choice(pool, k)) for k in r.integers(1, most, n)]


def _day(rng: Rng) -> Column:
    form = str(rng.choice(["%Y-%m-%d", "%d.%m.%Y", "%Y-%m-%d %H:%M:%S"]))
    return lambda r, n, day: [
        (START + timedelta(days=day, seconds=int(s))).strftime(form) for s in r.integers(0, 86_400, n)
    ]


def _time(rng: Rng) -> Column:
    return lambda r, n, day: [START + timedelta(days=day, seconds=int(s)) for s in r.integers(0, 86_400, n)]


def _token(rng: Rng) -> Column:
    return lambda r, n, day: [f"{a:016x}" for a in r.integers(0, 2**63 - 1, n)]


SORTS: tuple[Callable[[Rng], Column], ...] = (
    _amount, _amount, _level, _level, _count, _heavy, _serial, _foreign, _category, _category, _category, _code,
    _mail, _text, _day,
    _time, _token,
)  # fmt: skip


def _with_nulls(column: Column, rng: Rng) -> Column:
    rate = float(rng.choice([0, 0, 0, 0, 0.0005, 0.01, 0.1, 0.5]))
    wobble = float(rng.choice([0.1, 0.3]))
    if not rate:
        return column

    def cells(r: Rng, n: int, day: int) -> list:
        share = min(rate * float(np.exp(r.normal(0, wobble))), 0.95)
        return [None if gone else v for v, gone in zip(column(r, n, day), r.random(n) < share, strict=True)]

    return cells


# ------------------------------------------------------------------------------------------------------------- tables


def _volume(rng: Rng) -> Callable[[Rng, int], int]:
    base, growth = rng.uniform(80, 1500), rng.choice([0.0, 0.0, 0.003, 0.01])
    week = np.ones(7) if rng.random() < 0.5 else np.concatenate((rng.uniform(0.9, 1.2, 5), rng.uniform(0.3, 0.9, 2)))
    noise = rng.choice([0.0, 0.02, 0.1, 0.25])
    return lambda r, day: int(r.poisson(base * (1 + growth) ** day * week[day % 7] * np.exp(r.normal(0, noise)))) + 5


def tables(seed: int, length: int = LENGTH) -> list[pa.Table]:
    """The executions of one healthy table."""
    rng = np.random.default_rng([seed, 7])
    columns = {f"c{i}": _with_nulls(SORTS[k](rng), rng) for i, k in enumerate(rng.choice(len(SORTS), 8, replace=False))}
    sort = ("increment", "increment", "kept", "drawn")[seed % 4]
    if sort == "kept":
        return _kept(rng, columns, length)
    rows, fixed = _volume(rng), int(rng.integers(50, 1500))
    sizes = [fixed if sort == "drawn" else rows(rng, day) for day in range(length)]
    return [pa.table({name: c(rng, n, day) for name, c in columns.items()}) for day, n in enumerate(sizes)]


def _kept(rng: Rng, columns: dict[str, Column], length: int) -> list[pa.Table]:
    """A table whose rows stay: few are added, edited or removed, on some days only; some columns are measured anew
    daily."""
    n = int(rng.integers(40, 2500))
    cells = {name: c(rng, n, 0) for name, c in columns.items()}
    live = {name for name in columns if rng.random() < 0.2}
    busy, rate = rng.uniform(0.05, 1), rng.choice([0.5, 2, 6])
    found = []
    for day in range(length):
        if rng.random() < busy:
            new = int(rng.poisson(rate * max(n / 1000, 0.3)))
            for name, c in columns.items():
                cells[name] = cells[name] + c(rng, new, day)
            size = len(next(iter(cells.values())))
            gone = set(rng.choice(size, min(int(rng.poisson(rate / 5)), size // 20), replace=False).tolist())
            edits = int(rng.poisson(rate))
            edited = str(rng.choice(list(columns)))
            cells = {name: [v for i, v in enumerate(vs) if i not in gone] for name, vs in cells.items()}
            size = len(cells[edited])
            for i, v in zip(
                rng.choice(size, min(edits, size), replace=False), columns[edited](rng, size, day), strict=False
            ):
                cells[edited][int(i)] = v
        size = len(next(iter(cells.values())))
        found.append(
            pa.table({name: columns[name](rng, size, day) if name in live else vs for name, vs in cells.items()})
        )
    return found


def build(seed: int, *, every: int = 10, length: int = LENGTH, issues: bool = True) -> History:
    """A generated history folded to metrics, with issues in every `every`th test execution."""
    history = History(
        f"{'generated' if issues else 'healthy'}_{seed}", {}, [{"start": 1, "end": length, "inside": []}], []
    )
    previous: dict[str, ColumnState] = {}
    for index, table in enumerate(tables(seed, length), 1):
        states = fold(table).columns
        one = Execution(index, table.num_rows, table.column_names)
        for name, state in states.items():
            metrics = column_metrics(state, previous.get(name))
            if state.kind == "number":
                one.numbers[name] = metrics
                one.parses.add(name)
            else:
                one.strings[name] = metrics
            if state.kind == "time":
                one.kinds[name] = "time"
        history.executions[index] = one
        if (index >= 30 and (index - 31) % every == 0) or index == 30:
            history.broken += _inject(history.name, index, table, previous)
        previous = states
    return history


def _inject(series: str, index: int, table: pa.Table, previous: dict[str, ColumnState]) -> list[Broken]:
    found = []
    for column in table.column_names:
        for issue in ISSUES:
            changed = inject(table, column, issue, seed=index)
            if changed is None:
                continue
            state = fold(changed.select([column])).columns[column]
            metrics = column_metrics(state, previous.get(column))
            found.append(Broken(series, index, column, state.kind, issue.key, metrics, changed.num_rows))
    return found


def load_generated(cache: Path, seeds: range, workers: int = 2, *, issues: bool = True) -> list[History]:
    """Generated histories, from `cache` where they were folded before."""
    name = "generated" if issues else "healthy"
    jobs = {f"{name}_{seed}": partial(build, seed, issues=issues) for seed in seeds}
    with ProcessPoolExecutor(workers) as pool:
        return load_cached(cache, jobs, pool)
