"""Who learns the rules: chosen for a table, or for all tables of a source that have no choice of their own."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request, Response
from starlette.responses import RedirectResponse

from catalog.errors import UsageError
from catalog.learners.registry import LEARNERS
from catalog.store.expectations import learners
from catalog.store.models import Run, Source, Table
from web import queue
from web.deps import Ident, writing

router = APIRouter()
Typed = Annotated[str, Form(max_length=12)]
Choice = tuple[str, dict[str, float]]


def chosen(
    learner: Annotated[str, Form(max_length=20)],
    r: Typed = "",
    m: Typed = "",
    tau: Typed = "",
    theta: Typed = "",
    delta: Typed = "",
) -> Choice:
    """A learner and its settings as they were typed; those of other learners are left alone. Errors: `UsageError`."""
    typed = {"r": r, "m": m, "tau": tau, "theta": theta, "delta": delta}
    mine = LEARNERS[learner].settings if learner in LEARNERS else ()
    return learner, {name: number_of(name, typed[name]) for name in mine if typed[name].strip()}


@router.post("/tables/{table_id}/learner")
def choose_for_table(request: Request, table_id: Ident, choice: Annotated[Choice, Depends(chosen)]) -> Response:
    """Who learns the rules of the columns; a worker learns again at once."""
    with writing(request) as session:
        table = learners.choose_for_table(session, table_id, *choice)
    run = learn_soon(request, table)
    return RedirectResponse(f"/runs/{run.id}" if run else f"/tables/{table_id}/rules", 303)


@router.post("/sources/{source_id}/learner")
def choose_for_source(request: Request, source_id: Ident, choice: Annotated[Choice, Depends(chosen)]) -> Response:
    """The same of a source's tables."""
    with writing(request) as session:
        source = learners.choose_for_source(session, source_id, *choice)
    run = learn_source_soon(request, source)
    return RedirectResponse(f"/runs/{run.id}" if run else f"/sources/{source_id}", 303)


def learn_soon(request: Request, table: Table) -> Run | None:
    """Let a worker learn again, of a table of which something was learned; where none answers, the next crawl does."""
    if table.judged_version < 0:
        return None
    return queue.soon(request.app.state.queue, request.app.state.engine, "crawl", table.name, table_id=table.id)


def learn_source_soon(request: Request, source: Source) -> Run | None:
    """The same of a source's tables."""
    return queue.soon(request.app.state.queue, request.app.state.engine, "crawl", source.name, source_id=source.id)


def number_of(name: str, text: str) -> float:
    """A setting as it was typed. Errors: `UsageError`."""
    try:
        return float(text.replace(",", "."))
    except ValueError:
        raise UsageError(f"{name} is {text[:20]!r}, which is no number", remedy="write it as 0.05") from None
