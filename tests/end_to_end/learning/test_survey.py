"""A crawl of a source surveys the lake's patterns; what a person names tags columns from then on."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from fastapi.testclient import TestClient

from catalog.cli import main
from catalog.evidence.pattern_index.index import PatternIndex
from catalog.flow import crawl
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source
from catalog.flow.learning.survey import survey
from catalog.flow.reading.sources import add_source
from catalog.settings import get_settings
from catalog.store.domains import lakedomains
from catalog.store.domains.surveyed import read_survey
from catalog.store.lake import sources, tables
from catalog.store.pages.columns import find_tags
from web.app import create_app

pytestmark = pytest.mark.spark


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """Four tables that share a kind of ticket number which no known domain explains."""
    for number in range(4):
        tickets = [f"T{number}Q-{(i * 7919 + number) % 90000 + 10000}/Z" for i in range(80)]
        rows = pa.table({"ticket": tickets, "city": [f"Town {i}" for i in range(80)]})
        write_deltalake(str(tmp_path / "lake" / f"table{number}"), rows)
    return tmp_path / "lake"


def test_domains_are_found_named_and_tag_what_comes(
    context: Context, lake: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = add_source(context, "lake", str(lake))
    summary = crawl_source(context, source.id)
    assert summary["domains"] >= 1, summary
    figures = read_survey(context.settings)
    assert figures is not None
    assert figures["tables"] == 4
    assert sum(figures["by_tokens"]) == figures["patterns"] == sum(count for *_, count in figures["by_columns"])
    with context.reading() as session:
        tickets = next(one for one in lakedomains.list_domains(session) if "/" in one.pattern)
    assert len(tickets.described) == 4
    assert tickets.domain is None

    for name, value in (("HOME", context.settings.home), ("STARTER_INDEX", context.settings.starter_index)):
        monkeypatch.setenv(f"ASSAY_{name}", str(value))
    get_settings.cache_clear()
    try:
        assert main(["tag-by-example", "table0", "ticket", "--json"]) == 0
        best = next(one for one in json.loads(capsys.readouterr().out) if one["recommended"])
        assert {one["table"] for one in best["columns"]} == {f"table{n}" for n in range(4)}
        assert {one["column"] for one in best["columns"]} == {"ticket"}
        assert main(["tag-by-example", "--value", "@@", "--value", "@#", "--json"]) == 1  # nothing is like it
        assert main(["tag-by-example", "--json"]) == 3
        assert main(["index", "name", str(tickets.id), "ticket_number", "--label", "Ticket number"]) == 0
        assert main(["index", "show", "--json"]) == 0
        capsys.readouterr()
    finally:
        get_settings.cache_clear()

    rows = pa.table({"number": [f"A7Z-{n}/K" for n in range(20000, 20080)]})
    write_deltalake(str(lake / "later"), rows)
    crawl_source(context, source.id)
    with context.reading() as session:
        later = tables.get_table(session, "later")
        assert [item.Tag.domain for item in find_tags(session, table_id=later.id, limit=1000).items] == [
            "ticket_number"
        ]


def test_an_index_that_was_restarted_is_completed_from_the_states(context: Context, lake: Path) -> None:
    source = add_source(context, "lake", str(lake))
    crawl_source(context, source.id)
    index = PatternIndex.open(context.settings.index_path)
    for key in [key for key in index.tables if key.isdecimal()][:3]:
        index.subtract(key)
    index.save(context.settings.index_path)
    assert survey(context)["tables"] == 4
    kept = PatternIndex.open(context.settings.index_path)
    assert sum(key.isdecimal() for key in kept.tables) == 4


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
        source = sources.add_source(session, "office", str(lake)).id
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
