"""Rules: the list, one rule with what it said, and the decisions of people about it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request, Response
from starlette.responses import RedirectResponse

from catalog.rules.rule import meanings
from catalog.store.expectations import budget, clauses
from catalog.store.expectations import rules as decisions
from catalog.store.meaning import privacy
from catalog.store.pages import columns, rules
from web.access.auth import local_path
from web.access.gate import actor
from web.deps import PAGE_SIZE, Ident, MaybeIdent, PageNumber, Reading, Words, writing
from web.drawing.history import judged_bands
from web.pages.expectations.checks import judge_by
from web.pages.lake.tables import charts_of, frame, shown_outcome, table_or_404
from web.render import page
from web.shown.drilled import drilled
from web.shown.explain import comparison, why

router = APIRouter()


@router.get("/rules")
def list_rules(
    request: Request,
    session: Reading,
    q: Words = "",
    status: Annotated[str, Query(max_length=20)] = "",
    kind: Annotated[str, Query(max_length=40)] = "",
    number: PageNumber = 1,
) -> Response:
    found = rules.find_rules(
        session, text=q.strip(), status=status, kind=kind, limit=PAGE_SIZE, offset=(number - 1) * PAGE_SIZE
    )
    last = rules.last_outcomes(session, [rule.id for rule, _ in found.items])
    return page(
        request,
        session,
        "rules.html",
        found=found,
        last=last,
        q=q,
        status=status,
        kind=kind,
        kinds=meanings(),
        counts=rules.rule_counts(session),
    )


@router.get("/rules/{rule_id}")
def show_rule(request: Request, session: Reading, rule_id: Ident, old: MaybeIdent = None) -> Response:
    """One rule. `old` is the id of the revision to compare it with, without it the one before."""
    rule = decisions.get_rule(session, rule_id)
    table = table_or_404(session, rule.table_id)
    said = rules.outcomes_of_demand(session, rule)
    hide = privacy.hiding(session, rule.table_id)
    private = hide.private_rule(rule.column_name, rule.body)
    charts = charts_of(session, table, [rule])[rule.id or 0]
    return page(
        request,
        session,
        "rule.html",
        tab="rules",
        rule=rule,
        meaning=meanings().get(rule.kind, rule.kind),
        charts=charts,
        bands=judged_bands(charts),
        shown=[shown_outcome(outcome, rule, hide) for outcome in reversed(said[-30:])],
        params=privacy.shown_params(rule, hide),
        why=why(session, rule, private),
        clauses=clauses.clause_lines(session, rule, private=private),
        comparison=comparison(session, rule, old, private=private),
        drill=drilled(session, table, rule.column_name),
        events=decisions.events(session, rule),
        column_id=columns.column_id(session, rule.table_id, rule.column_name),
        **frame(session, table),
    )


@router.post("/rules/{rule_id}/clauses")
def decide_clause(
    request: Request,
    rule_id: Ident,
    clause: Annotated[str, Form(max_length=100)],
    action: Annotated[str, Form(max_length=20)],
) -> Response:
    with writing(request) as session:
        row = clauses.decide_clause(session, rule_id, clause, action, actor=actor(request))
    return RedirectResponse(f"/rules/{row.id}#clauses", 303)


@router.post("/rules/{rule_id}/promote")
def promote_rule(request: Request, rule_id: Ident, back: Annotated[str, Form(max_length=500)] = "/rules") -> Response:
    with writing(request) as session:
        budget.promote_by_person(session, rule_id, actor(request))
    return RedirectResponse(local_path(back), 303)


@router.post("/rules/{rule_id}/demote")
def demote_rule(
    request: Request,
    rule_id: Ident,
    reason: Annotated[str, Form(max_length=300)] = "",
    back: Annotated[str, Form(max_length=500)] = "/rules",
) -> Response:
    with writing(request) as session:
        budget.demote_by_person(session, rule_id, reason, actor(request))
    return RedirectResponse(local_path(back), 303)


@router.post("/rules/{rule_id}")
def decide_rule(
    request: Request,
    rule_id: Ident,
    status: Annotated[str, Form(max_length=20)],
    back: Annotated[str, Form(max_length=500)] = "/rules",
) -> Response:
    with writing(request) as session:
        row = decisions.set_rule_status(session, rule_id, status, actor(request))
    judge_by(request, row)
    return RedirectResponse(local_path(back), 303)
