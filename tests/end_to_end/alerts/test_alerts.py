"""Alerts by real servers: each incident is told once, whatever runs twice or is away, and nothing else is reached."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from broken_table import break_rule, table_of
from receivers import Mailbox, Receiver, mailbox, receiver
from singly import put_tags
from sqlmodel import select

from catalog.alerts import address
from catalog.errors import UsageError
from catalog.flow.alerting import deliver
from catalog.flow.context import Context
from catalog.settings import Settings
from catalog.store.access import owners
from catalog.store.alerts import deliveries, routes
from catalog.store.incidents import outcomes
from catalog.store.lake import sources, tables
from catalog.store.models import AlertDelivery, AlertRoute, AuditEvent, now
from catalog.store.schemas.alerts import DeliveryOut
from catalog.tags.proposal import TagProposal
from catalog.vault import Vault


@pytest.fixture
def context(home: Path) -> Iterator[Context]:
    """A catalog of its own, from which alerts may go to this machine's first address and no other of its network."""
    opened = Context(Settings(home=home, alert_networks="127.0.0.1", public_url="https://assay.example/"))
    yield opened
    opened.close()


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Receiver]:
    with receiver(tmp_path / "web") as one:
        yield one


@pytest.fixture
def post_office() -> Iterator[Mailbox]:
    with mailbox() as box:
        yield box


def add(context: Context, name: str, to: str, **more: object) -> None:
    usable = address.usable(to)
    with context.transaction() as session:
        sealed = Vault(context.settings).seal(usable)
        routes.add_route(session, name, sealed, address.shown(usable), actor="ann", **more)  # type: ignore[arg-type]


def test_an_incident_is_told_once_by_mail_and_webhook(context: Context, web: Receiver, post_office: Mailbox) -> None:
    add(context, "hook", f"http://{web.place}/hook/s3cretpath")
    add(context, "chat", f"mmost://{web.place}/0123456789abcdef01234567")
    add(context, "mail", f"mailto://127.0.0.1:{post_office.port}?from=assay@a.io&to=ann@b.io")
    with context.transaction() as session:
        table = table_of(session, "orders")
        owners.set_owner(session, "table", table, "sales", actor="ann")
        incident = break_rule(session, table, 7)
    first = deliver(context)
    assert (first.planned, first.delivered, first.undelivered) == (3, 3, 0)
    with context.transaction() as session:
        break_rule(session, table, 8)  # the same incident goes on
    assert deliver(context).delivered == 0
    hook, chat = sorted(web.got(), key=lambda one: one["path"])
    told = json.loads(hook["body"])
    assert told["title"] == "Assay error, shop/orders: amount is 100 times too large."
    link = f"https://assay.example/incidents/{incident.id}"
    assert told["message"].splitlines() == [
        "amount is 100 times too large.",
        "",
        "Table: shop/orders",
        "Size: 27% of the values do not conform, expected at most 1%",
        "First bad version: 7",
        "Owner: sales",
        link,
    ]
    assert (told["event"], told["incident"], told["link"]) == ("opened", incident.id, link)
    assert hook["headers"]["X-Assay-Delivery"].isdecimal()
    assert "100 times too large" in chat["body"]
    with context.reading() as session:
        kept = [DeliveryOut.made(one) for one in deliveries.find_deliveries(session).items]
    assert [one.next_at for one in kept] == [None] * 3, "they are not sent again"
    [mail] = post_office.mails
    assert mail["To"] == "ann@b.io"
    assert "100 times too large" in mail["Subject"]
    assert link in mail.get_body().get_content()  # type: ignore[union-attr]


def test_what_is_not_taken_is_tried_again_and_told_once(context: Context, web: Receiver, tmp_path: Path) -> None:
    add(context, "hook", f"http://{web.place}/flaky/s3cretpath")
    web.answer(503)
    with context.transaction() as session:
        for name in ("shop", "empty"):
            (tmp_path / name).mkdir()
            sources.add_source(session, name, str(tmp_path / name))
        table = table_of(session, "orders")
        break_rule(session, table, 7)
    assert deliver(context).undelivered == 1
    assert deliver(context).undelivered == 1  # its time has not come
    assert len(web.got()) == 1
    with context.reading() as session:
        [row] = session.exec(select(AlertDelivery)).all()
    assert (row.status, row.attempts) == ("pending", 1)
    assert "503" in (row.error or "")
    assert "s3cretpath" not in (row.error or "")
    assert timedelta(seconds=20) < row.next_at - now() <= timedelta(seconds=30)
    done = _assay(context, "alert", "send")
    assert (done.returncode, "1 alert not taken" in done.stdout) == (4, True)
    assert f"tried again at {row.next_at:%H:%M:%S} UTC" in done.stdout
    assert _assay(context, "crawl", "empty").returncode == 0, "a job about a source fails for its own alerts"
    crawled = _assay(context, "crawl", "shop")
    assert (crawled.returncode, "1 alert not taken" in crawled.stderr) == (4, True), "who reads only exit codes is told"
    web.answer(200)
    done = _assay(context, "alert", "send", "--again", "--json")
    assert (done.returncode, json.loads(done.stdout)["delivered"]) == (0, 1)
    assert deliver(context) == type(deliver(context))()
    assert [one["headers"]["X-Assay-Delivery"] for one in web.got()] == [str(row.id)] * 2
    with context.reading() as session:
        assert session.get_one(AlertDelivery, row.id).attempts == 2, "every try counts, whoever asked for it"
    assert _assay(context, "crawl", "shop").returncode == 0


def test_why_a_mail_was_not_taken_is_said(context: Context, post_office: Mailbox) -> None:
    to = f"127.0.0.1:{post_office.port}?from=assay@a.io&to=ann@b.io"
    add(context, "login", f"mailto://ann:s3cretword@{to}")
    add(context, "later", f"mailto://{to}&name=other")
    add(context, "away", "mailto://127.0.0.1:1?from=assay@a.io&to=ann@b.io")
    add(context, "hook", "http://127.0.0.1:1/s3cretpath")
    add(context, "named", "https://nowhere.invalid/s3cretpath")
    post_office.asks_who = post_office.refuse = True
    with context.transaction() as session:
        break_rule(session, table_of(session, "orders"), 7)
    assert deliver(context).undelivered == 5
    with context.reading() as session:
        told = {one.route: one.error for one in session.exec(select(AlertDelivery))}
    assert told == {
        "login": "the mail server refused the user or the password: 535 5.7.8 Authentication credentials invalid",
        "later": "the mail server did not take it: 451 later",
        "away": "nobody listens at this address",
        "hook": "nobody listens at this address",
        "named": "no machine of this name is known",
    }
    shown = _assay(context, "alert", "log").stdout
    assert shown.count(f"{now():%Y-%m-%d}") == 5
    assert "next try" in shown


def test_what_nobody_takes_any_more_is_not_held_against_anybody(context: Context, web: Receiver) -> None:
    add(context, "hook", f"http://{web.place}/flaky")
    web.answer(503)
    with context.transaction() as session:
        break_rule(session, table_of(session, "orders"), 7)
    assert deliver(context).undelivered == 1
    with context.transaction() as session:
        routes.remove_route(session, "hook", actor="ann")
        deliveries.send_again(session)
    assert deliver(context).undelivered == 0, "the banner goes with the route"
    with context.reading() as session:
        [row] = session.exec(select(AlertDelivery)).all()
    assert (row.status, row.error) == ("dropped", "the route was removed or paused")


def test_another_day_of_tries_begins_when_a_person_asks_for_it(context: Context, web: Receiver) -> None:
    add(context, "hook", f"http://{web.place}/flaky")
    web.answer(503)
    with context.transaction() as session:
        break_rule(session, table_of(session, "orders"), 7)
    deliver(context)
    for attempts, status in ((deliveries.MOST_TRIES - 1, "failed"), (deliveries.MOST_TRIES, "pending")):
        with context.transaction() as session:
            [row] = session.exec(select(AlertDelivery)).all()
            row.attempts = attempts
            deliveries.send_again(session)
        deliver(context)
        with context.reading() as session:
            [row] = session.exec(select(AlertDelivery)).all()
        assert (row.status, row.attempts) == (status, attempts + 1)
    assert timedelta(seconds=20) < row.next_at - now() <= timedelta(seconds=30)


def _assay(context: Context, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **context.settings.as_environment(), **more}
    return subprocess.run(
        [sys.executable, "-m", "catalog.cli", *words], env=environment, capture_output=True, text=True
    )


def test_an_answer_taken_back_is_told_again_once(context: Context, web: Receiver) -> None:
    add(context, "hook", f"http://{web.place}/all", events=["opened", "reopened", "resolved"])
    with context.transaction() as session:
        table = table_of(session, "orders")
        incident = break_rule(session, table, 7)
    deliver(context)
    for _ in range(2):
        with context.transaction() as session:
            outcomes.resolve(session, incident.id, "MissingData", actor="bob")
        deliver(context)
        deliver(context)
        with context.transaction() as session:
            outcomes.reopen(session, incident.id, actor="eve")
        deliver(context)
    kinds = [json.loads(one["body"])["event"] for one in web.got()]
    assert kinds == ["opened", *["resolved", "reopened"] * 2]
    assert "Resolved as: Missing data by bob" in json.loads(web.got()[1]["body"])["message"]


def test_routes_are_chosen_by_owner_source_and_level(context: Context, web: Receiver) -> None:
    with context.transaction() as session:
        orders, clicks = table_of(session, "orders"), table_of(session, "clicks", "web")
        stock = table_of(session, "stock")
        owners.set_owner(session, "table", orders, "sales", actor="ann")
        owners.set_owner(session, "column", tables.get_column(session, orders, "mail").id, "dpo", actor="ann")
        owners.set_team(session, "sales", ["bob"], actor="ann")
        of_web = sources.get_source(session, "web").id
    place = f"http://{web.place}"
    for name, of in {
        "sales": {"owner": "sales"},
        "bob": {"owner": "bob"},
        "dpo": {"owner": "dpo"},
        "web": {"source_id": of_web},
        "rest": {"fallback": True},
    }.items():
        add(context, name, f"{place}/{name}", **of)
    with context.transaction() as session:
        for table in (orders, clicks, stock):
            break_rule(session, table, 3)
        break_rule(session, orders, 3, "mail")
        warning = break_rule(session, stock, 4, "mail")
        warning.level = "warning"
    deliver(context)
    told = sorted((one["path"], json.loads(one["body"])["table"]) for one in web.got())
    assert told == [
        ("/bob", "shop/orders"),
        ("/dpo", "shop/orders"),
        ("/rest", "shop/stock"),
        ("/sales", "shop/orders"),
        ("/web", "web/clicks"),
    ]
    with context.transaction() as session:
        routes.remove_route(session, "rest", actor="ann")
        break_rule(session, table_of(session, "lost"), 1)
    deliver(context)
    with context.reading() as session:
        assert [one.status for one in deliveries.find_deliveries(session, status="nobody").items] == ["nobody"]


def test_nothing_of_the_service_s_own_network_is_reached(context: Context, web: Receiver, tmp_path: Path) -> None:
    with receiver(tmp_path / "inner", "127.0.0.2") as inner:
        hostile = {
            "loopback": f"http://{inner.place}/x",
            "redirect": f"http://{web.place}/go/to/{f'http://{inner.place}/x'.encode().hex()}",
            "metadata": "http://169.254.169.254/latest/meta-data",
            "mapped": f"http://[::ffff:7f00:2]:{inner.place.partition(':')[2]}/x",
            "decimal": f"http://2130706434:{inner.place.partition(':')[2]}/x",  # 127.0.0.2 as one number
            "private": "http://10.255.255.1/x",
            "mail": f"mailto://127.0.0.2:{inner.place.partition(':')[2]}?from=a@b.io&to=c@d.io",
        }
        for name, to in hostile.items():
            add(context, name, to)
        with context.transaction() as session:
            break_rule(session, table_of(session, "orders"), 7)
        told = deliver(context)
        with context.reading() as session:
            errors = {one.route: one.error for one in session.exec(select(AlertDelivery))}
        assert (told.delivered, told.undelivered) == (0, len(hostile)), errors
        assert inner.got() == []
        for name, error in errors.items():
            assert "service's own network" in (error or ""), name
        assert [one["path"] for one in web.got()] == ["/go"]
        open_to = context.settings.model_copy(update={"alert_networks": "127.0.0.0/8"})
        opened = Context(open_to)
        with opened.transaction() as session:
            deliveries.send_again(session)
        deliver(opened)
        assert {one["path"] for one in inner.got()} == {"/x"}
        opened.close()


@pytest.mark.parametrize(
    "to",
    [
        "syslog://localhost",
        "dbus://",
        "file:///etc/passwd",
        "apprise://localhost/token",
        "json://example.org/?template=/etc/passwd",
        "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/?template=/etc/passwd",
        "mailto://example.org?to=a@b.io&pgpkey=/etc/passwd",
        "mailtos://user:word@example.org",  # to whom?
        "https://hooks.slack.com/services/T/B",  # cut off
        "json://",
        "nonsense",
        "",
    ],
)
def test_addresses_that_do_more_than_send_are_refused(to: str) -> None:
    with pytest.raises(UsageError) as error:
        address.usable(to)
    assert "passwd" not in str(error.value)


@pytest.mark.parametrize(
    ("to", "shown"),
    [
        ("https://hooks.slack.com/services/T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ", "Slack"),
        ("https://prod-1.westus.logic.azure.com:443/workflows/ab/triggers/manual/paths/invoke?sig=xyz", "Teams"),
        ("https://ann:pw@hooks.example.com/secret?token=1", "webhook at hooks.example.com"),
    ],
)
def test_webhooks_of_services_are_taken_as_they_are(to: str, shown: str) -> None:
    assert address.shown(address.usable(to)) == shown


def test_no_secret_and_no_value_is_told(context: Context, web: Receiver) -> None:
    """Neither the address's secret in any row, log or answer, nor a sensitive value in an alert."""
    secret = "s3cretpath"  # noqa: S105 - of this test only
    done = _assay(context, "alert", "add", "hook", ASSAY_ALERT_ADDRESS=f"http://ann:pw9876@{web.place}/{secret}")
    assert done.returncode == 0, done.stderr
    with context.transaction() as session:
        table = table_of(session, "orders")
        column = tables.get_column(session, table, "mail").id
        put_tags(session, column, [TagProposal("email", "E-mail address", 0.9, 1.0, True, {})], 1)
        break_rule(session, table, 3, "mail", "mail is “carla.jimenez@mail.example” in 9 rows.")
        break_rule(session, table, 3, "amount", "amount is “eve.marked@mail.example” in 9 rows.")
    deliver(context)
    assert len(web.got()) == 2
    for one in web.got():
        assert "carla" not in one["body"]
        assert "marked" not in one["body"]
    printed = [_assay(context, "alert", *words).stdout for words in (["list", "--json"], ["log", "--json"])]
    with context.reading() as session:
        rows = [
            *session.exec(select(AlertRoute)),
            *session.exec(select(AlertDelivery)),
            *session.exec(select(AuditEvent)),
        ]
        printed += [str(row.model_dump()) for row in rows]
    kept = (context.settings.home / "assay.db").read_bytes().decode("latin-1")
    for text in (*printed, kept, done.stdout, done.stderr):
        assert secret not in text
        assert "pw9876" not in text
    assert (context.settings.home / "secret.key").stat().st_mode & 0o077 == 0


def test_many_at_once_are_one_message(context: Context, web: Receiver) -> None:
    add(context, "hook", f"http://{web.place}/x")
    with context.transaction() as session:
        for number in range(12):
            break_rule(session, table_of(session, f"table{number:02}"), 3)
    assert deliver(context).delivered == 12
    [one] = web.got()
    assert json.loads(one["body"])["title"] == "Assay: 12 incidents"
    assert one["body"].count("100 times too large") == 12


def test_processes_at_once_tell_once(context: Context, web: Receiver) -> None:
    add(context, "hook", f"http://{web.place}/x")
    with context.transaction() as session:
        for number in range(3):
            break_rule(session, table_of(session, f"table{number}"), 3)
    environment = {**os.environ, **context.settings.as_environment()}
    command = [sys.executable, "-m", "catalog.cli", "alert", "send"]
    running = [subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) for _ in range(3)]
    assert [one.wait(120) for one in running] == [0, 0, 0]
    assert len(web.got()) == 3
