"""Who may see values unmasked sees them, read from the lake afresh, for a reason that is written down; nobody else."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from fastapi.testclient import TestClient
from sqlmodel import select

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "workers"))
from processes import Workers, until

from catalog.errors import BrokerError
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source
from catalog.flow.reading.sources import add_source
from catalog.flow.rows.unmasking import column_values, incident_rows
from catalog.settings import Settings
from catalog.store.access import audit, people
from catalog.store.lake import tables
from catalog.store.models import Incident, LakeColumn, Outcome
from web.app import create_app
from web.queue import Queue
from workers.broker import Broker

pytestmark = pytest.mark.spark

PERSONAL, EVERY = frozenset({"personal"}), frozenset({"personal", "secret"})
BROKEN = "?? broken.markedperson@marked.example ??"
MARKS = ("markedperson", "secretpass", "4111 1111")


def batch(day: int, *, bad: bool = False) -> pa.Table:
    ids = list(range(day * 60, day * 60 + 60))
    mail = [f"ann{i}.markedperson@marked.example" for i in ids]
    return pa.table({
        "id": ids,
        "email": [BROKEN if bad else one for one in mail],
        "password": [f"secretpass{i}" for i in ids],
        "note": [f"paid with 4111 1111 1111 1111 by {mail[i]}" if i < 2 else "nothing to say" for i in range(60)],
        "who": [{"email": one} for one in mail],
        "places": [[one, f"other{one}"] for one in mail],
        "family": [[{"email": one}] for one in mail],
    })  # fmt: skip


@pytest.fixture(scope="module")
def context(
    spark: object,
    spark_settings: Settings,
    tmp_path_factory: pytest.TempPathFactory,
    furnished: Callable[[Path], Path],
) -> Iterator[Context]:
    context = Context(spark_settings.model_copy(update={"home": furnished(tmp_path_factory.mktemp("home"))}))
    context.__dict__["spark"] = spark
    yield context
    context.close()


@pytest.fixture(scope="module")
def crawled(context: Context, tmp_path_factory: pytest.TempPathFactory) -> Context:
    lake = tmp_path_factory.mktemp("lake")
    for day in range(8):
        write_deltalake(lake / "people", batch(day), mode="append")
    source = add_source(context, "lake", str(lake))
    crawl_source(context, source.id)
    write_deltalake(lake / "people", batch(8, bad=True), mode="append")
    crawl_source(context, source.id)
    return context


def ids_of(context: Context) -> tuple[dict[str, int], int]:
    """Columns by name, and the incident of the broken addresses."""
    with context.reading() as session:
        table = tables.get_table(session, "people")
        columns = {one.name: one.id for one in tables.list_columns(session, table.id)}
        found = session.exec(select(Incident).where(Incident.column_name == "email", Incident.kind == "pattern")).one()
    return columns, found.id


def values(found: dict[str, Any]) -> list[Any]:
    return [cell for block in found["blocks"] for row in block["rows"] for cell in row.values()]


def test_values_are_shown_by_level(crawled: Context) -> None:
    columns, _ = ids_of(crawled)
    with crawled.reading() as session:
        levels = {one.name: one.level for one in session.exec(select(LakeColumn))}
    assert (levels["email"], levels["password"], levels["note"]) == ("personal", "secret", "internal")

    def seen(name: str, levels: frozenset[str]) -> str:
        return json.dumps(values(column_values(crawled, columns[name], levels)))

    for name in ("email", "password", "who.email", "note", "places", "places[]", "family[].email"):
        assert not any(mark in seen(name, frozenset()) for mark in MARKS), name
        assert any(mark in seen(name, EVERY) for mark in MARKS), name
    assert "markedperson" in seen("email", PERSONAL)
    assert "markedperson" in seen("who.email", PERSONAL)
    assert not any(mark in seen("password", PERSONAL) for mark in MARKS)
    assert "4111" not in seen("note", PERSONAL), "a card's number is secret wherever it stands"
    assert "markedperson" in seen("places", PERSONAL), "elements have a level of their own"


def test_rows_of_an_incident_are_read_afresh(crawled: Context) -> None:
    _, incident = ids_of(crawled)
    masked = values(incident_rows(crawled, incident, frozenset()))
    assert masked
    assert not any(mark in str(masked) for mark in MARKS)
    found = incident_rows(crawled, incident, PERSONAL)
    assert BROKEN in values(found)
    assert "secretpass" not in str(found)
    assert "secretpass" in str(incident_rows(crawled, incident, EVERY))
    with crawled.reading() as session:
        kept = [one.rows for one in session.exec(select(Outcome)) if one.rows]
    assert kept
    assert not any(mark in str(kept) for mark in MARKS), "what is kept stays masked"


def _events(context: Context) -> list[Any]:
    with context.reading() as session:
        return list(reversed(audit.find_events(session, kind="values")))


def test_commands_show_values_for_a_reason(crawled: Context) -> None:
    def run(*words: str) -> tuple[int, str]:
        given = {**os.environ, **crawled.settings.as_environment(), "COLUMNS": "1000"}
        command = [sys.executable, "-m", "catalog.cli", *words]
        done = subprocess.run(command, env=given, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    _, incident = ids_of(crawled)
    code, text = run("table", "values", "people", "email")
    assert (code, "markedperson" in text, "aaaaaaaaaaaa" in text) == (0, False, True)
    code, text = run("table", "values", "people", "email", "--unmasked")
    assert (code, "for a reason only" in text) == (3, True)
    assert _events(crawled) == []
    code, text = run("incident", "rows", str(incident), "--unmasked", "--reason", "to tell the till")
    assert (code, BROKEN in text) == (0, True)
    (event,) = _events(crawled)
    assert (event.actor.split(":")[0], event.reason, event.after["version"]) == ("local", "to tell the till", 8)


def _reads(queue: Queue, column: int) -> bool:
    try:
        return bool(queue.ask("column", column, {"personal"}, seconds=5.0))
    except BrokerError:  # it is busy
        return False


@pytest.fixture
def service(crawled: Context) -> Iterator[tuple[TestClient, dict[str, str]]]:
    """The page with a worker behind it, and a token of each role."""
    secrets = {}
    with crawled.transaction() as session:
        for role in ("admin", "approver", "author", "viewer"):
            user = people.add_user(session, f"{role}-ann", "correct horse battery", role, actor="local")
            secrets[role] = people.make_token(session, user, "test", scope=role, days=1, actor=user.name)[1]
    workers = Workers(crawled.settings, crawled.settings.home / "worker.log")
    app = create_app(crawled.settings.model_copy(update={"database_url": str(crawled.engine.url)}))
    with Broker(crawled.settings), TestClient(app, base_url="http://127.0.0.1:8420") as client:
        workers.start()
        warm = Queue(crawled.settings)  # a worker begins with starting Spark
        column = next(iter(ids_of(crawled)[0].values()))
        until(lambda: _reads(warm, column), "the worker reads values", workers.log)
        yield client, secrets
        workers.stop()


def test_pages_and_interface_show_what_the_role_may_see(
    crawled: Context, service: tuple[TestClient, dict[str, str]]
) -> None:
    client, secrets = service
    columns, incident = ids_of(crawled)

    def ask(role: str, path: str, reason: str) -> tuple[int, str]:
        head = {"authorization": f"Bearer {secrets[role]}"}
        for _ in range(5):  # of a busy worker one is told to ask again
            answer = client.post(f"/api/v1{path}/unmasked", json={"reason": reason}, headers=head)
            assert answer.headers["cache-control"] == "no-store"
            if answer.status_code != 503:
                break
        return answer.status_code, answer.text

    rows, email, password = f"/incidents/{incident}", f"/columns/{columns['email']}", f"/columns/{columns['password']}"
    for role in ("viewer", "author"):
        assert [ask(role, path, "to help")[0] for path in (rows, email)] == [403, 403]
    code, text = ask("approver", email, " ")
    assert (code, "for a reason only" in text) == (400, True)
    before = len(_events(crawled))
    code, text = ask("approver", email, "complaint 7")
    assert (code, "markedperson" in text) == (200, True), text
    code, text = ask("approver", password, "complaint 7")
    assert (code, "password are secret" in text, "secretpass" in text) == (403, True, False)
    code, text = ask("admin", password, "a leak")
    assert (code, "secretpass" in text) == (200, True)
    assert BROKEN in ask("approver", rows, "to tell the till")[1]
    for path, mark in ((email, "markedperson"), (rows, BROKEN)):
        head = {"authorization": f"Bearer {secrets['admin']}"}
        csrf = re.search(r'name="csrf" value="(\w+)"', client.get(path, headers=head).text)
        assert csrf is not None
        shown = client.post(f"{path}/unmasked", data={"reason": "on a page", "csrf": csrf[1]}, headers=head)
        assert (shown.status_code, mark in shown.text) == (200, True), shown.text
    told = [(one.actor, one.action, one.item, one.reason, one.after["levels"]) for one in _events(crawled)][before:]
    assert told == [
        ("approver-ann", "unmask", "lake/people email", "complaint 7", ["personal"]),
        ("admin-ann", "unmask", "lake/people password", "a leak", ["personal", "secret"]),
        ("approver-ann", "unmask", f"lake/people incident {incident}", "to tell the till", ["personal"]),
        ("admin-ann", "unmask", "lake/people email", "on a page", ["personal", "secret"]),
        ("admin-ann", "unmask", f"lake/people incident {incident}", "on a page", ["personal", "secret"]),
    ]
    assert not any(mark in str([one.after for one in _events(crawled)]) for mark in MARKS)
    broker = b"".join(path.read_bytes() for path in (crawled.settings.home / "broker").rglob("*") if path.is_file())
    assert b"assay.unmask" in broker, "the question is kept by the broker"
    assert b"assay:answer" not in broker, "the answer is not"
