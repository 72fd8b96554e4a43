"""What is said of the string methods: figures by group of query columns, stated against observed rates, a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
