"""Upgrades of what is known of meanings as JSON: what they would change, and whether they may."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import Field

from catalog.store.domains import upgrades
from catalog.store.models import Run
from catalog.store.pages.lines import cut_list
from catalog.store.schemas.listing import Listing
from catalog.store.schemas.meaning import RuleChangeOut, TagChangeOut, UpgradeOut
from catalog.store.schemas.runs import RunOut
from web.access.gate import actor
from web.api.schemas.answered import listing
from web.api.schemas.asked import Wanted
from web.deps import Limit, Offset, Reading, writing
from web.pages.meaning.upgrade import difference, work_out

router = APIRouter(tags=["tags"])


class UpgradeAnswer(Wanted):
    answer: str = Field(max_length=20, description="approved or refused")
    release: str = Field("", max_length=40, description="which, so that no other is meant")
    reason: str = Field("", max_length=300)


@router.get(
    "/index/upgrade", response_model=UpgradeOut, summary="Whether an upgrade of tags waits, and what it would change"
)
def show_upgrade(session: Reading) -> UpgradeOut:
    return UpgradeOut.of(session)


@router.get(
    "/index/upgrade/tags", response_model=Listing[TagChangeOut], summary="Columns that would be tagged otherwise"
)
def list_tag_changes(
    request: Request,
    session: Reading,
    domain: Annotated[str, Query(max_length=200)] = "",
    limit: Limit = 50,
    offset: Offset = 0,
) -> Listing[TagChangeOut]:
    found = [one for one in difference(session).get("tags", []) if domain in ("", one["domain"])]
    return listing(request, cut_list(found, limit, offset), lambda one: TagChangeOut(**one))


@router.get(
    "/index/upgrade/rules",
    response_model=Listing[RuleChangeOut],
    summary="Rules on strings that would be learned otherwise, were they learned today",
)
def list_rule_changes(
    request: Request, session: Reading, limit: Limit = 50, offset: Offset = 0
) -> Listing[RuleChangeOut]:
    found = difference(session).get("rules") or []
    return listing(request, cut_list(found, limit, offset), lambda one: RuleChangeOut(**one))


@router.post("/index/upgrade", response_model=UpgradeOut, summary="Approve or refuse the upgrade that waits")
def answer_upgrade(request: Request, wanted: UpgradeAnswer) -> UpgradeOut:
    with writing(request) as session:
        more = {"actor": actor(request), "reason": wanted.reason, "release": wanted.release}
        upgrades.answer(session, wanted.answer, **more)
        return UpgradeOut.of(session)


@router.post(
    "/index/upgrade/difference",
    response_model=RunOut,
    status_code=202,
    summary="Work out what would be tagged and learned otherwise",
)
def start_difference(request: Request, session: Reading) -> Run:
    return work_out(request, session)
