"""Reports: choose one, read its summary, download it, have it made again and again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request, Response
from starlette.responses import RedirectResponse

from catalog.errors import AssayError, NotFound
from catalog.reports import words
from catalog.reports.document import MEDIA, render
from catalog.reports.facts import Scope
from catalog.reports.figures import GOVERNANCE, REPORT_KINDS, Report
from catalog.reports.period import DEFAULT_PERIOD, EVERY, period_of
from catalog.reports.section import iso
from catalog.store.engine import session as open_session
from catalog.store.pages.work import source_lines
from catalog.store.reports import filed, moment, schedules
from catalog.store.schemas.runs import FiledOut, ScheduleOut
from web.access.gate import actor
from web.deps import Ident, Reading, writing
from web.render import page

router = APIRouter()
SHOWN_FILES = 20  # a bound of space; the API lists all
Kind = Annotated[str, Query(max_length=20)]
Name = Annotated[str, Query(max_length=200)]


@dataclass(frozen=True)
class Wanted:
    """What is asked for, as people write it."""

    kind: str
    source: str
    owner: str
    as_of: str
    period: str


def wanted(
    kind: Kind = GOVERNANCE,
    source: Name = "",
    owner: Name = "",
    as_of: Annotated[str, Query(max_length=40)] = "",
    period: Annotated[str, Query(max_length=40)] = "",
) -> Wanted:
    return Wanted(kind, source.strip(), owner.strip(), as_of.strip(), period.strip())


def make(request: Request, asked: Wanted) -> Report:
    """The report that is asked for. Errors: `UsageError`, `NotFound`."""
    engine = request.app.state.engine
    with open_session(engine) as session:
        now = moment.settle(session)
    start, end = period_of(asked.period, asked.as_of, now)
    with open_session(engine, write=False) as session:
        return moment.report(session, asked.kind, Scope(asked.source, asked.owner), start, end)


def same(report: Report) -> dict[str, Any]:
    """The query that makes a report again, whenever it is asked."""
    asked = {"kind": report.kind, "source": report.scope.source, "owner": report.scope.owner}
    return asked | {"as_of": iso(report.moment), "period": iso(report.start)}


@router.get("/reports")
def show_reports(
    request: Request,
    session: Reading,
    kind: Kind = "",
    source: Name = "",
    owner: Name = "",
    as_of: Annotated[str, Query(max_length=40)] = "",
    period: Annotated[str, Query(max_length=40)] = "",
) -> Response:
    asked = wanted(kind or GOVERNANCE, source, owner, as_of, period)
    report: Report | None = None
    trouble: AssayError | None = None
    try:
        report = make(request, asked) if kind else None
    except AssayError as error:  # what cannot be made is said beside the form that asks for it
        trouble = error
    return page(
        request,
        session,
        "service/reports.html",
        asked=asked,
        report=report,
        trouble=trouble,
        kinds=REPORT_KINDS,
        titles_of=words.TITLE,
        words=words,
        again=same(report) if report else {},
        formats=tuple(MEDIA),
        default_period=DEFAULT_PERIOD,
        sources=[line.source.name for line in source_lines(session)],
        scheduled=[ScheduleOut.made(one) for one in schedules.list_schedules(session)],
        every=EVERY,
        filed=[FiledOut.made(one) for one in filed.filed(request.app.state.settings.home)[:SHOWN_FILES]],
    )


@router.get("/reports/{kind}.{form}")
def download(
    request: Request,
    kind: str,
    form: str,
    source: Name = "",
    owner: Name = "",
    as_of: Annotated[str, Query(max_length=40)] = "",
    period: Annotated[str, Query(max_length=40)] = "",
) -> Response:
    if kind not in REPORT_KINDS or form not in MEDIA:
        raise NotFound("there is no such report", remedy="see /reports for those there are")
    return document(make(request, wanted(kind, source, owner, as_of, period)), form)


@router.get("/reports/filed/{whose}/{name}")
def download_filed(request: Request, whose: str, name: str) -> Response:
    found, data = filed.read_filed(request.app.state.settings.home, whose, name)
    return as_file(data, found.name, found.format)


def document(report: Report, form: str) -> Response:
    """A report as a file."""
    name = f"{report.kind}-{iso(report.moment)}".replace(":", "").partition(".")[0]
    answer = as_file(render(report, form), f"{name}.{form}", form)
    answer.headers["x-fingerprint"] = report.fingerprint
    return answer


def as_file(data: bytes, name: str, form: str) -> Response:
    """The bytes of a report, to be shown where a browser can, else to be kept."""
    headers = {"content-disposition": f'{"inline" if form == "html" else "attachment"}; filename="{name}"'}
    if form == "html":  # a document of its own: it styles itself, and runs nothing
        headers["content-security-policy"] = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
    return Response(data, media_type=MEDIA[form], headers=headers)


@router.post("/reports/schedules")
def add_schedule(
    request: Request,
    kind: Annotated[str, Form(max_length=20)],
    every: Annotated[str, Form(max_length=20)],
    form: Annotated[str, Form(max_length=10)] = "pdf",
    source: Annotated[str, Form(max_length=200)] = "",
    owner: Annotated[str, Form(max_length=200)] = "",
) -> Response:
    with writing(request) as session:
        scope = Scope(source.strip(), owner.strip())
        schedules.add_schedule(session, kind, every, form, scope, actor=actor(request))
    return RedirectResponse("/reports#schedules", 303)


@router.post("/reports/schedules/{schedule_id}/remove")
def remove_schedule(request: Request, schedule_id: Ident) -> Response:
    with writing(request) as session:
        schedules.remove_schedule(session, schedule_id, actor=actor(request))
    return RedirectResponse("/reports#schedules", 303)
