"""The home page before anything was learned: nothing is called well that nobody has read."""

from __future__ import annotations

from markup import read
from singly import upsert_table
from sites import Site

from catalog.reports.facts import Scope
from catalog.store import runs
from catalog.store.engine import session
from catalog.store.lake import sources
from catalog.store.models import ReportSchedule
from catalog.store.pages.filters import TABLE_STATUSES
from catalog.store.reports.schedules import add_schedule
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


NOTHING = {"undelivered": 0, "failed_reports": 0, "open": 0, "open_errors": 0, "upgrade_waits": False}


def test_troubles_come_before_what_is_unread() -> None:
    statuses = dict.fromkeys(TABLE_STATUSES, 0)
    totals = {"statuses": statuses, "tables": 0} | NOTHING
    assert health_words(totals, None)[0] == "unread"
    assert health_words(totals, None, at_work=True)[0] == "first"
    assert health_words(totals, None, ["lake"], at_work=True)[0] == "warn"
    watched = {**totals, "tables": 2, "statuses": {**statuses, "watched": 1, "learning": 1}}
    assert health_words(watched, None, at_work=True)[0] == "good"


def test_tables_that_were_left_out_are_no_trouble_and_those_gone_are_told_as_such() -> None:
    statuses = dict.fromkeys(TABLE_STATUSES, 0) | {"watched": 2, "excluded": 7}
    totals = {"statuses": statuses, "tables": 9} | NOTHING
    assert health_words(totals, None) == ("good", [])
    gone = {**totals, "statuses": statuses | {"vanished": 2}}
    assert health_words(gone, None) == ("warn", [("2 tables are no longer under their source.", "")])


def test_a_scheduled_report_that_failed_is_told_where_people_and_programs_look(empty_site: Site) -> None:
    with session(empty_site.engine) as db:
        sources.add_source(db, "lake", "/lake")
        one = add_schedule(db, "governance", "quarter", "pdf", Scope(), actor="ann")
    assert empty_site.client.get("/api/v1/health").json()["failed_reports"] == 0
    with session(empty_site.engine) as db:
        failed = db.get_one(ReportSchedule, one.id)
        failed.error = "no space left"
        db.add(failed)
    home = read(empty_site.client.get("/").text)
    assert "1 scheduled report could not be made." in home.text
    assert "/reports#schedules" in home.links
    assert empty_site.client.get("/api/v1/health").json()["failed_reports"] == 1
    assert "assay_reports_failed 1.0" in empty_site.client.get("/metrics").text
