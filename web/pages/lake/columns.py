"""One column: what it means, what it holds, what is demanded of it, how it went."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request, Response
from sqlmodel import Session
from starlette.responses import RedirectResponse

from catalog.errors import NotFound
from catalog.store.access import owners
from catalog.store.meaning import levels, lost, privacy, review
from catalog.store.models import LakeColumn
from catalog.store.pages import columns, rules, work
from catalog.store.schemas.incidents import IncidentOut
from catalog.store.schemas.lake import ColumnOut
from catalog.store.schemas.listing import listing
from catalog.store.schemas.meaning import PlacedTagOut, TagCountOut, TagEventOut
from catalog.store.schemas.rules import RuleOut
from catalog.tags.privacy.inside import ALWAYS
from catalog.tags.privacy.levels import ABOUT, LEVELS_BY_HAND, UNREVIEWED
from catalog.tags.privacy.levels import WORDS as LEVEL_WORDS
from web.access.auth import local_path
from web.access.gate import actor
from web.deps import Ident, PageNumber, Reading, Seen, stretch, writing
from web.pages.lake.tables import charts_of, frame, table_or_404
from web.render import page
from web.shown.explain import comparison, why
from web.shown.profile import portrait, still_masked
from web.shown.tagged import why_tagged

router = APIRouter()
CHARTS_A_RULE = 6  # the rule's own page shows them all; a bound of space


def column_or_404(session: Session, column_id: int) -> LakeColumn:
    column = session.get(LakeColumn, column_id) if column_id < 2**31 else None
    if column is None:
        raise NotFound(f"there is no column {column_id}", remedy="open its table and follow the link there")
    return column


@router.get("/columns/{column_id}")
def show_column(request: Request, session: Reading, column_id: Ident) -> Response:
    column = column_or_404(session, column_id)
    table = table_or_404(session, column.table_id)
    lines = rules.list_rules(session, table_id=table.id, column=column.name, limit=20).items
    told = ColumnOut.whole(columns.column_line(session, column))
    hide = privacy.hiding(session, column.table_id)
    shown = [(line.rule, RuleOut.of(line), hide.private_rule(column.name, line.rule.body)) for line in lines]
    reasons = [(rule, why(session, row, private)) for row, rule, private in shown]
    changed = [(rule, comparison(session, row, None, private=private)) for row, rule, private in shown]
    incidents = work.list_incidents(session, table_id=table.id, column=column.name, limit=10)
    domains = {tag.domain for tag in told.tags if tag.status != "rejected"}
    titles = {one.name: one.title for one in review.domains(session).values()}
    return page(
        request,
        session,
        "lake/column.html",
        tab="columns",
        column=told,
        rules=[rule for _, rule, _ in shown],
        charts=charts_of(session, table, [line.rule for line in lines], most=CHARTS_A_RULE),
        reasons=[(rule, one) for rule, one in reasons if one.witnesses or one.rivals],
        changed=[(rule, one) for rule, one in changed if one is not None],
        tag_events=[TagEventOut.made(one) for one in lost.events_of(session, column.table_id, column.name, limit=5)],
        portrait=portrait(told.profile),
        masked="" if told.sensitive else still_masked(told.profile, domains, table.tagged is None),
        incidents=listing(incidents, IncidentOut.of),
        **frame(session, table),
        levels=LEVEL_WORDS,
        by_hand=LEVELS_BY_HAND,
        by_form=ALWAYS,
        unknown=next((tag for tag in told.tags if tag.domain == ABOUT), None) if told.level == UNREVIEWED else None,
        domains=list(titles.items()),
        whys={tag.id: why_tagged(tag.evidence or {}, titles) for tag in told.tags},
        column_owner=owners.owner_of(session, "column", column_id),
    )


@router.post("/tags/{tag_id}")
def decide_tag(
    request: Request,
    tag_id: Ident,
    status: Annotated[str, Form(max_length=20)],
    reason: Annotated[str, Form(max_length=1000)] = "",
    back: Annotated[str, Form(max_length=500)] = "/",
    seen: Seen = "",
) -> Response:
    with writing(request) as session:
        review.decide(session, [tag_id], status, actor(request), reason, seen)
    return RedirectResponse(local_path(back), 303)


@router.post("/columns/{column_id}/tags")
def say_tag(
    request: Request,
    column_id: Ident,
    domain: Annotated[str, Form(max_length=200)],
    reason: Annotated[str, Form(max_length=1000)] = "",
) -> Response:
    with writing(request) as session:
        review.say_tag(session, column_or_404(session, column_id), domain.strip(), actor(request), reason)
    return RedirectResponse(f"/columns/{column_id}", 303)


@router.post("/columns/{column_id}/level")
def set_level(
    request: Request,
    column_id: Ident,
    level: Annotated[str, Form(max_length=20)] = "",
    reason: Annotated[str, Form(max_length=300)] = "",
    seen: Seen = "",
) -> Response:
    said = {"reason": reason, "seen": seen}
    with writing(request) as session:
        levels.set_level(session, column_or_404(session, column_id).id, level or None, actor=actor(request), **said)
    return RedirectResponse(f"/columns/{column_id}", 303)


@router.get("/tags")
def list_domains(request: Request, session: Reading) -> Response:
    found = [TagCountOut(**one) for one in columns.find_domains(session)]
    return page(request, session, "lake/tags.html", domains=found)


@router.get("/tags/by/{domain:path}")
def show_domain(
    request: Request,
    session: Reading,
    domain: str,
    status: Annotated[str, Query(max_length=20)] = "",
    number: PageNumber = 1,
) -> Response:
    found = listing(columns.find_tags(session, domain=domain, status=status, **stretch(number)), PlacedTagOut.at)
    if not found.total and not status:
        raise NotFound(f"no column is tagged {domain!r}", remedy="see /tags for those there are")
    return page(request, session, "lake/tag.html", domain=domain, status=status, found=found)
