"""Values of a column, and rows that an incident points at: masked, or as they are for who may see them and says why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from catalog.cli.common import Json, Reason, TableName, Unmasked, context, identity, unmasked_levels
from catalog.cli.console import emit, grid, say

if TYPE_CHECKING:
    from catalog.flow.context import Context
    from catalog.store.access.audit import Item


def table_values(
    name: TableName,
    column: Annotated[str, typer.Argument(help="Name of the column.")],
    unmasked: Unmasked = False,
    reason: Reason = "",
    as_json: Json = False,
) -> None:
    """Show some of a column's values as the lake holds them now, sensitive ones masked. With --unmasked approvers see
    personal values and admins secret ones too, for a --reason; each look is an event of the audit log.

    Example: assay table values shop/customers email --unmasked --reason "complaint 4711"
    """
    from catalog.flow.rows.unmasking import column_values
    from catalog.store.access import audit
    from catalog.store.lake import tables
    from catalog.store.meaning.levels import demand_values

    here = context()
    levels = unmasked_levels(here, reason) if unmasked else frozenset()
    with here.reading() as session:
        found = tables.get_column(session, tables.get_table(session, name).id, column)
        if unmasked:
            demand_values(session, found.id, levels)
        item = audit.of_column(session, "column", found.id, found.id)
    _show(here, column_values(here, found.id, levels), item, levels, reason, as_json)


def incident_rows(
    incident_id: Annotated[int, typer.Argument(help="Its id.")],
    unmasked: Unmasked = False,
    reason: Reason = "",
    as_json: Json = False,
) -> None:
    """Show the rows that an incident points at, read from the lake again, sensitive values masked. With --unmasked
    approvers see personal values and admins secret ones too, for a --reason; each look is an event of the audit log.

    Example: assay incident rows 3 --unmasked --reason "to tell the till's maker which orders"
    """
    from catalog.flow.rows.unmasking import incident_rows as read
    from catalog.store.access import audit
    from catalog.store.incidents import outcomes

    here = context()
    levels = unmasked_levels(here, reason) if unmasked else frozenset()
    with here.reading() as session:
        incident = outcomes.get_incident(session, incident_id)
        item = audit.of_table(session, "incident", incident_id, incident.table_id, f"incident {incident_id}")
    _show(here, read(here, incident_id, levels), item, levels, reason, as_json)


def _show(here: Context, found: dict[str, Any], item: Item, levels: frozenset[str], reason: str, as_json: bool) -> None:
    """Print what was read, after it was written down that it is seen."""
    from catalog.store.meaning.levels import note_unmasked, shown_of

    if levels:
        with here.transaction() as session:
            note_unmasked(session, identity(here).name, item, reason, levels, shown_of(found))

    def show() -> None:
        for block in found["blocks"]:
            say(block.get("sentence") or f"{found['table']}, version {found['version']}: {block['column']}", "bold")
            heads = list(dict.fromkeys(name for row in block["rows"] for name in row))
            rows = [tuple(row.get(head) for head in heads) for row in block["rows"]]
            grid("", heads or ("row",), rows, block.get("why") or "there are no values")

    emit(found, as_json, show)
