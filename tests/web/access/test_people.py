"""People: who may do what, on every address, and what is written down of it."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest
from fastapi.routing import iter_route_contexts
from fastapi.testclient import TestClient
from sites import Site, open_site
from sqlalchemy.exc import DatabaseError
from sqlmodel import select

from catalog.errors import SettingError
from catalog.roles import ADMIN, READ, everyone_here
from catalog.settings import Settings
from catalog.store.access import approvals, audit, owners, people
from catalog.store.access.undo import undo
from catalog.store.engine import session as open_session
from catalog.store.meaning import tags
from catalog.store.models import AuditEvent, Tag
from catalog.tags.proposal import TagProposal
from web.access.gate import needed
from web.app import create_app

WORDS = "correct horse battery"  # a password of these tests
ROLES = ("viewer", "runner", "author", "approver", "admin")


def _give_accounts(site: Site) -> dict[str, str]:
    """An account for each role; a token of each by role."""
    secrets = {}
    with open_session(site.engine) as session:
        for role in reversed(ROLES):
            user = people.add_user(session, f"{role}-ann", WORDS, role, actor="local")
            secrets[role] = people.make_token(session, user, "test", scope=role, days=1, actor=user.name)[1]
    return secrets


@pytest.fixture
def tokens(site: Site) -> dict[str, str]:
    return _give_accounts(site)


def _ask(site: Site, secret: str, method: str, path: str, **more: object) -> int:
    return site.client.request(method, path, headers={"authorization": f"Bearer {secret}"}, **more).status_code


def test_roles_hold_on_pages_and_interface(site: Site, tokens: dict[str, str]) -> None:
    with open_session(site.engine, write=False) as session:
        tag = session.exec(select(Tag.id).where(Tag.status == "proposed")).first()
    accept = f"/api/v1/tags/{tag}", {"status": "accepted"}
    assert site.client.get("/api/v1/tags").status_code == 401
    assert site.client.get("/tags").headers["location"].startswith("/login")
    assert {role: _ask(site, tokens[role], "GET", "/api/v1/tags") for role in ROLES} == dict.fromkeys(ROLES, 200)
    got = {role: _ask(site, tokens[role], "POST", accept[0], json=accept[1]) for role in ROLES}
    assert got == {"viewer": 403, "runner": 403, "author": 403, "approver": 200, "admin": 200}
    assert [_ask(site, tokens[role], "GET", "/people") for role in ("approver", "admin")] == [403, 200]
    source = site.client.get("/api/v1/sources", headers={"authorization": f"Bearer {tokens['viewer']}"}).json()[0]["id"]
    assert [_ask(site, tokens[r], "DELETE", f"/api/v1/sources/{source}") for r in ("approver", "admin")] == [403, 204]
    with open_session(site.engine, write=False) as session:
        events = audit.find_events(session, limit=3)
    assert [(e.actor, e.action, e.kind) for e in reversed(events)] == [
        ("approver-ann", "accept", "tag"),
        ("admin-ann", "accept", "tag"),
        ("admin-ann", "remove", "source"),
    ]
    assert events[-1].before["status"] == "proposed"
    assert events[-1].after["status"] == "accepted"


def test_a_page_offers_what_its_reader_may_do(site: Site, tokens: dict[str, str]) -> None:
    """A column's page has no forms for a viewer; an approver decides on tags, or says what the column is."""
    column = site.ids["status"]

    def forms(role: str) -> set[str]:
        head = {"authorization": f"Bearer {tokens[role]}"}
        return set(re.findall(r'action="(/[a-z]+/\w+/?\w*)', site.client.get(f"/columns/{column}", headers=head).text))

    decides = {f"/columns/{column}/level", f"/columns/{column}/tags"}
    assert not forms("viewer") & (decides | {f"/owners/column/{column}"})
    assert f"/owners/column/{column}" in forms("author")
    assert not forms("author") & decides
    assert forms("approver") >= decides
    for role, code in (("author", 403), ("approver", 200)):
        assert _ask(site, tokens[role], "post", f"/api/v1/columns/{column}/tags", json={"domain": "season"}) == code


def test_every_writing_address_asks_for_a_right(site: Site, tokens: dict[str, str]) -> None:
    """No route that writes lets a viewer through, one's own account aside."""
    asked = 0
    for route in iter_route_contexts(site.app.routes):
        for method in route.methods or ():
            if method in {"GET", "HEAD", "OPTIONS"} or route.path.startswith(
                ("/login", "/logout", "/theme", "/account", "/tokens", "/api/v1/tokens")
            ):
                continue
            asked += 1
            assert needed(method, route.path) not in (None, READ), route.path
            code = _ask(site, tokens["viewer"], method, re.sub(r"\{.*?\}", "1", route.path))
            assert code == 403, (method, route.path)
    assert asked > 80


def test_people_log_in_and_are_locked_out_at_once(site: Site, tokens: dict[str, str]) -> None:
    client = site.client
    csrf = re.search(r'name="csrf" value="(\w+)"', client.get("/login").text).group(1)  # type: ignore[union-attr]
    form = {"csrf": csrf, "name": "Author-Ann", "password": "wrong wrong wrong", "next": "/tags"}
    assert client.post("/login", data=form).status_code == 401
    answer = client.post("/login", data=form | {"password": WORDS})
    assert (answer.status_code, answer.headers["location"]) == (303, "/tags")
    home = client.get("/tags")
    assert home.status_code == 200
    assert "author-ann" in home.text
    with open_session(site.engine) as session:
        people.set_active(session, "author-ann", False, actor="admin-ann")
    assert client.get("/tags").status_code == 303
    assert _ask(site, tokens["author"], "GET", "/api/v1/tags") == 401


def test_what_was_typed_as_a_name_is_logged_only_if_it_is_one(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    _give_accounts(site)
    form = re.search(r'name="csrf" value="(\w+)"', site.client.get("/login").text)
    assert form
    typed = {"name": "my password", "password": "ann", "csrf": form[1]}
    assert site.client.post("/login", data=typed).status_code == 401
    assert "login failed: no account's name from testclient" in caplog.text
    assert "my password" not in caplog.text


def test_a_token_has_no_more_rights_than_its_scope_and_ends(site: Site, tokens: dict[str, str]) -> None:
    with open_session(site.engine) as session:
        admin = people.get_user(session, "admin-ann")
        token, secret = people.make_token(session, admin, "pipeline", scope="runner", days=1, actor="admin-ann")
        who = people.by_token(session, secret)
        assert who is not None
        assert not who.may(ADMIN)
        assert who.may(READ)
        assert people.by_token(session, secret, at=token.expires_at) is None
        assert secret not in str(token.model_dump())
    assert _ask(site, secret, "GET", "/people") == 403
    with open_session(site.engine) as session:
        people.revoke_token(session, token.id, by=people.identity_of(people.get_user(session, "admin-ann")))
    assert _ask(site, secret, "GET", "/tags") == 303


def test_a_token_makes_no_tokens_and_no_passwords(site: Site) -> None:
    with open_session(site.engine) as session:
        admin = people.add_user(session, "admin-ann", WORDS, "admin", actor="local")
        token, narrow = people.make_token(session, admin, "reader", scope="viewer", days=1, actor="admin-ann")
        _, broad = people.make_token(session, admin, "all", scope="admin", days=1, actor="admin-ann")
    for secret in (narrow, broad):
        headers = {"authorization": f"Bearer {secret}"}
        form = site.client.get("/account", headers=headers)
        csrf = re.search(r'name="csrf" value="(\w+)"', form.text)[1]
        wanted = {"name": "more", "scope": "admin", "days": "366", "csrf": csrf}
        answer = site.client.post("/account/tokens", data=wanted, headers=headers)
        assert answer.status_code == 403, answer.text
        assert "token may not change passwords or tokens" in answer.text
        changed = {"old": WORDS, "new": "another horse battery", "csrf": csrf}
        assert site.client.post("/account/password", data=changed, headers=headers).status_code == 403
        gone = site.client.post(f"/account/tokens/{token.id}/revoke", data={"csrf": csrf}, headers=headers)
        assert gone.status_code == 403
    with open_session(site.engine, write=False) as session:
        assert len(people.list_tokens(session)) == 2
        assert people.log_in(session, "admin-ann", WORDS) is not None


def test_a_token_ends_no_token_that_may_do_more(site: Site) -> None:
    with open_session(site.engine) as session:
        admin = people.add_user(session, "admin-ann", WORDS, "admin", actor="local")
        broad, strong = people.make_token(session, admin, "ci", scope="admin", days=1, actor="admin-ann")
        narrow, weak = people.make_token(session, admin, "reader", scope="viewer", days=1, actor="admin-ann")
        ids = broad.id, narrow.id
    assert _ask(site, weak, "DELETE", f"/api/v1/tokens/{ids[0]}") == 403
    assert _ask(site, strong, "GET", "/api/v1/tables") == 200
    assert _ask(site, weak, "DELETE", f"/api/v1/tokens/{ids[1]}") == 204  # itself, as who finds that it leaked does
    assert _ask(site, weak, "GET", "/api/v1/tables") == 401


def test_who_guesses_a_password_where_it_is_changed_waits_and_is_logged(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    with open_session(site.engine) as session:
        people.add_user(session, "admin-ann", WORDS, "admin", actor="local")
    form = site.client.get("/login").text
    csrf = re.search(r'name="csrf" value="(\w+)"', form)[1]
    assert site.client.post("/login", data={"name": "admin-ann", "password": WORDS, "csrf": csrf}).status_code == 303

    def change(old: str) -> int:
        changed = {"old": old, "new": "another horse battery", "csrf": csrf}
        return site.client.post("/account/password", data=changed).status_code

    assert [change(f"a guess {number}") for number in range(11)] == [400] * 10 + [429]
    assert change(WORDS) == 429, "the right one among many waits as well"
    told = [one.getMessage() for one in caplog.records if one.name == "web.access.throttle"]
    assert len(told) == 10
    assert "changing a password failed: a wrong password for admin-ann from testclient, number 10" in told[-1]
    assert "a guess" not in " ".join(told)
    with open_session(site.engine, write=False) as session:
        assert [one.action for one in session.exec(select(AuditEvent)) if one.kind == "login"] == ["slow down"]
        assert people.log_in(session, "admin-ann", WORDS) is not None


def test_an_admin_finds_and_ends_the_tokens_of_others(site: Site, tokens: dict[str, str]) -> None:
    head = {"authorization": f"Bearer {tokens['admin']}"}
    with open_session(site.engine) as session:
        ann = people.get_user(session, "author-ann")
        ann_id = ann.id
        _, second = people.make_token(session, ann, "loader", scope="viewer", days=1, actor=ann.name)
    mine = site.client.get("/api/v1/tokens", headers={"authorization": f"Bearer {second}"}).json()
    assert {(one["user"], one["name"]) for one in mine} == {("author-ann", "test"), ("author-ann", "loader")}
    every = site.client.get("/api/v1/tokens", headers=head).json()
    assert len(every) == len(ROLES) + 1
    assert second not in str(every)
    csrf = {"csrf": re.search(r'name="csrf" value="(\w+)"', site.client.get("/people", headers=head).text)[1]}  # type: ignore[index]
    answer = site.client.post(f"/people/{ann_id}/password", data=csrf | {"password": WORDS * 2}, headers=head)
    told = site.client.get(answer.headers["location"], headers=head).text
    assert "Tokens stay: 2 of author-ann" in told
    assert _ask(site, second, "GET", "/api/v1/tables") == 200
    own = next(one["id"] for one in every if one["user"] == "author-ann" and one["name"] == "test")
    assert _ask(site, second, "DELETE", f"/api/v1/tokens/{own}") == 403  # found by somebody, it would stop the others
    viewers = next(one["id"] for one in every if one["user"] == "viewer-ann")
    assert _ask(site, second, "DELETE", f"/api/v1/tokens/{viewers}") == 404
    assert _ask(site, tokens["approver"], "POST", f"/tokens/{viewers}/revoke", data=csrf) == 404
    assert _ask(site, tokens["admin"], "DELETE", f"/api/v1/tokens/{viewers}") == 204
    assert _ask(site, tokens["viewer"], "GET", "/api/v1/tables") == 401
    approvers = next(one["id"] for one in every if one["user"] == "approver-ann")
    assert _ask(site, tokens["admin"], "POST", f"/tokens/{approvers}/revoke", data=csrf) == 303
    assert _ask(site, tokens["approver"], "GET", "/api/v1/tables") == 401


def test_the_demo_stays_open_and_says_so(shelf: Site) -> None:
    text = shelf.client.get("/").text
    assert "No accounts: open to everyone" in text
    assert shelf.client.get("/people").status_code == 200


def test_beyond_this_machine_somebody_must_log_in(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, host="0.0.0.0")  # noqa: S104
    with pytest.raises(SettingError):
        create_app(settings)
    opened = open_site(tmp_path, None)
    with open_session(opened.engine) as session:
        made = people.first_admin(session)
        assert made is not None
        assert people.first_admin(session) is None
        assert people.log_in(session, "admin", made[1]) is not None
    client = TestClient(create_app(settings), base_url="http://lake.example", follow_redirects=False)
    assert client.get("/").headers["location"].startswith("/login")
    opened.engine.dispose()


def test_nobody_can_change_the_audit_log(site: Site, tokens: dict[str, str]) -> None:
    for change in ("UPDATE audit_event SET actor = 'bob'", "DELETE FROM audit_event"):
        with pytest.raises(DatabaseError, match="only added to"), site.engine.begin() as connection:
            connection.exec_driver_sql(change)
    with open_session(site.engine, write=False) as session:
        assert session.exec(select(AuditEvent.actor).where(AuditEvent.kind == "user")).first() == "local"
        number = audit.count_events(session)
    page = site.client.get("/audit", headers={"authorization": f"Bearer {tokens['viewer']}"})
    assert page.status_code == 200
    assert "admin-ann" in page.text
    lines = site.client.get("/audit.csv", headers={"authorization": f"Bearer {tokens['viewer']}"}).text.splitlines()
    assert lines[0].startswith("id,at,actor,action")
    assert len(lines) == number + 1


def test_the_audit_log_is_shown_by_number_and_period(site: Site, tokens: dict[str, str]) -> None:
    headers = {"authorization": f"Bearer {tokens['admin']}"}
    with open_session(site.engine) as session:
        people.set_role(session, "viewer-ann", "runner", actor="admin-ann")
        event = session.exec(select(AuditEvent).where(AuditEvent.action == "role")).first()
        assert event is not None
        made = undo(session, event.id, by=everyone_here(), false_alarm_budget=1.0)
        first, second, today = event.id, made.id, event.at.date()
    page = site.client.get("/audit?kind=user", headers=headers).text
    assert f'<a href="#e{first}">{first}</a>' in page
    assert f'<a href="#e{second}">undone by {second}</a>' in page
    assert f'action="/audit/{first}/undo"' not in page
    assert f'id="e{first}"' in site.client.get(f"/audit?since={today}&until={today}&kind=user", headers=headers).text
    late = today + timedelta(days=1)
    assert "No entry matches" in site.client.get(f"/audit?since={late}", headers=headers).text
    assert "No entry matches" in site.client.get("/audit?until=2020-01-01", headers=headers).text
    assert len(site.client.get(f"/audit.csv?since={late}", headers=headers).text.splitlines()) == 1
    wrong = site.client.get("/audit?since=yesterday", headers=headers)
    assert (wrong.status_code, "write it like 2026-03-31" in wrong.text) == (400, True)


def test_undo_is_offered_to_those_who_may_and_where_it_works(site: Site, tokens: dict[str, str]) -> None:
    with open_session(site.engine) as session:
        owners.set_owner(session, "source", 1, "author-ann", actor="author-ann")
        people.set_role(session, "viewer-ann", "runner", actor="admin-ann")
        people.set_role(session, "viewer-ann", "author", actor="admin-ann")
        approvals.require(session, True, actor="admin-ann")
        setting, later, earlier, owned = (event.id for event in audit.find_events(session, limit=4))

    def offered(role: str) -> set[int]:
        page = site.client.get("/audit", headers={"authorization": f"Bearer {tokens[role]}"}).text
        return {int(number) for number in re.findall(r'action="/audit/(\d+)/undo"', page)}

    shown = {setting, later, earlier, owned}
    assert offered("viewer") & shown == set()
    assert offered("author") & shown == offered("approver") & shown == {owned}
    assert offered("admin") & shown == {setting, later, owned}  # the later role stands in the way of the earlier one
    undo_it = f"/api/v1/audit/{owned}/undo"
    assert [_ask(site, tokens[role], "POST", undo_it, json={}) for role in ("viewer", "author")] == [403, 200]
    assert _ask(site, tokens["approver"], "POST", f"/api/v1/audit/{later}/undo", json={}) == 403
    assert offered("author") & shown == set()


def test_secret_values_are_not_made_others_by_who_may_not_see_them(site: Site, tokens: dict[str, str]) -> None:
    with open_session(site.engine) as session:
        column = site.ids["email"]
        tags.put_table_tags(session, {column: [TagProposal("password", "Password", 0.9, 1.0, True)]}, 1)
        tag = session.exec(select(Tag.id).where(Tag.column_id == column, Tag.domain == "password")).one()
    lower, reject = {"level": "public", "reason": "mistake"}, {"status": "rejected", "reason": "mistake"}
    asked = (("PUT", f"/api/v1/columns/{column}/level", lower), ("POST", f"/api/v1/tags/{tag}", reject))
    for method, path, body in asked:
        assert _ask(site, tokens["approver"], method, path, json=body) == 403
    for method, path, body in reversed(asked):
        assert _ask(site, tokens["admin"], method, path, json=body) == 200
