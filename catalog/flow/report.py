"""Making reports: settle a moment, read the figures, write the file; and those that are scheduled."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import structlog

from catalog.errors import AssayError
from catalog.flow.context import Context
from catalog.reports import document
from catalog.reports.facts import Scope
from catalog.reports.figures import Report
from catalog.reports.period import SPAN, following, period_of
from catalog.store.models import ReportSchedule
from catalog.store.models import now as present
from catalog.store.reports import moment, schedules
from catalog.store.reports.filed import place

log = structlog.get_logger()


def make(context: Context, kind: str, scope: Scope, *, as_of: str = "", period: str = "") -> Report:
    """A report as of a moment that people name (`catalog.reports.period`). Errors: `UsageError`, `NotFound`."""
    with context.transaction() as session:
        now = moment.settle(session)
    start, end = period_of(period, as_of, now)
    with context.reading() as session:
        return moment.report(session, kind, scope, start, end)


def write(report: Report, path: Path, form: str) -> None:
    """Write a report into a file, whole or not at all. Errors: `UsageError`, `OSError`."""
    data = document.render(report, form)
    temporary = path.with_name(f".{path.name}.part")
    temporary.write_bytes(data)
    temporary.replace(path)


def make_due(context: Context) -> list[Path]:
    """Write the scheduled reports that are due into ``ASSAY_HOME/reports/WHOSE``; the files.

    A report is as of the moment at which it was due, so that it is the same however late it is made, and made twice
    writes the same file. What fails is told on its schedule and stays due until the next one is: a full disk or a
    missing library costs nobody the report of a quarter. The others are made, also those of each period in which no
    service ran.
    """
    if not any_due(context):
        return []
    with context.transaction() as session:
        now = moment.settle(session)
    made: list[Path] = []
    failed: set[int] = set()
    while waiting := [one for one in _due(context, now) if one.id not in failed]:
        for one in waiting:
            path = _make_scheduled(context, one, now)
            if path is None:
                failed.add(one.id)
            else:
                made.append(path)
    return made


def _due(context: Context, now: datetime) -> list[ReportSchedule]:
    with context.reading() as session:
        return list(schedules.due(session, now))


def any_due(context: Context) -> bool:
    """Whether a scheduled report waits to be made."""
    return bool(_due(context, present()))


def _make_scheduled(context: Context, one: ReportSchedule, now: datetime) -> Path | None:
    scope, at = schedules.scope_of(one), one.next_at
    path: Path | None = None
    error: str | None = None
    try:
        start, end = period_of(SPAN[one.every], at.isoformat(), now)
        with context.reading() as session:
            report = moment.report(session, one.kind, scope, start, end)
        path = place(context.settings.home, one.kind, one.every, scope, end, one.format)
        path.parent.mkdir(parents=True, exist_ok=True)
        write(report, path, one.format)
    except (AssayError, OSError) as failure:
        error = str(failure)
        if isinstance(failure, OSError) and failure.strerror:
            error = f"{failure.filename or path} cannot be written: {failure.strerror}"
        path = None
        if error != one.error:  # it is tried again and again: a line for each try would fill the log
            log.warning("a scheduled report could not be made", schedule=one.id, error=error)
    next_one = following(at, one.every)
    with context.transaction() as session:
        current = session.get(ReportSchedule, one.id)
        if current is not None and current.next_at == at:
            current.error, current.last_file = error, str(path) if path else current.last_file
            if path is not None or next_one <= now:
                current.next_at = next_one
    return path
