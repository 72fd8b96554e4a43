"""Who may ask: nothing without the token where one is set, nothing from elsewhere where none is."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from datetime import timedelta

import httpx
import pytest
from markup import read
from sites import TOKEN, open_site
from sqlmodel import select

from catalog.errors import SettingError
from catalog.settings import Settings
from catalog.store.access import people
from catalog.store.access.sessions import LASTS, close_web_sessions, find_web_session, open_web_session
from catalog.store.engine import session
from catalog.store.models import WebSession, now
from web.access.auth import HEADERS, MOST_BYTES, SESSION_COOKIE, Keys
from web.access.throttle import Throttle
from web.app import PAGES, create_app

BEARER = {"authorization": f"Bearer {TOKEN}"}


def form_token(client, path="/sources"):
    """The hidden field of the forms on a page; the client keeps the cookie it belongs to."""
    return next(form["csrf"] for form in read(client.get(path).text).forms if "csrf" in form)


def log_in(client, token=TOKEN):
    return client.post("/login", data={"token": token, "next": "/tables?q=a", "csrf": form_token(client, "/login")})


def every_get(app):
    """All paths that answer GET but those of logging in, with 1 for every parameter."""
    paths = set(app.openapi()["paths"])
    for module in PAGES:
        paths |= {route.path for route in module.router.routes if "GET" in route.methods}
    for name in ("table_id", "column_id", "rule_id", "incident_id", "run_id", "tag_id", "source_id", "version"):
        paths = {path.replace("{" + name + "}", "1") for path in paths}
    paths = {path for path in paths if not path.startswith("/login")}
    return sorted(path.replace("{domain:path}", "email") for path in paths)


def test_every_route_wants_the_token(guarded_site):
    paths = every_get(guarded_site.app)
    assert len(paths) >= 38
    for path in [*paths, "/nowhere", "/api/v1/openapi.json", "/api/v1/nowhere"]:
        answer = guarded_site.client.get(path)
        if path.startswith(("/api/", "/metrics")):
            assert answer.status_code == 401, path
            assert answer.headers["www-authenticate"] == "Bearer"
            assert set(answer.json()["error"]) == {"kind", "cause", "remedy"}
        else:
            assert answer.status_code == 303, path
            assert answer.headers["location"].startswith("/login?next=")


def test_the_token_opens_every_door(guarded_site):
    client = guarded_site.client
    assert client.get("/api/v1/tables", headers=BEARER).status_code == 200
    assert client.get("/tables", headers=BEARER).status_code == 200
    for wrong in ("Bearer wrong", f"Basic {TOKEN}"):
        assert client.get("/api/v1/tables", headers={"authorization": wrong}).status_code == 401


def test_login_form_gives_a_cookie(guarded_site):
    client = guarded_site.client
    refused = log_in(client, "wrong")
    assert (refused.status_code, "not the access token" in refused.text) == (401, True)
    answer = log_in(client)
    assert (answer.status_code, answer.headers["location"]) == (303, "/tables?q=a")
    cookie = next(c for c in answer.headers.get_list("set-cookie") if c.startswith(SESSION_COOKIE))
    assert all(one in cookie for one in ("HttpOnly", "SameSite=lax"))
    assert TOKEN not in cookie
    assert client.get("/").status_code == 200
    out = client.post("/logout", data={"csrf": form_token(client)})
    assert out.status_code == 303
    assert client.get("/").status_code == 303


def test_a_copied_cookie_ends_with_its_session(guarded_site):
    client = guarded_site.client
    log_in(client)
    copied = client.cookies[SESSION_COOKIE]
    log_in(client)  # another browser's
    client.post("/logout", data={"csrf": form_token(client)})
    client.cookies.clear()
    client.cookies.set(SESSION_COOKIE, copied)
    assert client.get("/").status_code == 200  # only the one that logged out is gone
    client.post("/logout", data={"csrf": form_token(client)})
    client.cookies.clear()
    client.cookies.set(SESSION_COOKIE, copied)
    assert client.get("/").status_code == 303
    assert client.get("/api/v1/tables").status_code == 401


def test_sessions_are_kept_and_end(guarded_site):
    key, moment = guarded_site.app.state.keys.key, now()
    with session(guarded_site.engine) as db:
        secret = open_web_session(db, key, at=moment, user_id=7)
        assert find_web_session(db, secret, key, at=moment + LASTS - timedelta(seconds=1)).user_id == 7
        assert find_web_session(db, secret, key, at=moment + LASTS) is None
        assert find_web_session(db, secret, Keys("another").key) is None  # the token was changed
        assert find_web_session(db, "", key) is None
        assert find_web_session(db, "é\ud800", key) is None
        assert secret not in str([one.model_dump() for one in db.exec(select(WebSession))])
        open_web_session(db, key, at=moment + 2 * LASTS)
        assert len(db.exec(select(WebSession)).all()) == 1  # what is over is not kept
        close_web_sessions(db, key=key)
        assert db.exec(select(WebSession)).all() == []


def test_wrong_bearer_tokens_are_slowed_down(guarded_site):
    wrong = {"authorization": "Bearer wrong"}
    codes = [guarded_site.client.get("/api/v1/tables", headers=wrong).status_code for _ in range(12)]
    assert codes == [401] * 10 + [429] * 2
    assert guarded_site.client.get("/api/v1/tables", headers=BEARER).status_code == 429  # short: it could be guessed
    assert log_in(guarded_site.client).status_code == 303  # a program whose token is over keeps no person out


def test_wrong_tries_at_an_address_keep_no_right_token_out(tmp_path, filled, caplog):
    own = "5f0c" * 8
    site = open_site(tmp_path, filled, access_token=own)
    with session(site.engine) as db:
        ann = people.add_user(db, "ann", "correct horse battery", "admin", actor="local")
        _, anns = people.make_token(db, ann, "job", scope="viewer", days=1, actor="ann")

    def ask(token):
        return site.client.get("/api/v1/tables", headers={"authorization": f"Bearer {token}"}).status_code

    assert [ask("expired") for _ in range(11)] == [401] * 10 + [429]
    wrong = {"name": "ann", "password": "a guess of mine", "csrf": form_token(site.client, "/login")}
    assert [site.client.post("/login", data=wrong).status_code for _ in range(11)] == [401] * 10 + [429]
    assert [ask(own), ask(anns), ask("expired")] == [200, 200, 429]
    told = [one.getMessage() for one in caplog.records if one.name == "web.access.throttle"]
    assert len(told) == 20
    assert "a wrong token from testclient, number 1" in told
    assert "login failed: a wrong password for ann from testclient, number 10; more from there wait" in told[-1]
    assert "a guess" not in " ".join(told)
    page = site.client.get("/audit?kind=login", headers={"authorization": f"Bearer {anns}"}).text
    assert "testclient" in page
    assert page.count("slow down") == 1


@pytest.mark.parametrize("command", [["web"], ["catalog.cli", "web"]])
@pytest.mark.parametrize(("proxies", "last"), [("", 429), ("127.0.0.1", 401)])
def test_what_a_client_says_of_its_address_counts_only_behind_a_known_proxy(tmp_path, command, proxies, last):
    given = {"ASSAY_HOME": tmp_path, "ASSAY_PORT": 0, "ASSAY_ACCESS_TOKEN": TOKEN, "ASSAY_TRUSTED_PROXIES": proxies}
    with (
        served({name: str(value) for name, value in given.items()}, command) as address,
        httpx.Client(base_url=address) as client,
    ):
        codes = [
            client.get("/api/v1/tables", headers={"authorization": "Bearer no", "x-forwarded-for": f"198.51.100.{i}"})
            for i in range(12)
        ]
    assert codes[-1].status_code == last


def test_a_service_told_to_stop_waits_for_nobody_who_sends_nothing(tmp_path):
    given = {"ASSAY_HOME": str(tmp_path), "ASSAY_PORT": "0"}
    with served(given, ["catalog.cli", "web"]) as address:
        door = socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])))
        door.sendall(b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99\r\n\r\n")
        time.sleep(0.5)
        before = time.monotonic()
    assert time.monotonic() - before < 60, "it waited for the body of that request"
    door.close()


def test_a_body_that_never_comes_is_waited_for_so_long(guarded_site, monkeypatch):
    monkeypatch.setattr("web.access.auth.PATIENCE", 0.05)
    said = []

    async def receive():
        await asyncio.sleep(30)

    async def send(message):
        said.append(message)

    headers = [(b"authorization", f"Bearer {TOKEN}".encode()), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/api/v1/sources", "headers": headers, "query_string": b""}
    asyncio.run(guarded_site.app({**scope, "scheme": "http", "client": ("127.0.0.1", 9)}, receive, send))
    assert said[0]["status"] == 408
    assert b"too_slow" in said[1]["body"]


def test_a_body_that_is_no_json_says_what_is(guarded_site):
    for body in (b"[" * 100_000, b"9" * 5_000 + b".", b"{", b"\xff"):
        answer = guarded_site.client.post(
            "/api/v1/sources", content=body, headers={**BEARER, "content-type": "application/json"}
        )
        assert answer.status_code in (400, 422)
        assert answer.json()["error"]["remedy"], body[:10]


@contextmanager
def served(environment, command=("web",)):
    """The page as a process of its own: its address."""
    asked = [sys.executable, "-m", *command]
    with subprocess.Popen(asked, env={**os.environ, **environment}, stderr=subprocess.PIPE, text=True) as process:
        try:
            for line in process.stderr:
                if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                    break
            else:
                pytest.fail("the page did not start")
            yield found[0]
        finally:
            process.terminate()


def test_a_body_is_read_no_further_than_its_limit(guarded_site):
    """Nobody said how long it is, and it never ends."""
    read, said = 0, []

    async def receive():
        nonlocal read
        read += 2**16
        return {"type": "http.request", "body": b" " * 2**16, "more_body": True}

    async def send(message):
        said.append(message)

    headers = [(b"authorization", f"Bearer {TOKEN}".encode()), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/api/v1/sources", "headers": headers, "query_string": b""}
    asyncio.run(guarded_site.app({**scope, "scheme": "http", "client": ("127.0.0.1", 9)}, receive, send))
    assert said[0]["status"] == 413
    assert read < 2 * MOST_BYTES


def test_what_says_that_it_is_too_long_is_not_read(guarded_site):
    headers = {**BEARER, "content-type": "application/json", "content-length": str(10**9)}
    answer = guarded_site.client.post("/api/v1/sources", content=b"{}", headers=headers)
    assert (answer.status_code, answer.json()["error"]["kind"]) == (413, "too_large")
    assert guarded_site.client.post("/login", data={"token": "x" * 2**21}).status_code == 413


@pytest.mark.parametrize(
    ("values", "code"),
    [({"host": "127.0.0.1"}, 200), ({"host": "127.0.0.1", "trusted_proxies": "10.0.0.1"}, 401),
     ({"host": "0.0.0.0"}, 401),  # noqa: S104
     ({"host": "0.0.0.0", "open_probes": True}, 200)],  # noqa: S104 - nothing is bound
)  # fmt: skip
def test_probes_are_answered_where_settings_say_so(tmp_path, filled, values, code):
    opened = open_site(tmp_path, filled, access_token=TOKEN, **values)
    assert [opened.client.get(path).status_code for path in ("/metrics", "/api/v1/health")] == [code] * 2
    assert opened.client.get("/api/v1/tables").status_code == 401
    opened.engine.dispose()


def test_head_answers_as_get_without_a_body(site):
    for path in ("/", "/tables", "/api/v1/tables", "/metrics", "/static/app.css"):
        got, asked = site.client.get(path), site.client.head(path)
        assert (asked.status_code, asked.content) == (200, b""), path
        assert asked.headers["content-type"] == got.headers["content-type"]
    assert site.client.head("/nowhere").status_code == 404


def test_wrong_tokens_are_slowed_down(guarded_site):
    codes = [log_in(guarded_site.client, "wrong").status_code for _ in range(12)]
    assert codes[:10] == [401] * 10
    assert codes[10:] == [429] * 2
    assert log_in(guarded_site.client).status_code == 429
    throttle = Throttle(limit=2, seconds=10)
    throttle.note("a", 0.0)
    throttle.note("a", 1.0)
    assert throttle.blocked("a", 2.0)
    assert not throttle.blocked("b", 2.0)
    assert not throttle.blocked("a", 10.5)


def test_errors_before_the_login_show_no_menu(guarded_site):
    refused = guarded_site.client.post("/login", data={"token": "x"}, headers={"origin": "https://elsewhere.example"})
    assert refused.status_code in (400, 403)
    assert 'id="nav"' not in refused.text


def test_login_leads_nowhere_else(guarded_site):
    client = guarded_site.client
    for target in ("//evil.example/", "https://evil.example", "/\\evil.example", "javascript:alert(1)"):
        page = read(client.get("/login", params={"next": target}).text)
        assert page.faults == []
        answer = client.post("/login", data={"token": TOKEN, "next": target, "csrf": form_token(client, "/login")})
        assert answer.headers["location"] == "/"


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "assay.example"])  # noqa: S104 - refused
def test_no_token_no_other_machines(tmp_path, host):
    with pytest.raises(SettingError, match="without an access token"):
        create_app(Settings(home=tmp_path, host=host))


def test_without_a_token_only_local_names_are_answered(site):
    """A name that somebody rebinds to this machine is no way in."""
    for host, code in (
        ("localhost:8420", 200),
        ("127.0.0.1", 200),
        ("[::1]:8420", 200),
        ("evil.example", 403),
        ("", 403),
    ):
        assert site.client.get("/api/v1/sources", headers={"host": host}).status_code == code, host
    refused = site.client.get("/", headers={"host": "evil.example"})
    assert read(refused.text).faults == []


def test_other_sites_cannot_write(site):
    body = {"name": "x", "uri": "/data/x", "untested": True}
    for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}, {"origin": "null"}):
        assert site.client.post("/api/v1/sources", json=body, headers=headers).status_code == 403
    assert site.client.get("/tables", headers={"sec-fetch-site": "cross-site"}).status_code == 200
    own = {"origin": "http://127.0.0.1:8420", "sec-fetch-site": "same-origin"}
    assert site.client.post("/api/v1/sources", json=body, headers=own).status_code == 201
    plain = site.client.post(
        "/api/v1/sources", content='{"name": "y", "uri": "/y"}', headers={"content-type": "text/plain"}
    )
    assert plain.status_code == 422


def test_forms_need_the_token_of_this_browser(site):
    rule = site.ids["rule"]
    path, data = f"/rules/{rule}", {"status": "paused", "back": f"/rules/{rule}"}
    assert site.client.post(path, data=data).status_code == 403
    good = form_token(site.client)
    assert site.client.post(path, data={**data, "csrf": "0" * 64}).status_code == 403
    other = open_site(site.settings.home / "other", None)
    assert other.client.post("/theme", data={"theme": "dark", "csrf": good}).status_code == 403
    answer = site.client.post(path, data={**data, "csrf": good})
    assert (answer.status_code, answer.headers["location"]) == (303, f"/rules/{rule}")
    assert site.client.get(f"/api/v1/rules/{rule}").json()["status"] == "paused"


def test_every_answer_carries_the_headers(site, guarded_site):
    for client, path in (
        (site.client, "/"),
        (site.client, "/nowhere"),
        (site.client, "/api/v1/tables"),
        (guarded_site.client, "/"),
    ):
        answer = client.get(path)
        for name, value in HEADERS.items():
            assert answer.headers[name] == value, (path, name)
        assert answer.headers["cache-control"] == "no-store"
    policy = HEADERS["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    style = read(site.client.get("/").text)
    assert "style" not in style.tags


def test_theme_is_kept_without_a_script(site):
    answer = site.client.post("/theme", data={"theme": "dark", "back": "/tables", "csrf": form_token(site.client)})
    assert answer.headers["location"] == "/tables"
    assert 'data-theme="dark"' in site.client.get("/").text


def test_theme_is_chosen_before_logging_in(guarded_site):
    client = guarded_site.client
    answer = client.post("/theme", data={"theme": "dark", "back": "/login", "csrf": form_token(client, "/login")})
    assert answer.headers["location"] == "/login"
    assert 'data-theme="dark"' in client.get("/login").text


def test_a_bug_answers_in_the_one_shape(site, monkeypatch):
    """The queue is broken in a way nobody foresaw: no traceback reaches the reader, the headers are there."""
    site.app.state.queue = None
    answer = site.client.get("/api/v1/health")
    assert answer.status_code == 500
    assert answer.json()["error"]["kind"] == "internal"
    assert answer.headers["content-security-policy"]
    assert "Traceback" not in site.client.get("/").text


def test_a_network_of_addresses_has_no_more_tries_than_one() -> None:
    throttle = Throttle(limit=3, seconds=60)
    for number in range(3):
        throttle.note(f"2001:db8:1:2::{number:x}", 100.0)
    assert throttle.blocked("2001:db8:1:2:aaaa::1", 101.0)
    assert not throttle.blocked("2001:db8:1:3::1", 101.0)
    for number in range(3):
        throttle.note("::ffff:192.0.2.7", 100.0 + number)
    assert throttle.blocked("192.0.2.7", 103.0)
    for number in range(9_990):  # a flood of addresses makes nobody be forgotten who was wrong a moment ago
        throttle.note(f"10.{number // 256 % 256}.{number % 256}.1", 103.0)
    assert throttle.blocked("192.0.2.7", 104.0)
    assert not throttle.blocked("192.0.2.7", 200.0)
    for number in range(50_000):
        throttle.note(f"10.{number // 65536}.{number // 256 % 256}.{number % 256}", 200.0)
    assert len(throttle._wrong) <= 10_000
