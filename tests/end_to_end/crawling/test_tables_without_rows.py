"""A table that never had a row: nothing can be learned of it, and that is said; its first rows make it watched."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from fastapi.testclient import TestClient

from catalog.flow import crawl
from catalog.flow.context import Context
from catalog.store.lake import tables
from web.app import create_app

pytestmark = pytest.mark.spark


def test_an_empty_table_is_called_empty_until_it_has_rows(context: Context, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    columns = {"mail": [f"user{i}@mail.example" for i in range(50)]}
    write_deltalake(str(lake / "late"), pa.table(columns)[:0])
    with context.transaction() as session:
        source = tables.add_source(session, "shop", str(lake)).id
    client = TestClient(create_app(context.settings), base_url="http://127.0.0.1:8420")

    def state() -> tuple[str, bool]:
        crawl.crawl_source(context, source)
        with context.reading() as session:
            table = tables.get_table(session, "late")
        return table.status, "No row so far" in client.get(f"/tables/{table.id}").text

    assert state() == ("empty", True)
    assert state() == ("empty", True)
    assert "1 empty" in client.get("/").text
    write_deltalake(str(lake / "late"), pa.table(columns), mode="append")
    assert state() == ("watched", False)
