"""A tag is carried to columns that hold the same data; each column that is left out has its reason."""

from __future__ import annotations

import pyarrow as pa
import pytest
from singly import put_tags, upsert_table
from sqlmodel import Session, select

from catalog.errors import UsageError
from catalog.roles import everyone_here
from catalog.states.encoding import encode
from catalog.states.folding.fold import fold
from catalog.store.access.undo import undo
from catalog.store.lake import sources, tables, versions
from catalog.store.meaning import review, spread
from catalog.store.models import LakeColumn, Tag
from catalog.tags.proposal import TagProposal

NUMBERS = [f"C-{i:05}" for i in range(3000)]
LAKE = {
    "customers": NUMBERS,
    "orders": NUMBERS[100:2600] * 2,
    "others": [f"X-{i:05}" for i in range(3000)],
    "half": [*NUMBERS[:1000], *(f"Y-{i}" for i in range(1000))],
    "few": NUMBERS[:5] * 10,
    "refused": NUMBERS[:500],
}


@pytest.fixture
def columns(db: Session) -> dict[str, int]:
    """A column of customer numbers and others beside it; in one of them somebody rejected the tag."""
    source = sources.add_source(db, "shop", "/lake")
    found = {}
    for name, values in LAKE.items():
        table = upsert_table(db, source.id, name, f"/lake/{name}")
        found[name] = tables.set_columns(db, table.id, [[f"{name}_no", "string"]])[0].id
        state = fold(pa.table({f"{name}_no": values}))
        versions.put_file_states(db, [(table.id, "part-0", len(values), 9000, encode(state))])
    return found


def _tag(db: Session, column: int, status: str, reason: str = "") -> int:
    put_tags(db, column, [TagProposal("customer_no", "Customer number", 0.9, 1.0, True)], 1)
    tag = db.exec(select(Tag.id).where(Tag.column_id == column)).one()
    if status != "proposed":
        review.decide(db, [tag], status, "ann", reason)
    return tag


def test_the_same_data_carries_the_tag(db: Session, columns: dict[str, int]) -> None:
    tag = _tag(db, columns["customers"], "proposed")
    with pytest.raises(UsageError, match="accept it first"):
        spread.plan(db, tag)
    review.decide(db, [tag], "accepted", "ann")
    _tag(db, columns["refused"], "rejected", "a test's")
    planned = {one.name.split()[1]: one for one in spread.plan(db, tag)}
    assert {name for name, one in planned.items() if one.what == "carry"} == {"orders_no"}
    reasons = {name: one.reason for name, one in planned.items() if one.what == "skip"}
    assert reasons["refused_no"] == "ann rejected it there (a test's)"
    assert reasons["others_no"] == "0% of its values are the same, 90% needed"
    assert "of its values are the same" in reasons["half_no"]
    assert 0.35 < planned["half_no"].share < 0.65
    assert "values" in reasons["few_no"]
    events = spread.carry(db, tag, list(planned.values()), "bob")
    assert len(events) == 1
    made = db.exec(select(Tag).where(Tag.column_id == columns["orders"])).one()
    assert (made.status, made.actor, made.reason) == (
        "accepted",
        "bob",
        "100% of its values are those of shop/customers customers_no",
    )
    assert db.get_one(LakeColumn, columns["orders"]).sensitive
    assert spread.carry(db, tag, spread.plan(db, tag), "bob") == []
    undo(db, events[0], by=everyone_here("ann"), false_alarm_budget=1.0)
    assert db.get_one(Tag, made.id).status == "proposed"
