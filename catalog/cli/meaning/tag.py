"""`assay tag`: deciding on tags, and carrying them into other systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from catalog.cli.common import Json, Offset, TableName, context
from catalog.cli.console import FAILED, count, emit, grid, nothing, say
from catalog.errors import UsageError
from catalog.roles import APPROVE

if TYPE_CHECKING:
    from catalog.store.meaning.spread import Spread
    from catalog.store.schemas.meaning import PlacedTagOut

app = typer.Typer(
    no_args_is_help=True, help="Decide on tags; carry them into other systems: SQL, comments of tables, OpenLineage."
)
ColumnName = Annotated[str, typer.Argument(metavar="COLUMN", help="Its name; within a struct, a.b.")]
Domain = Annotated[
    str, typer.Argument(metavar="DOMAIN", help="Which tag; not needed where the column has only one that waits.")
]
Why = Annotated[str, typer.Option(help="Why; rejecting what hides values needs it.")]
Proposed = Annotated[bool, typer.Option("--proposed", help="Also what nobody reviewed yet.")]


@app.command("list")
def list_tags(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="Only of this table: name, source/name, or id.")] = "",
    column: Annotated[str, typer.Option(help="Only of this column.")] = "",
    domain: Annotated[str, typer.Option(help="Only of this domain, as `assay domain list` shows it.")] = "",
    status: Annotated[str, typer.Option(help="proposed (waiting for a decision), accepted or rejected.")] = "",
    limit: Annotated[int, typer.Option(min=1)] = 100_000,
    offset: Offset = 0,
    as_json: Json = False,
) -> None:
    """List tags with their scores, and what was decided by whom.

    Example: assay tag list shop/customers --status proposed
    """
    from catalog.store.lake import tables
    from catalog.store.pages.columns import find_tags
    from catalog.store.schemas.listing import listing
    from catalog.store.schemas.meaning import PlacedTagOut

    with context().reading() as session:
        key = tables.get_table(session, table).id if table else None
        if column and key is None:
            raise UsageError("a column needs its table", remedy="assay tag list TABLE --column COLUMN")
        part = {"limit": limit, "offset": offset}
        of_column = tables.get_column(session, key, column).id if column and key is not None else None
        found = find_tags(session, table_id=key, column_id=of_column, domain=domain, status=status, **part)
        data = listing(found, PlacedTagOut.at)
    rows = [
        (
            *([] if table else [one.table]),
            one.column,
            one.domain,
            one.score,
            _standing(one),
            one.actor,
            one.reason or "",
        )
        for one in data.items
    ]
    heads = (*([] if table else ["table"]), "column", "domain", "score", "standing", "by", "why")
    empty = nothing("tags", (table, column, domain, status), "a crawl proposes them")
    emit(data, as_json, lambda: grid("", heads, rows, empty), found)


def _standing(one: PlacedTagOut) -> str:
    more = ("some values" if one.contains else "", "sensitive" if one.sensitive else "")
    status = "general" if one.generic and one.status == "proposed" else one.status
    return ", ".join(part for part in (status, *more) if part)


@app.command("accept")
def accept(table: TableName, column: ColumnName, domain: Domain = "", reason: Why = "", as_json: Json = False) -> None:
    """Accept the tag of a column, as its page does. A DOMAIN that was not proposed is what you say the column is.

    Example: assay tag accept shop/customers mail email
    """
    _decide(table, column, domain, "accepted", reason, as_json)


@app.command("reject")
def reject(table: TableName, column: ColumnName, domain: Domain = "", reason: Why = "", as_json: Json = False) -> None:
    """Reject the tag of a column: it is not proposed again. What hides values is rejected with a --reason only.

    Example: assay tag reject shop/stores phone --reason 'of shops, not of people'
    """
    _decide(table, column, domain, "rejected", reason, as_json)


def _decide(table: str, column: str, domain: str, status: str, reason: str, as_json: bool) -> None:
    from catalog.store.lake import tables
    from catalog.store.meaning import review
    from catalog.store.schemas.meaning import DecidedTagOut

    here = context(APPROVE)
    with here.transaction() as session:
        row = tables.get_table(session, table)
        of = tables.get_column(session, row.id, column)
        if status == "accepted" and domain:
            tag, events = review.say_tag(session, of, domain, here.actor, reason)
        else:
            tag = review.tag_of(session, of, domain, but=status)
            events = review.decide(session, [tag.id], status, here.actor, reason)
        said = DecidedTagOut.of(tag, events=events)
    undo = "".join(f"; undo: assay audit undo {one}" for one in events)
    emit(said, as_json, lambda: say(f"{row.name} {of.name}: {tag.title or tag.domain} is {status}{undo}"))


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
    from catalog.store.meaning.acting import statements_for
    from catalog.store.schemas.meaning import SqlOut

    with context().reading() as session:
        row = tables.get_table(session, table)
        lines = statements_for(session, row, system=system, name=name, group=group, proposed=proposed)
    if as_json:
        emit(SqlOut(system=system, statements=lines), True, lambda: None)
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
    undo: Annotated[bool, typer.Option("--undo", help="Back to the comments before the last time.")] = False,
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
    event, done = (
        acting.plan_back(here, key) if undo else (None, acting.plan(here, key, proposed=proposed, replace=replace))
    )
    if write:
        done = acting.write(here, key, done, undoes=event)
    rows = [(one.column, one.what, one.before or "(none)", one.after or "(none)", one.reason) for one in done]
    number = count(sum(one.what == "write" for one in done), "comment")
    did, does = ("taken back", "take back") if undo else ("written", "write")
    title = f"{number} {did if write else f'to {does}; --write does it'}"

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
    from catalog.store.lake import tables
    from catalog.store.meaning import acting

    with context().reading() as session:
        data = acting.dataset_of(session, tables.get_table(session, table), proposed=proposed)
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
    from catalog.store.lake import tables
    from catalog.store.meaning import spread as store
    from catalog.store.pages.columns import find_tags
    from catalog.store.schemas.meaning import SpreadOut

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
    data = [SpreadOut.made(one) for one in done]
    emit(data, as_json, lambda: _tell_spread(done, write))


def _tell_spread(done: Sequence[Spread], write: bool) -> None:
    """The columns that get the tag, and those left out under their reasons, which many share."""
    carried = [one for one in done if one.what == "carry"]
    title = f"{count(len(carried), 'column')} {'tagged' if write else 'to tag; --write does it'}"
    rows = [(one.name, "" if one.share is None else f"{one.share:.0%}") for one in carried]
    grid(title, ("column", "values the same"), rows, "no other column holds the same data")
    reasons: dict[str, list[str]] = {}
    for one in done:
        if one.what != "carry":
            reasons.setdefault(one.reason, []).append(one.name)
    left = sorted(reasons.items(), key=lambda one: (len(one[1]), one[0]))
    if left:
        grid("left out", ("why", "columns"), [(why, ", ".join(names)) for why, names in left])
