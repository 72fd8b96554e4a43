"""Commands say with ``--json`` what the API answers, and pages show it: one query and one form for each noun."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from jinja2 import Template
from pydantic import BaseModel
from sqlmodel import SQLModel, select
from test_pages import PAGES, address

from catalog.cli import main
from catalog.reports.facts import Scope
from catalog.settings import get_settings
from catalog.store.access import owners
from catalog.store.engine import session
from catalog.store.glossary import terms
from catalog.store.models import AlertDelivery, AlertRoute, Approval, Incident, LakeDomain
from catalog.store.reports import schedules
from catalog.store.reports.filed import FOLDER
from web.app import PAGES as MODULES

Ask = Callable[..., Any]


@pytest.fixture
def on(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Callable[[Any], Ask]]:
    """Commands on the catalog of an application."""

    def ask(*words: str, code: int | None = 0) -> Any:
        capsys.readouterr()
        ended = main([*words, "--json"])
        assert code in (None, ended)
        return json.loads(capsys.readouterr().out)

    def of(site: Any) -> Ask:
        monkeypatch.setenv("ASSAY_HOME", str(site.settings.home))
        get_settings.cache_clear()
        return ask

    yield of
    get_settings.cache_clear()


@pytest.fixture
def assay(shelf: Any, on: Callable[[Any], Ask]) -> Ask:
    """Commands on the catalog that the API of `shelf` answers from."""
    return on(shelf)


def api(shelf: Any, path: str) -> Any:
    answer = shelf.client.get(f"/api/v1/{path}")
    assert answer.status_code == 200, answer.text
    return answer.json()


LISTS = [
    (("table", "list", "--limit", "500"), "tables?limit=500"),
    (("table", "list", "orders", "--limit", "500"), "tables?q=orders&limit=500"),
    (("table", "list", "--tag", "email", "--limit", "500"), "tables?tag=email&limit=500"),
    (("table", "list", "--owner", "unowned", "--limit", "500"), "tables?owner=unowned&limit=500"),
    (("rule", "list", "--limit", "500"), "rules?limit=500"),
    (("rule", "list", "--kind", "pattern", "--search", "or", "--limit", "500"), "rules?kind=pattern&q=or&limit=500"),
    (("incident", "list", "--limit", "500"), "incidents?status=open&limit=500"),
    (("incident", "list", "--all", "--limit", "500"), "incidents?limit=500"),
    (("incident", "list", "--owner", "unowned", "--limit", "500"), "incidents?status=open&owner=unowned&limit=500"),
    (("run", "list", "--limit", "500"), "runs?limit=500"),
    (("source", "list"), "sources"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "path"), LISTS, ids=lambda value: " ".join(value) if isinstance(value, tuple) else ""
)
def test_lists(shelf: Any, assay: Ask, words: tuple[str, ...], path: str) -> None:
    told, answered = assay(*words), api(shelf, path)
    assert told == answered
    assert told if isinstance(told, list) else told["items"]


def test_lists_of_decisions_alerts_and_domains(site: Any, on: Callable[[Any], Ask]) -> None:
    assay = on(site)
    with session(site.engine) as db:
        incident = db.exec(select(Incident).limit(1)).one()
        db.add(Approval(what="rule", args={}, words="pause", kind="rule", item_id=1, item="a rule", actor="ann"))
        db.add(AlertRoute(name="sales", address="sealed", shown="mail to sales", level="error", events=["opened"]))
        db.add(AlertDelivery(incident_id=incident.id or 0, event="opened", route_id=1, route="sales", title="told"))
        db.add(LakeDomain(view="shape", pattern="AA-0000", sentence="two letters", regex="[A-Z]{2}-[0-9]{4}"))
        owners.set_owner(db, "table", incident.table_id, "ann", actor="bob")
        terms.put_term(db, "margin", "Revenue less cost.", actor="bob")
        schedules.add_schedule(db, "privacy", "week", "csv", Scope(), actor="bob")
    written = site.settings.home / FOLDER / "all"
    written.mkdir(parents=True)
    (written / "privacy-2026-03-31.csv").write_text("a")
    for words, path in (
        (("approval", "list", "--all"), "approvals?waiting=false"),
        (("alert", "list"), "alerts/routes"),
        (("alert", "log", "--limit", "500"), "alerts?limit=500"),
        (("audit", "list", "--limit", "500"), "audit?limit=500"),
        (("index", "domains"), "patterns"),
        (("glossary", "list", "--limit", "500"), "glossary/terms?limit=500"),
        (("report", "schedules"), "reports/schedules"),
        (("report", "filed", "--limit", "500"), "reports/filed?limit=500"),
    ):
        told, answered = assay(*words), api(site, path)
        assert told == answered, words
        assert told if isinstance(told, list) else told["items"], words


def test_what_is_decided_by_command_is_told_as_the_api_tells_it(site: Any, on: Callable[[Any], Ask]) -> None:
    """Each command that changes something prints the thing as the interface has it, and at most a little more."""
    assay, ids = on(site), site.ids
    rule, table, run = str(ids["rule"]), api(site, f"tables/{ids['sales/orders']}"), str(ids["waiting"])
    name, about = f"{table['source']}/{table['name']}", f"tables/{table['id']}"
    column = api(site, f"{about}/columns")["items"][0]
    incident = api(site, f"incidents?table_id={table['id']}&status=open")["items"][0]["id"]
    for words, path in (
        (("rule", "demote", rule, "--reason", "for a test"), f"rules/{rule}"),
        (("rule", "promote", rule), f"rules/{rule}"),
        (("rule", "pause", rule), f"rules/{rule}"),
        (("table", "level", name, column["name"], "personal"), f"columns/{column['id']}"),
        (("table", "learner", name, "avh", "--no-crawl"), f"{about}/learner"),
        (("table", "mode", name, "auto", "--no-crawl"), f"{about}/coverage"),
        (("table", "budget", name), f"{about}/ledger"),
        (("owner", "set", name, "ann"), f"owners/table/{table['id']}"),
        (("owner", "show", name), f"owners/table/{table['id']}"),
        (("owner", "list"), "owners"),
        (("incident", "resolve", str(incident), "--reason", "OutOfBounds"), f"incidents/{incident}"),
        (("incident", "reopen", str(incident)), f"incidents/{incident}"),
        (("run", "cancel", run), f"runs/{run}"),
    ):
        told, answered = assay(*words, code=None), api(site, path)
        assert answered
        assert {key: told.get(key) for key in told.keys() & answered.keys()}.items() <= answered.items()
        lists = ("body", "profile", "clauses", "events", "examples", "stands")  # of the whole thing
        assert answered.keys() - told.keys() <= set(lists), words
    for words, path in (
        (("incident", "causes"), "causes"),
        (("check", "kinds"), "checks/kinds"),
        (("table", "budget"), "ledger"),
        (("incident", "budget", "2.5"), "ledger/week"),
        (("incident", "budget", "0.5", "--dry-run"), "ledger/week/trial?allowed=0.5"),
        (("incident", "budget", "--default"), "ledger/week"),
    ):
        assert assay(*words, code=None) == api(site, path) != []
    (source, *_) = api(site, "sources")
    assert source == assay("source", "allow", source["name"]) | {"allowed": source["allowed"]}
    added = assay("source", "add", "other", "/data/other", "--untested")
    assert added in api(site, "sources")
    assert assay("source", "edit", "other", "--rename", "another", "--untested") in api(site, "sources")
    assert assay("source", "learner", "another", "avh").keys() | {"waits"} == {"source", *api(site, f"{about}/learner")}


def test_things_by_themselves(shelf: Any, assay: Ask) -> None:
    orders = next(one for one in api(shelf, "tables?q=orders")["items"] if one["rules"])
    ref = f"tables/{orders['id']}"
    told = assay("table", "show", f"{orders['source']}/{orders['name']}")
    assert told["table"] == api(shelf, ref)
    assert told["columns"] == api(shelf, f"{ref}/columns?limit=500")["items"]
    assert any(one["sensitive"] for one in told["columns"])
    assert told["versions"] == api(shelf, f"{ref}/versions?limit=10")["items"]
    assert told["history"] == api(shelf, f"{ref}/coverage")
    rules = {one["id"]: one for one in api(shelf, f"rules?table_id={orders['id']}&status=active&limit=500")["items"]}
    assert {one["id"]: one for one in told["rules"]} == rules
    for one in list(rules)[:3]:
        answered = api(shelf, f"rules/{one}")
        assert answered.items() <= assay("rule", "show", str(one)).items()
        assert answered["body"]
    history = {one["id"]: one for one in assay("rule", "history", f"{orders['source']}/{orders['name']}")}
    for one in list(rules)[:3]:
        assert [history[revision["id"]] for revision in api(shelf, f"rules/{one}/revisions")] == api(
            shelf, f"rules/{one}/revisions"
        )
    run = assay("check", "run", f"{orders['source']}/{orders['name']}", "--no-crawl", code=None)
    said = {one["id"]: one for one in api(shelf, f"outcomes?table_id={orders['id']}&limit=500")["items"]}
    assert run["outcomes"]
    for one in run["outcomes"]:
        assert said[one["id"]].items() <= one.items()
    (incident, *_) = api(shelf, f"incidents?table_id={orders['id']}&status=open")["items"]
    assert api(shelf, f"incidents/{incident['id']}").items() <= assay("incident", "show", str(incident["id"])).items()


def rows_in(value: Any, place: str) -> Iterator[str]:
    """Where a value that a page is made of holds rows of the database."""
    if isinstance(value, SQLModel):
        yield f"{place}: {type(value).__name__}"
    elif isinstance(value, BaseModel):
        yield from rows_in(dict(value), place)
    elif is_dataclass(value) and not isinstance(value, type):
        for one in fields(value):
            yield from rows_in(getattr(value, one.name), f"{place}.{one.name}")
    elif isinstance(value, Mapping):
        for name, one in value.items():
            yield from rows_in(one, f"{place}.{name}")
    elif isinstance(value, Iterable) and not isinstance(value, str | bytes | Iterator):
        for one in value:
            yield from rows_in(one, f"{place}[]")


CHECKS = ["/tables/{sales/orders}/checks", "/tables/{sales/orders}/checks/new?kind=is_complete"]


ALL_PAGES = [*PAGES, *CHECKS, "/audit", "/people", "/sources/{lake}"]
#: Addresses without a page made of the catalog, or whose page another test opens with what it shows.
APART = """/account /login /login/provider /login/provider/back /glossary.{form} /reports/{kind}.{form} /audit.csv
    /reports/filed/{whose}/{name}
    /tables/{table_id}/checks/{rule_id:int} /tables/{table_id}/checks/preview/{run_id}""".split()


def test_rules_are_written_for_other_tools(shelf: Any, assay: Ask) -> None:
    for form in ("odcs", "dqdl", "dqx", "gx", "check"):
        told = assay("rule", "export", "sales/orders", "--as", form)
        assert told["format"] == form
        assert told["lost"]
        assert all(one["why"] and one["words"] for one in told["lost"])
    for words, path in (
        (("--for", "unity", "--proposed"), "?proposed=true"),
        (("--for", "delta", "--proposed"), "?system=delta&proposed=true"),
    ):
        told = assay("tag", "sql", "sales/orders", *words)
        assert told == api(shelf, f"tables/{shelf.ids['sales/orders']}/tags/sql{path}")
        assert told["statements"]
    assert '"expectations"' in assay("rule", "export", "sales/orders", "--as", "gx")["written"]


def test_every_page_is_asked_what_it_is_made_of(shelf: Any) -> None:
    asked = [address(one, shelf.ids).partition("?")[0] for one in ALL_PAGES]
    for module in MODULES:
        for route in module.router.routes:
            if "GET" in route.methods and route.path not in APART:
                assert any(route.path_regex.fullmatch(one) for one in asked), route.path


@pytest.mark.parametrize("pattern", ALL_PAGES)
def test_pages_are_made_of_what_programs_are_told(shelf: Any, monkeypatch: pytest.MonkeyPatch, pattern: str) -> None:
    """No row of the database is handed to a template: what is hidden is hidden before, in one place."""
    seen: list[dict[str, Any]] = []
    render = Template.render

    def watched(self: Template, **context: Any) -> str:
        seen.append(context)
        return render(self, **context)

    monkeypatch.setattr(Template, "render", watched)
    answer = shelf.client.get(address(pattern, shelf.ids))
    assert answer.status_code == 200, answer.text[:2000]
    (context,) = seen
    del context["request"]
    assert not sorted(set(rows_in(context, "")))
