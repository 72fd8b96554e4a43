"""Sources and runs as JSON."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from sqlmodel import Session

from catalog.store import runs
from catalog.store.lake import sources
from catalog.store.models import Run, Source
from catalog.store.pages import work
from catalog.store.schemas.lake import SourceOut
from catalog.store.schemas.listing import Listing
from catalog.store.schemas.runs import RunOut
from web import queue
from web.api.schemas.answered import listing
from web.api.schemas.asked import Allowed, ChangedSource, NewSource
from web.deps import Ident, Limit, Offset, Reading, writing
from web.pages.lake.sources import add, edit, set_allowed
from web.pages.lake.tables import drill, table_or_404

router = APIRouter(tags=["work"])


def source_out(session: Session, source: Source) -> SourceOut:
    return SourceOut.of(work.source_line(session, source))


@router.get("/sources", response_model=list[SourceOut], summary="Sources by name")
def list_sources(session: Reading) -> list[SourceOut]:
    return [SourceOut.of(line) for line in work.source_lines(session)]


@router.post("/sources", response_model=SourceOut, status_code=201, summary="Test and register a source")
def add_source(request: Request, session: Reading, wanted: NewSource) -> SourceOut:
    return source_out(
        session, add(request, wanted.name, wanted.uri, wanted.include, wanted.exclude, wanted.untested)[0]
    )


@router.put("/sources/{source_id}", response_model=SourceOut, summary="Test and change a source")
def edit_source(request: Request, session: Reading, source_id: Ident, wanted: ChangedSource) -> SourceOut:
    given = (wanted.name, wanted.uri, wanted.include, wanted.exclude, wanted.untested, wanted.leave_out)
    return source_out(session, edit(request, source_id, *given)[0])


@router.delete(
    "/sources/{source_id}", status_code=204, summary="Forget a source with all that was learned of its tables"
)
def remove_source(request: Request, source_id: Ident) -> None:
    with writing(request) as session:
        sources.remove_source(session, sources.get_source(session, source_id).id)


@router.put("/sources/{source_id}/allowed", response_model=SourceOut, summary="Let logs name files of more folders")
def allow(request: Request, session: Reading, source_id: Ident, wanted: Allowed) -> SourceOut:
    return source_out(session, set_allowed(request, source_id, wanted.folders))


@router.post("/sources/{source_id}/crawl", response_model=RunOut, status_code=202, summary="Crawl a source now")
def crawl(request: Request, session: Reading, source_id: Ident) -> Run:
    source = sources.get_source(session, source_id)
    return queue.crawl(request.app.state.queue, request.app.state.engine, source)


@router.post(
    "/tables/{table_id}/drill", response_model=RunOut, status_code=202, summary="Try the rules of a table on damage"
)
def start_drill(request: Request, session: Reading, table_id: Ident) -> Run:
    return drill(request, table_or_404(session, table_id))


@router.get("/runs", response_model=Listing[RunOut], summary="Runs: those at work first, then the newest")
def list_runs(
    request: Request,
    session: Reading,
    status: Annotated[str, Query(max_length=20)] = "",
    limit: Limit = 50,
    offset: Offset = 0,
) -> Listing[RunOut]:
    return listing(request, work.find_runs(session, status=status, limit=limit, offset=offset), RunOut.made)


@router.get("/runs/{run_id}", response_model=RunOut, summary="One run with its progress")
def show_run(session: Reading, run_id: Ident) -> Run:
    return runs.get_run(session, run_id)


@router.post("/runs/{run_id}/cancel", response_model=RunOut, summary="Ask a run to stop")
def cancel_run(request: Request, run_id: Ident) -> Run:
    with writing(request) as session:
        return runs.cancel_run(session, run_id)
