"""What a new lake starts from.

    python -m benchmarks.shipped.calibrate_history [--histories 60] [--data DIR] [--history 30]

Replays the learner of `catalog.rules.kinds.history` over healthy histories (learn on executions 1..k, judge k + 1),
generated ones and, given a data folder, ones made of the rows of real tables that `benchmarks.avh` does not measure
on; measures by how many bands each column's program is out, and fits the tail P(beyond q) = rate q^-index through the
counts at q = `AT`, the widths that budgets of 1% to 0.05% ask for (a count of 0 counts as one half). The two pairs of
figures it prints stand in `catalog.learners.series.bands`. Of the same histories it says what the limits that are no
bands rest on: how many healthy batches are taken for outliers (`catalog.learners.series.outliers`), and the least share
of their filled rows that columns kept (`catalog.learners.series.limits.least_remaining`).
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import gettempdir

import numpy as np

from benchmarks.avh.columns import load_columns
from benchmarks.avh.data import History, cases_of, clean_tests
from benchmarks.avh.generated import load_generated
from catalog.history.series import TableMetrics
from catalog.learners.series.bands import COLUMN_TAIL, VOLUME_TAIL
from catalog.learners.series.history import learn_column, learn_volume
from catalog.learners.series.limits import ENOUGH, LEAST
from catalog.learners.series.outliers import outlying_batches
from catalog.rules.deviation import furthest
from catalog.rules.kinds.history import HistoryRule

AT = (1.0, 1.2, 1.4)
MEASURED = 60  # tables that `benchmarks.avh` measures on


def widths(histories: Sequence[History], length: int) -> tuple[list[float], list[float]]:
    """By how many bands of strictness 1 every healthy (column, execution), and every execution's rows, were out."""
    columns, volumes = [], []
    for history in histories:
        for past, now, _ in clean_tests(history, length):
            rule = learn_volume([TableMetrics(e.rows) for e in past], VOLUME_TAIL.rate)
            if rule is not None:
                found = rule.findings({"row_count": float(now.rows)}, [{"row_count": float(e.rows)} for e in past])
                volumes.append(1 + found[0].excess)
            for case in cases_of(history, past, now):
                rule = learn_column(case.history, column=case.column, kind=case.kind, budget=COLUMN_TAIL.rate)
                if rule is not None:
                    columns.append(score_of(rule, case.metrics, case.history))
    return columns, volumes


def odd_ones(histories: Sequence[History], length: int) -> tuple[int, int]:
    """(healthy batches taken for odd, all), in windows of `length` that overlap by half."""
    odd = batches = 0
    for history in histories:
        past = [history.executions[i] for i in sorted(history.executions)]
        for start in range(0, len(past) - 2 * LEAST + 1, length // 2):
            series = [TableMetrics(e.rows, {**e.strings, **e.numbers}) for e in past[start : start + length]]
            odd, batches = odd + len(outlying_batches(series)), batches + len(series)
    return odd, batches


def shares_kept(histories: Sequence[History], length: int) -> list[tuple[float, float]]:
    """(least share of filled rows in its past, part of that which was left) of healthy columns that had `ENOUGH`."""
    found = []
    for history in histories:
        for past, now, _ in clean_tests(history, length):
            for case in cases_of(history, past, now):
                for name in ("complete_ratio", "filled_ratio"):
                    least = min((m[name] for m in case.history if name in m), default=0.0)
                    if name in case.metrics and least * np.median(case.table_rows) >= ENOUGH:
                        found.append((least, case.metrics[name] / least))
    return found


def score_of(rule: HistoryRule, metrics: Mapping[str, float], earlier: Sequence[Mapping[str, float]]) -> float:
    """How far out a healthy batch is: above 1 it alarms, and at bands s times as wide above s."""
    return furthest(rule.apart(metrics, earlier), rule.pool)


def fit(out: Sequence[float]) -> tuple[float, float]:
    """(rate, index) of the power law through the shares beyond `AT`, by least squares of logarithms."""
    x = np.asarray(out)
    shares = [max(float((x > q).sum()), 0.5) / len(x) for q in AT]
    slope, intercept = np.polyfit(np.log(AT), np.log(shares), 1)
    return float(np.exp(intercept)), float(-slope)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, default=60)
    parser.add_argument("--data", type=Path, help="folder with columns/: histories made of real tables as well")
    parser.add_argument("--columns", type=int, default=90)
    parser.add_argument("--history", type=int, default=30)
    parser.add_argument("--cache", type=Path, default=Path(gettempdir()) / "assay-avh")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    histories = load_generated(options.cache, range(options.histories), options.workers, issues=False)
    if options.data:
        histories += load_columns(options.data, options.cache, options.columns, options.workers, skip=MEASURED)
    for name, out in zip(("COLUMN_TAIL", "VOLUME_TAIL"), widths(histories, options.history), strict=True):
        rate, index = fit(out)
        beyond = {q: int((np.asarray(out) > q).sum()) for q in (0.6, 0.8, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 2.0)}
        print(f"{name} = Tail({rate:.6f}, {index:.2f})  # {len(out)} replays, beyond: {beyond}")
    odd, batches = odd_ones(histories, options.history)
    print(f"odd: {odd} of {batches:,} healthy batches")
    kept = [pair for length in sorted({7, 14, options.history}) for pair in shares_kept(histories, length)]
    for low, high in ((0.0, 0.6), (0.6, 1.0), (1.0, math.inf)):
        worst = [part for least, part in kept if low <= least < high]
        print(f"filled to at least {low:.0%}: {len(worst):,}, of which the worst kept {min(worst, default=1.0):.0%}")


if __name__ == "__main__":
    main()
