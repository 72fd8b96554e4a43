"""The demo's lake: its days, and what the bad ones damage."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from pathlib import Path

from deltalake import DeltaTable

from catalog.demo.faults import FAULTS
from catalog.demo.lake import ShopLake
from catalog.demo.shop import DELIVERIES

END = datetime(2026, 9, 16, 9, 30, tzinfo=UTC)


def test_the_bad_day_may_come_two_days_after_the_history(tmp_path: Path) -> None:
    """The demo writes it at once, dated today, while the past still allows as long a wait."""
    shop = ShopLake(tmp_path, end=END, days=36)
    for delivery in DELIVERIES:
        came = [shop.delivered_at(day, delivery.table) for day in range(shop.days + 2)]
        longest = max(after - before for before, after in itertools.pairwise(came[: shop.days]))
        assert 2 * longest > came[-1] - came[-3] + timedelta(hours=6)


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
