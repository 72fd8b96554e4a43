"""An upgrade of tags on its page and by the API: seen by domain, approved or refused, taken back."""

from __future__ import annotations

from typing import Any

import pytest
from markup import read
from sites import Site
from sqlmodel import select

from catalog.store import runs
from catalog.store.domains import upgrades
from catalog.store.engine import session
from catalog.store.meaning import review
from catalog.store.models import LakeColumn, RuleRow, Run, Table

API = "/api/v1/index/upgrade"


@pytest.fixture
def waiting(site: Site) -> Site:
    """Release 2 waits, and what it changes was worked out."""
    with session(site.engine) as db:
        upgrades.notice(db, "1", "one")
        assert upgrades.notice(db, "1", "a domain was named").waiting == ""  # by people: that is no upgrade
        column = db.get_one(LakeColumn, site.ids["email"])
        review.say_tag(db, column, "email", "ann", "")
        assert upgrades.notice(db, "2", "two").waiting == "2"
        column = db.get_one(LakeColumn, site.ids["email"])
        rule = db.exec(select(RuleRow).where(RuleRow.status == "active", RuleRow.column_name != "")).first()
        table = db.get_one(Table, column.table_id)
        place = {"table_id": table.id, "table": table.name, "column_id": column.id, "column": column.name}
        tags = [
            {"what": what, "domain": domain, "title": title, "sensitive": domain == "badge", **place}
            for what, domain, title in (
                ("comes", "badge", "Badge"), ("comes", "order_number", "Order number"), ("goes", "order_number", ""),
            )
        ]  # fmt: skip
        of_rule = {"kind": rule.kind, "table_id": table.id, "table": table.name, "column": column.name}
        changed = [{"what": "changes", "rule_id": rule.id, "changes": {"tightened": 2}, **of_rule}]
        run = runs.queue_run(db, upgrades.RUN, "2")
        runs.start_run(db, run.id)
        runs.finish_run(db, run.id, {"tables": 3, "unread": 1, "columns": 40, "tags": tags, "rules": changed})
    return site


def told(site: Site) -> dict[str, Any]:
    answer = site.client.get(API)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_the_page_shows_the_difference_and_takes_the_answer(waiting: Site) -> None:
    home = read(waiting.client.get("/").text)
    assert "A new version of Assay would tag columns otherwise" in home.text
    assert "/index/upgrade" in home.links
    page = read(waiting.client.get("/index/upgrade").text)
    assert page.faults == []
    for words in ("Order number: 2 columns", "would no longer be proposed", "2 tightened", "1 not read or empty"):
        assert words in page.text
    assert f"/columns/{waiting.ids['email']}" in page.links
    form = {"csrf": page.token, "release": "2", "answer": "refused", "reason": "after the audit"}
    assert waiting.client.post("/index/upgrade", data=form).status_code == 303
    after = read(waiting.client.get("/index/upgrade").text)
    assert "It was refused" in after.text
    assert "Approve" in after.text
    assert "would tag columns otherwise" not in read(waiting.client.get("/").text).text
    event = waiting.client.get("/api/v1/audit?kind=index").json()["items"][0]
    assert (event["action"], event["reason"], event["can_undo"]) == ("refuse", "after the audit", True)
    assert waiting.client.post(f"/api/v1/audit/{event['id']}/undo", json={}).status_code == 200
    assert told(waiting)["answer"] == ""


def test_programs_are_told_the_same_in_pages_and_can_answer(waiting: Site) -> None:
    found = told(waiting)
    assert (found["waits"], found["release"], found["rules"], found["status"]) == (True, "2", 1, "done")
    assert [(one["domain"], one["comes"], one["goes"]) for one in found["domains"]] == [
        ("order_number", 1, 1),
        ("badge", 1, 0),
    ]
    listed = waiting.client.get(f"{API}/tags?domain=order_number&limit=1").json()
    assert (listed["total"], listed["items"][0]["what"]) == (2, "comes")
    assert waiting.client.get(listed["next"]).json()["items"][0]["what"] == "goes"
    assert waiting.client.get(f"{API}/rules").json()["items"][0]["changes"] == {"tightened": 2}
    other = waiting.client.post(API, json={"answer": "approved", "release": "3"})
    assert (other.status_code, "waits" in other.json()["error"]["cause"]) == (400, True)
    assert waiting.client.post(API, json={"answer": "perhaps"}).status_code == 400
    done = waiting.client.post(API, json={"answer": "approved", "release": "2"})
    assert (done.status_code, done.json()["answer"]) == (200, "approved")
    with session(waiting.engine) as db:
        assert upgrades.notice(db, "2", "two").waiting == ""
    assert not told(waiting)["waits"]
    run = waiting.client.post(f"{API}/difference")
    assert run.status_code == 503  # no worker here
    with session(waiting.engine) as db:
        kind = db.exec(select(Run.kind).order_by(Run.id.desc())).first()  # type: ignore[attr-defined]
    assert kind == upgrades.RUN


def test_nothing_waits_in_a_new_lake_or_where_nobody_decided(empty_site: Site) -> None:
    with session(empty_site.engine) as db:
        assert upgrades.notice(db, "1", "one").waiting == ""
        assert upgrades.notice(db, "2", "two").waiting == ""
    page = read(empty_site.client.get("/index/upgrade").text)
    assert "No upgrade is waiting" in page.text
    assert empty_site.client.post(API, json={"answer": "approved"}).status_code == 400
