"""Queries about the batches that versions make. Each function takes a session and never commits."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import update
from sqlmodel import Session, col, func, select

from catalog.store.models import Incident, Table, Version

#: Labels of versions that nothing is learned from: a rule broke and nobody said it was wrong, or a person confirmed it.
UNHEALTHY = ("suspect", "incident")


def commit_kinds(session: Session, table_id: int) -> list[tuple[int, str]]:
    """``(number, kind)`` of every known commit, oldest first; the kind is what the log says, whatever the mode."""
    query = select(Version.number, Version.commit_info).where(Version.table_id == table_id)
    return [(number, info.get("batch", "none")) for number, info in session.exec(query.order_by(col(Version.number)))]


def last_healthy(session: Session, table_id: int, before: int) -> int | None:
    """Number of the last observed batch before version `before` that a next batch may be compared with."""
    query = select(func.max(Version.number)).where(
        Version.table_id == table_id,
        Version.number < before,
        col(Version.batch).in_(("snapshot", "increment")),
        col(Version.metrics).is_not(None),
        func.coalesce(Version.label, "").not_in(UNHEALTHY),
    )
    return session.exec(query).one()


def forget_batches(session: Session, table_id: int, mode: str) -> None:
    """The table's versions make other batches from now on: what was observed of them is observed anew."""
    session.exec(
        update(Version).where(col(Version.table_id) == table_id).values(metrics=None, batch_rows=None, status="known")
    )
    session.exec(update(Table).where(col(Table.id) == table_id).values(mode=mode, judged_version=-1, learned_at=None))


def mark_vanished(session: Session, source_id: int, keep: Collection[int]) -> int:
    """Tables of the source that were not found this time. Returns how many became so now."""
    gone = [
        table_id
        for table_id in session.exec(
            select(Table.id).where(Table.source_id == source_id, col(Table.status) != "vanished")
        )
        if table_id not in keep
    ]
    if gone:
        session.exec(
            update(Table)
            .where(col(Table.id).in_(gone))
            .values(
                status="vanished",
                error_kind="table_vanished",
                error="the table is no longer under its source",
                remedy="restore it, or remove it from the catalog",
            )
        )
    return len(gone)


def judged_since(session: Session, table_id: int, moment: datetime) -> int:
    """How many batches were judged after a moment."""
    query = select(func.count()).where(
        Version.table_id == table_id, col(Version.judged_at) > moment, Version.batch != "none"
    )
    return session.exec(query).one()


def latest_suspect(session: Session, table_id: int) -> bool:
    """Whether the latest observed batch broke a rule and nobody said that it was right."""
    query = select(Version.label).where(
        Version.table_id == table_id, col(Version.metrics).is_not(None), Version.batch != "none"
    )
    return session.exec(query.order_by(col(Version.number).desc()).limit(1)).first() in UNHEALTHY


def feedback_since(session: Session, table_id: int, moment: datetime) -> bool:
    """Whether a person called an alarm of the table false after a moment."""
    query = select(Incident.id).where(
        Incident.table_id == table_id, Incident.reason == "FalsePositive", col(Incident.updated_at) > moment
    )
    return session.exec(query.limit(1)).first() is not None
