"""The review of tags as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field

from catalog.store.meaning import review
from catalog.tags.privacy.masking import mask_all
from web.access.gate import actor
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


@router.get("/review", summary="Proposed tags in groups that one decision settles, those first that settle most")
def list_groups(
    session: Reading,
    domain: Annotated[str, Query(max_length=200)] = "",
    source: Annotated[str, Query(max_length=200)] = "",
    limit: Limit = 50,
    offset: Offset = 0,
) -> dict[str, Any]:
    groups = review.waiting(session, domain=domain, source=source)
    names = ("domain", "title", "sensitive", "contains", "because")
    items = []
    for one in groups[offset : offset + limit]:
        columns = [asdict(column) for column in one.items]
        for column in columns:
            evidence = column.pop("evidence")
            for name in ("matching", "failing"):
                shown = evidence.get(name) or []
                column[name] = mask_all(shown) if one.sensitive else shown
        items.append({name: getattr(one, name) for name in names} | {"columns": columns})
    return {"items": items, "total": len(groups), "limit": limit, "offset": offset}


@router.post("/review", response_model=Decided, summary="Decide on several tags together, or on none")
def decide(request: Request, wanted: Decision) -> dict[str, Any]:
    with writing(request) as session:
        return {"events": review.decide(session, wanted.tags, wanted.status, actor(request), wanted.reason)}
