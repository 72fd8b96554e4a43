"""Rules, outcomes and incidents as JSON, and what people decide about them."""

from __future__ import annotations

from itertools import zip_longest
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from sqlmodel import Session

from catalog.store.expectations import budget, clauses
from catalog.store.expectations import rules as stored
from catalog.store.incidents import causes
from catalog.store.incidents import outcomes as decisions
from catalog.store.models import Incident, RuleRow
from catalog.store.pages import rules, work
from catalog.store.schemas.incidents import CauseOut, IncidentOut
from catalog.store.schemas.listing import Listing
from catalog.store.schemas.rules import OutcomeOut, RevisionOut, RuleOut, WholeRuleOut
from web.access.gate import actor
from web.api.schemas.answered import listing
from web.api.schemas.asked import ClauseRuling, Decision, Demotion, IncidentStatus, Resolution
from web.deps import Ident, Limit, MaybeIdent, MaybeVersion, Offset, Reading, Words, writing
from web.pages.expectations.checks import judge_by
from web.pages.lake.tables import OwnerName, mine, table_or_404

router = APIRouter(tags=["verdicts"])


def rule_out(session: Session, rule: RuleRow) -> RuleOut:
    return RuleOut.of(rules.rule_line(session, rule))


def incident_out(session: Session, incident: Incident) -> IncidentOut:
    return IncidentOut.of(work.incident_line(session, incident))


@router.get("/rules", response_model=Listing[RuleOut], summary="Rules in force, or of one status")
def list_rules(
    request: Request,
    session: Reading,
    q: Words = "",
    status: Annotated[str, Query(max_length=20)] = "",
    kind: Annotated[str, Query(max_length=40)] = "",
    table_id: MaybeIdent = None,
    column: Annotated[str | None, Query(max_length=1000)] = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Listing[RuleOut]:
    asked = {"text": q, "status": status, "kind": kind, "table_id": table_id, "column": column}
    return listing(request, rules.list_rules(session, **asked, limit=limit, offset=offset), RuleOut.of)


@router.get(
    "/rules/{rule_id}", response_model=WholeRuleOut, summary="One rule with its body, clauses and what was decided"
)
def show_rule(session: Reading, rule_id: Ident) -> WholeRuleOut:
    return WholeRuleOut.whole(rules.whole_rule(session, stored.get_rule(session, rule_id)))


@router.get("/rules/{rule_id}/revisions", response_model=list[RevisionOut], summary="What each revision changed")
def list_revisions(session: Reading, rule_id: Ident) -> list[RevisionOut]:
    kept = rules.revision_lines(session, stored.get_rule(session, rule_id))
    return [RevisionOut.against(line, older) for line, older in zip_longest(kept, kept[1:])]


@router.post("/rules/{rule_id}/clauses", response_model=RuleOut, summary="Accept, loosen, pause or reject a clause")
def decide_clause(request: Request, rule_id: Ident, wanted: ClauseRuling) -> RuleOut:
    with writing(request) as session:
        rule = clauses.decide_clause(
            session, rule_id, wanted.clause, wanted.action, actor=actor(request), factor=wanted.factor
        )
        return rule_out(session, rule)


@router.post("/rules/{rule_id}", response_model=RuleOut, summary="Activate, pause or reject a rule")
def decide_rule(request: Request, rule_id: Ident, wanted: Decision) -> RuleOut:
    with writing(request) as session:
        rule = stored.set_rule_status(session, rule_id, wanted.status, actor(request))
        told = rule_out(session, rule)
    judge_by(request, rule)
    return told


@router.post(
    "/rules/{rule_id}/promote", response_model=RuleOut, summary="Let a rule alarm again that was demoted to a warning"
)
def promote_rule(request: Request, rule_id: Ident) -> RuleOut:
    with writing(request) as session:
        rule = budget.promote_by_person(session, rule_id, actor(request))
        return rule_out(session, rule)


@router.post("/rules/{rule_id}/demote", response_model=RuleOut, summary="Let a rule only warn, for a reason")
def demote_rule(request: Request, rule_id: Ident, wanted: Demotion) -> RuleOut:
    with writing(request) as session:
        rule = budget.demote_by_person(session, rule_id, wanted.reason, actor(request))
        return rule_out(session, rule)


@router.get("/outcomes", response_model=Listing[OutcomeOut], summary="What rules said of versions, newest first")
def list_outcomes(
    request: Request,
    session: Reading,
    table_id: MaybeIdent = None,
    rule_id: MaybeIdent = None,
    version: MaybeVersion = None,
    status: Annotated[str, Query(max_length=20)] = "",
    limit: Limit = 50,
    offset: Offset = 0,
) -> Listing[OutcomeOut]:
    if table_id is not None:
        table_or_404(session, table_id)
    asked = {"table_id": table_id, "rule_id": rule_id, "version": version, "status": status}
    found = rules.list_outcomes(session, **asked, limit=limit, offset=offset)
    return listing(request, found, lambda line: OutcomeOut.of(*line))


@router.get("/incidents", response_model=Listing[IncidentOut], summary="Incidents, newest first")
def list_incidents(
    request: Request,
    session: Reading,
    q: Words = "",
    status: Annotated[str, Query(max_length=20, description="open, resolved, or a status")] = "",
    table_id: MaybeIdent = None,
    owner: OwnerName = "",
    limit: Limit = 50,
    offset: Offset = 0,
) -> Listing[IncidentOut]:
    stretch: dict[str, Any] = {"limit": limit, "offset": offset, "owner": owner, "who": mine(request, session)}
    found = work.list_incidents(session, status=status, text=q, table_id=table_id, **stretch)
    return listing(request, found, IncidentOut.of)


@router.get("/incidents/{incident_id}", response_model=IncidentOut, summary="One incident")
def show_incident(session: Reading, incident_id: Ident) -> IncidentOut:
    incident = causes.lead_of(session, decisions.get_incident(session, incident_id))
    return incident_out(session, incident)


@router.post("/incidents/{incident_id}", response_model=IncidentOut, summary="Acknowledge or assign an incident")
def set_incident(request: Request, incident_id: Ident, wanted: IncidentStatus) -> IncidentOut:
    with writing(request) as session:
        incident = decisions.set_incident(
            session, incident_id, actor=actor(request), status=wanted.status, assignee=wanted.assignee
        )
        return incident_out(session, incident)


@router.post("/incidents/{incident_id}/resolve", response_model=IncidentOut, summary="Close an incident with a reason")
def resolve(request: Request, incident_id: Ident, wanted: Resolution) -> IncidentOut:
    with writing(request) as session:
        if wanted.cause:
            incident = decisions.get_incident(session, incident_id)
            causes.correct_cause(session, incident, wanted.cause, actor=actor(request))
        incident = decisions.resolve(session, incident_id, wanted.reason, actor=actor(request), comment=wanted.comment)
        budget.settle(session, incident.table_id, request.app.state.settings.false_alarm_budget)
        return incident_out(session, incident)


@router.post(
    "/incidents/{incident_id}/reopen", response_model=IncidentOut, summary="Take back the answer to an incident"
)
def reopen(request: Request, incident_id: Ident) -> IncidentOut:
    with writing(request) as session:
        incident = decisions.reopen(session, incident_id, actor=actor(request))
        budget.reconsider(session, incident.table_id, request.app.state.settings.false_alarm_budget)
        return incident_out(session, incident)


@router.get("/causes", response_model=list[CauseOut], summary="Causes by name, and how often people corrected them")
def list_causes(session: Reading) -> list[CauseOut]:
    return CauseOut.all(causes.judged_causes(session))
