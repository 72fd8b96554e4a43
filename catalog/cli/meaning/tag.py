"""`assay tag`: carrying tags into other systems."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from catalog.cli.common import Json, TableName, context
from catalog.cli.console import FAILED, count, emit, grid, say
from catalog.roles import APPROVE

app = typer.Typer(no_args_is_help=True, help="Carry tags into other systems: SQL, comments of tables, OpenLineage.")
Proposed = Annotated[bool, typer.Option("--proposed", help="Also what nobody reviewed yet.")]


@app.command("sql")
def sql(
    table: TableName,
    system: Annotated[str, typer.Option("--for", help="unity or delta.")] = "unity",
    name: Annotated[str, typer.Option(help="What the table is called there: catalog.schema.table.")] = "",
    group: Annotated[str, typer.Option(help="Whose members see masked values (Unity Catalog).")] = "pii_readers",
    proposed: Proposed = False,
    as_json: Json = False,
) -> None:
    """Print SQL of comments, tags and column masks; nothing is run.

    Example: assay tag sql shop/orders --for unity --name main.shop.orders > tags.sql
    """
    import sys

    from catalog.store.lake import tables
    from catalog.store.meaning.acting import meanings
    from catalog.tags.acting import sql as made

    with context().reading() as session:
        row = tables.get_table(session, table)
        found = meanings(session, row.id, proposed=proposed)
    called = (
        made.table_name(name or row.name.replace("/", "."))
        if system == "unity" or name
        else f"delta.{made.name(row.uri)}"
    )
    lines = made.statements(called, found, system=system, description=row.description or "", group=group)
    if as_json:
        emit(lines, True, lambda: None)
        return
    nothing = ["-- no tag was accepted yet; --proposed takes the others too"]
    sys.stdout.writelines(f"{line}\n" for line in lines or nothing)


@app.command("apply")
def apply(
    table: TableName,
    write: Annotated[
        bool, typer.Option("--write", help="Write them; without, only say what would be written.")
    ] = False,
    proposed: Proposed = False,
    replace: Annotated[bool, typer.Option("--replace", help="Also over comments that somebody else wrote.")] = False,
    as_json: Json = False,
) -> None:
    """Write what tags say into the comments of the columns of a Delta table. Without --write nothing is changed. Exit
    code 1 when a column was skipped.

    Example: assay tag apply shop/orders --write
    """
    from catalog.flow import acting
    from catalog.store.lake import tables

    here = context(APPROVE)
    with here.reading() as session:
        key = tables.get_table(session, table).id
    done = acting.plan(here, key, proposed=proposed, replace=replace)
    if write:
        done = acting.write(here, key, done)
    rows = [(one.column, one.what, one.before, one.after, one.reason) for one in done]
    number = count(sum(one.what == "write" for one in done), "comment")
    title = f"{number} {'written' if write else 'to write; --write does it'}"

    def tell() -> None:
        grid(title, ("column", "what", "before", "after", "why"), rows, "no tag was accepted yet")

    emit([asdict(one) for one in done], as_json, tell)
    if any(one.what == "skip" for one in done):
        raise typer.Exit(FAILED)


@app.command("lineage")
def lineage(table: TableName, proposed: Proposed = False) -> None:
    """Print what is known of a table as an OpenLineage dataset: schema, tags, owner, description and verdicts.

    Example: assay tag lineage shop/orders
    """
    from catalog.store.access import owners
    from catalog.store.lake import tables
    from catalog.store.meaning import acting
    from catalog.tags.acting.lineage import dataset

    with context().reading() as session:
        row = tables.get_table(session, table)
        data = dataset(
            row.uri,
            acting.meanings(session, row.id, proposed=proposed),
            description=row.description or "",
            owner=owners.owner_of(session, "table", row.id).name or "",
            verdicts=acting.verdicts(session, row.id),
        )
    emit(data, True, lambda: say(""))


@app.command("spread")
def spread(
    table: TableName,
    column: Annotated[str, typer.Argument(metavar="COLUMN", help="A column with a tag that a person accepted.")],
    write: Annotated[bool, typer.Option("--write", help="Tag them; without, only say what would be tagged.")] = False,
    as_json: Json = False,
) -> None:
    """Carry the accepted tag of a column to columns that hold the same data, by the hashed values that their states
    keep. Each column that is left out has its reason. Without --write nothing is changed.

    Example: assay tag spread shop/customers customer_no --write
    """
    from catalog.errors import UsageError
    from catalog.store.lake import tables
    from catalog.store.meaning import spread as store
    from catalog.store.pages.columns import find_tags

    here = context(APPROVE)
    with here.transaction() as session:
        row = tables.get_table(session, table)
        key = tables.get_column(session, row.id, column).id
        accepted = [
            one.Tag
            for one in find_tags(session, column_id=key, status="accepted", limit=1000).items
            if not one.Tag.contains
        ]
        if not accepted:
            raise UsageError(f"column {column!r} has no accepted tag", remedy="accept one on its page first")
        done = store.plan(session, accepted[0].id)
        if write:
            store.carry(session, accepted[0].id, done, here.actor)
    rows = [(one.name, one.what, "" if one.share is None else f"{one.share:.0%}", one.reason) for one in done]
    number = count(sum(one.what == "carry" for one in done), "column")
    title = f"{number} {'tagged' if write else 'to tag; --write does it'}"
    heads = ("column", "what", "values the same", "why")
    emit([asdict(one) for one in done], as_json, lambda: grid(title, heads, rows, "no other column is of its type"))
