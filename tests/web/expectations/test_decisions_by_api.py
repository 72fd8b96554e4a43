"""What people decide about rules, incidents, batches and learners, by the interface."""

from __future__ import annotations

import re

from markup import read
from shop import HOSTILE
from sqlmodel import select

from catalog.store.engine import session
from catalog.store.expectations import budget
from catalog.store.lake import versions
from catalog.store.models import Incident, RuleRow, Run, Table, Tag, Version


def test_incident_is_resolved_with_a_reason_once(site):
    incident = site.ids["incident pattern placed_on"]
    path = f"/api/v1/incidents/{incident}"
    assert site.client.post(f"{path}/resolve", json={"reason": "Because"}).status_code == 400
    assert site.client.post(f"{path}/resolve", json={"reason": "Other"}).status_code == 400
    assert site.client.post(path, json={"status": "assigned", "assignee": "Kim"}).json()["assignee"] == "Kim"
    done = site.client.post(f"{path}/resolve", json={"reason": "FalsePositive", "comment": HOSTILE})
    assert (done.json()["status"], done.json()["reason"]) == ("resolved", "FalsePositive")
    assert site.client.post(f"{path}/resolve", json={"reason": "MissingData"}).status_code == 400
    labels = {v["number"]: v["label"] for v in site.client.get("/api/v1/tables/1/versions").json()["items"]}
    assert labels[32] == "healthy"
    assert labels[33] is None  # another incident, still open, says that this version is bad


def test_people_decide_about_rules_and_tags(site):
    rule = site.ids["rule"]
    assert site.client.post(f"/api/v1/rules/{rule}", json={"status": "rejected"}).json()["status"] == "rejected"
    assert site.client.post(f"/api/v1/rules/{rule}", json={"status": "deleted"}).status_code == 400
    assert site.client.post(f"/api/v1/rules/{rule}", json={"stat": "active"}).status_code == 422
    tag = site.client.get(f"/api/v1/columns/{site.ids['email']}").json()["tags"][0]
    decided = site.client.post(f"/api/v1/tags/{tag['id']}", json={"status": "rejected", "reason": "made up"}).json()
    assert (decided["status"], decided["actor"]) == ("rejected", "local")
    assert site.client.get(f"/api/v1/columns/{site.ids['email']}").json()["sensitive"] is False


def test_clauses_are_decided_and_revisions_compared(site):
    rule = next(
        one for one in site.client.get("/api/v1/rules?kind=history&limit=200").json()["items"] if one["column_name"]
    )
    body = site.client.get(f"/api/v1/rules/{rule['id']}").json()["body"]
    metric = body["params"]["clauses"][0]["metric"]
    path = f"/api/v1/rules/{rule['id']}/clauses"
    changed = site.client.post(path, json={"clause": metric, "action": "loosened", "factor": 3})
    assert changed.status_code == 200, changed.text
    assert changed.json()["revision"] == rule["revision"] + 1
    newest, first = site.client.get(f"/api/v1/rules/{changed.json()['id']}/revisions").json()
    assert [(one["clause"], one["change"]) for one in newest["changes"]] == [(metric, "loosened")]
    assert first["changes"] == []
    refused = site.client.post(path, json={"clause": metric, "action": "paused"})
    assert refused.status_code == 400
    assert "old revision" in refused.json()["error"]["cause"]


def test_the_ledger_tells_what_was_false_and_a_demoted_rule_is_promoted(site):
    table = site.ids["sales/orders"]
    found = site.client.get(f"/api/v1/tables/{table}/ledger").json()
    assert found["table"] == "sales/orders"
    assert found["unlabelled"] > 0
    assert any(one["unlabelled"] for one in found["accounts"])
    rule = found["accounts"][0]["rule_id"]
    assert site.client.post(f"/api/v1/rules/{rule}/promote").status_code == 400  # it is not demoted
    with session(site.engine) as db:
        budget.demote(db, db.get_one(RuleRow, rule), "for a test")
    assert site.client.get(f"/api/v1/rules/{rule}").json()["level_now"] == "warning"
    assert site.client.get(f"/api/v1/tables/{table}/ledger").json()["demoted"] == 1
    promoted = site.client.post(f"/api/v1/rules/{rule}/promote").json()
    assert (promoted["level_now"], promoted["demotion"]) == ("error", None)
    assert site.client.get("/api/v1/ledger").json()[0]["table"] == "sales/orders"


def test_an_answer_is_taken_back_and_a_rule_demoted_for_a_reason(site):
    incident = site.client.get("/api/v1/incidents", params={"status": "open"}).json()["items"][0]
    path = f"/api/v1/incidents/{incident['id']}"
    assert site.client.post(f"{path}/reopen").status_code == 400  # it is open
    site.client.post(f"{path}/resolve", json={"reason": "FalsePositive"})
    again = site.client.post(f"{path}/reopen").json()
    assert (again["status"], again["reason"], again["taken_back"]) == ("new", None, "FalsePositive by local")
    rule = site.client.get("/api/v1/rules").json()["items"][0]["id"]
    assert site.client.post(f"/api/v1/rules/{rule}/demote", json={"reason": " "}).status_code == 400
    demoted = site.client.post(f"/api/v1/rules/{rule}/demote", json={"reason": "a sale"}).json()
    assert (demoted["level_now"], demoted["demotion"]) == ("warning", "a sale")


def test_a_person_says_what_a_batch_is(site):
    table = site.ids["sales/orders"]
    before = site.client.get(f"/api/v1/tables/{table}/coverage").json()
    assert before["words"]
    pinned = site.client.post(f"/api/v1/tables/{table}/mode", json={"mode": before["mode"]}).json()
    assert (pinned["pinned"], pinned["mode"]) == (True, before["mode"])
    assert site.client.post(f"/api/v1/tables/{table}/mode", json={"mode": "weekly"}).status_code == 400


def test_a_person_says_whether_a_version_was_right(site):
    table = site.ids["sales/orders"]
    shown = site.client.get(f"/api/v1/tables/{table}/versions").json()["items"]
    quiet = next(one["number"] for one in shown if not one["violated"])
    loud = next(one["number"] for one in shown if one["violated"])
    place = f"/tables/{table}/versions"
    with session(site.engine) as db:
        versions.set_version(db, table, quiet, label="suspect")
    assert "differs from those before and after it" in site.client.get(f"{place}/{quiet}").text
    told = site.client.get(f"/api/v1/tables/{table}/coverage").json()
    assert [quiet, quiet] in told["suspect"]
    assert any("suspect" in sentence for sentence in told["words"])
    assert site.client.post(f"/api/v1{place}/{quiet}/label", json={"label": "healthy"}).json() == {
        "number": quiet,
        "label": "healthy",
    }
    page = site.client.get(f"{place}/{quiet}").text
    assert "differs from those before and after it" not in page
    assert "It was wrong" in page
    sent = {"csrf": read(page).token, "label": "incident"}
    assert site.client.post(f"{place}/{quiet}/label", data=sent).status_code == 303
    assert "It was wrong" not in site.client.get(f"{place}/{quiet}").text
    refused = site.client.post(f"/api/v1{place}/{loud}/label", json={"label": "healthy"})
    assert refused.status_code == 400
    assert "resolve its incident" in refused.text
    assert site.client.post(f"/api/v1{place}/{quiet}/label", json={"label": "odd"}).status_code == 400
    assert site.client.post(f"/api/v1{place}/99999/label", json={"label": "healthy"}).status_code == 404


def test_rejecting_what_hides_values_takes_a_reason(site):
    with session(site.engine) as db:
        tag = db.exec(select(Tag).where(Tag.sensitive, Tag.status != "rejected")).first()
        column, key = tag.column_id, tag.id
    decide = lambda **body: site.client.post(f"/api/v1/tags/{key}", json=body)  # noqa: E731
    for body in ({}, {"reason": None}, {"reason": "  "}):
        refused = decide(status="rejected", **body)
        assert refused.status_code == 400
        assert "say why" in refused.json()["error"]["remedy"]
        assert site.client.get(f"/api/v1/columns/{column}").json()["sensitive"] is True
    page = read(site.client.get(f"/columns/{column}").text)
    assert page.faults == []
    assert "Why may they be seen?" in page.text
    assert decide(status="rejected", reason="made up for a test").json()["reason"] == "made up for a test"
    assert site.client.get(f"/api/v1/columns/{column}").json()["sensitive"] is False
    assert "made up for a test" in read(site.client.get(f"/columns/{column}").text).text


def test_a_learner_is_chosen_and_wrong_settings_are_refused(site):
    table = site.client.get("/api/v1/tables").json()["items"][0]["id"]
    where = f"/api/v1/tables/{table}/learner"
    assert site.client.get(where).json() == {"strings": "ours", "history": "ours", "waits": ""}
    made = site.client.post(where, json={"learner": "fmdv-vh", "settings": {"m": 5, "theta": 0.05}})
    assert made.status_code == 200, made.text
    assert made.json() == {"strings": "fmdv-vh (m 5, theta 0.05)", "history": "ours", "waits": ""}
    refused = site.client.post(where, json={"learner": "avh", "settings": {"m": 5}})
    assert refused.status_code == 400
    assert "has no setting" in refused.text
    page = site.client.get(f"/tables/{table}/rules").text
    assert "fmdv-vh (m 5, theta 0.05)" in page
    assert 'value="fmdv-vh" checked' in page
    assert site.client.post(where, json={"learner": "ours"}).json()["strings"] == "ours"


def test_that_learning_waits_is_said_with_what_ends_it(site):
    incident = site.ids["incident pattern placed_on"]
    table = site.client.get(f"/api/v1/incidents/{incident}").json()["table_id"]
    with session(site.engine) as db:
        latest = db.exec(select(Version).where(Version.table_id == table).order_by(Version.number.desc())).first()
        latest.label, latest.metrics, number = "suspect", latest.metrics or b"", latest.number
        one = db.get_one(Incident, incident)
        one.last_version, one.level = number, "error"
    chosen = site.client.post(f"/api/v1/tables/{table}/learner", json={"learner": "ours"}).json()
    assert f"{incident}" in re.search(r"Learning waits until incidents? ([\d, ]+)", chosen["waits"])[1]
    assert f"version {number} is suspect" in chosen["waits"]
    for page in ("rules", "versions", "history"):
        assert chosen["waits"] in site.client.get(f"/tables/{table}/{page}").text
    with session(site.engine) as db:
        db.exec(select(Version).where(Version.table_id == table, Version.number == number)).one().label = "incident"
    assert f"version {number} was wrong" in site.client.get(f"/tables/{table}/rules").text


def test_what_is_chosen_is_learned_at_once(site):
    """A worker is asked to; where none answers the choice holds all the same, and the next crawl learns."""
    table = site.ids["sales/orders"]
    with session(site.engine, write=False) as db:
        source = db.get_one(Table, table).source_id
    for where in (f"tables/{table}", f"sources/{source}"):
        made = site.client.post(f"/api/v1/{where}/learner", json={"learner": "fmdv-h", "settings": {"m": 5}})
        assert made.status_code == 200
    with session(site.engine, write=False) as db:
        asked = [(one.kind, one.table_id, one.source_id) for one in db.exec(select(Run).order_by(Run.id))][-2:]
    assert asked == [("crawl", table, None), ("crawl", None, source)]


def test_a_learner_is_chosen_on_the_page_of_a_source(site):
    table = site.ids["sales/orders"]
    with session(site.engine, write=False) as db:
        source = db.get_one(Table, table).source_id
    where = f"/sources/{source}"
    shown = site.client.get(where).text
    assert f'action="{where}/learner"' in shown
    form = {"learner": "fmdv-h", "m": "5", "delta": "0.5", "csrf": read(shown).token}
    answer = site.client.post(f"{where}/learner", data=form)
    assert answer.status_code == 303
    assert site.client.get(f"/api/v1{where}/learner").json() == {"strings": "fmdv-h (m 5)", "history": "ours"}
    assert 'value="fmdv-h" checked' in site.client.get(where).text
    assert "as chosen for the source" in site.client.get(f"/tables/{table}/rules").text
    wrong = site.client.post(f"{where}/learner", data=form | {"m": "many"})
    assert wrong.status_code == 400
    assert "no number" in wrong.text


def test_the_ledger_begins_with_the_week_of_the_lake(site):
    def told() -> str:
        return " ".join(re.sub(r"<[^>]*>", " ", site.client.get("/ledger").text).split())

    assert "False alarms 0 of 1 allowed" in told()
    found = site.client.get("/api/v1/incidents?status=open").json()["items"]
    incident = next(one for one in found if one["level"] == "error")
    answer = site.client.post(f"/api/v1/incidents/{incident['id']}/resolve", json={"reason": "FalsePositive"})
    assert answer.status_code == 200
    assert "False alarms 1 of 1 allowed" in told()
    assert "Reduced to warnings none" in told()
