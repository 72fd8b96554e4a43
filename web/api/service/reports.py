"""Reports as JSON and as files: made at once, written again and again, and those that were written."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from pydantic import Field

from catalog.reports.document import MEDIA
from catalog.reports.facts import Scope
from catalog.reports.figures import REPORT_KINDS
from catalog.store.pages.lines import cut_list
from catalog.store.reports import filed, schedules
from catalog.store.schemas.listing import Listing
from catalog.store.schemas.runs import FiledOut, ScheduleOut
from web.access.gate import actor
from web.api.schemas import asked as schema
from web.api.schemas.answered import listing
from web.deps import Ident, Limit, Offset, Reading, writing
from web.pages.service.reports import Wanted, as_file, document, make, wanted

router = APIRouter(tags=["reports"])
FILES: dict[int | str, dict[str, Any]] = {200: {"content": {media.partition(";")[0]: {} for media in MEDIA.values()}}}


class WantedSchedule(schema.Wanted):
    kind: str = Field(max_length=20, description=", ".join(REPORT_KINDS))
    every: str = Field("month", max_length=20, description="day, week, month or quarter")
    format: str = Field("pdf", max_length=10, description=", ".join(MEDIA))
    source: str = Field("", max_length=200, description="only of this source")
    owner: str = Field("", max_length=200, description="only what this person or team owns")


@router.get("/reports", summary="The figures of a report, with their fingerprint")
def get_report(request: Request, asked: Annotated[Wanted, Depends(wanted)]) -> dict[str, Any]:
    report = make(request, asked)
    return {"fingerprint": report.fingerprint, **report.figures()}


@router.get("/reports/file", response_class=Response, responses=FILES, summary="A report as a file")
def get_file(
    request: Request,
    asked: Annotated[Wanted, Depends(wanted)],
    form: Annotated[str, Query(pattern=f"^({'|'.join(MEDIA)})$", description=", ".join(MEDIA))] = "pdf",
) -> Response:
    return document(make(request, asked), form)


@router.get(
    "/reports/filed", response_model=Listing[FiledOut], summary="Reports that the service wrote, the latest day first"
)
def list_filed(request: Request, limit: Limit = 50, offset: Offset = 0) -> Listing[FiledOut]:
    found = filed.filed(request.app.state.settings.home)
    return listing(request, cut_list(found, limit, offset), FiledOut.made)


@router.get("/reports/filed/{whose}/{name}", response_class=Response, responses=FILES, summary="One that was written")
def get_filed(
    request: Request, whose: Annotated[str, Path(max_length=100)], name: Annotated[str, Path(max_length=100)]
) -> Response:
    found, data = filed.read_filed(request.app.state.settings.home, whose, name)
    return as_file(data, found.name, found.format)


@router.get("/reports/schedules", response_model=list[ScheduleOut], summary="Reports that are written again and again")
def list_schedules(session: Reading) -> list[ScheduleOut]:
    return [ScheduleOut.made(one) for one in schedules.list_schedules(session)]


@router.post(
    "/reports/schedules", response_model=ScheduleOut, status_code=201, summary="Have a report written again and again"
)
def add_schedule(request: Request, wanted: WantedSchedule) -> ScheduleOut:
    with writing(request) as session:
        scope = Scope(wanted.source.strip(), wanted.owner.strip())
        found = schedules.add_schedule(session, wanted.kind, wanted.every, wanted.format, scope, actor=actor(request))
        return ScheduleOut.made(found)


@router.delete("/reports/schedules/{schedule_id}", status_code=204, summary="Write a report no more; its files stay")
def remove_schedule(request: Request, schedule_id: Ident) -> None:
    with writing(request) as session:
        schedules.remove_schedule(session, schedule_id, actor=actor(request))
