"""`assay export`: results as long tables."""

from __future__ import annotations

from typing import Annotated

import typer

from catalog.cli.common import Json, context, writing
from catalog.cli.console import count, emit, say


def export(
    what: Annotated[str, typer.Argument(metavar="WHAT", help="metrics, outcomes or tags.")],
    place: Annotated[str, typer.Argument(metavar="PLACE", help="A .parquet, .csv or .jsonl file, or a Delta table.")],
    table: Annotated[str, typer.Option(help="Only of this table.")] = "",
    as_json: Json = False,
) -> None:
    """Write results as a long table, one number or tag a row, with published schemas: every metric of every version,
    what every rule said of it, or what every column means and who said so. A Delta table is continued: doing it again
    adds what is new.

    Example: assay export outcomes /data/lake/assay_outcomes
    """
    from catalog.flow.export import export_results
    from catalog.store.lake import tables

    here = context()
    with here.reading() as session:
        key = tables.get_table(session, table).id if table else None
    with writing(place):
        data = export_results(here, what, place, table_id=key)
    emit(data, as_json, lambda: say(f"{count(data['rows'], 'row')} of {what} written to {place}"))
