"""`assay approval`: decisions that wait for a second person."""

from __future__ import annotations

from typing import Annotated

import typer

from catalog.cli.common import Json, context, identity
from catalog.cli.console import emit, grid, say
from catalog.roles import ADMIN, APPROVE

app = typer.Typer(no_args_is_help=True, help="Four-eyes approval: decisions that wait for a second person.")
Number = Annotated[int, typer.Argument(metavar="NUMBER", help="See `assay approval list`.")]
Reason = Annotated[str, typer.Option(help="Why; kept in the audit log.")]


@app.command("list")
def approval_list(
    every: Annotated[bool, typer.Option("--all", help="Also what was answered.")] = False, as_json: Json = False
) -> None:
    """List what waits for a second person.

    Example: assay approval list
    """
    from catalog.store.access import approvals
    from catalog.store.schemas.people import ApprovalOut

    with context().reading() as session:
        found = [ApprovalOut.of(session, one) for one in approvals.list_approvals(session, waiting=not every)]
    rows = [(a.id, a.actor, a.words, a.item, a.is_now, a.reason or "", a.status, a.by or "") for a in found]
    heads = ("number", "who", "wants to", "what", "now", "why", "status", "by")
    emit(found, as_json, lambda: grid("", heads, rows, "nothing waits"))


@app.command("approve")
def approval_approve(number: Number, reason: Reason = "", as_json: Json = False) -> None:
    """Approve somebody else's decision: it takes effect now.

    Example: assay approval approve 3
    """
    _answer(number, True, reason, as_json)


@app.command("reject")
def approval_reject(number: Number, reason: Reason = "", as_json: Json = False) -> None:
    """Reject a waiting decision, or withdraw your own.

    Example: assay approval reject 3 --reason 'the rule is right'
    """
    _answer(number, False, reason, as_json)


def _answer(number: int, approve: bool, reason: str, as_json: bool) -> None:
    from catalog.store.access.answers import answer
    from catalog.store.schemas.people import ApprovalOut

    here = context(APPROVE)
    who = identity(here)
    with here.transaction() as session:
        found = answer(session, number, approve, by=who, reason=reason)
        told = ApprovalOut.of(session, found)
    emit(told, as_json, lambda: say(f"{found.words} {found.item}: {found.status}"))


@app.command("require")
def approval_require(
    on: Annotated[bool, typer.Option("--on/--off", help="Whether a second person is needed.")],
) -> None:
    """Let changes to rules and checks, and showing what is hidden, need a second person, or no more. To need none any
    more is such a decision itself.

    Example: assay approval require --on
    """
    from catalog.store.access import approvals

    here = context(ADMIN)
    with here.transaction() as session:
        approvals.require(session, on, actor=here.actor)
    say("a second person approves from now on" if on else "one person decides alone")
