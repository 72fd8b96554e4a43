"""Results as long tables."""

from __future__ import annotations

import csv
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from singly import put_tags, upsert_table
from sqlmodel import Session

from catalog.flow.context import Context
from catalog.flow.export import export_results
from catalog.history.series import TableMetrics
from catalog.rules.rule import Rule
from catalog.rules.verdict import PASSED, Verdict
from catalog.settings import Settings
from catalog.store import export
from catalog.store.engine import upgrade
from catalog.store.expectations import rules
from catalog.store.incidents import outcomes
from catalog.store.lake import sources, tables, versions
from catalog.store.meaning import tags
from catalog.store.models import Table, now
from catalog.tags.proposal import TagProposal

METRICS = TableMetrics(7, {"mail": {"mean": 1.5, "complete_ratio": 1.0}, "id": {"max": 9.0}})
RULE = Rule("volume", None, {}, 0.001, "Rows stay.", "avh", level="warning")


@pytest.fixture
def table(db: Session) -> Table:
    table = upsert_table(db, sources.add_source(db, "lake", "/lake").id, "orders", "/lake/orders")
    tables.set_columns(db, table.id, [["mail", "string"], ["id", "long"]])
    tables.set_profile(db, table.id, {name: {"rows": 7} for name in ("mail", "id")})
    rules.put_rules(db, table.id, [RULE], learners="avh", since_version=-1)
    rule = rules.active_rules(db, table.id)[0]
    moment = datetime(2024, 1, 1, tzinfo=UTC)
    known = [{"number": n, "committed_at": moment, "batch": "snapshot"} for n in range(3)]
    versions.record_versions(db, table.id, known)
    for number in range(2):
        verdict = Verdict(PASSED, "7 rows.", metric="rows", value=7.0, low=5.0, high=9.0)
        outcomes.record_outcomes(db, [outcomes.outcome_row(table.id, number, rule.id, verdict)])
        versions.set_version(db, table.id, number, metrics=METRICS.encode())
        versions.mark_judged(db, table.id, number)
    return table


def test_metrics_have_one_row_each(db: Session, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "PORTION", 1)  # so that few rows come in several portions
    batches = list(export.metric_batches(db))
    assert len(batches) == 2  # the third version was not observed
    found = pa.Table.from_batches(batches, export.METRICS).to_pylist()
    names = {(row["version"], row["column"], row["metric_name"], row["metric_value"]) for row in found}
    of_each = {(None, "row_count", 7.0), ("mail", "mean", 1.5), ("mail", "complete_ratio", 1.0), ("id", "max", 9.0)}
    assert names == {(number, *one) for number in range(2) for one in of_each}
    assert {(row["source"], row["table"], row["batch"], row["run_id"]) for row in found} == {
        ("lake", "orders", "snapshot", f"{table.id}/{number}") for number in range(2)
    }
    assert found[0]["committed_at"] == datetime(2024, 1, 1, tzinfo=UTC)


def test_metrics_that_cannot_be_read_are_told_on_their_version(db: Session, table: Table) -> None:
    versions.set_version(db, table.id, 0, metrics=b"\xff damaged")
    found = pa.Table.from_batches(export.metric_batches(db), export.METRICS).to_pylist()
    assert [(row["version"], row["metric_name"]) for row in found][:2] == [(0, "unreadable"), (1, "row_count")]
    assert len(found) == 5


def test_outcomes_have_one_row_each(db: Session, table: Table) -> None:
    found = pa.Table.from_batches(export.outcome_batches(db), export.OUTCOMES).to_pylist()
    assert [row["version"] for row in found] == [0, 1]
    row = found[0]
    assert abs(row.pop("run_time") - now()) < timedelta(minutes=10)
    assert row == {
        **{"run_id": f"{table.id}/0", "source": "lake", "table": "orders", "version": 0, "column": None},
        **{"rule_kind": "volume", "learner": "avh", "level": "warning", "revision": 1, "fpr": 0.001},
        **{"fingerprint": RULE.fingerprint, "status": "passed", "sentence": "7 rows."},
        **{"metric_name": "rows", "metric_value": 7.0, "low": 5.0, "high": 9.0},
    }


def test_only_what_is_asked_for(db: Session, table: Table) -> None:
    assert list(export.metric_batches(db, table_id=999)) == []
    assert list(export.outcome_batches(db, after=now() + timedelta(hours=1))) == []
    assert len(list(export.outcome_batches(db, table_id=table.id, after=now() - timedelta(hours=1)))) == 1


def test_metrics_that_are_values_of_a_sensitive_column_stay_here(db: Session, table: Table) -> None:
    tables.set_columns(db, table.id, [["id", "bigint"], ["mail", "string"]])
    put_tags(db, tables.get_column(db, table.id, "id").id, [TagProposal("ssn", "SSN", 0.9, 1.0, True)], 1)
    found = pa.Table.from_batches(export.metric_batches(db), export.METRICS).to_pylist()
    assert "max" not in {row["metric_name"] for row in found}
    assert "mean" in {row["metric_name"] for row in found}


def test_tags_have_one_row_each(db: Session, table: Table) -> None:
    tables.set_columns(db, table.id, [["id", "bigint"], ["mail", "string"]])
    put_tags(db, tables.get_column(db, table.id, "mail").id, [TagProposal("email", "E-mail", 0.9, 1.0, True)], 1)
    (row,) = pa.Table.from_batches(export.tag_batches(db), export.TAGS).to_pylist()
    assert abs(row.pop("run_time") - now()) < timedelta(minutes=10)
    assert row == {
        **{"source": "lake", "table": "orders", "column": "mail", "type": "string", "sensitive": True},
        **{"domain": "email", "title": "E-mail", "status": "proposed", "actor": "assay"},
        **{"score": 0.9, "match_share": 1.0, "version": 1},
    }
    assert list(export.tag_batches(db, after=now() + timedelta(hours=1))) == []


def test_no_cell_of_a_csv_file_is_run_by_a_spreadsheet(tmp_path: Path) -> None:
    context = Context(Settings(home=tmp_path))
    upgrade(context.engine)
    named = ["=cmd()", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\uff1d1", "plain"]
    with context.transaction() as session:
        source = sources.add_source(session, "=lake", "/lake")
        made = upsert_table(session, source.id, "-orders", "/lake/orders")
        columns = tables.set_columns(session, made.id, [[name, "string"] for name in named])
        tag = TagProposal("made_up", "=HYPERLINK()", 0.5, 1.0, False)
        tags.put_table_tags(session, {column.id: [tag] for column in columns}, 1)
    export_results(context, "tags", str(tmp_path / "tags.csv"))
    with (tmp_path / "tags.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert sorted(row["column"].removeprefix("'") for row in rows) == sorted(named)
    cells = [cell for row in rows for name, cell in row.items() if name not in ("score", "match_share", "version")]
    assert [cell for cell in cells if cell[:1] in tuple("=+-@\t\r\n\uff1d")] == []
    assert "plain" in {row["column"] for row in rows}
    assert float(rows[0]["score"]) == 0.5
    context.close()
