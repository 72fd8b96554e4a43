"""Tables that a day is appended to, in partitions of its year, month and day: the calendar is no reason to alarm."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from deltalake import write_deltalake

from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source, crawl_tables
from catalog.flow.reading.sources import add_source
from catalog.store.lake import tables
from catalog.store.pages.rules import find_outcomes

pytestmark = pytest.mark.spark

FIRST = date(2025, 12, 18)
PARTS = ["year", "month", "day"]
#: How a lake names days: the partition columns of a day, and their type.
LAYOUTS = {
    "numbers": (lambda day: [day.year, day.month, day.day], pa.int32()),
    "digits": (lambda day: [f"{part:02}" for part in (day.year, day.month, day.day)], pa.string()),
    "joined": (lambda day: [int(f"{day:%Y%m%d}")], pa.int32()),
    "month": (lambda day: [f"{day:%b %Y}"], pa.string()),
    "packed month": (lambda day: [int(f"{day:%Y%m}")], pa.int32()),
}


def append(uri: str, number: int, layout: str, parted: bool) -> None:
    told, kind = LAYOUTS[layout]
    values = told(FIRST + timedelta(days=number))
    names = PARTS if len(values) > 1 else ["period_of_visit"]
    columns = {name: pa.array([one] * 100, kind) for name, one in zip(names, values, strict=True)}
    amount = np.random.default_rng(number).normal(50, 9, 100).round(2)
    write_deltalake(uri, pa.table({"amount": amount, **columns}), mode="append", partition_by=names if parted else None)


@pytest.mark.parametrize(
    ("layout", "parted"),
    [
        ("numbers", True),
        ("numbers", False),
        ("digits", True),
        ("joined", True),
        ("month", False),
        ("packed month", False),
    ],
)
def test_a_new_month_and_a_new_year_are_no_news(context: Context, tmp_path: Path, layout: str, parted: bool) -> None:
    uri = str(tmp_path / "lake" / "visits")
    for number in range(14):
        append(uri, number, layout, parted)
    crawl_source(context, add_source(context, "lake", str(tmp_path / "lake")).id or 0)
    with context.reading() as session:
        table = tables.every_table(session)[0].id or 0
    for number in range(14, 17):  # from the first of January on
        append(uri, number, layout, parted)
        crawl_tables(context, [table])
    with context.reading() as session:
        told = find_outcomes(session, status="violated", limit=1000).items
        found = [(one.version, rule.kind, rule.column_name, one.sentence) for one, rule in told]
        assert not [one for one in found if one[1] != "freshness"]  # the commits are seconds apart
        judged = {rule.column_name for _, rule in find_outcomes(session, status="passed", limit=10_000).items}
        assert "amount" in judged
        assert not parted or not judged & {*PARTS}
