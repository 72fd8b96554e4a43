"""A domain made in the workbench: columns that come are tagged at the next crawl, those that stop being it are asked
about, and what becomes of the domain becomes of its tags."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from fastapi.testclient import TestClient

from catalog.flow import crawl
from catalog.flow.context import Context
from catalog.store.domains import lakedomains
from catalog.store.lake import tables
from catalog.store.pages.columns import find_tags
from web.app import create_app

pytestmark = pytest.mark.spark
BADGES = [f"BX-{10000 + 37 * i:05}-Q" for i in range(80)]
WORDS = ["north", "south", "east", "west"] * 20


def _write(lake: Path, name: str, **columns: list) -> None:
    write_deltalake(str(lake / name), pa.table(columns), mode="overwrite", schema_mode="overwrite")


def _tags(context: Context, domain: str) -> dict[str, str]:
    with context.reading() as session:
        found = find_tags(session, domain=domain, limit=100).items
        return {f"{one.Table.name}.{one.LakeColumn.name}": one.Tag.status for one in found}


def test_tags_follow_the_tables_and_the_domain(context: Context, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    for number in range(3):
        _write(lake, f"gate{number}", badge=BADGES, side=WORDS)
    _write(lake, "visits", who=WORDS)
    with context.transaction() as session:
        source = tables.add_source(session, "office", str(lake)).id
    crawl.crawl_source(context, source)
    client = TestClient(create_app(context.settings), base_url="http://127.0.0.1:8420", follow_redirects=False)
    page = client.get("/workbench?pattern=AA-00000-A").text
    given = {"csrf": re.search(r'name="csrf" value="([^"]+)"', page)[1], "pattern": "AA-00000-A"}
    given |= {"regex": re.search(r'name="regex" value="([^"]+)"', page)[1], "name": "badge_number"}
    given["tick"] = re.findall(r'name="tick" value="(\d+)"', page)[:3]
    assert client.post("/workbench/accept", data=given).headers["location"] == "/tags/by/badge_number"
    accepted = {"gate0.badge": "accepted", "gate1.badge": "accepted", "gate2.badge": "accepted"}
    assert _tags(context, "badge_number") == accepted
    _write(lake, "visits", who=WORDS, badge_seen=BADGES)
    _write(lake, "gate0", badge=[str(i) for i in range(80)], side=WORDS)
    _write(lake, "gate1", side=WORDS)
    crawl.crawl_source(context, source)
    del accepted["gate1.badge"]
    assert _tags(context, "badge_number") == {**accepted, "visits.badge_seen": "proposed"}
    asked = client.get("/review").text
    assert re.search(r"no longer recognised.{,200}gate0", asked, re.S), (
        "what a person accepted is asked, not taken away"
    )
    assert "no longer recognised" not in asked.partition("gate2")[2], "the others keep theirs"
    with context.transaction() as session:
        lakedomains.name_domain(
            session, "badge_number", "staff_badge", label="Staff badge", sensitive=True, actor="ann"
        )
    assert _tags(context, "badge_number") == {}
    assert _tags(context, "staff_badge") == {**accepted, "visits.badge_seen": "proposed"}, (
        "another name, the same domain"
    )
    with context.reading() as session:
        levels = {one.LakeColumn.level for one in find_tags(session, domain="staff_badge", limit=100).items}
    assert levels == {"personal"}, "sensitive at once, in every column that has the tag"
    crawl.crawl_source(context, source)
    assert _tags(context, "staff_badge") == {**accepted, "visits.badge_seen": "proposed"}
    with context.transaction() as session:
        lakedomains.forget_name(session, "staff_badge", actor="ann")
    crawl.crawl_source(context, source)
    assert _tags(context, "staff_badge") == accepted, "what people decided stays"
