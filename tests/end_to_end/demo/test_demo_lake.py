"""The demo's lake: what the demo learns from is as it says."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from deltalake import DeltaTable

from catalog.demo.faults import FAULTS
from catalog.demo.lake import ShopLake
from catalog.demo.shop import DELIVERIES

END = datetime(2026, 9, 16, 9, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> ShopLake:
    lake = ShopLake(tmp_path_factory.mktemp("shop"), end=END, days=36)
    for _ in lake.write_history():
        pass
    return lake


def test_twelve_tables_have_weeks_of_versions(shop: ShopLake) -> None:
    operations = set()
    for delivery in DELIVERIES:
        history = DeltaTable(shop.root / delivery.table).history()
        assert len(history) >= 30
        times = [datetime.fromtimestamp(entry["timestamp"] / 1000, UTC) for entry in reversed(history)]
        assert times == sorted(times)
        assert times[-1] - times[0] > timedelta(days=34)
        assert times[-1] < END
        operations |= {entry["operation"] for entry in history}
    assert len(DELIVERIES) == 12
    assert {"WRITE", "MERGE", "DELETE", "OPTIMIZE"} <= operations


def test_the_bad_day_may_come_two_days_after_the_history(shop: ShopLake) -> None:
    """The demo writes it at once, dated today, while the past still allows as long a wait."""
    for delivery in DELIVERIES:
        came = [shop.delivered_at(day, delivery.table) for day in range(shop.days + 2)]
        longest = max(after - before for before, after in itertools.pairwise(came[: shop.days]))
        assert 2 * longest > came[-1] - came[-3] + timedelta(hours=6)


def test_business_follows_the_week(shop: ShopLake) -> None:
    orders = DeltaTable(shop.root / "orders").to_pyarrow_table(columns=["order_date"])
    counts: dict[int, list[int]] = {}
    for entry in orders["order_date"].value_counts().to_pylist():
        weekday = datetime.fromisoformat(entry["values"]).weekday()
        counts.setdefault(weekday, []).append(entry["counts"])
    mean = {weekday: sum(found) / len(found) for weekday, found in counts.items()}
    assert mean[5] > 1.25 * mean[0]


def test_the_same_seed_writes_the_same_rows(tmp_path: Path) -> None:
    found = []
    for name in ("a", "b"):
        lake = ShopLake(tmp_path / name, end=END, days=2, seed=5)
        for _ in lake.write_history():
            pass
        found.append({table.table: rows(tmp_path / name / table.table) for table in DELIVERIES})
    assert found[0] == found[1]


def test_a_bad_day_damages_three_columns_and_nothing_else(tmp_path: Path) -> None:
    lakes = [ShopLake(tmp_path / name, end=END, days=2) for name in ("good", "bad")]
    for lake, faults in zip(lakes, (None, FAULTS), strict=True):
        lake.deliver()
        versions = lake.deliver(faults)
        assert set(versions.values()) == {1}
    for delivery in DELIVERIES:
        good, bad = (DeltaTable(lake.root / delivery.table).to_pyarrow_table() for lake in lakes)
        assert good.schema == bad.schema
        key = [(name, "ascending") for name in good.column_names if name not in {f.column for f in FAULTS.values()}]
        different = {
            name
            for name in good.column_names
            if good.sort_by(key)[name].to_pylist() != bad.sort_by(key)[name].to_pylist()
        }
        assert different == ({FAULTS[delivery.table].column} if delivery.table in FAULTS else set())


def rows(path: Path) -> list[str]:
    return sorted(map(str, DeltaTable(path).to_pyarrow_table().to_pylist()))
