"""One column: what it means, what it holds, what is demanded of it, how it went."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request, Response
from sqlmodel import Session
from starlette.responses import RedirectResponse

from catalog.errors import NotFound
from catalog.store.access import owners
from catalog.store.meaning import levels, lost, privacy
from catalog.store.meaning import tags as tag_decisions
from catalog.store.models import LakeColumn
from catalog.store.pages import columns, rules, work
from catalog.tags.privacy.levels import WORDS as LEVEL_WORDS
from web.access.auth import local_path
from web.access.gate import actor
from web.deps import PAGE_SIZE, Ident, PageNumber, Reading, writing
from web.pages.lake.tables import charts_of, frame, table_or_404
from web.render import page
from web.shown.explain import comparison, why
from web.shown.profile import portrait

router = APIRouter()
CHARTS_A_RULE = 6  # the rule's own page shows them all


def column_or_404(session: Session, column_id: int) -> LakeColumn:
    column = session.get(LakeColumn, column_id) if column_id < 2**31 else None
    if column is None:
        raise NotFound(f"there is no column {column_id}", remedy="open its table and follow the link there")
    return column


@router.get("/columns/{column_id}")
def show_column(request: Request, session: Reading, column_id: Ident) -> Response:
    column = column_or_404(session, column_id)
    table = table_or_404(session, column.table_id)
    found = rules.find_rules(session, table_id=table.id, column=column.name, limit=20)
    hide = privacy.hiding(session, column.table_id)
    private = {rule.id: hide.private_rule(column.name, rule.body) for rule, _ in found.items}
    return page(
        request,
        session,
        "column.html",
        tab="columns",
        column=column,
        rules=found,
        charts=charts_of(session, table, [rule for rule, _ in found.items], most=CHARTS_A_RULE),
        last=rules.last_outcomes(session, [rule.id for rule, _ in found.items]),
        reasons=[
            (rule, found_why)
            for rule, _ in found.items
            if (found_why := why(session, rule, private[rule.id])).witnesses or found_why.rivals
        ],
        changed=[
            (rule, one)
            for rule, _ in found.items
            if (one := comparison(session, rule, None, private=private[rule.id])) is not None
        ],
        tags=columns.tags_of(session, [column_id]).get(column_id, []),
        tag_events=lost.events_of(session, column.table_id, column.name, limit=5),
        portrait=portrait(privacy.shown_profile(column, hide)),
        incidents=work.find_incidents(session, table_id=table.id, column=column.name, limit=10),
        **frame(session, table),
        levels=LEVEL_WORDS,
        column_owner=owners.owner_of(session, "column", column_id),
    )


@router.post("/tags/{tag_id}")
def decide_tag(
    request: Request,
    tag_id: Ident,
    status: Annotated[str, Form(max_length=20)],
    reason: Annotated[str, Form(max_length=1000)] = "",
    back: Annotated[str, Form(max_length=500)] = "/",
) -> Response:
    with writing(request) as session:
        tag_decisions.decide_tag(session, tag_id, status, actor(request), reason)
    return RedirectResponse(local_path(back), 303)


@router.post("/columns/{column_id}/level")
def set_level(
    request: Request,
    column_id: Ident,
    level: Annotated[str, Form(max_length=20)] = "",
    reason: Annotated[str, Form(max_length=300)] = "",
) -> Response:
    with writing(request) as session:
        levels.set_level(
            session, column_or_404(session, column_id).id, level or None, actor=actor(request), reason=reason
        )
    return RedirectResponse(f"/columns/{column_id}", 303)


@router.get("/tags")
def list_domains(request: Request, session: Reading) -> Response:
    return page(request, session, "tags.html", domains=columns.find_domains(session))


@router.get("/tags/by/{domain:path}")
def show_domain(
    request: Request,
    session: Reading,
    domain: str,
    status: Annotated[str, Query(max_length=20)] = "",
    number: PageNumber = 1,
) -> Response:
    found = columns.find_tags(session, domain=domain, status=status, limit=PAGE_SIZE, offset=(number - 1) * PAGE_SIZE)
    if not found.total and not status:
        raise NotFound(f"no column is tagged {domain!r}", remedy="see /tags for those there are")
    return page(request, session, "tag.html", domain=domain, status=status, found=found)
