"""The glossary as JSON: terms, descriptions in place, exchange with files."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Query, Request, Response
from pydantic import Field

from catalog.store.glossary import exchange, terms
from catalog.store.pages.lines import cut_list
from catalog.store.schemas.listing import Listing
from catalog.store.schemas.meaning import DescribedOut, TakenOut, TermOut, WholeTermOut
from web.access.gate import actor
from web.api.schemas.answered import listing
from web.api.schemas.asked import Seen, Wanted
from web.deps import Ident, Limit, Offset, Reading, Words, writing
from web.pages.meaning.glossary import written

router = APIRouter(tags=["glossary"])
Kind = Annotated[str, Path(pattern="^(source|table|column)$")]
Name = Annotated[str, Path(max_length=terms.LONGEST_NAME)]
Form = Annotated[str, Query(pattern="^(yaml|csv)$")]


class TermSaid(Seen):
    definition: str = Field(max_length=terms.LONGEST_TEXT)
    owner: str | None = Field(
        None, max_length=terms.LONGEST_NAME, description="a person or team that answers for it; null leaves it"
    )


class TermName(Wanted):
    name: str = Field(max_length=terms.LONGEST_NAME)


class Described(Seen):
    text: str | None = Field(None, max_length=terms.LONGEST_TEXT, description="null leaves it as it is")
    terms: list[str] | None = Field(
        None, max_length=terms.MOST_TERMS, description="of the glossary; null leaves them, a source has none"
    )
    reason: str = Field("", max_length=300)


@router.get("/glossary/terms", response_model=Listing[TermOut], summary="Terms by name")
def list_terms(
    request: Request, session: Reading, q: Words = "", limit: Limit = 50, offset: Offset = 0
) -> Listing[TermOut]:
    return listing(request, cut_list(terms.list_terms(session, q), limit, offset), TermOut.made)


@router.get("/glossary/terms/{name:path}", response_model=WholeTermOut, summary="One term and what carries it")
def show_term(session: Reading, name: Name) -> WholeTermOut:
    term = terms.get_term(session, name)
    return WholeTermOut.of(term, terms.carriers(session, term.name))


@router.post("/glossary/terms/{name:path}", response_model=TermOut, summary="Rename a term, on all that carries it")
def rename_term(request: Request, name: Name, wanted: TermName) -> TermOut:
    with writing(request) as session:
        return TermOut.made(terms.rename_term(session, name, wanted.name, actor=actor(request)))


@router.put("/glossary/terms/{name:path}", response_model=TermOut, summary="Add a term, or change what it means")
def put_term(request: Request, name: Name, wanted: TermSaid) -> TermOut:
    with writing(request) as session:
        more: dict[str, Any] = {"owner": wanted.owner, "seen": wanted.seen}
        term = terms.put_term(session, name, wanted.definition, actor=actor(request), **more)
        return TermOut.made(term)


@router.delete("/glossary/terms/{name:path}", status_code=204, summary="Remove a term that nothing carries any more")
def remove_term(request: Request, name: Name) -> None:
    with writing(request) as session:
        terms.remove_term(session, name, actor=actor(request))


@router.get("/glossary/describe/{kind}/{item_id}", response_model=DescribedOut, summary="What people say of something")
def show_description(session: Reading, kind: Kind, item_id: Ident) -> dict[str, Any]:
    return terms.said_of(terms.find_described(session, kind, item_id))


@router.put(
    "/glossary/describe/{kind}/{item_id}",
    response_model=DescribedOut,
    summary="Describe a source, table or column, and say which terms it carries",
)
def describe(request: Request, kind: Kind, item_id: Ident, wanted: Described) -> dict[str, Any]:
    with writing(request) as session:
        more: dict[str, Any] = {"reason": wanted.reason.strip() or None, "seen": wanted.seen, "actor": actor(request)}
        return terms.said_of(terms.describe(session, kind, item_id, text=wanted.text, terms=wanted.terms, **more))


@router.get(
    "/glossary/export",
    response_class=Response,
    responses={200: {"content": {"application/yaml": {}, "text/csv": {}}}},
    summary="Terms, descriptions and owners as a file that the import takes",
)
def export(session: Reading, form: Form = "yaml") -> Response:
    return written(session, form)


@router.post(
    "/glossary/import",
    response_model=list[TakenOut],
    summary="Take terms, descriptions and owners from such a file: its bytes are the body. What became of each line",
)
def take(
    request: Request,
    file: Annotated[bytes, Body(media_type="application/octet-stream")],
    form: Form = "yaml",
    dry_run: Annotated[bool, Query(description="change nothing")] = False,
) -> list[TakenOut]:
    lines = exchange.read_lines(file, form)
    with writing(request) as session:
        taken = exchange.take(session, lines, actor=actor(request))
        if dry_run:
            session.rollback()
    return [TakenOut.made(one) for one in taken]
