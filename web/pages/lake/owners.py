"""Owners: who answers for what, teams, and naming an owner in place."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from starlette.responses import RedirectResponse

from catalog.store.access import owners
from web.access.auth import local_path
from web.access.gate import actor
from web.deps import Ident, Reading, writing
from web.pages.lake.sources import globs
from web.render import page

router = APIRouter()
Name = Annotated[str, Form(max_length=owners.MOST_OWNER_NAME)]
Back = Annotated[str, Form(max_length=500)]


@router.get("/owners")
def list_owners(request: Request, session: Reading) -> Response:
    context = {"found": owners.owners(session), "unowned": owners.count_unowned(session)}
    return page(request, session, "lake/owners.html", **context, default=owners.default_owner(session))


@router.post("/owners/default")
def set_default(request: Request, owner: Name = "") -> Response:
    with writing(request) as session:
        owners.set_default_owner(session, owner, actor=actor(request))
    return RedirectResponse("/owners", 303)


@router.post("/owners/teams/set")
def set_team(request: Request, name: Name, members: Annotated[str, Form(max_length=10_000)] = "") -> Response:
    with writing(request) as session:
        owners.set_team(session, name, globs(members), actor=actor(request))
    return RedirectResponse("/owners", 303)


@router.post("/owners/{kind}/{item_id}")
def set_owner(
    request: Request,
    kind: str,
    item_id: Ident,
    owner: Name = "",
    back: Back = "/owners",
) -> Response:
    with writing(request) as session:
        owners.set_owner(session, kind, item_id, owner, actor=actor(request))
    return RedirectResponse(local_path(back), 303)
