"""What is said of the string methods: figures by group of query columns, stated against observed rates, a picture; the
paper's sensitivity curves (figure 12), its schema-drift study (figure 15), and our learner on smaller lakes."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.fmdv.data import Column
from benchmarks.fmdv.score import Outcome, summary

#: Methods that give patterns: "pattern cases" are the columns for which one of them does.
PATTERN_METHODS = (
    "fmdv", "fmdv_v", "fmdv_h", "fmdv_vh", "cmdv", "potters_wheel", "ssis", "xsystem", "flash_profile", "grok",
    "sm_i_1", "sm_i_10", "sm_p_m", "sm_p_p",
)  # fmt: skip


def report(columns: Sequence[Column], outcomes: Mapping[str, list[Outcome]]) -> dict[str, Any]:
    """The numbers of every method over the four groups of query columns."""
    everything = np.ones(len(columns), bool)
    machine = np.array([c.machine_like for c in columns])
    varied = np.array([c.distinct >= 20 for c in columns])
    pattern = np.zeros(len(columns), bool)
    for name in PATTERN_METHODS:
        if name in outcomes:
            pattern |= np.array([o.rule for o in outcomes[name]])
    groups = {"all": everything, "pattern_cases": pattern, "machine_like": machine, "machine_like_20": machine & varied}
    return {name: {g: summary(rows, chosen) for g, chosen in groups.items()} for name, rows in outcomes.items()}


def reliability(outcomes: list[Outcome]) -> list[dict[str, float]]:
    """Stated against observed false-alarm rate by decile of the stated one."""
    rows = sorted((o.risk, o.false_alarm) for o in outcomes if o.rule and o.risk is not None)
    return [
        {
            "stated": float(np.mean([r for r, _ in part])),
            "observed": float(np.mean([f for _, f in part])),
            "cases": len(part),
        }
        for part in (rows[len(rows) * k // 10 : len(rows) * (k + 1) // 10] for k in range(10))
        if part
    ]


def print_table(methods: dict[str, Any], group: str) -> None:
    print(f"\n{group}: precision, recall, recall_20, recall_5, F1, columns with a rule, seconds (median, p95)")
    order = sorted(methods, key=lambda name: -methods[name][group].get("f1", 0))
    for name in order:
        m = methods[name][group]
        if m.get("cases"):
            print(
                f"{name:22} {m['precision']:.3f} {m['recall']:.3f} {m['recall_20']:.3f} {m['recall_5']:.3f} "
                f"{m['f1']:.3f} "
                f"{m['with_rule']:4d}/{m['cases']:<4d} {m['seconds_median']:.4f} {m['seconds_p95']:.4f}"
            )


def picture(methods: dict[str, Any], group: str, target: Path) -> None:
    """Recall against precision, as figure 10 of the paper."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 6))
    for name, groups in methods.items():
        m = groups[group]
        if m.get("cases"):
            axes.scatter(m["recall"], m["precision"], color="tab:red" if name.startswith("ours") else "tab:blue")
            axes.annotate(name, (m["recall"], m["precision"]), fontsize=7)
    axes.set(xlabel="recall", ylabel="precision", title=f"String rules, {group}")
    figure.savefig(target, dpi=150)


GRID: dict[str, tuple[float, ...]] = {
    "r": (0.0, 0.01, 0.02, 0.05, 0.1), "m": (1, 3, 5, 10, 30, 100), "tau": (5, 8, 11, 13),
    "theta": (0.0, 0.01, 0.05, 0.1, 0.2),
}  # fmt: skip
VARIANTS = ("fmdv", "fmdv_v", "fmdv_h", "fmdv_vh")


def sensitivity(bench: Any, run: Any, every: int = 4) -> dict[str, Any]:
    """Precision and recall of FMDV's variants as one parameter moves and the others keep their defaults.

    `run` is `benchmarks.fmdv.run_paper`; every `every`-th machine-like query column is asked.
    """
    machine = np.flatnonzero([c.machine_like for c in bench.columns])[::every]
    out: dict[str, Any] = {}
    for name, values in GRID.items():
        for method in VARIANTS:
            for value in values:
                cast = int(value) if name in ("m", "tau") else value
                rows = run(bench, method, only=set(machine.tolist()), **{name: cast})
                m = summary(rows, np.ones(len(rows), bool))
                out.setdefault(name, {}).setdefault(method, []).append([value, m["precision"], m["recall"]])
                print(f"{name}={value:g} {method}: precision {m['precision']:.3f} recall {m['recall']:.3f}", flush=True)
    return out


def drift(bench: Any, outcomes: dict[str, list[Outcome]]) -> dict[str, Any]:
    """Two string columns of one table swapped: caught where either column's rule flags the other's values and neither
    raised a false alarm."""
    pairs = [
        (i, j)
        for i, a in enumerate(bench.columns)
        for j, b in enumerate(bench.columns[:i])
        if a.table == b.table and a.values != b.values
    ]
    tables = {bench.columns[i].table for i, _ in pairs}
    out: dict[str, Any] = {"pairs": len(pairs), "tables": len(tables), "caught": {}}
    for name, rows in outcomes.items():
        caught = [
            (rows[i].flagged[0, j] or rows[j].flagged[0, i]) and not (rows[i].false_alarm or rows[j].false_alarm)
            for i, j in pairs
        ]
        out["caught"][name] = sum(caught) / max(len(pairs), 1)
        print(f"swapped columns caught by {name}: {out['caught'][name]:.3f} of {len(pairs)} pairs", flush=True)
    return out


def smaller_lakes(
    lake: Sequence[Column], queries: Sequence[int], parts: int
) -> Iterator[tuple[list[Column], list[int]]]:
    """The repositories dealt at random into `parts` lakes: (columns, numbers of the query columns) of each."""
    repositories = sorted({column.repo for column in lake})
    random.Random(parts).shuffle(repositories)
    asked = {lake[q].column_id for q in queries}
    for k in range(parts):
        mine = set(repositories[k::parts])
        columns = [column for column in lake if column.repo in mine]
        yield columns, [i for i, column in enumerate(columns) if column.column_id in asked]
