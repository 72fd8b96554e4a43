"""The declared checks of a table: the list, and adding, trying, changing and retiring one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from sqlmodel import Session
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse

from catalog.declared.constraint import Constraint
from catalog.declared.kinds.registry import CHECK_KINDS
from catalog.errors import NotFound, UsageError
from catalog.roles import APPROVE, EDIT
from catalog.rules.exchange.registry import READERS
from catalog.rules.kinds.declared import DeclaredRule
from catalog.store import runs
from catalog.store.engine import session as open_session
from catalog.store.expectations import declared as store
from catalog.store.meaning import privacy
from catalog.store.meaning.levels import ask_of_hidden
from catalog.store.models import RuleRow, Run, Table
from catalog.store.pages import rules
from catalog.store.schemas.rules import CheckOut
from catalog.store.schemas.runs import RunOut
from web import queue
from web.access.gate import actor, identity
from web.deps import Ident, Reading, writing
from web.pages.lake.tables import frame, table_or_404
from web.render import page
from web.shown import checkform

router = APIRouter()
#: Versions that a preview judges; a bound of time.
LAST = 40


@router.get("/tables/{table_id}/checks")
def list_checks(request: Request, session: Reading, table_id: Ident) -> Response:
    return shown_list(request, session, table_id)


def shown_list(request: Request, session: Session, table_id: int, **more: Any) -> Response:
    """The page of a table's checks; `more`: what an import has to say."""
    table = table_or_404(session, table_id)
    _done, under_way = runs.last_of_table(session, table_id, "check")
    context = {
        "checks": shown_checks(session, store.checks_of(session, table_id)),
        "kinds": checkform.grouped(),
        "demands": checkform.demands,
    }
    context |= {"judging": under_way and RunOut.made(under_way), "trouble": waits_for_nobody(request, under_way)}
    context |= {"may_approve": identity(request).may(APPROVE), **frame(session, table)}
    context |= {"formats": READERS, "contract": None, "contract_error": None, "contract_given": {}, **more}
    return page(request, session, "expectations/table_checks.html", tab="checks", **context)


@router.get("/tables/{table_id}/checks/new")
def new_check(
    request: Request, session: Reading, table_id: Ident, kind: Annotated[str, Query(max_length=60)] = ""
) -> Response:
    if not kind:  # an address typed by hand, or kept: what to demand is chosen on the page of checks
        return RedirectResponse(f"/tables/{table_id}/checks", 303)
    checkform.kind_named(kind)
    return _form(request, session, table_or_404(session, table_id), {"kind": [kind]})


@router.get("/tables/{table_id}/checks/{rule_id:int}")
def edit_check(request: Request, session: Reading, table_id: Ident, rule_id: Ident) -> Response:
    identity(request).demand(EDIT)  # the form shows what was written, which a sentence may hide
    table = table_or_404(session, table_id)
    row, rule = check_or_404(session, table, rule_id)
    return _form(request, session, table, checkform.filled(rule.constraint), old=row)


@router.post("/tables/{table_id}/checks")
async def save_check(request: Request, table_id: Ident) -> Response:
    return await run_in_threadpool(_save, request, table_id, await _given(request))


@router.post("/tables/{table_id}/checks/preview")
async def start_preview(request: Request, table_id: Ident) -> Response:
    return await run_in_threadpool(_preview, request, table_id, await _given(request))


@router.get("/tables/{table_id}/checks/preview/{run_id}")
def show_preview(request: Request, session: Reading, table_id: Ident, run_id: Ident) -> Response:
    identity(request).demand(EDIT)
    table = table_or_404(session, table_id)
    run = runs.get_run(session, run_id)
    if run.kind != "preview" or run.table_id != table_id or not run.stats.get("check"):
        raise NotFound(f"run {run_id} tried no check of {table.name}", remedy=f"see /tables/{table_id}/checks")
    given = checkform.filled(Constraint.from_json(run.stats["check"]))
    old = next((one for one, _ in store.checks_of(session, table_id) if one.id == run.stats.get("old")), None)
    return _form(request, session, table, given, old=old, run=run)


@router.post("/tables/{table_id}/checks/{rule_id}/retire")
def retire_check(request: Request, table_id: Ident, rule_id: Ident) -> Response:
    retire(request, table_id, rule_id)
    return RedirectResponse(f"/tables/{table_id}/checks", 303)


async def _given(request: Request) -> dict[str, list[str]]:
    form = await request.form()
    return {name: [one for one in form.getlist(name) if isinstance(one, str)] for name in form}


def _save(request: Request, table_id: int, given: Mapping[str, Sequence[str]]) -> Response:
    old_id = _old(given)
    try:
        with open_session(request.app.state.engine, write=False) as session:
            types = dict(store.columns_of(session, table_or_404(session, table_id)))
        save(request, table_id, checkform.constraint_of(given, types), old_id)
    except UsageError as error:
        if isinstance(error, NotFound):
            raise
        return _refused(request, table_id, given, old_id, error)
    return RedirectResponse(f"/tables/{table_id}/checks", 303)


def _preview(request: Request, table_id: int, given: Mapping[str, Sequence[str]]) -> Response:
    old_id = _old(given)
    try:
        with open_session(request.app.state.engine, write=False) as session:
            table = table_or_404(session, table_id)
            types = dict(store.columns_of(session, table))
        run = preview(request, table, checkform.constraint_of(given, types), old_id)
    except UsageError as error:
        return _refused(request, table_id, given, old_id, error)
    return RedirectResponse(f"/tables/{table_id}/checks/preview/{run.id}", 303)


def _old(given: Mapping[str, Sequence[str]]) -> int | None:
    text = next(iter(given.get("old", ())), "")
    return int(text) if text.isdecimal() and len(text) < 10 else None


def _refused(
    request: Request, table_id: int, given: Mapping[str, Sequence[str]], old_id: int | None, error: UsageError
) -> Response:
    with open_session(request.app.state.engine, write=False) as session:
        table = table_or_404(session, table_id)
        old = next((row for row, _ in store.checks_of(session, table_id) if row.id == old_id), None)
        response = _form(request, session, table, given, old=old, error=error)
    response.status_code = 422
    return response


def _form(
    request: Request,
    session: Session,
    table: Table,
    given: Mapping[str, Sequence[str]],
    *,
    old: RuleRow | None = None,
    error: UsageError | None = None,
    run: Run | None = None,
) -> Response:
    name = next(iter(given.get("kind", ())), "")
    kind = CHECK_KINDS.get(name)
    if kind is None:
        raise UsageError(f"there is no check {name[:60]!r}", remedy="choose one of the list")
    context = {
        "kind": kind,
        "demands": checkform.demands(kind),
        "fields": checkform.fields_of(kind),
        "slots": checkform.slots(kind),
        "columns": store.columns_of(session, table),
        "choices": checkform.CHOICES,
        "given": given,
        "first": {key: next(iter(values), "") for key, values in given.items()},
        "old": old and old.id,
        "error": error,
        "run": run and RunOut.made(run),
        "live": run is not None and run.status in {"queued", "running"},
        "trouble": waits_for_nobody(request, run),
        "may_approve": identity(request).may(APPROVE),
        **frame(session, table),
    }
    return page(request, session, "expectations/check_form.html", tab="checks", **context)


def waits_for_nobody(request: Request, run: Run | None) -> str | None:
    """Why a run that is queued would wait in vain, in words; None where a worker is there, or none is needed."""
    if run is None or run.status != "queued" or request.app.state.alone.has(run.id):
        return None
    trouble: str | None = request.app.state.queue.trouble()
    return trouble


# ------------------------------------------------------------------------------- what the JSON interface does too


def check_or_404(session: Session, table: Table, rule_id: int) -> tuple[RuleRow, DeclaredRule]:
    """A check of a table that is not retired, by the id of its rule. Errors: `NotFound`."""
    found = next((pair for pair in store.checks_of(session, table.id or 0) if pair[0].id == rule_id), None)
    if found is None:
        old = session.get(RuleRow, rule_id)
        there = [row for row, _ in store.checks_of(session, table.id or 0) if old and row.learner == old.learner]
        now = f"it is check {there[0].id} now" if there and old and old.table_id == table.id else "it was retired"
        raise NotFound(f"{table.name} has no check {rule_id}", remedy=f"{now}: look at the list again")
    return found


def save(request: Request, table_id: int, constraint: Constraint, old_id: int | None = None) -> RuleRow:
    """Put a check on a table, or in the place of another, and let a worker judge the version that is there. Who may not
    decide on rules makes a draft, which nothing is judged by until it is approved. Errors: `NotFound`, `Forbidden`,
    `UsageError`."""
    who = identity(request)
    with writing(request) as session:
        table = table_or_404(session, table_id)
        old = None
        if old_id is not None:
            row, rule = check_or_404(session, table, old_id)
            old = rule.constraint.name
            if row.status != "draft":
                who.demand(APPROVE)
        store.put_check(session, table_id, constraint, actor=actor(request), old=old, draft=not who.may(APPROVE))
        made = next(row for row, rule in store.checks_of(session, table_id) if rule.constraint.name == constraint.name)
        session.expunge(made)
    judge_soon(request, table)
    return made


def retire(request: Request, table_id: int, rule_id: int) -> None:
    """Demand a check no more. Errors: `NotFound`, `Forbidden` of one in force for who may not decide on rules."""
    with writing(request) as session:
        row, rule = check_or_404(session, table_or_404(session, table_id), rule_id)
        if row.status != "draft":
            identity(request).demand(APPROVE)
        store.retire_check(session, table_id, rule.constraint.name, actor=actor(request))


def preview(request: Request, table: Table, constraint: Constraint, old_id: int | None = None) -> Run:
    """Judge the last versions by a check: by a worker, or where none is there by a process for it alone, since somebody
    waits. Errors: `UsageError` where it does not fit, `Forbidden` of masked values, `BrokerError`."""
    with writing(request) as session:
        store.fit_table(session, table, constraint)
        ask_of_hidden(session, table, constraint, identity(request))
    stats: dict[str, Any] = {"check": constraint.to_json(), "old": old_id, "versions": LAST}
    state = request.app.state
    if state.queue.trouble() is None:
        return queue.start(state.queue, state.engine, "preview", table.name, stats=stats, table_id=table.id)
    with writing(request) as session:
        run = runs.queue_run(session, "preview", table.name, stats=stats, table_id=table.id)
    state.alone.start(run.id)
    return run


def judge_soon(request: Request, table: Table) -> None:
    """Let a worker judge the version that is there; where none answers, the next crawl's versions are the first."""
    queue.soon(request.app.state.queue, request.app.state.engine, "check", table.name, table_id=table.id)


def judge_by(request: Request, row: RuleRow) -> None:
    """The same where a check of a draft was approved, or one that rested is demanded again."""
    if row.kind in DeclaredRule.meanings and row.status == "active":
        with open_session(request.app.state.engine, write=False) as session:
            table = session.get_one(Table, row.table_id)
        judge_soon(request, table)


def shown_checks(session: Session, found: Sequence[tuple[RuleRow, DeclaredRule]]) -> list[CheckOut]:
    """Checks as they may be shown, with what they said last."""
    last = rules.last_outcomes(session, [row.id for row, _ in found])
    return [CheckOut.of(row, rule, last.get(row.id), private=privacy.is_private(session, row)) for row, rule in found]
