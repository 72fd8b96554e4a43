"""People with accounts, their passwords and tokens. Each function takes a session and never commits.

Passwords are kept as argon2 hashes, tokens as digests of random secrets: who reads the database can log in as nobody.
Whoever can write to the database can make an account; roles protect what is reached through pages, API and commands.
"""

from __future__ import annotations

import re
import secrets
from datetime import datetime, timedelta
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

from sqlalchemy import update
from sqlmodel import Session, col, func, select

from catalog.errors import NotFound, UsageError
from catalog.roles import ADMIN, LOCAL, Forbidden, Identity, rights_of
from catalog.store.access import owners
from catalog.store.access.audit import ASSAY, Item, record
from catalog.store.access.sessions import close_web_sessions
from catalog.store.models import ApiToken, User, now

if TYPE_CHECKING:
    from argon2 import PasswordHasher

SHORTEST = 10  # characters of a password; chosen: more than the eight of NIST SP 800-63B
MOST_DAYS = 366
MOST_NAMED = 20  # people in one error; a bound
PREFIX = "assay_"  # so that a leaked token is recognised
NAME = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,99}")
PROVIDER = "identity-provider"  # whose word about a person it is
RESERVED = {ASSAY, LOCAL, PROVIDER, "access-token", "page", "api"}


def has_users(session: Session) -> bool:
    """Whether anybody has an account: from then on everybody logs in."""
    return session.exec(select(User.id).limit(1)).first() is not None


def has_passwords(session: Session) -> bool:
    """Whether anybody logs in with a password of this catalog."""
    return session.exec(select(User.id).where(User.password != "").limit(1)).first() is not None


def list_users(session: Session) -> list[User]:
    """Everybody who has or had access, by name."""
    return list(session.exec(select(User).order_by(User.name)))


def get_user(session: Session, ref: str | int) -> User:
    """The account of that name or id. Errors: `NotFound`."""
    user = session.exec(select(User).where(User.name == ref if isinstance(ref, str) else User.id == ref)).first()
    if user is None:
        raise NotFound(f"nobody is called {ref!r} here", remedy="`assay user list` shows who has an account")
    return user


def add_user(session: Session, name: str, password: str, role: str, *, actor: str) -> User:
    """Give a person an account. The first one is an admin: nobody else could make the others.

    Errors: `UsageError` for a name that is taken or cannot be one, no such role, or a short password.
    """
    rights_of(role)
    if not NAME.fullmatch(name) or name in RESERVED:
        raise UsageError(f"{name!r} cannot name a person", remedy="use small letters, digits, dots and dashes")
    if session.exec(select(User.id).where(User.name == name)).first() is not None:
        raise UsageError(f"{name} has an account already", remedy="`assay user role` changes what the person may do")
    _no_team(session, name)
    if role != "admin" and not has_users(session):
        raise UsageError("the first account must be an admin's", remedy="choose --role admin, then add the others")
    user = User(name=name, role=role, password=hash_of(password))
    session.add(user)
    session.flush()
    record(session, actor, "add", _item(user), after={"role": role})
    return user


def set_password(session: Session, ref: str | int, password: str, *, actor: str) -> User:
    """A new password; whoever was logged in with the old one is so no more. Errors: `NotFound`, `UsageError`."""
    user = get_user(session, ref)
    user.password = hash_of(password)
    close_web_sessions(session, user_id=user.id)
    record(session, actor, "password", _item(user))
    return user


def set_role(session: Session, ref: str | int, role: str, *, actor: str) -> User:
    """Change what a person may do. Errors: `NotFound`, `UsageError` (no such role, or the last admin)."""
    user = get_user(session, ref)
    rights_of(role)
    if role != "admin":
        _not_last_admin(session, user)
    before, user.role = user.role, role
    session.flush()
    record(session, actor, "role", _item(user), before={"role": before}, after={"role": role})
    return user


def set_active(session: Session, ref: str | int, active: bool, *, actor: str) -> User:
    """Lock a person out, tokens and sessions included, or let him in again. Errors: `NotFound`, `UsageError`."""
    user = get_user(session, ref)
    if not active:
        _not_last_admin(session, user)
        close_web_sessions(session, user_id=user.id)
    before, user.active = user.active, active
    session.flush()
    record(
        session, actor, "unlock" if active else "lock", _item(user), before={"active": before}, after={"active": active}
    )
    return user


def recover(session: Session, ref: str | int, password: str, *, actor: str) -> User:
    """Make somebody admin again with a new password: for who can reach the database, when nobody can log in. Errors:
    `NotFound`, with the names that there are: commands that list them ask who one is."""
    try:
        user = get_user(session, ref)
    except NotFound as error:
        names = [one.name for one in list_users(session)]
        remedy = f"give one of {', '.join(names[:MOST_NAMED])}" if names else "`assay user add` makes the first account"
        raise NotFound(error.cause, remedy=remedy) from None
    before = {"role": user.role, "active": user.active}
    user.role, user.active = "admin", True
    record(session, actor, "recover", _item(user), before=before, after={"role": "admin", "active": True})
    return set_password(session, ref, password, actor=actor)


def log_in(session: Session, name: str, password: str) -> User | None:
    """The person of that name and password. As slow for an unknown name: who has an account is not told."""
    from argon2.exceptions import InvalidHashError, VerificationError

    user = session.exec(select(User).where(User.name == name.strip().lower())).first()
    try:
        _hasher().verify(user.password if user and user.password else _of_nobody(), password)
    except (VerificationError, InvalidHashError):
        return None
    return user if user is not None and user.active and user.password else None


def by_provider_alone(session: Session, name: str) -> bool:
    """Whether somebody logs in at the identity provider, and has no password here."""
    user = session.exec(select(User).where(User.name == name.strip().lower())).first()
    return user is not None and user.subject is not None and not user.password


def known_as(session: Session, name: str) -> str:
    """The name of the account that somebody means; empty where there is none."""
    return session.exec(select(User.name).where(User.name == name.strip().lower())).first() or ""


def note_guessing(session: Session, client: str, name: str) -> None:
    """So many logins from one address failed that further ones wait there. `name` is the last account tried, if any."""
    record(session, ASSAY, "slow down", Item("login", None, client), after={"last account tried": name or None})


def come_in(session: Session, subject: str, name: str, role: str) -> User:
    """The account of somebody whom the identity provider knows by `subject`, with the role that the provider's groups
    give at present; made at the first login.

    Errors: `UsageError` for a name that another account has, or that none can have; `Forbidden` for who is locked out.
    """
    rights_of(role)
    user = session.exec(select(User).where(User.subject == subject)).first()
    if user is None:
        if not NAME.fullmatch(name) or name in RESERVED:
            raise UsageError(
                f"{name!r} cannot name a person", remedy="let another claim name people: ASSAY_OIDC_NAME_CLAIM"
            )
        if session.exec(select(User.id).where(User.name == name)).first() is not None:
            raise UsageError(
                f"{name} has an account of another login", remedy="ask an admin: names are not given twice"
            )
        _no_team(session, name)
        user = User(name=name, role=role, subject=subject)
        session.add(user)
        session.flush()
        record(session, PROVIDER, "add", _item(user), after={"role": role})
    if not user.active:
        raise Forbidden(f"{user.name} is locked out", remedy="ask an admin")
    user.let_in_at = now()
    if user.role != role:
        before, user.role = user.role, role
        session.flush()
        record(session, PROVIDER, "role", _item(user), before={"role": before}, after={"role": role})
    return user


def turn_away(session: Session, subject: str) -> User | None:
    """End all sessions and tokens of somebody whom the identity provider lets in no more; None for who never was in."""
    user = session.exec(select(User).where(User.subject == subject)).first()
    if user is not None:
        close_web_sessions(session, user_id=user.id)
        mine = (col(ApiToken.user_id) == user.id, col(ApiToken.revoked_at).is_(None))
        session.exec(update(ApiToken).where(*mine).values(revoked_at=now()))
        record(session, PROVIDER, "turn-away", _item(user), reason="in no group that may come in")
    return user


def identity_of(user: User, scope: str | None = None) -> Identity:
    """Who a person is to the gate; with the scope of a token, what both may do."""
    role = user.role if scope in (None, user.role) else f"{user.role}, by a token of scope {scope}"
    return Identity(user.name, rights_of(user.role, scope), role, user.id, by_token=scope is not None)


def active_identity(session: Session, user_id: int | None) -> Identity | None:
    """The person of that id as he may act at present; None where there is none, or he is locked out."""
    user = session.get(User, user_id) if user_id is not None else None
    return identity_of(user) if user is not None and user.active else None


def make_token(
    session: Session, user: User, name: str, *, scope: str, days: int, actor: str, at: datetime | None = None
) -> tuple[ApiToken, str]:
    """A token for a program and its secret, which is shown this once. Errors: `UsageError`."""
    if not rights_of(user.role, scope):
        raise UsageError(f"a token of scope {scope} could do nothing for a {user.role}", remedy="choose another scope")
    if not name.strip() or len(name) > 100:
        raise UsageError("a token needs a name", remedy="say which program or machine it is for")
    if not 1 <= days <= MOST_DAYS:
        raise UsageError(f"a token cannot last {days} days", remedy=f"choose 1 to {MOST_DAYS}")
    secret, moment = PREFIX + secrets.token_urlsafe(32), at or now()
    ends = moment + timedelta(days=days)
    token = ApiToken(
        user_id=user.id, name=name.strip(), digest=_digest(secret), scope=scope, created_at=moment, expires_at=ends
    )
    session.add(token)
    session.flush()
    told = {"scope": scope, "expires_at": ends.isoformat()}
    record(session, actor, "add", Item("token", token.id, f"{user.name}: {token.name}"), after=told)
    return token, secret


def revoke_token(session: Session, token_id: int, *, by: Identity) -> ApiToken:
    """End a token: one's own, or as an admin anybody's; by a token none that may do more than it. Errors: `NotFound`,
    `Forbidden`."""
    token = session.get(ApiToken, token_id)
    if token is None or (token.user_id != by.user_id and not by.may(ADMIN)):
        raise NotFound(f"there is no token {token_id} of yours", remedy="`assay token list` shows those there are")
    owner = session.get_one(User, token.user_id)
    if by.by_token and not rights_of(owner.role, token.scope) <= by.rights:
        raise Forbidden(
            f"token {token_id} may do more than the one that would end it", remedy="log in and end it there"
        )
    token.revoked_at = token.revoked_at or now()
    record(session, by.name, "revoke", Item("token", token.id, f"{owner.name}: {token.name}"))
    return token


def live_tokens(session: Session, user_id: int) -> list[int]:
    """The tokens with which programs still act for a person: a new password ends none."""
    moment = now()
    return [token.id for token, _ in list_tokens(session, user_id) if token.expires_at > moment]


def list_tokens(session: Session, user_id: int | None = None) -> list[tuple[ApiToken, User]]:
    """Tokens that were not revoked, with their owners; those of one person only."""
    query = select(ApiToken, User).join(User, col(User.id) == col(ApiToken.user_id))
    query = query.where(col(ApiToken.revoked_at).is_(None))
    if user_id is not None:
        query = query.where(ApiToken.user_id == user_id)
    return [(token, user) for token, user in session.exec(query.order_by(User.name, col(ApiToken.id)))]


def by_token(session: Session, secret: str, *, at: datetime | None = None, rests_after: float = 30) -> Identity | None:
    """Whom a token stands for; None when it never was, is over or revoked, or its owner is locked out.

    A token of somebody who logs in at the identity provider rests `rests_after` days after the provider let that person
    in last: who has left it does not come back to be turned away.
    """
    moment = at or now()
    query = select(ApiToken, User).join(User, col(User.id) == col(ApiToken.user_id))
    query = query.where(ApiToken.digest == _digest(secret), col(ApiToken.revoked_at).is_(None))
    row = session.exec(query.where(col(ApiToken.expires_at) > moment, col(User.active))).first()
    if row is None:
        return None
    user = row[1]
    if user.subject is not None and moment - (user.let_in_at or user.created_at) > timedelta(days=rests_after):
        return None
    return identity_of(row[1], row[0].scope) if row else None


def hash_of(password: str) -> str:
    """An argon2 hash. Errors: `UsageError` for a short password."""
    if not SHORTEST <= len(password) <= 1000:
        raise UsageError("the password is too short", remedy=f"use {SHORTEST} characters or more: a few words do")
    return _hasher().hash(password)


def first_admin(session: Session) -> tuple[User, str] | None:
    """An admin with a random password where nobody has an account yet: for a page beyond this machine."""
    if has_users(session):
        return None
    password = secrets.token_urlsafe(16)
    return add_user(session, "admin", password, "admin", actor=ASSAY), password


def _no_team(session: Session, name: str) -> None:
    """What a team owns is not a person's of the same name, and stays the team's when that person is locked out."""
    if name in owners.teams(session):
        raise UsageError(f"{name} is the name of a team", remedy="ask an admin to rename the team: `assay owner team`")


def _not_last_admin(session: Session, user: User) -> None:
    others = select(func.count()).select_from(User)
    others = others.where(User.role == "admin", col(User.active), User.id != user.id)
    if user.role == "admin" and not session.exec(others).one():
        raise UsageError(f"{user.name} is the last admin", remedy="make another person admin first")


@cache
def _hasher() -> PasswordHasher:
    from argon2 import PasswordHasher

    return PasswordHasher()


@cache
def _of_nobody() -> str:
    return _hasher().hash(secrets.token_urlsafe(16))


def _digest(secret: str) -> str:
    return sha256(secret.encode("utf-8", "replace")).hexdigest()


def _item(user: User) -> Item:
    return Item("user", user.id, user.name)
