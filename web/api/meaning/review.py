"""The review of tags as JSON."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field

from catalog.store.meaning import review
from catalog.store.pages.lines import cut_list
from catalog.store.schemas.listing import Listing
from catalog.store.schemas.meaning import ReviewGroupOut
from web.access.gate import actor
from web.api.schemas.answered import listing
from web.deps import Limit, Offset, Reading, writing

router = APIRouter(tags=["tags"])


class Decision(BaseModel):
    """A decision on several tags."""

    tags: list[int] = Field(min_length=1, max_length=1000, description="ids of the tags")
    status: str = Field(max_length=20, description="accepted, rejected or proposed")
    reason: str = Field("", max_length=1000)


class Decided(BaseModel):
    """The events of the audit log by which it can be undone."""

    events: list[int]


@router.get(
    "/review",
    response_model=Listing[ReviewGroupOut],
    summary="Proposed tags in groups that one decision settles, those first that settle most",
)
def list_groups(
    request: Request,
    session: Reading,
    domain: Annotated[str, Query(max_length=200)] = "",
    source: Annotated[str, Query(max_length=200)] = "",
    limit: Limit = 50,
    offset: Offset = 0,
) -> Listing[ReviewGroupOut]:
    found = cut_list(review.waiting(session, domain=domain, source=source), limit, offset)
    return listing(request, found, ReviewGroupOut.of)


@router.post("/review", response_model=Decided, summary="Decide on several tags together, or on none")
def decide(request: Request, wanted: Decision) -> dict[str, Any]:
    with writing(request) as session:
        return {"events": review.decide(session, wanted.tags, wanted.status, actor(request), wanted.reason)}
