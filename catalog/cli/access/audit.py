"""`assay audit`: who decided what, when and why."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from catalog.cli.common import Json, Offset, context, writing
from catalog.cli.console import count, emit, grid, say
from catalog.errors import UsageError

if TYPE_CHECKING:
    from catalog.store.models import AuditEvent

app = typer.Typer(no_args_is_help=True, help="The audit log: who decided what, when and why.")
Actor = Annotated[str, typer.Option(help="Only what this person decided; `assay` is what it did itself.")]
Kind = Annotated[str, typer.Option(help="Only about a tag, rule, clause, incident, source, domain, user ...")]
Since = Annotated[datetime | None, typer.Option(help="From this time on (UTC).")]
Until = Annotated[datetime | None, typer.Option(help="Before this time (UTC).")]


@app.command("list")
def audit_list(
    text: Annotated[str, typer.Argument(metavar="WORD", help="Only where this is in the name or the reason.")] = "",
    actor: Actor = "",
    kind: Kind = "",
    since: Since = None,
    until: Until = None,
    limit: Annotated[int, typer.Option(min=1, help="How many at most.")] = 100,
    offset: Offset = 0,
    as_json: Json = False,
) -> None:
    """List decisions, the latest first, with what was so before and after.

    Example: assay audit list --actor ann --since 2026-01-01
    """
    from catalog.store.access import audit
    from catalog.store.schemas.listing import listing
    from catalog.store.schemas.people import AuditOut

    chosen: dict[str, Any] = {"text": text, "actor": actor, "kind": kind, "since": since, "until": until}
    with context().reading() as session:
        found = audit.list_events(session, **chosen, limit=limit, offset=offset)
    why = any(one.reason for one in found.items)  # a terminal has no room for an empty column
    heads = ["event", "at (UTC)", "who", "did", "what changed", *(["why"] if why else [])]
    rows = [
        [one.id, f"{one.at:%Y-%m-%d %H:%M}", one.actor, f"{one.action} {one.kind} {one.item}", _changed(one)]
        + ([one.reason or ""] if why else [])
        for one in found.items
    ]
    data = listing(found, AuditOut.of)
    emit(data, as_json, lambda: grid("", heads, rows, "nothing was decided"), found)


@app.command("undo")
def audit_undo(
    event: Annotated[int, typer.Argument(metavar="EVENT", help="Its number, as `assay audit list` shows it.")],
    reason: Annotated[str, typer.Option(help="Why.")] = "",
    as_json: Json = False,
) -> None:
    """Take a decision back: what it was about is as it was before. That is a decision too, and can be taken back.

    Example: assay audit undo 12 --reason 'the wrong column'
    """
    from catalog.cli.common import identity
    from catalog.roles import EDIT
    from catalog.store.access.undo import undo
    from catalog.store.schemas.people import AuditOut

    here = context(EDIT)
    who = identity(here)
    with here.transaction() as session:
        made = undo(session, event, by=who, reason=reason, false_alarm_budget=here.settings.false_alarm_budget)
    emit(AuditOut.of(made), as_json, lambda: say(f"event {event} is taken back: {made.action} {made.item}"))


@app.command("export")
def audit_export(
    place: Annotated[str, typer.Argument(metavar="FILE", help="A .csv or .jsonl file; - writes CSV here.")],
    actor: Actor = "",
    kind: Kind = "",
    since: Since = None,
    until: Until = None,
) -> None:
    """Write every decision that fits into a file, the oldest first.

    Example: assay audit export decisions.csv --since 2026-01-01
    """
    from catalog.store.access import audit
    from catalog.store.schemas.people import AuditOut

    if place != "-" and not place.endswith((".csv", ".jsonl")):
        raise UsageError(f"the audit log is not written as {place}", remedy="end it with .csv or .jsonl; - is CSV")
    chosen: dict[str, Any] = {"actor": actor, "kind": kind, "since": since, "until": until}
    with context().reading() as session:
        number = audit.count_events(session, **chosen)
        lines = (
            (AuditOut.of(one).model_dump_json() + "\n" for one in audit.all_events(session, **chosen))
            if place.endswith(".jsonl")
            else audit.csv_lines(session, **chosen)
        )
        if place == "-":
            sys.stdout.writelines(lines)
            return
        with writing(place), Path(place).open("w", encoding="utf-8", newline="") as file:
            file.writelines(lines)
    say(f"{count(number, 'decision')} written to {place}")


def _changed(event: AuditEvent) -> str:
    """What is otherwise than it was, a line each.

    >>> from catalog.store.models import AuditEvent
    >>> was, now = {"status": "proposed", "hidden": True, "owner": None}, {"status": "accepted", "hidden": True}
    >>> print(_changed(AuditEvent(before=was, after=now)))
    status: proposed → accepted
    >>> print(_changed(AuditEvent(before={}, after={"owner": None, "terms": ["margin", "revenue"]})))
    terms: margin, revenue
    """
    before, after = event.before, event.after
    lines = []
    for name in dict.fromkeys([*before, *after]):
        if name.startswith("_"):  # kept for undoing alone
            continue
        old, new = _said(before.get(name)), _said(after.get(name))
        if old != new:
            told = f"{old} → {new or 'none'}" if old else new
            lines.append(f"{name.replace('_', ' ')}: {told}")
    return "\n".join(lines)


def _said(value: object) -> str:
    """A value in words; empty where there is none."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(_said, value))
    return "" if value is None else str(value)
