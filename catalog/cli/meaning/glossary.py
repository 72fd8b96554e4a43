"""`assay glossary`: terms, and descriptions of sources, tables and columns."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from catalog.cli.common import Json, Offset, context, writing
from catalog.cli.console import FAILED, count, emit, grid, nothing, say
from catalog.errors import UsageError
from catalog.roles import EDIT

app = typer.Typer(no_args_is_help=True, help="Terms, and descriptions of sources, tables and columns.")
Term = Annotated[str, typer.Argument(metavar="TERM", help="A word of the trade.")]
Owner = Annotated[str | None, typer.Option(help="Who answers for it: a person or a team.")]
FORMS = {".yaml": "yaml", ".yml": "yaml", ".csv": "csv"}


@app.command("list")
def list_terms(
    search: Annotated[str, typer.Option(help="Only those with this in their name or definition.")] = "",
    limit: Annotated[int, typer.Option(min=1)] = 100_000,
    offset: Offset = 0,
    as_json: Json = False,
) -> None:
    """Terms with their definitions.

    Example: assay glossary list --search margin
    """
    from catalog.store.glossary import terms
    from catalog.store.pages.lines import cut_list
    from catalog.store.schemas.listing import listing
    from catalog.store.schemas.meaning import TermOut

    with context().reading() as session:
        found = listing(cut_list(terms.list_terms(session, search), limit, offset), TermOut.made)
    rows = [(one.name, one.definition, one.owner or "") for one in found.items]
    empty = nothing("terms", (search,), "no term yet")
    emit(found, as_json, lambda: grid(count(found.total, "term"), ("term", "definition", "owner"), rows, empty), found)


@app.command("add")
def add(
    term: Term,
    definition: Annotated[str, typer.Argument(help="What it means.")],
    owner: Owner = None,
    as_json: Json = False,
) -> None:
    """Add a term, or change what it means; its owner stays where none is named.

    Example: assay glossary add margin 'Revenue less cost of goods sold, per order.' --owner finance
    """
    from catalog.store.glossary import terms
    from catalog.store.schemas.meaning import TermOut

    here = context(EDIT)
    with here.transaction() as session:
        made = terms.put_term(session, term, definition, owner=owner, actor=here.actor)
    emit(TermOut.made(made), as_json, lambda: say(f"{made.name}: {made.definition}"))


@app.command("rename")
def rename(term: Term, name: Annotated[str, typer.Argument(help="What to call it.")], as_json: Json = False) -> None:
    """Call a term otherwise, on every table and column that carries it.

    Example: assay glossary rename margn margin
    """
    from catalog.store.glossary import terms
    from catalog.store.schemas.meaning import TermOut

    here = context(EDIT)
    with here.transaction() as session:
        made = terms.rename_term(session, term, name, actor=here.actor)
    emit(TermOut.made(made), as_json, lambda: say(f"{term} is called {made.name}"))


@app.command("remove")
def remove(term: Term) -> None:
    """Take a term out of the glossary, which no table or column carries any more.

    Example: assay glossary remove margin
    """
    from catalog.store.glossary import terms

    here = context(EDIT)
    with here.transaction() as session:
        terms.remove_term(session, term, actor=here.actor)
    say(f"{term} is gone")


@app.command("describe")
def describe(
    name: Annotated[str, typer.Argument(metavar="TABLE", help="A table; with --source a source.")],
    text: Annotated[str, typer.Argument(help="What it is; '' takes the description away.")],
    source: Annotated[bool, typer.Option("--source", help="The name is a source's.")] = False,
    column: Annotated[str, typer.Option(help="This column of the table.")] = "",
    terms: Annotated[str | None, typer.Option(help="Terms that it carries, with commas between.")] = None,
    as_json: Json = False,
) -> None:
    """Describe a table, a column or a source, and say which terms it carries.

    Example: assay glossary describe shop/orders 'One row an order.' --column total --terms 'margin, revenue'
    """
    from catalog.cli.access.owner import thing_named
    from catalog.store.glossary import terms as store

    here = context(EDIT)
    with here.transaction() as session:
        kind, key, shown = thing_named(session, name, source, column)
        words = None if terms is None else terms.split(",")
        row = store.describe(session, kind, key, text=text, terms=words, actor=here.actor)
    said = {"kind": kind, "of": shown, **store.said_of(row)}
    emit(said, as_json, lambda: say(f"{shown}: {row.description or 'no description'}"))


@app.command("export")
def export(place: Annotated[Path, typer.Argument(metavar="FILE", help="A .yaml or .csv file.")]) -> None:
    """Write terms, descriptions and owners into a file that `assay glossary import` takes.

    Example: assay glossary export glossary.yaml
    """
    from catalog.store.glossary import exchange

    form = _form(place)
    with context().reading() as session:
        lines = list(exchange.export_lines(session))
    with writing(place):
        place.write_text(exchange.as_csv(lines) if form == "csv" else exchange.as_yaml(lines), encoding="utf-8")
    say(f"{count(len(lines), 'line')} written to {place}")


@app.command("import")
def take(
    place: Annotated[Path, typer.Argument(metavar="FILE", help="A .yaml or .csv file, as exported.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")] = False,
    as_json: Json = False,
) -> None:
    """Take terms, descriptions and owners from a file. What it does not name stays as it is; a line that cannot be used
    is told with its reason, the others are taken. Exit code 1 when one was skipped.

    Example: assay glossary import glossary.csv --dry-run
    """
    from dataclasses import asdict

    from catalog.store.glossary import exchange

    form = _form(place)
    try:
        data = place.read_bytes()
    except OSError as error:
        raise UsageError(f"{place} cannot be read: {error}", remedy="name a file that is there") from error
    here = context(EDIT)
    lines = exchange.read_lines(data, form)
    with here.transaction() as session:
        done = exchange.take(session, lines, actor=here.actor)
        if dry_run:
            session.rollback()
    shown = [one for one in done if one.what != "same" or one.reason]
    rows = [(one.number, one.name, one.what, one.reason) for one in shown]
    skipped, changed = (sum(one.what in what for one in done) for what in (("skipped",), ("added", "changed")))
    told = f"{count(len(done), 'line')}: {changed} {'to change' if dry_run else 'changed'}, {skipped} skipped"
    title = told + ("; nothing was changed" if dry_run else "")
    emit(
        [asdict(one) for one in done], as_json, lambda: grid(title, ("line", "of", "what", "why"), rows, "all the same")
    )
    if any(one.what == "skipped" for one in done):
        raise typer.Exit(FAILED)


def _form(place: Path) -> str:
    form = FORMS.get(place.suffix.lower())
    if form is None:
        raise UsageError(f"a glossary cannot be written as {place}", remedy="end it with .yaml or .csv")
    return form
