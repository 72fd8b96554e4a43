"""What a run's page says of what it did."""

from __future__ import annotations

from markup import read
from sites import Site

from catalog.store import runs
from catalog.store.engine import session


def finished(site: Site, told: dict[str, object]) -> int:
    with session(site.engine) as db:
        run = runs.queue_run(db, "crawl", "shop", source_id=site.ids["lake"])
        runs.start_run(db, run.id or 0)
        runs.finish_run(db, run.id or 0, told)
        return run.id or 0


def test_a_run_names_the_tables_that_could_not_be_read(site: Site) -> None:
    bad, good = site.ids["web/events"], site.ids["crm/customers"]
    told = {"tables": 74, "failed": 3, "failed_tables": [bad, good, 999_999]}  # the last was forgotten since
    html = site.client.get(f"/runs/{finished(site, told)}").text
    page = read(html)
    assert page.faults == []
    assert f'href="/tables/{bad}"' in html
    assert "commit 7 of 'web/events' is not JSON" in page.text
    assert "crm/customers it can be read again" in page.text
    assert "and 1 more" in page.text
    assert "tables that were read 74" in page.text
    old = read(site.client.get(f"/runs/{finished(site, {'tables': 74, 'failed': 3})}").text)
    assert "/tables?status=error" in old.links


def test_what_a_run_did_is_told_in_words(site: Site) -> None:
    phases = {"gather": 1.0, "propose": 2.0, "survey": 3.0}
    told = {"tables": 1, "busy": 2, "domains": 7, "seconds": 6.0, "phases": phases, "state_bytes": 2048}
    page = read(site.client.get(f"/runs/{finished(site, told | {'part_bytes': 1, 'group_file_bytes': 0})}").text).text
    assert "tables left to another crawl 2" in page
    assert "tagging columns and learning rules 2.0 s" in page
    assert "size of what is kept of data files 2.0 KiB" in page
    assert "time 6.0 s" in page
    for word in ("busy", "domains", "gather", "propose", "survey", "size of part", "group file"):
        assert f" {word} " not in page
