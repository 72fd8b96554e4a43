"""A load that was taken back and loaded again is no old delivery, and a version that was restored is as it was."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from catalog.demo.lake import date_commit
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source, crawl_tables
from catalog.flow.reading.sources import add_source
from catalog.store.lake import tables, versions
from catalog.store.models import now
from catalog.store.pages.rules import find_outcomes

pytestmark = pytest.mark.spark

DAYS = 14
TODAY = now().replace(hour=2, minute=0, second=0, microsecond=0) - timedelta(days=DAYS + 2)


def orders(day: int, rows: int = 400) -> pa.Table:
    rng = np.random.default_rng([17, day])
    at = [TODAY + timedelta(days=day - 1, seconds=int(s)) for s in rng.integers(30_000, 60_000, rows)]
    numbers = [f"O-{1000 * day + k:07d}" for k in range(rows)]
    return pa.table({"order": numbers, "at": at, "net": rng.lognormal(4, 1, rows).round(2)})


@pytest.mark.parametrize("taken_back", ["restore", "delete"])
@pytest.mark.parametrize("at_once", [True, False], ids=["at once", "one by one"])
def test_a_load_that_was_taken_back_may_come_again(
    context: Context, tmp_path: Path, at_once: bool, taken_back: str
) -> None:
    path = tmp_path / "lake" / "orders"

    def did(day: int, write: Callable[[], Any]) -> None:
        write()
        version = DeltaTable(str(path)).version()
        date_commit(path, version, TODAY + timedelta(days=day, minutes=version))
        if day >= DAYS and not at_once:
            crawl_tables(context, [table])

    for day in range(DAYS):
        did(day, lambda day=day: write_deltalake(str(path), orders(day), mode="append"))
    crawl_source(context, add_source(context, "lake", str(path.parent)).id or 0)
    with context.reading() as session:
        table = tables.every_table(session)[0].id or 0

    did(DAYS, lambda: write_deltalake(str(path), orders(DAYS), mode="append"))
    if taken_back == "restore":
        did(DAYS, lambda: DeltaTable(str(path)).restore(DAYS - 1))
    else:
        did(DAYS, lambda: DeltaTable(str(path)).delete(f"order >= 'O-{1000 * DAYS:07d}'"))
    did(DAYS, lambda: write_deltalake(str(path), orders(DAYS), mode="append"))
    if at_once:
        crawl_tables(context, [table])
    with context.reading() as session:
        found = find_outcomes(session, table_id=table, status="violated", limit=100).items
    assert [(one.version, one.sentence) for one, _ in found if one.version >= DAYS] == []


def customers(day: int, rows: int) -> pa.Table:
    rng = np.random.default_rng(23)
    spent = np.concatenate([rng.lognormal(4, 1, 4000), np.random.default_rng([23, day]).lognormal(4, 1, 400)])[:rows]
    return pa.table({"customer": [f"C-{k:06d}" for k in range(rows)], "spent": spent.round(2)})


def test_what_restores_a_version_is_no_fault_and_what_it_takes_back_was(context: Context, tmp_path: Path) -> None:
    path = tmp_path / "lake" / "customers"

    def did(day: int, write: Callable[[], Any]) -> None:
        write()
        version = DeltaTable(str(path)).version()
        date_commit(path, version, TODAY + timedelta(days=day, minutes=version))

    def judged(version: int) -> list[str]:
        crawl_tables(context, [table])
        with context.reading() as session:
            found = find_outcomes(session, table_id=table, version=version, status="violated", limit=100).items
        return [one.sentence for one, _ in found]

    for day in range(DAYS):
        did(day, lambda day=day: write_deltalake(str(path), customers(day, 4000 + 3 * day), mode="overwrite"))
    crawl_source(context, add_source(context, "lake", str(path.parent)).id or 0)
    with context.reading() as session:
        table = tables.every_table(session)[0].id or 0
    wrong = pa.concat_tables([customers(DAYS, 4040), customers(DAYS, 1500)])
    did(DAYS, lambda: write_deltalake(str(path), wrong, mode="overwrite"))
    assert judged(DAYS)
    with context.transaction() as session:  # as where the week has room for no more, or nobody answered for long
        versions.set_version(session, table, DAYS, label=None)
    did(DAYS, lambda: DeltaTable(str(path)).restore(DAYS - 1))
    assert judged(DAYS + 1) == []
    with context.reading() as session:
        said = find_outcomes(session, table_id=table, version=DAYS + 1, limit=100).items
        assert [one.status for one, _ in said] == ["passed"] * len(said)
        assert any("the very files of version 13" in one.sentence for one, _ in said)
        assert versions.find_version(session, table, DAYS).label == "suspect"
    did(DAYS + 1, lambda: write_deltalake(str(path), customers(DAYS, 4000 + 3 * DAYS), mode="overwrite"))
    assert judged(DAYS + 2) == []
