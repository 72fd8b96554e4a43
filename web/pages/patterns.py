"""The patterns of the lake: how they are distributed, which are common domains, and columns like an example."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from starlette.responses import RedirectResponse

from catalog.errors import UsageError
from catalog.store.meaning import lakedomains
from catalog.store.pages import columns
from catalog.surveyed import read_survey
from web.access.gate import actor
from web.deps import Ident, Reading, writing
from web.pages.columns import column_or_404
from web.pages.tables import frame, table_or_404
from web.render import page
from web.shown.patterns import like, placed

router = APIRouter()
SHOWN_COLUMNS = 12


@router.get("/patterns")
def show_patterns(request: Request, session: Reading) -> Response:
    found = lakedomains.list_domains(session)
    places = lakedomains.where(session, [one for row in found for one in row.described[:SHOWN_COLUMNS]])
    return page(
        request,
        session,
        "patterns.html",
        figures=read_survey(request.app.state.settings),
        found=found,
        places=places,
        most=SHOWN_COLUMNS,
    )


@router.post("/patterns/{domain_id}/name")
def name_domain(
    request: Request,
    domain_id: Ident,
    name: Annotated[str, Form(max_length=60)],
    label: Annotated[str, Form(max_length=100)] = "",
    sensitive: Annotated[bool, Form()] = False,
) -> Response:
    with writing(request) as session:
        row = lakedomains.name_domain(
            session, domain_id, name.strip(), label=label, sensitive=sensitive, actor=actor(request)
        )
    return RedirectResponse(f"/tags/by/{row.name}" if row.described else "/patterns", 303)


@router.post("/patterns/{domain_id}/forget")
def forget_name(request: Request, domain_id: Ident) -> Response:
    with writing(request) as session:
        lakedomains.forget_name(session, domain_id)
    return RedirectResponse("/patterns", 303)


@router.get("/columns/{column_id}/like")
def show_like(request: Request, session: Reading, column_id: Ident) -> Response:
    column = column_or_404(session, column_id)
    table = table_or_404(session, column.table_id)
    trouble: UsageError | None = None
    try:
        found = placed(session, like(session, request.app.state.index, column))
    except UsageError as error:  # nothing to compare with is no error of the one who looks
        found, trouble = [], error
    ids = [one["column_id"] for pattern in found for one in pattern["columns"] if one["column_id"]]
    return page(
        request,
        session,
        "like.html",
        tab="columns",
        column=column,
        found=found,
        trouble=trouble,
        tags=columns.tags_of(session, ids),
        **frame(session, table),
    )
