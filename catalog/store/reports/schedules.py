"""Reports that are made again and again. Each function takes a session and never commits."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import Session, col, func, select

from catalog.errors import NotFound, UsageError
from catalog.reports.facts import Scope
from catalog.reports.figures import REPORT_KINDS
from catalog.reports.period import EVERY, following
from catalog.store.access import audit
from catalog.store.models import ReportSchedule, now
from catalog.store.reports.moment import demand_scope

FORMATS = ("pdf", "html", "csv", "json")


def add_schedule(session: Session, kind: str, every: str, form: str, scope: Scope, *, actor: str) -> ReportSchedule:
    """Make a report of a kind every day, week, month or quarter from now on. Errors: `UsageError`, also where
    it is scheduled already; `NotFound` of a source or an owner of which no report can be made."""
    for what, value, allowed in (("report", kind, REPORT_KINDS), ("interval", every, EVERY), ("format", form, FORMATS)):
        if value not in allowed:
            raise UsageError(f"there is no {what} {value[:40]!r}", remedy=f"use one of {', '.join(allowed)}")
    demand_scope(session, scope)
    made = ReportSchedule(
        kind=kind, every=every, format=form, source=scope.source or None, owner=scope.owner or None, actor=actor,
        next_at=following(now(), every),
    )  # fmt: skip
    for one in list_schedules(session):
        if _terms(one) == _terms(made):
            raise UsageError(f"that is schedule {one.id} already", remedy="another one would write the same files")
    session.add(made)
    session.flush()
    audit.record(session, actor, "schedule", _item(made), after=_terms(made))
    return made


def remove_schedule(session: Session, schedule_id: int, *, actor: str) -> None:
    """Make it no more; the files stay. Errors: `NotFound`."""
    found = session.get(ReportSchedule, schedule_id)
    if found is None:
        raise NotFound(f"no report is scheduled as {schedule_id}", remedy="`assay report schedules` lists them")
    audit.record(session, actor, "unschedule", _item(found), before=_terms(found))
    session.delete(found)
    session.flush()


def list_schedules(session: Session) -> Sequence[ReportSchedule]:
    return session.exec(select(ReportSchedule).order_by(col(ReportSchedule.id))).all()


def due(session: Session, moment: datetime) -> Sequence[ReportSchedule]:
    """Those that should have been made by then."""
    query = select(ReportSchedule).where(ReportSchedule.next_at <= moment)
    return session.exec(query.order_by(col(ReportSchedule.id))).all()


def count_failed(session: Session) -> int:
    """Scheduled reports of which the last try failed."""
    query = select(func.count(col(ReportSchedule.id))).where(col(ReportSchedule.error).is_not(None))
    return session.scalar(query) or 0


def scope_of(schedule: ReportSchedule) -> Scope:
    return Scope(schedule.source or "", schedule.owner or "")


def _item(one: ReportSchedule) -> audit.Item:
    about = " of ".join(name for name in (one.kind, one.owner or one.source) if name)
    return audit.Item("report", one.id, about, one.source)


def _terms(one: ReportSchedule) -> dict[str, str | None]:
    return {name: getattr(one, name) for name in ("kind", "every", "format", "source", "owner")}
