"""Columns that nobody knows, on the pages and through the interface: why they are hidden, asked once a table."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from markup import read
from playwright.sync_api import expect
from singly import upsert_table
from sites import Site
from sqlmodel import select
from test_browser import CHROMIUM, FLAGS, serve, watched

from catalog.store.engine import session
from catalog.store.lake import sources, tables
from catalog.store.meaning import tags
from catalog.store.models import LakeColumn
from catalog.tags.privacy.levels import ABOUT
from catalog.tags.proposal import TagProposal

COLUMNS = {"dx_1": 0.7, "dx_2": 0.7, "dx_3": 0.7, "kpt": 0.4, "PARTY_D": 0.3, "PARTY_R": 0.3, "zone": 0.12}
WHY = {"not_known": True, "whose_because": [{"what": "table patients", "weight": 2.0}, {"what": "beside age, sex"}]}


def _ask(site: Site, name: str = "patients") -> dict[str, int]:
    """A table of seven columns that nobody knows, by name."""
    with session(site.engine) as db:
        source = next((one for one in sources.list_sources(db) if one.name == "clinic"), None)
        source = source or sources.add_source(db, "clinic", "/clinic")
        table = upsert_table(db, source.id, name, f"/clinic/{name}")
        columns = tables.set_columns(db, table.id, [[column, "string"] for column in COLUMNS])
        for column in columns:
            column.profile = {"kind": "string", "rows": 9, "distinct": 2, "top": [["Yes", 6], ["No", 3]]}
        kind = TagProposal("code", "Code (short symbols)", 0.6, 1.0, False, generic=True)
        said = {c.id: [kind, TagProposal(ABOUT, "About the person", COLUMNS[c.name], 0.0, True, WHY)] for c in columns}
        tags.put_table_tags(db, said, 1)
        return {"table": table.id, **{column.name: column.id for column in columns}}


def _levels(site: Site, ids: dict[str, int]) -> dict[str, set[str]]:
    with session(site.engine, write=False) as db:
        out: dict[str, set[str]] = {}
        query = select(LakeColumn.name, LakeColumn.level).where(LakeColumn.table_id == ids["table"])
        for name, level in db.exec(query):
            out.setdefault(level, set()).add(name)
        return out


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS.split())
        yield opened
        opened.close()


@pytest.fixture
def asked(site: Site) -> Iterator[tuple[Site, str, dict[str, int]]]:
    ids = _ask(site)
    server, url = serve(site)
    yield site, url, ids
    server.should_exit = True


@pytest.mark.browser
def test_a_table_is_answered_for_by_keyboard_and_undone(asked, browser):
    site, url, ids = asked
    complaints: list[str] = []
    context = browser.new_context()
    page = watched(context, complaints)
    page.goto(url + "/review")
    expect(page.get_by_text("7 columns of")).to_be_visible()
    expect(page.get_by_text("7 columns not yet reviewed, masked until then")).to_be_visible()
    assert [one.is_checked() for one in page.locator("[data-line]").all()] == [True, False, False, False]
    page.keyboard.press("3")  # the parties
    page.keyboard.press("1")  # not the first family
    page.keyboard.press("a")  # asks why the others may be seen
    expect(page.locator("[data-current] [data-reason]")).to_be_focused()
    assert _levels(site, ids) == {"unreviewed": set(COLUMNS)}
    page.get_by_role("button", name="Save: mask 2, show 5").click()  # as does the button
    assert page.locator("[data-current] [data-reason]").evaluate("one => one.matches(':invalid')")
    page.keyboard.press("5")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.get_by_text("Decided on 7 columns")).to_be_visible()
    expect(page.locator("[data-table]")).to_have_count(0)
    assert _levels(site, ids) == {"personal": {"PARTY_D", "PARTY_R"}, "internal": set(COLUMNS) - {"PARTY_D", "PARTY_R"}}
    with page.expect_navigation():
        page.keyboard.press("u")
    expect(page.get_by_text("7 columns of")).to_be_visible()
    assert _levels(site, ids) == {"unreviewed": set(COLUMNS)}
    for key in ("2", "3", "4"):  # all are: nothing is shown, and nothing is asked
        page.keyboard.press(key)
    with page.expect_navigation():
        page.keyboard.press("a")
    assert _levels(site, ids) == {"personal": set(COLUMNS)}
    context.close()
    assert complaints == []


@pytest.mark.browser
def test_part_of_a_family_and_only_what_is_ticked(asked, browser):
    site, url, ids = asked
    page = browser.new_page()
    page.goto(url + f"/review?domain={ABOUT}&at=t{ids['table']}")
    page.get_by_text("dx_1, dx_2, dx_3").click()
    page.get_by_label("dx_2 holds personal data").uncheck()
    assert page.locator("[data-line]").first.evaluate("one => one.indeterminate")
    with page.expect_navigation():
        page.keyboard.press("o")
    assert _levels(site, ids) == {"personal": {"dx_1", "dx_3"}, "unreviewed": set(COLUMNS) - {"dx_1", "dx_3"}}
    page.close()


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_question_fits_the_screen(asked, browser, width, scheme):
    _, url, _ = asked
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    page.goto(url + "/review")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(page.get_by_role("button", name="Save: mask 3, show 4")).to_be_visible()
    context.close()


def test_pages_say_why_values_are_masked(site: Site) -> None:
    ids = _ask(site)
    told = site.client.get(f"/columns/{ids['kpt']}").text
    assert "This column could not be classified" in told
    assert "table patients; beside age, sex" in told
    assert "40% of columns like it are sensitive" in told
    values = told.split("Most frequent values")[1].split("</table>")[0]
    assert "Yes" not in values
    assert "Aa" not in values, "shapes tell a flag"
    assert "unclassified: masked" in site.client.get(f"/tables/{ids['table']}").text
    assert "patients" in site.client.get("/tables?level=unreviewed").text


def test_values_are_shown_with_a_reason_only(site: Site) -> None:
    ids = _ask(site)
    page = site.client.get("/review").text
    assert "accept all" not in page
    (listed,) = site.client.get("/api/v1/review/tables?source=clinic").json()["items"]
    tag = {column["column"]: column["tag_id"] for line in listed["lines"] for column in line["columns"]}
    form = {"csrf": read(page).token, "asked": list(tag.values()), "tag": [tag["dx_1"]], "reason": " "}
    refused = site.client.post("/review/table", data=form)
    assert refused.status_code == 400
    assert "say why they may be seen" in refused.text
    answer = {"about": [tag["kpt"]], "others": [tag["zone"]]}
    assert site.client.post("/api/v1/review/tables", json=answer).status_code == 400
    assert _levels(site, ids) == {"unreviewed": set(COLUMNS)}
    site.client.post("/review/table", data=form | {"only": "true"})
    assert _levels(site, ids) == {"personal": {"dx_1"}, "unreviewed": set(COLUMNS) - {"dx_1"}}


def test_the_interface_asks_and_takes_answers(site: Site) -> None:
    ids = _ask(site)
    listed = site.client.get("/api/v1/review/tables?source=clinic").json()
    (one,) = listed["items"]
    assert (one["table"], one["because"], [len(line["columns"]) for line in one["lines"]]) == (
        "patients",
        ["table patients", "beside age, sex"],
        [3, 1, 2, 1],
    )
    assert one["lines"][0]["columns"][0]["matching"] == ["aaa"]
    waits = site.client.get("/api/v1/review?source=clinic").json()["open"]
    asked = {"kind": "unknown", "decisions": 1, "columns": len(COLUMNS), "at": "/api/v1/review/tables"}
    assert asked in waits
    assert next(kind for kind in waits if kind["columns"]) == asked, "what is next comes first"
    column = site.client.get(f"/api/v1/columns/{ids['kpt']}").json()
    assert (column["level"], column["sensitive"], column["profile"]["top"][0][0]) == ("unreviewed", True, "aaa")
    tag = {column["column"]: column["tag_id"] for line in one["lines"] for column in line["columns"]}
    twice = site.client.post("/api/v1/review/tables", json={"about": [tag["kpt"]], "others": [tag["kpt"]]})
    assert twice.status_code == 400
    answer = {"about": [tag["kpt"]], "others": [tag["zone"]], "reason": "wards"}
    assert len(site.client.post("/api/v1/review/tables", json=answer).json()["events"]) == 2
    assert _levels(site, ids)["personal"] == {"kpt"}
    assert _levels(site, ids)["internal"] == {"zone"}


def test_general_kinds_are_said_to_be_general_wherever_they_are_listed_or_counted(site: Site) -> None:
    ids = _ask(site)
    row = read(site.client.get("/tags").text).text.partition("Code (short symbols)")[2].split()
    assert row[:6] == ["code", "1", "7", "general", "0", "0"], "one table, seven columns, none that waits"
    listed = site.client.get("/tags/by/code").text
    assert listed.count(">general<") == 7
    assert 'class="status news"' not in listed
    assert "No column with that status" in site.client.get("/tags/by/code?status=proposed").text
    assert site.client.get("/api/v1/tags/of/code?status=proposed").json()["total"] == 0
    assert site.client.get("/api/v1/tags/of/code").json()["items"][0]["generic"]
    assert ">general<" in site.client.get(f"/columns/{ids['kpt']}").text
    assert "7 general kinds, which need no decision" in site.client.get("/").text
