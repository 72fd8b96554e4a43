"""A lake of marked values goes through, breaks rules and declared checks, and fails: no page, answer, command, export,
report, alert, log or row that is kept to be read holds one of them.

What judging needs stays in the catalog in a form of its own: states and metrics as bytes, and what rules demand.
"""

from __future__ import annotations

import itertools
import json
import logging
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy
import sqlmodel
import structlog
from deltalake import write_deltalake
from fastapi.testclient import TestClient
from marked_lake import CHECKS, MARKS, batch, visits
from receivers import Receiver, receiver

from catalog.alerts import address
from catalog.cli import main
from catalog.flow import report
from catalog.flow.alerting import deliver
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source
from catalog.flow.declared.counting import table_of
from catalog.flow.declared.preview import run_preview
from catalog.flow.export import export_results
from catalog.flow.reading.sources import add_source
from catalog.reports.document import render
from catalog.reports.facts import Scope
from catalog.rules.rule import LEARNED
from catalog.settings import Settings, get_settings
from catalog.store import runs
from catalog.store.alerts import routes
from catalog.store.engine import upgrade
from catalog.store.lake import tables
from catalog.store.meaning import levels, privacy, tags
from catalog.store.models import Incident
from catalog.store.pages.columns import find_tags
from catalog.store.pages.rules import find_rules
from catalog.tags.privacy.levels import UNREVIEWED
from catalog.vault import Vault
from web.app import create_app

pytestmark = [pytest.mark.spark, pytest.mark.timeout(1500)]

#: Parts of a rule's body from which judging reads, beside bytes: they are shown nowhere as they are.
JUDGED_BY = ("params", "sentence")
#: Ends of commands that are no mistake of this test: some incidents point at no rows.
FINE = ("points at no rows", "there is no incident", "No such option: --json")


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Receiver]:
    with receiver(tmp_path / "web") as one:
        yield one


@pytest.fixture
def crawled(context: Context, web: Receiver, tmp_path: Path) -> Context:
    context.settings = context.settings.model_copy(update={"alert_networks": "127.0.0.1"})
    for name, to in (("hook", f"http://{web.place}/hook"), ("chat", f"mmost://{web.place}/0123456789abcdef")):
        usable = address.usable(to)
        sealed, shown = Vault(context.settings).seal(usable), address.shown(usable)
        with context.transaction() as session:  # a route is told of what comes after it
            routes.add_route(session, name, sealed, shown, actor="ann", level="warning")
    lake = tmp_path / "lake"
    for day in range(12):
        write_deltalake(lake / "people", batch(day), mode="append")
        write_deltalake(lake / "visitors", visits(day), mode="append")
    source = add_source(context, "lake", str(lake))
    crawl_source(context, source.id)
    write_deltalake(lake / "people", batch(12, bad=True), mode="append")
    write_deltalake(lake / "visitors", visits(12, bad=True), mode="append")
    (lake / "broken" / "_delta_log").mkdir(parents=True)
    told = {"add": {"path": "ann.markedperson1@marked.example.parquet", "size": "x"}}
    (lake / "broken" / "_delta_log" / f"{0:020d}.json").write_text(json.dumps(told))
    crawl_source(context, source.id)
    with context.transaction() as session:  # by hand, as well as by its tags
        column = tables.get_column(session, table_of(context, "people").id, "latitude")
        levels.set_level(session, column.id, "secret", actor="ann")
        named = tables.get_column(session, column.table_id, "email")
        (mail,) = find_tags(session, domain="email", column_id=named.id).items
        tags.decide_tag(session, mail.Tag.id, "accepted", "ann")
    return context


def test_no_value_leaves(
    crawled: Context,
    web: Receiver,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    command: Callable[[list[str]], tuple[int, str, str]],
    spark_settings: Settings,
) -> None:
    crawls = capfd.readouterr()
    with crawled.reading() as session:
        table = tables.get_table(session, "people")
        sensitive = {one.name for one in tables.list_columns(session, table.id) if one.sensitive}
        (unknown,) = [one for one in tables.list_columns(session, table.id) if one.level == UNREVIEWED]
        ids = [item.RuleRow.id for item in find_rules(session, table_id=table.id, limit=1000).items]
    assert {"email", "iban", "card", "latitude", "password", "client_ip", "customer.email", "customer.ssn"} <= sensitive
    assert "note" not in sensitive  # it only holds some
    assert unknown.name == "zgrp"  # what nobody knows is hidden like the others
    with crawled.reading() as session:
        visitors = tables.get_table(session, "visitors")
        kept = {one.name: one.sensitive for one in tables.list_columns(session, visitors.id)}
        told = list(session.exec(sqlmodel.select(Incident).where(Incident.table_id == visitors.id)))
        came = privacy.arrived(session, visitors.id)
        ids += [item.RuleRow.id for item in find_rules(session, table_id=visitors.id, limit=1000).items]
    assert kept["full_name"]
    assert kept["phone"]
    assert not any(kept[name] for name in ("hall", "came_on", "gate"))
    assert {"sex", "came_on", "gate"} <= came.keys()  # decided when the version was judged, not by a tag
    assert came["gate"] == "secret"
    assert {"sex", "came_on", "gate"} <= {name for one in told for name in [one.column_name, *(one.columns or [])]}
    assert ids
    found = _commands(command, ids, tmp_path)
    found |= {**_alerts(crawled, web), **_reports(crawled, tmp_path), **_preview(crawled)}
    found |= {**_exports(crawled, tmp_path), **_pages(crawled), **_rows(crawled)}
    rest = capfd.readouterr()
    found |= {"output of the crawls": crawls.out + rest.out, "log of the crawls": crawls.err + rest.err}
    found["what Java said"] = (spark_settings.home / "logs" / "java.log").read_text()
    assert "Spark" in found["what Java said"]
    assert len(found) > 200
    assert any("violated" in text for text in found.values())
    assert any("aaa.aaaaaaaaaaaa" in text for text in found.values())  # rows were shown, masked
    assert any("Maximum of latitude" in text or "has_max_latitude" in text for text in found.values())
    leaks = [
        (place, mark, around) for place, text in found.items() for mark in MARKS if (around := _around(text, mark))
    ]
    assert leaks == []


def _around(text: str, mark: str) -> str:
    """Where a mark stands in a text; empty where it does not. Digits within a longer number are another number."""
    found = re.search(rf"(?<!\d){re.escape(mark)}" if mark[0].isdigit() else re.escape(mark), text)
    return text[max(0, found.start() - 80) : found.start() + 60] if found else ""


def _rows(context: Context) -> dict[str, str]:
    """Every text and JSON value of the catalog, by table and column."""
    meta = sqlalchemy.MetaData()
    meta.reflect(context.engine)
    found = {}
    with context.engine.connect() as connection:
        for table in meta.sorted_tables:
            for column in table.columns:
                if not isinstance(column.type, sqlalchemy.LargeBinary):
                    texts = connection.execute(sqlalchemy.select(column)).scalars()
                    if (table.name, column.name) == ("rule", "body"):
                        texts = map(_beside_judging, texts)
                    found[f"row {table.name}.{column.name}"] = "\n".join(map(str, texts))
    assert "aaaaaaaaaa9" in found["row rule.body"]  # the examples of passwords are there, masked
    return found


def _beside_judging(body: dict[str, Any]) -> dict[str, Any]:
    """What a rule's body keeps that no verdict is made of."""
    left = {name: value for name, value in body.items() if name not in JUDGED_BY}
    return left | {"evidence": {name: value for name, value in left["evidence"].items() if name != LEARNED}}


def _pages(context: Context) -> dict[str, str]:
    """Every page that links lead to, and every answer of the interface."""
    upgrade(context.engine)
    settings = context.settings.model_copy(update={"database_url": str(context.engine.url), "host": "127.0.0.1"})
    app = create_app(settings)
    found: dict[str, str] = {}
    with TestClient(app, base_url="http://127.0.0.1:8420") as client:
        wanted = [
            "/",
            "/tables",
            "/incidents",
            "/rules",
            "/tags",
            "/runs",
            "/sources",
            "/workbench",
            "/ledger",
            "/metrics",
            "/review",
            "/api/v1/review/tables",
            "/glossary",
            "/reports",
            "/alerts",
            "/audit",
            "/approvals",
            *(f"/workbench?column={column}" for column in range(1, 30)),
            *(f"/tables/1/checks/new?kind={kind}" for kind in ("is_in", "has_max")),
        ]
        wanted += _answers(app, client)
        while wanted:
            path = wanted.pop()
            if path in found or len(found) > 900:
                continue
            answer = client.get(path)
            assert answer.status_code < 500, (path, answer.text[:500])
            found[path] = re.sub(
                r' (points|d|x|y|cx|cy|x1|x2|y1|y2|width|height)="[-\d., MLZ]*"', "", answer.text
            )  # places
            links = re.findall(r'href="(/[^"#]*)', answer.text)
            wanted += [link.replace("&amp;", "&") for link in links if not link.startswith(("/static", "/tables?"))]
    return {f"page {path}": text for path, text in found.items()}


def _answers(app: Any, client: TestClient) -> list[str]:
    """Addresses of the interface, with ids that there are."""
    ids = {"table_id": [1, 2], "column_id": range(1, 30), "rule_id": range(1, 90), "incident_id": range(1, 30)}
    ids |= {"run_id": [1, 2], "version": [0, 12], "source_id": [1], "tag_id": [1], "domain_id": [1]}
    ids |= {"kind": ["privacy", "governance"], "item_id": [1], "domain": ["email"]}
    ids |= {"name": ["margin"], "whose": ["all"]}
    out = []
    for path, methods in app.openapi()["paths"].items():
        if "get" in methods:
            names = re.findall(r"{(\w+)}", path)
            for chosen in itertools.product(*(ids[name] for name in names)):
                out.append(path.format(**dict(zip(names, chosen, strict=True))))
    return out


def _exports(context: Context, folder: Path) -> dict[str, str]:
    found = {}
    for what, ending in itertools.product(("metrics", "outcomes", "tags"), (".csv", ".jsonl")):
        place = folder / f"{what}{ending}"
        export_results(context, what, str(place))
        found[f"export {place.name}"] = place.read_text(encoding="utf-8")
    return found


@pytest.fixture
def command(
    crawled: Context, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Iterator[Callable[[list[str]], tuple[int, str, str]]]:
    """Runs a command in this process, whose Spark session is there already: its exit code, what it prints and logs."""
    told = {"COLUMNS": "250", "ASSAY_DATABASE_URL": str(crawled.engine.url), "RUST_LOG": "off"}
    for name, value in {**crawled.settings.as_environment(), **told}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(logging.root, "handlers", [])  # a command that finds none logs to standard error

    def run(words: list[str]) -> tuple[int, str, str]:
        get_settings.cache_clear()
        code = main(["-v", *words])
        return code, *capfd.readouterr()

    yield run
    get_settings.cache_clear()
    structlog.reset_defaults()


def _commands(command: Callable[[list[str]], tuple[int, str, str]], ids: list[int], folder: Path) -> dict[str, str]:
    """What commands print for people and for programs, what they log, and the files that they write."""
    file, out = folder / "checks.yaml", folder / "written"
    file.write_text(CHECKS)
    out.mkdir()
    people = "lake/people"
    # what asks Spark is asked once, the others as people and as programs ask
    slow = [["check", "preview", str(file), "--versions", "3"], ["check", "apply", str(file), "--json"]]
    slow += [["check", "run", people, "--no-crawl", "--rows", str(out / "rows.csv"), "--most", "40"]]
    slow += [["check", "run", people, "--no-crawl", "--version", "12", "--replay", "--json"]]
    slow += [["check", "quarantine", people, "--into", str(folder / "quarantine"), "--check", "is_complete_iban"]]
    slow += [["check", "run", "lake/visitors", "--no-crawl", "--rows", str(out / "visits.csv"), "--most", "40"]]
    slow += [["tag", "apply", people, "--proposed"]]
    asked = [["table", "list"], ["table", "show", people], ["table", "budget", people], ["rule", "list"]]
    asked += [["table", "values", people, one] for one in ("email", "latitude", "note", "contacts", "customer.ssn")]
    asked += [["rule", "history", people], ["tag-by-example", people, "note"]]
    asked += [[noun, "show", str(one)] for noun in ("rule", "incident") for one in ids[:2]]
    asked += [["incident", "rows", "1"], ["incident", "list"], ["run", "list"]]
    asked += [["audit", "list"], ["audit", "export", str(out / "audit.csv")], ["owner", "list"], ["alert", "log"]]
    asked += [["tag", "sql", people, "--for", one, "--proposed"] for one in ("unity", "delta")]
    asked += [
        ["tag", "list", people],
        ["tag", "lineage", people, "--proposed"],
        ["tag", "spread", people, "email"],
        ["index", "show"],
    ]
    for words in (["table", "show"], ["table", "budget"], ["rule", "history"], ["tag", "list"]):
        asked.append([*words, "lake/visitors"])
    asked += [["table", "values", "lake/visitors", one] for one in ("sex", "came_on", "gate")]
    asked += [["glossary", "export", str(out / f"glossary.{kind}")] for kind in ("csv", "yaml")]
    asked = slow + [[*words, *more] for words in asked for more in ([], ["--json"])]
    found, wrong = {}, []
    for words in asked:
        code, found[f"prints {' '.join(words)}"], logged = command(words)
        found[f"logs {' '.join(words)}"] = logged
        if code == 3 and not any(one in logged for one in FINE):
            wrong.append(f"{words}: {logged[-300:]}")
    assert wrong == [], "\n".join(wrong)  # a command that says nothing proves nothing
    found |= {f"file {path.name}": path.read_text() for path in out.iterdir()}
    assert {path.name for path in out.iterdir()} >= {"rows.csv", "glossary.csv", "audit.csv"}
    return found


def _alerts(context: Context, web: Receiver) -> dict[str, str]:
    """What a webhook and a chat got of every incident."""
    while deliver(context).delivered:
        pass
    got = web.got()
    assert {one["path"].split("/")[1] for one in got} == {"hook", "hooks"}
    return {f"alert {at} {one['path']}": one["body"] for at, one in enumerate(got)}


def _reports(context: Context, folder: Path) -> dict[str, str]:
    """Every report in every form that is text; the PDF is drawn from the HTML."""
    found = {}
    for kind in ("privacy", "coverage", "rules", "incidents", "decisions", "governance"):
        made = report.make(context, kind, Scope(), period="1y")
        for form in ("html", "csv", "json"):
            found[f"report {kind} {form}"] = render(made, form).decode()
    assert "people" in found["report governance html"]
    return found


def _preview(context: Context) -> dict[str, str]:
    """A check that a page tried, as it stays on its run."""
    table_id = table_of(context, "people").id or 0
    check = {"kind": "has_max", "columns": ["latitude"], "at_most": 1.0}
    with context.transaction() as session:
        run = runs.queue_run(session, "preview", "people", table_id=table_id, stats={"check": check, "versions": 20})
    told = run_preview(context, table_id, run.id)
    with context.transaction() as session:
        runs.finish_run(session, run.id, told)
    assert told["failed"]
    return {"preview": json.dumps(told)}
