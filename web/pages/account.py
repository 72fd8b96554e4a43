"""Logging in and out, the theme, and the page that lists the JSON interface."""

from __future__ import annotations

import time
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request, Response
from starlette.responses import RedirectResponse

from catalog.store.sessions import LASTS, close_web_session, open_web_session
from web.auth import SESSION_COOKIE, TooManyTries, local_path, peer, same
from web.deps import Reading, writing
from web.render import THEME_COOKIE, THEMES, bare_page, page

router = APIRouter()


@router.get("/login")
def show_login(request: Request, next_path: Annotated[str, Query(alias="next", max_length=2000)] = "/") -> Response:
    if not request.app.state.keys.token:
        return RedirectResponse("/", 303)
    return bare_page(request, "login.html", next=local_path(next_path), wrong=False)


@router.post("/login")
def log_in(
    request: Request,
    token: Annotated[str, Form(max_length=1000)] = "",
    next_path: Annotated[str, Form(alias="next", max_length=2000)] = "/",
) -> Response:
    keys, throttle = request.app.state.keys, request.app.state.throttle
    client, moment = peer(request.scope), time.time()
    if throttle.blocked(client, moment):
        raise TooManyTries("too many wrong tokens came from this address")
    if not keys.token or not same(token, keys.token):
        throttle.note(client, moment)
        return bare_page(request, "login.html", http_status=401, next=local_path(next_path), wrong=True)
    with writing(request) as session:
        secret = open_web_session(session, keys.key)
    response = RedirectResponse(local_path(next_path), 303)
    response.set_cookie(
        SESSION_COOKIE,
        secret,
        max_age=int(LASTS.total_seconds()),
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return response


@router.post("/logout")
def log_out(request: Request) -> Response:
    with writing(request) as session:
        close_web_session(session, request.cookies.get(SESSION_COOKIE, ""))
    response = RedirectResponse("/login", 303)
    response.delete_cookie(SESSION_COOKIE)
    return response


@router.post("/theme")
def set_theme(
    request: Request,
    theme: Annotated[str, Form(max_length=10)],
    back: Annotated[str, Form(max_length=2000)] = "/",
) -> Response:
    response = RedirectResponse(local_path(back), 303)
    chosen = theme if theme in THEMES else "auto"
    response.set_cookie(THEME_COOKIE, chosen, max_age=365 * 86400, samesite="lax", secure=request.url.scheme == "https")
    return response


def operations(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The routes of an OpenAPI document in order."""
    return [
        {"method": method.upper(), "path": path, **{"parameters": [], "summary": "", **operation}}
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    ]


@router.get("/api")
def show_api(request: Request, session: Reading) -> Response:
    return page(request, session, "api.html", operations=operations(request.app.openapi()))
