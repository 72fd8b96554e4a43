"""`assay incident`: rules that broke, until a person says why."""

from __future__ import annotations

import getpass
from typing import Annotated

import typer

from catalog.checks.feedback import REASONS
from catalog.cli.common import Json, context, incident_json
from catalog.cli.console import emit, grid, plain, say

app = typer.Typer(no_args_is_help=True, help="Rules that broke, until a person says why.")


@app.command("list")
def incident_list(
    every: Annotated[bool, typer.Option("--all", help="Resolved ones too.")] = False,
    table: Annotated[str, typer.Option(help="Only of this table.")] = "",
    as_json: Json = False,
) -> None:
    """List incidents, the latest first, with the warnings of rules that were demoted.

    Example: assay incident list --all
    """
    from catalog.store import outcomes, tables

    with context().reading() as session:
        key = tables.get_table(session, table).id if table else None
        found = outcomes.list_incidents(session, status=None if every else "open", table_id=key, limit=1000)
    rows = [
        (one.id, i.ref, one.column_name, one.first_version, one.level, one.status, one.sentence)
        for i in found
        for one in (i.incident,)
    ]
    heads = ("id", "table", "column", "version", "level", "status", "what")
    emit([incident_json(item) for item in found], as_json, lambda: grid("", heads, rows, "no incidents"))


@app.command("resolve")
def incident_resolve(
    incident_id: Annotated[int, typer.Argument(help="Its id.")],
    reason: Annotated[str, typer.Option(help=" ".join(f"{name}: {text}." for name, text in REASONS.items()))],
    comment: Annotated[str | None, typer.Option(help="What happened; needed with Other.")] = None,
    as_json: Json = False,
) -> None:
    """Close an incident or a warning with its reason. A false alarm makes the version healthy: the rule is learned anew
    from it, and a rule that raised more of them than its budget allows is demoted to a warning.

    Example: assay incident resolve 3 --reason FalsePositive --comment 'new tariff'
    """
    from catalog.store import budget, outcomes

    here = context()
    with here.transaction() as session:
        incident = outcomes.resolve(session, incident_id, reason, actor=getpass.getuser(), comment=comment)
        changes = budget.settle(session, incident.table_id, here.settings.false_alarm_budget)
    data = plain(incident, "id", "status", "reason", "comment") | {"rules": [vars(change) for change in changes]}

    def show() -> None:
        say(f"incident {incident_id} is resolved: {REASONS[reason]}")
        for change in changes:
            what = "only warns from now on" if change.demoted else "alarms again"
            say(f"rule {change.rule_id} {what}: {change.reason}", "yellow")

    emit(data, as_json, show)


@app.command("reopen")
def incident_reopen(
    incident_id: Annotated[int, typer.Argument(help="Its id.")],
    as_json: Json = False,
) -> None:
    """Take back the answer to an incident: it is open again, and nothing is learned from its versions until it is
    answered anew. What followed from a false alarm that was none, a rule learned from it or demoted for it, is undone.

    Example: assay incident reopen 3
    """
    from catalog.store import budget, outcomes

    here = context()
    with here.transaction() as session:
        incident = outcomes.reopen(session, incident_id, actor=getpass.getuser())
        changes = budget.reconsider(session, incident.table_id, here.settings.false_alarm_budget)
    data = plain(incident, "id", "status", "taken_back") | {"rules": [vars(change) for change in changes]}

    def show() -> None:
        say(f"incident {incident_id} is open again; it was resolved as {incident.taken_back}")
        for change in changes:
            say(f"rule {change.rule_id} alarms again: {change.reason}")

    emit(data, as_json, show)
