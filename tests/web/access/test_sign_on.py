"""Logging in at a real identity provider: who comes in, with which role, and what is not believed."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest
from sites import open_site

sys.path.insert(0, str(Path(__file__).parent))
from fastapi.testclient import TestClient
from provider import SECRET, Provider, provider
from sqlmodel import select

from catalog.errors import SettingError
from catalog.settings import Settings
from catalog.store.access import audit, people
from catalog.store.engine import session as open_session
from catalog.store.models import WebSession
from catalog.vault import Vault
from web.access.oidc import COOKIE
from web.app import create_app

HERE = "https://assay.example"
BACK = f"{HERE}/login/provider/back"


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Provider]:
    with provider(tmp_path_factory.mktemp("id") / "provider") as one:
        one.add_client("assay", BACK)
        for name, groups in (("ann", ["stewards", "all"]), ("bob", ["all"]), ("eve", ["strangers"]), ("vic", ["all"])):
            one.add_person(name, groups)
        yield one


@pytest.fixture
def client(at: Provider, tmp_path: Path) -> Iterator[TestClient]:
    """The page of a catalog whose people log in at the provider; nobody has an account yet."""
    site = open_site(
        tmp_path, None, host="0.0.0.0", public_url=HERE, oidc_issuer=at.issuer, oidc_client_id="assay",  # noqa: S104
        oidc_client_secret=SECRET, oidc_scopes="openid", oidc_roles={"stewards": "approver", "all": "viewer"},
    )  # fmt: skip
    with TestClient(site.app, base_url=HERE, follow_redirects=False) as client:
        yield client
    site.engine.dispose()


def leave(client: TestClient, next_path: str = "/tags") -> str:
    client.cookies.clear()
    answer = client.get("/login/provider", params={"next": next_path})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def log_in(client: TestClient, at: Provider, name: str, next_path: str = "/tags") -> httpx.Response:
    return client.get(at.log_in(name, leave(client, next_path), "assay"))


def test_people_come_in_with_the_role_of_their_groups(client: TestClient, at: Provider) -> None:
    assert client.get("/tags").headers["location"].startswith("/login")
    assert client.get("/api/v1/tags").status_code == 401
    form = client.get("/login?next=/tags").text
    assert 'href="/login/provider?next=/tags"' in form
    assert 'name="password"' not in form, "nobody has a password here"
    back = log_in(client, at, "ann")
    assert (back.status_code, back.headers["location"]) == (303, "/tags")
    assert "Secure" in back.headers["set-cookie"]
    assert ">ann" in client.get("/").text
    account = client.get("/account").text
    assert ("Change the password" in account, "You log in at the identity provider" in account) == (False, True)
    engine = client.app.state.engine  # type: ignore[attr-defined]
    with open_session(engine, write=False) as session:
        user = people.get_user(session, "ann")
        (event,) = audit.find_events(session)
        assert people.log_in(session, "ann", "") is None
    assert (user.role, user.password, user.subject.startswith(at.issuer + " ")) == ("approver", "", True)
    assert (event.actor, event.action, event.item, event.after) == (
        "identity-provider", "add", "ann", {"role": "approver"},
    )  # fmt: skip
    at.set_groups("ann", ["all"])
    try:
        assert log_in(client, at, "ann").status_code == 303
    finally:
        at.set_groups("ann", ["stewards", "all"])
    with open_session(engine, write=False) as session:
        assert people.get_user(session, "ann").role == "viewer", "what the groups say now"
        assert [one.action for one in audit.find_events(session)] == ["role", "add"]
    assert client.get("/people").status_code == 403


def test_who_may_not_come_in_does_not(client: TestClient, at: Provider) -> None:
    answer = log_in(client, at, "eve")
    assert (answer.status_code, "eve is in no group that may come in" in answer.text) == (403, True)
    assert log_in(client, at, "bob", "//evil.example/").headers["location"] == "/"
    engine = client.app.state.engine  # type: ignore[attr-defined]
    with open_session(engine) as session:
        assert [one.name for one in people.list_users(session)] == ["bob"]
        people.set_active(session, "bob", False, actor="root")
        people.add_user(session, "vic", "correct horse battery", "admin", actor="root")
    assert client.get("/tags").status_code == 303, "who is locked out is so at once"
    answer = log_in(client, at, "bob")
    assert (answer.status_code, "locked out" in answer.text) == (403, True)
    answer = log_in(client, at, "vic")
    assert (answer.status_code, "has an account of another login" in answer.text) == (400, True)


def test_who_left_the_groups_is_out_everywhere(client: TestClient, at: Provider) -> None:
    """At the next login at the latest, which comes within hours: sessions in other browsers and tokens end with it."""
    back = log_in(client, at, "ann")
    assert "Max-Age=28800" in back.headers["set-cookie"]
    other_browser = dict(client.cookies)
    engine = client.app.state.engine  # type: ignore[attr-defined]
    with open_session(engine) as session:
        (lasts,) = (one.expires_at - one.opened_at for one in session.exec(select(WebSession)))
        assert lasts == timedelta(hours=8)
        ann = people.get_user(session, "ann")
        _, secret = people.make_token(session, ann, "nightly", scope="viewer", days=30, actor="ann")
    bearer = {"authorization": f"Bearer {secret}"}
    client.cookies.clear()
    assert client.get("/api/v1/tags", headers=bearer).status_code == 200
    at.set_groups("ann", ["strangers"])
    try:
        assert log_in(client, at, "ann").status_code == 403
    finally:
        at.set_groups("ann", ["stewards", "all"])
    client.cookies.clear()
    assert client.get("/api/v1/tags", headers=bearer).status_code == 401
    client.cookies.update(other_browser)
    assert client.get("/tags").headers["location"].startswith("/login")
    with open_session(engine, write=False) as session:
        event = audit.find_events(session)[0]
        assert (event.actor, event.action, event.item) == ("identity-provider", "turn-away", "ann")
    assert log_in(client, at, "ann").status_code == 303, "who comes back to the groups may come in again"


def test_logging_out_and_sessions_that_are_over_are_told(client: TestClient, at: Provider) -> None:
    assert log_in(client, at, "ann").status_code == 303
    form = re.search(r'name="csrf" value="([^"]+)"', client.get("/account").text)
    assert form is not None
    answer = client.post("/logout", data={"csrf": form[1]})
    assert answer.headers["location"] == "/login?out=1"
    told = client.get("/login?out=1").text
    assert ("You are logged out" in told, "may still know you" in told) == (True, True)
    assert ('name="password"' in told, "Your session is over" in told) == (False, False), "all log in at the provider"
    told = client.get("/login?out=1").text
    assert "log out there too" not in told, "this provider tells no address for it"
    client.app.state.provider._metadata["end_session_endpoint"] = f"{at.issuer}/end"  # type: ignore[attr-defined]
    assert f'href="{at.issuer}/end?client_id=assay"' in client.get("/login?out=1").text
    assert log_in(client, at, "ann").status_code == 303
    with open_session(client.app.state.engine) as session:  # type: ignore[attr-defined]
        for one in session.exec(select(WebSession)):
            one.expires_at -= timedelta(days=1)
    sent = client.post("/theme/none", headers={"referer": f"{HERE}/tables/3?tab=1"})
    assert sent.headers["location"] == "/login?next=%2Ftables%2F3%3Ftab%3D1", "back to the form that was filled in"
    assert client.post("/none", headers={"referer": "https://evil.example/x"}).headers["location"] == "/login?next=%2F"
    assert "Your session is over" in client.get("/login?next=/tables/3").text


def test_who_is_in_no_group_is_told_which_groups_were_named(client: TestClient, at: Provider) -> None:
    for _ in range(12):  # the provider knows this person: it is not guessing, and locks nobody else out
        answer = log_in(client, at, "eve")
        assert answer.status_code == 403
    assert "strangers" in answer.text
    assert log_in(client, at, "ann").status_code == 303


def test_tokens_of_who_never_comes_back_rest(client: TestClient, at: Provider) -> None:
    log_in(client, at, "ann")
    engine = client.app.state.engine  # type: ignore[attr-defined]
    with open_session(engine) as session:
        ann = people.get_user(session, "ann")
        _, secret = people.make_token(session, ann, "nightly", scope="viewer", days=200, actor="ann")
    bearer = {"authorization": f"Bearer {secret}"}
    client.cookies.clear()
    assert client.get("/api/v1/tags", headers=bearer).status_code == 200
    with open_session(engine) as session:
        ann = people.get_user(session, "ann")
        assert ann.let_in_at is not None
        ann.let_in_at -= timedelta(days=31)
    assert client.get("/api/v1/tags", headers=bearer).status_code == 401
    log_in(client, at, "ann")
    client.cookies.clear()
    assert client.get("/api/v1/tags", headers=bearer).status_code == 200, "who is let in again wakes them"
    with open_session(engine) as session:  # an account with a password asks no provider
        people.add_user(session, "root", "correct horse battery", "admin", actor="ann")
        _, own = people.make_token(
            session, people.get_user(session, "root"), "job", scope="viewer", days=200, actor="root"
        )
        later = people.get_user(session, "root").created_at + timedelta(days=100)
        assert people.by_token(session, own, at=later) is not None


def test_what_is_not_of_this_login_is_not_believed(client: TestClient, at: Provider) -> None:
    vault = Vault(client.app.state.settings)  # type: ignore[attr-defined]

    def refused(where: str, why: str) -> None:
        answer = client.get(where)
        assert (answer.status_code, why in answer.text) == (403, True), answer.text
        assert "assay_session" not in answer.headers.get("set-cookie", "")

    def change(**told: object) -> None:
        kept = json.loads(vault.open(client.cookies[COOKIE]))
        client.cookies.clear()
        client.cookies.set(COOKIE, vault.seal(json.dumps({**kept, **told})))

    first = at.log_in("ann", leave(client), "assay")
    second = at.log_in("ann", leave(client), "assay")
    refused(first, "not the login that was begun")
    code = dict(parse_qsl(urlsplit(second).query))["code"]
    change(nonce="of another login")
    refused(second, "cannot be believed")
    third = at.log_in("ann", leave(client), "assay")
    change(at=0)
    refused(third, "took too long")
    fourth = at.log_in("ann", leave(client), "assay")
    change(verifier="x" * 64)
    refused(fourth, "cannot be believed")
    state = dict(parse_qsl(urlsplit(leave(client)).query))["state"]
    refused(f"{BACK}?state={state}&code={code}", "cannot be believed")  # a code twice
    refused(f"{BACK}?state={state}&error=access_denied", "access_denied")
    client.cookies.clear()
    refused(second, "not begun in this browser")
    client.cookies.set(COOKIE, "gAAAA")
    refused(second, "not begun in this browser")
    answers = [client.get(second).status_code for _ in range(6)]
    assert answers[-1] == 429, "too many that fail"


def test_a_token_for_somebody_else_is_not_believed(client: TestClient, at: Provider, tmp_path: Path) -> None:
    """Tokens of another client of the same provider, and of another provider."""
    at.add_client("other", BACK)
    ours = client.app.state.provider  # type: ignore[attr-defined]
    where = leave(client).replace("client_id=assay", "client_id=other")
    back = at.log_in("ann", where, "other")
    real = ours._session
    try:
        ours._session = lambda back: _as(real(back), "other")
        answer = client.get(back)
    finally:
        del ours._session
    assert (answer.status_code, "cannot be believed" in answer.text) == (403, True), answer.text
    assert "aud" in answer.text
    with provider(tmp_path / "rival") as rival:
        rival.add_client("assay", BACK)
        rival.add_person("ann", ["stewards"])
        where = leave(client)
        back = rival.log_in("ann", where.replace(at.url, rival.url), "assay")
        answer = client.get(back)
        assert answer.status_code == 403, "the provider knows no such code"
        where = leave(client)
        back = rival.log_in("ann", where.replace(at.url, rival.url), "assay")
        ours._metadata = {**ours._metadata, "token_endpoint": f"{rival.issuer}/token"}
        answer = client.get(back)
        assert (answer.status_code, "cannot be believed" in answer.text) == (403, True), "it is signed by another key"
    ours._metadata = {}


def _as(session: object, client_id: str) -> object:
    session.client_id = client_id  # type: ignore[attr-defined]
    return session


def test_a_provider_that_is_away_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    site = open_site(tmp_path, None, oidc_issuer="http://127.0.0.1:1", oidc_client_id="assay")
    assert site.client.get("/tags").headers["location"].startswith("/login"), "closed all the same"
    answer = site.client.get("/login/provider")
    assert (answer.status_code, "identity provider does not answer" in answer.text) == (502, True)
    assert "ASSAY_OIDC_ISSUER" in answer.text
    site.engine.dispose()
    for wrong in ({"oidc_roles": {"all": "king"}}, {"oidc_issuer": "http://id.example"}):
        with pytest.raises(SettingError):
            create_app(Settings(home=tmp_path, **wrong))
    plain = open_site(tmp_path / "plain", None)
    assert plain.client.get("/login/provider").status_code == 404
    plain.engine.dispose()
