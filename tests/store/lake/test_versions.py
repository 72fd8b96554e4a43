"""Versions and the states of data files."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from singly import get_version, upsert_table
from sqlalchemy import Engine
from sqlalchemy.exc import InvalidRequestError
from sqlmodel import Session

from catalog.store.engine import session
from catalog.store.lake import batches, sources, versions
from catalog.store.lake.versions import StateTotals
from catalog.store.models import Table
from catalog.store.schemas.lake import VersionOut

START = datetime(2024, 1, 1, tzinfo=UTC)


@pytest.fixture
def table(db: Session) -> Table:
    return upsert_table(db, sources.add_source(db, "lake", "/lake").id, "orders", "/lake/orders")


def _versions(*numbers: int, **more: Any) -> list[dict[str, Any]]:
    return [
        {"number": one, "committed_at": START + timedelta(days=one), "batch": "snapshot", **more} for one in numbers
    ]


def test_versions_are_recorded_once_and_stay_as_they_were(db: Session, table: Table) -> None:
    assert versions.record_versions(db, table.id, _versions(2, 0, 1)) == [0, 1, 2]
    versions.set_version(db, table.id, 1, metrics=b"m", status="observed", batch_rows=5)
    assert versions.record_versions(db, table.id, _versions(1, 2, 3)) == [3]
    assert versions.record_versions(db, table.id, []) == []
    db.expire_all()
    one = get_version(db, table.id, 1)
    assert (one.metrics, one.status, one.batch_rows, one.committed_at) == (
        b"m",
        "observed",
        5,
        START + timedelta(days=1),
    )
    assert table.seen_version == 3
    versions.record_versions(db, table.id, _versions(0))
    db.expire_all()
    assert table.seen_version == 3
    assert versions.find_version(db, table.id, 9) is None


def test_versions_are_listed_latest_first_without_their_metrics(db: Session, table: Table) -> None:
    versions.record_versions(db, table.id, _versions(*range(5), metrics=b"m"))
    db.expunge_all()
    found = versions.list_versions(db, table.id, limit=2, before=4)
    assert [one.number for one in found] == [3, 2]
    with pytest.raises(InvalidRequestError):
        _ = found[0].metrics


def test_what_was_judged_last_stays_the_last(db: Session, table: Table) -> None:
    versions.record_versions(db, table.id, _versions(0, 1, 2, 3))
    assert [one.status for one in versions.list_versions(db, table.id)] == ["known"] * 4
    versions.mark_judged(db, table.id, 3)
    versions.mark_judged(db, table.id, 2)
    db.expire_all()
    assert [one.status for one in versions.list_versions(db, table.id)] == ["judged", "judged", "known", "known"]
    assert table.judged_version == 3
    assert get_version(db, table.id, 3).judged_at is not None


def test_versions_can_be_read_after_the_session(engine: Engine) -> None:
    with session(engine) as current:
        table = upsert_table(current, sources.add_source(current, "lake", "/").id, "t", "/t")
        versions.record_versions(current, table.id, _versions(0, operation="WRITE", commit_info={"user": "ann"}))
    with session(engine, write=False) as current:
        (version,) = versions.list_versions(current, table.id)
    assert (version.operation, version.commit_info) == ("WRITE", {"user": "ann"})


def test_a_series_is_of_one_kind_oldest_first_and_leaves_bad_versions_out(db: Session, table: Table) -> None:
    versions.record_versions(db, table.id, _versions(*range(6), metrics=b"m"))
    versions.record_versions(db, table.id, [*_versions(6, 7), {"number": 8, "committed_at": START, "batch": "rewrite"}])
    versions.set_version(db, table.id, 2, label="incident")
    versions.set_version(db, table.id, 3, label="healthy")
    versions.set_version(db, table.id, 4, batch="increment")

    def numbers(batch: str = "snapshot", **options: Any) -> list[int]:
        return [point.number for point in versions.metric_series(db, table.id, batch, **options)]

    assert numbers() == [0, 1, 3, 5]  # 6 and 7 have no metrics
    assert numbers(limit=2) == [3, 5]
    assert numbers(before=5) == [0, 1, 3]
    assert numbers(skip_labels=()) == [0, 1, 2, 3, 5]
    assert numbers("increment") == [4]
    assert numbers("rewrite") == []
    past = versions.past_batches(db, table.id, "snapshot", limit=90)
    holes = [(number, point is None) for number, point in past]
    assert holes == [(0, False), (1, False), (2, True), (3, False), (5, False), (6, True), (7, True)]
    assert [number for number, _ in versions.past_batches(db, table.id, "snapshot", limit=2, before=7)] == [3, 5, 6]
    versions.record_versions(db, table.id, _versions(10, metrics=b"m"))  # 9 is unknown: its log went before it was read
    assert [number for number, _ in versions.past_batches(db, table.id, "snapshot", limit=90, before=12)][-4:] == [
        7,
        9,
        10,
        11,
    ]
    assert [number for number, _ in versions.past_batches(db, table.id, "snapshot", limit=1, before=99)] == [10, 98]
    point = versions.metric_series(db, table.id, "snapshot")[0]
    assert (point.metrics, point.committed_at, point.label) == (b"m", START, None)


def test_a_stream_is_put_beside_the_same_time_of_earlier_days_and_weeks(db: Session, table: Table) -> None:
    """Of 144 batches a day the last ninety, 37 a day and week before at the same time, and no more, however old it is;
    holes between the days, and where a batch is not healthy."""
    ten = timedelta(minutes=10)
    every = [
        {"number": n, "committed_at": START + n * ten, "batch": "increment", "metrics": b"m", "batch_rows": n}
        for n in range(30 * 144)
    ]
    versions.record_versions(db, table.id, every)
    day_before = 29 * 144 - 1
    versions.set_version(db, table.id, day_before, label="suspect")

    def past(**options: Any) -> dict[int, bool]:
        found = versions.past_and_seasons(db, table.id, "increment", limit=90, **options)
        return {number: point is not None for number, point in found}

    found = past()
    assert list(found) == sorted(found)
    assert list(found)[-90:] == list(range(30 * 144 - 90, 30 * 144))
    days = (21, 14, 7, 3, 2, 1)
    there = [n for n, healthy in found.items() if healthy and n < 30 * 144 - 90]
    same = [30 * 144 - 1 - day * 144 + off for day in days for off in range(-24, 13)]
    assert there == [n for n in same if n != day_before]
    assert len(found) == 90 + len(days) * (37 + 15)
    assert not found[day_before]
    assert list(past(before=200))[:37] == list(range(55 - 24, 55 + 13))  # two days before it there was no table
    one_a_day = versions.past_batches(db, table.id, "increment", limit=90)
    assert [number for number, _ in one_a_day] == list(range(30 * 144 - 90, 30 * 144))


def test_a_table_of_a_batch_a_day_has_no_more_past_than_its_last_ones(db: Session, table: Table) -> None:
    versions.record_versions(db, table.id, _versions(*range(300), metrics=b"m"))
    latest = versions.past_batches(db, table.id, "snapshot", limit=90)
    assert versions.past_and_seasons(db, table.id, "snapshot", limit=90) == latest


def test_the_state_of_a_file_is_kept_once(db: Session, table: Table) -> None:
    rows = [(table.id, f"part-{n}.parquet", 10, 1000, bytes([n]) * 30) for n in range(5)]
    assert versions.put_file_states(db, rows[:3]) == 3
    assert versions.put_file_states(db, [(*rows[0][:4], b"other"), *rows]) == 2
    assert versions.known_file_keys(db, table.id) == {row[1] for row in rows}
    found = versions.file_states(db, table.id, ["part-0.parquet", "part-4.parquet", "none"])
    assert found == {"part-0.parquet": bytes([0]) * 30, "part-4.parquet": bytes([4]) * 30}
    assert versions.state_totals(db, table.id) == StateTotals(5, 50, 5000, 150)
    assert versions.state_totals(db).ratio == 0.03
    assert versions.state_totals(db, 999) == StateTotals(0, 0, 0, 0)


def test_many_file_keys_are_asked_for_in_pieces(db: Session, table: Table) -> None:
    keys = [f"part-{n}" for n in range(12_000)]
    assert versions.put_file_states(db, [(table.id, key, 1, 10, b"s") for key in keys]) == len(keys)
    assert len(versions.file_states(db, table.id, keys)) == len(keys)


def test_what_brought_no_rows_taught_nothing(db: Session, table: Table) -> None:
    """Neither a CREATE TABLE, a VACUUM or a new column, nor an empty load."""
    for number, batch, count in ((0, "none", None), (1, "snapshot", 0), (2, "snapshot", 7), (3, "none", None)):
        said = {"number": number, "committed_at": START, "batch": batch}
        versions.record_versions(db, table.id, [said])
        versions.set_version(db, table.id, number, batch_rows=count)
        versions.mark_judged(db, table.id, number)
    db.expire_all()
    told = [VersionOut.of(get_version(db, table.id, number)).standing for number in range(4)]
    assert told == ["no new rows", "no new rows", "learned from", "no new rows"]
    (first, *_) = batches.history_coverage(db, table).words()
    assert (
        first == "Rules check the whole table at each version (detected from its log); there is none yet that brought "
        "rows to learn from."
    )
    versions.set_version(db, table.id, 2, metrics=b"m")
    db.expire_all()
    assert "learned from 1 of 1 batches" in batches.history_coverage(db, table).words()[0]
