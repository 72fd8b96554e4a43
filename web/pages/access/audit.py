"""The audit log: who decided what, when and why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request, Response
from starlette.responses import RedirectResponse, StreamingResponse

from catalog.store.access import audit
from catalog.store.access.undo import undo
from catalog.store.engine import session as open_session
from catalog.store.schemas.listing import listing
from catalog.store.schemas.people import AuditOut
from web.access.gate import identity
from web.deps import Ident, PageNumber, Reading, Words, stretch, writing
from web.render import page

router = APIRouter()
Actor = Annotated[str, Query(max_length=100)]
Kind = Annotated[str, Query(max_length=20)]


@router.get("/audit")
def show_audit(
    request: Request, session: Reading, q: Words = "", actor: Actor = "", kind: Kind = "", number: PageNumber = 1
) -> Response:
    chosen = {"text": q.strip(), "actor": actor, "kind": kind}
    found = listing(audit.list_events(session, **chosen, **stretch(number)), AuditOut.of)
    kinds = audit.EVENT_KINDS
    return page(request, session, "access/audit.html", found=found, q=q, actor=actor, kind=kind, kinds=kinds)


@router.post("/audit/{event_id}/undo")
def undo_event(request: Request, event_id: Ident, reason: Annotated[str, Form(max_length=300)] = "") -> Response:
    with writing(request) as session:
        allowed = request.app.state.settings.false_alarm_budget
        made = undo(session, event_id, by=identity(request), reason=reason, false_alarm_budget=allowed)
    return RedirectResponse(f"/audit#e{made.id}", 303)


@router.get("/audit.csv")
def export_audit(request: Request, q: Words = "", actor: Actor = "", kind: Kind = "") -> StreamingResponse:
    """Every event that fits, the oldest first."""

    def lines() -> Iterator[str]:
        with open_session(request.app.state.engine, write=False) as session:
            yield from audit.csv_lines(session, text=q.strip(), actor=actor, kind=kind)

    headers = {"content-disposition": 'attachment; filename="audit.csv"'}
    return StreamingResponse(lines(), media_type="text/csv; charset=utf-8", headers=headers)
