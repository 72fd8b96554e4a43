"""The home page before anything was learned: nothing is called well that nobody has read."""

from __future__ import annotations

from markup import read
from singly import upsert_table
from sites import Site

from catalog.store import runs
from catalog.store.engine import session
from catalog.store.lake import sources
from catalog.store.pages.filters import TABLE_STATUSES
from web.pages.service.home import health_words, overview


def _level(site: Site) -> str:
    """What the page says at the top, of a service whose task queue answers."""
    with session(site.engine, write=False) as db:
        return str(overview(db, None)["level"])


def test_a_first_crawl_is_not_called_well(empty_site: Site) -> None:
    assert "Nothing is registered yet" in read(empty_site.client.get("/").text).text
    with session(empty_site.engine) as db:
        source = sources.add_source(db, "lake", "/lake")
        assert _level(empty_site) == "unread"
        run = runs.queue_run(db, "crawl", "lake", source_id=source.id)
    assert _level(empty_site) == "first"
    with session(empty_site.engine) as db:
        runs.start_run(db, run.id)
        table = upsert_table(db, source.id, "orders", "/lake/orders")
    assert _level(empty_site) == "first"
    assert "All is well" not in read(empty_site.client.get("/").text).text
    with session(empty_site.engine) as db:
        runs.finish_run(db, run.id)
        table.status = "watched"
        db.add(table)
    assert _level(empty_site) == "good"


def test_troubles_come_before_what_is_unread() -> None:
    statuses = dict.fromkeys(TABLE_STATUSES, 0)
    totals = {"statuses": statuses, "tables": 0, "undelivered": 0, "open": 0, "open_errors": 0, "upgrade_waits": False}
    assert health_words(totals, None)[0] == "unread"
    assert health_words(totals, None, at_work=True)[0] == "first"
    assert health_words(totals, None, ["lake"], at_work=True)[0] == "warn"
    watched = {**totals, "tables": 2, "statuses": {**statuses, "watched": 1, "learning": 1}}
    assert health_words(watched, None, at_work=True)[0] == "good"


def test_tables_that_were_left_out_are_no_trouble_and_those_gone_are_told_as_such() -> None:
    statuses = dict.fromkeys(TABLE_STATUSES, 0) | {"watched": 2, "excluded": 7}
    totals = {"statuses": statuses, "tables": 9, "undelivered": 0, "open": 0, "open_errors": 0, "upgrade_waits": False}
    assert health_words(totals, None) == ("good", [])
    gone = {**totals, "statuses": statuses | {"vanished": 2}}
    assert health_words(gone, None) == ("warn", ["2 tables are no longer under their source."])
