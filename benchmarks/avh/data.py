"""Histories for `benchmarks.avh`: real series and generated ones as metrics per execution, clean and with injected
issues.

Every execution is folded once; what is kept is what the product keeps. All cells of the real series are strings: a
column is one of numbers, as a user would type it, where every non-empty cell of the window parses; both readings are
cached.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.split import source_of
from catalog.damage.issues import ISSUES, inject
from catalog.history.distances import cosine, paired_values
from catalog.history.series import column_metrics
from catalog.states.column import ColumnState
from catalog.states.folding.fold import fold

FORMAT = 11  # of the cache
EVERY = 5  # one test execution in so many gets injected issues
SWAPS = 5  # similar columns swapped in per column

Metrics = dict[str, float]


@dataclass
class Execution:
    """Metrics of one execution: `strings` and `numbers` by column, the latter where at least half of the cells
    parse."""

    index: int
    rows: int
    schema: list[str]
    strings: dict[str, Metrics] = field(default_factory=dict)
    numbers: dict[str, Metrics] = field(default_factory=dict)
    parses: set[str] = field(default_factory=set)  # columns whose every non-empty cell is a number
    whole: set[str] = field(default_factory=set)  # ... and written as an integer
    integers: dict[str, Metrics] = field(default_factory=dict)  # of columns that were whole before, read as integers
    kinds: dict[str, str] = field(default_factory=dict)  # of columns that are neither strings nor numbers


@dataclass
class Broken:
    """One column of one execution with one issue: its kind, metrics and the rows of the table it came with."""

    series: str
    index: int
    column: str
    kind: str
    issue: str
    metrics: Metrics
    rows: int


@dataclass
class History:
    """A series: executions, clean windows as (start, end), incidents as listed, and what was injected."""

    name: str
    executions: dict[int, Execution]
    windows: list[dict[str, Any]]
    incidents: list[dict[str, Any]]
    broken: list[Broken] = field(default_factory=list)
    source: str = ""


def load(folders: Sequence[Path], cache: Path, workers: int = 2) -> list[History]:
    """The series in these folders, from `cache` where they were folded before."""
    found = load_cached(cache, {one.name: partial(build, one) for one in folders}, workers)
    for folder, history in zip(folders, found, strict=True):
        history.source = source_of(folder)
    return found


def load_cached(cache: Path, jobs: Mapping[str, Callable[[], History]], workers: int) -> list[History]:
    """The histories that the jobs build; each is built once for a cache folder, by fresh processes (forked ones would
    inherit the locks of polars' threads)."""
    cache.mkdir(parents=True, exist_ok=True)
    paths = {name: cache / f"{name}.{FORMAT}.pickle" for name in jobs}
    missing = {name: job for name, job in jobs.items() if not paths[name].exists()}
    if missing:
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            for one in [pool.submit(_build, job, paths[name]) for name, job in missing.items()]:
                one.result()
    return [pickle.loads(path.read_bytes()) for path in paths.values()]  # noqa: S301 our own cache


def _build(job: Callable[[], History], target: Path) -> None:
    history = job()
    target.write_bytes(pickle.dumps(history))


def as_numbers(table: pa.Table) -> tuple[pa.Table, set[str]]:
    """The columns at least half of whose non-empty cells are numbers, as doubles, and those where all are."""
    columns, whole = {}, set()
    for name in table.column_names:
        texts = pc.utf8_trim_whitespace(table[name].combine_chunks())
        texts = pc.if_else(pc.equal(texts, ""), None, texts)
        filled = len(texts) - texts.null_count
        if not filled:
            whole.add(name)  # an empty column is what the others make of it
            columns[name] = pa.nulls(len(texts), pa.float64())
            continue
        good = pc.match_substring_regex(texts, r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$")
        share = (pc.sum(pc.cast(good, pa.int64())).as_py() or 0) / filled
        if share < 0.5:
            continue
        columns[name] = pc.cast(pc.if_else(good, texts, None), pa.float64())
        if share == 1:
            whole.add(name)
    return pa.table(columns), whole


def suspect(incidents: Sequence[dict[str, Any]]) -> set[int]:
    """Executions that a person would have confirmed as wrong: they join no history."""
    return {i for x in incidents if x["severity"] == "column" for i in range(x["index"], x["index_end"] + 1)}


def build(folder: Path) -> History:
    """Fold a series, and inject issues into every `EVERY`th test execution of its clean windows."""
    said = json.loads((folder / "incidents.json").read_text())
    windows, incidents = said.get("clean_windows", []), said.get("incidents", [])
    history = History(said.get("series", folder.name), {}, windows, incidents)
    wrong = suspect(incidents)
    tests = {i for w in windows for i in range(w["start"] + 30, w["end"] + 1, EVERY)}
    training = {
        w["start"] + 29 for w in windows
    }  # what a learner that trains on injected issues may use: never the test's own
    previous: dict[str, dict[str, ColumnState]] = {"string": {}, "number": {}}
    pool: list[tuple[str, ColumnState]] = []
    integers: set[str] = set()
    there = [int(f.stem) for f in sorted(folder.glob("[0-9]*.parquet"))]
    always = _always_numbers(folder, there)
    for index in there:
        table = as_texts(pq.read_table(folder / f"{index:04d}.parquet"))
        numbers, whole = as_numbers(table)
        texts = table.select([c for c in table.column_names if c not in always])
        states = {"string": fold(texts).columns, "number": fold(numbers).columns}
        one = Execution(index, table.num_rows, table.column_names, parses=whole, whole=written_whole(table, whole))
        one.integers = _as_integers(table, whole & integers - one.whole, previous["number"])
        one.strings = _metrics(states["string"], previous["string"])
        one.numbers = _metrics(states["number"], previous["number"])
        history.executions[index] = one
        if index in tests | training:
            history.broken += _inject(history.name, index, table, numbers, whole, previous)
        if index in tests:
            history.broken += _swap(history.name, one, previous, pool)
            typed = {**states["string"], **{c: states["number"][c] for c in whole if c in states["number"]}}
            pool = [*typed.items(), *pool][:60]
        if index not in wrong:
            previous, integers = states, one.whole
    return history


def written_whole(table: pa.Table, columns: set[str]) -> set[str]:
    """Those of the `columns` whose every non-empty cell is written as an integer."""
    texts = {c: pc.utf8_trim_whitespace(table[c].combine_chunks()) for c in columns}
    return {c for c, t in texts.items() if pc.all(pc.match_substring_regex(t, r"^([-+]?\d+)?$")).as_py() is not False}


def _as_integers(table: pa.Table, columns: set[str], before: dict[str, ColumnState]) -> dict[str, Metrics]:
    """Metrics as a reader with a schema sees them that says integer: what is written otherwise, 1.0, is null."""
    found = {}
    for column in columns:
        texts = pc.utf8_trim_whitespace(table[column].combine_chunks())
        good = pc.match_substring_regex(texts, r"^[-+]?\d+$")
        cells = pc.cast(pc.if_else(good, texts, None), pa.float64())
        state = fold(pa.table({column: cells})).columns[column]
        found[column] = column_metrics(state, before.get(column))
    return found


def as_texts(table: pa.Table) -> pa.Table:
    """All cells as strings, missing ones as null."""
    return pa.table({c: pc.cast(table[c], pa.string()) for c in table.column_names})


def _always_numbers(folder: Path, executions: Sequence[int]) -> set[str]:
    """Columns that are of numbers in every execution that has them: nobody would read them as strings."""
    ever: set[str] = set()
    broken: set[str] = set()
    filled: set[str] = set()
    for index in executions:
        table = as_texts(pq.read_table(folder / f"{index:04d}.parquet"))
        numbers, whole = as_numbers(table)
        ever |= set(table.column_names)
        broken |= set(table.column_names) - whole
        filled |= {c for c in numbers.column_names if numbers[c].null_count < numbers.num_rows}
    return (ever - broken) & filled


def _metrics(now: dict[str, ColumnState], before: dict[str, ColumnState]) -> dict[str, Metrics]:
    return {name: column_metrics(state, before.get(name)) for name, state in now.items()}


def _inject(
    series: str, index: int, table: pa.Table, numbers: pa.Table, whole: set[str], previous: dict[str, Any]
) -> list[Broken]:
    """All issues that apply, into every column: cells as strings or, where all are numbers, as doubles."""
    found = []
    typed = pa.table(
        {c: numbers[c] if c in whole and c in numbers.column_names else table[c] for c in table.column_names}
    )
    for column in typed.column_names:
        kind = "number" if pa.types.is_floating(typed[column].type) else "string"
        for issue in ISSUES:
            changed = inject(typed, column, issue, seed=index)
            if changed is None:
                continue
            state = fold(changed.select([column])).columns[column]
            metrics = column_metrics(state, previous[kind].get(column))
            found.append(Broken(series, index, column, kind, issue.key, metrics, changed.num_rows))
    return found


def _swap(series: str, one: Execution, previous: dict[str, Any], pool: list[tuple[str, ColumnState]]) -> list[Broken]:
    """The columns of earlier tests that are most like each column (cosine over values), in its place (section 5.1)."""
    found: list[Broken] = []
    for column in one.schema:
        kind = "number" if column in one.parses and column in previous["number"] else "string"
        own = previous[kind].get(column)
        if own is None or not own.non_null:
            continue
        scored = [
            (cosine(paired_values(s, own)), i)
            for i, (name, s) in enumerate(pool)
            if name != column and s.kind == kind and s.non_null
        ]
        for distance, i in sorted(scored)[: 2 * SWAPS]:
            if 1e-6 < distance < 0.999 and sum(b.column == column for b in found) < SWAPS:
                metrics = column_metrics(pool[i][1], own)
                found.append(Broken(series, one.index, column, kind, f"swap/{i}", metrics, one.rows))
    return found


# ---------------------------------------------------------------------------------------------------------- windows


@dataclass
class Case:
    """One column of one execution after `history`: metrics of the earlier executions, oldest first, and of this one."""

    series: str
    index: int
    column: str
    kind: str
    history: list[Metrics]
    table_rows: list[int]
    metrics: Metrics
    rows: int
    columns: int = 1  # of the table


def kind_of(column: str, past: Sequence[Execution]) -> str:
    """A column is of numbers where every non-empty cell of the window parses, and there are any."""
    if column in past[-1].kinds:
        return past[-1].kinds[column]
    there = [e for e in past if column in e.schema]
    numeric = there and all(column in e.parses for e in there)
    return "number" if numeric and any("mean" in e.numbers.get(column, {}) for e in there) else "string"


def schema_of(past: Sequence[Execution]) -> list[str]:
    """The columns of the last execution that has any: a delivery of zero bytes has none."""
    return next((e.schema for e in reversed(past) if e.schema), [])


def cases_of(history: History, past: Sequence[Execution], now: Execution) -> Iterator[Case]:
    """The columns of one execution, each after its past."""
    schema = schema_of(past)
    for column in schema:
        if column not in now.schema:
            continue
        kind = kind_of(column, past)
        side = "numbers" if kind == "number" else "strings"
        rows = [getattr(e, side).get(column, {}) for e in past]
        metrics = getattr(now, side).get(column) or {"row_count": float(now.rows), "complete_ratio": 0.0}
        if kind == "number" and all(column in e.whole for e in past if column in e.schema):
            metrics = now.integers.get(column, metrics)
        yield Case(history.name, now.index, column, kind, rows, [e.rows for e in past], metrics, now.rows, len(schema))


def clean_tests(history: History, length: int) -> Iterator[tuple[list[Execution], Execution, set[str]]]:
    """(past, execution, columns that do not count) for all executions of the clean windows with 30 before them.

    The same executions are tested whatever the `length` of the history.
    """
    for window in history.windows:
        for index in range(window["start"] + 30, window["end"] + 1):
            past = [history.executions[i] for i in range(index - length, index) if i in history.executions]
            if index not in history.executions or not past:
                continue
            aside: set[str] = set()
            for x in window.get("inside", []):
                if x["index"] <= index <= x["index_end"]:
                    aside |= set(x["columns"])
            yield past, history.executions[index], aside


def incident_tests(
    history: History, length: int, least: int = 7
) -> Iterator[tuple[dict[str, Any], list[Execution], Execution]]:
    """Incidents of severity `column` with at least `least` healthy executions before them."""
    wrong = suspect(history.incidents)
    for incident in history.incidents:
        if incident["severity"] != "column":
            continue
        past = [e for i, e in sorted(history.executions.items()) if i < incident["index"] and i not in wrong][-length:]
        if len(past) >= least and incident["index"] in history.executions:
            yield incident, past, history.executions[incident["index"]]
