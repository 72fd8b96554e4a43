"""Logging in and out, the theme, and the page that lists the JSON interface."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import APIRouter, Form, Query, Request, Response
from starlette.responses import RedirectResponse

from catalog.store.access import people
from catalog.store.access.sessions import LASTS, close_web_session, open_web_session
from catalog.store.engine import session as open_session
from web.access.auth import PERSON, SESSION_COOKIE, local_path, same
from web.access.tries import count_wrong, refuse_guessing
from web.deps import Reading, writing
from web.render import THEME_COOKIE, THEMES, bare_page, page

router = APIRouter()


@router.get("/login")
def show_login(
    request: Request, next_path: Annotated[str, Query(alias="next", max_length=2000)] = "/", out: bool = False
) -> Response:
    if not request.state.closed:
        return RedirectResponse("/", 303)
    over = request.cookies.get(SESSION_COOKIE) and not request.state.identity.rights  # logging out takes it away
    return _form(request, next_path, told="out" if out else "over" if over else "")


def _form(request: Request, next_path: str, told: str = "") -> Response:
    """The form; `told` is why it is shown: ``wrong`` password, logged ``out``, session ``over``."""
    with open_session(request.app.state.engine, write=False) as session:
        known = people.has_passwords(session)
    code, ours, provider = 401 if told == "wrong" else 200, request.app.state.settings, request.app.state.provider
    at = urlsplit(ours.oidc_issuer).hostname if provider else None
    context = {"next": local_path(next_path), "told": told, "people": known, "provider": at, "end": provider.end()}
    return bare_page(request, "access/login.html", http_status=code, token=bool(ours.access_token), **context)


@router.post("/login")
def log_in(
    request: Request,
    token: Annotated[str, Form(max_length=1000)] = "",
    name: Annotated[str, Form(max_length=100)] = "",
    password: Annotated[str, Form(max_length=1000)] = "",
    next_path: Annotated[str, Form(alias="next", max_length=2000)] = "/",
) -> Response:
    refuse_guessing(request)
    keys = request.app.state.keys
    by_token = bool(keys.token) and same(token, keys.token)
    with writing(request) as session:
        person = None if by_token else people.log_in(session, name, password)
        if by_token or person is not None:
            secret = open_web_session(session, PERSON if person else keys.key, user_id=person.id if person else None)
        else:
            secret = ""
    if not secret:
        count_wrong(request, name, "token" if token else "password")
        return _form(request, next_path, told="wrong")
    return logged_in(request, secret, next_path)


def logged_in(request: Request, secret: str, next_path: str, lasts: timedelta = LASTS) -> Response:
    """On to the page, with the cookie of a session."""
    response = RedirectResponse(local_path(next_path), 303)
    response.set_cookie(
        SESSION_COOKIE,
        secret,
        max_age=int(lasts.total_seconds()),
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return response


@router.post("/logout")
def log_out(request: Request) -> Response:
    with writing(request) as session:
        close_web_session(session, request.cookies.get(SESSION_COOKIE, ""))
    response = RedirectResponse("/login?out=1", 303)
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
    """The routes of an OpenAPI document in order, each with the names of its parameters and of what its body holds."""
    return [
        {
            "method": method.upper(),
            "path": path,
            "summary": operation.get("summary", ""),
            "parameters": [one["name"] for one in operation.get("parameters", ())],
            "body": _fields(schema, operation.get("requestBody", {}).get("content", {}).get("application/json", {})),
        }
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    ]


def _fields(schema: dict[str, Any], body: dict[str, Any]) -> list[str]:
    """Names of the fields of a JSON body."""
    kind = body.get("schema", {}).get("$ref", "").rpartition("/")[2]
    return list(schema["components"]["schemas"].get(kind, {}).get("properties", {}))


@router.get("/api")
def show_api(request: Request, session: Reading) -> Response:
    return page(request, session, "access/api.html", operations=operations(request.app.openapi()))
