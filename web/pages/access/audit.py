"""The audit log: who decided what, when and why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request, Response
from starlette.responses import RedirectResponse, StreamingResponse

from catalog.store.access import audit
from catalog.store.access.undo import can_undo, undo
from catalog.store.engine import session as open_session
from catalog.store.pages.cutting import Page
from web.access.gate import identity
from web.deps import PAGE_SIZE, Ident, PageNumber, Reading, Words, writing
from web.render import page

router = APIRouter()
Actor = Annotated[str, Query(max_length=100)]
Kind = Annotated[str, Query(max_length=20)]


@router.get("/audit")
def show_audit(
    request: Request, session: Reading, q: Words = "", actor: Actor = "", kind: Kind = "", number: PageNumber = 1
) -> Response:
    chosen = {"text": q.strip(), "actor": actor, "kind": kind}
    events = audit.find_events(session, **chosen, limit=PAGE_SIZE, offset=(number - 1) * PAGE_SIZE)  # type: ignore[arg-type]
    found = Page(events, audit.count_events(session, **chosen), PAGE_SIZE, (number - 1) * PAGE_SIZE)
    kinds = audit.EVENT_KINDS
    return page(
        request, session, "audit.html", found=found, q=q, actor=actor, kind=kind, kinds=kinds, can_undo=can_undo
    )


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
