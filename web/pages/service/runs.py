"""Runs: what is being done, how far it is, and how to stop it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from starlette.responses import RedirectResponse

from catalog.store import runs as decisions
from catalog.store.models import Source, Table
from catalog.store.pages import work
from catalog.store.schemas.listing import listing
from catalog.store.schemas.runs import RunOut
from web.deps import Ident, PageNumber, Reading, stretch, writing
from web.render import page

router = APIRouter()
MOST_FAILED = 60  # of a run's tables that could not be read are named; a bound of space


@router.get("/runs")
def list_runs(
    request: Request, session: Reading, status: Annotated[str, Query(max_length=20)] = "", number: PageNumber = 1
) -> Response:
    found = listing(work.find_runs(session, status=status, **stretch(number)), RunOut.made)
    live = any(run.status in {"queued", "running"} for run in found.items)
    return page(request, session, "service/runs.html", found=found, status=status, live=live)


@router.get("/runs/{run_id}")
def show_run(request: Request, session: Reading, run_id: Ident) -> Response:
    run = RunOut.made(decisions.get_run(session, run_id))
    source = session.get(Source, run.source_id) if run.source_id else None
    table = session.get(Table, run.table_id) if run.table_id else None
    context = {"run": run, "live": run.status in {"queued", "running"}}
    context |= {"source": source and source.name, "table": table and table.name}
    ids = run.stats.get("failed_tables", [])[:MOST_FAILED]
    unread = [one for key in ids if (one := session.get(Table, key))]  # those that were forgotten since are left out
    context["failed"] = [{"id": one.id, "name": one.name, "error": one.error} for one in unread]
    return page(request, session, "service/run.html", **context)


@router.post("/runs/{run_id}/cancel")
def cancel_run(request: Request, run_id: Ident) -> Response:
    with writing(request) as session:
        decisions.cancel_run(session, run_id)
    return RedirectResponse(f"/runs/{run_id}", 303)
