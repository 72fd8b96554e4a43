"""A wrong version whose findings the budget held back does not make the right one after it look wrong."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from deltalake import write_deltalake

from catalog.demo.lake import date_commit
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source
from catalog.flow.reading.sources import add_source
from catalog.rules.verdict import VIOLATED
from catalog.store.expectations import allowance
from catalog.store.lake import tables, versions
from catalog.store.models import HELD_BACK
from catalog.store.pages.rules import find_outcomes

pytestmark = pytest.mark.spark

LEARNED, BAD = 12, 17  # versions before the first crawl; that which is wrong, judged as the fifth since


def contacts(version: int, *, wrong: bool = False) -> pa.Table:
    rng = np.random.default_rng(version)
    rows = 400 + int(rng.integers(-8, 8))
    mark = "_at_" if wrong else "@"
    mails = [f"p{number}{mark}firm{number % 37}.example" for number in rng.integers(10_000, 99_999, rows)]
    return pa.table({"mail": mails, "paid": rng.normal(90, 12, rows).round(2)})


def deliver(place: Path, version: int, *, wrong: bool = False) -> None:
    write_deltalake(str(place), contacts(version, wrong=wrong), mode="overwrite" if version else "error")
    date_commit(place, version, datetime(2026, 1, 5, 6, tzinfo=UTC) + timedelta(days=version))


def test_the_right_version_after_a_wrong_one_that_was_held_back_passes(context: Context, tmp_path: Path) -> None:
    place = tmp_path / "lake" / "contacts"
    source = add_source(context, "lake", str(place.parent)).id or 0
    with context.transaction() as session:
        allowance.allow_a_week(session, 1e-300, actor="ann")
    for version in range(BAD + 3):
        deliver(place, version, wrong=version == BAD)
        if version >= LEARNED:
            crawl_source(context, source)
    with context.reading() as session:
        table = tables.get_table(session, "contacts")
        broken = find_outcomes(session, table_id=table.id or 0, status=VIOLATED, limit=100).items
        label = {one.number: one.label for one in versions.list_versions(session, table.id or 0, limit=100)}
    assert {(one.version, row.column_name) for one, row in broken if one.detail.get(HELD_BACK)} == {(BAD, "mail")}
    assert {one.version for one, _ in broken} == {BAD}, "the right ones after it break nothing"
    assert [number for number, one in label.items() if one] == [BAD], "what came back shows which one was wrong"
