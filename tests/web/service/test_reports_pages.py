"""Reports on the page and in the interface: made, downloaded, scheduled; the same figures in every form."""

from __future__ import annotations

import csv
import io

from markup import read
from shop import HOSTILE, SECRET
from sites import Site

from catalog.reports.figures import REPORT_KINDS
from catalog.store.engine import session
from catalog.store.reports import schedules


def test_every_form_has_the_same_figures(site: Site) -> None:
    first = site.client.get("/api/v1/reports").json()
    assert {row["column"] for row in first["sections"]["personal"]["rows"]} == {"customer_email"}
    asked = f"as_of={first['as_of']}&period={first['from']}"
    for kind in REPORT_KINDS:
        figures = site.client.get(f"/reports/{kind}.json?{asked}").json()
        assert figures["kind"] == kind
        for form in ("html", "pdf", "csv"):
            answer = site.client.get(f"/reports/{kind}.{form}?{asked}")
            assert answer.status_code == 200
            assert answer.headers["x-fingerprint"] == figures["fingerprint"]
        assert answer.headers["content-disposition"].startswith(f'attachment; filename="{kind}-')
    assert site.client.get(f"/api/v1/reports?{asked}").json() == first


def test_the_document_obeys_no_name(site: Site) -> None:
    answer = site.client.get("/reports/governance.html")
    assert HOSTILE not in answer.text
    assert SECRET not in answer.text
    assert "\u202e" not in answer.text
    assert read(answer.text).faults == []
    policy = answer.headers["content-security-policy"]
    assert "script" not in policy
    assert "default-src 'none'" in policy
    table = site.client.get("/reports/governance.csv").text
    assert SECRET not in table
    assert not any(cell.startswith(("=", "@", "+")) for row in csv.reader(io.StringIO(table)) for cell in row)
    assert site.client.get("/reports/governance.pdf").content.startswith(b"%PDF-")


def test_the_page_says_what_cannot_be_made(site: Site) -> None:
    told = read(site.client.get("/reports?kind=privacy&as_of=2001-01-01").text).text
    assert "the journal of this catalog begins at" in told
    assert site.client.get("/reports/privacy.docx").status_code == 404
    assert site.client.get("/reports/nothing.pdf").status_code == 404
    assert site.client.get("/api/v1/reports?kind=nothing").status_code == 400


def test_a_report_is_scheduled_and_taken_off(site: Site) -> None:
    sent = {"kind": "privacy", "every": "week", "form": "html", "owner": "crm"}
    site.client.put(f"/api/v1/owners/source/{site.ids['lake']}", json={"owner": "crm"})
    home = site.client.get("/reports")
    token = {"csrf": _token(home.text)} if _token(home.text) else {}
    assert site.client.post("/reports/schedules", data=sent | token).status_code == 303
    with session(site.engine, write=False) as db:
        (made,) = schedules.list_schedules(db)
    assert (made.kind, made.every, made.owner, made.source) == ("privacy", "week", "crm", None)
    assert "crm" in site.client.get("/reports").text
    assert site.client.post(f"/reports/schedules/{made.id}/remove", data=token).status_code == 303
    assert "Nothing is scheduled yet" in site.client.get("/reports").text


def _token(text: str) -> str:
    return text.partition('name="csrf" value="')[2].partition('"')[0]
