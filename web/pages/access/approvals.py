"""Decisions that wait for a second person."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from starlette.responses import RedirectResponse

from catalog.store.access import approvals
from catalog.store.access.answers import answer
from catalog.store.engine import session as open_session
from catalog.store.models import Approval, Table
from catalog.store.schemas.people import ApprovalOut
from web.access.gate import actor, identity
from web.deps import Ident, Reading, Seen, writing
from web.pages.expectations.checks import judge_soon
from web.render import page

router = APIRouter()


@router.get("/approvals")
def list_approvals(request: Request, session: Reading) -> Response:
    waiting = [ApprovalOut.of(session, one) for one in approvals.list_approvals(session)]
    every = [ApprovalOut.of(session, one) for one in approvals.list_approvals(session, waiting=False)]
    context = {"found": waiting, "answered": [one for one in every if one.status != "waiting"]}
    return page(request, session, "access/approvals.html", **context, four_eyes=approvals.four_eyes(session))


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
    seen: Seen = "",
) -> Response:
    with writing(request) as session:
        found = answer(session, approval_id, approve, by=identity(request), reason=reason, seen=seen)
    judge_approved(request, found)
    return RedirectResponse("/approvals", 303)


def judge_approved(request: Request, found: Approval) -> None:
    """Let a worker judge the version that is there by checks that were just approved."""
    if found.status == "approved" and found.what in ("declare", "rule") and found.table_id is not None:
        with open_session(request.app.state.engine, write=False) as session:
            table = session.get(Table, found.table_id)
        if table is not None:
            judge_soon(request, table)
