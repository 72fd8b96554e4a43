"""Generated histories: healthy tables of many sorts, from which a new lake learns how far healthy metrics go.

Four sorts of tables: **increments** (each execution brings a day's rows; weekly cycle, growth that may set in late,
holidays, noise), **kept** snapshots (few rows added, edited or removed, now and then an import), **drawn** snapshots
(all values new) and **panels** (the same things measured day by day: counters, levels and ratios that walk, some
things replaced by others, executions that are sometimes days apart). Invariants end as they do in healthy tables: a
first null, a new category, a longer name, a level that shifts, one row more after many days without.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks.avh.data import Broken, Execution, History, load_cached
from catalog.damage.issues import ISSUES, inject
from catalog.history.series import column_metrics
from catalog.states.column import ColumnState
from catalog.states.folding.fold import fold

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
    rise, since = float(rng.choice([0, 0, 0.03, 0.1])), int(rng.integers(15, 150))  # prices go up on one day
    return lambda r, n, day: np.round(r.lognormal(mu + drift * day + rise * (day >= since), sigma, n), digits).tolist()


def _level(rng: Rng) -> Column:
    mean, sd, walk = rng.uniform(-50, 500), rng.uniform(0.5, 40), rng.choice([0, 0, 0.05])
    path = np.cumsum(rng.normal(0, walk * sd, 400))
    path[int(rng.integers(15, 150)) :] += float(rng.choice([0, 0, 0.2])) * sd  # a level that shifts on one day
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
    late = int(rng.choice([0, 0, int(rng.integers(10, 45))]))  # the day from which it grows
    holidays = set(rng.choice(400, 20 if rng.random() < 0.3 else 0, replace=False).tolist())
    quiet = rng.uniform(0.5, 0.85)

    def rows(r: Rng, day: int) -> int:
        usual = base * (1 + growth) ** max(day - late, 0) * week[day % 7] * (quiet if day in holidays else 1)
        return int(r.poisson(usual * np.exp(r.normal(0, noise)))) + 5

    return rows


def tables(seed: int, length: int = LENGTH) -> list[pa.Table]:
    """The executions of one healthy table."""
    rng = np.random.default_rng([seed, 7])
    columns = {f"c{i}": _with_nulls(SORTS[k](rng), rng) for i, k in enumerate(rng.choice(len(SORTS), 8, replace=False))}
    sort = ("increment", "increment", "kept", "drawn", "panel", "panel")[seed % 6]
    if sort == "kept":
        return _kept(rng, columns, length)
    if sort == "panel":
        return _panel(rng, columns, length)
    rows, fixed = _volume(rng), int(rng.integers(50, 1500))
    sizes = [fixed if sort == "drawn" else rows(rng, day) for day in range(length)]
    return [pa.table({name: c(rng, n, day) for name, c in columns.items()}) for day, n in enumerate(sizes)]


def _kept(rng: Rng, columns: dict[str, Column], length: int) -> list[pa.Table]:
    """A table whose rows stay: few are added, edited or removed, on some days only; some columns are measured again
    daily."""
    n = int(rng.integers(40, 2500))
    cells = {name: c(rng, n, 0) for name, c in columns.items()}
    live = {name for name in columns if rng.random() < 0.2}
    busy, rate, imports = rng.uniform(0.05, 1), rng.choice([0.5, 2, 6]), rng.choice([0.0, 0.0, 0.03])
    found = []
    for day in range(length):
        if rng.random() < busy:
            new = int(rng.poisson(rate * max(n / 1000, 0.3)))
            if rng.random() < imports:
                new += int(n * rng.uniform(0.005, 0.03))
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


def _panel(rng: Rng, columns: dict[str, Column], length: int) -> list[pa.Table]:
    """The same things measured at each execution: half of the columns describe them, the others walk."""
    n = int(np.exp(rng.uniform(np.log(40), np.log(1500))))
    names = list(columns)
    walkers = {name: _walker(rng, n) for name in names[: int(rng.integers(2, 6))]}
    cells = {name: np.array(columns[name](rng, n, 0), object) for name in names if name not in walkers}
    turnover, irregular = rng.choice([0.0, 0.001, 0.01, 0.03]), rng.random() < 0.4
    found = []
    for day in range(length):
        gap = int(rng.choice([1, 1, 1, 2, 3])) if irregular else 1
        fresh = np.flatnonzero(rng.random(n) < turnover * gap)
        for name, values in cells.items():
            values[fresh] = np.array(columns[name](rng, len(fresh) + 1, day), object)[: len(fresh)]
        shown = {name: walkers[name](rng, gap, fresh) if name in walkers else cells[name].tolist() for name in names}
        found.append(pa.table(shown))
    return found


def _walker(rng: Rng, n: int) -> Callable[[Rng, int, NDArray[np.int64]], list]:
    """A number of each of `n` things that goes on from the day before: (rng, days since, things that are new)."""
    sort, mu, sigma = rng.choice(["counter", "level", "ratio"]), rng.uniform(1, 9), rng.uniform(0.5, 2)
    pace, size, missing = rng.uniform(0.0005, 0.02), 10 ** rng.uniform(2, 7), rng.choice([0.0, 0.0, 0.05])
    x = rng.lognormal(mu, sigma, n)
    rate = rng.lognormal(0, 1, n) * pace
    gone = rng.random(n) < missing

    def step(r: Rng, gap: int, fresh: NDArray[np.int64]) -> list:
        x[fresh] = r.lognormal(mu, sigma, len(fresh))
        if sort == "level":
            x[:] = x * np.exp(r.normal(0, pace * np.sqrt(gap), n))
        else:
            grown = np.minimum(x * rate * gap, 1e15)  # numpy draws no larger counts
            x[:] = x + r.poisson(grown) * (r.random(n) < 0.9)
        values = np.round(x, 2) if sort == "level" else np.floor(x) if sort == "counter" else np.floor(x) / size * 100
        return [None if g else int(v) if sort == "counter" else float(v) for v, g in zip(values, gone, strict=True)]

    return step


def build(seed: int, *, every: int = 10, length: int = LENGTH, issues: bool = True) -> History:
    """A generated history folded to metrics, with issues in every `every`th test execution."""
    return fold_tables(f"{'generated' if issues else 'healthy'}_{seed}", tables(seed, length), every, issues)


def fold_tables(name: str, executions: Sequence[pa.Table], every: int = 10, issues: bool = True) -> History:
    """Executions, all of them healthy, as a history: metrics, and issues in every `every`th test execution."""
    history = History(name, {}, [{"start": 1, "end": len(executions), "inside": []}], [])
    previous: dict[str, ColumnState] = {}
    for index, table in enumerate(executions, 1):
        states = fold(table).columns
        one = Execution(index, table.num_rows, table.column_names)
        for column, state in states.items():
            metrics = column_metrics(state, previous.get(column))
            if state.kind == "number":
                one.numbers[column] = metrics
                one.parses.add(column)
            else:
                one.strings[column] = metrics
            if state.kind == "time":
                one.kinds[column] = "time"
        history.executions[index] = one
        if issues and (index == 30 or (index > 30 and (index - 31) % every == 0)):
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
    return load_cached(cache, jobs, workers)
