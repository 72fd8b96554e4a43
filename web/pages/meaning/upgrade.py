"""What another version of Assay would tag and learn otherwise: seen, approved or refused before it takes effect."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, Response
from sqlmodel import Session
from starlette.responses import RedirectResponse

from catalog.errors import UsageError
from catalog.store.domains import upgrades
from catalog.store.models import Run
from catalog.store.schemas.meaning import RuleChangeOut, TagChangeOut, UpgradeOut
from web import queue
from web.access.gate import actor
from web.deps import Reading, writing
from web.render import page

router = APIRouter()
SHOWN = 100  # lines of a domain, and of rules; a bound of space: the API and the command list all


@router.get("/index/upgrade")
def show_upgrade(request: Request, session: Reading) -> Response:
    found = difference(session)
    tags = [TagChangeOut(**one) for one in found.get("tags", [])]
    by_domain = {domain: list(ones) for domain, ones in groupby(tags, key=lambda one: one.domain)}
    rules = [RuleChangeOut(**one) for one in found.get("rules") or []]
    told = UpgradeOut.of(session)
    live = told.status in ("queued", "running")
    more = {"tags": by_domain, "rules": rules, "most": SHOWN}
    return page(request, session, "meaning/upgrade.html", upgrade=told, live=live, **more)


@router.post("/index/upgrade")
def answer_upgrade(
    request: Request,
    answer: Annotated[str, Form(max_length=20)],
    release: Annotated[str, Form(max_length=40)],
    reason: Annotated[str, Form(max_length=300)] = "",
) -> Response:
    with writing(request) as session:
        upgrades.answer(session, answer, actor=actor(request), reason=reason, release=release)
    return RedirectResponse("/index/upgrade", 303)


@router.post("/index/upgrade/difference")
def start_difference(request: Request, session: Reading) -> Response:
    work_out(request, session)
    return RedirectResponse("/index/upgrade", 303)


def difference(session: Session) -> dict[str, Any]:
    """What the latest run that is done found of the release that waits; nothing where none was."""
    found = upgrades.standing(session)
    run = upgrades.last_difference(session, found.waiting or found.shipped) if found else None
    return run.stats if run is not None and run.status == "done" else {}


def work_out(request: Request, session: Session) -> Run:
    """Let a worker work out what would be tagged and learned otherwise. Errors: `UsageError`, `BrokerError`."""
    found = upgrades.standing(session)
    if found is None:
        raise UsageError("nothing was crawled yet", remedy="crawl a source first")
    return queue.start(request.app.state.queue, request.app.state.engine, upgrades.RUN, found.waiting or found.shipped)
