"""A new kind of rule is one file: it is judged, shown, masked, compared, exported and drilled, and nothing else of the
product is changed for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from toy_rule import AllowedRule

from catalog.checks.drill import backtest, drill
from catalog.lake.reading.rows import wrong
from catalog.rules import rule as kinds
from catalog.rules.rule import Rule, register
from catalog.rules.verdict import NOT_APPLICABLE, PASSED, VIOLATED, Batch
from catalog.states.folding.fold import fold
from catalog.store.engine import session
from catalog.store.expectations import budget, rules
from catalog.store.export import OUTCOMES, outcome_batches
from catalog.store.incidents import outcomes
from catalog.store.lake import tables
from catalog.store.meaning import privacy
from catalog.store.models import now

WORDS = ["blue", "red"]


@pytest.fixture(autouse=True)
def known() -> Iterator[None]:
    register(AllowedRule)
    yield
    for kind in AllowedRule.meanings:
        del kinds._KINDS[kind]


def allowed(column: str = "status", values: list[str] = WORDS, **more: object) -> Rule:
    said = f"every value is {' or '.join(values)}"
    return Rule("allowed", column, {"values": values}, None, said, "person", hint="ask the shop", **more)  # type: ignore[arg-type]


def batch(values: list[str], column: str = "status", **more: object) -> Batch:
    return Batch(99, "increment", fold(pa.table({column: values})), None, [[column, "string"]], now(), **more)  # type: ignore[arg-type]


def test_it_is_read_back_and_judged() -> None:
    rule = allowed()
    assert isinstance(rule, AllowedRule)
    assert Rule.from_json(rule.to_json()) == rule
    assert rule.judge(batch(["red", "blue"])).status == PASSED
    said = rule.judge(batch(["red", "green"]))
    assert (said.status, said.sentence) == (VIOLATED, "1 values are none of blue, red.")
    assert wrong(pa.array(["red", "green"]), said.offenders).to_pylist() == [False, True]


def test_its_scope_is_the_batch_or_the_table_as_it_stands() -> None:
    new, whole = batch(["green"]), fold(pa.table({"status": ["red", "blue"]}))
    assert allowed().judge(new).status == VIOLATED
    of_table = allowed(scope="table")
    assert of_table.needs.whole
    assert of_table.judge(replace(new, whole=whole)).status == PASSED
    assert of_table.judge(new).status == NOT_APPLICABLE
    assert of_table.fingerprint != allowed().fingerprint


def test_a_second_table_is_asked_for_by_name() -> None:
    rule = allowed(other="shop/colours")
    assert rule.needs.others == ("shop/colours",)
    assert rule.judge(batch(["red"])).status == NOT_APPLICABLE
    assert rule.judge(batch(["red"], others={"shop/colours": fold(pa.table({"name": WORDS}))})).status == PASSED


def test_it_is_tried_and_drilled() -> None:
    rule = allowed()
    healthy = batch(["red", "blue"] * 50)
    found = drill([rule], pa.table({"status": ["red", "blue"] * 50}), healthy)
    assert found.quiet
    assert found.recall()["perturbation"] > 0.5
    assert set(found.fired["perturbation"]) == {"allowed"}
    past = backtest(rule, [healthy, batch(["green"])], per_month=30.0)
    assert (past.judged, len(past.alarms), past.expected_per_month) == (2, 1, 15.0)


def test_it_is_shown_compared_exported_and_held_to_no_rate(site) -> None:
    table_id = site.ids["sales/orders"]
    with session(site.engine) as db:
        rules.put_rules(db, table_id, [allowed()], learners="person", since_version=1)
        rules.put_rules(db, table_id, [allowed(values=["blue", "green", "red"])], learners="person", since_version=2)
        row = next(one for one in rules.active_rules(db, table_id) if one.kind == "allowed")
        assert (row.stated_fpr, row.revision) == (None, 2)
        said = outcomes.outcome_row(table_id, 40, row.id or 0, rules.as_rule(row).judge(batch(["pink"])))
        outcomes.follow_up(db, outcomes.record_outcomes(db, [said]))
        assert row.id not in {one.rule_id for one in budget.accounts(db, table_id)}
        told = pa.Table.from_batches(outcome_batches(db, table_id=table_id), schema=OUTCOMES).to_pylist()
        assert [(one["sentence"], one["fpr"]) for one in told if one["rule_kind"] == "allowed"] == [
            ("1 values are none of blue, green, red.", None)
        ]
        number = row.id
    page = site.client.get(f"/rules/{number}").text
    assert "every value is blue or green or red" in page
    assert "the values of a column are in a list that a person wrote" in page
    assert "none stated" in page
    assert "loosened" in page
    assert "Allowed" in site.client.get("/rules?kind=allowed").text or "allowed" in site.client.get("/rules").text
    assert site.client.get(f"/api/v1/rules/{number}").json()["fpr"] is None
    newest = site.client.get(f"/api/v1/rules/{number}/revisions").json()[0]
    assert [(one["clause"], one["change"]) for one in newest["changes"]] == [("values", "loosened")]


def test_of_a_sensitive_column_it_tells_no_value(site) -> None:
    table_id = site.ids["sales/orders"]
    with session(site.engine) as db:
        rules.put_rules(db, table_id, [allowed("customer_email")], learners="person", since_version=1)
        row = next(one for one in rules.active_rules(db, table_id) if one.kind == "allowed")
        assert row.sentence == "every value is one of 2 allowed values"
        hide = privacy.hiding(db, table_id)
        assert privacy.shown_params(row, hide) == {"values": 2}
        rule = rules.as_rule(row).private()
        said = rule.hide(rule.judge(batch(["pink"], "customer_email")))
        assert (said.sentence, said.offenders) == ("1 values are not allowed.", {})
        number = row.id
        assert tables.get_table(db, table_id).id == table_id
    shown = site.client.get(f"/api/v1/rules/{number}").text + site.client.get(f"/rules/{number}").text
    assert not [word for word in WORDS if f">{word}<" in shown or f'"{word}"' in shown]


REPOSITORY = Path(__file__).resolve().parents[3]
#: Rooms that judge by a rule's class and never by its name.
ROOMS = ("checks", "flow", "store", "learners", "cli", "demo", "tags")


def test_no_code_outside_the_kinds_asks_which_kind_a_rule_is() -> None:
    names = [*kinds.kinds()]
    signs = [f'kind == "{name}"' for name in names] + [f'kind != "{name}"' for name in names]
    signs += [f'kind in ("{name}"' for name in names] + [f'kind not in ("{name}"' for name in names]
    signs += ['" in clause', 'clause["kind"]', "clause.get("]
    folders = [*(REPOSITORY / "catalog" / room for room in ROOMS), REPOSITORY / "web", REPOSITORY / "workers"]
    found = [
        f"{path.relative_to(REPOSITORY)}: {sign}"
        for folder in folders
        for path in folder.rglob("*.py")
        for sign in signs
        if sign in path.read_text(encoding="utf-8")
    ]
    assert found == []
