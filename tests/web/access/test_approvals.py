"""Four eyes: what needs a second person waits, whoever asks for it and how, and nobody approves his own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

import pytest
import structlog
from sites import Site
from sqlmodel import select

from catalog.cli import console, main
from catalog.declared.check import Check
from catalog.errors import Held, UsageError
from catalog.rules.kinds.declared import LEARNER
from catalog.settings import get_settings
from catalog.store.access import approvals, audit, people
from catalog.store.access.answers import answer
from catalog.store.domains import lakedomains
from catalog.store.engine import session as open_session
from catalog.store.expectations import rules
from catalog.store.expectations.declared import put_check
from catalog.store.meaning import levels, review
from catalog.store.models import LakeColumn, LakeDomain, RuleRow, Tag

WORDS = "correct horse battery"


@pytest.fixture
def tokens(site: Site) -> dict[str, str]:
    """Two approvers and an author, and the setting on."""
    secrets = {}
    with open_session(site.engine) as session:
        for name, role in (("ann", "admin"), ("bob", "approver"), ("cid", "author")):
            user = people.add_user(session, name, WORDS, role, actor="local")
            secrets[name] = people.make_token(session, user, "t", scope=role, days=1, actor=name)[1]
        approvals.require(session, True, actor="ann")
    return secrets


def _call(site: Site, secret: str, method: str, path: str, **body: object) -> tuple[int, dict[str, object]]:
    headers = {"authorization": f"Bearer {secret}"}
    answer = site.client.request(method, f"/api/v1{path}", headers=headers, json=body or None)
    return answer.status_code, answer.json()


def _status(site: Site, rule: int) -> str:
    with open_session(site.engine, write=False) as session:
        return session.get_one(RuleRow, rule).status


def test_a_rule_is_changed_by_two_people(site: Site, tokens: dict[str, str]) -> None:
    rule = site.ids["rule"]
    for _ in range(2):  # asked twice: it waits once
        code, said = _call(site, tokens["ann"], "POST", f"/rules/{rule}", status="paused")
        assert (code, said["error"]["kind"]) == (202, "held")  # type: ignore[index]
    assert _status(site, rule) == "active"
    [waits] = _call(site, tokens["bob"], "GET", "/approvals")[1]
    path = f"/approvals/{waits['id']}"  # type: ignore[index]
    assert _call(site, tokens["ann"], "POST", path, approve=True)[0] == 403
    assert _call(site, tokens["cid"], "POST", path, approve=True)[0] == 403
    assert _status(site, rule) == "active"
    assert _call(site, tokens["bob"], "POST", path, approve=True, reason="agreed")[0] == 200
    assert _status(site, rule) == "paused"
    assert _call(site, tokens["bob"], "POST", path, approve=True)[0] == 400
    with open_session(site.engine, write=False) as session:
        done, approved = audit.find_events(session, limit=2)[::-1]
    assert (done.actor, done.action, done.kind, done.reason) == ("ann", "pause", "rule", "(approved by bob: agreed)")
    assert (approved.actor, approved.action, approved.after["author"]) == ("bob", "approve", "ann")


def test_every_way_to_change_a_rule_or_show_values_waits(site: Site, tokens: dict[str, str]) -> None:
    rule = site.ids["rule"]
    with open_session(site.engine) as session:
        table = session.get_one(RuleRow, rule).table_id
        learned = next(one for one in rules.active_rules(session, table) if one.kind == "history")
        clause = rules.as_rule(learned).clauses[0].key
        tag = session.exec(select(Tag).where(Tag.sensitive, Tag.status == "proposed")).first()
        plain = session.exec(select(Tag).where(Tag.sensitive.is_(False), Tag.status == "proposed")).first()  # type: ignore[attr-defined]
        row = LakeDomain(view="v", pattern="p", sentence="s", regex="r", name="secret_code", sensitive=True)
        session.add(row)
        session.flush()
        domain = row.id
    assert tag is not None
    asked = [
        ("POST", f"/rules/{rule}", {"status": "rejected"}),
        ("POST", f"/rules/{rule}/demote", {"reason": "noisy"}),
        ("POST", f"/rules/{learned.id}/clauses", {"clause": clause, "action": "paused"}),
        ("POST", f"/tags/{tag.id}", {"status": "rejected", "reason": "a business's"}),
        ("POST", f"/patterns/{domain}/name", {"name": "secret_code", "sensitive": False}),
        ("PUT", "/approvals/setting", {"on": False}),
    ]
    for method, path, body in asked:
        assert _call(site, tokens["ann"], method, path, **body)[0] == 202, path
    check = Check("orders").is_complete("status").constraints[0]
    calls = [
        lambda s: put_check(s, table, check, actor="ann"),
        lambda s: lakedomains.forget_name(s, domain, actor="ann"),
        lambda s: review.decide(s, [tag.id], "rejected", "eve", "a business's too"),
    ]
    for call in calls:
        with pytest.raises(Held), open_session(site.engine) as session:
            call(session)
    with open_session(site.engine, write=False) as session:
        assert session.get_one(Tag, tag.id).status == "proposed"
        assert session.get_one(LakeDomain, domain).sensitive
        assert approvals.four_eyes(session)
        assert not [one for one in rules.active_rules(session, table) if one.learner.startswith(LEARNER)]
        waiting = approvals.list_approvals(session)
    assert [one.what for one in waiting] == [
        "rule",
        "demote",
        "clause",
        "tag",
        "domain",
        "require",
        "declare",
        "forget",
    ]
    if plain is not None:  # to accept, or to reject what hides nothing, one person is enough
        assert _call(site, tokens["ann"], "POST", f"/tags/{plain.id}", status="rejected")[0] == 200
    with open_session(site.engine) as session:
        bob = people.identity_of(people.get_user(session, "bob"))
        for one in waiting:
            if one.what in ("tag", "declare", "require"):
                answer(session, one.id, True, by=bob)
    with open_session(site.engine, write=False) as session:
        assert session.get_one(Tag, tag.id).status == "rejected"
        assert not approvals.four_eyes(session)
        assert [one for one in rules.active_rules(session, table) if one.learner.startswith(LEARNER)]


def test_an_undo_waits_too_and_says_what_it_undid(site: Site, tokens: dict[str, str]) -> None:
    rule = site.ids["rule"]
    with open_session(site.engine) as session:
        session.info[approvals.APPROVED] = True
        rules.set_rule_status(session, rule, "paused", "ann")
        event = audit.find_events(session, limit=1)[0].id
    assert _call(site, tokens["ann"], "POST", f"/audit/{event}/undo", reason="")[0] == 202
    assert _status(site, rule) == "paused"
    [waits] = _call(site, tokens["bob"], "GET", "/approvals")[1]
    assert _call(site, tokens["bob"], "POST", f"/approvals/{waits['id']}", approve=True)[0] == 200  # type: ignore[index]
    assert _status(site, rule) == "active"
    with open_session(site.engine, write=False) as session:
        assert audit.find_events(session, kind="rule", limit=1)[0].undoes == event


@pytest.fixture
def command(
    site: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., tuple[int, str, str]]]:
    """Commands on the site's catalog in this process: how each ended, and what it said."""
    for name, value in site.settings.as_environment().items():
        monkeypatch.setenv(name, value)

    def run(token: str, *words: str) -> tuple[int, str, str]:
        monkeypatch.setenv("ASSAY_TOKEN", token)
        for kept in (get_settings, console.out, console.err):  # the settings and the terminal of a command before
            kept.cache_clear()
        capsys.readouterr()
        return main(list(words)), *capsys.readouterr()

    yield run
    get_settings.cache_clear()
    structlog.reset_defaults()


def test_approvals_on_their_page_and_by_command(
    site: Site, tokens: dict[str, str], command: Callable[..., tuple[int, str, str]]
) -> None:
    rule, headers = site.ids["rule"], {"authorization": f"Bearer {tokens['ann']}"}
    text = site.client.get("/approvals", headers=headers).text
    csrf = re.search(r'name="csrf" value="(\w+)"', text).group(1)  # type: ignore[union-attr]
    form = {"csrf": csrf, "status": "rejected", "back": "/rules"}
    held = site.client.post(f"/rules/{rule}", data=form, headers=headers)
    assert held.status_code == 202
    assert "waits for a second person" in held.text
    mine = site.client.get("/approvals", headers=headers).text
    assert ("Take back" in mine, ">Approve</button>" in mine) == (True, False)
    other = {"authorization": f"Bearer {tokens['bob']}"}
    assert ">Approve</button>" in site.client.get("/approvals", headers=other).text

    [waits] = json.loads(command(tokens["bob"], "approval", "list", "--json")[1])
    code, _, said = command(tokens["ann"], "approval", "approve", str(waits["id"]))
    assert (code, "nobody approves his own" in said) == (3, True)
    assert command(tokens["bob"], "approval", "reject", str(waits["id"]), "--reason", "it is right")[0] == 0
    assert _status(site, rule) == "active"
    code, _, said = command(tokens["ann"], "rule", "pause", str(rule))
    assert (code, "waits for a second person" in said) == (2, True)
    assert "it is right" in site.client.get("/approvals", headers=headers).text


def test_who_approves_is_told_what_is_so_by_now(site: Site, tokens: dict[str, str]) -> None:
    with open_session(site.engine) as session:
        levels.set_level(session, 1, "personal", actor="ann")
    asked = {"level": "public", "reason": "on the web site"}
    assert _call(site, tokens["ann"], "PUT", "/columns/1/level", **asked)[0] == 202
    [waits] = _call(site, tokens["bob"], "GET", "/approvals")[1]
    assert (waits["words"], waits["is_now"]) == ("lower from personal to public the level of", "personal")  # type: ignore[index]
    headers = {"authorization": f"Bearer {tokens['bob']}"}
    text = site.client.get("/approvals", headers=headers).text
    form = dict(re.findall(r'<input type="hidden" name="(csrf|seen)" value="(\w+)"', text)) | {"approve": "true"}
    with open_session(site.engine) as session:
        levels.set_level(session, 1, "secret", actor="cid")
    path = f"/approvals/{waits['id']}"  # type: ignore[index]
    late = site.client.post(path, data=form, headers=headers)
    assert late.status_code == 409
    assert "secret; cid decided about it since (event" in late.text
    assert "secret; cid decided about it since (event" in site.client.get("/approvals", headers=headers).text
    late_call = _call(site, tokens["bob"], "POST", path, approve=True, seen=waits["seen"])  # type: ignore[index]
    assert (late_call[0], late_call[1]["error"]["kind"]) == (409, "changed")  # type: ignore[index]
    with open_session(site.engine, write=False) as session:
        assert session.get_one(LakeColumn, 1).level == "secret"
    again = dict(re.findall(r'name="(csrf|seen|approve|reason)" value="([^"]*)"', late.text))
    assert site.client.post(path, data=again, headers=headers).status_code == 403  # who sees no secrets shows none
    with open_session(site.engine) as session:
        people.set_role(session, people.get_user(session, "bob").id or 0, "admin", actor="ann")
        secret = people.make_token(session, people.get_user(session, "bob"), "u", scope="admin", days=1, actor="bob")[1]
    headers = {"authorization": f"Bearer {secret}"}
    again["csrf"] = re.findall(r'name="csrf" value="(\w+)"', site.client.get("/approvals", headers=headers).text)[0]
    assert site.client.post(path, data=again, headers=headers).status_code == 303
    with open_session(site.engine, write=False) as session:
        assert session.get_one(LakeColumn, 1).level == "public"


def test_four_eyes_need_two_people(site: Site) -> None:
    with pytest.raises(UsageError, match="second person"), open_session(site.engine) as session:
        approvals.require(session, True, actor="local")
    assert site.client.put("/api/v1/approvals/setting", json={"on": True}).status_code == 400


def test_a_draft_is_approved_by_one_other_person(site: Site, tokens: dict[str, str]) -> None:
    check = Check("orders").is_complete("status").constraints[0]
    with open_session(site.engine) as session:
        table = session.get_one(RuleRow, site.ids["rule"]).table_id
        put_check(session, table, check, actor="cid", draft=True)
        [draft] = session.exec(select(RuleRow.id).where(RuleRow.status == "draft")).all()
    path = f"/rules/{draft}"
    assert _call(site, tokens["cid"], "POST", path, status="active")[0] == 403, "an author approves nothing"
    with pytest.raises(Held), open_session(site.engine) as session:
        rules.set_rule_status(session, draft, "active", "access-token")  # nobody knows whose eyes these are
    assert _status(site, draft) == "draft"
    assert _call(site, tokens["bob"], "POST", path, status="active")[0] == 200, "bob is the second person"
    assert _status(site, draft) == "active"
    with open_session(site.engine, write=False) as session:
        event = audit.find_events(session, limit=1)[0]
    assert (event.actor, event.action, event.before) == ("bob", "activate", {"status": "draft", "author": "cid"})
    assert _call(site, tokens["bob"], "POST", path, status="paused")[0] == 202, "from then on it is a rule like others"


def test_what_waits_is_told_where_it_is_about(site: Site, tokens: dict[str, str]) -> None:
    rule = site.ids["rule"]
    with open_session(site.engine, write=False) as session:
        table = session.get_one(RuleRow, rule).table_id

    def shown(name: str, path: str) -> str:
        return site.client.get(path, headers={"authorization": f"Bearer {tokens[name]}"}).text

    assert "Waits for a second person" not in shown("bob", f"/rules/{rule}")
    form = re.search(r'name="csrf" value="([^"]+)"', shown("ann", f"/rules/{rule}"))
    assert form is not None
    held = site.client.post(
        f"/rules/{rule}",
        data={"csrf": form[1], "status": "paused", "back": f"/rules/{rule}"},
        headers={"authorization": f"Bearer {tokens['ann']}", "referer": f"http://127.0.0.1:8420/rules/{rule}"},
    )
    assert held.status_code == 202
    assert "Waits for a second person" in held.text
    assert f'href="/rules/{rule}"' in held.text, "a way back to the page where it was asked"
    for path in (f"/rules/{rule}", f"/tables/{table}"):
        assert "Waits for a second person:</strong> ann asked" in shown("bob", path)
    assert ("Answer it" in shown("bob", f"/rules/{rule}"), "Answer it" in shown("ann", f"/rules/{rule}")) == (
        True,
        False,
    )
