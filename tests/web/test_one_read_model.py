"""Commands say with ``--json`` what the API answers: one query and one form for each noun."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from catalog.cli import main
from catalog.settings import get_settings

Ask = Callable[..., Any]


@pytest.fixture
def assay(shelf: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Ask]:
    """A command on the catalog that the API of `shelf` answers from."""
    monkeypatch.setenv("ASSAY_HOME", str(shelf.settings.home))
    get_settings.cache_clear()

    def ask(*words: str, code: int | None = 0) -> Any:
        capsys.readouterr()
        ended = main([*words, "--json"])
        assert code in (None, ended)
        return json.loads(capsys.readouterr().out)

    yield ask
    get_settings.cache_clear()


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


def test_things_by_themselves(shelf: Any, assay: Ask) -> None:
    orders = next(one for one in api(shelf, "tables?q=orders")["items"] if one["rules"])
    ref = f"tables/{orders['id']}"
    told = assay("table", "show", f"{orders['source']}/{orders['name']}")
    assert told["table"] == api(shelf, ref)
    assert told["columns"] == api(shelf, f"{ref}/columns?limit=500")["items"]
    assert any(one["sensitive"] for one in told["columns"])
    assert told["versions"] == api(shelf, f"{ref}/versions?limit=10")["items"]
    assert told["history"] == api(shelf, f"{ref}/reach")
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
