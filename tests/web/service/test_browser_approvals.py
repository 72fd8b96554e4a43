"""Settings and upgrades in a real browser: looked at before they are changed, and taken back."""

# ruff: noqa: F811 - parameters are the fixtures of that name

from __future__ import annotations

import re

from playwright.sync_api import expect
from test_browser import address, browser, pytestmark  # noqa: F401

from catalog.store import runs
from catalog.store.domains import upgrades
from catalog.store.engine import session
from catalog.store.meaning import review
from catalog.store.models import LakeColumn


def test_more_false_alarms_a_week_are_allowed_and_that_is_undone(site, address, browser):
    page = browser.new_page()
    page.goto(address + "/ledger")
    page.get_by_label("Try a budget of").fill("4")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("status")).to_contain_text("With 4 a week")
    page.get_by_label("Reason").fill("we can look at more")
    page.get_by_role("button", name="Allow 4 a week").click()
    expect(page.get_by_text("4 false alarms a week (the service's default is 1).")).to_be_visible()
    page.get_by_role("link", name="audit log", exact=True).last.click()
    expect(page.get_by_text("we can look at more")).to_be_visible()
    page.get_by_role("button", name=re.compile("^Undo event")).first.click()
    page.goto(address + "/ledger")
    expect(page.get_by_text("1 false alarm a week, the service's default.")).to_be_visible()
    page.close()


def test_an_upgrade_of_tags_is_looked_at_and_approved(site, address, browser):
    with session(site.engine) as db:
        column = db.get_one(LakeColumn, site.ids["email"])
        review.say_tag(db, column, "email", "ann", "")
        upgrades.notice(db, "1", "one")
        upgrades.notice(db, "2", "two")
        place = {"table_id": column.table_id, "table": "sales/orders", "column_id": column.id, "column": column.name}
        change = {"what": "comes", "domain": "badge", "title": "Badge", "sensitive": True, **place}
        run = runs.queue_run(db, upgrades.RUN, "2")
        runs.start_run(db, run.id)
        runs.finish_run(db, run.id, {"tables": 3, "unread": 0, "columns": 40, "tags": [change], "rules": []})
    page = browser.new_page()
    page.goto(address)
    page.get_by_role("link", name="See why").click()
    expect(page.get_by_text("Badge: 1 column")).to_be_visible()
    page.get_by_role("link", name="sales/orders.customer_email").click()
    page.wait_for_url(f"**/columns/{column.id}")
    page.go_back()
    page.get_by_label("Why").fill("looked at all of it")
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("takes effect with the next crawl")).to_be_visible()
    expect(page.get_by_role("button", name="Approve")).to_have_count(0)
    page.goto(address + "/audit?kind=index")
    expect(page.get_by_text("looked at all of it")).to_be_visible()
    page.close()
