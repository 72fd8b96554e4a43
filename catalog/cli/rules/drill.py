"""`assay drill`: judging a table damaged on purpose."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from catalog.cli import console
from catalog.cli.common import Json, TableName, context
from catalog.cli.console import count, emit, grid, say
from catalog.roles import RUN

MOST_CLAUSES = 15  # clauses that are listed


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
    from catalog.flow.checking.trial import drill_table
    from catalog.store.lake import tables

    here = context(RUN)
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
