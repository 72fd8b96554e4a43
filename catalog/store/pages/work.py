"""Incidents, runs and sources."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import case, func, select
from sqlmodel import Session, col

from catalog.store.access.owners import tables_owned
from catalog.store.incidents.groups import leads, spread_to
from catalog.store.models import Incident, Run, Source, Table
from catalog.store.pages.cutting import Page, counts, cut, holds, source_names
from catalog.store.pages.filters import LEVELS, OPEN, RUN_STATUSES, one_of
from catalog.store.pages.lines import IncidentLine


def find_incidents(
    session: Session,
    *,
    status: str = "",
    level: str = "",
    text: str = "",
    table_id: int | None = None,
    column: str | None = None,
    owner: str = "",
    who: tuple[str, ...] = (),
    limit: int = 50,
    offset: int = 0,
) -> Page:
    """Incidents with their tables: (Incident, Table), newest first; of open ones warnings after all that raised an
    alarm. Status ``open``: not resolved. `owner`, `who`: see `catalog.store.access.owners.tables_owned`."""
    one_of("status", status, ("open", "resolved", *OPEN))
    one_of("level", level, LEVELS)
    query = select(Incident, Table).join(Table, col(Incident.table_id) == col(Table.id)).where(*leads(table_id))
    if status == "open":
        query = query.where(col(Incident.status).in_(OPEN))
    elif status:
        query = query.where(col(Incident.status) == status)
    if level:
        query = query.where(col(Incident.level) == level)
    if table_id is not None:
        query = query.where(col(Incident.table_id) == table_id)
    if column is not None:
        query = query.where(col(Incident.column_name) == column)
    if owner:
        query = query.where(tables_owned(owner, who))
    for word in text.split()[:8]:
        names = (col(Table.name), col(Incident.column_name), col(Incident.sentence))
        query = query.where(holds(word, *names, column=col(Incident.column_name)))
    warned: list[Any] = [col(Incident.level) == "warning"] if status == "open" else []
    order = (*warned, col(Incident.opened_at).desc(), col(Incident.id).desc())
    return cut(session, query.order_by(*order), limit, offset, scalars=False)


def list_incidents(session: Session, **asked: Any) -> Page:
    """`find_incidents` as lists show them (`IncidentLine`)."""
    found = find_incidents(session, **asked)
    return replace(found, items=incident_lines(session, found.items))


def incident_line(session: Session, incident: Incident) -> IncidentLine:
    (line,) = incident_lines(session, [(incident, session.get_one(Table, incident.table_id))])
    return line


def incident_lines(session: Session, rows: Iterable[tuple[Incident, Table]]) -> list[IncidentLine]:
    """What lists show of incidents (`find_incidents`)."""
    rows = list(rows)
    sources = source_names(session, [table for _, table in rows])
    spread = spread_to(session, [one.id for one, _ in rows])
    return [
        IncidentLine(one, table.name, sources.get(table.source_id, ""), [table.name, *spread.get(one.id, [])])
        for one, table in rows
    ]


def incident_counts(session: Session) -> dict[str, int]:
    """Of incidents that are open, of those by level, and of resolved ones."""
    found = counts(session, select(col(Incident.status), func.count()).where(*leads()).group_by(col(Incident.status)))
    still = select(col(Incident.level), func.count()).where(*leads(), col(Incident.status).in_(OPEN))
    levels = counts(session, still.group_by(col(Incident.level)))
    opened = {level: levels.get(level, 0) for level in LEVELS}
    return {"open": sum(opened.values()), **opened, "resolved": found.get("resolved", 0)}


def find_runs(session: Session, *, status: str = "", limit: int = 50, offset: int = 0) -> Page:
    """Runs, those at work first, then the newest."""
    one_of("status", status, RUN_STATUSES)
    query = select(Run)
    if status:
        query = query.where(col(Run.status) == status)
    rank = case((col(Run.status) == "running", 0), (col(Run.status) == "queued", 1), else_=2)
    return cut(session, query.order_by(rank, col(Run.queued_at).desc(), col(Run.id).desc()), limit, offset)


@dataclass(frozen=True)
class SourceLine:
    """A source with the number of its tables by status, and its last run."""

    source: Source
    tables: dict[str, int]
    run: Run | None


def source_line(session: Session, source: Source) -> SourceLine:
    return next(one for one in source_lines(session) if one.source.id == source.id)


def source_lines(session: Session) -> list[SourceLine]:
    """Sources by name."""
    statuses: dict[int, dict[str, int]] = defaultdict(dict)
    counted = select(col(Table.source_id), col(Table.status), func.count()).group_by(
        col(Table.source_id), col(Table.status)
    )
    for source_id, status, count in session.execute(counted):
        statuses[source_id][status] = count
    newest = select(func.max(col(Run.id))).where(col(Run.source_id).is_not(None)).group_by(col(Run.source_id))
    last = {run.source_id: run for run in session.scalars(select(Run).where(col(Run.id).in_(newest)))}
    sources = session.scalars(select(Source).order_by(col(Source.name)))
    return [SourceLine(source, statuses.get(source.id or 0, {}), last.get(source.id)) for source in sources]


def failed_sources(session: Session) -> list[SourceLine]:
    """Sources whose last finished crawl failed, by name, with that crawl."""
    ended = ("done", "failed", "cancelled")
    newest = (
        select(func.max(col(Run.id)))
        .where(col(Run.source_id).is_not(None), col(Run.status).in_(ended))
        .group_by(col(Run.source_id))
    )
    failed = session.scalars(select(Run).where(col(Run.id).in_(newest), col(Run.status) == "failed"))
    runs = {run.source_id: run for run in failed}
    return [replace(line, run=runs[line.source.id]) for line in source_lines(session) if line.source.id in runs]
