"""`assay owner`: who answers for sources, tables and columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from catalog.cli.common import Json, context
from catalog.cli.console import emit, grid, say
from catalog.roles import ADMIN, EDIT

if TYPE_CHECKING:
    from sqlmodel import Session

    from catalog.store.access.owners import Owner

app = typer.Typer(no_args_is_help=True, help="Owners of sources, tables and columns.")
NEW = "; a new name: no person with an account, no team and no owner had it"
Thing = Annotated[str, typer.Argument(metavar="TABLE", help="A table; with --source a source, with --column a column.")]
OfSource = Annotated[bool, typer.Option("--source", help="The name is a source's.")]
OfColumn = Annotated[str, typer.Option("--column", help="This column of the table.")]


def thing_named(session: Session, name: str, source: bool, column: str) -> tuple[str, int, str]:
    """Kind, id and name of what is meant."""
    from catalog.store.lake import sources, tables

    if source:
        return "source", sources.get_source(session, name).id, name
    table = tables.get_table(session, name)
    if column:
        return "column", tables.get_column(session, table.id, column).id, f"{table.name}.{column}"
    return "table", table.id, table.name


@app.command("set")
def owner_set(
    name: Thing,
    owner: Annotated[str, typer.Argument(help="A person or team; '' leaves it to what holds it.")],
    source: OfSource = False,
    column: OfColumn = "",
    reason: Annotated[str, typer.Option(help="Why; kept in the audit log.")] = "",
    as_json: Json = False,
) -> None:
    """Set the owner of a table, a column or a source. Without one, a column belongs to its table's owner, and so on.

    Example: assay owner set shop/orders sales-data
    """
    from catalog.store.access import owners

    here = context(EDIT)
    with here.transaction() as session:
        kind, key, shown = thing_named(session, name, source, column)
        known = owners.known_names(session)
        now = owners.set_owner(session, kind, key, owner, actor=here.actor, reason=reason or None)
    emit(
        {"kind": kind, "of": shown, "name": now.name, "given": now.given},
        as_json,
        lambda: say(f"{shown}: {_words(now)}{'' if not owner or now.name in known else NEW}"),
    )


@app.command("show")
def owner_show(name: Thing, source: OfSource = False, column: OfColumn = "", as_json: Json = False) -> None:
    """Show the owner of something, and where that is set.

    Example: assay owner show shop/orders --column customer_email
    """
    from catalog.store.access import owners

    with context().reading() as session:
        kind, key, shown = thing_named(session, name, source, column)
        now = owners.owner_of(session, kind, key)
    emit(
        {"kind": kind, "of": shown, "name": now.name, "given": now.given},
        as_json,
        lambda: say(f"{shown}: {_words(now)}"),
    )


def _words(owner: Owner) -> str:
    if owner.name is None:
        return "nobody; `assay owner default NAME` says who answers for what nobody was named for"
    return f"{owner.name}, {'the default owner' if owner.given == 'default' else f'named for the {owner.given}'}"


@app.command("list")
def owner_list(as_json: Json = False) -> None:
    """List the owners, with what each owns, and how many tables have no owner.

    Example: assay owner list
    """
    from catalog.store.access import owners

    with context().reading() as session:
        found, bare = owners.owners(session), owners.count_unowned(session)
        default = owners.default_owner(session)
    data = {"default": default, "unowned": bare, "owners": found}
    rows = [
        (o["owner"], o["tables"], o["sources"], o["columns"], ", ".join(o["members"]), "has left" if o["gone"] else "")
        for o in found
    ]

    def show() -> None:
        grid("", ("owner", "tables", "sources", "columns", "members", ""), rows, "nobody owns anything yet")
        if bare:
            say(f"{bare} without an owner (`assay table list --owner unowned`); {default or 'nobody'} answers for them")

    emit(data, as_json, show)


@app.command("default")
def owner_default(
    owner: Annotated[str, typer.Argument(help="A person or team; '' for nobody.")], as_json: Json = False
) -> None:
    """Set the default owner: of everything that has no owner.

    Example: assay owner default data-platform
    """
    from catalog.store.access import owners

    here = context(ADMIN)
    with here.transaction() as session:
        owners.set_default_owner(session, owner, actor=here.actor)
        now = owners.default_owner(session)
    emit(
        {"name": now, "given": "default"},
        as_json,
        lambda: say(f"{now or 'nobody'} answers for what nobody was named for"),
    )


@app.command("team")
def owner_team(
    name: Annotated[str, typer.Argument(help="What to call the team.")],
    member: Annotated[list[str] | None, typer.Argument(help="Names of people; none: the team is no more.")] = None,
    as_json: Json = False,
) -> None:
    """Set the members of a team: what it owns is `mine` to each of them.

    Example: assay owner team sales-data ann bob
    """
    from catalog.store.access import owners

    here = context(ADMIN)
    with here.transaction() as session:
        owners.set_team(session, name, member or [], actor=here.actor)
        now = owners.teams(session)
    emit(now, as_json, lambda: say(f"{name}: {', '.join(now.get(name, [])) or 'nobody'}"))
