"""`assay check`: judging a table as a gate in a pipeline; `assay drill`: judging it damaged on purpose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from catalog.cli import console
from catalog.cli.common import Json, TableName, context
from catalog.cli.console import count, emit, grid, plain, say
from catalog.errors import UsageError

if TYPE_CHECKING:
    from catalog.store.models import Outcome, RuleRow

app = typer.Typer(no_args_is_help=True, help="Judging a table by its rules, as a gate in a pipeline.")
MOST_CLAUSES = 15  # clauses that are listed


@app.command("run")
def check_run(
    name: TableName,
    crawl_first: Annotated[bool, typer.Option("--crawl/--no-crawl", help="Read what is new first.")] = True,
    as_json: Json = False,
) -> int:
    """Judge a table's latest version by its rules. A gate: ends with 1 when a rule is broken, with 2 when only rules of
    level warning are, with 3 when the table cannot be read.

    Example: assay check run shop/orders && ./publish.sh
    """
    from catalog.cli import work
    from catalog.store import tables

    here = context()
    with here.reading() as session:
        table = tables.get_table(session, name)
    key = table.id or 0
    if crawl_first:
        work.crawl(here, table=table, quiet=as_json)
    with here.reading() as session:
        table = tables.get_table(session, key)
        said = _latest_said(session, key)
    if table.error and table.status in ("error", "vanished"):
        raise UsageError(f"{table.name} cannot be judged: {table.error}", remedy=table.remedy)
    broken = [(outcome, rule) for outcome, rule in said if outcome.status == "violated"]
    code = console.PASSED
    if broken:
        code = console.FAILED if any(rule.level_now == "error" for _, rule in broken) else console.WARNED
    version = max((outcome.version for outcome, _ in said), default=None)
    data = {
        "table": table.name,
        "version": version,
        "status": {0: "passed", 1: "failed", 2: "warning"}[code],
        "outcomes": [_outcome(outcome, rule) for outcome, rule in said],
    }

    def show() -> None:
        if not said:
            say(f"{table.name}: no version was judged yet; its rules hold from the next one on")
            return
        say(f"{table.name}, version {version}: {count(len(said), 'rule')}, {len(broken)} broken")
        for outcome, rule in broken:
            demoted = f" (demoted: {rule.demotion})" if rule.demotion else ""
            style = "red" if rule.level_now == "error" else "yellow"
            say(f"  {rule.column_name or 'table'}: {outcome.sentence}{demoted}", style)

    emit(data, as_json, show)
    return code


def _latest_said(session: Any, table_id: int) -> list[tuple[Outcome, RuleRow]]:
    """Outcomes of the latest judged version that had any beside freshness (which looks at the wait after it)."""
    from catalog.store import outcomes

    latest = outcomes.list_outcomes(session, table_id, limit=1)
    return outcomes.list_outcomes(session, table_id, version=latest[0][0].version) if latest else []


def _outcome(outcome: Outcome, rule: RuleRow) -> dict[str, Any]:
    names = ("version", "status", "sentence", "metric", "value", "low", "high", "rows")
    return plain(outcome, *names, rule=rule.id, kind=rule.kind, level=rule.level_now, column=rule.column_name or None)


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

    from catalog.cli import work
    from catalog.flow.trial import drill_table
    from catalog.store import tables

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


def by_clause(data: dict[str, Any]) -> list[tuple[str, dict[str, int]]]:
    """How many issues of each type every clause saw, over all columns; what saw most first."""
    found: dict[str, dict[str, int]] = {}
    for kinds in (data.get("clauses") or {}).values():
        for kind, counts in kinds.items():
            for clause, count_ in counts.items():
                found.setdefault(clause, {})
                found[clause][kind] = found[clause].get(kind, 0) + count_
    return sorted(found.items(), key=lambda item: (-sum(item[1].values()), item[0]))
