"""Tables: the list with search and facets, and one table with its columns, rules, history, violations and versions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Query, Request, Response
from sqlmodel import Session
from starlette.responses import RedirectResponse

from catalog.errors import NotFound
from catalog.learners.registry import LEARNERS, SETTINGS
from catalog.rules.rule import class_of
from catalog.store.access import approvals, owners
from catalog.store.expectations import budget, learners
from catalog.store.expectations import rules as kept
from catalog.store.lake import batches
from catalog.store.lake.tables import forget_table
from catalog.store.meaning import privacy
from catalog.store.meaning.levels import table_levels
from catalog.store.models import Outcome, RuleRow, Run, Table, Version
from catalog.store.pages import columns, rules, tables, work
from catalog.store.schemas.incidents import IncidentOut
from catalog.store.schemas.lake import ColumnOut, TableOut, VersionOut
from catalog.store.schemas.listing import listing
from catalog.store.schemas.people import ApprovalOut
from catalog.store.schemas.rules import OutcomeOut, RuleOut
from catalog.tags.privacy.hiding import Hiding
from catalog.tags.privacy.levels import SENSITIVITY_LEVELS
from web import queue
from web.access.gate import identity
from web.deps import Ident, PageNumber, Reading, VersionNumber, Words, stretch, writing
from web.drawing.history import (
    Series,
    alignment,
    demands,
    figure,
    measured,
    measures,
    series_of,
    shapes_before_and_now,
)
from web.drawing.scale import Point
from web.render import page
from web.shown.drilled import drilled

router = APIRouter()
#: A number as it is typed into a form.
SORTS = {"name": "Name", "incidents": "Open incidents", "rows": "Rows", "bytes": "Size", "changed": "Last change"}
CHARTS_A_PAGE = 12  # a bound of space
LevelName = Annotated[str, Query(pattern=f"^({'|'.join(SENSITIVITY_LEVELS)}|)$", description="of one of its columns")]
OwnerName = Annotated[str, Query(max_length=owners.MOST_OWNER_NAME, description="a name, mine or unowned")]


def mine(request: Request, session: Session) -> tuple[str, ...]:
    """The names under which things are one's own: one's name and those of one's teams."""
    return owners.names_of(session, identity(request).name)


def filter_of(
    request: Request,
    session: Reading,
    q: Words = "",
    status: Annotated[str, Query(max_length=20)] = "",
    source: Annotated[str, Query(pattern=r"^\d{0,9}$", description="id of a source")] = "",
    tag: Annotated[str, Query(max_length=200)] = "",
    sensitive: bool = False,
    incidents: bool = False,
    sort: Annotated[str, Query(pattern=f"^({'|'.join(SORTS)})$")] = "name",
    owner: OwnerName = "",
    level: LevelName = "",
) -> tables.TableFilter:
    """Which tables are asked for, by a page or a program."""
    chosen = int(source) if source else None
    more: dict[str, Any] = {"open": incidents, "sort": sort, "owner": owner.strip(), "level": level}
    return tables.TableFilter(q.strip(), status, chosen, tag, sensitive, who=mine(request, session), **more)


Wanted = Annotated[tables.TableFilter, Depends(filter_of)]


@router.get("/tables")
def list_tables(request: Request, session: Reading, wanted: Wanted, number: PageNumber = 1) -> Response:
    found = listing(tables.find_tables(session, wanted, **stretch(number)), TableOut.of)
    facets = tables.table_facets(session, wanted)
    return page(
        request,
        session,
        "lake/tables.html",
        wanted=wanted,
        found=found,
        facets=facets,
        sorts=SORTS,
        any_source=bool(tables.any_source(session)),
    )


def table_or_404(session: Session, table_id: int) -> Table:
    table = session.get(Table, table_id) if table_id < 2**31 else None
    if table is None:
        raise NotFound(f"there is no table {table_id}", remedy="search for it by name at /tables")
    return table


@router.post("/tables/{table_id}/remove")
def remove_table(request: Request, table_id: Ident) -> Response:
    with writing(request) as session:
        table = table_or_404(session, table_id)
        source_id = table.source_id
        forget_table(session, table.id)
    return RedirectResponse(f"/tables?source={source_id}", 303)


def version_or_404(session: Session, table: Table, number: int) -> Version:
    found = tables.version_of(session, table.id, number)
    if found is None:
        raise NotFound(f"{table.name} has no version {number} here", remedy=f"see /tables/{table.id}/versions")
    return found


def frame(session: Session, table: Table) -> dict[str, Any]:
    """What the head of each of a table's pages shows."""
    assert table.id is not None
    return {
        "table": TableOut.whole(tables.table_lines(session, [table])[0]),
        "open": listing(work.list_incidents(session, status="open", table_id=table.id, limit=5), IncidentOut.of),
        "owner": owners.owner_of(session, "table", table.id),
        "level": table_levels(session, [table.id])[table.id],
        "waiting": [ApprovalOut.of(session, one) for one in approvals.list_approvals(session, table_id=table.id)],
    }


def charts_of(session: Session, table: Table, chosen: list[RuleRow], most: int = 40) -> dict[int, list[Series]]:
    """What to draw of each rule, by its id."""
    known = measured(tables.measured_versions(session, table))
    hide = privacy.hiding(session, table.id or 0)
    return {
        rule.id or 0: series_of(
            rule,
            known,
            rules.outcomes_of_demand(session, rule),
            most,
            private=hide.private_rule(rule.column_name, rule.body),
        )
        for rule in chosen
    }


@router.get("/tables/{table_id}")
def show_table(request: Request, session: Reading, table_id: Ident, q: Words = "", number: PageNumber = 1) -> Response:
    table = table_or_404(session, table_id)
    found = listing(columns.columns_of(session, table_id, q.strip(), **stretch(number, 100)), ColumnOut.of)
    context = {"found": found, "q": q, "demoted": demoted(session, table_id), **frame(session, table)}
    return page(request, session, "lake/table_columns.html", tab="columns", **context)


def demoted(session: Session, table_id: int) -> list[RuleOut]:
    """Rules of a table that only warn."""
    return [RuleOut.of(rules.rule_line(session, row)) for row in kept.demoted_rules(session, table_id)]


@router.get("/tables/{table_id}/rules")
def show_rules(request: Request, session: Reading, table_id: Ident, number: PageNumber = 1) -> Response:
    table = table_or_404(session, table_id)
    found = listing(rules.list_rules(session, table_id=table_id, **stretch(number)), RuleOut.of)
    ledger = budget.ledger(session, table_id, request.app.state.settings.false_alarm_budget)
    learned = learners.learners_of(session, table)
    context = {"found": found, "ledger": ledger, "demoted": demoted(session, table_id), **frame(session, table)}
    context |= {"learned": learned, "learners": LEARNERS.values(), "settings": SETTINGS}
    context |= {"waits": batches.learning_waits(session, table_id)}
    return page(request, session, "lake/table_rules.html", tab="rules", **context)


@router.get("/tables/{table_id}/history")
def show_history(request: Request, session: Reading, table_id: Ident, number: PageNumber = 1) -> Response:
    table = table_or_404(session, table_id)
    page_of = stretch(number, CHARTS_A_PAGE)
    drawn = rules.find_rules(session, table_id=table_id, status="active", charted=True, **page_of)
    chosen = [rule for rule, _ in drawn.items]
    series = charts_of(session, table, chosen, most=1)
    unlisted = (
        [] if any(class_of(rule.kind).of_all_rows for rule in chosen) or number > 1 else recent_rows(session, table)
    )
    charts = [
        (RuleOut.of(line), one) for line in rules.rule_lines(session, drawn.items) for one in series[line.rule.id]
    ]
    return page(
        request,
        session,
        "lake/table_history.html",
        tab="history",
        found=listing(drawn, lambda pair: pair[0].id),
        charts=charts,
        rows=unlisted,
        drill=drilled(session, table),
        coverage=batches.history_coverage(session, table),
        **frame(session, table),
    )


@router.post("/tables/{table_id}/drill")
def start_drill(request: Request, session: Reading, table_id: Ident) -> Response:
    return RedirectResponse(f"/runs/{drill(request, table_or_404(session, table_id)).id}", 303)


def drill(request: Request, table: Table) -> Run:
    """Let a worker try the rules of a table on damaged data."""
    return queue.start(request.app.state.queue, request.app.state.engine, "drill", table.name, table_id=table.id)


def recent_rows(session: Session, table: Table) -> list[Point]:
    """The rows of each batch, where no rule of the table looks at them."""
    assert table.id is not None
    found = tables.recent_versions(session, table.id)
    return [Point(v.number, v.batch_rows if v.batch_rows is not None else v.rows) for v in found]


def normal_rows(rows: Sequence[dict[str, Any]], column: str, offenders: dict[str, Any]) -> set[int]:
    """Places of the rows that stand beside the offending ones because they are as usual.

    >>> normal_rows([{"a": 9.0}, {"a": 1}, {"a": "x"}], "a", {"outside": [0, 2]})
    {1}
    """
    low, high = offenders.get("outside") or (None, None)
    if low is None or high is None:
        return set()
    numbers = [(i, one[column]) for i, one in enumerate(rows) if isinstance(one.get(column), int | float)]
    return {i for i, value in numbers if low <= value <= high}


def shown_outcome(outcome: Outcome, rule: RuleRow, hide: Hiding) -> dict[str, Any]:
    """An outcome with its offending rows masked."""
    told = OutcomeOut.of(outcome, rule, hide)
    rows, kind = told.rows or [], rule.column_kind
    heads: list[str] = list(dict.fromkeys(name for row in rows for name in row))
    said: dict[str, Any] = {
        "measures": measures(outcome, kind),
        "figure": figure(outcome, kind),
        "shapes": shapes_before_and_now(outcome),
    }
    said["normal"] = normal_rows(rows, rule.column_name, (outcome.detail or {}).get("offenders") or {})
    said |= {"demands": demands(outcome), "alignment": alignment(outcome)}
    return {"outcome": told, "rows": rows, "heads": heads, **said}


@router.get("/tables/{table_id}/violations")
def show_violations(request: Request, session: Reading, table_id: Ident, number: PageNumber = 1) -> Response:
    table = table_or_404(session, table_id)
    asked = {"table_id": table_id, "status": "violated"}
    found = listing(rules.list_outcomes(session, **asked, **stretch(number, 20)), lambda line: shown_outcome(*line))
    return page(request, session, "lake/table_violations.html", tab="violations", found=found, **frame(session, table))


@router.get("/tables/{table_id}/versions")
def show_versions(request: Request, session: Reading, table_id: Ident, number: PageNumber = 1) -> Response:
    table = table_or_404(session, table_id)
    found = listing(tables.versions_of(session, table_id, **stretch(number)), VersionOut.of)
    context = {
        "found": found,
        "coverage": batches.history_coverage(session, table),
        "modes": batches.MODES,
        **frame(session, table),
    }
    return page(request, session, "lake/table_versions.html", tab="versions", **context)


@router.post("/tables/{table_id}/mode")
def set_mode(request: Request, table_id: Ident, mode: Annotated[str, Form(max_length=20)]) -> Response:
    """A change of mode observes the past again, which a worker does; without one the next crawl does it."""
    with writing(request) as session:
        table = batches.set_mode(session, table_id, mode)
    if table.judged_version < 0 <= table.seen_version:
        run = queue.start(request.app.state.queue, request.app.state.engine, "crawl", table.name, table_id=table.id)
        return RedirectResponse(f"/runs/{run.id}", 303)
    return RedirectResponse(f"/tables/{table_id}/versions", 303)


@router.get("/tables/{table_id}/versions/{version}")
def show_version(request: Request, session: Reading, table_id: Ident, version: VersionNumber) -> Response:
    table = table_or_404(session, table_id)
    told = VersionOut.whole(version_or_404(session, table, version))
    hide = privacy.hiding(session, table_id)
    said = rules.outcomes_of_version(session, table_id, version)
    shown = [shown_outcome(outcome, rule, hide) for outcome, rule in said]
    context = {**frame(session, table), "shown": shown, "beside": tables.neighbours(session, table_id, version)}
    return page(request, session, "lake/table_version.html", tab="versions", version=told, **context)


@router.post("/tables/{table_id}/versions/{version}/label")
def label_version(
    request: Request, table_id: Ident, version: VersionNumber, label: Annotated[str, Form(max_length=20)]
) -> Response:
    """A person says whether a version was right: what is learned next takes it into account."""
    with writing(request) as session:
        batches.label_version(session, table_id, version, label)
    return RedirectResponse(f"/tables/{table_id}/versions/{version}", 303)
