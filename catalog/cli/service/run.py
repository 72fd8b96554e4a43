"""`assay run`: what runs, waits and has run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from catalog.cli.common import Json, Offset, context
from catalog.cli.console import ENDED, count, emit, grid, say

if TYPE_CHECKING:
    from catalog.store.models import Run

app = typer.Typer(no_args_is_help=True, help="Runs: crawls and other work, queued, running or done.")


@app.command("list")
def run_list(
    status: Annotated[str, typer.Option(help="queued, running, done, failed or cancelled.")] = "",
    limit: Annotated[int, typer.Option(min=1)] = 20,
    offset: Offset = 0,
    as_json: Json = False,
) -> None:
    """List runs: running ones first, then the latest.

    Example: assay run list --status running
    """
    from catalog.store import runs
    from catalog.store.pages import work
    from catalog.store.schemas.listing import listing
    from catalog.store.schemas.runs import RunOut

    with context().transaction() as session:
        runs.recover_runs(session)  # where no service runs nobody else notices that a command was killed
        found = work.find_runs(session, status=status, limit=limit, offset=offset)
    rows = [
        (r.id, r.kind, r.title, r.status, "" if r.status in ENDED else _progress(r), r.error or _unread(r))
        for r in found.items
    ]
    data = listing(found, RunOut.made)
    emit(data, as_json, lambda: grid("", ("id", "kind", "of", "status", "progress", "error"), rows, "no runs"), found)


def _unread(run: Run) -> str:
    failed = run.stats.get("failed") if run.kind == "crawl" else 0
    return f"{count(failed, 'table')} could not be read" if failed else ""


def _progress(run: Run) -> str:
    return f"{run.phase} {run.done}/{run.total}".strip() if run.total else run.phase


@app.command("cancel")
def run_cancel(run_id: Annotated[int, typer.Argument(help="Its id.")], as_json: Json = False) -> None:
    """Stop a run. What it has done is kept. A source whose crawl is stopped rests until it is crawled again.

    Example: assay run cancel 12
    """
    from catalog.store import runs
    from catalog.store.schemas.runs import RunOut

    with context().transaction() as session:
        run = runs.cancel_run(session, run_id)
        data = RunOut.made(run)
    ended = run.status in ENDED
    text = f"run {run_id} is {run.status}" if ended else f"run {run_id} stops at its next step"
    if run.cancel and run.kind == "crawl" and run.source_id is not None:
        text += f"; nothing of {run.title} is read until its next crawl, by the service or by `assay crawl`"
    emit(data, as_json, lambda: say(text))
