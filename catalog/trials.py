"""The commands that try rules before anyone relies on them: `assay rule backtest`, `assay drill`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from catalog import console, work
from catalog.commands import Json, TableName, context
from catalog.console import count, emit, grid, say
from catalog.store import tables

MOST_CLAUSES = 15  # clauses that are listed


def backtest(
    name: TableName,
    rule: Annotated[int | None, typer.Option(help="Id of one rule; all active ones without.")] = None,
    versions: Annotated[int | None, typer.Option(min=1, help="Only the last so many versions.")] = None,
    issues: Annotated[bool, typer.Option("--issues/--no-issues", help="Try sixty injected issues too.")] = True,
    as_json: Json = False,
) -> None:
    """Replay rules over a table's past versions and over sixty injected issues: which would have alarmed, how often
    that is a month, and what share of the issues each rule sees by itself.

    Rules about metrics are learned anew before every version, without hindsight. Nothing is recorded.

    Example: assay rule backtest shop/orders --versions 30
    """
    from catalog.flow.trial import backtest_table

    here = context()
    with here.reading() as session:
        table = tables.get_table(session, name)
    data = backtest_table(here, table, rule_id=rule, versions_back=versions, issues=issues)
    rows = [
        (
            one["rule"], one["column"] or "", one["kind"], one["judged"], len(one["alarms"]),
            f"{one['stated_fpr']:.2g}", f"{one['expected_alarms_per_month']:.2g}", _share(one.get("recall")),
        )
        for one in data
    ]  # fmt: skip
    heads = ("rule", "column", "kind", "versions", "alarms", "stated fpr", "expected a month", "of the issues")

    def show() -> None:
        grid(f"{table.name}: replay over its past", heads, rows, "no rules")
        for one in data:
            for alarm in one["alarms"]:
                say(f"  version {alarm['version']}, rule {one['rule']}: {alarm['sentence']}", "yellow")
        if rule is not None:
            for one in data:
                seen: list[Any] = [(kind, _share(share)) for kind, share in one.get("recall_by_type", {}).items()]
                grid("what it sees of each kind of damage", ("kind of damage", "seen"), seen, "nothing was tried")

    emit(data, as_json, show)


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}"


def by_clause(data: dict[str, Any]) -> list[tuple[str, dict[str, int]]]:
    """How many issues of each type every clause saw, over all columns; what saw most first."""
    found: dict[str, dict[str, int]] = {}
    for kinds in (data.get("clauses") or {}).values():
        for kind, counts in kinds.items():
            for clause, count_ in counts.items():
                found.setdefault(clause, {})
                found[clause][kind] = found[clause].get(kind, 0) + count_
    return sorted(found.items(), key=lambda item: (-sum(item[1].values()), item[0]))


def drill(
    name: TableName,
    column: Annotated[list[str] | None, typer.Option(help="Only this column; may be repeated.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the damage.")] = 0,
    as_json: Json = False,
) -> int:
    """A fire drill: damage the latest batch in sixty ways, and see which the table's rules would have caught.

    The damage is done to a copy in memory. The result of a drill of all columns is shown on the table's page. Ends with
    2 when rules alarm on the healthy batch itself.

    Example: assay drill shop/orders --column amount
    """
    from functools import partial

    from catalog.flow.trial import drill_table

    here = context()
    with here.reading() as session:
        table = tables.get_table(session, name)
    if column or seed:  # a part, or another damage, is no picture of the table
        data = drill_table(here, table, columns=column, seed=seed)
    else:
        run_id = work.start(here, "drill", table.name, table=table)
        data = work.do(here, run_id, "drill", partial(drill_table, here, table, run_id=run_id), quiet=as_json)

    def show() -> None:
        for one in data["alarmed"]:
            say(f"the rules of {one} alarm on the healthy batch itself: nothing is said of it", "yellow")
        tried = count(data["tried"], "damaged batch").replace("batchs", "batches")
        say(f"{table.name}, version {data['version']}: {data['caught']} of {tried} caught")
        rows: list[Any] = [(kind, f"{share:.0%}") for kind, share in data["recall_by_type"].items()]
        grid("", ("kind of damage", "caught"), rows)
        kinds = list(data["recall_by_type"])
        by_column: list[Any] = [
            (one, *(f"{cells[kind][0]}/{cells[kind][1]}" if kind in cells else "" for kind in kinds))
            for one, cells in data["by_column"].items()
        ]
        grid("by column", ("column", *kinds), by_column)
        seen: list[Any] = [
            (clause, *(f"{counts[kind]}" if kind in counts else "" for kind in kinds))
            for clause, counts in by_clause(data)[:MOST_CLAUSES]
        ]
        grid("issues that each clause saw", ("clause", *kinds), seen)

    emit(data, as_json, show)
    return console.PASSED if data["quiet_on_healthy_batch"] else console.WARNED
