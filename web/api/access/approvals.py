"""Decisions that wait for a second person, as JSON. A decision that has to wait is answered with 202."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import Field

from catalog.store.access import approvals
from catalog.store.access.answers import answer
from catalog.store.schemas.people import ApprovalOut
from web.access.gate import actor, identity
from web.api.schemas.asked import Seen, Wanted
from web.deps import Ident, Limit, Reading, writing
from web.pages.access.approvals import judge_approved

router = APIRouter(tags=["approvals"])


class Answer(Seen):
    approve: bool
    reason: str = Field("", max_length=300)


class FourEyes(Wanted):
    on: bool = Field(description="rules, checks and lower sensitivity need a second person")


@router.get("/approvals", response_model=list[ApprovalOut], summary="What waits for a second person")
def list_approvals(session: Reading, waiting: bool = True, limit: Limit = 200) -> list[ApprovalOut]:
    return [ApprovalOut.of(session, one) for one in approvals.list_approvals(session, waiting=waiting, limit=limit)]


@router.put("/approvals/setting", response_model=FourEyes, summary="Whether a second person is needed")
def set_four_eyes(request: Request, wanted: FourEyes) -> FourEyes:
    with writing(request) as session:
        approvals.require(session, wanted.on, actor=actor(request))
    return wanted


@router.post("/approvals/{approval_id}", response_model=ApprovalOut, summary="Approve or reject what waits")
def answer_approval(request: Request, approval_id: Ident, wanted: Answer) -> ApprovalOut:
    said = {"reason": wanted.reason, "seen": wanted.seen}
    with writing(request) as session:
        found = answer(session, approval_id, wanted.approve, by=identity(request), **said)
        told = ApprovalOut.of(session, found)
    judge_approved(request, found)
    return told
