"""The figures of `benchmarks.avh`: rates, recall, F1, reliability, clauses and latency."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.avh.rivals import OWN
from benchmarks.split import by_source
from catalog.checks.drill import clause_shares
from catalog.damage.issues import ISSUES, TYPES
from catalog.history.series import column_metrics
from catalog.learners.series.bands import stated, strictness
from catalog.learners.series.history import column_budget, learn_column
from catalog.states.folding.fold import fold

WEIGHT = 1.5  # clean tests to broken ones in the precision


@dataclass
class Tally:
    """What one method said, by kind of column: scores of clean pairs, of issues, and of incidents."""

    clean: dict[tuple[str, int, str], tuple[str, float]] = field(default_factory=dict)
    issues: list[tuple[str, str, float]] = field(default_factory=list)  # kind, issue key, score
    incidents: list[dict[str, Any]] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)  # of the series
    seconds: float = 0.0


def summary(name: str, tally: Tally) -> dict[str, Any]:
    """The figures of one method, in all and by kind of column."""
    tables: dict[tuple[str, int], bool] = defaultdict(bool)
    for (series, index, _), (_, score) in tally.clean.items():
        tables[series, index] |= score > 1
    figures = _figures(list(tally.clean.values()), tally.issues)
    figures["table_fpr"] = _share(list(tables.values()))
    figures["clean_tables"], figures["clean_pairs"] = len(tables), len(tally.clean)
    figures["by_source"] = {
        "versions": _by_source(tally, [(series, alarmed) for (series, _), alarmed in tables.items()]),
        "columns": _by_source(tally, [(series, score > 1) for (series, _, _), (_, score) in tally.clean.items()]),
        "incidents": _by_source(tally, [(x["series"], x["caught"]) for x in tally.incidents]),
    }
    for kind, label in (("number", "numeric"), ("string", "categorical")):
        clean = [x for x in tally.clean.values() if x[0] == kind]
        issues = [x for x in tally.issues if x[0] == kind]
        figures[label] = _figures(clean, issues)
        if name not in OWN:
            figures[label]["best_f1"] = best_f1(clean, issues)
    if name not in OWN:
        figures["best_f1"] = best_f1(list(tally.clean.values()), tally.issues)
    figures["incident_recall"] = _share([x["caught"] for x in tally.incidents])
    figures["documented_incident_recall"] = _share([x["caught"] for x in tally.incidents if x["documented"]])
    figures["incidents"] = tally.incidents
    figures["seconds"] = round(tally.seconds, 2)
    return figures


def _by_source(tally: Tally, tests: Sequence[tuple[str, bool]]) -> dict[str, Any]:
    counts: dict[str, tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
    for series, hit in tests:
        hits, n = counts[source := tally.sources.get(series, series)]
        counts[source] = (hits + hit, n + 1)
    return by_source(counts)


def _figures(clean: Sequence[tuple[str, float]], issues: Sequence[tuple[str, str, float]]) -> dict[str, Any]:
    hits: dict[str, list[bool]] = defaultdict(list)
    for _, key, score in issues:
        hits["swap" if key.startswith("swap") else key].append(score > 1)
    by_issue = {i.key: _share(hits[i.key]) for i in ISSUES if hits[i.key]}
    by_type = {
        t: float(np.mean([v for k, v in by_issue.items() if k.startswith(t + "/")]))
        for t in TYPES
        if any(k.startswith(t + "/") for k in by_issue)
    }
    recall = float(np.mean(list(by_issue.values()))) if by_issue else 0.0
    fpr = _share([score > 1 for _, score in clean])
    precision = recall / (recall + WEIGHT * fpr) if recall else 0.0
    return {
        "column_fpr": fpr,
        "synthetic_recall": recall,
        "synthetic_by_type": by_type,
        "synthetic_by_issue": by_issue,
        "swap_recall": _share(hits["swap"]),
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if recall else 0.0,
    }


def best_f1(clean: Sequence[tuple[str, float]], issues: Sequence[tuple[str, str, float]]) -> float:
    """F1 at the threshold that maximises it on these very tests."""
    if not clean or not issues:
        return 0.0
    bad = np.array([s for _, k, s in issues if not k.startswith("swap")])
    good = np.array([s for _, s in clean])
    best = 0.0
    for threshold in np.unique(np.quantile(np.concatenate((good, bad)), np.linspace(0, 1, 201))):
        recall, fpr = float((bad > threshold).mean()), float((good > threshold).mean())
        if recall:
            precision = recall / (recall + WEIGHT * fpr)
            best = max(best, 2 * precision * recall / (precision + recall))
    return best


def _share(values: Sequence[bool]) -> float:
    return float(np.mean(values)) if len(values) else 0.0


DECILES = tuple(float(x) for x in np.geomspace(0.0003, 0.1, 10))


def reliability(clean: Iterable[tuple[float, int]], budget: float) -> list[dict[str, float]]:
    """Stated against observed false-alarm rate in ten steps from 0.03% to 10%.

    `clean`: (score, columns of its table) of healthy pairs, scored by programs that were given `budget`. A program's
    bands are all as wide as its `strictness`, so that one score tells at which budget a pair would have alarmed.
    """
    pairs = list(clean)
    found = []
    for step in DECILES:
        said, alarms = [], []
        for score, columns in pairs:
            width = strictness(column_budget(step, columns))
            said.append(stated(width))
            alarms.append(score * strictness(column_budget(budget, columns)) > width)
        found.append({"stated": float(np.mean(said)), "observed": _share(alarms), "pairs": len(pairs)})
    return found


def clauses_by_type(fired: Iterable[tuple[str, Sequence[str]]]) -> dict[str, dict[str, float]]:
    """Which clause catches which issue type: from (issue key, metrics of the clauses that fired), shares by type."""
    tried: dict[str, int] = defaultdict(int)
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for key, metrics in fired:
        kind = key.split("/")[0]
        tried[kind] += 1
        for metric in metrics:
            counts[kind][metric] += 1
    return {kind: clause_shares(counts[kind], n) for kind, n in tried.items()}


def fd_upper_bound(folders: Sequence[Path]) -> dict[str, float]:
    """Share of columns that another column determines (FD-UB, section 5.2): the recall that functional dependencies
    cannot exceed."""
    covered = []
    for series in folders:
        files = [f for f in sorted(series.glob("*.parquet")) if pq.read_schema(f).names]
        if not files:
            continue
        frame = pl.read_parquet(files[len(files) // 2])
        sizes = {c: frame[c].n_unique() for c in frame.columns}
        for right in frame.columns:
            lefts = [c for c in frame.columns if c != right and 1 < sizes[c] < 0.9 * frame.height]
            covered.append(any(frame.select(left, right).n_unique() == sizes[left] for left in lefts))
    return {"columns": len(covered), "recall": _share(covered)}


def latency() -> list[dict[str, float]]:
    """Milliseconds per column by rows (figure 4): fold, metrics (of one batch and of two), learn from 30, check."""
    found = []
    for rows in (10_000, 100_000, 1_000_000):
        rng = np.random.default_rng(0)
        batches = [
            pa.table({"n": rng.lognormal(3, 1, rows), "s": [f"SKU-{k:05d}" for k in rng.integers(0, 9999, rows)]})
            for _ in range(2)
        ]
        start = time.perf_counter()
        a, b = (fold(t) for t in batches)
        folded = time.perf_counter()
        for name in ("n", "s"):
            column_metrics(b.columns[name], None)
        single = time.perf_counter()
        both = {name: column_metrics(b.columns[name], a.columns[name]) for name in ("n", "s")}
        two = time.perf_counter()
        jitter = np.random.default_rng(1)
        past = {n: [{k: v * jitter.normal(1, 0.01) for k, v in m.items()} for _ in range(30)] for n, m in both.items()}
        begin = time.perf_counter()
        kinds = {"n": "number", "s": "string"}
        rules = {n: learn_column(past[n], column=n, kind=kinds[n], budget=0.001) for n in kinds}
        learned = time.perf_counter()
        for name, rule in rules.items():
            if rule is not None:
                rule.judge_metrics(both[name], past[name])
        end = time.perf_counter()
        steps = {
            "fold": (folded - start) / 4,
            "metrics": (two - folded) / 2,
            "metrics_single": (single - folded) / 2,
            "metrics_two": (two - single) / 2,
        }
        steps |= {"learn": (learned - begin) / 2, "check": (end - learned) / 2}
        found.append({"rows": float(rows), **{f"{k}_ms": round(1000 * v, 2) for k, v in steps.items()}})
    return found
