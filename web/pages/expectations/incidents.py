"""Incidents: the list, one with its evidence, and the way from new to resolved."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request, Response
from starlette.responses import RedirectResponse

from catalog.causes import TITLES
from catalog.checks.feedback import REASONS
from catalog.rules.rule import class_of
from catalog.store.access import owners
from catalog.store.expectations import budget
from catalog.store.expectations import rules as stored
from catalog.store.incidents import causes
from catalog.store.incidents import outcomes as decisions
from catalog.store.meaning import lost, privacy
from catalog.store.models import Outcome
from catalog.store.pages import columns, rules, tables, work
from catalog.store.schemas.incidents import IncidentOut
from catalog.store.schemas.lake import VersionOut
from catalog.store.schemas.listing import listing
from catalog.store.schemas.meaning import TagEventOut
from catalog.store.schemas.rules import OutcomeOut, RuleOut
from web.access.gate import actor
from web.deps import Ident, PageNumber, Reading, Words, stretch, writing
from web.pages.lake.tables import OwnerName, charts_of, frame, mine, shown_outcome, table_or_404
from web.render import page

router = APIRouter()


@router.get("/incidents")
def list_incidents(
    request: Request,
    session: Reading,
    q: Words = "",
    status: Annotated[str, Query(max_length=20)] = "open",
    level: Annotated[str, Query(max_length=20)] = "",
    owner: OwnerName = "",
    number: PageNumber = 1,
) -> Response:
    shown = {"status": "" if status == "all" else status, "level": level}
    chosen = {**shown, "owner": owner.strip(), "who": mine(request, session)}
    found = listing(work.list_incidents(session, text=q.strip(), **chosen, **stretch(number)), IncidentOut.of)
    counts = work.incident_counts(session)
    context = {"counts": counts, "q": q, "status": status, "level": level, "chosen_owner": owner}
    return page(request, session, "expectations/incidents.html", found=found, **context)


@router.get("/incidents/{incident_id}")
def show_incident(request: Request, session: Reading, incident_id: Ident) -> Response:
    incident = causes.lead_of(session, decisions.get_incident(session, incident_id))
    table = table_or_404(session, incident.table_id)
    bad = causes.details(session, incident)
    first = session.get_one(Outcome, incident.outcome_id)
    rule = stored.get_rule(session, first.rule_id)
    hide = privacy.hiding(session, incident.table_id)
    version = tables.version_of(session, incident.table_id, incident.first_version)
    told = IncidentOut.of(work.incident_line(session, incident))
    return page(
        request,
        session,
        "expectations/incident.html",
        tab="violations",
        incident=told,
        rule=RuleOut.of(rules.rule_line(session, rule)),
        charts=charts_of(session, table, [rule], most=3)[rule.id],
        first=OutcomeOut.of(first, rule, hide),
        said=_once([shown_outcome(one, by, hide) for one, by in bad if one.version == first.version]),
        later=[shown_outcome(one, by, hide) for one, by in bad if one.version != first.version][:10],
        blamed=sorted({(by.column_name, by.id, by.kind) for _, by in bad if by.status != "superseded"}),
        lost=[TagEventOut.made(one) for one in lost.events_of_incident(session, incident.id)],
        figures=causes.distribution(incident),
        titles=TITLES,
        version=version and VersionOut.of(version),
        column_id=columns.column_id(session, incident.table_id, incident.column_name),
        reasons=REASONS,
        labels_versions=class_of(told.kind).of_values,
        answers=owners.owner_of_columns(session, table.id, told.columns),
        **frame(session, table),
    )


def _once(said: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What rules said of one version, those that tell what values are before those of figures of the past, and the same
    offending rows once."""
    told: list[dict[str, Any]] = []
    for one in sorted(said, key=lambda one: class_of(one["outcome"].kind).of_series):
        again = one["rows"] in [other["rows"] for other in told]
        told.append(one | {"rows": []} if again else one)
    return told


@router.post("/incidents/{incident_id}/resolve")
def resolve(
    request: Request,
    incident_id: Ident,
    reason: Annotated[str, Form(max_length=40)] = "",
    comment: Annotated[str, Form(max_length=4000)] = "",
    cause: Annotated[str, Form(max_length=40)] = "",
) -> Response:
    with writing(request) as session:
        incident = decisions.get_incident(session, incident_id)
        if cause and cause != incident.cause:
            causes.correct_cause(session, incident, cause, actor=actor(request))
        decisions.resolve(session, incident_id, reason, actor=actor(request), comment=comment.strip() or None)
        budget.settle(session, incident.table_id, request.app.state.settings.false_alarm_budget)
    return RedirectResponse(f"/incidents/{incident_id}", 303)


@router.post("/incidents/{incident_id}/status")
def set_status(
    request: Request,
    incident_id: Ident,
    status: Annotated[str, Form(max_length=20)],
    assignee: Annotated[str, Form(max_length=200)] = "",
) -> Response:
    with writing(request) as session:
        decisions.set_incident(
            session, incident_id, actor=actor(request), status=status, assignee=assignee.strip() or None
        )
    return RedirectResponse(f"/incidents/{incident_id}", 303)


@router.post("/incidents/{incident_id}/reopen")
def reopen(request: Request, incident_id: Ident) -> Response:
    with writing(request) as session:
        incident = decisions.reopen(session, incident_id, actor=actor(request))
        budget.reconsider(session, incident.table_id, request.app.state.settings.false_alarm_budget)
    return RedirectResponse(f"/incidents/{incident_id}", 303)
