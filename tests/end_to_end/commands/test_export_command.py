"""`assay export`: results leave the catalog as files, and as Delta tables that are continued."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest
from deltalake import DeltaTable, write_deltalake
from singly import upsert_table

from catalog.errors import UsageError
from catalog.flow.context import Context
from catalog.flow.export import export_results
from catalog.history.series import TableMetrics
from catalog.rules.rule import Rule
from catalog.rules.verdict import PASSED, Verdict
from catalog.settings import Settings
from catalog.store.expectations import rules
from catalog.store.incidents import outcomes
from catalog.store.lake import sources, tables, versions
from catalog.store.models import now


@pytest.fixture
def context(home: Path) -> Context:
    context = Context(Settings(home=home))
    with context.transaction() as session:
        table = upsert_table(session, sources.add_source(session, "lake", "/lake").id, "orders", "/lake/orders")
        rule = Rule("volume", None, {}, 0.001, "Rows stay.", "avh")
        rules.put_rules(session, table.id, [rule], learners="avh", since_version=-1)
    for number in range(2):
        judge(context, number)
    return context


def judge(context: Context, number: int) -> None:
    with context.transaction() as session:
        table = tables.get_table(session, "orders")
        rule = rules.active_rules(session, table.id)[0]
        moment = now() - timedelta(days=9 - number)
        versions.record_versions(session, table.id, [{"number": number, "committed_at": moment, "batch": "snapshot"}])
        said = outcomes.outcome_row(table.id, number, rule.id, Verdict(PASSED, "Fine; “as ever”,\nyes."))
        outcomes.record_outcomes(session, [said])
        metrics = TableMetrics(7, {"mail": {"unique_ratio": 0.5}})
        versions.set_version(session, table.id, number, metrics=metrics.encode())
        versions.mark_judged(session, table.id, number)


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl"])
def test_files(context: Context, tmp_path: Path, ending: str) -> None:
    place = tmp_path / f"outcomes.{ending}"
    assert export_results(context, "outcomes", str(place))["rows"] == 2
    if ending == "jsonl":
        found = [json.loads(line) for line in place.read_text().splitlines()]
    else:
        found = (pl.read_parquet(place) if ending == "parquet" else pl.read_csv(place)).to_dicts()
    assert [(row["table"], row["version"], row["sentence"]) for row in found] == [
        ("orders", number, "Fine; “as ever”,\nyes.") for number in range(2)
    ]
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_delta_table_is_continued(context: Context, tmp_path: Path) -> None:
    for what, a_version in (("metrics", 2), ("outcomes", 1)):
        place = str(tmp_path / "lake" / what)
        assert export_results(context, what, place)["rows"] == 2 * a_version
        assert export_results(context, what, place)["rows"] == 0  # nothing twice
        assert DeltaTable(place).version() == 0
    judge(context, 2)
    assert export_results(context, "metrics", str(tmp_path / "lake" / "metrics"))["rows"] == 2
    assert len(pl.read_delta(str(tmp_path / "lake" / "metrics"))) == 6
    assert export_results(context, "tags", str(tmp_path / "lake" / "tags"))["rows"] == 0


def test_what_cannot_be_is_refused(context: Context, tmp_path: Path) -> None:
    other = str(tmp_path / "other")
    write_deltalake(other, pl.DataFrame({"a": [1]}).to_arrow())
    for what, place, words in (
        ("rumours", "x.csv", "nothing called 'rumours'"),
        ("metrics", str(tmp_path / "no" / "x.csv"), "there is no folder"),
        ("metrics", other, "another kind of table"),
    ):
        with pytest.raises(UsageError, match=words):
            export_results(context, what, place)
