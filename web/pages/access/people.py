"""People with accounts, and one's own account with its tokens."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request, Response
from starlette.responses import RedirectResponse

from catalog.errors import NotFound, UsageError
from catalog.roles import ROLES, WORDS, Forbidden
from catalog.store.access import people
from catalog.store.models import User, now
from catalog.store.schemas.people import TokenOut, UserOut
from web.access.gate import actor, identity
from web.access.tries import count_wrong, refuse_guessing
from web.deps import Ident, Reading, writing
from web.render import page

router = APIRouter()
Name = Annotated[str, Form(max_length=100)]
Password = Annotated[str, Form(max_length=1000)]
ABILITIES = {role: ", ".join(words for right, words in WORDS.items() if right in able) for role, able in ROLES.items()}


@router.get("/people")
def list_people(request: Request, session: Reading, renewed: Annotated[int, Query(ge=0)] = 0) -> Response:
    """`renewed`: whose password was just set anew."""
    found = [UserOut.made(one) for one in people.list_users(session)]
    tokens: dict[str, list[TokenOut]] = {one.name: [] for one in found}
    for pair in people.list_tokens(session):
        tokens[pair[1].name].append(TokenOut.of(pair))
    told = next((one for one in found if one.id == renewed), None)
    context: dict[str, object] = {"found": found, "tokens": tokens, "renewed": told}
    context |= {"roles": ROLES, "rights": WORDS, "shortest": people.SHORTEST, "now": now()}
    return page(request, session, "access/people.html", **context)


@router.post("/people")
def add_person(request: Request, name: Name, password: Password, role: Name = "viewer") -> Response:
    with writing(request) as session:
        people.add_user(session, name.strip().lower(), password, role, actor=actor(request))
    return RedirectResponse("/people", 303)


@router.post("/people/{user_id}/role")
def set_role(request: Request, user_id: Ident, role: Name) -> Response:
    with writing(request) as session:
        people.set_role(session, user_id, role, actor=actor(request))
    return RedirectResponse("/people", 303)


@router.post("/people/{user_id}/active")
def set_active(request: Request, user_id: Ident, active: Annotated[bool, Form()] = False) -> Response:
    with writing(request) as session:
        people.set_active(session, user_id, active, actor=actor(request))
    return RedirectResponse("/people", 303)


@router.post("/people/{user_id}/password")
def reset_password(request: Request, user_id: Ident, password: Password) -> Response:
    with writing(request) as session:
        people.set_password(session, user_id, password, actor=actor(request))
    return RedirectResponse(f"/people?renewed={user_id}", 303)


@router.post("/tokens/{token_id}/revoke")
def revoke_token_of(request: Request, token_id: Ident) -> Response:
    with writing(request) as session:
        people.revoke_token(session, token_id, by=identity(request))
    return RedirectResponse("/people", 303)


def _me(request: Request, session: Reading) -> User:
    who = identity(request)
    if who.user_id is None:
        remedy = "log in with your name and password; where nobody has an account yet, add the first under People"
        raise NotFound("you have no account of your own here", remedy=remedy)
    return people.get_user(session, who.user_id)


def _demand_person(request: Request) -> None:
    """Accounts are changed by people who have logged in: a token could give itself more rights or time."""
    if identity(request).by_token:
        raise Forbidden("a token may not change passwords or tokens", remedy="log in with your name and password")


def _account(request: Request, session: Reading, secret: str | None = None) -> Response:
    me = _me(request, session)
    tokens = [TokenOut.of(one) for one in people.list_tokens(session, me.id)]
    context = {
        "me": UserOut.made(me),
        "with_password": bool(me.password),
        "tokens": tokens,
        "secret": secret,
        "roles": ABILITIES,
        "now": now(),
        "most": people.MOST_DAYS,
    }
    return page(request, session, "access/account.html", **context)


@router.get("/account")
def show_account(request: Request, session: Reading) -> Response:
    return _account(request, session)


@router.post("/account/password")
def change_password(request: Request, old: Password, new: Password) -> Response:
    _demand_person(request)
    refuse_guessing(request)  # who found an open browser may not find its owner's password too
    with writing(request) as session:
        name = _me(request, session).name
        own = people.log_in(session, name, old) is not None
        if own:
            people.set_password(session, name, new, actor=actor(request))
    if not own:
        count_wrong(request, name, doing="changing a password failed")
        raise UsageError("that is not your password", remedy="an admin can give you a new one")
    return RedirectResponse("/login", 303)


@router.post("/account/tokens")
def make_token(
    request: Request, name: Name, scope: Name, days: Annotated[int, Form(ge=1, le=people.MOST_DAYS)] = 90
) -> Response:
    _demand_person(request)
    with writing(request) as session:
        me = _me(request, session)
        _, secret = people.make_token(session, me, name, scope=scope, days=days, actor=actor(request))
    with writing(request) as session:
        return _account(request, session, secret)


@router.post("/account/tokens/{token_id}/revoke")
def revoke_token(request: Request, token_id: Ident) -> Response:
    _demand_person(request)
    with writing(request) as session:
        people.revoke_token(session, token_id, by=identity(request))
    return RedirectResponse("/account", 303)
