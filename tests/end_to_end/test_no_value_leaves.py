"""A lake of marked values goes through, breaks rules and fails: no page, answer, command, export, log or row that is
kept to be read holds one of them.

What judging needs stays in the catalog in a form of its own: states and metrics as bytes, and rules' bodies.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import sqlalchemy
from deltalake import write_deltalake
from fastapi.testclient import TestClient

from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source
from catalog.flow.export import export_results
from catalog.flow.reading.sources import add_source
from catalog.store.engine import upgrade
from catalog.store.expectations import rules
from catalog.store.lake import tables
from web.app import create_app

pytestmark = pytest.mark.spark

NAMES = ("Ann", "Bob", "Zoe", "Mia", "Leo", "Eva", "Tom", "Ida")
IBANS = ("GB82WEST12345698765432", "DE89370400440532013000", "FR1420041010050500013M02606")
CARDS = (4111111111111111, 5555555555554444, 4012888888881881)
#: What no text that people or programs get may hold: parts of values, so that no rendering hides them.
MARKS = ("markedperson", "marked.example", "WEST1234", "WEST 1234", "37040044", "20041010", "41111111", "4111 1111")
MARKS += ("55555555", "40128888", "71.1234", "71.8", "secretpass", "Markedstreet", "198.51.100.", "536-90-43")
#: Parts of the catalog from which judging reads; they are bytes or bodies of rules, shown nowhere.
KEPT = {("rule", "body")}


def batch(day: int, *, bad: bool = False) -> pa.Table:
    """Rows with marked values in columns, structs, lists, maps and notes. A bad batch breaks what was learned."""
    count = 80
    mail = [f"{NAMES[i % 8].lower()}.markedperson{day * count + i}@marked.example" for i in range(count)]
    notes = [f"parcel {i} was delivered on time and nobody complained about it" for i in range(count)]
    notes[3] = f"please write to {mail[3]} or pay to GB82 WEST 1234 5698 7654 32 with 4111 1111 1111 1111"
    if bad:
        mail = [f"?? {one} ??" for one in mail]
        notes = [f"{one}; {mail[i]}" for i, one in enumerate(notes)]
    return pa.table({
        "id": list(range(day * count, (day + 1) * count)),
        "email": mail,
        "iban": pa.array([None if bad else IBANS[i % 3] for i in range(count)], pa.string()),
        "card": [CARDS[i % 3] if not bad else CARDS[i % 3] * 10 for i in range(count)],
        "latitude": [71.1234 + i / 1000 if not bad else 0.5 for i in range(count)],
        "password": [f"secretpass{i}" if not bad else "" for i in range(count)],
        "client_ip": [f"198.51.100.{i}" if not bad else f"{i}.198.51.100.7" for i in range(count)],
        "note": notes,
        "customer": [{"email": m, "ssn": f"536-90-43{10 + i % 90}", "age": 20 + i % 50} for i, m in enumerate(mail)],
        "contacts": [[{"email": one, "street": f"{i} Markedstreet"}] for i, one in enumerate(mail)],
        "by_kind": pa.array([[("home", one)] for one in mail], pa.map_(pa.string(), pa.string())),
        "amount": [float(i % 13) if not bad else 1e9 for i in range(count)],
    })  # fmt: skip


@pytest.fixture
def crawled(context: Context, tmp_path: Path) -> Context:
    lake = tmp_path / "lake"
    for day in range(12):
        write_deltalake(lake / "people", batch(day), mode="append")
    source = add_source(context, "lake", str(lake))
    crawl_source(context, source.id)
    write_deltalake(lake / "people", batch(12, bad=True), mode="append")
    (lake / "broken" / "_delta_log").mkdir(parents=True)
    told = {"add": {"path": "ann.markedperson1@marked.example.parquet", "size": "x"}}
    (lake / "broken" / "_delta_log" / f"{0:020d}.json").write_text(json.dumps(told))
    crawl_source(context, source.id)
    return context


def test_no_value_leaves(crawled: Context, tmp_path: Path) -> None:
    with crawled.reading() as session:
        table = tables.get_table(session, "people")
        sensitive = {one.name for one in tables.list_columns(session, table.id) if one.sensitive}
        ids = [item.rule.id for item in rules.list_rules(session, table_id=table.id)]
    assert {"email", "iban", "card", "latitude", "password", "client_ip", "customer.email", "customer.ssn"} <= sensitive
    assert "note" not in sensitive  # it only holds some
    assert ids
    found = {**_rows(crawled), **_pages(crawled), **_exports(crawled, tmp_path), **_commands(crawled, ids)}
    assert len(found) > 80
    assert any("violated" in text for text in found.values())
    assert any("aaa.aaaaaaaaaaaa" in text for text in found.values())  # rows were shown, masked
    leaks = [(place, mark, _around(text, mark)) for place, text in found.items() for mark in MARKS if mark in text]
    assert leaks == []


def _around(text: str, mark: str) -> str:
    at = text.index(mark)
    return text[max(0, at - 80) : at + 60]


def _rows(context: Context) -> dict[str, str]:
    """Every text and JSON value of the catalog, by table and column."""
    meta = sqlalchemy.MetaData()
    meta.reflect(context.engine)
    found = {}
    with context.engine.connect() as connection:
        for table in meta.sorted_tables:
            for column in table.columns:
                if (table.name, column.name) not in KEPT and not isinstance(column.type, sqlalchemy.LargeBinary):
                    texts = connection.execute(sqlalchemy.select(column)).scalars()
                    found[f"row {table.name}.{column.name}"] = "\n".join(map(str, texts))
    return found


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
        ]
        wanted += _answers(app, client)
        while wanted:
            path = wanted.pop()
            if path in found or len(found) > 600:
                continue
            answer = client.get(path)
            assert answer.status_code < 500, (path, answer.text[:500])
            found[path] = answer.text
            links = re.findall(r'href="(/[^"#]*)', answer.text)
            wanted += [link.replace("&amp;", "&") for link in links if not link.startswith(("/static", "/tables?"))]
    return {f"page {path}": text for path, text in found.items()}


def _answers(app: Any, client: TestClient) -> list[str]:
    """Addresses of the interface, with ids that there are."""
    ids = {"table_id": [1, 2], "column_id": range(1, 20), "rule_id": range(1, 60), "incident_id": range(1, 20)}
    ids |= {"run_id": [1, 2], "version": [0, 12], "source_id": [1], "tag_id": [1], "domain_id": [1]}
    ids |= {"kind": ["privacy", "governance"], "item_id": [1]}
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


def _commands(context: Context, ids: list[int]) -> dict[str, str]:
    """What commands print for people and for programs, and what they log."""
    environment = {**os.environ, **context.settings.as_environment(), "COLUMNS": "250"}
    environment["ASSAY_DATABASE_URL"] = str(context.engine.url)
    asked = [["table", "list"], ["table", "show", "people"], ["rule", "list"], ["rule", "history", "people"]]
    asked += [
        ["incident", "list"],
        ["run", "list"],
        ["check", "results", "people"],
        ["tag-by-example", "people", "note"],
    ]
    asked += [["rule", "show", str(one)] for one in ids[:3]]
    found = {}
    for words in asked:
        for more in ([], ["--json"]):
            command = [sys.executable, "-m", "catalog.cli", "-v", *words, *more]
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            found[f"command {' '.join(words + more)}"] = done.stdout + done.stderr
    return found
