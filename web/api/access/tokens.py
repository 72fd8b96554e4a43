"""Tokens as JSON: one's own, or everybody's for an admin. They are made by people who have logged in, on their page."""

from __future__ import annotations

from fastapi import APIRouter, Request

from catalog.roles import ADMIN
from catalog.store.access import people
from catalog.store.schemas.people import TokenOut
from web.access.gate import identity
from web.deps import Ident, Reading, writing

router = APIRouter(tags=["tokens"])


@router.get("/tokens", response_model=list[TokenOut], summary="Tokens that were not revoked: yours, an admin's all")
def list_tokens(request: Request, session: Reading) -> list[TokenOut]:
    who = identity(request)
    if who.user_id is None and not who.may(ADMIN):
        return []
    return [TokenOut.of(one) for one in people.list_tokens(session, None if who.may(ADMIN) else who.user_id)]


@router.delete("/tokens/{token_id}", status_code=204, summary="End a token at once")
def revoke_token(request: Request, token_id: Ident) -> None:
    with writing(request) as session:
        people.revoke_token(session, token_id, by=identity(request))
