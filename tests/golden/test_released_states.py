"""States as released versions of the encoding wrote them, byte for byte, are read and say what the rows say today."""

from __future__ import annotations

import base64
import json
from datetime import datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest

from catalog.states.encoding import VERSION, decode, encode
from catalog.states.fold import fold
from catalog.states.metrics import metrics
from catalog.states.table import merge

RELEASED: dict[str, str] = json.loads(Path(__file__).with_name("released_states.json").read_text())
DAY = datetime(2026, 3, 2)
#: The rows that every released version was asked to fold.
ROWS = pa.table(
    {
        "id": pa.array(range(300), pa.int64()),
        "code": pa.array([None if n % 50 == 7 else f"SKU-{n:04d}" for n in range(300)]),
        "price": pa.array([round(n * 0.37, 2) for n in range(300)]),
        "at": pa.array([DAY + timedelta(minutes=7 * n) for n in range(300)], pa.timestamp("us")),
        "kind": pa.array(["a", "b", "b"] * 100),
    }
)


def test_every_released_version_is_here() -> None:
    assert set(map(int, RELEASED)) == set(range(1, VERSION))


@pytest.mark.parametrize("version", RELEASED)
def test_a_released_state_says_what_its_rows_say(version: str) -> None:
    data = base64.b85decode(RELEASED[version])
    assert data[2] == int(version)
    old, new = decode(data), fold(ROWS)
    assert old.rows == new.rows
    assert list(old.columns) == list(new.columns)
    for name, column in new.columns.items():
        before, now = metrics(old.columns[name]), metrics(column)
        assert before, name
        assert before == pytest.approx({key: now[key] for key in before}, rel=1e-3)


@pytest.mark.parametrize("version", RELEASED)
def test_a_released_state_merges_with_one_of_today_and_is_written_anew(version: str) -> None:
    merged = merge(decode(base64.b85decode(RELEASED[version])), fold(ROWS))
    assert merged.rows == 600
    assert merged.columns["id"].nulls == 0
    assert decode(encode(merged)).rows == 600
