"""What a single version teaches of strings, and that it is learned again, from what is healthy, as batches come."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from sqlmodel import select

from catalog.checks.feedback import FALSE_ALARM
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source
from catalog.flow.learning import propose
from catalog.flow.learning.index import open_index
from catalog.flow.reading.sources import add_source
from catalog.rules.kinds.strings import StringsRule
from catalog.rules.rule import Rule
from catalog.rules.verdict import VIOLATED, Batch
from catalog.states.folding.fold import fold
from catalog.store.expectations.rules import active_rules, as_rule
from catalog.store.incidents import outcomes
from catalog.store.lake import tables
from catalog.store.models import Incident, RuleRow, Table

pytestmark = pytest.mark.spark


def orders(day: int, *, wrong: bool = False) -> pa.Table:
    rng = random.Random(day)
    form = "#ref!" if wrong else "SO-{}"
    return pa.table({"order": [form.format(rng.randrange(10000, 99999)) for _ in range(40)]})


def string_rules(context: Context, name: str) -> list[RuleRow]:
    with context.reading() as session:
        table = tables.get_table(session, name)
        return [row for row in active_rules(session, table.id or 0) if row.learner == "strings"]


def learned_rows(context: Context, name: str) -> int:
    """Rows that the table's string rule was learned from."""
    found = string_rules(context, name)
    assert [row.column_name for row in found] == ["order"]
    return int(as_rule(found[0]).params["rows"])


def test_a_rule_is_learned_again_from_more_rows_unless_wrong_ones_are_among_them(
    context: Context, tmp_path: Path
) -> None:
    root = tmp_path / "lake"
    for name in ("good", "hurt"):
        for day in range(2):
            write_deltalake(str(root / name), orders(day), mode="append")
    source = add_source(context, "lake", str(root)).id or 0
    crawl_source(context, source)
    assert learned_rows(context, "good") == learned_rows(context, "hurt") == 80
    for day in range(2, 8):
        write_deltalake(str(root / "good"), orders(day), mode="append")
        write_deltalake(str(root / "hurt"), orders(day, wrong=day == 4), mode="append")
        crawl_source(context, source)
    assert learned_rows(context, "good") >= 6 * 40
    assert learned_rows(context, "hurt") == 80


def test_a_rule_asks_for_what_its_column_is_tagged_with(context: Context, tmp_path: Path) -> None:
    """Two capitals are many things; that they are countries is known from what the column is called, and read."""
    rng, path = random.Random(1), str(tmp_path / "lake" / "shops")
    codes = "US DE FR GB IT ES NL PL SE CH AT DK NO FI PT IE BE CZ HU RO".split()
    for _ in range(2):
        column = [rng.choice(codes) for _ in range(300)]
        shelf = [rng.choice("ABCDEFGHJKLMNPQRSTUVWXYZ") + rng.choice("QXYZJW") for _ in range(300)]
        write_deltalake(path, pa.table({"country_code": column, "shelf": shelf}), mode="append")
    crawl_source(context, add_source(context, "lake", str(tmp_path / "lake")).id or 0)
    rules = {row.column_name: row.sentence for row in string_rules(context, "shops")}
    assert "country codes" in rules["country_code"]
    assert "country codes" not in rules.get("shelf", "")


def test_an_empty_table_teaches_nothing_and_forgets_nothing(context: Context, tmp_path: Path) -> None:
    path = str(tmp_path / "lake" / "late")
    write_deltalake(path, orders(0).slice(0, 0))
    source = add_source(context, "lake", str(tmp_path / "lake")).id or 0
    crawl_source(context, source)
    assert string_rules(context, "late") == []
    write_deltalake(path, orders(1), mode="append")
    crawl_source(context, source)
    assert learned_rows(context, "late") == 40
    write_deltalake(path, orders(1).slice(0, 0), mode="overwrite")
    crawl_source(context, source)
    assert learned_rows(context, "late") == 40


def people(*extra: str) -> pa.Table:
    rng = random.Random(7)
    return pa.table({"name": [*(f"user{rng.randrange(10**6)}" for _ in range(400)), *extra]})


def told(rules: list[Rule], rows: pa.Table) -> bool:
    batch = Batch(9, "snapshot", fold(rows), None, [["name", "string"]], datetime(2026, 1, 1, tzinfo=UTC))
    return any(rule.judge(batch).status == VIOLATED for rule in rules)


def test_what_was_called_false_is_not_demanded_as_strictly_again(context: Context, tmp_path: Path) -> None:
    path = str(tmp_path / "lake" / "people")
    write_deltalake(path, people())
    source = add_source(context, "lake", str(tmp_path / "lake")).id or 0
    crawl_source(context, source)
    new, other = people(*(f"{i}-Q{i}#" for i in range(24))), pa.table({"name": [f"{i}-Q{i}#" for i in range(400)]})
    assert told([as_rule(row) for row in string_rules(context, "people")], new)
    write_deltalake(path, people(*(f"X_{i}@ %" for i in range(24))), mode="overwrite")
    crawl_source(context, source)
    with context.transaction() as session:
        raised = [one for one in session.exec(select(Incident)) if one.column_name == "name" and one.status == "new"]
        assert raised
        for incident in raised:
            outcomes.resolve(session, incident.id, FALSE_ALARM, actor="steward")
    write_deltalake(path, people(), mode="overwrite")
    crawl_source(context, source)
    rules = [as_rule(row) for row in string_rules(context, "people")]
    assert not told(rules, new), [rule.sentence for rule in rules]
    assert told(rules, other), [rule.sentence for rule in rules]


SHOPS = [f"{name} {place}" for name in ("Mill", "Harbour", "Station") for place in ("Road", "Street", "Lane", "Hill")]
OTHER_SHOPS = ["Market/North", "Market/South", "Airport/One"]


def sales(day: int, shops: list[str], form: str = "SO-{}") -> pa.Table:
    rng = random.Random(day)
    return pa.table(
        {
            "order": [form.format(rng.randrange(10000, 99999)) for _ in range(300)],
            "shop": [rng.choice(shops) for _ in range(300)],
        }
    )


def levels(context: Context, name: str, version: int) -> dict[str, str]:
    """What is said of each column of a version."""
    with context.reading() as session:
        table = tables.get_table(session, name)
        found = session.exec(select(Incident).where(Incident.table_id == table.id, Incident.last_version == version))
        return {one.column_name: one.level for one in found if one.column_name}


def test_one_version_makes_alarms_only_of_what_is_surely_wrong(context: Context, tmp_path: Path) -> None:
    root = tmp_path / "lake"
    second = {
        "grown": sales(1, [*SHOPS, *OTHER_SHOPS]),  # shops that the first version did not have: nobody knows
        "quoted": sales(1, [f'"{shop}"' for shop in SHOPS]),  # values rewritten in a known way
        "wrong": sales(1, SHOPS, "see note on {}, please"),  # hardly any order is what all were
    }
    for name in second:
        write_deltalake(str(root / name), sales(0, SHOPS))
    source = add_source(context, "lake", str(root)).id or 0
    crawl_source(context, source)
    assert all(as_rule(row).params["untried"] for name in second for row in string_rules(context, name))
    for name, rows in second.items():
        write_deltalake(str(root / name), rows, mode="append")
    crawl_source(context, source)
    said = {name: levels(context, name, 1) for name in second}
    assert said == {"grown": {"shop": "warning"}, "quoted": {"shop": "error"}, "wrong": {"order": "error"}}
    rules = {name: [as_rule(row).params.get("untried") for row in string_rules(context, name)] for name in second}
    assert rules == {"grown": [None, None], "quoted": [True, True], "wrong": [True, True]}  # not learned from suspects
    write_deltalake(str(root / "grown"), sales(2, [*SHOPS, *OTHER_SHOPS]), mode="append")
    crawl_source(context, source)
    assert levels(context, "grown", 2) == {}  # its rule was put to the test by the second version


def test_what_can_only_be_a_warning_is_stated_as_no_false_alarm(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, index = Table(id=1, source_id=1, name="sales", uri="", mode="increment"), open_index(context.settings)

    def stated() -> dict[str, StringsRule]:
        found = propose.column_rules(table, fold(sales(0, SHOPS)), index, 1, 0.01, {}, {})
        return {rule.column or "": rule for rule in found if isinstance(rule, StringsRule)}

    alarming = stated()
    monkeypatch.setattr(StringsRule, "untried", lambda rule, named: rule)
    for name, rule in stated().items():
        assert any(one.risk_certain < one.risk_stated for one in rule.program)
        assert alarming[name].clauses == rule.clauses
        assert (alarming[name].fpr or 0.0) < (rule.fpr or 0.0), "the weekly budget has room for the difference"


def test_what_was_never_tried_states_more_than_the_calibration_says(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, index = Table(id=1, source_id=1, name="sales", uri="", mode="increment"), open_index(context.settings)

    def stated(rows: int) -> dict[str, tuple[str, float, float]]:
        """Of each column what its rule says, how much else there may be at the least, and what it states."""
        found = propose.column_rules(table, fold(sales(0, SHOPS).slice(0, rows)), index, 1, 0.01, {}, {})
        return {
            rule.column or "": (
                rule.sentence,
                min(one.theta for one in rule.program if one.candidate.says_what),
                rule.fpr or 0.0,
            )
            for rule in found
            if isinstance(rule, StringsRule)
        }

    careful, careful_of_few = stated(300), stated(20)
    monkeypatch.setattr(propose, "UNTRIED", 1.0)
    usual, usual_of_few = stated(300), stated(20)
    assert all("“SO-” and five digits" in found["order"][0] for found in (careful, usual))
    assert careful["order"][2] > usual["order"][2]
    assert careful_of_few["shop"][1] > usual_of_few["shop"][1]
