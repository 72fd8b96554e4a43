"""Rules as catalogs keep them, written by an earlier release: they are read, are the same rules, and judge as they did.

`rules/stored.json` was learned from made-up columns and series; each entry has the body of a rule as stored, its
fingerprint, and what it said: of texts, which of its clauses alarm on a batch of them, of a series, its verdict at a
place. Words for people may change; what is kept here may not: a key that is renamed is read under its old name too
(`FORMER_KEYS`; stored catalogs are migrated).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from catalog.evidence.pattern_index.views import profile_rows
from catalog.rules.clauses.clause import FORMER_KEYS
from catalog.rules.kinds.history import HistoryRule
from catalog.rules.kinds.strings import StringsRule
from catalog.rules.rule import Rule

STORED: list[dict[str, Any]] = json.loads((Path(__file__).parent / "rules" / "stored.json").read_text())


def name(one: dict[str, Any]) -> str:
    return f"{one['body']['kind']}-{one['body']['column']}-{one['fingerprint'][:4]}"


@pytest.mark.parametrize("one", STORED, ids=name)
def test_a_stored_rule_is_the_rule_it_was(one: dict[str, Any]) -> None:
    rule = Rule.from_json(one["body"])
    assert rule.fingerprint == one["fingerprint"]
    assert json.loads(json.dumps(rule.to_json())) == one["body"]
    clauses = one["body"]["params"].get("clauses", [])
    read = [one | {"kind": FORMER_KEYS.get(one["kind"], one["kind"])} if "kind" in one else one for one in clauses]
    assert [clause.to_json() for clause in rule.clauses] == read
    assert all(clause.sentence() for clause in rule.clauses)


@pytest.mark.parametrize("one", [one for one in STORED if one.get("said")], ids=name)
def test_a_stored_rule_judges_as_it_did(one: dict[str, Any]) -> None:
    rule, said = Rule.from_json(one["body"]), one["said"]
    if isinstance(rule, StringsRule):
        now = [[text, [found.alarm for found in rule.findings(profile_rows([text] * 200))]] for text, _ in said]
    else:
        assert isinstance(rule, HistoryRule)
        series = one["series"]
        now = [[at, rule.judge_metrics(series[at], series[max(at - 10, 0) : at]).status] for at, _ in said]
    assert now == said


def test_what_is_kept_holds_each_kind_that_is_learned() -> None:
    kinds = {one["body"]["kind"] for one in STORED}
    assert {"pattern", "history", "volume", "schema", "key", "new_key"} <= kinds
    clauses = {clause.get("kind") for one in STORED for clause in one["body"]["params"].get("clauses", [])}
    assert {"presence", "domain", "formats", "span", "wide", "tokens", "clean"} <= clauses
