"""Rows of an end of a month: as many may come at the next one, by the days on which versions were committed, and on no
day fewer than usual because of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from deltalake import write_deltalake
from sqlmodel import select

from catalog.demo.lake import date_commit
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source, crawl_tables
from catalog.flow.reading.sources import add_source
from catalog.store.lake import tables
from catalog.store.models import Incident
from catalog.store.pages.rules import find_outcomes

pytestmark = pytest.mark.spark

FIRST = datetime(2026, 1, 5, tzinfo=UTC)


def bill(path: Path, day: int, rows: int) -> None:
    rng = np.random.default_rng(day)
    write_deltalake(str(path), pa.table({"net": rng.lognormal(5, 1, rows).round(2)}), mode="append")
    date_commit(path, day, FIRST + timedelta(days=day))


def test_many_rows_once_blind_nobody_to_few(context: Context, tmp_path: Path) -> None:
    path = tmp_path / "lake" / "bills"
    usual = np.random.default_rng(1).integers(92, 109, 60)
    for day in range(40):
        bill(path, day, 500 if day == 26 else int(usual[day]))  # the 31st of January
    crawl_source(context, add_source(context, "lake", str(tmp_path / "lake")).id or 0)
    found = {45: 30, 54: 650}  # the 19th and the 28th of February
    for day in range(40, 56):
        bill(path, day, found.get(day, int(usual[day])))
    with context.reading() as session:
        table = tables.every_table(session)[0].id or 0
    crawl_tables(context, [table])
    with context.reading() as session:
        told = find_outcomes(session, table_id=table, status="violated", limit=100).items
        incidents = session.exec(select(Incident).where(Incident.kind == "volume")).all()
    assert [(one.version, one.sentence) for one, rule in told if rule.kind == "volume"] == [
        (45, "The table: the rows come to 31% of their usual number, expected at least 73%.")
    ]
    assert [(one.first_version, one.last_version, one.cause) for one in incidents] == [(45, 45, "volume")]
    assert incidents[0].sentence.startswith("`bills` has 30 rows, 69% fewer than usual (98).")
