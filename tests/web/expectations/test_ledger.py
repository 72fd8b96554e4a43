"""How many false alarms a week the lake may raise: changed where people see it, by page and API, audited and undone."""

from __future__ import annotations

import pytest
from markup import read
from sqlmodel import select

from catalog.store.engine import session
from catalog.store.models import HELD_BACK, Incident, Outcome


def week(site):
    return site.client.get("/api/v1/ledger/week").json()


def test_the_api_tries_sets_and_takes_back(site):
    assert {n: week(site)[n] for n in ("allowed", "default", "is_set")} == {
        "allowed": 1.0, "default": 1.0, "is_set": False
    }  # fmt: skip
    tried = site.client.get("/api/v1/ledger/week/trial?allowed=4").json()
    assert (tried["before"], tried["allowed"]) == (1.0, 4.0)
    assert tried["sentence"].startswith("With 4 a week, ")
    put = lambda allowed, **more: site.client.put("/api/v1/ledger/week", json={"allowed": allowed, **more})  # noqa: E731
    assert put(4, reason="people can take more").json()["allowed"] == 4.0
    event = site.client.get("/api/v1/audit?kind=setting").json()["items"][0]
    assert (event["item"], event["after"], event["reason"]) == (
        *("weekly_budget", {"value": 4.0}, "people can take more"),
    )
    assert site.client.post(f"/api/v1/audit/{event['id']}/undo", json={}).status_code == 200
    assert (week(site)["allowed"], week(site)["is_set"]) == (1.0, False)
    assert put(0.5).json()["is_set"]
    assert put(None).json()["allowed"] == 1.0


def test_the_page_says_as_how_many_false_ones_the_unanswered_count(site):
    said = week(site)
    assert 0 < said["unanswered"] < said["raised"]
    assert 0 <= said["likely_false"] < said["unanswered"]
    shown = read(site.client.get("/ledger").text).text
    assert f"Unresolved alarms {said['unanswered']} , counted as {round(said['likely_false'], 1):g} false" in shown
    assert f"{said['unanswered']} unresolved" in read(site.client.get("/").text).text


@pytest.mark.parametrize("allowed", ["0", "-2", "nan", "inf"])
def test_what_no_budget_can_be_is_refused_with_the_remedy(site, allowed):
    for answer in (
        site.client.get(f"/api/v1/ledger/week/trial?allowed={allowed}"),
        site.client.put(
            *("/api/v1/ledger/week",),
            content=f'{{"allowed": "{allowed}"}}',
            headers={"content-type": "application/json"},
        ),
    ):
        assert answer.status_code in (400, 422), answer.text
        assert answer.json()["error"]["remedy"]
    assert not week(site)["is_set"]


def test_the_page_says_what_it_would_mean_before_it_is_set(site):
    with session(site.engine) as db:
        lead = db.exec(select(Incident).where(Incident.status != "resolved", Incident.kind == "history")).first()
        outcome = db.get_one(Outcome, lead.outcome_id)
        outcome.detail = {**outcome.detail, HELD_BACK: True}
        lead.level, incident = "warning", lead.id
    shown = read(site.client.get(f"/incidents/{incident}").text)
    assert "Only a warning:" in shown.text
    assert "/ledger#week" in shown.links
    page = read(site.client.get("/ledger?allowed=4").text)
    assert page.faults == []
    assert "With 4 a week, " in page.text
    assert "Allow 4 a week" in page.text
    answer = site.client.post("/ledger/week", data={"csrf": page.token, "allowed": "4.0", "reason": "a try"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/ledger")
    after = read(site.client.get("/ledger").text)
    assert "4 false alarms a week (the service's default is 1)." in after.text
    assert "Back to 1" in after.text
    assert "of 4 allowed" in read(site.client.get("/").text).text
    site.client.post("/ledger/week", data={"csrf": after.token})
    assert not week(site)["is_set"]


def test_only_admins_change_it(guarded_site):
    from web.access.gate import needed

    assert needed("PUT", "/api/v1/ledger/week") == needed("POST", "/ledger/week") == "admin"
    assert guarded_site.client.put("/api/v1/ledger/week", json={"allowed": 4}).status_code == 401
