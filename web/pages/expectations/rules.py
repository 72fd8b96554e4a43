"""Rules: the list, one rule with what it said, and the decisions of people about it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request, Response
from starlette.responses import RedirectResponse

from catalog.rules.rule import meanings
from catalog.store.expectations import budget, clauses
from catalog.store.expectations import rules as decisions
from catalog.store.pages import columns, rules
from catalog.store.schemas.listing import listing
from catalog.store.schemas.rules import RuleOut, WholeRuleOut
from web.access.auth import local_path
from web.access.gate import actor
from web.deps import Ident, MaybeIdent, PageNumber, Reading, Words, stretch, writing
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
    asked = {"text": q.strip(), "status": status, "kind": kind}
    context = {"found": listing(rules.list_rules(session, **asked, **stretch(number)), RuleOut.of), "q": q}
    context |= {"status": status, "kind": kind, "kinds": meanings(), "counts": rules.rule_counts(session)}
    return page(request, session, "expectations/rules.html", **context)


@router.get("/rules/{rule_id}")
def show_rule(request: Request, session: Reading, rule_id: Ident, old: MaybeIdent = None) -> Response:
    """One rule. `old` is the id of the revision to compare it with, without it the one before."""
    row = decisions.get_rule(session, rule_id)
    table = table_or_404(session, row.table_id)
    line = rules.whole_rule(session, row)
    private = line.hide.private_rule(row.column_name, row.body)
    charts = charts_of(session, table, [row])[row.id]
    said = rules.outcomes_of_demand(session, row)
    return page(
        request,
        session,
        "expectations/rule.html",
        tab="rules",
        rule=WholeRuleOut.whole(line),
        meaning=meanings().get(row.kind, row.kind),
        charts=charts,
        bands=judged_bands(charts, row.column_kind),
        shown=[shown_outcome(outcome, row, line.hide) for outcome in reversed(said[-30:])],
        why=why(session, row, private),
        comparison=comparison(session, row, old, private=private),
        drill=drilled(session, table, row.column_name),
        column_id=columns.column_id(session, row.table_id, row.column_name),
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
    reason: Annotated[str, Form(max_length=300)] = "",
    back: Annotated[str, Form(max_length=500)] = "/rules",
) -> Response:
    with writing(request) as session:
        row = decisions.set_rule_status(session, rule_id, status, actor(request), reason.strip() or None)
    judge_by(request, row)
    return RedirectResponse(local_path(back), 303)
