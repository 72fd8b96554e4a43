"""`assay owner` and the filters by owner of other commands."""

from __future__ import annotations

from assay_command import Within
from singly import upsert_table

from catalog.flow.context import Context
from catalog.store.lake import sources, tables


def test_owners_by_command(within: Within) -> None:
    within("source", "add", "shop", "/shop", "--untested")
    context = Context(within.settings)
    with context.transaction() as session:
        source = sources.get_source(session, "shop")
        for name in ("orders", "stock"):
            tables.set_columns(session, upsert_table(session, source.id, name, f"/{name}").id, [["id", "bigint"]])
    context.close()
    assert "a new name: no person" in within("owner", "set", "orders", "saels").stdout  # perhaps a mistake in typing
    assert within.json("owner", "set", "orders", "sales")["given"] == "table"
    assert "a new name" not in within("owner", "set", "orders", "sales").stdout
    assert within.json("owner", "show", "orders", "--column", "id")["name"] == "sales"
    assert within.json("owner", "default", "platform") == {"name": "platform", "given": "default"}
    told = {"kind": "table", "of": "stock", "name": "platform", "given": "default"}
    assert within.json("owner", "show", "stock") == told
    assert [one["name"] for one in within.json("table", "list", "--owner", "unowned")["items"]] == ["stock"]
    assert within.json("incident", "list", "--owner", "mine")["items"] == []
    assert within.json("owner", "list")["unowned"] == 1
