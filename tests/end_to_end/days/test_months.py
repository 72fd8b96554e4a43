"""The end of a month is judged beside that of the month before: by the days on which versions were committed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from deltalake import write_deltalake

from catalog.demo.lake import date_commit
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source, crawl_tables
from catalog.flow.reading.sources import add_source
from catalog.store.lake import tables
from catalog.store.pages.rules import find_outcomes

pytestmark = pytest.mark.spark

FIRST = datetime(2026, 1, 5, tzinfo=UTC)


def bill(path: Path, day: int, rows: int) -> None:
    rng = np.random.default_rng(day)
    write_deltalake(str(path), pa.table({"net": rng.lognormal(5, 1, rows).round(2)}), mode="append")
    date_commit(path, day, FIRST + timedelta(days=day))


def test_more_rows_at_the_second_end_of_a_month_and_on_another_day(context: Context, tmp_path: Path) -> None:
    path = tmp_path / "lake" / "bills"
    usual = np.random.default_rng(1).integers(92, 109, 60)
    for day in range(40):
        bill(path, day, 500 if day == 26 else int(usual[day]))  # the 31st of January
    crawl_source(context, add_source(context, "lake", str(tmp_path / "lake")).id or 0)
    for day in range(40, 56):
        bill(path, day, 1000 if day in (45, 54) else int(usual[day]))  # the 19th and the 28th of February
    with context.reading() as session:
        table = tables.every_table(session)[0].id or 0
    crawl_tables(context, [table])
    with context.reading() as session:
        told = find_outcomes(session, table_id=table, status="violated", limit=100).items
    assert {one.version for one, rule in told if rule.kind == "volume"} == {45}
