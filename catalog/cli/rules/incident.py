"""`assay incident`: rules that broke, until a person says why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from catalog.checks.feedback import REASONS
from catalog.cli.common import Json, Offset, Owner, context, looking, mine
from catalog.cli.console import emit, grid, nothing, say
from catalog.cli.lake.values import incident_rows
from catalog.errors import UsageError
from catalog.roles import ADMIN, EDIT, READ
from catalog.wording import within

if TYPE_CHECKING:
    from catalog.checks.budget import Change
    from catalog.flow.context import Context
    from catalog.store.models import Incident
    from catalog.store.pages.lines import IncidentLine, Page
    from catalog.store.schemas.incidents import IncidentOut

app = typer.Typer(no_args_is_help=True, help="Incidents: violated rules, until a person resolves them.")
app.command("rows")(incident_rows)


@app.command("list")
def incident_list(
    every: Annotated[bool, typer.Option("--all", help="Resolved ones too.")] = False,
    table: Annotated[str, typer.Option(help="Only of this table.")] = "",
    owner: Owner = "",
    limit: Annotated[int, typer.Option(min=1)] = 1000,
    offset: Offset = 0,
    as_json: Json = False,
) -> None:
    """List open incidents, the latest first, then warnings; with --all, resolved ones too.

    Example: assay incident list --all
    """
    from catalog.store.driver import quick

    part = {"limit": limit, "offset": offset}
    with looking() as look:
        ids = quick.table_ids(look.ask, table) if look and table else []
        if look and (len(ids) == 1 or not table):
            asked: dict[str, Any] = {"every": every, "table_id": ids[0] if ids else None, **part}
            found = quick.find_incidents(look.ask, **asked, owner=owner, who=look.who(owner))
        else:  # what says which names are near, too
            found = _find_incidents(every, table, owner, part)
    rows = [
        (one.id, i.ref, one.first_version, one.level, one.status, within(i.table, one.sentence))
        for i in found.items
        for one in (i.incident,)
    ]
    heads = ("id", "table", "version", "level", "status", "what")

    def told() -> Any:
        from catalog.store.schemas.incidents import IncidentOut
        from catalog.store.schemas.listing import listing

        return listing(found, IncidentOut.of)

    empty = nothing("incidents", (table, owner), "no rule has broken") if every else "no open incidents"
    emit(told, as_json, lambda: grid("", heads, rows, empty), found)


def _find_incidents(every: bool, table: str, owner: str, part: dict[str, int]) -> Page:
    from catalog.store.lake import tables
    from catalog.store.pages import work

    here = context()
    who = mine(here)
    with here.reading() as session:
        key = tables.get_table(session, table).id if table else None
        asked: dict[str, Any] = {"owner": owner, "who": who, "table_id": key, **part}
        return work.list_incidents(session, status="" if every else "open", **asked)


@app.command("show")
def incident_show(
    incident_id: Annotated[int, typer.Argument(help="Its id.")],
    as_json: Json = False,
) -> None:
    """Show an incident: what happened, how likely that is, the fix, and what each rule found.

    Example: assay incident show 3
    """
    from catalog.store.incidents import causes, outcomes
    from catalog.store.pages import work
    from catalog.store.schemas.incidents import IncidentOut

    with context().reading() as session:
        incident = causes.lead_of(session, outcomes.get_incident(session, incident_id))
        item = work.incident_line(session, incident)
        told = IncidentOut.of(item)
        details = [(said.version, rule.column_name, said.sentence) for said, rule in causes.details(session, incident)]
        figures = causes.distribution(incident)
    data = {
        **dict(told),
        "details": [dict(zip(("version", "column", "sentence"), one, strict=True)) for one in details],
    }
    emit(data, as_json, lambda: show_incident(item, told, details, figures))


@app.command("resolve")
def incident_resolve(
    incident_id: Annotated[int, typer.Argument(help="Its id.")],
    reason: Annotated[str, typer.Option(help=" ".join(f"{name}: {text}." for name, text in REASONS.items()))],
    comment: Annotated[str | None, typer.Option(help="What happened; needed with Other.")] = None,
    cause: Annotated[str | None, typer.Option(help="What it was, if the named cause is wrong: see `causes`.")] = None,
    as_json: Json = False,
) -> None:
    """Resolve an incident or a warning with its reason. A false alarm makes the version healthy: the rule learns
    from it, and a rule that raised more of them than its budget allows is demoted to a warning.

    Example: assay incident resolve 3 --reason FalsePositive --comment 'new tariff'
    """
    from catalog.store.expectations import budget
    from catalog.store.incidents import causes, outcomes

    here = context(EDIT)
    with here.transaction() as session:
        lead = causes.lead_of(session, outcomes.get_incident(session, incident_id))
        if cause:
            causes.correct_cause(session, lead, cause, actor=here.actor)
        incident = outcomes.resolve(session, lead.id, reason, actor=here.actor, comment=comment)
        changes = budget.settle(session, incident.table_id, here.settings.false_alarm_budget)
    data = _told(here, incident.id, changes)

    def show() -> None:
        say(f"incident {incident_id} is resolved: {REASONS[reason]}")
        for change in changes:
            what = "only warns from now on" if change.demoted else "alarms again"
            say(f"rule {change.rule_id} {what}: {change.reason}", "yellow")

    emit(data, as_json, show)


@app.command("budget")
def incident_budget(
    allowed: Annotated[float | None, typer.Argument(help="False alarms that the lake may raise in a week.")] = None,
    default: Annotated[bool, typer.Option("--default", help="Back to ASSAY_WEEKLY_BUDGET.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what it would have meant.")] = False,
    reason: Annotated[str, typer.Option(help="Why; kept in the audit log.")] = "",
    as_json: Json = False,
) -> None:
    """How many false alarms a week the whole lake may raise, and what the last seven days brought. With a number: allow
    so many from the next version on; what that would have meant in the last 30 days is said.

    Example: assay incident budget 4 --dry-run
    """
    from catalog.store.expectations.allowance import allow_a_week, try_allowance
    from catalog.store.schemas.rules import TrialOut, WeekOut

    if default and (allowed is not None or dry_run):
        raise UsageError("--default goes with no number and no --dry-run", remedy="leave one of them out")
    changes = default or (allowed is not None and not dry_run)
    here = context(ADMIN if changes else READ)
    usual = here.settings.weekly_budget
    with here.transaction() as session:
        tried = None if allowed is None else TrialOut.of(try_allowance(session, allowed, usual))
        if changes:
            allow_a_week(session, allowed, actor=here.actor, reason=reason)
        week = WeekOut.of(session, usual)

    def show() -> None:
        if tried is not None:
            say(tried.sentence)
            for one in tried.more or tried.fewer:
                say(f"  {one.table} version {one.version}, incident {one.incident_id}")
        say(f"allowed {week.allowed:g} a week{'' if week.is_set else ' (ASSAY_WEEKLY_BUDGET)'}")
        waiting = f", {week.unanswered} unresolved (counted as {week.likely_false:.1f} false)" * bool(week.unanswered)
        told = (
            f"{week.raised} alarms, {week.false} of them false{waiting}; {week.held_back} findings reduced to warnings"
        )
        say(f"in 7 days: {told}; {week.expected:.2g} false alarms expected of a week's versions")
        if week.expected > week.allowed:
            times = f"about {week.expected / week.allowed:.2g} times less often than their rules state"
            say(f"more than is allowed: only findings that chance brings {times} raise an alarm")

    emit(tried if dry_run and tried else week, as_json, show)


@app.command("reopen")
def incident_reopen(
    incident_id: Annotated[int, typer.Argument(help="Its id.")],
    as_json: Json = False,
) -> None:
    """Take back the answer to an incident: it is open again, and nothing is learned from its versions until it is
    answered again. What followed from a false alarm that was none, a rule learned from it or demoted for it, is undone.

    Example: assay incident reopen 3
    """
    from catalog.store.expectations import budget
    from catalog.store.incidents import outcomes

    here = context(EDIT)
    with here.transaction() as session:
        incident = outcomes.reopen(session, incident_id, actor=here.actor)
        changes = budget.reconsider(session, incident.table_id, here.settings.false_alarm_budget)
    data = _told(here, incident.id, changes)

    def show() -> None:
        say(f"incident {incident_id} is open again; it was resolved as {incident.taken_back}")
        for change in changes:
            say(f"rule {change.rule_id} alarms again: {change.reason}")

    emit(data, as_json, show)


def _told(here: Context, incident_id: int | None, changes: Sequence[Change]) -> dict[str, Any]:
    """An incident as programs are told of it, and what an answer made of the levels of rules."""
    from catalog.store.incidents.outcomes import get_incident
    from catalog.store.pages.work import incident_line
    from catalog.store.schemas.incidents import IncidentOut

    with here.reading() as session:
        told = IncidentOut.of(incident_line(session, get_incident(session, incident_id or 0)))
    return told.model_dump(mode="json") | {"rules": [vars(change) for change in changes]}


@app.command("causes")
def incident_causes(as_json: Json = False) -> None:
    """List the causes that incidents can have, and how often people corrected them.

    Example: assay incident causes
    """
    from catalog.store.incidents import causes
    from catalog.store.schemas.incidents import CauseOut

    with context().reading() as session:
        data = CauseOut.all(causes.judged_causes(session))
    rows = [tuple(one.model_dump().values()) for one in data]
    emit(data, as_json, lambda: grid("", ("cause", "what it means", "named", "resolved", "corrected"), rows, "none"))


def show_incident(
    item: IncidentLine,
    told: IncidentOut,
    details: Sequence[tuple[int, str, str]],
    figures: Sequence[tuple[str, str, str]],
) -> None:
    """At most twenty lines: the whole story first."""
    one = item.incident
    say(one.sentence)
    if told.proof or told.undo:
        say(f"  {told.proof or f'To undo it: {told.undo}'}")
    facts = [("incident", f"{one.id}, {one.status}, {one.level}, {item.ref}, {_versions(one)}")]
    if told.cause:
        facts.append(("cause", _cause(told)))
    if len(told.columns) > 1 or len(told.tables) > 1:
        facts.append(("columns", ", ".join(told.columns)))
    if len(told.tables) > 1:
        facts.append(("tables", ", ".join(told.tables)))
    if figures:
        chosen = [f for f in figures if f[0] in ("minimum", "median", "maximum")]
        of = f" in {told.columns[0]}" if len(told.columns) > 1 else ""
        facts.append(("before", ", ".join(f"{name} {before}" for name, before, _ in chosen) + of))
        facts.append(("now", ", ".join(f"{name} {now}" for name, _, now in chosen) + of))
    if one.reason:
        facts.append(("resolved", f"{one.reason}{' by ' + one.actor if one.actor else ''}"))
    for name, value in facts:
        say(f"  {name:<9} {shorten(value, WIDE - 12)}")
    say("Details")
    taken = sum(-(-len(text) // WIDE) for text in (one.sentence, told.proof or told.undo or "")) + len(facts) + 2
    most = max(LINES - taken, 1)
    named = [(v, sentence if column in sentence else f"{column}: {sentence}") for v, column, sentence in details]
    most = max(most - any(len(text) > WIDE - 8 for _, text in named[:most]), 1)
    for version, text in named[:most]:
        say(f"  v{version} {shorten(text, WIDE - 8)}")
    if len(details) > most or any(len(text) > WIDE - 8 for _, text in named):
        more = f"and {len(details) - most} more; " if len(details) > most else ""
        say(f"  {more}`assay incident show {one.id} --json` has all in full")


WIDE, LINES = 100, 20


def shorten(text: str, most: int) -> str:
    """A text cut to so many characters.

    >>> shorten("abcdef", 5), shorten("abc", 5)
    ('ab...', 'abc')
    """
    return text if len(text) <= most else text[: most - 3] + "..."


def _versions(one: Incident) -> str:
    if one.first_version == one.last_version:
        return f"version {one.first_version}"
    return f"versions {one.first_version} to {one.last_version}"


def _cause(told: IncidentOut) -> str:
    if told.corrected and told.corrected != told.cause:
        return f"{told.corrected} by a person; named was {told.cause}"
    sure = f", {100 * told.confidence:.0f}% confidence" if told.confidence else ""
    other = f"; else {told.others[0]['cause']}" if told.others else ""
    return f"{told.cause_title}{sure}{other}"
