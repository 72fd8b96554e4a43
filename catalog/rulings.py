"""The commands by which people rule on rules: `assay rule promote`, and the ledger `assay table budget`."""

from __future__ import annotations

import getpass
from dataclasses import asdict
from typing import Annotated

import typer

from catalog import console, work
from catalog.commands import Json, TableName, context
from catalog.console import emit, grid, plain, say
from catalog.store import batches, budget, tables

RuleId = Annotated[int, typer.Argument(metavar="RULE", help="Id of the rule, as `assay rule list` shows it.")]


def table_budget(
    name: Annotated[str, typer.Argument(metavar="TABLE", help="Only this table, rule by rule.")] = "",
    as_json: Json = False,
) -> int:
    """False alarms of the last 30 days, table by table: what the rules state, what people called false, what nobody has
    judged yet. A rule that spends more than it stated, or than its table's budget (ASSAY_FALSE_ALARM_BUDGET), only
    warns from then on. Ends with 2 when a table is over its budget.

    Example: assay table budget shop/orders
    """
    here = context()
    allowed = here.settings.false_alarm_budget
    with here.reading() as session:
        if name:
            found = [budget.ledger(session, tables.get_table(session, name).id or 0, allowed)]
        else:
            found = budget.ledgers(session, allowed)
    data = [asdict(one) | {"over": one.over} for one in found]

    def show() -> None:
        heads = ("table", "versions", "expected", "false", "not judged", "right", "budget", "rules that only warn")
        rows = [
            (
                one.ref, one.judged, f"{one.expected:.2g}", one.false, one.unlabelled, one.confirmed,
                f"{one.budget:g}{' OVER' if one.over else ''}", one.demoted,
            )
            for one in found
        ]  # fmt: skip
        grid("false alarms in 30 days", heads, rows, "no version was judged yet")
        for one in found if name else ():
            _show_accounts(one)

    emit(data[0] if name else data, as_json, show)
    return console.WARNED if any(one.over for one in found) else console.PASSED


def _show_accounts(one: budget.Ledger) -> None:
    heads = ("rule", "column", "kind", "versions", "expected", "false", "not judged", "right", "level")
    rows = [
        (
            a.rule_id, a.column or "(table)", a.kind, a.judged, f"{a.expected:.2g}", a.false, a.unlabelled, a.confirmed,
            "warning" if a.demoted else "error",
        )
        for a in one.accounts
    ]  # fmt: skip
    if rows:
        grid("by rule", heads, rows)


def table_mode(
    name: TableName,
    mode: Annotated[
        str, typer.Argument(help="increment: a version is the rows it appends; snapshot: the whole table.")
    ],
    crawl: Annotated[bool, typer.Option("--crawl/--no-crawl", help="Observe the past anew at once.")] = True,
    as_json: Json = False,
) -> None:
    """Say what a batch of a table is: `increment` (the rows that a version appends), `snapshot` (the whole table), or
    `auto` to leave it to its log. Where that changes, its past is observed anew, and history rules are learned from it.

    Example: assay table mode shop/orders snapshot
    """
    here = context()
    with here.transaction() as session:
        table = batches.set_mode(session, tables.get_table(session, name).id or 0, mode)
    if crawl and table.judged_version < 0 <= table.seen_version:
        work.crawl(here, table=table, quiet=as_json)
    with here.reading() as session:
        reach = batches.reach(session, tables.get_table(session, table.id or 0))

    def show() -> None:
        for sentence in reach.words():
            say(f"{table.name}: {sentence}")

    emit({"table": table.name} | asdict(reach) | {"words": reach.words()}, as_json, show)


def promote(rule_id: RuleId, as_json: Json = False) -> None:
    """Believe a rule again that was demoted to a warning: what it did before is not held against it any more.

    Example: assay rule promote 12
    """
    with context().transaction() as session:
        row = budget.promote_by_person(session, rule_id, getpass.getuser())
    data = plain(row, "id", "status", column=row.column_name or None, level=row.level_now)
    emit(data, as_json, lambda: say(f"rule {rule_id} opens incidents again"))
