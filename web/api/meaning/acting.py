"""Acting on tags as JSON: carrying one to columns that hold the same data, and into other systems. Nothing is run
elsewhere."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from catalog.store.meaning import acting, spread
from catalog.store.pages.lines import cut_list
from catalog.store.schemas.listing import Listing
from catalog.store.schemas.meaning import CarriedOut, SpreadOut, SqlOut
from catalog.tags.acting.sql import READERS
from web.access.gate import actor
from web.api.schemas.answered import listing
from web.deps import Ident, Limit, Offset, Reading, writing
from web.pages.lake.tables import table_or_404

router = APIRouter(tags=["tags"])
Proposed = Annotated[bool, Query(description="also what nobody reviewed yet")]


@router.get(
    "/tags/{tag_id}/spread",
    response_model=Listing[SpreadOut],
    summary="Where an accepted tag would be carried, and why not elsewhere: by the hashed values of columns",
)
def plan_spread(
    request: Request, session: Reading, tag_id: Ident, limit: Limit = 50, offset: Offset = 0
) -> Listing[SpreadOut]:
    return listing(request, cut_list(spread.plan(session, tag_id), limit, offset), SpreadOut.made)


@router.post(
    "/tags/{tag_id}/spread",
    response_model=CarriedOut,
    summary="Carry an accepted tag to the columns that hold the same data",
)
def carry_tag(request: Request, tag_id: Ident) -> CarriedOut:
    with writing(request) as session:
        planned = spread.plan(session, tag_id)
        events = spread.carry(session, tag_id, planned, actor(request))
    carried = [SpreadOut.made(one) for one in planned if one.what == "carry"]
    return CarriedOut(carried=carried, skipped=len(planned) - len(carried), events=events)


@router.get(
    "/tables/{table_id}/tags/sql",
    response_model=SqlOut,
    summary="SQL of comments, tags and column masks for Unity Catalog, or of comments for Delta; nothing is run",
)
def show_sql(
    session: Reading,
    table_id: Ident,
    system: Annotated[str, Query(max_length=20, description="unity or delta")] = "unity",
    name: Annotated[str, Query(max_length=500, description="what the table is called there")] = "",
    group: Annotated[str, Query(max_length=200, description="whose members see masked values")] = READERS,
    proposed: Proposed = False,
) -> SqlOut:
    table = table_or_404(session, table_id)
    made = acting.statements_for(session, table, system=system, name=name, group=group, proposed=proposed)
    return SqlOut(system=system, statements=made)


@router.get("/tables/{table_id}/lineage", summary="What is known of a table, as an OpenLineage dataset")
def show_lineage(session: Reading, table_id: Ident, proposed: Proposed = False) -> dict[str, Any]:
    return acting.dataset_of(session, table_or_404(session, table_id), proposed=proposed)
