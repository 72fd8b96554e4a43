"""Tables that a source holds no longer, or that its globs leave out: what is said of them, how they are forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from assay_command import Assay
from deltalake import write_deltalake

from catalog.flow.context import Context, Progress
from catalog.flow.reading.sources import add_source, find_tables
from catalog.settings import Settings
from catalog.store.lake import sources, tables
from catalog.store.models import Source


@pytest.fixture
def here(home: Path) -> Iterator[Context]:
    """A catalog whose logs are read, and no more."""
    context = Context(Settings(home=home))
    yield context
    context.close()


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    for name in ("orders", "hist/orders", "hist/regions"):
        write_deltalake(str(tmp_path / "lake" / name), pa.table({"id": [1, 2]}))
    return tmp_path / "lake"


def look(context: Context, source_id: int) -> dict[str, str]:
    """Look through a source; the names and statuses of its tables then."""
    with context.reading() as session:
        source: Source = sources.get_source(session, source_id)
    find_tables(context, source, Progress(context, None))
    with context.reading() as session:
        return {table.name: table.status for table in tables.every_table(session)}


def test_what_a_source_leaves_out_is_not_called_gone(here: Context, lake: Path) -> None:
    source = add_source(here, "shop", str(lake))
    assert set(look(here, source.id).values()) == {"new"}
    with here.transaction() as session:
        sources.edit_source(session, source.id, "shop", str(lake), [], ["hist/*"])
    assert look(here, source.id) == {"orders": "new", "hist/orders": "excluded", "hist/regions": "excluded"}
    with here.transaction() as session:
        sources.edit_source(session, source.id, "shop", str(lake))
    (lake / "orders").rename(lake / ".orders")
    assert look(here, source.id)["orders"] == "vanished"


def test_a_table_that_is_left_out_is_forgotten_by_command(here: Context, lake: Path) -> None:
    assay = Assay(here.settings)
    source = add_source(here, "shop", str(lake))
    look(here, source.id)
    told = assay("table", "remove", "shop/hist/regions", "--yes", code=3).stderr
    assert "still under its source" in told
    assert "assay source edit --exclude" in told
    with here.transaction() as session:
        sources.edit_source(session, source.id, "shop", str(lake), [], ["hist/*"])
    look(here, source.id)
    assert assay.json("table", "remove", "shop/hist/regions", "--yes") == {"removed": "shop/hist/regions"}
    assert {one["name"] for one in assay.json("table", "list")["items"]} == {"hist/orders", "orders"}


def test_a_folder_that_holds_less_is_asked_about_and_keeps_its_tables(here: Context, lake: Path) -> None:
    """Of the folder within, the tables are those of the folder around it, under other names."""
    assay = Assay(here.settings)
    source = add_source(here, "shop", str(lake))
    look(here, source.id)
    with here.reading() as session:
        known = {table.uri: table.id for table in tables.every_table(session)}
    told = assay("source", "edit", "shop", str(lake / "hist"), code=3).stderr
    assert "1 table of shop would not be watched any more: orders." in told
    assert "1 table of shop" in assay("source", "add", "shop", str(lake / "hist"), code=3).stderr
    assert assay.json("source", "edit", "shop", str(lake / "hist"), "--yes")["found"] == 2
    here_now = {"orders": "new", "regions": "new", f"orders ({lake}/orders)": "vanished"}
    assert look(here, source.id) == here_now
    with here.reading() as session:
        assert {table.uri: table.id for table in tables.every_table(session)} == known
