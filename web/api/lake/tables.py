"""Tables, columns, versions and tags as JSON."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from sqlmodel import Session

from catalog.store.domains import lakedomains
from catalog.store.domains.surveyed import read_survey
from catalog.store.expectations import learners
from catalog.store.lake import batches
from catalog.store.lake.sources import get_source
from catalog.store.lake.tables import forget_table
from catalog.store.meaning import levels, review
from catalog.store.models import Table, Tag
from catalog.store.pages import columns, tables
from catalog.store.schemas.lake import ColumnOut, HistoryCoverageOut, TableOut, VersionLabel, VersionOut
from catalog.store.schemas.listing import Listing
from catalog.store.schemas.meaning import DecidedTagOut, DomainOut, LikeOut, PlacedTagOut, TagCountOut
from catalog.store.schemas.rules import LearnersOut, TableLearnersOut
from web import queue
from web.access.gate import actor
from web.api.schemas.answered import listing
from web.api.schemas.asked import DomainName, LabelChoice, LearnerChoice, LevelChoice, ModeChoice, TagDecision, TagSaid
from web.deps import Ident, Limit, Offset, Reading, VersionNumber, Words, writing
from web.pages.lake.columns import column_or_404
from web.pages.lake.learners import learn_soon, learn_source_soon
from web.pages.lake.tables import Wanted, table_or_404, version_or_404
from web.shown.workbench import like, placed

router = APIRouter(tags=["lake"])


@router.get("/tables", response_model=Listing[TableOut], summary="Tables, with search and filters")
def list_tables(
    request: Request, session: Reading, wanted: Wanted, limit: Limit = 50, offset: Offset = 0
) -> Listing[TableOut]:
    return listing(request, tables.find_tables(session, wanted, limit, offset), TableOut.of)


@router.get("/tables/{table_id}", response_model=TableOut, summary="One table")
def show_table(session: Reading, table_id: Ident) -> TableOut:
    return TableOut.whole(tables.table_lines(session, [table_or_404(session, table_id)])[0])


@router.delete("/tables/{table_id}", status_code=204, summary="Forget a table that is gone, with all learned of it")
def remove_table(request: Request, table_id: Ident) -> None:
    with writing(request) as session:
        forget_table(session, table_or_404(session, table_id).id)


@router.get(
    "/tables/{table_id}/coverage",
    response_model=HistoryCoverageOut,
    summary="How far back its history goes, what is lost",
)
def show_coverage(session: Reading, table_id: Ident) -> HistoryCoverageOut:
    return HistoryCoverageOut.of(batches.history_coverage(session, table_or_404(session, table_id)))


@router.post("/tables/{table_id}/mode", response_model=HistoryCoverageOut, summary="Say what a batch of the table is")
def set_mode(request: Request, table_id: Ident, wanted: ModeChoice) -> HistoryCoverageOut:
    with writing(request) as session:
        table = batches.set_mode(session, table_id, wanted.mode)
        found = HistoryCoverageOut.of(batches.history_coverage(session, table))
    if table.judged_version < 0 <= table.seen_version:
        queue.start(request.app.state.queue, request.app.state.engine, "crawl", table.name, table_id=table.id)
    return found


@router.get("/tables/{table_id}/learner", response_model=TableLearnersOut, summary="Who learns its columns' rules")
def show_learner(session: Reading, table_id: Ident) -> dict[str, str]:
    return _learners(session, table_or_404(session, table_id))


def _learners(session: Session, table: Table) -> dict[str, str]:
    waits = batches.learning_waits(session, table.id or 0)
    return learners.learners_of(session, table).words() | {"waits": waits}


@router.post(
    "/tables/{table_id}/learner",
    response_model=TableLearnersOut,
    summary="Choose who learns the rules; a worker relearns at once",
)
def choose_learner(request: Request, table_id: Ident, wanted: LearnerChoice) -> dict[str, str]:
    with writing(request) as session:
        table = learners.choose_for_table(session, table_id, wanted.learner, wanted.settings)
        told = _learners(session, table)
    learn_soon(request, table)
    return told


@router.get("/sources/{source_id}/learner", response_model=LearnersOut, summary="Who learns a source's rules")
def show_source_learner(session: Reading, source_id: Ident) -> dict[str, str]:
    return learners.of_source(get_source(session, source_id)).words()


@router.post("/sources/{source_id}/learner", response_model=LearnersOut, summary="Choose who learns a source's rules")
def choose_source_learner(request: Request, source_id: Ident, wanted: LearnerChoice) -> dict[str, str]:
    with writing(request) as session:
        source = learners.choose_for_source(session, source_id, wanted.learner, wanted.settings)
        told = learners.of_source(source).words()
    learn_source_soon(request, source)
    return told


@router.get("/tables/{table_id}/columns", response_model=Listing[ColumnOut], summary="The columns of a table")
def list_columns(
    request: Request, session: Reading, table_id: Ident, q: Words = "", limit: Limit = 50, offset: Offset = 0
) -> Listing[ColumnOut]:
    table_or_404(session, table_id)
    return listing(request, columns.columns_of(session, table_id, q.strip(), limit, offset), ColumnOut.of)


@router.get("/columns/{column_id}", response_model=ColumnOut, summary="One column with its profile and tags")
def show_column(session: Reading, column_id: Ident) -> ColumnOut:
    return ColumnOut.whole(columns.column_line(session, column_or_404(session, column_id)))


@router.put("/columns/{column_id}/level", response_model=ColumnOut, summary="Say how sensitive a column is")
def set_level(request: Request, column_id: Ident, wanted: LevelChoice) -> ColumnOut:
    with writing(request) as session:
        column = column_or_404(session, column_id)
        said = {"reason": wanted.reason, "seen": wanted.seen}
        levels.set_level(session, column_id, wanted.level, actor=actor(request), **said)
        return ColumnOut.of(columns.column_line(session, column))


@router.get("/tables/{table_id}/versions", response_model=Listing[VersionOut], summary="Versions, newest first")
def list_versions(
    request: Request, session: Reading, table_id: Ident, limit: Limit = 50, offset: Offset = 0
) -> Listing[VersionOut]:
    table_or_404(session, table_id)
    return listing(request, tables.versions_of(session, table_id, limit, offset), VersionOut.of)


@router.get("/tables/{table_id}/versions/{version}", response_model=VersionOut, summary="One version with its columns")
def show_version(session: Reading, table_id: Ident, version: VersionNumber) -> VersionOut:
    return VersionOut.whole(version_or_404(session, table_or_404(session, table_id), version))


@router.post(
    "/tables/{table_id}/versions/{version}/label",
    response_model=VersionLabel,
    summary="Say whether a version that no rule broke in was right",
)
def label_version(request: Request, table_id: Ident, version: VersionNumber, wanted: LabelChoice) -> VersionLabel:
    with writing(request) as session:
        table_or_404(session, table_id)
        row = batches.label_version(session, table_id, version, wanted.label)
        return VersionLabel.made(row)


@router.get("/tags", response_model=list[TagCountOut], summary="Every tag with its number of columns by status")
def list_domains(session: Reading) -> list[dict[str, Any]]:
    return columns.find_domains(session)


@router.get("/tags/of/{domain}", response_model=Listing[PlacedTagOut], summary="Columns that a domain tags")
def list_tags(
    request: Request,
    session: Reading,
    domain: Annotated[str, Path(max_length=200)],
    status: Annotated[str, Query(max_length=20)] = "",
    limit: Limit = 50,
    offset: Offset = 0,
) -> Listing[PlacedTagOut]:
    found = columns.find_tags(session, domain=domain, status=status, limit=limit, offset=offset)
    return listing(request, found, PlacedTagOut.at)


@router.get("/index", summary="Figures of the pattern index as the last survey left them; null before")
def show_index(request: Request) -> dict[str, Any] | None:
    return read_survey(request.app.state.settings)


@router.get("/patterns", response_model=list[DomainOut], summary="The lake's common domains, named or not")
def list_patterns(session: Reading) -> list[Any]:
    return lakedomains.list_domains(session)


@router.post("/patterns/{domain_id}/name", response_model=DomainOut, summary="Name a domain: it tags its columns")
def name_pattern(request: Request, domain_id: Ident, wanted: DomainName) -> DomainOut:
    with writing(request) as session:
        row = lakedomains.name_domain(
            session, domain_id, wanted.name, label=wanted.label, sensitive=wanted.sensitive, actor=actor(request)
        )
        return DomainOut.model_validate(row)


@router.get("/columns/{column_id}/like", response_model=list[LikeOut], summary="Columns like this one, by pattern")
def show_like(request: Request, session: Reading, column_id: Ident) -> list[LikeOut]:
    return placed(session, like(session, request.app.state.index, column_or_404(session, column_id)))


@router.post("/tags/{tag_id}", response_model=DecidedTagOut, summary="Accept or reject a tag")
def decide_tag(request: Request, tag_id: Ident, wanted: TagDecision) -> DecidedTagOut:
    with writing(request) as session:
        events = review.decide(session, [tag_id], wanted.status, actor(request), wanted.reason or "", wanted.seen)
        return DecidedTagOut.of(session.get_one(Tag, tag_id), events=events)


@router.post("/columns/{column_id}/tags", response_model=DecidedTagOut, summary="Say what a column is, proposed or not")
def say_tag(request: Request, column_id: Ident, wanted: TagSaid) -> DecidedTagOut:
    with writing(request) as session:
        column = column_or_404(session, column_id)
        tag, events = review.say_tag(session, column, wanted.domain, actor(request), wanted.reason)
        return DecidedTagOut.of(tag, events=events)
