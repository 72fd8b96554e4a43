"""Rules from history, measured: ``python -m benchmarks.avh --data DIR --json OUT [--methods ours avh ...] [--history
7 14 21 28 30]``.

Clean windows of the real series give false alarms, injected issues and real incidents give recall; all methods see
the same metrics
in the same run. Nothing that "ours" uses is fitted to these series: its calibration ships with the product.
Precision weighs clean
and broken tests 3 : 2, as the paper's 60,000 and 40,000 tests; for rivals `best_f1` grants the threshold that suits
them best, in
hindsight.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from benchmarks.avh_data import Broken, Case, History, cases_of, clean_tests, incident_tests, load
from benchmarks.avh_generated import load_generated
from benchmarks.avh_rivals import METHODS, OWN
from catalog.evidence.series import column_metrics
from catalog.rules.history import learn_column
from catalog.rules.injector import ISSUES, TYPES
from catalog.states.fold import fold

SLOW = {
    "avh_single",
    "avh_raw",
    "avh_1",
    "avh_2",
    "avh_3",
    "ocsvm",
    "iforest",
    "lof",
    "kmeans",
    "ecod",
    "avg_knn",
}  # judged on every third clean execution
WEIGHT = 1.5  # clean tests to broken ones in the precision


@dataclass
class Tally:
    """What one method said, by kind of column: scores of clean pairs, of issues, and of incidents."""

    clean: dict[tuple[str, int, str], tuple[str, float]] = field(default_factory=dict)
    issues: list[tuple[str, str, float]] = field(default_factory=list)  # kind, issue key, score
    incidents: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with histories/")
    parser.add_argument("--json", type=Path, required=True, help="where to write the figures")
    parser.add_argument("--methods", nargs="*", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--history", nargs="*", type=int, default=[30], help="executions to learn from")
    parser.add_argument("--generated", type=int, default=0, help="generated histories to measure as well")
    parser.add_argument("--cache", type=Path, default=Path(gettempdir()) / "assay-avh")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    histories = load(options.data, options.cache, options.workers)
    lengths = sorted(options.history)
    report: dict[str, Any] = {"methods": measure(histories, options.methods, lengths[-1]), "by_history": {}}
    for length in lengths[:-1]:
        own = [m for m in options.methods if m in ("ours", "avh")]
        report["by_history"][str(length)] = measure(histories, own, length)
    if options.generated:
        made = load_generated(options.cache, range(1000, 1000 + options.generated), options.workers)
        report["generated"] = measure(made, [m for m in options.methods if m in ("ours", "avh")], 30)
    report["calibration"] = calibration(histories, lengths[-1])
    report["fd_upper_bound"] = fd_upper_bound(options.data)
    report["latency"] = latency()
    options.json.write_text(json.dumps(report, indent=1))
    print_table(report)


def measure(histories: Sequence[History], methods: Iterable[str], length: int) -> dict[str, Any]:
    """All figures of all methods for one length of history."""
    tallies = {name: Tally() for name in methods}
    for history in histories:
        issues: dict[tuple[int, str], list[Broken]] = defaultdict(list)
        for broken in history.broken:
            issues[broken.index, broken.column].append(broken)
        for number, (past, now, aside) in enumerate(clean_tests(history, length)):
            for case in cases_of(history, past, now):
                if case.column not in aside and "*" not in aside:
                    _judge(case, issues, tallies, number)
        for incident, past, now in incident_tests(history, length):
            _judge_incident(history, incident, list(cases_of(history, past, now)), past, now, tallies)
    return {name: summary(name, tally) for name, tally in tallies.items()}


def _trained(issues: dict[tuple[int, str], list[Broken]], case: Case) -> list[Broken]:
    """Issues of the column at the latest execution before the one judged."""
    indexes = [i for i, column in issues if column == case.column and i < case.index]
    found = issues[max(indexes), case.column] if indexes else []
    return [b for b in found if b.kind == case.kind and not b.issue.startswith("swap")]


def _judge(case: Case, issues: dict[tuple[int, str], list[Broken]], tallies: dict[str, Tally], number: int) -> None:
    broken = [b for b in issues.get((case.index, case.column), ()) if b.kind == case.kind]
    trained = _trained(issues, case)
    for name, tally in tallies.items():
        if name in SLOW and number % 3 and not broken:
            continue
        start = time.perf_counter()
        score = METHODS[name](case, trained)
        if name not in SLOW or number % 3 == 0:
            tally.clean[case.series, case.index, case.column] = (case.kind, score(case.metrics, case.rows))
        tally.issues += [(case.kind, b.issue, score(b.metrics, b.rows)) for b in broken]
        tally.seconds += time.perf_counter() - start


def _judge_incident(
    history: History, incident: dict[str, Any], cases: list[Case], past: Any, now: Any, tallies: dict[str, Tally]
) -> None:
    """An incident is caught when a column it names alarms, or when the schema changed: every method sees that."""
    schema = set(now.schema) != set(past[-1].schema)
    named = [c for c in cases if "*" in incident["columns"] or c.column in incident["columns"]]
    for name, tally in tallies.items():
        score = max((METHODS[name](c, [])(c.metrics, c.rows) for c in named if name not in OWN[1:]), default=0.0)
        tally.incidents.append(
            {
                "series": history.name,
                "index": incident["index"],
                "kind": incident["kind"],
                "documented": incident["documented"],
                "caught": bool(schema or score > 1),
                "by_schema": schema,
            }
        )


# -------------------------------------------------------------------------------------------------------------- figures


def summary(name: str, tally: Tally) -> dict[str, Any]:
    """The figures of one method, in all and by kind of column."""
    tables: dict[tuple[str, int], bool] = defaultdict(bool)
    for (series, index, _), (_, score) in tally.clean.items():
        tables[series, index] |= score > 1
    figures = _figures(list(tally.clean.values()), tally.issues)
    figures["table_fpr"] = _share(list(tables.values()))
    figures["clean_tables"], figures["clean_pairs"] = len(tables), len(tally.clean)
    for kind, label in (("number", "numeric"), ("string", "categorical")):
        clean = [x for x in tally.clean.values() if x[0] == kind]
        issues = [x for x in tally.issues if x[0] == kind]
        figures[label] = _figures(clean, issues)
        if name not in OWN:
            figures[label]["best_f1"] = best_f1(clean, issues)
    if name not in OWN:
        figures["best_f1"] = best_f1(list(tally.clean.values()), tally.issues)
    if tally.incidents and (name == "ours" or name not in OWN):
        figures["incident_recall"] = _share([x["caught"] for x in tally.incidents])
        figures["documented_incident_recall"] = _share([x["caught"] for x in tally.incidents if x["documented"]])
        figures["incidents"] = tally.incidents
    figures["seconds"] = round(tally.seconds, 2)
    return figures


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


def calibration(histories: Sequence[History], length: int) -> list[dict[str, float]]:
    """Stated false-alarm rate of a column's program against the observed one, over a range of budgets."""
    from catalog.checks.history import findings

    found = []
    for budget in (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1):
        stated, alarms = [], []
        for history in histories:
            for past, now, aside in clean_tests(history, length):
                for case in cases_of(history, past, now):
                    if case.column in aside or "*" in aside:
                        continue
                    rule = learn_column(case.history, column=case.column, kind=case.kind, budget=budget)
                    if rule is not None:
                        stated.append(rule.fpr)
                        alarms.append(any(f.excess > 0 for f in findings(rule, case.metrics, case.history)))
        found.append(
            {"budget": budget, "stated": float(np.mean(stated)), "observed": _share(alarms), "pairs": len(alarms)}
        )
    return found


def fd_upper_bound(folder: Path) -> dict[str, float]:
    """Share of columns that another column determines (FD-UB, section 5.2): the recall that functional dependencies
    cannot exceed."""
    covered = []
    for series in sorted((folder / "histories").iterdir()):
        files = sorted(series.glob("*.parquet"))
        if not files:
            continue
        frame = pl.read_parquet(files[len(files) // 2])
        sizes = {c: frame[c].n_unique() for c in frame.columns}
        for right in frame.columns:
            lefts = [c for c in frame.columns if c != right and 1 < sizes[c] < 0.9 * frame.height]
            covered.append(any(frame.select(left, right).n_unique() == sizes[left] for left in lefts))
    return {"columns": len(covered), "recall": _share(covered)}


def latency() -> list[dict[str, float]]:
    """Milliseconds per column by rows (figure 4): folding, metrics of one and of two distributions, learning from
    30, judging."""
    from catalog.checks.history import verdict_of

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
                verdict_of(rule, both[name], past[name])
        end = time.perf_counter()
        steps = {"fold": (folded - start) / 4, "single": (single - folded) / 2, "two": (two - single) / 2}
        steps |= {"learn": (learned - begin) / 2, "judge": (end - learned) / 2}
        found.append({"rows": float(rows), **{f"{k}_ms": round(1000 * v, 2) for k, v in steps.items()}})
    return found


def print_table(report: dict[str, Any]) -> None:
    """One line a method: rates, recall, F1, and the F1 at the threshold that suits it best."""
    blocks = {"": report["methods"], **{f"@{k}": v for k, v in report["by_history"].items()}}
    blocks |= {"@generated": report.get("generated", {})}
    heads = ("column_fpr", "table_fpr", "recall", "swap_recall", "f1", "best_f1", "incident_recall")
    print(f"{'method':16}" + "".join(f"{h:>16}" for h in (*heads, "numeric f1", "categorical f1")))
    for suffix, methods in blocks.items():
        for name, m in methods.items():
            cells = [m.get(h, 0.0) for h in heads] + [m["numeric"]["f1"], m["categorical"]["f1"]]
            print(f"{name + suffix:16}" + "".join(f"{c:16.4f}" for c in cells))
    for row in report["calibration"] + report["latency"]:
        print(row)


if __name__ == "__main__":
    main()
