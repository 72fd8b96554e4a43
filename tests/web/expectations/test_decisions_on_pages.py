"""What people decide about rules, clauses and incidents on their pages, and what these say of it."""

from __future__ import annotations

from datetime import timedelta
from html import unescape

import pytest
from markup import read
from shop import HOSTILE
from sqlmodel import select

from catalog.errors import UsageError
from catalog.evidence.pattern_index.views import profile_values
from catalog.rules.clauses.band import BandClause
from catalog.rules.clauses.programs import stays
from catalog.rules.kinds.history import HistoryRule
from catalog.rules.rule import Rule
from catalog.rules.verdict import Verdict
from catalog.store import runs
from catalog.store.engine import session
from catalog.store.expectations import budget, rules
from catalog.store.incidents import outcomes
from catalog.store.lake import tables
from catalog.store.models import Outcome, RuleRow
from catalog.store.pages import work


def test_a_clause_is_decided_on_the_rule_s_page_and_its_revisions_compared(site):
    with session(site.engine) as db:
        row = next(
            one
            for one in db.exec(select(RuleRow).where(RuleRow.kind == "history"))
            if one.body["params"]["clauses"][1:]
        )
        metric, key = row.body["params"]["clauses"][0]["metric"], row.id
    before = read(site.client.get(f"/rules/{key}").text)
    assert "Loosen" in before.text
    assert "tested at 1% significance" not in before.text  # that is of shares of strings
    token = before.token
    for action, seen in (("loosened", "loosened"), ("rejected", "dropped"), ("undo", "added")):
        answer = site.client.post(f"/rules/{key}/clauses", data={"csrf": token, "clause": metric, "action": action})
        assert answer.status_code == 303
        key = int(answer.headers["location"].split("/")[2].split("#")[0])
        shown = read(site.client.get(f"/rules/{key}").text)
        assert shown.faults == []
        assert seen in shown.text
        assert ("2 times as wide as learned, by local" in shown.text) == (action == "loosened")
    assert read(site.client.get(f"/rules/{key}?old={row.id}").text).text.count("Compare with")


def test_a_rate_of_zero_is_told_as_no_promise(site):
    """Published learners state it of a past that never changed."""
    with session(site.engine) as db:
        row = next(one for one in db.exec(select(RuleRow).where(RuleRow.kind == "history")) if one.column_name)
        same = {"metric": "Cohen_d", "lag": 0, "log": False, "low": 3.302891295379083, "high": 3.302891295379083}
        rule = HistoryRule("history", row.column_name, {"clauses": [same]}, 0.0, stays(9, [BandClause(**same)]), "avh")
        rules.put_rules(db, row.table_id, [rule], learners="avh", since_version=0)
        key = db.exec(select(RuleRow.id).where(RuleRow.learner == "avh", RuleRow.status == "active")).one()
    shown = read(site.client.get(f"/rules/{key}").text).text
    assert "none estimated: nothing that it was learned from breaks it, which is no promise" in shown
    assert "Cohen's d from the batch before is 3.303" in shown
    assert "3.3 to" not in shown
    assert "none estimated" in site.client.get(f"/tables/{row.table_id}/rules").text


def test_a_history_rule_says_what_replays_did_to_it_and_keeps_finer_measures_under_details(site):
    with session(site.engine) as db:
        row = next(one for one in db.exec(select(RuleRow).where(RuleRow.kind == "history")) if one.column_name)
        told = {"replays_on_its_past": 1, "alarms_in_replays": 0, "bands_wider_for_it": 2.589}
        bands = [{"metric": "complete_ratio", "lag": 0, "log": False, "low": 0.9, "center": 0.95, "high": 1.0}]
        bands.append({"metric": "JS_div", "lag": 0, "log": False, "low": None, "center": 0.1, "high": 0.2})
        row.body = row.body | {"evidence": told, "params": row.body["params"] | {"clauses": bands}}
        key = row.id
    page = read(site.client.get(f"/rules/{key}").text)
    assert page.faults == []
    assert "held to 1 replay on this table's past, which did not alarm; those of the lake's other tables" in page.text
    plain, details = page.text.split("1 more clause", 1)
    assert "At most 10% of the rows are null" in plain
    assert "The mix of values differs by at most 0.2" in details
    assert "The mix of values" not in plain


def test_rules_of_older_releases_are_drawn(site):
    """Their clauses name no center."""
    with session(site.engine) as db:
        for row in db.exec(select(RuleRow).where(RuleRow.kind == "history")):
            clauses = [{n: v for n, v in c.items() if n != "center"} for c in row.body["params"]["clauses"]]
            row.body = {**row.body, "params": {**row.body["params"], "clauses": clauses}}
            key = row.id
    answer = site.client.get(f"/rules/{key}")
    assert answer.status_code == 200
    assert 'class="band"' in answer.text
    assert site.client.get(f"/tables/{site.ids['sales/orders']}/history").status_code == 200


def test_a_demoted_rule_says_why_and_is_promoted(site):
    table = site.ids["sales/orders"]
    with session(site.engine) as db:
        row = db.exec(select(RuleRow).where(RuleRow.table_id == table, RuleRow.status == "active")).first()
        budget.demote(db, row, "2 false alarms too many")
        key = row.id
    page = read(site.client.get(f"/tables/{table}/rules").text)
    assert "2 false alarms too many" in page.text
    assert "only warns" in page.text
    answer = site.client.post(f"/rules/{key}/promote", data={"csrf": page.token, "back": f"/tables/{table}/rules"})
    assert answer.headers["location"] == f"/tables/{table}/rules"
    assert "only warns" not in read(site.client.get(f"/tables/{table}/rules").text).text


@pytest.mark.parametrize(("hours", "said"), [(-1, True), (1, False)])
def test_an_incident_says_that_its_rule_only_warned_when_it_was_told(site, hours, said):
    with session(site.engine) as db:
        (found, *_) = work.find_incidents(db, status="open", table_id=site.ids["sales/orders"]).items
        incident = found.Incident
        rule = db.get(RuleRow, db.get(Outcome, incident.outcome_id).rule_id)
        budget.demote(db, rule, "2 false alarms too many")
        rule.demoted_at = incident.opened_at + timedelta(hours=hours)
        assert incident.level == "error"
        key = incident.id
    assert ("An alarm, although the rule was demoted" in read(site.client.get(f"/incidents/{key}").text).text) == said


def test_an_answer_is_taken_back_and_a_rule_demoted_on_their_pages(site):
    table = site.ids["sales/orders"]
    with session(site.engine) as db:
        incident = work.find_incidents(db, status="open", table_id=table).items[0].Incident.id
    path = f"/incidents/{incident}"
    page = read(site.client.get(path).text)
    site.client.post(f"{path}/resolve", data={"csrf": page.token, "reason": "FalsePositive"})
    assert "Was that answer wrong?" in read(site.client.get(path).text).text
    assert site.client.post(f"{path}/reopen", data={"csrf": page.token}).headers["location"] == path
    again = read(site.client.get(path).text).text
    assert "What was it?" in again
    assert "Was resolved as False alarm by local" in again
    with session(site.engine) as db:
        key = db.exec(select(RuleRow.id).where(RuleRow.table_id == table, RuleRow.status == "active")).first()
    assert "Demote to warnings" in read(site.client.get(f"/rules/{key}").text).text
    said = {"csrf": page.token, "reason": "a sale", "back": f"/rules/{key}"}
    assert site.client.post(f"/rules/{key}/demote", data=said).headers["location"] == f"/rules/{key}"
    first = read(site.client.get(f"/tables/{table}").text).text  # the table's first page
    assert "only warns" in first
    assert "a sale" in first
    assert "Promote it again" in first


def test_an_incident_names_the_rules_that_raised_it_and_each_is_rejected_on_its_own_page(site):
    table = site.ids["sales/orders"]
    with session(site.engine) as db:
        incident = work.find_incidents(db, status="open", table_id=table).items[0].Incident
        key = db.get(Outcome, incident.outcome_id).rule_id
        path, column = f"/incidents/{incident.id}", incident.column_name
    shown = site.client.get(path).text
    assert f'<a href="/rules/{key}">{column}: ' in shown.partition("paused or rejected on its page")[2]
    assert f'action="/rules/{key}"' not in shown  # no decision about a rule that one does not see
    page = read(site.client.get(f"/rules/{key}").text)
    assert page.faults == []
    assert "Incidents that it opened stay open" in page.text
    said = {"csrf": page.token, "status": "rejected", "reason": "the importer rounds", "back": f"/rules/{key}"}
    assert site.client.post(f"/rules/{key}", data=said).headers["location"] == f"/rules/{key}"
    after = read(site.client.get(f"/rules/{key}").text).text
    assert "by local: the importer rounds" in after
    assert "Activate the rule" in after
    assert "Reject the rule" not in after


def test_an_incident_that_was_acknowledged_or_assigned_is_nobody_s_again(site):
    table = site.ids["sales/orders"]
    with session(site.engine) as db:
        path = f"/incidents/{work.find_incidents(db, status='open', table_id=table).items[0].Incident.id}"
    said = {"csrf": read(site.client.get(path).text).token, "status": "assigned", "assignee": "nobody-there"}
    site.client.post(f"{path}/status", data=said)
    given = read(site.client.get(path).text)
    assert given.faults == []
    assert "Assign it to nobody" in given.text
    site.client.post(f"{path}/status", data={"csrf": given.token, "status": "new"})
    again = read(site.client.get(path).text).text
    assert "Assigned to" not in again
    assert "Acknowledge" in again
    site.client.post(f"{path}/status", data={"csrf": given.token, "status": "acknowledged"})
    assert "Take the acknowledgement back" in read(site.client.get(path).text).text


def test_a_warning_is_listed_counted_apart_and_called_right_on_its_page(site):
    table = site.ids["sales/orders"]
    with session(site.engine) as db:
        row = db.exec(
            select(RuleRow).where(
                RuleRow.table_id == table, RuleRow.status == "active", RuleRow.column_name == "customer_email"
            )
        ).first()
        for item in work.find_incidents(db, status="open", table_id=table).items:
            if item.Incident.kind == row.kind and item.Incident.column_name == row.column_name:
                outcomes.resolve(db, item.Incident.id, "MissingData", actor="ann")
        budget.demote(db, row, "for a test")
        said = outcomes.outcome_row(table, 900, row.id, Verdict("violated", "Something is off."))
        before = work.find_incidents(db, status="open").items
        open_before = len([one for one in before if one.Incident.level == "error"])
        outcomes.follow_up(db, outcomes.record_outcomes(db, [said]))
        (warning,) = [
            one.Incident for one in work.find_incidents(db, status="open").items if one.Incident.level != "error"
        ]
    listed = read(site.client.get("/incidents").text)
    assert "Something is off." in listed.text
    assert "warning" in listed.text
    assert f"Incidents {open_before}" in listed.text or not open_before
    assert "1 warning needs a decision" in read(site.client.get("/").text).text
    shown = read(site.client.get(f"/incidents/{warning.id}").text)
    assert "for a test" in shown.text
    answer = site.client.post(
        f"/incidents/{warning.id}/resolve", data={"csrf": shown.token, "reason": "OutOfBounds", "comment": ""}
    )
    assert answer.status_code == 303
    assert "Resolved as" in read(site.client.get(f"/incidents/{warning.id}").text).text
    with session(site.engine) as db:
        found = budget.ledger(db, table, 1.0)
    assert (found.false, found.unlabelled) == (0, open_before)


def test_the_last_drill_is_shown_by_column_and_kind(site):
    table = site.ids["sales/orders"]
    empty = read(site.client.get(f"/tables/{table}/history").text)
    assert "Would the rules have caught it?" in empty.text
    told = {"version": 35, "rows": 900, "tried": 10, "caught": 7, "recall": 0.7, "alarmed": ["status"]}
    told["clauses"] = {"total_amount": {"nulls": {"complete_ratio": 4, "pattern": 1}}, "gone": {"nulls": {"mean": 1}}}
    told["by_column"] = {"total_amount": {"nulls": [4, 4], "casing": [0, 0]}, HOSTILE: {"nulls": [3, 6]}}
    with session(site.engine) as db:
        run = runs.queue_run(db, "drill", "sales/orders", table_id=table)
        runs.start_run(db, run.id)
        runs.finish_run(db, run.id, told)
        failed = runs.queue_run(db, "drill", "sales/orders", table_id=table)
        runs.start_run(db, failed.id)
        runs.fail_run(db, failed.id, UsageError("the files are gone", remedy="crawl again"))
    answer = site.client.get(f"/tables/{table}/history").text
    page = read(answer)
    assert page.faults == []
    assert HOSTILE not in answer
    assert "would have caught" in page.text
    assert "the files are gone" in page.text
    assert 'title="4 of 4 caught"' in answer
    assert 'title="7 of 10 caught"' in answer  # all columns
    assert "alarm on the healthy batch itself" in page.text
    assert "share of rows that are not null" in page.text
    assert 'title="1 of 4 caught"' in answer  # what the pattern saw
    assert read(site.client.get(f"/runs/{run.id}").text).faults == []


def test_a_string_rule_and_its_violation_are_explained(site):
    """Columns of the lake that speak for the rule, what it was chosen from, old and new shape token by token."""
    table = site.ids["sales/orders"]
    clause = {"kind": "shape", "accepted": ["0000-00-00"], "theta": 0.0, "risk": 0.01, "words": "every value is a day"}
    loose = {"kind": "domain", "accepted": ["date"], "theta": 0.8, "words": "values are dates, at least 20% of them"}
    evidence = {
        "rows": 90,
        "power": 0.97,
        "replays": 4712,
        "replayed_here": 60,
        "shapes": [["0-0-0", 90]],
        "columns": [[str(table), "placed_on", 1.0], ["starter:date7", "date7", 0.98], ["999", "gone", 0.9]],
        "rivals": [
            {"kind": "shape", "classes": 1, "risk": 0.01, "coverage": 12.0, "impurity": 0.02},
            {"kind": "value", "classes": 90, "risk": 0.9, "coverage": 1.0, "impurity": 0.5},
        ],
    }
    rule = Rule("pattern", "placed_on", {"clauses": [clause, loose], "rows": 90}, 0.01, "x.", "strings", evidence)
    bad = rule.judge_profile(profile_values([("7/11/2026", 40), ("2026-11-07", 5)]))
    assert bad.observed["alignment"]
    with session(site.engine) as db:
        rules.put_rules(db, table, [rule], learners="strings", since_version=30)
        row = next(one for one in rules.active_rules(db, table) if one.learner == "strings")
        outcomes.record_outcomes(db, [outcomes.outcome_row(table, 35, row.id, bad)])
        key = row.id
        column = tables.get_column(db, table, "placed_on").id
    answer = site.client.get(f"/rules/{key}").text
    assert "by replays of 4,712 columns, 60 of them this lake's" in unescape(answer)
    page = read(answer)
    assert page.faults == []
    for words in (
        "Evidence from other columns",
        "starter index",
        "a table that is gone",
        "candidates it was chosen from",
    ):
        assert words in page.text
    assert f'href="/columns/{column}"' in answer
    assert 'class="aligned"' in answer
    assert "40 values" in page.text
    first, folded = answer.split("1 more clause")
    assert "Every value is a day" in first
    assert "dates, at least 20% of them" in folded
    assert "dates, at least 20% of them" not in first
    shown = read(site.client.get(f"/columns/{column}").text)
    assert shown.faults == []
    assert "Why the pattern rule was chosen" in shown.text
