"""Decisions that wait for a second person."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from starlette.responses import RedirectResponse

from catalog.store.access import approvals
from catalog.store.access.answers import answer
from web.access.gate import actor, identity
from web.deps import Ident, Reading, writing
from web.render import page

router = APIRouter()


@router.get("/approvals")
def list_approvals(request: Request, session: Reading) -> Response:
    every = approvals.list_approvals(session, waiting=False)
    context = {"found": approvals.list_approvals(session), "answered": [a for a in every if a.status != "waiting"]}
    return page(request, session, "approvals.html", **context, four_eyes=approvals.four_eyes(session))


@router.post("/approvals/setting")
def set_four_eyes(request: Request, on: Annotated[bool, Form()] = False) -> Response:
    with writing(request) as session:
        approvals.require(session, on, actor=actor(request))
    return RedirectResponse("/approvals", 303)


@router.post("/approvals/{approval_id}")
def answer_approval(
    request: Request,
    approval_id: Ident,
    approve: Annotated[bool, Form()] = False,
    reason: Annotated[str, Form(max_length=300)] = "",
) -> Response:
    with writing(request) as session:
        answer(session, approval_id, approve, by=identity(request), reason=reason)
    return RedirectResponse("/approvals", 303)
