"""Declared checks on a real lake: applied from a file, counted once per data file, judged on every version."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from sqlmodel import func, select

from catalog.declared.check import Check
from catalog.declared.files import FileError, read_checks
from catalog.errors import NotFound
from catalog.flow.checking.declared import apply_checks, preview, table_of
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source
from catalog.flow.reading.sources import add_source
from catalog.store.access import audit
from catalog.store.expectations import rules
from catalog.store.incidents import outcomes
from catalog.store.models import PartState

pytestmark = pytest.mark.spark

CHECKS = """
tables:
  shop/orders:
    - is_complete: id
    - is_unique: id
      hint: the importer ran twice
    - is_in: currency
      values: [EUR, USD]
      scope: batch
    - satisfies: upper(currency) = currency
      name: capitals
    - is_positive: amount
      where: currency = 'EUR'
      level: warning
    - satisfies: nope > 1
      name: mistaken
"""


def batch(first: int, rows: int = 20, **changed: list) -> pa.Table:
    columns = {
        "id": list(range(first, first + rows)),
        "currency": ["EUR", "USD"] * (rows // 2),
        "amount": [float(n % 7 + 1) for n in range(rows)],
    }
    return pa.table(columns | changed)


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    for version in range(4):
        write_deltalake(str(tmp_path / "lake" / "orders"), batch(20 * version), mode="append")
    return tmp_path / "lake"


def said(context: Context, version: int) -> dict[str, str]:
    with context.reading() as session:
        table = table_of(context, "shop/orders")
        found = outcomes.list_outcomes(session, table.id, version=version)
    return {rule.learner.removeprefix("declared:"): one.status for one, rule in found if rule.kind == "declared"}


def counted(context: Context) -> int:
    with context.reading() as session:
        return session.exec(select(func.count()).select_from(PartState)).one()


def test_checks_of_a_file_judge_every_version_after_it(context: Context, lake: Path) -> None:
    source = add_source(context, "shop", str(lake))
    crawl_source(context, source.id)
    checks = read_checks(CHECKS)
    names = {constraint.name for constraint in checks[0].constraints}

    (dry,) = apply_checks(context, checks, dry_run=True)
    assert set(dry.added) == names
    assert said(context, 3) == {}
    apply_checks(context, checks)
    with context.reading() as session:
        (event,) = audit.all_events(session, kind="table")
    assert (event.actor, event.action, set(event.after["added"])) == ("local", "declare", names)
    (again,) = apply_checks(context, checks, dry_run=True)
    assert (set(again.kept), again.added, again.changed, again.retired) == (names, [], [], [])

    write_deltalake(str(lake / "orders"), batch(80), mode="append")
    crawl_source(context, source.id)
    passed = dict.fromkeys(names - {"mistaken"}, "passed")
    assert said(context, 4) == {**passed, "mistaken": "violated"}

    once = counted(context)
    bad = batch(95, id=[95, None, *range(97, 115)], currency=["EUR", "usd"] * 10, amount=[-1.0] * 20)
    write_deltalake(str(lake / "orders"), bad, mode="append")
    crawl_source(context, source.id)
    # ids 95 to 99 came in the version before
    assert said(context, 5) == {
        "is_complete_id": "violated", "is_unique_id": "violated", "is_in_currency": "violated", "capitals": "violated",
        "is_positive_amount": "violated", "mistaken": "violated",
    }  # fmt: skip
    assert counted(context) == once + 6, "only the new file is counted"
    table = table_of(context, "shop/orders")
    with context.reading() as session:
        found = {rule.learner: one for one, rule in outcomes.list_outcomes(session, table.id, version=5)}
        levels = {row.learner: row.level for row in rules.active_rules(session, table.id)}
    assert "there is no column 'nope'" in found["declared:mistaken"].sentence
    assert [row["currency"] for row in found["declared:is_in_currency"].rows][:2] == ["usd", "usd"]
    assert [row["id"] for row in found["declared:is_complete_id"].rows] == [None]
    assert levels["declared:is_positive_amount"] == "warning"


def test_a_check_that_a_file_leaves_out_is_retired_and_its_results_stay(context: Context, lake: Path) -> None:
    source = add_source(context, "shop", str(lake))
    crawl_source(context, source.id)
    apply_checks(context, [Check("shop/orders").is_unique("id").has_size(at_least=1)])
    write_deltalake(str(lake / "orders"), batch(80), mode="append")
    crawl_source(context, source.id)
    (change,) = apply_checks(context, [Check("shop/orders").has_size(at_least=2)])
    assert (change.added, change.changed, change.retired) == ([], ["has_size"], ["is_unique_id"])
    assert said(context, 4) == {"is_unique_id": "passed", "has_size": "passed"}
    write_deltalake(str(lake / "orders"), batch(100), mode="append")
    crawl_source(context, source.id)
    assert said(context, 5) == {"has_size": "passed"}


def test_nothing_of_a_wrong_file_is_applied(context: Context, lake: Path) -> None:
    source = add_source(context, "shop", str(lake))
    crawl_source(context, source.id)
    with pytest.raises(NotFound):
        apply_checks(context, [Check("shop/orders").is_unique("id"), Check("shop/nope").is_unique("id")])
    with pytest.raises(FileError, match="line 4"):
        apply_checks(context, read_checks("tables:\n  shop/orders:\n    - is_complete: id\n    - is_complet: id\n"))
    with context.reading() as session:
        table = table_of(context, "shop/orders")
        assert not [row for row in rules.active_rules(session, table.id) if row.kind == "declared"]


def test_a_preview_tells_on_how_many_versions_it_would_have_failed(context: Context, lake: Path) -> None:
    source = add_source(context, "shop", str(lake))
    write_deltalake(str(lake / "orders"), batch(70), mode="append")  # ten ids again
    DeltaTable(str(lake / "orders")).delete("id >= 70 AND id < 80")
    crawl_source(context, source.id)
    table = table_of(context, "shop/orders")
    found = preview(context, table, Check("shop/orders").is_unique("id").has_size(at_least=60))
    statuses = {name: [verdict.status for _, verdict in verdicts] for name, verdicts in found.items()}
    assert statuses["is_unique_id"] == ["passed", "passed", "passed", "passed", "violated", "passed"]
    assert statuses["has_size"] == ["violated", "violated", "passed", "passed", "passed", "passed"]
    assert said(context, 4) == {}
