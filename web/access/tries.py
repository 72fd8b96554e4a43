"""Passwords and logins that are tried, wherever one is typed: who guesses waits, and both logs say so."""

from __future__ import annotations

import time

from fastapi import Request

from catalog.store.access import people
from web.access.auth import peer
from web.access.throttle import TooManyTries
from web.deps import writing


def refuse_guessing(request: Request) -> None:
    """Errors: `TooManyTries` where so many tries from the client's address were wrong that further ones wait."""
    if request.app.state.throttle.blocked(peer(request.scope), time.time()):
        raise TooManyTries("too many wrong passwords or tokens were tried from this address")


def count_wrong(request: Request, name: str, what: str = "password", *, doing: str = "login failed") -> None:
    """Count a try that was wrong and log it; the last one before others have to wait is in the audit log too, where
    admins look. A name is told only if somebody has it: a password is typed there at times."""
    client = peer(request.scope)
    with writing(request) as session:
        known = people.known_as(session, name)
        tried = (
            f"a wrong {what} for {known}" if known else f"a wrong {what}" if what == "token" else "no account's name"
        )
        if request.app.state.throttle.note(client, time.time(), f"{doing}: {tried}"):
            people.note_guessing(session, client, known)
