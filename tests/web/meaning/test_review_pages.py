"""The review in a real browser, from the keyboard: how many keys it takes; and the interface."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect
from singly import upsert_table
from sites import Site
from sqlmodel import select
from test_browser import CHROMIUM, FLAGS, serve, watched

from catalog.store.access import audit
from catalog.store.engine import session
from catalog.store.lake import sources, tables
from catalog.store.meaning import review, tags
from catalog.store.models import LakeColumn, Tag
from catalog.tags.proposal import TagProposal

GROUPS = 25  # of four columns each: a hundred tags
#: Seconds that a person takes to look at a group of columns with their values, and to find and press a key: chosen,
#: slower than the keystroke-level model's 1.35 s of thought and 0.3 s a key (Card, Moran and Newell, 1980).
LOOK, KEY = 6.0, 1.5
FIVE_MINUTES = 300.0


def _propose(site: Site) -> None:
    """A hundred tags in groups of four: every fifth is sensitive."""
    with session(site.engine) as db:
        source = sources.add_source(db, "wide", "/wide")
        for number in range(4):
            table = upsert_table(db, source.id, f"wide/{number}", f"/wide/{number}")
            columns = tables.set_columns(db, table.id, [[f"c{number}_{i:02}", "string"] for i in range(GROUPS)])
            found = {
                column.id: [
                    TagProposal(f"kind{i:02}", f"Kind {i:02}", 0.95, 1.0, i % 5 == 0, {"matching": [f"value {i}"]})
                ]
                for i, column in enumerate(columns)
            }
            tags.put_table_tags(db, found, 1)


def _statuses(site: Site) -> dict[str, set[str]]:
    with session(site.engine, write=False) as db:
        out: dict[str, set[str]] = {}
        for domain, status in db.exec(select(Tag.domain, Tag.status).where(Tag.generic.is_(False))):
            out.setdefault(domain, set()).add(status)
        return out


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS.split())
        yield opened
        opened.close()


@pytest.fixture
def wide(site: Site) -> Iterator[tuple[Site, str]]:
    _propose(site)
    server, url = serve(site)
    yield site, url
    server.should_exit = True


class Keys:
    """A page that counts the keys pressed on it, and waits for what they lead to."""

    def __init__(self, page: object) -> None:
        self.page, self.pressed = page, 0

    def press(self, key: str, *, leads: bool = True) -> None:
        self.pressed += 1
        if not leads:
            self.page.keyboard.press(key)
            return
        with self.page.expect_navigation():
            self.page.keyboard.press(key)


@pytest.mark.browser
def test_a_hundred_tags_by_keyboard(wide, browser):
    """At a person's pace, which is counted and not waited for, a hundred tags are reviewed within five minutes."""
    site, url = wide
    complaints: list[str] = []
    context = browser.new_context()
    page = watched(context, complaints)
    page.goto(url + "/review")
    keys = Keys(page)
    decided = 0
    for number in range(GROUPS):
        title = page.locator("[data-current] h2").inner_text()
        before = keys.pressed
        if number % 3 == 2:
            keys.press("r", leads="sensitive" not in title)
            if "sensitive" in title:
                keys.press("1", leads=False)
                keys.press("Enter")
        else:
            keys.press("a")
        assert keys.pressed - before <= 3
        decided += 1
        expect(page.get_by_text("Decided on 4 columns")).to_be_visible()
    assert decided == GROUPS
    assert keys.pressed <= 3 * GROUPS
    assert GROUPS * LOOK + keys.pressed * KEY <= FIVE_MINUTES
    expect(page.get_by_text("Nothing waits for review").or_(page.locator("[data-group]").first)).to_be_visible()
    waiting = [one.inner_text() for one in page.locator("[data-group] h2").all()]
    assert not any(title.startswith("Kind") for title in waiting)  # nothing is asked twice
    found = _statuses(site)
    kinds = {name: one for name, one in found.items() if name.startswith("kind")}
    assert len(kinds) == GROUPS
    assert all(one in ({"accepted"}, {"rejected"}) for one in kinds.values())
    assert sum(one == {"rejected"} for one in kinds.values()) == GROUPS // 3
    context.close()
    assert complaints == []


@pytest.mark.browser
def test_keys_move_undo_and_explain(wide, browser):
    site, url = wide
    page = browser.new_page()
    page.goto(url + "/review")
    keys = Keys(page)
    first = page.locator("[data-current]").get_attribute("id")
    keys.press("j", leads=False)
    second = page.locator("[data-current]").get_attribute("id")
    assert second != first
    keys.press("k", leads=False)
    expect(page.locator("[data-current]")).to_have_attribute("id", first)
    keys.press("?", leads=False)
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    page.locator(f"#{first} input[type=checkbox]").nth(0).uncheck()
    keys.press("a")
    expect(page.get_by_text("Decided on 3 columns")).to_be_visible()
    assert {frozenset(one) for one in _statuses(site).values()} == {
        frozenset({"proposed"}),
        frozenset({"proposed", "accepted"}),
    }
    keys.press("u")
    assert {frozenset(one) for one in _statuses(site).values()} == {frozenset({"proposed"})}
    page.close()


@pytest.mark.browser
@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("nobody's", "nobody's"),
        ("2 of these are counters", "2 of these are counters"),
        ("2", "about an organisation, not a person"),
    ],
)
def test_a_sensitive_tag_is_rejected_with_ones_own_words_or_ready_ones(wide, browser, words, kept):
    site, url = wide
    page = browser.new_page()
    page.goto(url + "/review?domain=kind00")
    page.keyboard.press("r")
    page.keyboard.type(words)
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing like that waits for review")).to_be_visible()
    with session(site.engine, write=False) as db:
        assert {one.reason for one in audit.find_events(db, kind="tag", limit=4)} == {kept}
    page.close()


@pytest.mark.browser
def test_a_false_alarm_is_closed_in_three_clicks(site, browser):
    """Counted by the browser, and what has to be clicked is on the screen without scrolling for it."""
    server, url = serve(site)
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    count = "addEventListener('click', () => { sessionStorage.clicks = 1 + Number(sessionStorage.clicks || 0); }, true)"
    context.add_init_script(count)
    page = context.new_page()
    page.goto(url)
    page.get_by_role("link", name="Column 'total_amount'").click()
    expect(page.get_by_label("False alarm")).to_be_in_viewport()
    expect(page.get_by_role("button", name="Resolve")).to_be_in_viewport()
    page.get_by_label("False alarm").check()
    page.get_by_role("button", name="Resolve").click()
    expect(page.get_by_text("Was that answer wrong?")).to_be_visible()
    expect(page.get_by_text("False alarm by local")).to_be_visible()
    assert page.evaluate("Number(sessionStorage.clicks)") == 3
    page.goto(url)
    expect(page.get_by_role("link", name="Column 'total_amount'")).to_have_count(0)
    context.close()
    server.should_exit = True


def test_the_interface_decides_on_all_or_none(site: Site) -> None:
    _propose(site)
    listed = site.client.get("/api/v1/review?source=wide&limit=2").json()
    assert (listed["total"], len(listed["items"])) == (GROUPS, 2)
    assert [(one["kind"], one["decisions"]) for one in listed["open"]] == [
        ("lost", 0),
        ("unknown", 0),
        ("proposed", GROUPS),  # all of them, not only those of this stretch
    ]
    group = listed["items"][0]
    assert (group["sensitive"], len(group["columns"])) == (True, 4)
    assert group["columns"][0]["matching"] != ["value 0"]
    ids = [one["tag_id"] for one in group["columns"]]
    refused = site.client.post("/api/v1/review", json={"tags": ids, "status": "rejected"})
    assert refused.status_code == 400
    assert site.client.post("/api/v1/review", json={"tags": [*ids, 999999], "status": "accepted"}).status_code == 404
    with session(site.engine, write=False) as db:
        assert len(review.waiting(db, source="wide")) == GROUPS
    made = site.client.post("/api/v1/review", json={"tags": ids, "status": "accepted"}).json()
    assert len(made["events"]) == 4


def test_a_column_and_an_incident_tell_of_a_lost_tag(site: Site) -> None:
    with session(site.engine) as db:
        column = db.get_one(LakeColumn, site.ids["status"])
        tag = TagProposal("isbn", "ISBN", 0.95, 1.0, False)
        tags.put_table_tags(db, {column.id: [tag]}, 30)
        tag_id = db.exec(select(Tag.id).where(Tag.column_id == column.id)).one()
        review.decide(db, [tag_id], "accepted", "ann")
        tags.put_table_tags(db, {column.id: []}, 33)
    assert "no longer recognised" in site.client.get(f"/columns/{column.id}").text
    assert "no longer recognised" in site.client.get("/review").text
    waits = {one["kind"]: one for one in site.client.get("/api/v1/review").json()["open"]}
    assert (waits["lost"]["decisions"], waits["lost"]["columns"]) == (1, 1)
    (told,) = site.client.get(waits["lost"]["at"]).json()["items"]
    assert (told["column"], told["tag_id"], told["event"]["what"]) == ("status", tag_id, "lost")
    site.client.post("/api/v1/review", json={"tags": [tag_id], "status": "accepted", "seen": "accepted"})
    assert site.client.get(waits["lost"]["at"]).json()["items"] == []


@pytest.mark.browser
def test_one_stays_where_one_was_on_a_later_page_and_after_undo(wide, browser):
    site, url = wide
    with session(site.engine) as db:  # tags whose numbers are not in the order of their columns
        source = sources.add_source(db, "turned", "/turned")
        table = upsert_table(db, source.id, "turned/0", "/turned/0")
        columns = tables.set_columns(db, table.id, [[f"z{9 - i}", "string"] for i in range(3)])
        said = TagProposal("zz_last", "Zz last", 0.5, 1.0, False, {"matching": ["one"]})
        tags.put_table_tags(db, {column.id: [said] for column in columns}, 1)
    page = browser.new_page()
    page.goto(url + "/review?page=2")
    keys = Keys(page)
    for _ in range(3):
        keys.press("j", leads=False)
    here = page.locator("[data-current]").get_attribute("id")
    keys.press("k", leads=False)
    keys.press("a")
    expect(page.locator("[data-current]"), "the next group, on the page where it is").to_have_attribute("id", here)
    page.goto(url + "/review?domain=zz_last")
    mine = page.locator("[data-current]").get_attribute("id")
    page.goto(url + "/review")
    page.goto(url + f"/review?at={mine}")
    expect(page.locator("[data-current]")).to_have_attribute("id", mine)
    keys.press("a")
    keys.press("u")
    expect(page.locator("[data-current]"), "undo leads back to what was undone").to_have_attribute("id", mine)
    page.close()


@pytest.mark.browser
def test_a_group_that_is_taller_than_the_screen_begins_at_its_top(wide, browser):
    _, url = wide
    page = browser.new_page(viewport={"width": 1000, "height": 200})
    page.goto(url + "/review")
    keys = Keys(page)
    keys.press("a")
    current = page.locator("[data-current]")
    assert current.evaluate("one => one.offsetHeight > innerHeight")
    assert current.evaluate("one => one.getBoundingClientRect().top") >= 0
    page.close()
