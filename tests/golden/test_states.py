"""Bytes of states that earlier releases wrote, of one table each: they are read, and merge with what is written now."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

from catalog.states.elements import list_of
from catalog.states.encoding import VERSION, decode, encode
from catalog.states.folding.fold import fold
from catalog.states.metrics import WHOLE, metrics
from catalog.states.table import merge

HERE = Path(__file__).parent / "states"
WRITTEN = sorted(HERE.glob("*.state"))


def rows(n: int, start: int = 0) -> pa.Table:
    """The rows whose state, folded in two batches of 1,000 and 500, was written."""
    at = [datetime(2026, 3, 2, 8, tzinfo=UTC) + timedelta(minutes=7 * k) for k in range(start, start + n)]
    return pa.table(
        {
            "code": [f"v{k % 300}-{k}" for k in range(start, start + n)],
            "state": [("packed", "shipped", "Zürich", None)[k % 4] for k in range(start, start + n)],
            "amount": [round((k * 37 % 9973) / 7, 2) for k in range(start, start + n)],
            "money": [Decimal(k * 13 % 777) / 100 for k in range(start, start + n)],
            "opened": at,
            "closed": [t + timedelta(hours=2) for t in at],
            "day": [t.date() for t in at],
            "tags": [[k, 2] for k in range(start, start + n)],
        }
    )


def test_every_earlier_version_is_kept() -> None:
    assert [path.stem for path in WRITTEN] == [f"version_{n}" for n in range(1, VERSION)]


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.stem)
def test_an_earlier_version_is_read_as_what_it_was(path: Path) -> None:
    old, new = decode(path.read_bytes()), merge(fold(rows(1000)), fold(rows(500, 1000)))
    assert old.rows == new.rows == 1500
    assert list(old.columns) == [name for name in new.columns if not list_of(name)]  # lists were closed
    for name, before in old.columns.items():
        column = new.columns[name]
        assert (before.kind, before.type, before.nulls) == (column.kind, column.type, column.nulls)
        assert (before.low, before.high) == (column.low, column.high)
        assert before.table == column.table
        assert before.moments == column.moments
        assert before.distinct.estimate() == column.distinct.estimate()
    assert decode(encode(old)) == old


@pytest.mark.parametrize("path", WRITTEN[:3], ids=lambda path: path.stem)
def test_what_a_version_did_not_know_is_not_known(path: Path) -> None:
    old = decode(path.read_bytes()).columns
    assert old["opened"].calendar is None
    assert old["closed"].before == ()
    assert old["code"].garbled is None
    assert old["state"].garbled == 0  # kept value by value: told by its values
    assert old["day"].calendar is not None
    new = fold(rows(500, 1500))
    both = merge(decode(path.read_bytes()), new).columns
    assert both["code"].garbled is None
    assert both["opened"].calendar == replace(new.columns["opened"].calendar, whole=())
    assert both["closed"].before == new.columns["closed"].before


@pytest.mark.parametrize("path", WRITTEN[3:5], ids=lambda path: path.stem)
def test_how_exact_times_are_is_not_known_of_a_union_with_an_earlier_version(path: Path) -> None:
    old, new = decode(path.read_bytes()), fold(rows(500, 1500))
    assert (old.columns["opened"].calendar.whole, new.columns["opened"].calendar.whole) == ((), (500, 500, 9, 0))
    both = merge(old, new).columns["opened"]
    assert (both.calendar.whole, sum(both.calendar.hours)) == ((), 2000)
    assert not metrics(both).keys() & set(WHOLE)
    assert metrics(new.columns["opened"])["full_hour_ratio"] == 9 / 500


@pytest.mark.parametrize("path", WRITTEN[:4], ids=lambda path: path.stem)
def test_how_sampled_values_are_written_is_not_known_of_a_union_with_an_earlier_version(path: Path) -> None:
    old, new = decode(path.read_bytes()), fold(rows(500, 1500))
    assert old.columns["code"].distinct.values == ()
    assert len(new.columns["code"].distinct.values) > 32
    assert merge(old, new).columns["code"].distinct.values == ()
    assert old.columns["state"].distinct.values  # kept value by value


def test_the_version_of_today() -> None:
    columns = decode(encode(fold(rows(1000)))).columns
    assert sum(columns["opened"].calendar.hours) == sum(columns["opened"].calendar.weekdays) == 1000
    assert columns["day"].calendar.hours == ()
    assert columns["day"].calendar.weekdays[date(2026, 3, 2).weekday()] > 0
    assert [(b.column, b.rows, b.earlier) for b in columns["closed"].before] == [("opened", 1000, 0)]
    assert len(columns["code"].distinct.values) > 32
    assert [(b.column, b.rows, b.earlier) for b in columns["day"].before] == [("closed", 1000, 1000)]
