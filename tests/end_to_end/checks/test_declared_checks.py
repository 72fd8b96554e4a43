"""Declared checks on a real lake: applied from a file, counted once per data file, judged on every version."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from sqlmodel import delete, func, select

from catalog.declared.check import Check
from catalog.declared.files import read_checks
from catalog.errors import NotFound, UsageError
from catalog.flow.checking.replaying import replay_version
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source
from catalog.flow.declared.counting import apply_checks, table_of
from catalog.flow.declared.present import judge_present, judge_version
from catalog.flow.declared.preview import preview
from catalog.flow.reading.sources import add_source
from catalog.store.access import audit
from catalog.store.expectations import rules
from catalog.store.models import PartState
from catalog.store.pages.rules import find_outcomes

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
        found = find_outcomes(session, table_id=table.id, version=version, limit=1000).items
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
    present = judge_present(context, table_of(context, "shop/orders").id)
    assert (present.version, present.newer) == (3, None)
    assert said(context, 3) == dict.fromkeys(names, "passed"), "checks say at once what they say"
    assert judge_present(context, table_of(context, "shop/orders").id).said == [], "and say it once"
    with context.reading() as session:
        (event,) = audit.all_events(session, kind="table")
    assert (event.actor, event.action, set(event.after["added"])) == ("local", "declare", names)
    (again,) = apply_checks(context, checks, dry_run=True)
    assert (set(again.kept), again.added, again.changed, again.retired) == (names, [], [], [])

    write_deltalake(str(lake / "orders"), batch(80), mode="append")
    crawl_source(context, source.id)
    assert said(context, 4) == dict.fromkeys(names, "passed")

    once = counted(context)
    bad = batch(95, id=[95, None, *range(97, 115)], currency=["EUR", "usd"] * 10, amount=[-1.0] * 20)
    write_deltalake(str(lake / "orders"), bad, mode="append")
    crawl_source(context, source.id)
    # ids 95 to 99 came in the version before
    assert said(context, 5) == {
        "is_complete_id": "violated", "is_unique_id": "violated", "is_in_currency": "violated", "capitals": "violated",
        "is_positive_amount": "violated",
    }  # fmt: skip
    assert counted(context) == once + 5, "only the new file is counted"
    table = table_of(context, "shop/orders")
    with context.reading() as session:
        found = {
            rule.learner: one for one, rule in find_outcomes(session, table_id=table.id, version=5, limit=1000).items
        }
        levels = {row.learner: row.level for row in rules.active_rules(session, table.id)}
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
    once = counted(context)
    assert once > 6, "what the retired check asked for stays until the next change"
    apply_checks(context, [Check("shop/orders").has_size(at_least=2)])
    assert counted(context) == once, "nothing changed"
    apply_checks(context, [Check("shop/orders").has_size(at_least=2).is_unique("id")])
    for file in (lake / "orders").glob("*.parquet"):
        file.rename(file.with_suffix(".away"))
    judge_present(context, table_of(context, "shop/orders").id)
    assert said(context, 5)["is_unique_id"] == "not_applicable", "only the file that came meanwhile was not counted"
    for file in (lake / "orders").glob("*.away"):
        file.rename(file.with_suffix(".parquet"))
    apply_checks(context, [Check("shop/orders").has_size(at_least=3)])
    apply_checks(context, [Check("shop/orders").has_size(at_least=4)])
    assert counted(context) == 6, "of what two changes ago was asked nothing is left"


def test_nothing_of_a_wrong_file_is_applied(context: Context, lake: Path) -> None:
    source = add_source(context, "shop", str(lake))
    crawl_source(context, source.id)
    with pytest.raises(NotFound):
        apply_checks(context, [Check("shop/orders").is_unique("id"), Check("shop/nope").is_unique("id")])
    for wrong, cause in [
        ("is_complet: id", "line 4: there is no check 'is_complet'"),
        ("is_complete: idd", r"line 4: shop/orders: there is no column 'idd'; did you mean id\?"),
        ("satisfies: nope > 1", "line 4: .*there is no column 'nope'"),
        ("{has_max: currency, at_most: 3}", "line 4: .*column currency: values of type string are no numbers"),
        ("satisfies: amount >", "line 4: .*cannot be parsed"),
        ("is_less_than: [amount, currency]", "line 4: "),
        ("{is_unique: amount, name: is_complete_id}", "line 4: two checks"),
    ]:
        text = f"tables:\n  shop/orders:\n    - is_complete: id\n    - {wrong}\n"
        with pytest.raises(UsageError, match=cause) as error:
            apply_checks(context, read_checks(text))
        assert error.value.remedy
    check = Check("shop/orders").is_complete("idd").is_complete("id").is_complete("amont")
    with pytest.raises(NotFound) as error:
        apply_checks(context, [Check("shop/nope").is_unique("id"), check])
    assert [one.cause for one in error.value.more] == [
        "is_complete_idd: there is no column 'idd'",
        "is_complete_amont: there is no column 'amont'",
    ], "all that is wrong is told at once"
    with pytest.raises(UsageError, match="there is no column 'idd'"):
        preview(context, table_of(context, "shop/orders"), check)
    with pytest.raises(UsageError, match="stands in the file twice"):
        apply_checks(context, [Check("shop/orders").is_unique("id"), Check("orders").is_unique("id")])
    with context.reading() as session:
        table = table_of(context, "shop/orders")
        assert not [row for row in rules.active_rules(session, table.id) if row.kind == "declared"]


def test_a_check_that_was_rejected_is_named_when_it_is_declared_again(context: Context, lake: Path) -> None:
    source = add_source(context, "shop", str(lake))
    crawl_source(context, source.id)
    check = Check("shop/orders").is_complete("id").is_unique("id")
    (change,) = apply_checks(context, [check])
    assert change.off == []
    with context.transaction() as session:
        (row,) = (one for one in rules.active_rules(session, 1) if one.learner == "declared:is_unique_id")
        rules.set_rule_status(session, row.id, "rejected", "ann")
    for dry_run in (True, False):
        (change,) = apply_checks(context, [check], dry_run=dry_run)
        assert [(one.check, one.rule, one.status) for one in change.off] == [("is_unique_id", row.id, "rejected")]
    (change,) = apply_checks(context, [Check("shop/orders").is_complete("id").is_unique("id").hint("twice")])
    assert [one.status for one in change.off] == ["rejected"]


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


def test_a_check_of_the_table_is_judged_on_the_table_as_it_stands(context: Context, lake: Path) -> None:
    source = add_source(context, "shop", str(lake))
    DeltaTable(str(lake / "orders")).optimize.compact()
    crawl_source(context, source.id)
    check = Check("shop/orders").has_size(at_least=80, name="all").has_size(at_most=20, name="new", scope="batch")
    apply_checks(context, [check])
    table = table_of(context, "shop/orders")
    present = judge_present(context, table.id)
    assert present.version == 3, "version 4 changed no row"
    assert said(context, 3) == {"all": "passed", "new": "passed"}
    write_deltalake(str(lake / "orders"), batch(0), mode="append")
    apply_checks(context, [check.is_unique("id")])
    present = judge_present(context, table.id)
    assert (present.version, present.newer) == (3, 5)
    assert [(one.row.learner, one.verdict.status) for one in present.said] == [("declared:is_unique_id", "passed")]


def test_a_column_that_is_gone_fails_its_own_checks_alone(context: Context, lake: Path) -> None:
    source = add_source(context, "shop", str(lake))
    crawl_source(context, source.id)
    apply_checks(context, [Check("shop/orders").is_complete("amount").is_unique("id")])
    write_deltalake(str(lake / "orders"), batch(0).drop_columns(["amount"]), mode="overwrite", schema_mode="overwrite")
    crawl_source(context, source.id)
    assert said(context, 4) == {"is_complete_amount": "violated", "is_unique_id": "passed"}
    with context.reading() as session:
        found = find_outcomes(session, table_id=table_of(context, "shop/orders").id, version=4, limit=1000).items
    sentences = [one.sentence for one, _ in found]
    assert any("there is no column 'amount'" in one for one in sentences), sentences


def test_a_verdict_is_said_again_from_what_is_kept(context: Context, lake: Path) -> None:
    source = add_source(context, "shop", str(lake))
    crawl_source(context, source.id)
    apply_checks(context, [Check("shop/orders").is_unique("id").is_in("currency", values=["EUR"], scope="batch")])
    judge_present(context, table_of(context, "shop/orders").id)
    for first in (80, 95):
        write_deltalake(str(lake / "orders"), batch(first), mode="append")
        crawl_source(context, source.id)
    table = table_of(context, "shop/orders")
    with context.reading() as session:
        kept = find_outcomes(session, table_id=table.id, version=5, limit=1000).items
    assert len(kept) > 2, "learned rules are among them"
    again = replay_version(context, table, 5, kept)
    assert again.same, [(one.row.kind, one.why) for one in again.again if one.how != "same"]
    assert [one.verdict.sentence for one in again.again] == [one.sentence for one, _ in kept]

    DeltaTable(str(lake / "orders")).optimize.compact()
    DeltaTable(str(lake / "orders")).vacuum(0, dry_run=False, enforce_retention_duration=False)
    assert replay_version(context, table, 5, kept).same, "no data file is needed"
    with context.transaction() as session:
        session.exec(delete(PartState))
    again = replay_version(context, table, 5, kept)
    assert not again.same
    assert len(again.gone) == 6
    assert {one.how for one in again.again if one.row.kind == "declared"} == {"cannot be said again"}
    _, late, _ = judge_version(context, table, 5)
    assert late == []


def test_a_check_is_said_again_though_the_parts_of_another_are_gone(context: Context, lake: Path) -> None:
    source = add_source(context, "shop", str(lake))
    crawl_source(context, source.id)
    orders = Check("shop/orders")
    apply_checks(context, [orders.is_unique("id", scope="batch").is_in("currency", values=["EUR"], scope="batch")])
    write_deltalake(str(lake / "orders"), batch(80), mode="append")
    crawl_source(context, source.id)
    table = table_of(context, "shop/orders")
    with context.reading() as session:
        kept = [one for one in find_outcomes(session, table_id=table.id, limit=1000).items if one[1].kind == "declared"]
    number = max(outcome.version for outcome, _ in kept)
    kept = [one for one in kept if one[0].version == number]
    assert len(kept) == 2
    DeltaTable(str(lake / "orders")).optimize.compact()
    DeltaTable(str(lake / "orders")).vacuum(0, dry_run=False, enforce_retention_duration=False)
    (part,) = rules.as_rule(kept[0][1]).constraint.parts
    with context.transaction() as session:
        session.exec(delete(PartState).where(PartState.part == part.key))
    again = replay_version(context, table, number, kept)
    assert [one.how for one in again.again] == ["cannot be said again", "same"]


def test_another_rule_or_other_files_are_told_apart(context: Context, lake: Path) -> None:
    source = add_source(context, "shop", str(lake))
    crawl_source(context, source.id)
    apply_checks(context, [Check("shop/orders").has_size(at_least=1)])
    table = table_of(context, "shop/orders")
    judge_present(context, table.id)
    with context.reading() as session:
        (pair,) = [
            one
            for one in find_outcomes(session, table_id=table.id, version=3, limit=1000).items
            if one[1].kind == "declared"
        ]
    outcome, row = pair
    assert replay_version(context, table, 3, [pair]).same
    outcome.replay = {**outcome.replay, "rule": "another"}
    assert "it was judged by another" in replay_version(context, table, 3, [pair]).again[0].why
    outcome.replay = {**outcome.replay, "rule": row.fingerprint, "set": "others"}
    assert "other files" in replay_version(context, table, 3, [pair]).again[0].why
    outcome.replay = {}
    outcome.sentence = "The table has 80 rows."
    assert replay_version(context, table, 3, [pair]).same, "in the words of an earlier time"
    outcome.detail = {**outcome.detail, "observed": {"value": 81}}
    (again,) = replay_version(context, table, 3, [pair]).again
    assert (again.how, again.why) == ("different", "it says now: Number of rows is 80.")
    with pytest.raises(NotFound, match="has no version 99"):
        replay_version(context, table, 99, [])


def test_a_condition_that_spark_cannot_evaluate_keeps_no_other_check_from_being_judged(
    context: Context, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """One that does not fit the types of its columns, and one that fails on a value."""
    write_deltalake(str(tmp_path / "lake" / "orders"), batch(0))
    crawl_source(context, add_source(context, "shop", str(tmp_path / "lake")).id)
    table = table_of(context, "orders")
    wrong = Check("orders").satisfies(condition="size(id) > 3", name="type")
    wrong = wrong.satisfies(condition="currency RLIKE '(?P<a>E)'", name="value")
    good = Check("orders").satisfies(condition="currency RLIKE '(?=E|U)[A-Z]{3}'", name="letters")
    both = Check("orders", (*wrong.constraints, *good.constraints))
    said = {name: verdicts[-1][1] for name, verdicts in preview(context, table, both).items()}
    assert (said["letters"].status, said["letters"].value) == ("passed", 1)
    assert "Spark cannot evaluate it: [" in said["type"].sentence
    assert "SQLSTATE" not in said["type"].sentence
    assert "its regular expression cannot be read: Unknown inline modifier near index 2" in said["value"].sentence
    apply_checks(context, [good])
    assert judge_present(context, table.id or 0).said[0].verdict.status == "passed"
    assert "java" not in capfd.readouterr().err


def test_what_could_not_be_read_once_is_counted_the_next_time(
    context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store that did not answer, a Spark that ran out of memory: nothing of that is kept."""
    from catalog.lake.scanning import counting

    write_deltalake(str(tmp_path / "lake" / "orders"), batch(0))
    crawl_source(context, add_source(context, "shop", str(tmp_path / "lake")).id)
    table = table_of(context, "orders")
    check = Check("orders").satisfies(condition="currency RLIKE '(?=E|U)[A-Z]{3}'", name="letters")

    def fails(*_: object) -> None:
        raise ConnectionError("the store is away")

    with monkeypatch.context() as patched:
        patched.setattr(counting, "_found_by_spark", fails)
        (verdict,) = (said[-1][1] for said in preview(context, table, check).values())
        assert (verdict.status, "ConnectionError" in verdict.sentence) == ("violated", True)
    (verdict,) = (said[-1][1] for said in preview(context, table, check).values())
    assert verdict.status == "passed"
