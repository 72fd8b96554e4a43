"""Sources: where tables are looked for; adding one, and crawling now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, Response
from sqlmodel import Session
from starlette.responses import RedirectResponse

from catalog.addresses import lake_address
from catalog.errors import UsageError
from catalog.learners.registry import LEARNERS, SETTINGS
from catalog.store.access import owners
from catalog.store.expectations import learners
from catalog.store.lake import sources as stored
from catalog.store.models import Source
from catalog.store.pages import work
from catalog.store.schemas.lake import SourceOut
from catalog.wording import unlisted
from web import queue
from web.deps import Ident, Reading, writing
from web.failures import Conflict, TablesLost
from web.probe import probe
from web.render import page

router = APIRouter()


def globs(text: str) -> list[str]:
    """Patterns from a field with one on each line, or commas between.

    >>> globs("sales/*, hr/*\\n\\n tmp_*")
    ['sales/*', 'hr/*', 'tmp_*']
    """
    return [one for part in text.replace(",", "\n").splitlines() if (one := part.strip())]


def set_allowed(request: Request, source_id: int, folders: list[str]) -> Source:
    """Let the logs of a source name files of these folders too. Errors: `NotFound`, `UsageError` for an address that
    cannot be used."""
    folders = [absolute(folder) for folder in folders]
    with writing(request) as session:
        source = stored.get_source(session, source_id)
        stored.allow(session, source_id, folders)
        session.refresh(source)
        return source


def absolute(address: str) -> str:
    """An address as a person gave it. Errors: `UsageError` for one at which no lake may lie."""
    stored.readable(address)
    return lake_address(address)


def add(
    request: Request, name: str, uri: str, include: list[str], exclude: list[str], untested: bool
) -> tuple[Source, list[str]]:
    """Register a source; with the folders that cannot be listed in it. Errors: `UsageError` for an unusable name or
    address, `Conflict` when the name is taken."""

    def refuse_taken(session: Session) -> None:
        if any(source.name == name for source in stored.list_sources(session)):
            raise Conflict(f"there is a source named {name!r} already", remedy="choose another name")

    with writing(request) as session:
        refuse_taken(session)
    address = absolute(uri)
    stored.readable(*include, *exclude)
    closed = [] if untested else probe(request.app.state.settings, address, include, exclude)[1]
    with writing(request) as session:
        refuse_taken(session)
        return stored.add_source(session, name, address, include, exclude), closed


def edit(
    request: Request,
    source_id: int,
    name: str,
    uri: str,
    include: list[str],
    exclude: list[str],
    untested: bool,
    leave_out: bool,
) -> tuple[Source, list[str]]:
    """Change a source; with the folders that cannot be listed in it. Errors: `NotFound`, `UsageError`; `TablesLost`
    where tables that it has are not there then, unless they are to be left out."""
    with writing(request) as session:
        roots = list(stored.get_source(session, source_id).allowed or [])
    address = absolute(uri)
    stored.readable(*include, *exclude)
    found, closed = None, list[str]()
    if not untested:
        found, closed = probe(request.app.state.settings, address, include, exclude, roots=roots, most=None)
    with writing(request) as session:
        lost = stored.would_lose(session, source_id, found) if found is not None and not leave_out else []
        if lost:
            raise TablesLost(lost, closed)
        return stored.edit_source(session, source_id, name, address, include, exclude), closed


@router.get("/sources")
def list_sources(request: Request, session: Reading) -> Response:
    found = [SourceOut.of(line) for line in work.source_lines(session)]
    return page(request, session, "lake/sources.html", sources=found)


@router.post("/sources")
def add_source(
    request: Request,
    session: Reading,
    name: Annotated[str, Form(max_length=100)],
    uri: Annotated[str, Form(max_length=2000)],
    include: Annotated[str, Form(max_length=4000)] = "",
    exclude: Annotated[str, Form(max_length=4000)] = "",
    untested: Annotated[bool, Form()] = False,
) -> Response:
    source, closed = add(request, name.strip(), uri, globs(include), globs(exclude), untested)
    run = queue.soon(request.app.state.queue, request.app.state.engine, "crawl", source.name, source_id=source.id)
    if closed:
        return _source_page(request, session, source.id, closed=closed)
    return RedirectResponse(f"/runs/{run.id}" if run else f"/sources/{source.id}", 303)  # whose page says what is amiss


@router.post("/sources/{source_id}/crawl")
def crawl(request: Request, session: Reading, source_id: Ident) -> Response:
    source = stored.get_source(session, source_id)
    run = queue.crawl(request.app.state.queue, request.app.state.engine, source)
    return RedirectResponse(f"/runs/{run.id}", 303)


@router.get("/sources/{source_id}")
def show_source(request: Request, session: Reading, source_id: Ident, saved: bool = False) -> Response:
    return _source_page(request, session, source_id, saved=saved)


def _source_page(
    request: Request,
    session: Session,
    source_id: int,
    *,
    saved: bool = False,
    asked: Mapping[str, Any] | None = None,
    lost: Sequence[str] = (),
    closed: Sequence[str] = (),
) -> Response:
    """A source; in its form what was asked for instead of what is, where tables would be `lost` by it; `closed` are
    folders of what was asked for that cannot be listed."""
    source = stored.get_source(session, source_id)
    told = SourceOut.of(work.source_line(session, source))
    return page(
        request,
        session,
        "lake/source.html",
        http_status=409 if lost else 200,
        source=told,
        learned=learners.of_source(source),
        learners=LEARNERS.values(),
        settings=SETTINGS,
        owner=owners.owner_of(session, "source", source_id),
        form=asked or {one: getattr(told, one) for one in ("name", "uri", "include", "exclude")},
        saved=saved,
        lost=lost,
        closed=unlisted(closed) if closed else "",
    )


@router.post("/sources/{source_id}")
def edit_source(
    request: Request,
    session: Reading,
    source_id: Ident,
    name: Annotated[str, Form(max_length=100)],
    uri: Annotated[str, Form(max_length=2000)],
    include: Annotated[str, Form(max_length=4000)] = "",
    exclude: Annotated[str, Form(max_length=4000)] = "",
    untested: Annotated[bool, Form()] = False,
    leave_out: Annotated[bool, Form()] = False,
) -> Response:
    name, wanted, unwanted = name.strip(), globs(include), globs(exclude)
    try:
        _, closed = edit(request, source_id, name, uri, wanted, unwanted, untested, leave_out)
    except TablesLost as error:
        asked = {"name": name, "uri": uri, "include": wanted, "exclude": unwanted}
        return _source_page(request, session, source_id, asked=asked, lost=error.names, closed=error.closed)
    if closed:
        return _source_page(request, session, source_id, saved=True, closed=closed)
    return RedirectResponse(f"/sources/{source_id}?saved=true", 303)


@router.post("/sources/{source_id}/remove")
def remove_source(request: Request, source_id: Ident, confirm: Annotated[str, Form(max_length=100)] = "") -> Response:
    with writing(request) as session:
        source = stored.get_source(session, source_id)
        if confirm.strip() != source.name:
            raise UsageError(
                "nothing was forgotten: the name does not match", remedy=f"type {source.name!r} to confirm"
            )
        stored.remove_source(session, source_id)
    return RedirectResponse("/sources", 303)
