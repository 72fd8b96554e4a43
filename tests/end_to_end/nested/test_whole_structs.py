"""Conditions in SQL on structs as a whole, on lists and on what their elements hold, as Spark answers them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from catalog.declared.check import Check
from catalog.errors import UsageError
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source
from catalog.flow.declared.counting import apply_checks, table_of
from catalog.flow.reading.sources import add_source
from catalog.store.pages.rules import find_outcomes

pytestmark = pytest.mark.spark

PLACE = pa.struct([("city", pa.string()), ("zip", pa.string())])
HERE, THERE, NOWHERE = {"city": "Ulm", "zip": "1"}, {"city": "Bonn", "zip": "1"}, {"city": None, "zip": None}
#: Conditions, with the rows of `ROWS` that they are true of.
CONDITIONS = {
    "address IS NOT NULL": 3,
    "address IS NULL OR address.city IS NOT NULL": 3,
    "ADDRESS = billing": 1,
    "address <=> billing": 2,
    "address IN (billing)": 1,
    "size(items) > 0": 2,
    "items[0].sku = 'a'": 1,
    "items IS NULL OR size(items) < 2": 3,
}
ROWS: dict[str, Any] = {
    "id": pa.array([1, 2, 3, 4]),
    "address": pa.array([HERE, None, NOWHERE, HERE], PLACE),
    "billing": pa.array([HERE, None, HERE, THERE], PLACE),
    "items": pa.array(
        [[{"sku": "a"}], [], None, [{"sku": "b"}, {"sku": "c"}]], pa.list_(pa.struct([("sku", pa.string())]))
    ),
}


def check() -> Check:
    found = Check("shop/orders")
    for at, (condition, _) in enumerate(CONDITIONS.items()):
        found = found.satisfies(condition, name=f"c{at}", at_least=0)
    return found


def test_conditions_on_structs_and_lists_are_answered(context: Context, tmp_path: Path) -> None:
    for _ in range(2):
        write_deltalake(str(tmp_path / "lake" / "orders"), pa.table(ROWS), mode="append")
    source = add_source(context, "shop", str(tmp_path / "lake"))
    crawl_source(context, source.id)
    apply_checks(context, [check()])
    write_deltalake(str(tmp_path / "lake" / "orders"), pa.table(ROWS), mode="append")
    crawl_source(context, source.id)
    table = table_of(context, "shop/orders")
    with context.reading() as session:
        found = find_outcomes(session, table_id=table.id, version=2, limit=1000).items
        told = {rule.learner.removeprefix("declared:"): (one.status, one.value) for one, rule in found}
    assert {name: value for name, value in told.items() if name.startswith("c")} == {
        f"c{at}": ("passed", rows / 4) for at, rows in enumerate(CONDITIONS.values())
    }


@pytest.mark.parametrize(
    ("condition", "cause", "remedy"),
    [
        ("address.town = 'Ulm'", "there is no column 'address.town'", "did you mean address.city?"),
        ("items.sku IS NOT NULL", "column 'items.sku' is inside a list", "`list[0].field`"),
        ("address.city.first = 'U'", "there is no column 'address.city.first'", "address.city"),
    ],
)
def test_what_nobody_can_answer_is_refused_with_cause_and_remedy(
    context: Context, tmp_path: Path, condition: str, cause: str, remedy: str
) -> None:
    write_deltalake(str(tmp_path / "lake" / "orders"), pa.table(ROWS))
    crawl_source(context, add_source(context, "shop", str(tmp_path / "lake")).id)
    with pytest.raises(UsageError) as refused:
        apply_checks(context, [Check("shop/orders").satisfies(condition)])
    assert cause in refused.value.cause
    assert remedy in refused.value.remedy
