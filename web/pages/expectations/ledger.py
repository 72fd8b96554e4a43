"""False alarms: what rules state against what people called false, and how many a week the lake may raise."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request, Response
from starlette.responses import RedirectResponse

from catalog.checks.budget import WINDOW_DAYS
from catalog.store.expectations import allowance, budget
from catalog.store.pages.lines import cut_list
from catalog.store.schemas.listing import listing
from catalog.store.schemas.rules import LedgerOut, TrialOut, WeekOut
from web.access.gate import actor
from web.deps import PageNumber, Reading, stretch, writing
from web.render import page

router = APIRouter()


@router.get("/ledger")
def show_ledger(
    request: Request, session: Reading, number: PageNumber = 1, allowed: Annotated[float | None, Query()] = None
) -> Response:
    settings = request.app.state.settings
    found = listing(cut_list(budget.ledgers(session, settings.false_alarm_budget), **stretch(number)), LedgerOut.of)
    tried = None
    if allowed is not None:
        tried = TrialOut.of(allowance.try_allowance(session, allowed, settings.weekly_budget))
    week = WeekOut.of(session, settings.weekly_budget)
    return page(request, session, "expectations/ledger.html", found=found, days=WINDOW_DAYS, week=week, tried=tried)


@router.post("/ledger/week")
def allow_week(
    request: Request,
    allowed: Annotated[float | None, Form()] = None,
    reason: Annotated[str, Form(max_length=300)] = "",
) -> Response:
    with writing(request) as session:
        allowance.allow_a_week(session, allowed, actor=actor(request), reason=reason)
    return RedirectResponse("/ledger", 303)
