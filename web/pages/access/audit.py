"""The audit log: who decided what, when and why."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Query, Request, Response
from starlette.responses import RedirectResponse, StreamingResponse

from catalog.errors import UsageError
from catalog.store.access import audit
from catalog.store.access.undo import may_undo, undo
from catalog.store.engine import session as open_session
from catalog.store.schemas.listing import listing
from catalog.store.schemas.people import AuditOut
from web.access.gate import identity
from web.deps import Ident, PageNumber, Reading, Words, stretch, writing
from web.render import page

router = APIRouter()
Actor = Annotated[str, Query(max_length=100)]
Kind = Annotated[str, Query(max_length=20)]
Day = Annotated[str, Query(max_length=10)]


def chosen(q: Words = "", actor: Actor = "", kind: Kind = "", since: Day = "", until: Day = "") -> dict[str, Any]:
    """What of the log is asked for; both days belong to it. Errors: `UsageError`."""
    last = _midnight(until)
    ends = last + timedelta(days=1) if last else None
    return {"text": q.strip(), "actor": actor, "kind": kind, "since": _midnight(since), "until": ends}


def _midnight(day: str) -> datetime | None:
    try:
        return datetime.combine(date.fromisoformat(day), time(), UTC) if day else None
    except ValueError as error:
        raise UsageError(f"{day!r} is not a day", remedy="write it like 2026-03-31") from error


Chosen = Annotated[dict[str, Any], Depends(chosen)]


@router.get("/audit")
def show_audit(
    request: Request,
    session: Reading,
    wanted: Chosen,
    q: Words = "",
    since: Day = "",
    until: Day = "",
    number: PageNumber = 1,
) -> Response:
    events = audit.list_events(session, **wanted, **stretch(number))
    found = listing(events, AuditOut.of)
    marks = {
        "undone": audit.undone_by(session, [one.id for one in found.items]),
        "may_undo": may_undo(session, events.items, identity(request)),
    }
    asked = {"q": q, "since": since, "until": until, "actor": wanted["actor"], "kind": wanted["kind"]}
    return page(request, session, "access/audit.html", found=found, **marks, **asked, kinds=audit.EVENT_KINDS)


@router.post("/audit/{event_id}/undo")
def undo_event(request: Request, event_id: Ident, reason: Annotated[str, Form(max_length=300)] = "") -> Response:
    with writing(request) as session:
        allowed = request.app.state.settings.false_alarm_budget
        made = undo(session, event_id, by=identity(request), reason=reason, false_alarm_budget=allowed)
    return RedirectResponse(f"/audit#e{made.id}", 303)


@router.get("/audit.csv")
def export_audit(request: Request, wanted: Chosen) -> StreamingResponse:
    """Every event that fits, the oldest first."""

    def lines() -> Iterator[str]:
        with open_session(request.app.state.engine, write=False) as session:
            yield from audit.csv_lines(session, **wanted)

    headers = {"content-disposition": 'attachment; filename="audit.csv"'}
    return StreamingResponse(lines(), media_type="text/csv; charset=utf-8", headers=headers)
