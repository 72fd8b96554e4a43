"""One table's trouble stays its own: what goes wrong in a step is recorded on the table, and the others go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import structlog

from catalog.errors import AssayError, Cancelled, TableError
from catalog.flow.context import Context
from catalog.store.lake import tables
from catalog.store.models import Table

log = structlog.get_logger()
Done = TypeVar("Done")


def guarded(context: Context, table: Table, step: Callable[[], Done], summary: dict[str, Any]) -> Done | None:
    """Do a step for one table. What goes wrong is recorded on that table, and None returned."""
    assert table.id is not None
    try:
        return step()
    except Cancelled:
        raise
    except AssayError as error:
        fail(context, table.id, error, summary)
    except Exception as error:
        log.exception("a step failed", table=table.name)
        cause = TableError(f"{type(error).__name__}: {error}", remedy="see the log; the next crawl tries again")
        fail(context, table.id, cause, summary)
    return None


def fail(context: Context, table_id: int, error: AssayError, summary: dict[str, Any]) -> None:
    """Record an error on its table, and the table in the summary: whoever looks at the run asks which failed."""
    summary["failed"] = summary.get("failed", 0) + 1
    summary.setdefault("failed_tables", []).append(table_id)
    with context.transaction() as session:
        tables.mark_error(session, table_id, error)
