"""Declared checks on the page and in the interface: added, tried, changed, retired, and by whom."""

from __future__ import annotations

import re
from typing import Any

import pytest
from sites import Site
from sqlmodel import select

from catalog.declared.constraint import Constraint
from catalog.declared.kinds.registry import CHECK_KINDS
from catalog.errors import UsageError
from catalog.flow.checking.saying import shown
from catalog.rules.kinds.declared import DeclaredRule
from catalog.rules.verdict import VIOLATED, Verdict
from catalog.store import runs
from catalog.store.access import audit, people
from catalog.store.engine import session as open_session
from catalog.store.expectations import declared
from catalog.store.meaning import privacy
from catalog.store.models import RuleRow, Run
from catalog.tags.privacy.hiding import CONDITIONS
from web.shown import checkform

WORDS = "correct horse battery"


@pytest.fixture
def table(site: Site) -> str:
    return f"/tables/{site.ids['sales/orders']}/checks"


@pytest.fixture
def api(table: str) -> str:
    return f"/api/v1{table}"


def send(site: Site, path: str, **fields: Any) -> Any:
    """A form as the browser sends it."""
    page = site.client.get(path if path.endswith("checks") else path.rpartition("/")[0]).text
    token = re.search(r'name="csrf" value="([^"]+)"', page)
    assert token is not None
    return site.client.post(path, data={"csrf": token[1], **fields})


def checks(site: Site) -> list[tuple[RuleRow, Constraint]]:
    with open_session(site.engine, write=False) as session:
        found = declared.checks_of(session, site.ids["sales/orders"])
        session.expunge_all()
    return [(row, rule.constraint) for row, rule in found]


@pytest.mark.parametrize("name", CHECK_KINDS)
def test_every_kind_has_a_form_that_gives_the_check_back(site: Site, table: str, name: str) -> None:
    from catalog.declared.docs import example

    wanted = example(name)
    page = site.client.get(f"{table}/new?kind={name}")
    assert page.status_code == 200
    for field in checkform.fields_of(CHECK_KINDS[name]):
        assert f'name="{field.name}"' in page.text, field
    types = {"amount": "double", "tax": "double", "id": "bigint", "currency": "string", "paid": "boolean"}
    assert checkform.constraint_of(checkform.filled(wanted), types) == wanted


def test_a_check_is_added_changed_and_retired(site: Site, table: str) -> None:
    assert "No check has been declared" in site.client.get(table).text
    added = send(
        site, table, kind="has_max", columns="total_amount", at_most="1900", level="warning", hint="ask the till"
    )
    assert (added.status_code, added.headers["location"]) == (303, table)
    ((row, made),) = checks(site)
    assert (made.at_most, made.level, made.hint, row.status) == (1900, "warning", "ask the till", "active")
    page = site.client.get(table).text
    assert "maximum of total_amount is at most 1,900" in page
    form = site.client.get(f"{table}/{row.id}").text
    assert 'value="1900"' in form
    assert 'value="ask the till"' in form
    changed = send(site, table, kind="has_max", columns="total_amount", at_most="2000", old=str(row.id), name=made.name)
    assert changed.status_code == 303, changed.text
    ((newer, one),) = checks(site)
    assert (one.at_most, newer.revision) == (2000, 2)
    assert site.client.post(f"{table}/{newer.id}/retire", data={"csrf": "another"}).status_code == 403
    assert send(site, f"{table}/{newer.id}/retire").status_code == 303
    assert checks(site) == []
    with open_session(site.engine, write=False) as session:
        events = audit.find_events(session, limit=3)
        kept = session.exec(select(RuleRow.status).where(RuleRow.learner == f"declared:{made.name}")).all()
    assert [event.after for event in reversed(events)] == [
        {"added": ["has_max_total_amount"], "changed": [], "retired": []},
        {"added": [], "changed": ["has_max_total_amount"], "retired": []},
        {"added": [], "changed": [], "retired": ["has_max_total_amount"]},
    ]
    assert set(kept) == {"superseded"}


@pytest.mark.parametrize(
    ("fields", "cause"),
    [
        ({"kind": "has_max", "columns": "total_amount"}, "does not say what is expected"),
        ({"kind": "has_max", "columns": "total_amount", "at_most": "much"}, "at_most: &#39;much&#39; is no number"),
        ({"kind": "has_max", "columns": "nope", "at_most": "3"}, "there is no column &#39;nope&#39;"),
        ({"kind": "has_max", "columns": "status", "at_most": "3"}, "values of type string are no numbers"),
        ({"kind": "satisfies", "arg_condition": "status >"}, "cannot be parsed"),
        ({"kind": "satisfies", "arg_condition": "a; drop table rule"}, "more than one expression"),
        ({"kind": "is_in", "columns": "status"}, "needs values"),
        ({"kind": "has_quantile", "columns": "total_amount", "arg_q": "95", "at_most": "3"}, "q is 95, and must be 0"),
        ({"kind": "has_completeness", "columns": "status", "at_least": "95"}, "a share is 0 to 1"),
        ({"kind": "has_pattern", "columns": "status", "arg_pattern": "(["}, "is no regular expression"),
        ({"kind": "is_complete", "columns": "status", "where": "x = 1"}, "there is no column &#39;x&#39;"),
        ({"kind": "is_complete", "columns": "status", "name": "taken"}, "is named &#39;taken&#39; already"),
    ],
)
def test_a_mistake_is_told_in_the_form_and_nothing_is_saved(site: Site, table: str, fields: Any, cause: str) -> None:
    send(site, table, kind="is_unique", columns="order_id", name="taken")
    refused = send(site, table, hint="kept as it was", **fields)
    assert refused.status_code == 422
    assert cause in refused.text
    assert "To do: " in refused.text
    assert 'value="kept as it was"' in refused.text
    assert len(checks(site)) == 1


def test_dates_and_truth_values_are_typed_into_the_form() -> None:
    types = {"day": "date", "paid": "boolean", "n": "bigint"}
    given = {"kind": ["is_between"], "columns": ["day"], "arg_low": ["2026-01-01"]}
    assert checkform.constraint_of(given, types).arguments == {"low": "2026-01-01"}
    given = {"kind": ["is_between"], "columns": ["n"], "arg_high": ["12"]}
    assert checkform.constraint_of(given, types).arguments == {"high": 12}
    given = {"kind": ["is_in"], "columns": ["paid"], "arg_values": ["true"]}
    assert checkform.constraint_of(given, types).arguments == {"values": [True]}


def test_a_check_is_tried_on_past_versions_before_it_is_saved(site: Site, table: str, monkeypatch: Any) -> None:
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(site.app.state.queue, "send", lambda name, **told: sent.append(told))
    monkeypatch.setattr(site.app.state.queue, "trouble", lambda: None)
    begun = send(site, f"{table}/preview", kind="has_max", columns="total_amount", at_most="90")
    number = int(begun.headers["location"].rpartition("/")[2])
    assert sent == [{"run_id": number}]
    assert "check" not in site.client.get(f"/api/v1/runs/{number}").json()["stats"], "it may quote values"
    monkeypatch.setattr(site.app.state.queue, "trouble", lambda: "no worker is running")
    page = site.client.get(f"{table}/preview/{number}").text
    assert "Its last versions are being judged" in page
    assert "Queued: no worker is running" in page
    assert 'value="90"' in page
    with open_session(site.engine) as session:
        asked = session.get_one(Run, number).stats
        runs.start_run(session, number)
        told = {"versions": 40, "failed": [7, 33], "last": "Maximum is 99.", "newest": "ok"}
        told |= {"unjudged": 1, "unjudged_why": "It knows no earlier version."}
        runs.finish_run(session, number, asked | told)
    page = site.client.get(f"{table}/preview/{number}").text
    assert "It would have failed on 2 of 40 versions." in page
    assert "Maximum is 99." in page
    assert "1 could not be judged: It knows no earlier version." in page
    assert checks(site) == []
    assert site.client.get(f"/runs/{number}").status_code == 200
    assert site.client.get(f"{table}/preview/{site.ids['run']}").status_code == 404


def test_the_interface_does_the_same(site: Site, api: str) -> None:
    kinds = {one["name"]: one for one in site.client.get("/api/v1/checks/kinds").json()}
    assert set(kinds) == set(CHECK_KINDS)
    assert kinds["is_in"]["arguments"][0]["required"] is True
    asked = {"kind": "is_in", "columns": ["status"], "arguments": {"values": ["open", "shipped"]}, "hint": "ask"}
    made = site.client.post(api, json=asked)
    assert made.status_code == 201, made.text
    (listed,) = site.client.get(api).json()
    assert listed == made.json()
    assert (listed["sentence"], listed["last"]) == ("every value of status is one of open, shipped", None)
    changed = site.client.put(f"{api}/{listed['id']}", json=asked | {"level": "warning", "name": listed["name"]})
    assert (changed.status_code, changed.json()["level"], changed.json()["revision"]) == (200, "warning", 2)
    old = site.client.put(f"{api}/{listed['id']}", json=asked)
    assert (old.status_code, f"it is check {changed.json()['id']} now" in old.text) == (404, True), "the old revision"
    for wrong, cause in [
        ({"kind": "nope"}, "there is no check"),
        ({"kind": "is_complete", "columns": ["nope"]}, "there is no column"),
        ({"kind": "satisfies", "arguments": {"condition": "status >"}}, "cannot be parsed"),
        ({"kind": "has_max", "columns": ["status"], "at_most": 1}, "no numbers"),
        ({"kind": "is_in", "columns": ["status"], "arguments": {"values": ["x"]}}, "already"),
    ]:
        refused = site.client.post(api, json=wrong)
        assert refused.status_code in (400, 422), refused.text
        assert cause in refused.json()["error"]["cause"]
        assert refused.json()["error"]["remedy"]
    assert site.client.post(api, json=asked | {"extra": 1}).status_code == 422
    assert site.client.delete(f"{api}/{changed.json()['id']}").status_code == 204
    assert site.client.get(api).json() == []


def test_values_of_a_sensitive_column_are_not_told(site: Site, api: str) -> None:
    asked = {"kind": "is_in", "columns": ["customer_email"], "arguments": {"values": ["zoe@mail.example"]}}
    made = site.client.post(api, json=asked).json()
    assert made["arguments"] == {}
    for path in (api, api.removeprefix("/api/v1"), f"/api/v1/rules/{made['id']}", f"/rules/{made['id']}"):
        assert "zoe@mail" not in site.client.get(path).text, path


def test_an_author_makes_drafts_that_an_approver_approves(site: Site, api: str, table: str) -> None:
    heads = {}
    with open_session(site.engine) as session:
        for role in ("admin", "approver", "author", "viewer"):
            user = people.add_user(session, f"{role}-ann", WORDS, role, actor="local")
            secret = people.make_token(session, user, "test", scope=role, days=1, actor=user.name)[1]
            heads[role] = {"authorization": f"Bearer {secret}"}
    asked = {"kind": "has_size", "at_least": 1}
    assert site.client.post(api, json=asked, headers=heads["viewer"]).status_code == 403
    draft = site.client.post(api, json=asked, headers=heads["author"]).json()
    assert draft["status"] == "draft"
    changed = site.client.put(f"{api}/{draft['id']}", json=asked | {"at_least": 2}, headers=heads["author"]).json()
    assert changed["status"] == "draft"
    path = f"/api/v1/rules/{changed['id']}"
    assert site.client.post(path, json={"status": "active"}, headers=heads["author"]).status_code == 403
    assert site.client.post(path, json={"status": "active"}, headers=heads["approver"]).status_code == 200
    for method in ("PUT", "DELETE"):
        told = {"json": asked} if method == "PUT" else {}
        refused = site.client.request(method, f"{api}/{changed['id']}", headers=heads["author"], **told)
        assert refused.status_code == 403, "what is in force is changed by whoever may decide on rules"
    assert site.client.get(f"{table}/{changed['id']}", headers=heads["viewer"]).status_code == 403
    assert site.client.delete(f"{api}/{changed['id']}", headers=heads["approver"]).status_code == 204


def test_the_list_says_what_to_start_where_nobody_judges(site: Site, table: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(site.app.state.queue, "send", lambda name, **told: None)
    assert send(site, table, kind="is_complete", columns="status").status_code == 303
    page = site.client.get(table).text
    assert "The current version is being checked" in page
    assert "Queued: the task queue is not running" in page
    assert "Start the task queue and a worker with <code>assay up</code>" in page
    assert "<code>assay check run " in page


def test_a_form_without_a_kind_leads_to_the_list_of_kinds(site: Site, table: str) -> None:
    answer = site.client.get(f"{table}/new", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, table)


def test_a_form_without_bounds_names_its_own_fields() -> None:
    with pytest.raises(UsageError) as refused:
        checkform.constraint_of({"kind": ["has_size"]}, {})
    assert refused.value.remedy == "fill in “At least”, “At most” or both"


@pytest.mark.parametrize(
    "asked",
    [
        {"kind": "has_size", "at_least": 1e9, "where": "order_id = 7 AND Customer_Email >= 'm'"},
        {"kind": "satisfies", "arguments": {"condition": "customer_email not like 'ann%'"}},
        {"kind": "is_in", "columns": ["customer_email"], "arguments": {"values": ["ann@example.com"]}},
    ],
)
def test_masked_values_are_asked_about_by_those_alone_who_may_see_them(
    site: Site, api: str, asked: dict[str, Any]
) -> None:
    secrets = {}
    with open_session(site.engine) as session:
        for role in ("admin", "approver", "author"):
            user = people.add_user(session, f"{role}-ann", WORDS, role, actor="local")
            secrets[role] = people.make_token(session, user, "test", scope="admin", days=1, actor=user.name)[1]

    def preview(role: str, check: dict[str, Any]) -> Any:
        return site.client.post(f"{api}/preview", json=check, headers={"authorization": f"Bearer {secrets[role]}"})

    refused = preview("author", asked)
    assert (refused.status_code, "customer_email" in refused.text) == (403, True)
    assert preview("author", {"kind": "has_size", "at_least": 3, "where": "order_id > 7"}).status_code == 202
    assert preview("author", {"kind": "is_complete", "columns": ["customer_email"]}).status_code == 202
    assert preview("approver", asked).status_code == 202
    with open_session(site.engine, write=False) as session:
        (told,) = [one for one in audit.all_events(session) if one.action == "ask"]
        assert (told.actor, told.after["columns"]) == ("approver-ann", ["customer_email"])
        assert "ann@" not in str(told.model_dump())


def test_what_a_check_counts_by_a_condition_on_masked_values_is_hidden(site: Site) -> None:
    counted = Constraint("has_size", at_least=1e9, where="order_id = 7 AND Customer_Email >= 'm'")
    plain = Constraint("has_size", at_least=1e9, where="order_id = 7")
    with open_session(site.engine) as session:
        hide = privacy.hiding(session, site.ids["sales/orders"])
    for constraint, private in ((counted, True), (plain, False)):
        rule = DeclaredRule.of(constraint)
        row = RuleRow(kind=rule.kind, learner=rule.learner, sentence=rule.sentence, body=rule.to_json())
        found = Verdict(VIOLATED, "Number of rows is 1.", {"value": 1}, {}, "has_size", 1.0, 1e9, None)
        said = shown(row, found, hide)
        assert (said.value is None, "is 1" not in said.sentence) == (private, private)
        assert ("Email" not in privacy.shown_sentence(rule, hide)) or not private


def test_every_argument_that_is_a_condition_is_known_as_one() -> None:
    named = {name for kind in CHECK_KINDS.values() for name, one in kind.arguments.items() if one.condition}
    assert {*named, "where"} == set(CONDITIONS)
