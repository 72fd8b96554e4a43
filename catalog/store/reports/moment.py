"""The catalog as it was at a moment, read from the journal and the audit log. Functions take a session and never
commit.

A moment is settled when nothing can be journalled before it any more: `settle` waits for the transactions at work. From
then on what is read as of it is the same for ever.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy
from sqlmodel import Session, col, func, select

from catalog.errors import NotFound, UsageError
from catalog.reports.facts import Facts, Scope
from catalog.reports.figures import Report, make_report
from catalog.store.access import owners
from catalog.store.models import AuditEvent, JournalEntry, Source

TIMES = ("found_at", "created_at", "committed_at", "judged_at", "opened_at", "updated_at")
FLAGS = ("sensitive", "generic", "contains", "demoted", "there")
PORTION = 5000  # rows read at once; a bound of memory


def settle(session: Session) -> datetime:
    """The present moment, once nothing can be journalled before it; in a transaction that may write.

    On SQLite such a transaction is alone; on PostgreSQL the journal is locked against writers until the transaction
    ends. Entries are stamped in whole milliseconds by the same clock, and what is read lies before the moment.
    """
    connection = session.connection()  # on SQLite this waits for the write lock
    if connection.dialect.name == "postgresql":
        connection.execute(sqlalchemy.text("LOCK TABLE journal IN SHARE ROW EXCLUSIVE MODE"))

        def clock() -> datetime:
            return connection.execute(sqlalchemy.text("SELECT clock_timestamp()")).scalar_one().astimezone(UTC)
    else:

        def clock() -> datetime:
            return datetime.now(UTC)

    present = clock()
    moment = present.replace(microsecond=present.microsecond // 1000 * 1000) + timedelta(milliseconds=1)
    while clock() < moment:
        time.sleep(0.001)
    return moment


def begins(session: Session) -> datetime | None:
    """When the journal begins; None where it is empty."""
    return session.exec(select(func.min(JournalEntry.at))).one()


def report(session: Session, kind: str, scope: Scope, start: datetime, moment: datetime) -> Report:
    """A report about the catalog as it was just before `moment`, which is settled.

    Errors: `UsageError` before the journal begins, or for a kind that there is none of; `NotFound` for a source or an
    owner that the catalog did not know.
    """
    first = begins(session)
    if first is None:
        raise UsageError("this catalog is empty: there is nothing to report", remedy="add a source and crawl it first")
    if moment <= first:
        raise UsageError(
            f"what was so at {moment:%Y-%m-%d %H:%M:%S} UTC was not written down: the journal of this catalog begins "
            f"at {first:%Y-%m-%d %H:%M:%S} UTC",
            remedy="name a later moment",
        )
    facts = read(session, start, moment)
    _known(facts, scope)
    return make_report(kind, facts, scope, first)


def read(session: Session, start: datetime, moment: datetime) -> Facts:
    """What a report of a period is made of."""
    kinds = ("source", "table", "column", "tag", "rule")
    sources, tables, columns, tags, rules = (_latest(session, kind, moment) for kind in kinds)
    return Facts(
        start,
        moment,
        sources=sources,
        tables=tables,
        columns=columns,
        tags=tags,
        rules=rules,
        incidents=_incidents(session, moment),
        versions=_latest(session, "version", moment, start),
        events=tuple(_events(session, start, moment)),
        decided=_decided(session, moment, AuditEvent.kind == "tag"),
        levelled=_decided(session, moment, AuditEvent.kind == "column", AuditEvent.action == "level"),
        gone=_gone(session, moment),
    )


def _known(facts: Facts, scope: Scope) -> None:
    """Refuse a scope of nothing: an empty report would say that all is well."""
    rows = (*facts.sources.values(), *facts.tables.values(), *facts.columns.values())
    _demand(scope, {str(one["name"]) for one in facts.sources.values()}, {str(one["owner"] or "") for one in rows})


def demand_scope(session: Session, scope: Scope) -> None:
    """Errors: `NotFound` for a scope of which a report made now would be refused."""
    owned = (select(col(one.owner)).distinct() for one in owners.OWNED.values())
    named = {owner or "" for query in owned for owner in session.exec(query)}
    _demand(scope, set(session.exec(select(Source.name))), named)


def _demand(scope: Scope, sources: set[str], owned_by: set[str]) -> None:
    if scope.source and scope.source not in sources:
        told = ", ".join(sorted(sources)[:20]) or "none yet"
        raise NotFound(f"there was no source {scope.source[:80]!r}", remedy=f"use one of {told}")
    if scope.owner and scope.owner not in owned_by:
        told = ", ".join(sorted(owned_by - {""})[:20]) or "named nowhere"
        raise NotFound(f"{scope.owner[:80]!r} owned nothing", remedy=f"owners were {told}")


def _latest(session: Session, kind: str, moment: datetime, since: datetime | None = None) -> dict[int, dict[str, Any]]:
    """The last entry of each thing before a moment (and after another), of those that were there."""
    last: Any = select(func.max(JournalEntry.id)).where(JournalEntry.kind == kind, col(JournalEntry.at) < moment)
    if since is not None:
        last = last.where(col(JournalEntry.at) >= since)
    query: Any = (
        select(JournalEntry.item_id, JournalEntry.body)
        .where(col(JournalEntry.id).in_(last.group_by(JournalEntry.item_id)), col(JournalEntry.gone).is_(False))
        .order_by(col(JournalEntry.item_id))
    )
    return {key: _fit(body) for found in session.exec(query).partitions(PORTION) for key, body in found}


def _incidents(session: Session, moment: datetime) -> dict[int, dict[str, Any]]:
    """Incidents with the time at which each was resolved for good, as far as that moment knew."""
    query: Any = (
        select(JournalEntry.item_id, JournalEntry.gone, JournalEntry.body)
        .where(JournalEntry.kind == "incident", col(JournalEntry.at) < moment)
        .order_by(col(JournalEntry.item_id), col(JournalEntry.id))
    )
    found: dict[int, dict[str, Any]] = {}
    for key, gone, body in session.exec(query):
        if gone:
            found.pop(key, None)
            continue
        row = _fit(body)
        before = found.get(key) or {"status": "", "resolved_at": None}
        again = before["status"] == "resolved"
        row["resolved_at"] = (
            None if row["status"] != "resolved" else before["resolved_at"] if again else row["updated_at"]
        )
        found[key] = row
    return found


def _events(session: Session, start: datetime, moment: datetime) -> Iterator[dict[str, Any]]:
    """The decisions of a period."""
    of_period = select(JournalEntry.item_id).where(JournalEntry.kind == "event", col(JournalEntry.at) < moment)
    query = select(AuditEvent).where(col(AuditEvent.id).in_(of_period), AuditEvent.at >= start, AuditEvent.at < moment)
    for one in session.exec(query.order_by(col(AuditEvent.id))):
        yield one.model_dump()


def _decided(session: Session, moment: datetime, *about: Any) -> dict[int, dict[str, Any]]:
    """The last decision about each thing, of decisions of a kind."""
    return {
        one.item_id: {"id": one.id, "at": one.at, "by": one.actor, "reason": one.reason}
        for one in _made(session, moment, *about)
        if one.item_id is not None
    }


def _gone(session: Session, moment: datetime) -> frozenset[str]:
    """The names of people who were locked out, and not let in again."""
    doors = _made(session, moment, AuditEvent.kind == "user", col(AuditEvent.action).in_(("lock", "unlock", "recover")))
    last = {one.item: one.action for one in doors}
    return frozenset(name for name, action in last.items() if action == "lock")


def _made(session: Session, moment: datetime, *about: Any) -> Sequence[AuditEvent]:
    """Decisions of a kind that were made until then, the oldest first."""
    before = select(JournalEntry.item_id).where(JournalEntry.kind == "event", col(JournalEntry.at) < moment)
    query = select(AuditEvent).where(*about, col(AuditEvent.id).in_(before))
    return session.exec(query.order_by(col(AuditEvent.id))).all()


def _fit(body: dict[str, Any]) -> dict[str, Any]:
    """An entry's body with times and flags, which each database writes in its own way.

    >>> _fit({"created_at": "2026-01-02 03:04:05.000000", "sensitive": 1, "name": "a"})["created_at"].isoformat()
    '2026-01-02T03:04:05+00:00'
    """
    row = dict(body)
    for name in TIMES:
        if row.get(name) is not None:
            read_time = datetime.fromisoformat(row[name])
            row[name] = read_time.astimezone(UTC) if read_time.tzinfo else read_time.replace(tzinfo=UTC)
    for name in FLAGS:
        if name in row:
            row[name] = bool(row[name])
    return row
