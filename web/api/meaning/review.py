"""The review of tags as JSON."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field

from catalog.store.meaning import review
from catalog.store.pages.lines import cut_list
from catalog.store.schemas.listing import Listing
from catalog.store.schemas.meaning import LostTagOut, OpenOut, ReviewGroupOut, ReviewOut, UnknownOut
from web.access.gate import actor
from web.api.schemas.answered import listing
from web.deps import Limit, Offset, Reading, writing

router = APIRouter(tags=["tags"])


class Decision(BaseModel):
    """A decision on several tags."""

    tags: list[int] = Field(min_length=1, max_length=1000, description="ids of the tags")
    status: str = Field(max_length=20, description="accepted, rejected or proposed")
    reason: str = Field("", max_length=1000)
    seen: str = Field("", max_length=200, description="the status that they had when read; 409 where one has another")


class Decided(BaseModel):
    """The events of the audit log by which it can be undone."""

    events: list[int]


class Answer(BaseModel):
    """Which columns of a table are about the person that a row is, and which are not."""

    about: list[int] = Field([], max_length=1000, description="ids of the tags of those that are")
    others: list[int] = Field([], max_length=1000, description="of those that are not: their values are shown")
    reason: str = Field("", max_length=1000, description="why they may be seen; needed where `others` names any")
    seen: str = Field("", max_length=200, description="the status that they had when read; 409 where one has another")


@router.get(
    "/review/tables",
    response_model=Listing[UnknownOut],
    summary="Columns that nobody knows, hidden until somebody answers, by table, those first that likely find most",
)
def list_unknown(
    request: Request,
    session: Reading,
    source: Annotated[str, Query(max_length=200)] = "",
    limit: Limit = 50,
    offset: Offset = 0,
) -> Listing[UnknownOut]:
    return listing(request, cut_list(review.unknown(session, source=source), limit, offset), UnknownOut.of)


@router.post(
    "/review/tables", response_model=Decided, summary="Answer for columns that nobody knew, all together or for none"
)
def answer(request: Request, wanted: Answer) -> dict[str, Any]:
    with writing(request) as session:
        who, said = actor(request), (wanted.reason, wanted.seen)
        return {"events": review.answer(session, wanted.about, wanted.others, who, *said)}


@router.get(
    "/review/lost",
    response_model=Listing[LostTagOut],
    summary="Accepted tags that the values no longer support: `POST /review` keeps them or takes them away",
)
def list_lost(request: Request, session: Reading, limit: Limit = 50, offset: Offset = 0) -> Listing[LostTagOut]:
    return listing(request, cut_list(review.lost(session), limit, offset), lambda one: LostTagOut.lost(*one))


@router.get(
    "/review",
    response_model=ReviewOut,
    summary="Proposed tags in groups that one decision settles, those first that settle most, and what else waits",
)
def list_groups(
    request: Request,
    session: Reading,
    domain: Annotated[str, Query(max_length=200)] = "",
    source: Annotated[str, Query(max_length=200)] = "",
    limit: Limit = 50,
    offset: Offset = 0,
) -> ReviewOut:
    waits = review.everything(session, domain=domain, source=source)
    told = listing(request, cut_list(waits.groups, limit, offset), ReviewGroupOut.of)
    return ReviewOut(**dict(told), open=_open(request, waits))


def _open(request: Request, waits: review.Waiting) -> list[OpenOut]:
    """How much of each kind waits, in the order in which the page asks."""
    sizes = {
        "lost": ("list_lost", [1] * len(waits.lost)),
        "unknown": ("list_unknown", [len(one.items) for one in waits.unknown]),
        "proposed": ("list_groups", [len(one.items) for one in waits.groups]),
    }
    return [
        OpenOut(kind=kind, decisions=len(columns), columns=sum(columns), at=request.url_for(route).path)
        for kind, (route, columns) in sizes.items()
    ]


@router.post("/review", response_model=Decided, summary="Decide on several tags together, or on none")
def decide(request: Request, wanted: Decision) -> dict[str, Any]:
    with writing(request) as session:
        who, said = actor(request), (wanted.reason, wanted.seen)
        return {"events": review.decide(session, wanted.tags, wanted.status, who, *said)}
