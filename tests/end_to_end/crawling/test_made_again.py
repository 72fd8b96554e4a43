"""A table that was dropped and made again is another one, however many versions it has; nothing else counts as that."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import CommitProperties, DeltaTable, write_deltalake
from sqlmodel import select

from catalog.cli import main
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source, crawl_tables
from catalog.flow.reading.sources import add_source
from catalog.flow.watch import tick
from catalog.lake.logs.replaying import commit_name
from catalog.settings import get_settings
from catalog.store.access import audit
from catalog.store.expectations import rules
from catalog.store.lake import batches, tables
from catalog.store.models import FileState, Incident, Outcome, RuleRow, Table, Version
from catalog.store.pages import work
from catalog.store.pages.rules import find_rules

pytestmark = pytest.mark.spark

DAYS = 9


def parts(day: int) -> pa.Table:
    return pa.table(
        {
            "part": [f"P-{day:02d}{i:04d}" for i in range(120 + day % 3)],
            "weight": [20.0 + (i * 37 + day) % 50 / 10 for i in range(120 + day % 3)],
        }
    )


def people(day: int) -> pa.Table:
    return pa.table(
        {
            "part": [f"ann.{i}@example.org" for i in range(60 + day % 2)],
            "weight": [70_000.0 + (i * 31 + day) % 500 for i in range(60 + day % 2)],
        }
    )


@pytest.fixture
def table(context: Context, tmp_path: Path) -> Table:
    """A crawled table with rules, an outcome of each of them, and an open incident."""
    uri = str(tmp_path / "lake" / "parts")
    for day in range(DAYS):
        write_deltalake(uri, parts(day), mode="append")
    source = add_source(context, "plant", str(tmp_path / "lake"))
    crawl_source(context, source.id)
    write_deltalake(uri, people(DAYS), mode="append")
    crawl_tables(context, tick(context))
    with context.reading() as session:
        table = tables.get_table(session, "parts")
        assert work.find_incidents(session, table_id=table.id).items
    assert table.seen_version == DAYS
    assert tick(context) == []
    return table


def kept(context: Context, table: Table, model: Any) -> list[Any]:
    with context.reading() as session:
        return list(session.exec(select(model).where(model.table_id == table.id)))


def made_again(uri: str, days: int) -> None:
    shutil.rmtree(uri)
    for day in range(days):
        write_deltalake(uri, people(day), mode="append")


@pytest.mark.parametrize("days", [DAYS + 1, DAYS - 1, DAYS + 4], ids=["as many", "fewer", "more"])
def test_a_table_that_was_made_again_begins_again(
    context: Context, table: Table, days: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {row.committed_at for row in kept(context, table, Version)}
    old_states = {row.key for row in kept(context, table, FileState)}
    made_again(table.uri, days)
    assert tick(context) == [table.id]
    crawl_tables(context, [table.id])
    assert tick(context) == []
    found = kept(context, table, Version)
    assert sorted(row.number for row in found) == list(range(days))
    assert not before & {row.committed_at for row in found}
    assert not old_states & {row.key for row in kept(context, table, FileState)}
    assert kept(context, table, Outcome) == []  # nothing of the new one was under a rule yet
    assert kept(context, table, Incident) == []
    with context.reading() as session:
        now = tables.get_table(session, table.id)
        weight = [row for row in rules.active_rules(session, table.id) if row.column_name == "weight"]
        words = " ".join(batches.history_coverage(session, now).words())
    assert (now.status, now.judged_version, now.replaced_version) == ("watched", days - 1, DAYS)
    assert weight
    assert all(row.since_version == days - 1 for row in weight)
    assert f"dropped and made again (noticed {now.replaced_at:%Y-%m-%d %H:%M} UTC)" in words
    monkeypatch.setenv("ASSAY_HOME", str(context.settings.home))
    get_settings.cache_clear()
    assert main(["table", "show", "parts"]) == 0
    assert "was dropped and made again" in " ".join(capsys.readouterr().out.split())
    get_settings.cache_clear()

    write_deltalake(table.uri, people(days), mode="append")  # as usual for the new table, alarming for the old one
    crawl_tables(context, tick(context))
    assert kept(context, table, Outcome)
    assert kept(context, table, Incident) == []
    write_deltalake(table.uri, parts(days + 1), mode="append")
    crawl_tables(context, tick(context))
    assert kept(context, table, Incident)


def test_decisions_of_people_outlive_their_table(context: Context, table: Table) -> None:
    with context.transaction() as session:
        chosen = next(row for row in rules.active_rules(session, table.id) if row.kind == "history")
        rules.set_rule_status(session, chosen.id, "rejected", "ann")
    made_again(table.uri, DAYS + 1)
    crawl_tables(context, tick(context))
    with context.reading() as session:
        current = find_rules(session, table_id=table.id, column=chosen.column_name, limit=1000).items
    assert {item.RuleRow.status for item in current if item.RuleRow.kind == "history"} == {"rejected"}


def copied(uri: str) -> None:
    """The same files with other times, as a restored backup has them."""
    shutil.copytree(uri, f"{uri}.copy", copy_function=shutil.copyfile)
    shutil.rmtree(uri)
    Path(f"{uri}.copy").rename(uri)


def replaced_in_its_own_log(uri: str) -> None:
    other = pa.table({"name": ["a", "b"]})
    write_deltalake(uri, other, mode="overwrite", schema_mode="overwrite")


def cleaned_up(uri: str) -> None:
    write_deltalake(uri, parts(DAYS + 1), mode="append")
    DeltaTable(uri).create_checkpoint()
    for number in range(DAYS + 1):
        Path(uri, commit_name(number)).unlink()


def noted(uri: str) -> None:
    write_deltalake(uri, parts(20), mode="append", commit_properties=CommitProperties(custom_metadata={"job": "x"}))


@pytest.mark.parametrize("change", [copied, replaced_in_its_own_log, cleaned_up, noted])
def test_what_happens_to_one_table_does_not_make_it_another(context: Context, table: Table, change: Any) -> None:
    before = {row.id for row in kept(context, table, Outcome)}
    change(table.uri)
    crawl_tables(context, tick(context) or [table.id])
    assert tick(context) == []
    assert before <= {row.id for row in kept(context, table, Outcome)}
    with context.reading() as session:
        assert tables.get_table(session, table.id).replaced_at is None


def test_a_table_that_was_moved_keeps_what_is_known_of_it(context: Context, table: Table) -> None:
    """Under its new name: rules, versions and incidents. A copy beside it is a new table."""
    uri = Path(table.uri)
    source = table.source_id
    demanded = {row.id for row in kept(context, table, RuleRow) if row.status == "active"}
    incidents = {row.id for row in kept(context, table, Incident)}
    shutil.copytree(uri, uri.with_name("copied"))
    crawl_source(context, source)
    (uri.parent / "plant").mkdir()
    uri.rename(uri.parent / "plant" / "moved")
    crawl_source(context, source)
    with context.reading() as session:
        now = {one.name: one for one in tables.every_table(session)}
        assert now.keys() == {"copied", "plant/moved"}
        moved = now["plant/moved"]
        assert (moved.id, moved.uri, moved.status) == (table.id, str(uri.parent / "plant" / "moved"), "watched")
        assert now["copied"].id != table.id
        (told,) = [one for one in audit.find_events(session, kind="table") if one.action == "move"]
        assert (told.actor, told.item, told.before["name"]) == ("assay", "plant/plant/moved", "parts")
    assert {row.id for row in kept(context, table, RuleRow) if row.status == "active"} >= demanded
    assert {row.id for row in kept(context, table, Incident)} == incidents
    assert len(kept(context, table, Version)) == DAYS + 1
    write_deltalake(moved.uri, parts(DAYS + 1), mode="append")
    crawl_source(context, source)
    assert any(one.version == DAYS + 1 for one in kept(context, table, Outcome))  # it is judged as before
