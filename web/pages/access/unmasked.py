"""Values as they are: asked for with a reason, read from the lake by a worker, shown once and written down."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, Response

from catalog.store.access import audit
from catalog.store.engine import session as open_session
from catalog.store.incidents import outcomes
from catalog.store.meaning.levels import demand_values, levels_of, note_unmasked, shown_of
from web.access.gate import actor, identity
from web.deps import Ident, writing
from web.pages.lake.columns import column_or_404
from web.render import page

router = APIRouter()
Reason = Annotated[str, Form(max_length=300)]


def unmasked(request: Request, kind: str, item_id: int, reason: str) -> dict[str, Any]:
    """Values of a column or rows of an incident, for who asks. That they are seen is in the audit log before they are
    handed on. Errors: `Forbidden`, `UsageError` without a reason, `NotFound`, `BrokerError` where no worker reads."""
    levels = levels_of(identity(request), reason)
    with open_session(request.app.state.engine, write=False) as session:
        item = _item(session, kind, item_id)
        if kind == "column":
            demand_values(session, item_id, levels)
    found: dict[str, Any] = request.app.state.queue.ask(kind, item_id, levels)
    with writing(request) as session:
        note_unmasked(session, actor(request), item, reason, levels, shown_of(found))
    return found | {"levels": sorted(levels), "item": item.name}


def _item(session: Any, kind: str, item_id: int) -> audit.Item:
    if kind == "column":
        return audit.of_column(session, kind, item_id, column_or_404(session, item_id).id)
    table_id = outcomes.get_incident(session, item_id).table_id
    return audit.of_table(session, kind, item_id, table_id, f"incident {item_id}")


@router.post("/columns/{column_id}/unmasked")
def show_values(request: Request, column_id: Ident, reason: Reason = "") -> Response:
    return _page(request, unmasked(request, "column", column_id, reason), f"/columns/{column_id}", reason)


@router.post("/incidents/{incident_id}/unmasked")
def show_rows(request: Request, incident_id: Ident, reason: Reason = "") -> Response:
    return _page(request, unmasked(request, "incident", incident_id, reason), f"/incidents/{incident_id}", reason)


def _page(request: Request, found: dict[str, Any], back: str, reason: str) -> Response:
    with open_session(request.app.state.engine, write=False) as session:
        return page(request, session, "access/unmasked.html", found=found, back=back, reason=reason)
