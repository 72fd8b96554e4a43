"""What the home page tells: totals, troubles, the counts of the navigation bar."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from typing import Any

from sqlalchemy import func, select
from sqlmodel import Session, col

from catalog.checks.feedback import FALSE_ALARM
from catalog.store.access.approvals import count_waiting
from catalog.store.access.owners import count_unowned, default_owner
from catalog.store.alerts import deliveries
from catalog.store.domains import upgrades
from catalog.store.expectations.weekly import last_week
from catalog.store.incidents.groups import leads
from catalog.store.models import GONE, Incident, LakeColumn, RuleRow, Run, Source, Table, Tag, Version, now
from catalog.store.pages.cutting import counts
from catalog.store.pages.filters import OPEN, TABLE_STATUSES
from catalog.store.pages.lines import TableLine
from catalog.store.pages.tables import table_lines
from catalog.store.reports import schedules


def navigation(session: Session) -> dict[str, int]:
    """The counts beside the links of every page."""
    alarms = select(func.count(col(Incident.id))).where(
        col(Incident.status).in_(OPEN), col(Incident.level) == "error", *leads()
    )
    return {
        "incidents": session.scalar(alarms) or 0,
        "waiting": count_waiting(session),
        "runs": session.scalar(select(func.count(col(Run.id))).where(col(Run.status) == "running")) or 0,
    }


def totals(session: Session) -> dict[str, Any]:
    """What the catalog holds, and what the last day and month brought. Columns, rows and rules of tables that are gone
    do not count."""
    stamp = now()
    day, month = stamp - timedelta(days=1), stamp - timedelta(days=30)
    judged = select(
        func.coalesce(func.sum(col(Version.passed)), 0), func.coalesce(func.sum(col(Version.violated)), 0)
    ).where(col(Version.judged_at) >= day)
    false = (
        select(col(Incident.table_id), col(Incident.first_version))
        .where(col(Incident.reason) == FALSE_ALARM, col(Incident.opened_at) >= month)
        .distinct()
    )
    false_alarms = select(func.count()).select_from(false.subquery())  # versions, as tables' ledgers count them
    expected = select(func.coalesce(func.sum(col(Version.expected_alarms)), 0.0)).where(col(Version.judged_at) >= month)
    there = col(Table.status).not_in(GONE)
    demoted = select(func.count(col(RuleRow.id))).where(
        col(RuleRow.demoted_at).is_not(None), col(RuleRow.status) == "active"
    )
    levels = counts(
        session,
        select(col(Incident.level), func.count())
        .where(col(Incident.status).in_(OPEN), *leads())
        .group_by(col(Incident.level)),
    )
    statuses = counts(session, select(col(Table.status), func.count()).group_by(col(Table.status)))
    return {
        "sources": session.scalar(select(func.count(col(Source.id)))) or 0,
        "tables": sum(statuses.values()),
        "statuses": {status: statuses.get(status, 0) for status in TABLE_STATUSES},
        "upgrade_waits": (found := upgrades.standing(session)) is not None and bool(found.waiting) and not found.answer,
        "undelivered": deliveries.undelivered(session),
        "failed_reports": schedules.count_failed(session),
        "unowned": count_unowned(session),
        "default_owner": default_owner(session),
        "columns": session.scalar(select(func.count(col(LakeColumn.id))).join(Table).where(there)) or 0,
        "rows": session.scalar(select(func.coalesce(func.sum(col(Table.rows)), 0)).where(there)) or 0,
        "bytes": session.scalar(select(func.coalesce(func.sum(col(Table.bytes)), 0)).where(there)) or 0,
        "to_review": session.scalar(
            select(func.count(col(Tag.id))).where(col(Tag.status) == "proposed", col(Tag.generic).is_(False))
        )
        or 0,
        "tags": counts(session, select(col(Tag.status), func.count()).group_by(col(Tag.status))),
        "rules": counts(
            session, select(col(RuleRow.status), func.count()).join(Table).where(there).group_by(col(RuleRow.status))
        ),
        "incidents": counts(
            session, select(col(Incident.status), func.count()).where(*leads()).group_by(col(Incident.status))
        ),
        "open": sum(levels.values()),
        "open_errors": levels.get("error", 0),
        "judged_day": dict(zip(("passed", "violated"), map(int, session.execute(judged).one()), strict=True)),
        "demoted": session.scalar(demoted) or 0,
        "false_alarms_month": session.scalar(false_alarms) or 0,
        "false_alarms_expected": float(session.scalar(expected) or 0.0),
        "week": asdict(last_week(session, moment=stamp)),
    }


def troubled_tables(session: Session, limit: int = 10) -> list[TableLine]:
    """Tables that cannot be read or are gone, the newest first."""
    query = (
        select(Table)
        .where(col(Table.status).in_(("error", "vanished")))
        .order_by(col(Table.changed_at).desc().nulls_last(), col(Table.id).desc())
    )
    return table_lines(session, list(session.scalars(query.limit(limit))))


def daily_outcomes(session: Session, days: int = 14) -> list[dict[str, Any]]:
    """How many verdicts of each kind each of the last `days` days brought, oldest first (UTC days)."""
    today = now().replace(hour=0, minute=0, second=0, microsecond=0)
    first = today - timedelta(days=days - 1)
    passed, violated = (func.coalesce(func.sum(col(one)), 0) for one in (Version.passed, Version.violated))
    out = []
    for number in range(days):  # a stretch of an index for each: no database's idea of a date or zone matters
        day = first + timedelta(days=number)
        moment = col(Version.judged_at)
        said = session.execute(select(passed, violated).where(moment >= day, moment < day + timedelta(days=1))).one()
        out.append({"day": day.date().isoformat(), "passed": int(said[0]), "violated": int(said[1])})
    return out
