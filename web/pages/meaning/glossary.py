"""The glossary: terms, descriptions in place, exchange with files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, File, Form, Request, Response, UploadFile
from sqlmodel import Session
from starlette.responses import RedirectResponse

from catalog.errors import NotFound
from catalog.store.glossary import exchange, terms
from catalog.store.models import LakeColumn, Table
from catalog.store.schemas.meaning import TermOut
from web.access.auth import local_path
from web.access.gate import actor
from web.deps import Ident, Reading, Seen, writing
from web.render import page

router = APIRouter()
Text = Annotated[str, Form(max_length=terms.LONGEST_TEXT)]
Name = Annotated[str, Form(max_length=terms.LONGEST_NAME)]
MEDIA = {"csv": "text/csv; charset=utf-8", "yaml": "application/yaml"}


@router.get("/glossary")
def show_glossary(request: Request, session: Reading) -> Response:
    return _shown(request, session)


def _shown(
    request: Request, session: Reading, taken: Sequence[exchange.Taken] | None = None, dry: bool = False
) -> Response:
    """The page; after an import with what it took."""
    context = {"terms": [TermOut.made(one) for one in terms.list_terms(session)], "carried": _carried(session)}
    return page(request, session, "meaning/glossary.html", **context, taken=taken, dry=dry)


def _carried(session: Reading) -> dict[str, list[tuple[str, str]]]:
    """By term, the links to what carries it."""
    out: dict[str, list[tuple[str, str]]] = {}
    for term in terms.list_terms(session):
        for kind, row in terms.carriers(session, term.name):
            assert isinstance(row, Table | LakeColumn)
            out.setdefault(term.name, []).append((f"/{kind}s/{row.id}", row.name))
    return out


@router.post("/glossary/terms")
def put_term(
    request: Request,
    name: Name,
    definition: Text = "",
    owner: Name = "",
    new: Annotated[bool, Form()] = False,
    called: Name = "",
    seen: Seen = "",
) -> Response:
    """Add a term, or change what it means and what it is `called`."""
    with writing(request) as session:
        if new:
            terms.add_term(session, name, definition, owner=owner, actor=actor(request))
        else:
            terms.put_term(session, name, definition, owner=owner, actor=actor(request), seen=seen)
        if called.strip():
            terms.rename_term(session, name, called, actor=actor(request))
    return RedirectResponse("/glossary", 303)


@router.post("/glossary/terms/remove")
def remove_term(request: Request, name: Name) -> Response:
    with writing(request) as session:
        terms.remove_term(session, name, actor=actor(request))
    return RedirectResponse("/glossary", 303)


@router.post("/glossary/describe/{kind}/{item_id}")
def describe(
    request: Request,
    kind: str,
    item_id: Ident,
    text: Text = "",
    words: Annotated[str, Form(max_length=3000)] = "",
    back: Annotated[str, Form(max_length=500)] = "/",
    seen: Seen = "",
) -> Response:
    said = words.split(",")
    with writing(request) as session:
        terms.describe(session, kind, item_id, text=text, terms=said, actor=actor(request), seen=seen)
    return RedirectResponse(local_path(back), 303)


@router.get("/glossary.{form}")
def export(session: Reading, form: str) -> Response:
    if form not in MEDIA:
        raise NotFound("the glossary is no such file", remedy="ask for glossary.yaml or glossary.csv")
    return written(session, form)


def written(session: Session, form: str) -> Response:
    """Terms, descriptions and owners as a file of a form of `MEDIA`."""
    lines = exchange.export_lines(session)
    text = exchange.as_csv(lines) if form == "csv" else exchange.as_yaml(lines)
    headers = {"content-disposition": f'attachment; filename="glossary.{form}"'}
    return Response(text.encode("utf-8", "replace"), media_type=MEDIA[form], headers=headers)


@router.post("/glossary/import")
def take(
    request: Request, session: Reading, file: Annotated[UploadFile, File()], dry: Annotated[bool, Form()] = False
) -> Response:
    form = "csv" if (file.filename or "").lower().endswith(".csv") else "yaml"
    lines = exchange.read_lines(file.file.read(exchange.LARGEST + 1), form)
    with writing(request) as current:
        taken = exchange.take(current, lines, actor=actor(request))
        if dry:
            current.rollback()
    return _shown(request, session, taken, dry)
