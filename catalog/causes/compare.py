"""What happened between two batches when no rule watched: the columns that moved are what broke."""

from __future__ import annotations

from datetime import UTC, datetime

from catalog.causes.cause import Cause
from catalog.causes.diagnose import diagnose
from catalog.causes.guesses.tables import apart
from catalog.history.series import observe_metrics
from catalog.rules.rule import Rule
from catalog.rules.verdict import VIOLATED, Batch, Verdict
from catalog.states.column import ColumnState
from catalog.states.elements import list_of
from catalog.states.table import TableState

#: Distance between a column's two distributions (0..1) from which on it is said to have changed.
#: Chosen: a quarter of the rows lie elsewhere.
MOVED = 0.25


def compare_states(before: TableState, after: TableState, table: str = "") -> list[Cause]:
    """The cause of each change between two states of one table; none where nothing changed.

    A share of missing values counts as a change too, and so does a column that came or went.
    """
    broken = [
        (_rule(name), Verdict(VIOLATED, f"Column {name!r} changed.")) for name in changed_columns(before, after, MOVED)
    ]
    same = set(before.of_rows) == set(after.of_rows)  # what lists hold, states of earlier releases do not tell
    if not broken and same:
        return []
    batch = Batch(
        version=1, kind="snapshot", state=after, previous=before, schema=_schema(after),
        committed_at=datetime.fromtimestamp(0, UTC), history=[observe_metrics(before, None)],
    )  # fmt: skip
    if not same:
        broken.append(
            (Rule("schema", None, {"columns": _schema(before)}, 0.0, "Columns stay.", "person"), Verdict(VIOLATED, ""))
        )
    return [one.cause for one in diagnose(table, batch, broken)]


def changed_columns(before: TableState, after: TableState, moved: float) -> list[str]:
    """Columns that went, are of another kind, hold more or fewer values, or whose distributions are `moved` apart."""
    found = []
    for name, was in before.columns.items():
        now = after.columns.get(name)
        if now is None and list_of(name) and not any(map(list_of, after.columns)):
            continue
        if now is None or now.kind != was.kind or abs(_filled(now) - _filled(was)) > 0.05 or _apart(was, now) > moved:
            found.append(name)
    return found


def _rule(column: str) -> Rule:
    return Rule("history", column, {"clauses": []}, 0.0, "", "person")


def _schema(state: TableState) -> list[list[str]]:
    return [[name, column.type] for name, column in state.of_rows.items()]


def _filled(column: ColumnState) -> float:
    return (column.non_null - column.empties) / column.rows if column.rows else 0.0


def _apart(was: ColumnState, now: ColumnState) -> float:
    return apart(was, now) if was.non_null and now.non_null else 0.0
