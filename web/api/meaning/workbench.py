"""Domains of one's own as JSON: from an example to patterns of the lake, and from a pattern to a domain."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from pydantic import Field

from catalog.store.domains import lakedomains
from catalog.store.schemas.meaning import DomainOut, LikeOut
from web.api.schemas.asked import DomainName, Wanted
from web.deps import Ident, Reading, writing
from web.pages.meaning.workbench import accepted, example_of
from web.shown.workbench import placed, ranked

router = APIRouter(tags=["lake"])


class GivenExample(Wanted):
    """One of the three."""

    values: list[str] = Field(default_factory=list, max_length=10_000, description="of one meaning, three or more")
    column: int | None = Field(None, ge=0, le=2**31 - 1, description="id of a column")
    pattern: str = Field("", max_length=200, description="as AA-0000")


class WantedDomain(GivenExample, DomainName):
    """The example again: the pattern is found from it once more, a regex of the request is never run."""

    regex: str = Field(max_length=100_000, description="of one of the patterns that were answered")
    columns: list[int] = Field(default_factory=list, max_length=10_000, description="ids of those it is to tag")


@router.post(
    "/workbench", response_model=list[LikeOut], summary="Patterns of an example, with the columns that each would tag"
)
def try_example(request: Request, session: Reading, wanted: GivenExample) -> list[LikeOut]:
    example = example_of(session, "\n".join(wanted.values), wanted.column, wanted.pattern)
    return placed(session, ranked(session, request.app.state.index, example))


@router.post(
    "/workbench/accept",
    response_model=DomainOut,
    summary="Make a pattern a domain; who may approve tags its columns at once, others propose it",
)
def accept(request: Request, wanted: WantedDomain) -> DomainOut:
    given = ("\n".join(wanted.values), wanted.column, wanted.pattern)
    called: dict[str, Any] = {"name": wanted.name, "label": wanted.label, "sensitive": wanted.sensitive}
    with writing(request) as session:
        return DomainOut.made(accepted(request, session, given, wanted.regex, ticked=wanted.columns, **called))


@router.delete(
    "/patterns/{domain_id}/name", response_model=DomainOut, summary="Forget the name of a domain: its tags go"
)
def forget_name(request: Request, domain_id: Ident) -> DomainOut:
    with writing(request) as session:
        return DomainOut.made(lakedomains.forget_name(session, domain_id))
