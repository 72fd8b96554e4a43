"""An age is as telling as a year of birth where the row names somebody, and tells of nobody elsewhere."""

from __future__ import annotations

import pyarrow as pa
import pytest

from catalog.states.folding.fold import fold
from catalog.tags.table import propose_table

AGES = [18 + 7 * i % 60 for i in range(40)]
NAMES = ["Linda Smith", "Peter Schmidt", "Maria Garcia", "Robert Lee", "Anna Kowalska"] * 8


def sensitive(table: str, asked: str, columns: dict[str, list]) -> bool:
    found = propose_table(fold(pa.table(columns)).columns, table)[asked]
    return bool(found) and found[0].sensitive


@pytest.mark.parametrize(
    "name", ["age", "edad", "vârsta", "idade", "wiek", "возраст", "年齢", "tuổi", "patient_age", "Alter"]
)
def test_the_age_of_somebody_who_is_named_is_personal(name: str) -> None:
    columns = {"full_name": NAMES, name: AGES}
    said = propose_table(fold(pa.table(columns)).columns, "patients")[name][0]
    assert (said.domain, said.sensitive) == ("age", True)
    assert sensitive("patients", name, {"full_name": NAMES, name: [str(one) for one in AGES]})


@pytest.mark.parametrize(
    ("table", "name", "columns"),
    [
        ("survey", "age", {"sex": ["m", "f"] * 20, "age": AGES}),  # nobody is named
        ("dogs", "age", {"name": ["Rex", "Bello"] * 20, "breed": ["Boxer", "Collie"] * 20, "age": AGES}),
        ("patients", "age_group", {"full_name": NAMES, "age_group": AGES}),
        ("buildings", "building_age", {"owner": NAMES, "building_age": AGES}),
        ("clubs", "average_age", {"full_name": NAMES, "average_age": AGES}),
    ],
)
def test_other_ages_are_not(table: str, name: str, columns: dict[str, list]) -> None:
    assert not sensitive(table, name, columns)
