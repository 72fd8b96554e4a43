"""Batches under suspicion are holes in a table's history, and wrong ones that the budget held back become such: the
healthy ones behind them raise no alarm for it."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from deltalake import write_deltalake

from catalog.demo.lake import date_commit
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source, crawl_tables
from catalog.flow.reading.sources import add_source
from catalog.rules.verdict import VIOLATED
from catalog.store.expectations import allowance
from catalog.store.lake import tables, versions
from catalog.store.models import HELD_BACK
from catalog.store.pages.rules import find_outcomes

pytestmark = pytest.mark.spark

BEFORE, AFTER = 31, 14
WEEK = (1.0, 1.02, 0.98, 1.0, 1.4, 0.25, 0.2)
TABLES = 4


def visits(seed: int, day: int, *, wrong: bool = False) -> pa.Table:
    """A day's visits: few on weekends, ids and dates that grow, amounts that are another mix on weekends."""
    rng = np.random.default_rng([seed, day])
    share = WEEK[day % 7]
    rows = int(2000 * share * (1 + rng.normal(0, 0.02)))
    start = 100_000 + 1500 * day
    on = date(2026, 1, 5) + timedelta(days=day)
    amount = np.round(rng.normal(40 if share < 0.5 else 90, 12, rows), 2)
    return pa.table(
        {
            "id": np.arange(start, start + rows),
            "day": [on - timedelta(days=int(late)) for late in rng.integers(0, 3, rows)],
            "code": [f"V{start + i}" for i in range(rows)],
            "amount": pa.array(amount * 100 if wrong else amount, mask=rng.random(rows) < 0.4 if wrong else None),
        }
    )


def members(seed: int, day: int, *, wrong: bool = False) -> pa.Table:
    """All members so far: some ninety more each day, fewer on weekends."""
    rng = np.random.default_rng([seed, 7])
    rows = 3000 + sum(round(90 * WEEK[at % 7]) for at in range(day + 1))
    points = np.round(rng.gamma(2.0, 30.0, 20_000), 1)[:rows]
    return pa.table(
        {
            "member": np.arange(1, rows + 1),
            "since": [date(2025, 1, 1) + timedelta(days=i // 90) for i in range(rows)],
            "points": pa.array(points * 100 if wrong else points, mask=rng.random(rows) < 0.4 if wrong else None),
        }
    )


def deliver(root: Path, day: int, *, wrong: bool = False) -> None:
    for seed in range(TABLES):
        for make, mode in ((visits, "append"), (members, "overwrite")):
            path = root / f"{make.__name__}{seed}"
            write_deltalake(str(path), make(seed, day, wrong=wrong), mode=mode)  # type: ignore[call-overload]
            date_commit(path, day, datetime(2026, 1, 5, 6, tzinfo=UTC) + timedelta(days=day))


def test_healthy_versions_behind_an_incident_raise_no_alarm(context: Context, tmp_path: Path) -> None:
    root = tmp_path / "lake"
    for day in range(BEFORE):
        deliver(root, day)
    crawl_source(context, add_source(context, "lake", str(root)).id or 0)
    wrong = (BEFORE, BEFORE + 3)
    for day in range(BEFORE, BEFORE + AFTER):
        deliver(root, day, wrong=day in wrong)
    with context.reading() as session:
        ids = {table.name: table.id for table in tables.every_table(session)}
    crawl_tables(context, list(ids.values()))
    false, missed = [], []
    with context.reading() as session:
        for name, table_id in ids.items():
            labels = {v.number: v.label for v in versions.list_versions(session, table_id)}
            missed += [(name, number) for number in wrong if labels[number] != "suspect"]
            said = find_outcomes(session, table_id=table_id, status="violated", limit=1000).items
            false += [
                (name, o.version, rule.column_name, o.sentence)
                for o, rule in said
                if o.version not in wrong and rule.kind != "freshness"
            ]
    assert not missed
    assert not false, f"{len({f[:2] for f in false})} of {2 * TABLES * (AFTER - 2)}: {false}"


LEARNED, BAD = 12, 17  # versions before the first crawl; that which is wrong, judged as the fifth since


def contacts(version: int, *, wrong: bool = False) -> pa.Table:
    rng = np.random.default_rng(version)
    rows = 400 + int(rng.integers(-8, 8))
    mark = "_at_" if wrong else "@"
    mails = [f"p{number}{mark}firm{number % 37}.example" for number in rng.integers(10_000, 99_999, rows)]
    return pa.table({"mail": mails, "paid": rng.normal(90, 12, rows).round(2)})


def deliver_contacts(place: Path, version: int, *, wrong: bool = False) -> None:
    write_deltalake(str(place), contacts(version, wrong=wrong), mode="overwrite" if version else "error")
    date_commit(place, version, datetime(2026, 1, 5, 6, tzinfo=UTC) + timedelta(days=version))


def test_the_right_version_after_a_wrong_one_that_was_held_back_passes(context: Context, tmp_path: Path) -> None:
    place = tmp_path / "lake" / "contacts"
    source = add_source(context, "lake", str(place.parent)).id or 0
    with context.transaction() as session:
        allowance.allow_a_week(session, 1e-300, actor="ann")
    for version in range(BAD + 3):
        deliver_contacts(place, version, wrong=version == BAD)
        if version >= LEARNED:
            crawl_source(context, source)
    with context.reading() as session:
        table = tables.get_table(session, "contacts")
        broken = find_outcomes(session, table_id=table.id or 0, status=VIOLATED, limit=100).items
        label = {one.number: one.label for one in versions.list_versions(session, table.id or 0, limit=100)}
    assert {(one.version, row.column_name) for one, row in broken if one.detail.get(HELD_BACK)} == {(BAD, "mail")}
    assert {one.version for one, _ in broken} == {BAD}, "the right ones after it break nothing"
    assert [number for number, one in label.items() if one] == [BAD], "what came back shows which one was wrong"
