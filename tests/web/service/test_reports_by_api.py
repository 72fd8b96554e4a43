"""Reports by the API: as files, as of a date, scheduled, and those that were written."""

from __future__ import annotations

import csv
import io

import pytest
from markup import read
from shop import SECRET
from sites import Site

from catalog.store.reports.filed import FOLDER

API = "/api/v1/reports"


@pytest.mark.parametrize("form", ["html", "csv", "json"])
def test_a_report_is_a_file_with_the_fingerprint_of_its_figures(site: Site, form: str) -> None:
    figures = site.client.get(f"{API}?kind=privacy").json()
    asked = {"kind": "privacy", "form": form, "as_of": figures["as_of"], "period": figures["from"]}
    file = site.client.get(f"{API}/file", params=asked)
    assert file.status_code == 200, file.text
    assert file.headers["x-fingerprint"] == figures["fingerprint"]
    assert f".{form}" in file.headers["content-disposition"]
    assert SECRET not in file.text
    if form == "csv":
        assert list(csv.reader(io.StringIO(file.text)))
    for wrong, code in (({"form": "docx"}, 422), ({"kind": "none"}, 400), ({"source": "none"}, 404)):
        answer = site.client.get(f"{API}/file", params=asked | wrong)
        assert answer.status_code == code, answer.text
        assert answer.json()["error"]["remedy"]


def test_a_report_is_scheduled_and_no_more(site: Site) -> None:
    asked = {"kind": "privacy", "every": "week", "owner": "crm"}
    refused = site.client.post(f"{API}/schedules", json=asked)
    assert (refused.status_code, "'crm' owned nothing" in refused.text) == (404, True)
    site.client.put(f"/api/v1/owners/source/{site.ids['lake']}", json={"owner": "crm"})
    made = site.client.post(f"{API}/schedules", json=asked)
    assert (made.status_code, made.json()["owner"]) == (201, "crm")
    assert site.client.get(f"{API}/schedules").json() == [made.json()]
    wrong = site.client.post(f"{API}/schedules", json={"kind": "privacy", "every": "hour"})
    assert (wrong.status_code, "month" in wrong.json()["error"]["remedy"]) == (400, True)
    assert site.client.delete(f"{API}/schedules/{made.json()['id']}").status_code == 204
    assert site.client.delete(f"{API}/schedules/{made.json()['id']}").status_code == 404
    events = site.client.get("/api/v1/audit?kind=report").json()["items"]
    assert [one["action"] for one in events] == ["unschedule", "schedule"]


def test_written_reports_are_listed_and_nothing_else_of_the_folder(site: Site) -> None:
    folder = site.settings.home / FOLDER / "crm"
    folder.mkdir(parents=True)
    (folder / "privacy-2026-03-31.csv").write_text("a\n")
    (folder / "privacy-2026-02-28.html").write_text("<p>b</p>")
    (folder / "notes.csv").write_text(SECRET)
    (site.settings.home / "privacy-2026-01-31.csv").write_text(SECRET)
    (folder / "privacy-2026-01-31.csv").symlink_to(site.settings.home / "assay.db")
    listed = site.client.get(f"{API}/filed?limit=1").json()
    assert (listed["total"], listed["items"][0]["name"]) == (2, "privacy-2026-03-31.csv")
    assert site.client.get(listed["next"]).json()["items"][0]["day"] == "2026-02-28"
    assert site.client.get(f"{API}/filed/crm/privacy-2026-03-31.csv").text == "a\n"
    for whose, name in (
        ("crm", "notes.csv"), ("..", "privacy-2026-01-31.csv"), ("crm", "privacy-2026-01-31.csv"), ("crm", "%2e%2e"),
    ):  # fmt: skip
        answer = site.client.get(f"{API}/filed/{whose}/{name}")
        assert answer.status_code == 404, answer.text
        assert SECRET not in answer.text
    page = read(site.client.get("/reports").text)
    assert page.faults == []
    assert "Written reports" in page.text
    shown = site.client.get("/reports/filed/crm/privacy-2026-02-28.html")
    assert (shown.text, "default-src 'none'" in shown.headers["content-security-policy"]) == ("<p>b</p>", True)
