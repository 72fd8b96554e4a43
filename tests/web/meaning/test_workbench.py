"""The workbench: values, a column and a pattern become a domain; all its columns are tagged, those left out are not."""

from __future__ import annotations

import json
import re
from dataclasses import asdict

import pyarrow as pa
import pytest
from markup import Reader, read
from shop import HOSTILE
from singly import upsert_table
from sites import Site
from sqlmodel import select

from catalog.evidence.pattern_index.index import PatternIndex
from catalog.states.encoding import encode
from catalog.states.folding.fold import fold
from catalog.store.access import audit
from catalog.store.domains import lakedomains
from catalog.store.engine import session
from catalog.store.lake import tables, versions
from catalog.store.models import LakeColumn, Tag
from catalog.tags.discovery.census import census
from catalog.tags.discovery.discover import Discovered

TICKETS = [f"{a}{b}-{i:04}" for i, (a, b) in enumerate(["AB", "CD", "XY"] * 9)]


@pytest.fixture
def lake(site: Site) -> Site:
    """Three tables with tickets of one form, one with names, in the catalog and in the index."""
    index = PatternIndex()
    with session(site.engine) as db:
        for number in range(4):
            table = upsert_table(db, site.ids["lake"], f"tickets/{number}", f"/t/{number}")
            column = tables.set_columns(db, table.id, [["ticket" if number < 3 else "who", "string"]])[0]
            values = TICKETS if number < 3 else ["Ann", "Bob", "Eve"] * 9
            state = fold(pa.table({column.name: values}))
            top = [[value, 1] for value in values[:5]]
            tables.set_profile(db, table.id, {column.name: {"kind": "string", "rows": 27, "nulls": 0, "top": top}})
            versions.put_file_states(db, [(table.id, "part-0", 27, 900, encode(state))])
            index.update(str(table.id), dict(state.columns))
    index.save(site.settings.index_path)
    (site.settings.index_path / "survey.json").write_text(json.dumps(asdict(census(state.columns.values()))))
    return site


def _columns(site: Site) -> dict[str, int]:
    with session(site.engine, write=False) as db:
        rows = db.exec(select(LakeColumn).where(LakeColumn.name == "ticket").order_by(LakeColumn.id)).all()
    return {f"tickets/{number}": row.id for number, row in enumerate(rows)}


def _tags(site: Site, domain: str) -> dict[int, tuple[str, str]]:
    with session(site.engine, write=False) as db:
        return {tag.column_id: (tag.status, tag.actor) for tag in db.exec(select(Tag).where(Tag.domain == domain))}


def _try(site: Site, **example: str) -> tuple[str, Reader]:
    token = read(site.client.get("/workbench").text).token
    answer = site.client.post("/workbench", data={"csrf": token, **example})
    assert answer.status_code == 200, answer.text[:500]
    page = read(answer.text)
    assert page.faults == []
    return answer.text, page


def test_pasted_values_become_a_domain(lake: Site) -> None:
    _, page = _try(lake, values="QQ-0001\nZZ-1111\nKL-7777\nn/a")
    assert "tags 3 of " in page.text
    text, page = _try(lake, values="QQ-0001\nZZ-1111\nKL-7777")
    assert "recommended" in page.text
    told = re.findall(r'<span class="words">(.*?)</span>.*?<span class="muted">tags (\d+) of', text)
    assert len(told) == len(set(told))  # none is listed twice
    columns = _columns(lake)
    regex = next(one["regex"] for one in _like(lake, columns["tickets/0"]) if one["recommended"])
    first, second, third = columns.values()
    sent = {
        "csrf": page.token,
        "values": "QQ-0001\nZZ-1111\nKL-7777",
        "regex": regex,
        "name": "ticket",
        "label": HOSTILE,
    }
    assert lake.client.post("/workbench/accept", data=sent).status_code == 400  # nothing is ticked
    sent["tick"] = [str(first), str(second)]
    answer = lake.client.post("/workbench/accept", data=sent)
    assert (answer.status_code, answer.headers["location"]) == (303, "/tags/by/ticket"), answer.text[:800]
    assert _tags(lake, "ticket") == {
        first: ("accepted", "local"),
        second: ("accepted", "local"),
        third: ("rejected", "local"),
    }
    with session(lake.engine, write=False) as db:
        (ours,) = lakedomains.named_domains(db)
        events = {(one.action, one.kind) for one in audit.find_events(db)}
    assert ours.validate("AB-1234")
    assert not ours.validate("AB-123")
    assert {("name", "domain"), ("accept", "tag"), ("reject", "tag")} <= events
    shown = lake.client.get("/workbench").text
    assert HOSTILE not in shown
    assert read(shown).faults == []


def _like(site: Site, column: int) -> list[dict]:
    return site.client.get(f"/api/v1/columns/{column}/like").json()


def test_a_column_and_a_pattern_are_examples_too(lake: Site) -> None:
    column = _columns(lake)["tickets/1"]
    page = read(lake.client.get(f"/workbench?column={column}").text)
    assert page.faults == []
    assert "tags 3 of " in page.text
    assert "AB-0000" in page.text  # a value that matches
    page = read(lake.client.get("/workbench?pattern=AA-0000").text)
    assert "tags 3 of " in page.text
    assert "No column of the lake looks like it" in read(lake.client.get("/workbench?pattern=ZZZ@@").text).text
    assert all(0 < one["chance"] < 0.01 for one in _like(lake, column) if one["recommended"])


def test_a_regex_of_the_browser_is_not_believed(lake: Site) -> None:
    column = _columns(lake)["tickets/0"]
    page = read(lake.client.get(f"/workbench?column={column}").text)
    sent = {"csrf": page.token, "column": str(column), "regex": "(a+)+$", "name": "evil", "tick": [str(column)]}
    answer = lake.client.post("/workbench/accept", data=sent)
    assert answer.status_code == 400
    assert "not found any more" in answer.text
    assert _tags(lake, "evil") == {}


def test_too_few_values_are_said(lake: Site) -> None:
    _, page = _try(lake, values="one\none\none")
    assert "paste 3 to 1000 different values" in page.text


def test_what_cannot_be_an_example_or_is_not_looked_at_is_said(lake: Site) -> None:
    _, page = _try(lake, values=" \n\t\n")
    assert "paste 3 to 1000 different values" in page.text
    assert "paste 3 to 1000 different values" in lake.client.get("/workbench?pattern=++").text
    _, page = _try(lake, values="\n".join(f"QQ-{i:04}" for i in range(1200)))
    assert "the first 1,000 of these 1,200 values" in page.text
    assert "tags 3 of " in page.text
    _, page = _try(lake, values="QQ-0001\nZZ-1111\nKL-7777")
    assert "tags 3 of " in page.text
    assert "of 0 that have it" not in page.text, "what no column has is not listed"


def test_a_sensitive_domain_masks_at_once_and_a_name_is_taken_back(lake: Site) -> None:
    column = _columns(lake)["tickets/0"]
    regex = next(one["regex"] for one in _like(lake, column) if one["recommended"])
    page = read(lake.client.get(f"/workbench?column={column}").text)
    sent = {"csrf": page.token, "column": str(column), "regex": regex, "name": "ticket", "sensitive": "true"}
    sent["tick"] = [str(key) for key in _columns(lake).values()]
    assert lake.client.post("/workbench/accept", data={**sent, "name": "email"}).status_code == 400
    assert lake.client.post("/workbench/accept", data=sent).status_code == 303
    assert "AB-0000" not in lake.client.get(f"/workbench?column={column}").text
    assert lake.client.post("/workbench/accept", data={**sent, "name": "other"}).status_code == 400  # it has a name
    with session(lake.engine, write=False) as db:
        (row,) = lakedomains.list_domains(db, named=True)
    assert lake.client.get("/api/v1/patterns").json()[0]["name"] == "ticket"
    assert lake.client.post(f"/workbench/{row.id}/forget", data={"csrf": page.token}).status_code == 303
    assert "Remove the name" not in lake.client.get("/workbench").text


def test_what_cannot_be_made_a_domain_is_told_where_it_was_asked(lake: Site) -> None:
    first, second, third = _columns(lake).values()
    regex = next(one["regex"] for one in _like(lake, first) if one["recommended"])
    _, page = _try(lake, values="QQ-0001\nZZ-1111\nKL-7777")
    sent = {"csrf": page.token, "values": "QQ-0001\nZZ-1111\nKL-7777", "regex": regex, "label": "Tickets"}
    answer = lake.client.post("/workbench/accept", data=sent | {"name": "email", "tick": [str(first), str(third)]})
    assert answer.status_code == 400
    assert read(answer.text).faults == []
    assert 'role="alert">there is a domain' in answer.text
    (form,) = [one for one in answer.text.split("<form ") if f'name="regex" value="{regex}"' in one]
    assert '<textarea name="values" hidden>QQ-0001' in form
    assert 'value="email"' in form
    assert 'value="Tickets"' in form
    ticks = dict(re.findall(r'name="tick" value="(\d+)"( checked)?', form))
    assert ticks == {str(first): " checked", str(second): "", str(third): " checked"}


def test_a_domain_is_renamed_with_its_decisions_and_removed_with_a_reason(lake: Site) -> None:
    first, second, _ = _columns(lake).values()
    regex = next(one["regex"] for one in _like(lake, first) if one["recommended"])
    sent = {"csrf": read(lake.client.get("/workbench").text).token, "column": str(first), "regex": regex}
    sent |= {"name": "ticket", "sensitive": "true", "tick": [str(first), str(second)]}
    assert lake.client.post("/workbench/accept", data=sent).status_code == 303
    before = _tags(lake, "ticket")
    with session(lake.engine, write=False) as db:
        (row,) = lakedomains.list_domains(db, named=True)
    page = lake.client.get("/workbench").text
    assert read(page).faults == []
    assert "0 proposed tags go; 3 tags that people accepted or rejected stay" in read(page).text
    assert f'action="/workbench/{row.id}/name"' in page
    form = {"csrf": sent["csrf"], "name": "support_ticket", "label": "Support ticket"}
    assert lake.client.post(f"/workbench/{row.id}/name", data=form).status_code == 303
    assert (_tags(lake, "ticket"), _tags(lake, "support_ticket")) == ({}, before)
    form |= {"reason": "made by mistake"}
    assert lake.client.post(f"/workbench/{row.id}/forget", data=form).status_code == 303
    with session(lake.engine, write=False) as db:
        event = audit.find_events(db, kind="domain", limit=1)[0]
        assert (event.action, event.before, event.reason) == (
            "forget",
            {"name": "support_ticket", "label": "Support ticket", "sensitive": True},
            "made by mistake",
        )


def test_common_patterns_lead_to_the_same_page(lake: Site) -> None:
    found = Discovered("shape", "AA-0000", "two capitals", "[A-Z]{2}-[0-9]{4}", 3, 3, 0.0, ())
    with session(lake.engine) as db:
        lakedomains.put_domains(db, [found], {})
    text = lake.client.get("/workbench").text
    assert 'href="/workbench?pattern=AA-0000"' in text
    assert "Patterns by number of tokens" in read(text).text
    assert lake.client.get("/api/v1/index").json()["patterns"] == 1
