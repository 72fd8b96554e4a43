"""What is kept of a rewrite, by which later ones are compared: how much of what they change is usual."""

from __future__ import annotations

from dataclasses import replace

from catalog.history.replaced.changes import Replaced, became_one, erased
from catalog.history.series import TableMetrics
from catalog.rules.verdict import Subject


def with_changes(metrics: TableMetrics, batch: Subject) -> TableMetrics:
    """The metrics of a batch, those of a rewrite with what it changed."""
    made = batch.replaced
    if made is None:
        return metrics
    columns = {name: of | (of_column(name, made) if name in made.moves else {}) for name, of in metrics.columns.items()}
    return replace(metrics, columns=columns, table=metrics.table | of_rows(batch))


def of_column(column: str, made: Replaced) -> dict[str, float]:
    """Shares of the rows that hold another value, that lost theirs, that got one and the same."""
    now, before = made.now.columns[column], made.before.columns[column]
    found = {"changed_ratio": made.moves[column].share, "erased_ratio": erased(now, before)}
    return found | {"set_ratio": became_one(now, before)}


def of_rows(batch: Subject) -> dict[str, float]:
    """The share of the table's rows that a version took away, where it did."""
    if batch.previous is None or batch.whole is None:
        return {}
    gone = batch.previous.rows - batch.state.rows
    before = batch.whole.rows + gone
    return {"deleted_ratio": gone / before} if gone > 0 and before > 0 else {}
