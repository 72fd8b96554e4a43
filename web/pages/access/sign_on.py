"""Logging in at the identity provider, and coming back from there."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from starlette.responses import RedirectResponse

from catalog.errors import NotFound
from catalog.store.access import people
from catalog.store.access.sessions import open_web_session
from web.access.auth import PERSON, local_path, peer
from web.access.oidc import COOKIE, LASTS, Provider, Refused
from web.access.tries import refuse_guessing
from web.deps import writing
from web.pages.access.account import logged_in

router = APIRouter()
BACK = "/login/provider/back"


def _provider(request: Request) -> Provider:
    provider: Provider = request.app.state.provider
    if not provider:
        raise NotFound("people log in with passwords here", remedy="go to /login")
    return provider


@router.get("/login/provider")
def leave(request: Request, next_path: Annotated[str, Query(alias="next", max_length=2000)] = "/") -> Response:
    public = request.app.state.settings.public_url.rstrip("/")
    back = (public or str(request.base_url).rstrip("/")) + BACK
    where, cookie = _provider(request).leave(back, local_path(next_path))
    response = RedirectResponse(where, 303)
    secure = back.startswith("https://")
    response.set_cookie(COOKIE, cookie, max_age=LASTS, path=BACK, httponly=True, samesite="lax", secure=secure)
    return response


@router.get(BACK)
def come_back(request: Request) -> Response:
    provider, throttle = _provider(request), request.app.state.throttle
    refuse_guessing(request)
    try:
        who, next_path = provider.come_back(request.cookies.get(COOKIE, ""), dict(request.query_params))
    except Refused as refused:
        if not refused.subject:
            throttle.note(peer(request.scope), time.time(), "login at the identity provider failed")
        else:  # who left the groups is out everywhere; the provider knows him, so nobody guesses here
            with writing(request) as session:
                people.turn_away(session, refused.subject)
        raise
    lasts = timedelta(hours=request.app.state.settings.oidc_hours)
    with writing(request) as session:
        user = people.come_in(session, who.subject, who.name, who.role)
        secret = open_web_session(session, PERSON, user_id=user.id, lasts=lasts)
    response = logged_in(request, secret, next_path, lasts)
    response.delete_cookie(COOKIE, path=BACK)
    return response
