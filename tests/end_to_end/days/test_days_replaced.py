"""Tables whose job replaces the partitions of days: what came is judged, not the days before it."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from sqlmodel import Session

from catalog.demo.lake import date_commit
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source, crawl_tables
from catalog.flow.reading.sources import add_source
from catalog.store.lake import batches, tables, versions
from catalog.store.models import Outcome, RuleRow, Table, now
from catalog.store.pages.rules import find_outcomes

pytestmark = pytest.mark.spark

FIRST = date(2026, 3, 1)


def broken(session: Session) -> list[tuple[Outcome, RuleRow]]:
    """What was told of any version. The commits of these tables are seconds apart: nothing is said of waits."""
    found = find_outcomes(session, status="violated", limit=1000).items
    return [(one, rule) for one, rule in found if rule.kind != "freshness"]


def replace(uri: str, first: int, last: int, column: str = "day") -> None:
    """Replace the partitions of these days."""
    days = [FIRST + timedelta(days=day) for day in range(first, last + 1) for _ in range(100)]
    amount = np.random.default_rng([first, last]).normal(50, 9, len(days)).round(2)
    rows = pa.table({"amount": amount, "day": days})
    if DeltaTable.is_deltatable(uri):
        write_deltalake(uri, rows, mode="overwrite", predicate=f"day >= '{days[0]}' AND day <= '{days[-1]}'")
    else:
        write_deltalake(uri, rows, partition_by=["day"])


def at(uri: str, day: int) -> None:
    """The last commit was made on this day, of which the eleventh is today."""
    number = DeltaTable(uri).version()
    date_commit(Path(uri), number, now() + timedelta(days=day - 11))


def crawled(context: Context, lake: Path) -> Table:
    crawl_source(context, add_source(context, "lake", str(lake)).id or 0)
    with context.reading() as session:
        return tables.every_table(session)[0]


def shown(context: Context, table: Table) -> dict[int, tuple[str, int | None]]:
    with context.reading() as session:
        return {one.number: (one.batch, one.batch_rows) for one in versions.list_versions(session, table.id or 0)}


def test_days_are_compared_with_as_many_days(context: Context, tmp_path: Path) -> None:
    """A backfill, and a day that is corrected later, are judged by themselves and no reason to alarm."""
    uri = str(tmp_path / "lake" / "visits")
    for day in range(1, 12):
        replace(uri, day - 1, day)
    table = crawled(context, tmp_path / "lake")
    replace(uri, 11, 12)
    replace(uri, 3, 3)
    replace(uri, 0, 13)
    replace(uri, 13, 14)
    crawl_tables(context, [table.id or 0])
    found = shown(context, table)
    assert [found[number] for number in (10, 11, 12, 13, 14)] == [
        ("increment", 200),
        ("increment", 200),
        ("rewrite", 100),
        ("rewrite", 1400),
        ("increment", 200),
    ]
    with context.reading() as session:
        assert not [(one.version, rule.kind, rule.column_name, one.sentence) for one, rule in broken(session)]
        assert (
            batches.history_coverage(session, table).words()[0].startswith("Rules check the new rows of each version")
        )


def test_a_job_that_replaces_more_days_from_now_on_begins_anew(context: Context, tmp_path: Path) -> None:
    """One day each, then two: batches of two days stand beside each other only, and nothing alarms."""
    uri = str(tmp_path / "lake" / "visits")
    for day in range(10):
        replace(uri, day, day)
    table = crawled(context, tmp_path / "lake")
    for day in range(10, 24):
        replace(uri, day - 1, day)
        if day % 2:
            crawl_tables(context, [table.id or 0])
    found = shown(context, table)
    assert {found[number] for number in range(1, 10)} == {("rewrite", 100)}
    assert {found[number] for number in range(10, 24)} == {("increment", 200)}
    with context.reading() as session:
        assert not [(one.version, rule.kind, rule.column_name, one.sentence) for one, rule in broken(session)]


def test_a_table_known_as_snapshots_changes_when_a_person_says_so(context: Context, tmp_path: Path) -> None:
    """Commits that were recorded without their partitions stay what they were until then."""
    uri = str(tmp_path / "lake" / "visits")
    for day in range(1, 12):
        replace(uri, day - 1, day)
    table = crawled(context, tmp_path / "lake")
    with context.transaction() as session:
        for one in versions.list_versions(session, table.id or 0):
            told = {name: value for name, value in one.commit_info.items() if name != "partitions"}
            versions.set_version(session, table.id or 0, one.number, commit_info=told, batch="snapshot")
        tables.update_table(session, table.id or 0, mode="snapshot")
    replace(uri, 11, 12)
    crawl_tables(context, [table.id or 0])
    assert {kind for kind, _ in shown(context, table).values()} == {"snapshot"}
    with context.transaction() as session:
        batches.set_mode(session, table.id or 0, "increment")
    replace(uri, 12, 13)
    crawl_tables(context, [table.id or 0])
    found = shown(context, table)
    assert {found[number] for number in range(1, 13)} == {("increment", 200)}
    with context.reading() as session:
        assert not [
            (one.version, rule.kind, rule.column_name, one.sentence)
            for one, rule in broken(session)
            if one.version == 12
        ]


@pytest.mark.parametrize("missing", [0, 3])
def test_a_job_that_brings_no_new_day_is_late_though_it_runs(context: Context, tmp_path: Path, missing: int) -> None:
    """It replaces yesterday and finds no rows of today, for three days."""
    uri = str(tmp_path / "lake" / "visits")
    for day in range(12):
        replace(uri, max(day - 1, 0), day)
        at(uri, day)
    table = crawled(context, tmp_path / "lake")
    for day in range(12, 12 + missing):
        replace(uri, 11, 11)
        at(uri, day)
    replace(uri, 11 + missing, 12 + missing)
    at(uri, 12 + missing)
    crawl_tables(context, [table.id or 0])
    with context.reading() as session:
        found = find_outcomes(session, status="violated", limit=1000).items
        said = [(one.version, one.sentence) for one, rule in found if rule.kind == "freshness"]
    late = "The next version with a new day came after 4 days; at most 2 days was expected."
    assert said == ([(11, late)] if missing else [])
