"""Values as they are, as JSON: asked for with a reason, read from the lake by a worker, and written down."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from catalog.store.schemas.lake import UnmaskedOut
from web.api.schemas.asked import Unmasking
from web.deps import Ident
from web.pages.access.unmasked import unmasked

router = APIRouter(tags=["values"])


@router.post("/columns/{column_id}/unmasked", response_model=UnmaskedOut, summary="Some values of a column as they are")
def show_values(request: Request, column_id: Ident, wanted: Unmasking) -> dict[str, Any]:
    return unmasked(request, "column", column_id, wanted.reason)


@router.post("/incidents/{incident_id}/unmasked", response_model=UnmaskedOut, summary="An incident's rows as they are")
def show_rows(request: Request, incident_id: Ident, wanted: Unmasking) -> dict[str, Any]:
    return unmasked(request, "incident", incident_id, wanted.reason)
