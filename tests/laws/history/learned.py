"""Rules learned from made-up series of metrics, and what they say of another."""

from datetime import UTC, datetime

from catalog.history.series import TableMetrics
from catalog.learners.series.history import learn_column, learn_volume
from catalog.rules.verdict import Batch
from catalog.states.table import TableState


def learn(series, kind="number", budget=0.001):
    return learn_column(series, column="x", kind=kind, budget=budget)


def status_of(rule, values, earlier):
    return rule.judge_metrics(values, earlier).status


def volume(rows):
    return learn_volume([TableMetrics(int(r)) for r in rows], 0.001)


def with_rows(rule, rows, value):
    return status_of(rule, {"row_count": float(value)}, [{"row_count": float(r)} for r in rows])


def batch_of(states: list[TableState], series: list[TableMetrics], state: TableState, version: int = 99) -> Batch:
    return Batch(version, "increment", state, states[-1], [], datetime(2026, 1, 1, tzinfo=UTC), series)
