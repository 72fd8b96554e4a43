"""One table's trouble stays its own: what goes wrong in a step is recorded on the table, and the others go on. What
steps cost."""

from __future__ import annotations

import errno
import time
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import structlog

from catalog.errors import AssayError, Cancelled, NoRoom, TableError
from catalog.flow.context import Context
from catalog.store import runs
from catalog.store.lake import tables
from catalog.store.models import Table

log = structlog.get_logger()
Done = TypeVar("Done")


def guarded(context: Context, table: Table, step: Callable[[], Done], summary: dict[str, Any]) -> Done | None:
    """Do a step for one table. What goes wrong is recorded on that table, and None returned."""
    assert table.id is not None
    try:
        return step()
    except (Cancelled, NoRoom):
        raise
    except AssayError as error:
        fail(context, table.id, error, summary)
    except Exception as error:
        if full := no_room(error):  # no trouble of this table: the next ones have no room either
            raise full from error
        log.exception("a step failed", table=table.name)
        cause = TableError(f"{type(error).__name__}: {error}", remedy="see the log; the next crawl tries again")
        fail(context, table.id, cause, summary)
    return None


def no_room(error: BaseException) -> NoRoom | None:
    """The error as what it is where a disk is full."""
    if isinstance(error, NoRoom):
        return error
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return NoRoom(f"there is no room left for {error.filename or 'what is kept in ASSAY_HOME'}")
    return None


def end_failed(context: Context, run_id: int, error: Exception) -> None:
    """The run could not do its work: cause and remedy stay on it. Errors: `StoreError`."""
    context.last_words(partial(runs.fail_run, run_id=run_id, error=no_room(error) or error))


def fail(context: Context, table_id: int, error: AssayError, summary: dict[str, Any]) -> None:
    """Record an error on its table, and the table in the summary: whoever looks at the run asks which failed."""
    summary["failed"] = summary.get("failed", 0) + 1
    summary.setdefault("failed_tables", []).append(table_id)
    with context.transaction() as session:
        tables.mark_error(session, table_id, error)


class timed:
    """Adds the seconds of a block to an entry."""

    def __init__(self, seconds: dict[str, float], name: str) -> None:
        self.seconds, self.name = seconds, name

    def __enter__(self) -> None:
        self.start = time.monotonic()

    def __exit__(self, *_: object) -> None:
        self.seconds[self.name] = self.seconds.get(self.name, 0.0) + time.monotonic() - self.start
