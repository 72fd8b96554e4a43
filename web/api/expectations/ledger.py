"""False alarms as JSON: what rules state, what people called false, and how many a week the lake may raise."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request

from catalog.store.expectations import allowance, budget
from catalog.store.schemas.rules import LedgerOut, TrialOut, WeekOut
from web.access.gate import actor
from web.api.schemas.asked import Allowance
from web.deps import Ident, Reading, writing
from web.pages.lake.tables import table_or_404

router = APIRouter(tags=["false alarms"])


@router.get("/ledger", response_model=list[LedgerOut], summary="False alarms of each table in 30 days: worst first")
def list_ledgers(request: Request, session: Reading) -> list[LedgerOut]:
    found = budget.ledgers(session, request.app.state.settings.false_alarm_budget)
    return [LedgerOut.of(one) for one in found]


@router.get("/ledger/week", response_model=WeekOut, summary="The lake's last seven days, and what a week may bring")
def show_week(request: Request, session: Reading) -> WeekOut:
    return WeekOut.of(session, request.app.state.settings.weekly_budget)


@router.get("/ledger/week/trial", response_model=TrialOut, summary="What another number a week would have meant")
def try_week(
    request: Request, session: Reading, allowed: Annotated[float, Query(description="false alarms a week, above 0")]
) -> TrialOut:
    return TrialOut.of(allowance.try_allowance(session, allowed, request.app.state.settings.weekly_budget))


@router.put("/ledger/week", response_model=WeekOut, summary="How many false alarms a week the lake may raise")
def allow_week(request: Request, wanted: Allowance) -> WeekOut:
    with writing(request) as session:
        allowance.allow_a_week(session, wanted.allowed, actor=actor(request), reason=wanted.reason)
        return WeekOut.of(session, request.app.state.settings.weekly_budget)


@router.get("/tables/{table_id}/ledger", response_model=LedgerOut, summary="False alarms of one table, by rule")
def show_ledger(request: Request, session: Reading, table_id: Ident) -> LedgerOut:
    table_or_404(session, table_id)
    return LedgerOut.of(budget.ledger(session, table_id, request.app.state.settings.false_alarm_budget))
