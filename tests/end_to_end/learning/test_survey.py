"""A crawl of a source surveys the lake's patterns; what a person names tags columns from then on."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from catalog.cli import main
from catalog.evidence.pattern_index.index import PatternIndex
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source
from catalog.flow.learning.survey import survey
from catalog.flow.reading.sources import add_source
from catalog.settings import get_settings
from catalog.store.domains import lakedomains
from catalog.store.domains.surveyed import read_survey
from catalog.store.lake import tables
from catalog.store.pages.columns import find_tags

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
