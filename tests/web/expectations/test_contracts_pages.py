"""Contracts of other tools on a table's page and in the interface: shown, taken, taken again, taken back."""

from __future__ import annotations

import re
from typing import Any

import pytest
from sites import Site

from catalog.roles import everyone_here
from catalog.store.access import audit, people
from catalog.store.access.undo import undo
from catalog.store.engine import session as open_session
from catalog.store.expectations import declared

SUITE = """{"name": "orders", "expectations": [
 {"type": "expect_column_values_to_not_be_null", "kwargs": {"column": "total_amount"}},
 {"type": "expect_column_max_to_be_between", "kwargs": {"column": "total_amount", "max_value": 5000}},
 {"type": "expect_column_values_to_not_be_null", "kwargs": {"column": "<script>alert(1)</script>"}},
 {"type": "expect_the_best", "kwargs": {}}]}"""


@pytest.fixture
def place(site: Site) -> str:
    return f"/tables/{site.ids['sales/orders']}/checks"


def send(site: Site, place: str, file: bytes | None = None, **fields: Any) -> Any:
    token = re.search(r'name="csrf" value="([^"]+)"', site.client.get(place).text)
    assert token is not None
    files = {"file": ("orders.json", file)} if file is not None else {"file": ("", b"")}
    return site.client.post(f"{place}/import", data={"csrf": token[1], **fields}, files=files)


def names(site: Site) -> list[tuple[str, str]]:
    with open_session(site.engine, write=False) as session:
        found = declared.checks_of(session, site.ids["sales/orders"])
        return sorted((rule.constraint.name, row.status) for row, rule in found)


def test_a_contract_is_shown_then_taken_and_taken_again(site: Site, place: str) -> None:
    assert "Import a contract" in site.client.get(place).text
    shown = send(site, place, SUITE.encode(), dry="true")
    assert shown.status_code == 200
    assert "Preview of the import" in shown.text
    assert "<strong>2</strong> to add" in shown.text
    assert "there is no check like expect_the_best" in shown.text
    assert "<script>alert(1)" not in shown.text
    assert names(site) == []
    hidden = dict(re.findall(r'type="hidden" name="(form|name)" value="([^"]*)"', shown.text))
    assert hidden == {"form": "gx", "name": "orders.json"}
    taken = send(site, place, text=SUITE, **hidden)
    assert "<strong>2</strong> added" in taken.text
    both = [("has_max_total_amount", "active"), ("is_complete_total_amount", "active")]
    assert names(site) == both
    again = send(site, place, text=SUITE)
    assert "<strong>2</strong> declared already" in again.text
    assert names(site) == both
    with open_session(site.engine) as session:
        (event,) = audit.find_events(session, kind="table")
        assert (event.action, event.after["imported_from"]) == ("declare", ["orders.json"])
        undo(session, event.id, by=everyone_here(), false_alarm_budget=1)
    assert names(site) == []


def test_what_cannot_be_read_is_told_beside_its_text(site: Site, place: str) -> None:
    wrong = send(site, place, text="models: [", dry="true")
    assert wrong.status_code == 422
    assert "correct the YAML" in wrong.text
    assert ">models: [</textarea>" in wrong.text
    assert "no text in UTF-8" in send(site, place, b"\xff\xfe\x00", dry="true").text


def test_the_interface_takes_a_contract(site: Site, place: str) -> None:
    api = f"/api/v1{place}/import"
    told = site.client.post(api, json={"text": SUITE, "dry_run": True}).json()
    assert (told["format"], told["dry_run"]) == ("gx", True)
    assert [one["what"] for one in told["demands"]] == ["added", "added", "skipped", "skipped"]
    assert names(site) == []
    done = site.client.post(api, json={"text": "Rules = [ RowCount > 0 ]", "format": "dqdl"}).json()
    assert [one["check"] for one in done["demands"]] == ["has_size"]
    assert names(site) == [("has_size", "active")]
    refused = site.client.post(api, json={"text": "x", "format": "xml"})
    assert refused.status_code in (400, 422)
    assert "there is no format" in refused.text


def test_an_author_makes_drafts_and_changes_nothing_that_judges(site: Site, place: str) -> None:
    words = "correct horse battery"
    site.client.post(f"/api/v1{place}/import", json={"text": "Rules = [ RowCount > 0 ]", "name": "glue"})
    with open_session(site.engine) as session:
        people.add_user(session, "root", words, "admin", actor="local")
        ann = people.add_user(session, "ann", words, "author", actor="local")
        token = people.make_token(session, ann, "t", scope="author", days=1, actor="ann")[1]
    head = {"authorization": f"Bearer {token}"}
    text = 'Rules = [ RowCount > 5, IsComplete "total_amount" ]'
    told = site.client.post(f"/api/v1{place}/import", json={"text": text, "name": "glue"}, headers=head)
    assert [one["what"] for one in told.json()["demands"]] == ["skipped", "added"], told.text
    assert names(site) == [("has_size", "active"), ("is_complete_total_amount", "draft")]
