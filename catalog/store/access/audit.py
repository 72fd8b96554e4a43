"""The audit log: every decision with its actor, reason, before and after. Each function takes a session and never
commits, so that a decision and its event are kept together or not at all.

Events hold what was decided, never values of the lake: neither a rule's body nor offending rows.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, func, or_, select

from catalog.errors import NotFound, UsageError
from catalog.reports.document import guarded
from catalog.roles import LOCAL
from catalog.store.models import AuditEvent, LakeColumn, RuleRow, Source, Table
from catalog.store.pages.cutting import has
from catalog.store.pages.lines import Page

ASSAY = "assay"
EVENT_KINDS = (
    *("tag", "rule", "clause", "incident", "version", "domain", "source", "table", "column"),
    *("user", "token", "setting", "report", "route", "term", "approval", "values", "index", "login"),
)
CLAUSE = ", clause "  # in the name of a clause, between its rule and what it is about
FIELDS = ("id", "at", "actor", "action", "kind", "item_id", "item", "source", "reason", "before", "after", "undoes")


@dataclass(frozen=True)
class Item:
    """What a decision is about: its kind, the id it has, and how people find it."""

    kind: str
    id: int | None
    name: str
    source: str | None = None
    table_id: int | None = None


def record(
    session: Session,
    actor: str,
    action: str,
    item: Item,
    *,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    reason: str | None = None,
) -> AuditEvent:
    """Write down a decision, in the transaction that makes it. What it takes back is told by `undoing`."""
    event = AuditEvent(
        actor=actor,
        action=action,
        kind=item.kind,
        item_id=item.id,
        item=item.name,
        source=item.source,
        table_id=item.table_id,
        reason=reason or None,
        before=dict(before or {}),
        after=dict(after or {}),
        undoes=session.info.get(UNDOES),
    )
    session.add(event)
    session.flush()
    return event


UNDOES = "undoes"


def actor_of(session: Session) -> str:
    """Who decides in this transaction: whom its opener named (`catalog.store.engine.session`), else ``local``."""
    return str(session.info.get("actor", LOCAL))


def may(session: Session, right: str) -> bool:
    """Whether who decides in this transaction has a right."""
    return right in session.info.get("rights", (right,))


def of_table(session: Session, kind: str, item_id: int | None, table_id: int, what: str = "") -> Item:
    """Something of a table; `what` says which of its columns and parts."""
    row = session.exec(
        select(Table.name, Source.name).join(Source, col(Source.id) == col(Table.source_id)).where(Table.id == table_id)
    ).one()
    name = f"{row[1]}/{row[0]}" + (f" {what}" if what else "")
    return Item(kind, item_id, name, row[1], table_id)


def of_column(session: Session, kind: str, item_id: int, column_id: int, what: str = "") -> Item:
    """Something of a column."""
    column = session.get_one(LakeColumn, column_id)
    return of_table(session, kind, item_id, column.table_id, f"{column.name}" + (f": {what}" if what else ""))


def of_rule(session: Session, row: RuleRow, clause: str | None = None) -> Item:
    """A rule, or a clause of it."""
    what = f"{row.column_name}: {row.kind} rule".removeprefix(": ") + (f"{CLAUSE}{clause}" if clause else "")
    return of_table(session, "clause" if clause else "rule", row.id, row.table_id, what)


def get_event(session: Session, event_id: int) -> AuditEvent:
    """Errors: `NotFound`."""
    event = session.get(AuditEvent, event_id)
    if event is None:
        raise NotFound(f"the audit log has no event {event_id}", remedy="`assay audit list` shows the latest")
    return event


def find_events(
    session: Session,
    *,
    text: str = "",
    actor: str | None = None,
    kind: str | None = None,
    item_id: int | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 100,
    offset: int = 0,
) -> list[AuditEvent]:
    """Events, the latest first. `since` belongs to the span, `until` does not; `text` is looked for in what it is
    about, the action and the reason. Errors: `UsageError` for a kind that there is not."""
    query = _chosen(select(AuditEvent), text, actor, kind, item_id, since, until)
    return list(session.exec(query.order_by(col(AuditEvent.id).desc()).limit(limit).offset(offset)))


def list_events(session: Session, *, limit: int, offset: int = 0, **chosen: Any) -> Page:
    """`find_events` as a list in pages."""
    found = find_events(session, **chosen, limit=limit, offset=offset)
    return Page(found, count_events(session, **chosen), limit, offset)


def count_events(session: Session, **chosen: Any) -> int:
    """How many events `find_events` has in all."""
    names = ("actor", "kind", "item_id", "since", "until")
    query = select(func.count()).select_from(AuditEvent)
    return int(session.exec(_chosen(query, chosen.get("text", ""), *(chosen.get(n) for n in names))).one())


def undone_by(session: Session, event_ids: Iterable[int]) -> dict[int, int]:
    """The events that took some others back, by these."""
    query = select(AuditEvent.undoes, AuditEvent.id).where(col(AuditEvent.undoes).in_(list(event_ids)))
    return {undone: event for undone, event in session.exec(query) if undone is not None and event is not None}


def all_events(session: Session, *, portion: int = 1000, **chosen: Any) -> Iterator[AuditEvent]:
    """Every event that fits, the oldest first, however many: for exports."""
    names = ("actor", "kind", "item_id", "since", "until")
    query = _chosen(select(AuditEvent), chosen.get("text", ""), *(chosen.get(n) for n in names))
    last = 0
    while True:
        page = query.where(col(AuditEvent.id) > last).order_by(col(AuditEvent.id)).limit(portion)
        found = list(session.exec(page))
        yield from found
        if len(found) < portion:
            return
        last = found[-1].id


def csv_lines(session: Session, **chosen: Any) -> Iterator[str]:
    """Every event that fits as lines of CSV under a header, the oldest first."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(FIELDS)
    for event in all_events(session, **chosen):
        writer.writerow([event.at.isoformat() if name == "at" else guarded(getattr(event, name)) for name in FIELDS])
        if text.tell() > 2**16:
            yield text.getvalue()
            text.seek(0)
            text.truncate()
    yield text.getvalue()


def _chosen(query: Any, text: str, actor: Any, kind: Any, item_id: Any, since: Any, until: Any) -> Any:
    if kind and kind not in EVENT_KINDS:
        raise UsageError(f"no event is about a {kind!r}", remedy=f"use one of {', '.join(EVENT_KINDS)}")
    pairs = ((AuditEvent.actor, actor), (AuditEvent.kind, kind), (AuditEvent.item_id, item_id))
    for field, value in pairs:
        if value not in (None, ""):
            query = query.where(field == value)
    if since is not None:
        query = query.where(col(AuditEvent.at) >= since)
    if until is not None:
        query = query.where(col(AuditEvent.at) < until)
    if text:
        fields = (AuditEvent.item, AuditEvent.action, AuditEvent.reason)
        query = query.where(or_(*(has(field, text) for field in fields)))
    return query
