"""Sessions of browsers: kept here, so that they end here. Each function takes a database session and never commits.

The cookie holds a random secret, the database its digest only: who reads the database can log in as nobody. A session
belongs to the credentials it was opened with (`key`): when these change, it ends.
"""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from hashlib import sha256

from sqlalchemy import delete, or_
from sqlmodel import Session, col, select

from catalog.store.models import WebSession, now

LASTS = timedelta(days=14)


def open_web_session(
    session: Session, key: str, *, user_id: int | None = None, at: datetime | None = None, lasts: timedelta = LASTS
) -> str:
    """Open a session that `lasts` so long; the secret for the cookie. Those that are over go."""
    moment = at or now()
    session.exec(delete(WebSession).where(col(WebSession.expires_at) <= moment))
    secret = secrets.token_urlsafe(32)
    session.add(
        WebSession(digest=_digest(secret), key=key, user_id=user_id, opened_at=moment, expires_at=moment + lasts)
    )
    session.flush()
    return secret


def find_web_session(session: Session, secret: str, key: str, *, at: datetime | None = None) -> WebSession | None:
    """The session that a cookie stands for; None when it never was, is over, or belongs to other credentials."""
    if not secret:
        return None
    query = select(WebSession).where(WebSession.digest == _digest(secret), WebSession.key == key)
    return session.exec(query.where(col(WebSession.expires_at) > (at or now()))).first()


def close_web_session(session: Session, secret: str) -> None:
    """End a session; one that is over already stays so."""
    session.exec(delete(WebSession).where(col(WebSession.digest) == _digest(secret)))


def close_web_sessions(session: Session, *, user_id: int | None = None, key: str | None = None) -> None:
    """End all sessions of a person, or of some credentials."""
    chosen = [col(WebSession.user_id) == user_id] if user_id is not None else []
    chosen += [col(WebSession.key) == key] if key is not None else []
    if chosen:
        session.exec(delete(WebSession).where(or_(*chosen)))


def _digest(secret: str) -> str:
    return sha256(secret.encode("utf-8", "replace")).hexdigest()
