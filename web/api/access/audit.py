"""The audit log as JSON."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from catalog.store.access import audit
from catalog.store.access.undo import undo
from catalog.store.schemas.listing import Listing
from catalog.store.schemas.people import AuditOut
from web.access.gate import identity
from web.api.schemas.answered import listing
from web.api.schemas.asked import Undoing
from web.deps import Ident, Limit, Offset, Reading, Words, writing

router = APIRouter(tags=["audit"])


@router.post("/audit/{event_id}/undo", response_model=AuditOut, summary="Take a decision back")
def undo_event(request: Request, event_id: Ident, wanted: Undoing) -> AuditOut:
    with writing(request) as session:
        allowed = request.app.state.settings.false_alarm_budget
        made = undo(session, event_id, by=identity(request), reason=wanted.reason, false_alarm_budget=allowed)
        return AuditOut.of(made)


@router.get("/audit", response_model=Listing[AuditOut], summary="Decisions of people, newest first")
def list_events(
    request: Request,
    session: Reading,
    q: Words = "",
    actor: Annotated[str, Query(max_length=100)] = "",
    kind: Annotated[str, Query(max_length=20)] = "",
    since: datetime | None = None,
    until: datetime | None = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Listing[AuditOut]:
    chosen: dict[str, Any] = {"text": q.strip(), "actor": actor, "kind": kind, "since": since, "until": until}
    return listing(request, audit.list_events(session, **chosen, limit=limit, offset=offset), AuditOut.of)
