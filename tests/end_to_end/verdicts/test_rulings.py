"""People's rulings by the command: clauses, revisions, the ledger of false alarms, what a batch is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from singly import upsert_table

from catalog.cli import main
from catalog.flow.context import Context
from catalog.rules.rule import Rule
from catalog.rules.verdict import VIOLATED, Verdict
from catalog.settings import get_settings
from catalog.store.expectations import rules
from catalog.store.incidents import outcomes
from catalog.store.lake import sources, tables, versions
from catalog.store.models import now
from catalog.store.pages import work

MEAN = {"metric": "mean", "lag": 0, "log": False, "center": 5.0, "low": 4.0, "high": 6.0, "fpr": 0.0005}
NULLS = {"metric": "complete_ratio", "lag": 0, "log": False, "center": 1.0, "low": 0.99, "high": 1.01, "fpr": 0.0005}
PRICE = Rule("history", "price", {"clauses": [MEAN, NULLS]}, 0.001, "Column 'price' stays: x.", "avh")

Run = Callable[..., Any]


@pytest.fixture
def assay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """Runs a command in this process, over a catalog with one table; the JSON that it prints."""
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path))
    get_settings.cache_clear()
    context = Context(get_settings())
    with context.transaction() as session:
        table = upsert_table(session, sources.add_source(session, "lake", "/lake").id, "orders", "/lake/orders")
        tables.set_columns(session, table.id, [["price", "double"]])
        tables.set_profile(session, table.id, {"price": {"rows": 3}})
        rules.put_rules(session, table.id, [PRICE], learners="avh", since_version=-1)
    context.close()

    def run(*words: str, code: int = 0) -> Any:
        capsys.readouterr()
        assert main([*words, "--json"]) == code, capsys.readouterr()
        said = capsys.readouterr().out
        assert main([*words]) in (0, 1, 2, 3)  # the same for people
        capsys.readouterr()
        return json.loads(said) if said else None

    yield run
    get_settings.cache_clear()


def alarm(number: int) -> int:
    """The price rule breaks at a version; the id of the incident."""
    context = Context(get_settings())
    with context.transaction() as session:
        table = tables.get_table(session, "orders")
        versions.record_versions(session, table.id, [{"number": number, "committed_at": now(), "batch": "snapshot"}])
        row = rules.active_rules(session, table.id)[0]
        said = outcomes.outcome_row(table.id, number, row.id, Verdict(VIOLATED, "Column 'price': mean is 9."))
        outcomes.follow_up(session, outcomes.record_outcomes(session, [said]))
        versions.mark_judged(session, table.id, number)
        opened = work.find_incidents(session, status="open").items
    context.close()
    return opened[0].Incident.id if opened else 0


def test_clauses_are_ruled_on_and_revisions_compared(assay: Run) -> None:
    (rule,) = assay("rule", "list", "orders")["items"]
    assert main(["rule", "loosen", str(rule["id"]), "--clause", "mean"]) == 0
    (rule,) = assay("rule", "list", "orders")["items"]
    assert rule["revision"] == 2
    newest, first = assay("rule", "history", "orders", "price")
    assert assay("rule", "history", str(newest["id"])) == [newest, first]  # as all commands on rules take one
    assert newest["changed"] == {"loosened": 1}
    assert newest["changes"][0]["before"] == "the average is 4 to 6"
    assert newest["changes"][0]["after"] == "the average is 3 to 7"
    assert first["first"]
    assert main(["rule", "reject", str(rule["id"]), "--clause", "mean"]) == 0
    (rule,) = assay("rule", "list", "orders")["items"]
    shown = assay("rule", "show", str(rule["id"]))
    assert [(one["clause"], one["in_force"], one.get("decided")) for one in shown["clauses"]] == [
        ("complete_ratio", True, None),
        ("mean", False, "rejected"),
    ]
    assert [one["what"] for one in shown["events"]] == ["rejected", "loosened"]
    assert main(["rule", "resume", str(rule["id"]), "--clause", "mean"]) == 0
    assert main(["rule", "resume", str(rule["id"]), "--clause", "mean"]) == 3  # an old revision
    old = rule["id"]
    (rule,) = assay("rule", "list", "orders")["items"]
    assert assay("rule", "show", str(old))["stands"] == rule["id"]
    assert assay("rule", "show", str(rule["id"]))["stands"] == rule["id"]
    assert assay("rule", "pause", str(rule["id"]))["status"] == "paused"
    assert assay("rule", "accept", str(rule["id"]))["status"] == "active"


def test_a_rule_that_is_switched_off_says_why(assay: Run) -> None:
    (rule,) = assay("rule", "list", "orders")["items"]
    assert main(["rule", "reject", str(rule["id"]), "--clause", "mean", "--reason", "seasonal"]) == 0
    (rule,) = assay("rule", "list", "orders")["items"]
    assert main(["rule", "reject", str(rule["id"]), "--reason", "of no use"]) == 0
    told = [(one["what"], one["reason"]) for one in assay("rule", "show", str(rule["id"]))["events"]]
    assert told == [("rejected", "of no use"), ("rejected", "seasonal")]
    logged = {one["kind"]: one["reason"] for one in assay("audit", "list")["items"]}
    assert (logged["rule"], logged["clause"]) == ("of no use", "seasonal")


def test_what_the_page_folds_away_comes_last_and_is_called_minor(
    assay: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    spread = {**MEAN, "metric": "len_std"}
    context = Context(get_settings())
    with context.transaction() as session:
        table = tables.get_table(session, "orders")
        rule = Rule("history", "price", {"clauses": [spread, MEAN]}, 0.001, "Column 'price' stays: x.", "avh")
        rules.put_rules(session, table.id, [rule], learners="avh", since_version=0)
    context.close()
    (rule_id,) = (one["id"] for one in assay("rule", "list", "orders")["items"])
    assert {one["clause"]: one["is_minor"] for one in assay("rule", "show", str(rule_id))["clauses"]} == {
        "len_std": True,
        "mean": False,
    }
    assert main(["rule", "show", str(rule_id)]) == 0
    told = capsys.readouterr().out.splitlines()
    (mean,) = (at for at, line in enumerate(told) if "the average is 4 to 6" in line and "clause" not in line)
    (minor,) = (at for at, line in enumerate(told) if "minor" in line)
    assert mean < minor


def test_false_alarms_demote_a_rule_which_then_warns(assay: Run, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(2):
        capsys.readouterr()
        incident = alarm(number)
        assert main(["incident", "resolve", str(incident), "--reason", "FalsePositive", "--json"]) == 0
    (change,) = json.loads(capsys.readouterr().out)["rules"]
    assert change["demoted"]
    told = assay("table", "budget", "orders", code=2)  # two are more than one
    assert (told["false"], told["demoted"], told["over"]) == (2, 1, True)
    assert told["accounts"][0]["demoted"]
    warning = alarm(2)
    assert [(one["id"], one["level"]) for one in assay("incident", "list")["items"]] == [(warning, "warning")]
    assert assay("table", "list")["items"][0]["open_incidents"] == 1
    assert main(["check", "run", "orders", "--no-crawl"]) == 2
    assert main(["incident", "resolve", str(warning), "--reason", "OutOfBounds"]) == 0  # it was right
    assert assay("table", "budget", "orders", code=2)["confirmed"] == 1
    (rule,) = assay("rule", "list", "orders")["items"]
    assert "false alarms" in rule["demotion"]
    assert main(["rule", "promote", str(rule["id"])]) == 0
    assert main(["check", "run", "orders", "--no-crawl"]) == 1
    assert alarm(3) > 0


def test_an_answer_is_taken_back_and_a_rule_demoted_by_hand(assay: Run, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(2):
        incident = alarm(number)
        assert main(["incident", "resolve", str(incident), "--reason", "FalsePositive"]) == 0
    assert "only warns" in capsys.readouterr().out
    assert main(["table", "show", "orders"]) == 0
    assert "undo: assay rule promote" in " ".join(capsys.readouterr().out.split())
    assert main(["incident", "reopen", str(incident), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["status"], told["taken_back"].split()[0]) == ("new", "FalsePositive")
    assert [change["demoted"] for change in told["rules"]] == [False]
    assert main(["incident", "reopen", str(incident)]) == 3  # it is open
    (rule,) = assay("rule", "list", "orders")["items"]
    assert rule["demotion"] is None
    assert main(["rule", "demote", str(rule["id"]), "--reason", "a sale"]) == 0
    (rule,) = assay("rule", "list", "orders")["items"]
    assert rule["demotion"] == "a sale"


def test_the_history_of_a_table_is_told(assay: Run) -> None:
    alarm(0)
    assert assay("table", "show", "orders")["history"]["words"]
    context = Context(get_settings())
    with context.transaction() as session:
        quiet = {"number": 1, "committed_at": now(), "batch": "snapshot"}
        versions.record_versions(session, tables.get_table(session, "orders").id, [quiet])
    context.close()
    assert main(["table", "label", "orders", "0", "healthy"]) == 3  # a rule broke in it
    assert assay("table", "label", "orders", "1", "incident") == {"number": 1, "label": "incident"}
    told = assay("table", "mode", "orders", "increment", "--no-crawl")
    assert (told["mode"], told["pinned"]) == ("increment", True)
    assert main(["table", "mode", "orders", "weekly"]) == 3
