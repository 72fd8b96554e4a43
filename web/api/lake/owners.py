"""Owners as JSON: who answers for what."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request

from catalog.store.access import owners
from catalog.store.schemas.people import OwnerOut, OwnersOut
from web.access.gate import actor
from web.api.schemas.asked import OwnerChoice, TeamChoice
from web.deps import Ident, Reading, writing

router = APIRouter(tags=["owners"])
Kind = Annotated[str, Path(pattern="^(source|table|column)$")]


@router.get("/owners", response_model=OwnersOut, summary="Owners, their teams, and how much nobody was named for")
def list_owners(session: Reading) -> dict[str, Any]:
    return {
        "default": owners.default_owner(session),
        "unowned": owners.count_unowned(session),
        "owners": owners.owners(session),
    }


@router.put("/owners/default", response_model=OwnerOut, summary="Who answers for what nobody was named for")
def set_default(request: Request, wanted: OwnerChoice) -> owners.Owner:
    with writing(request) as session:
        owners.set_default_owner(session, wanted.owner, actor=actor(request))
        return owners.Owner(owners.default_owner(session), "default")


@router.put("/owners/teams/{name}", summary="Who is in a team")
def set_team(request: Request, name: Annotated[str, Path(max_length=100)], wanted: TeamChoice) -> dict[str, list[str]]:
    with writing(request) as session:
        owners.set_team(session, name, wanted.members, actor=actor(request))
        return owners.teams(session)


@router.get("/owners/{kind}/{item_id}", response_model=OwnerOut, summary="Who answers for something, and why")
def show_owner(session: Reading, kind: Kind, item_id: Ident) -> owners.Owner:
    return owners.owner_of(session, kind, item_id)


@router.put("/owners/{kind}/{item_id}", response_model=OwnerOut, summary="Name the owner of something")
def set_owner(request: Request, kind: Kind, item_id: Ident, wanted: OwnerChoice) -> owners.Owner:
    with writing(request) as session:
        return owners.set_owner(
            session, kind, item_id, wanted.owner, actor=actor(request), reason=wanted.reason.strip() or None
        )
