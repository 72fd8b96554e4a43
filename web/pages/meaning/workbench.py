"""The workbench: from pasted values, a column or a pattern to a domain that tags its columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request, Response
from sqlmodel import Session, col, select
from starlette.responses import RedirectResponse

from catalog.errors import AssayError, Held, NotFound, UsageError
from catalog.roles import APPROVE
from catalog.store.domains import lakedomains
from catalog.store.domains.surveyed import read_survey
from catalog.store.domains.workbench import make_domain
from catalog.store.models import LakeColumn, LakeDomain
from catalog.store.pages import columns
from catalog.store.schemas.lake import ColumnRef
from catalog.store.schemas.meaning import DomainOut, TagOut
from web.access.gate import actor, identity
from web.deps import Ident, MaybeIdent, Reading, writing
from web.pages.lake.columns import column_or_404
from web.render import page
from web.shown.workbench import Example, placed, ranked, tried

router = APIRouter()
SHOWN_COLUMNS, SHOWN_VALUES, SHOWN_TICKS = 12, 12, 500  # bounds of space
Values = Annotated[str, Form(max_length=200_000)]
Pattern = Annotated[str, Form(max_length=200)]
ColumnId = Annotated[int | None, Form(ge=0, le=2**31 - 1)]


@router.get("/workbench")
def show_workbench(
    request: Request,
    session: Reading,
    column: MaybeIdent = None,
    pattern: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    asked = column is not None or "pattern" in request.query_params
    return _show(request, session, example_of(session, "", column, pattern), asked=asked)


@router.post("/workbench")
def try_example(
    request: Request, session: Reading, values: Values = "", column: ColumnId = None, pattern: Pattern = ""
) -> Response:
    """A dry run: nothing is written. Pasted values come by POST, so that no log of addresses holds them."""
    return _show(request, session, example_of(session, values, column, pattern), asked=True)


@router.post("/workbench/accept")
def accept(
    request: Request,
    session: Reading,
    regex: Annotated[str, Form(max_length=100_000)],
    name: Annotated[str, Form(max_length=60)],
    values: Values = "",
    column: ColumnId = None,
    pattern: Pattern = "",
    label: Annotated[str, Form(max_length=100)] = "",
    sensitive: Annotated[bool, Form()] = False,
    tick: Annotated[list[int] | None, Form()] = None,
) -> Response:
    """Make the chosen pattern a domain. What cannot be is told on the page, which keeps the example and the ticks: to
    a page that was sent values, a browser does not lead back."""
    called: dict[str, Any] = {"name": name.strip(), "label": label, "sensitive": sensitive}
    given, ticked = (values, column, pattern), tick or []
    try:
        with writing(request) as current:
            row = accepted(request, current, given, regex, ticked=ticked, **called)
    except UsageError as error:
        if isinstance(error, Held | NotFound):
            raise
        refused = {"error": error, "regex": regex, "ticked": ticked, **called}
        return _show(request, session, example_of(session, *given), asked=True, refused=refused)
    return RedirectResponse(f"/tags/by/{row.name}", 303)


def accepted(
    request: Request,
    session: Session,
    given: tuple[str, int | None, str],
    regex: str,
    *,
    name: str,
    label: str,
    sensitive: bool,
    ticked: Sequence[int],
) -> LakeDomain:
    """Make a domain of the pattern that was chosen of those that the example `given` has. It is found again from the
    example: a regex of the browser is never run. Errors: `UsageError`, `NotFound`."""
    found = ranked(session, request.app.state.index, example_of(session, *given))
    chosen = next((one for one in found if one.regex == regex), None)
    if chosen is None:
        raise UsageError(
            "the lake has changed since: the pattern is not found any more", remedy="try the example again"
        )
    who = identity(request)
    more: dict[str, Any] = {"settle": who.may(APPROVE), "actor": who.name}
    return make_domain(session, chosen, name, label=label, sensitive=sensitive, ticked=ticked, **more)


@router.post("/workbench/{domain_id}/name")
def rename(
    request: Request,
    domain_id: Ident,
    name: Annotated[str, Form(max_length=60)],
    label: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Another name for a domain, which stays as sensitive as it is."""
    with writing(request) as session:
        sensitive = lakedomains.get_domain(session, domain_id).sensitive
        called: dict[str, Any] = {"label": label, "sensitive": sensitive, "actor": actor(request)}
        lakedomains.name_domain(session, domain_id, name.strip(), **called)
    return RedirectResponse(f"/workbench#d{domain_id}", 303)


@router.post("/workbench/{domain_id}/forget")
def forget_name(request: Request, domain_id: Ident, reason: Annotated[str, Form(max_length=300)] = "") -> Response:
    with writing(request) as session:
        lakedomains.forget_name(session, domain_id, reason=reason.strip())
    return RedirectResponse("/workbench", 303)


def example_of(session: Session, values: str, column: int | None, pattern: str) -> Example:
    """What is started from. Errors: `NotFound` for a column that is not there."""
    return Example(values, column_or_404(session, column) if column is not None else None, pattern.strip())


def _show(
    request: Request, session: Session, example: Example, *, asked: bool, refused: dict[str, Any] | None = None
) -> Response:
    found: list[dict[str, Any]] = []
    trouble: AssayError | None = None
    if asked:
        try:
            options = placed(session, ranked(session, request.app.state.index, example))
            found = list(_unlike(one.model_dump() for one in options))
        except (NotFound, UsageError) as error:  # nothing to compare with is no error of the one who looks
            trouble = error
    ids = {one["column_id"] for option in found for one in option["columns"] if one["column_id"]}
    for option in found:
        option["tried"] = tried(option["regex"], example.pasted) if example.pasted else None
    domains = [DomainOut.made(one) for one in lakedomains.list_domains(session)]
    return page(
        request,
        session,
        "meaning/workbench.html",
        http_status=400 if refused else 200,
        refused=refused,
        given=example.values,
        pattern=example.pattern,
        pasted=example.pasted,
        column=example.column and ColumnRef.made(example.column),
        asked=asked,
        distinct=len(example.distinct),
        found=found,
        trouble=trouble,
        values=_values(session, ids, found),
        tags={key: [TagOut.of(one) for one in found] for key, found in columns.tags_of(session, ids).items()},
        figures=read_survey(request.app.state.settings),
        domains=domains,
        tagged={one["domain"]: one for one in columns.find_domains(session)} if any(d.name for d in domains) else {},
        places=lakedomains.where(session, [one for row in domains for one in row.described[:SHOWN_COLUMNS]]),
        most=SHOWN_COLUMNS,
        shown_values=SHOWN_VALUES,
        most_ticks=SHOWN_TICKS,
    )


def _unlike(options: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The first of the patterns that read alike and would tag the same columns: to people they are the same."""
    seen = set()
    for option in options:
        told = option["sentence"], frozenset((one["table"], one["column"]) for one in option["columns"])
        if told not in seen:
            seen.add(told)
            yield option


def _values(
    session: Session, ids: set[int], found: list[dict[str, Any]]
) -> dict[tuple[str, int], tuple[list[str], list[str]]]:
    """By pattern and column, frequent values that match and that do not, as they may be shown."""
    shown = {one["column_id"] for option in found for one in option["columns"][:SHOWN_TICKS]} & ids
    rows = {one.id: one for one in session.exec(select(LakeColumn).where(col(LakeColumn.id).in_(shown)))}
    out = {}
    for option in found:
        for one in option["columns"][:SHOWN_TICKS]:
            column = rows.get(one["column_id"])
            if column is None or column.sensitive:  # what is kept of it is masked, and matches nothing
                continue
            match, fail = tried(option["regex"], [str(value) for value, *_ in column.profile.get("top") or []])
            out[option["regex"], column.id] = (match[:3], fail[:3])
    return out
