"""What routes ask for: a reading session, a writing transaction, a stretch of a list."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Annotated, TypedDict

from fastapi import Depends, Form, Path, Query, Request
from fastapi.dependencies.models import Dependant
from sqlmodel import Session

from catalog.store.engine import session as open_session
from web.access.gate import actor, identity
from web.failures import InvalidRequest

PAGE_SIZE = 50  # chosen: what a screen or two hold


class Stretch(TypedDict):
    """What of a list a page shows."""

    limit: int
    offset: int


def stretch(number: int, size: int = PAGE_SIZE) -> Stretch:
    """Page `number` (from 1) of a list.

    >>> stretch(3, 20)
    {'limit': 20, 'offset': 40}
    """
    return {"limit": size, "offset": (number - 1) * size}


def _reading(request: Request) -> Iterator[Session]:
    with open_session(request.app.state.engine, write=False) as session:
        yield session


def writing(request: Request) -> AbstractContextManager[Session]:
    """A transaction that is committed at the end of its block: before the answer, before any task is sent."""
    return open_session(request.app.state.engine, actor=actor(request), rights=identity(request).rights)


def _query_names(needs: Dependant) -> Iterator[str]:
    """The query parameters that a route or what it depends on reads."""
    yield from (field.alias for field in needs.query_params)
    for one in needs.dependencies:
        yield from _query_names(one)


async def known_parameters(request: Request) -> None:
    """Dependency of every route of the JSON interface: a query parameter that it does not read is refused, since a
    filter that is misspelt would otherwise be left out without a word. Errors: `InvalidRequest`."""
    asked = set(request.query_params)
    if not asked:
        return
    known = list(_query_names(request.scope["route"].dependant))
    unknown = sorted(asked.difference(known))
    if unknown:
        shown = ", ".join(name[:60] for name in unknown[:5])
        remedy = f"this address takes {', '.join(known)}" if known else "this address takes none"
        raise InvalidRequest(f"unknown query parameter{'s' * (len(unknown) > 1)}: {shown}", remedy=remedy)


Reading = Annotated[Session, Depends(_reading)]
PageNumber = Annotated[int, Query(ge=1, le=100_000, alias="page")]
Words = Annotated[str, Query(max_length=200, alias="q")]
Limit = Annotated[int, Query(ge=1, le=500, description="how many at most")]
Offset = Annotated[int, Query(ge=0, le=10_000_000, description="how many to leave out")]
# numbers that the catalog's columns can hold: what is larger is refused before it reaches the database
Ident = Annotated[int, Path(ge=0, le=2**31 - 1)]
VersionNumber = Annotated[int, Path(ge=0, le=2**62)]
#: What a form was made from: where that is not so any more, who sent it is asked again (`catalog.store.seen`).
Seen = Annotated[str, Form(max_length=200)]
MaybeIdent = Annotated[int | None, Query(ge=0, le=2**31 - 1)]
MaybeVersion = Annotated[int | None, Query(ge=0, le=2**62)]
