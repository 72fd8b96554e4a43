"""Sensitive values in a column that is not masked are noticed, whosever they are, and ordinary changes are none."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from catalog.causes import Cause
from catalog.flow.checking.arriving import arrived_in, moved_into
from catalog.rules.verdict import Batch
from catalog.states.folding.fold import fold
from catalog.store.meaning.privacy import Standing
from catalog.store.models import now as moment
from catalog.tags.beside.arrived import arrived

GIVEN = ["Anna", "Peter", "Maria", "Thomas", "Julia", "Michael", "Laura", "Martin"]
LAST = ["Schmidt", "Weber", "Fischer", "Wagner", "Becker", "Hoffmann", "Schulz", "Koch"]
MASKED = {"name": "person_name", "phone": "phone", "badge": ""}


def rows(start: int, count: int = 60) -> dict[str, list[Any]]:
    at = range(start, start + count)
    return {
        "name": [f"{LAST[i % 8]}, {GIVEN[i // 8 % 8]}" for i in at],
        "phone": [f"+49 30 {4411000 + 37 * i}" for i in at],
        "badge": [f"QX-{77001 + 13 * i}/{'abc'[i % 3]}" for i in at],
        "sex": [("male", "female")[i % 2] for i in at],
        "day": [f"2024-{1 + i % 12:02}-{1 + i % 28:02}" for i in at],
        "city": [("Berlin", "Hamburg", "Bremen", "Kiel", "Ulm")[i % 5] for i in at],
        "order": [f"{500000 + 7 * i}" for i in at],
    }


def found(came: dict[str, list[Any]], **more: Any) -> dict[str, str]:
    now, before = (fold(pa.table(one)).columns for one in (came, rows(0)))
    return arrived(now, before, MASKED, **more)


@pytest.mark.parametrize("share", [1.0, 0.3, 0.05])
@pytest.mark.parametrize("source", ["name", "phone", "badge"])
@pytest.mark.parametrize("column", ["sex", "day", "city", "order"])
def test_values_of_masked_columns_are_noticed_in_others(column: str, source: str, share: float) -> None:
    came = rows(100)
    some = round(share * 60)
    came[column] = came[source][:some] + came[column][some:]
    assert found(came).keys() == {column}


def test_what_a_healthy_version_brings_is_none() -> None:
    assert found(rows(100)) == {}


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("sex", ["m", "f"]),
        ("sex", ["männlich", "weiblich"]),
        ("sex", ["MALE", "FEMALE"]),
        ("day", ["12.03.2024", "28.11.2024", "01.02.2024"]),
        ("city", ["Dresden", "Leipzig", "Mainz"]),
        ("city", ["DE-B", "DE-HH"]),
        ("order", ["ORD-5001", "ORD-5002", "ORD-5003"]),
        ("order", ["5000.0", "5001.0"]),
        ("city", ["unknown"]),
    ],
)
def test_ordinary_changes_are_none(column: str, values: list[str]) -> None:
    came = rows(100)
    came[column] = [values[i % len(values)] for i in range(60)]
    assert found(came) == {}


def test_what_a_person_shows_is_shown() -> None:
    came = rows(100)
    came["day"] = came["phone"]
    assert found(came, shown={"day"}) == {}


def test_values_that_a_column_held_before_did_not_arrive() -> None:
    came, before = rows(100), rows(0)
    came["contact"], before["contact"] = rows(500)["phone"], rows(300)["phone"]
    assert arrived(fold(pa.table(came)).columns, fold(pa.table(before)).columns, MASKED) == {}


def test_names_are_noticed_where_no_column_is_masked() -> None:
    came = rows(100)
    came["sex"] = [f"{GIVEN[i % 8]}" for i in range(60)]
    now, before = (fold(pa.table({"sex": one["sex"], "order": one["order"]})).columns for one in (came, rows(0)))
    assert arrived(now, before, {}).keys() == {"sex"}


def test_a_cause_tells_which_columns_hold_what_others_held() -> None:
    known = Standing({"pay": "personal", "pin": "secret"}, frozenset({"open"}), {})
    near = Cause("swapped", "neighbour", 0.9, ("bonus",), {"from": "pay"}, "", "", "")
    both = Cause("swapped", "columns_swapped", 0.9, ("pin", "code"), {}, "", "", "")
    shown = Cause("swapped", "neighbour", 0.9, ("open",), {"from": "pay"}, "", "", "")
    other = Cause("swapped", "neighbour", 0.9, ("bonus",), {"from": "fee"}, "", "", "")
    assert moved_into([near], known) == {"bonus": "personal"}
    moved = {"moved": {"bonus": "pay", "fee": "bonus", "pay": "fee"}}
    shifted = Cause("shifted", "columns_shifted", 0.9, ("bonus", "fee", "pay"), moved, "", "", "")
    assert moved_into([shifted], known) == {"bonus": "personal"}
    assert moved_into([both], known) == {"code": "secret"}
    assert moved_into([shown, other], known) == {}


def test_secrets_that_arrive_in_a_column_of_personal_values_are_secret() -> None:
    known = Standing({"name": "personal", "badge": "secret"}, frozenset(), {})
    moved = {"moved": {"name": "badge", "badge": "city", "city": "name"}}
    shifted = Cause("shifted", "columns_shifted", 0.9, ("name", "badge", "city"), moved, "", "", "")
    assert moved_into([shifted], known) == {"name": "secret", "city": "personal"}
    came = rows(100)
    came["name"] = came["badge"]
    now, before = (fold(pa.table(one)) for one in (came, rows(0)))
    batch = Batch(2, "snapshot", now, before, [], moment(), history=[])
    assert arrived_in(batch, (), known, MASKED) == {"name": "secret"}
    other = Standing({"name": "personal", "badge": "personal"}, frozenset(), {})
    assert arrived_in(batch, (), other, MASKED) == {}
