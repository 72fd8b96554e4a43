"""The whole stream on a small real lake: logs, Spark scan, states, index, rules, verdicts, and doing it again."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from fastapi.testclient import TestClient
from singly import get_version
from sqlmodel import func, select

from catalog.declared.check import Check
from catalog.errors import UsageError
from catalog.flow import crawl
from catalog.flow.checking.trial import backtest_table, drill_table
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source, crawl_tables
from catalog.flow.declared.counting import apply_checks
from catalog.flow.reading.sources import add_source
from catalog.flow.watch import tick
from catalog.store import runs
from catalog.store.expectations import rules
from catalog.store.incidents import outcomes
from catalog.store.lake import sources, tables, versions
from catalog.store.models import FileState, Outcome
from catalog.store.pages import work
from catalog.store.pages.rules import find_outcomes
from web.app import create_app
from workers.tasks import crawl_run

pytestmark = pytest.mark.spark

DAY = datetime(2026, 3, 2, tzinfo=UTC)


def orders(day: int, rows: int = 300, *, cents: bool = False) -> pa.Table:
    """One day's orders: ids, dates, a status, an amount with noise."""
    rng = random.Random(day)
    return pa.table(_columns(rng, DAY + timedelta(days=day), day, rows + rng.randrange(30), cents))


def _columns(rng: random.Random, moment: datetime, day: int, rows: int, cents: bool) -> dict[str, list]:
    factor = 100.0 if cents else 1.0
    return {
        "order_id": [f"ORD-{day:04d}{i:05d}" for i in range(rows)],
        "ordered_on": [(moment - timedelta(days=rng.randrange(3))).strftime("%Y-%m-%d") for _ in range(rows)],
        "status": [rng.choice(["paid", "paid", "paid", "open", "sent"]) for _ in range(rows)],
        "amount": [round(rng.lognormvariate(3.5, 0.6) * factor, 2) for _ in range(rows)],
    }


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    root = tmp_path / "lake"
    for day in range(20):
        write_deltalake(str(root / "sales" / "orders"), orders(day), mode="append")
    for version in range(12):
        frame = pl.DataFrame(
            {"sku": [f"SKU-{i:05d}" for i in range(200 + version)], "stock": list(range(200 + version))}
        )
        write_deltalake(str(root / "stock"), frame.to_arrow(), mode="overwrite")
    broken = root / "broken" / "_delta_log"
    broken.mkdir(parents=True)
    (broken / f"{0:020d}.json").write_text("{this is not JSON\n")
    return root


def count(context: Context, model: type) -> int:
    with context.reading() as session:
        return session.exec(select(func.count()).select_from(model)).one()


def test_a_lake_goes_through_and_a_bad_version_is_caught(context: Context, lake: Path) -> None:
    source = add_source(context, "shop", str(lake))
    summary = crawl_source(context, source.id)
    assert (summary["tables"], summary["failed"]) == (2, 1), summary
    with context.reading() as session:
        broken = tables.get_table(session, "shop/broken")
        table = tables.get_table(session, "shop/sales/orders")
        stock = tables.get_table(session, "shop/stock")
        active = rules.active_rules(session, table.id)
    assert broken.status == "error"
    assert broken.error
    assert broken.remedy
    assert (table.mode, stock.mode) == ("increment", "snapshot")
    assert table.judged_version == 19
    assert {rule.kind for rule in active} >= {"schema", "volume", "history", "pattern"}

    write_deltalake(table.uri, orders(20), mode="append")  # a healthy day
    write_deltalake(table.uri, orders(21, cents=True), mode="append")  # amounts in cents
    news = tick(context)
    assert news == [table.id]
    crawl_tables(context, news)
    assert tick(context) == []
    with context.reading() as session:
        judged = find_outcomes(session, table_id=table.id, limit=1000).items
        found = work.find_incidents(session, table_id=table.id).items
    assert {outcome.version for outcome, _ in judged} >= {20, 21}
    bad = {(item.Incident.column_name, item.Incident.first_version) for item in found}
    assert ("amount", 21) in bad
    assert all(version == 21 for _, version in bad), "the healthy day raised an alarm"


def test_rules_are_tried_before_anyone_relies_on_them(context: Context, lake: Path) -> None:
    source = add_source(context, "shop", str(lake))
    crawl_source(context, source.id)
    with context.reading() as session:
        table = tables.get_table(session, "shop/sales/orders")
    before = count(context, Outcome)
    replayed = backtest_table(context, table)
    assert {one["kind"] for one in replayed} >= {"history", "volume", "pattern", "schema"}
    assert all(one["judged"] for one in replayed), replayed
    assert sum(len(one["alarms"]) for one in replayed) == 0, "the past was healthy"
    amount = next(one for one in replayed if one["kind"] == "history" and one["column"] == "amount")
    assert amount["recall_by_type"]["unit_change"] == 1.0, amount
    assert amount["issues"] > 20
    (short,) = backtest_table(context, table, rule_id=amount["rule"], versions_back=3, issues=False)
    assert short["judged"] == 3
    apply_checks(context, [Check("shop/sales/orders").is_complete("amount")])
    with context.transaction() as session:
        versions.set_version(session, table.id, 19, label="suspect")
    replayed = backtest_table(context, table, issues=False)
    (check,) = (one for one in replayed if one["kind"] == "declared")
    assert (check["judged"], check["expected_alarms_per_month"]) == (0, None), "it was not asked: no promise"
    assert "assay check preview" in check["left_out"]
    amount = next(one for one in replayed if one["rule"] == amount["rule"])
    assert "nor of version 19, which is suspect" in amount["left_out"]
    assert "recall" not in short
    with context.transaction() as session:
        run_id = runs.queue_run(session, "drill", table.name, table_id=table.id).id
    crawl_run(context, run_id)  # what a worker does with it
    with context.reading() as session:
        done, under_way = runs.last_of_table(session, table.id, "drill")
    assert done is not None
    assert under_way is None
    assert done.stats["by_column"]["amount"]["unit_change"] == [6, 6], done.stats
    assert done.stats["clauses"]["amount"]["unit_change"], done.stats
    assert done.stats["tried"] == sum(tried for row in done.stats["by_column"].values() for _, tried in row.values())
    with pytest.raises(UsageError, match="no rule is about column 'amont'"):
        drill_table(context, table, columns=["amont"])
    told = drill_table(context, table, columns=["amount", "ordered_on"])
    assert told["quiet_on_healthy_batch"]
    assert told["recall_by_type"]["unit_change"] == 1.0, told
    assert told["recall"] > 0.7, told
    assert count(context, Outcome) == before


@pytest.mark.parametrize("mode", ["overwrite", "append"])
def test_what_was_called_a_false_alarm_does_not_alarm_again(context: Context, tmp_path: Path, mode: str) -> None:
    """The very next version is judged by rules that know what a person said, and by nothing that itself says."""
    uri = str(tmp_path / "lake" / "stock")

    def deliver(version: int, form: str, name: str = "sku") -> None:
        skus = [form.format(200 * version * (mode == "append") + i) for i in range(200)]
        merged = "merge" if mode == "append" else "overwrite"
        write_deltalake(uri, pa.table({name: skus, "n": list(range(200))}), mode=mode, schema_mode=merged)

    for version in range(12):
        deliver(version, "SKU-{:05d}")
    source = add_source(context, "shop", str(tmp_path / "lake"))
    crawl_source(context, source.id)
    with context.reading() as session:
        table = tables.get_table(session, "shop/stock")

    def alarms(version: int, form: str, name: str = "sku") -> set[str]:
        deliver(version, form, name)
        crawl_tables(context, [table.id])
        with context.transaction() as session:
            for item in work.find_incidents(session, status="open", table_id=table.id).items:
                outcomes.resolve(session, item.Incident.id, "FalsePositive", actor="steward")
            said = find_outcomes(session, table_id=table.id, version=version, status="violated", limit=1000).items
            return {rule.kind for _, rule in said}

    assert alarms(12, "sku/{:07d}") == {"pattern", "history"}
    assert alarms(13, "sku/{:07d}") == set()
    assert alarms(14, "{:03d}") >= {"history"}
    assert "schema" in alarms(15, "{:03d}", "id") or mode == "append"


def test_a_wrong_file_in_the_past_is_not_learned_from(context: Context, tmp_path: Path) -> None:
    """Nobody called it wrong: it came, was loaded again, and the table was registered later."""
    uri = str(tmp_path / "lake" / "shops")
    rng = random.Random(1)

    def deliver(wrong: bool = False) -> None:
        names = [f"{'Branch' if wrong else 'Shop'} {rng.randrange(900)}" for _ in range(190 if wrong else 120)]
        sales = [rng.gauss(900 if wrong else 100, 10) for _ in names]
        areas = [None if wrong else rng.randrange(40, 60) for _ in names]
        columns = {"name": pa.array(names), "sales": pa.array(sales), "area": pa.array(areas, pa.int64())}
        write_deltalake(uri, pa.table(columns), mode="overwrite")

    for version in range(18):
        deliver(wrong=version in (7, 8))
    crawl_source(context, add_source(context, "shop", str(tmp_path / "lake")).id)
    with context.reading() as session:
        table = tables.get_table(session, "shop/shops")
        labels = {v.number: v.label for v in versions.list_versions(session, table.id, limit=50)}
        volume = next(rule for rule in rules.active_rules(session, table.id) if rule.kind == "volume")
    assert {number for number, label in labels.items() if label == "suspect"} == {7, 8}
    assert volume.body["params"]["batches"] == 16

    deliver(wrong=True)
    crawl_tables(context, [table.id])
    with context.reading() as session:
        said = find_outcomes(session, table_id=table.id, version=18, status="violated", limit=1000).items
    assert {rule.column_name or "rows" for _, rule in said} == {"rows", "name", "sales", "area"}


def test_a_wrong_file_before_there_were_rules_is_left_out_once_it_shows(context: Context, tmp_path: Path) -> None:
    """A young table is watched from its first version; its history rules begin with the seventh."""
    uri = str(tmp_path / "lake" / "meters")
    rng = random.Random(2)

    def deliver(wrong: bool = False) -> None:
        power = [rng.gauss(900 if wrong else 100, 10) for _ in range(190 if wrong else 120)]
        write_deltalake(uri, pa.table({"power": power, "heat": [x / 3 for x in power]}), mode="overwrite")

    deliver()
    crawl_source(context, add_source(context, "house", str(tmp_path / "lake")).id)
    with context.reading() as session:
        table = tables.get_table(session, "house/meters")
    for version in range(1, 20):
        deliver(wrong=version == 4)
        crawl_tables(context, [table.id])
    with context.reading() as session:
        labels = {v.number: v.label for v in versions.list_versions(session, table.id, limit=50)}
        assert find_outcomes(session, table_id=table.id, status="violated", limit=1000).items == []
    assert {number for number, label in labels.items() if label} == {4}
    assert labels[4] == "suspect"


def test_doing_it_again_changes_nothing(context: Context, lake: Path) -> None:
    source = add_source(context, "shop", str(lake))
    crawl_source(context, source.id)
    with context.reading() as session:
        table = tables.get_table(session, "shop/sales/orders")
    write_deltalake(table.uri, orders(20), mode="append")
    crawl_tables(context, [table.id])
    before = count(context, Outcome), count(context, FileState)
    crawl_source(context, source.id)
    crawl_tables(context, [table.id, table.id])
    assert (count(context, Outcome), count(context, FileState)) == before


def test_only_files_never_seen_are_read(context: Context, lake: Path) -> None:
    source = add_source(context, "shop", str(lake))
    crawl_source(context, source.id)
    with context.reading() as session:
        table = tables.get_table(session, "shop/sales/orders")

    def states() -> set[str]:
        with context.reading() as session:
            return versions.known_file_keys(session, table.id)

    seen = states()
    assert len(seen) == 20
    write_deltalake(table.uri, orders(20, rows=5), mode="append")
    crawl_tables(context, [table.id])
    assert len(states() - seen) == 1
    seen = states()
    changed = DeltaTable(table.uri)
    changed.delete("order_id = 'ORD-000300001'")  # rewrites one file
    crawl_tables(context, [table.id])
    assert len(states() - seen) == 1
    with context.reading() as session:
        latest = get_version(session, table.id, changed.version())
        assert latest.batch == "rewrite"
        rows = tables.get_table(session, table.id).rows
    assert rows == changed.to_pyarrow_table().num_rows


def test_a_vanished_table_and_a_missing_file_are_told_on_themselves(context: Context, lake: Path) -> None:
    source = add_source(context, "shop", str(lake))
    crawl_source(context, source.id)
    with context.reading() as session:
        table = tables.get_table(session, "shop/sales/orders")
        stock = tables.get_table(session, "shop/stock")
    write_deltalake(table.uri, orders(20), mode="append")
    seen = {Path(key).name for key in _keys(context, table.id)}
    new = [uri for uri in DeltaTable(table.uri).file_uris() if Path(uri).name not in seen]
    Path(new[0]).unlink()
    Path(stock.uri).rename(Path(stock.uri).with_name("elsewhere"))
    crawl_tables(context, [table.id, stock.id])
    with context.reading() as session:
        assert tables.get_table(session, table.id).error_kind == "missing_file"
        assert tables.get_table(session, stock.id).status == "vanished"


def test_files_that_were_read_and_are_gone_or_damaged_stop_their_table_until_they_are_back(
    context: Context, lake: Path
) -> None:
    source = add_source(context, "shop", str(lake))
    crawl_source(context, source.id)
    old = Path(sorted(DeltaTable(lake / "sales" / "orders").file_uris())[3])
    last = Path(DeltaTable(lake / "stock").file_uris()[0])
    kept = {old: old.read_bytes(), last: last.read_bytes()}
    old.unlink()
    last.write_bytes(kept[last][:200])

    def told(name: str) -> tuple[str, str, str]:
        with context.reading() as session:
            table = tables.get_table(session, name)
        return table.status, table.error_kind or "", table.error or ""

    assert crawl_source(context, source.id)["failed"] == 3, "these two, and the one whose log is broken"
    assert told("shop/sales/orders") == ("error", "missing_file", f"the data file {old.name} is missing")
    status, kind, cause = told("shop/stock")
    assert (status, kind) == ("error", "unreadable_file")
    assert f"it has 200 bytes, the log says {len(kept[last]):,}" in cause
    for path, data in kept.items():
        path.write_bytes(data)
    assert crawl_source(context, source.id)["failed"] == 1
    assert {told("shop/sales/orders")[0], told("shop/stock")[0]} == {"watched"}


def _keys(context: Context, table_id: int) -> set[str]:
    with context.reading() as session:
        return versions.known_file_keys(session, table_id)


def test_an_empty_table_is_called_empty_until_it_has_rows(context: Context, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    columns = {"mail": [f"user{i}@mail.example" for i in range(50)]}
    write_deltalake(str(lake / "late"), pa.table(columns)[:0])
    with context.transaction() as session:
        source = sources.add_source(session, "shop", str(lake)).id
    client = TestClient(create_app(context.settings), base_url="http://127.0.0.1:8420")

    def state() -> tuple[str, bool]:
        crawl.crawl_source(context, source)
        with context.reading() as session:
            table = tables.get_table(session, "late")
        return table.status, "No row so far" in client.get(f"/tables/{table.id}").text

    assert state() == ("empty", True)
    assert state() == ("empty", True)
    assert "1 empty" in client.get("/").text
    with context.reading() as session:
        table_id = tables.get_table(session, "late").id or 0
        assert {row.kind for row in rules.active_rules(session, table_id)} == {"schema"}
    write_deltalake(str(lake / "late"), pa.table(columns)[:0], mode="overwrite")
    assert state() == ("empty", True)
    with context.reading() as session:
        said = [(one.Outcome.status, one.RuleRow.kind) for one in find_outcomes(session, table_id=table_id).items]
        assert said == [("passed", "schema")]
    write_deltalake(str(lake / "late"), pa.table(columns), mode="append")
    assert state() == ("watched", False)
