"""What pay is made of, and what is measured of a body."""

from __future__ import annotations

import pyarrow as pa
import pytest

from catalog.states.folding.fold import fold
from catalog.tags.table import propose_table

PEOPLE = {
    "subject_id": ["S01", "S02", "S03", "S04", "S05", "S06"],
    "age": ["44", "51", "38", "62", "29", "57"],
    "sex": ["M", "F", "F", "M", "F", "M"],
}


def sensitive(columns: dict[str, list[str]], name: str, table: str) -> bool:
    return propose_table(fold(pa.table(columns)).columns, table)[name][0].sensitive


@pytest.mark.parametrize(
    ("table", "pay", "part"),
    [("payslips", "net_salary", "allowances"), ("bordro", "brüt_maaş", "kesinti"), ("lonn", "lønn", "skattetrekk")],
)
def test_what_pay_is_made_of_is_as_personal(table: str, pay: str, part: str) -> None:
    amounts = {pay: ["28000", "31000", "25500", "40000"], part: ["4200", "4650", "0", "6000"]}
    numbers = {"emp_no": ["301", "302", "303", "304"]}
    assert sensitive(numbers | amounts, part, table)
    assert not sensitive(numbers | {"price": amounts[pay], part: amounts[part]}, part, "orders")


@pytest.mark.parametrize("name", ["hours", "leave_days", "sales_target"])
def test_what_else_is_counted_beside_pay_is_not(name: str) -> None:
    columns = {"emp_no": ["301", "302", "303"], "salary": ["28000", "31000", "25500"], name: ["160", "152", "171"]}
    assert not sensitive(columns, name, "staff")


@pytest.mark.parametrize("name", ["bmi", "sbp", "cholesterol", "glicemia", "ciśnienie_krwi", "frecuencia_cardiaca"])
def test_what_is_measured_of_a_body_is_of_health(name: str) -> None:
    values = ["121.5", "140.0", "118.2", "152.9", "110.1", "133.4"]
    assert sensitive(PEOPLE | {name: values}, name, "study")
    assert not sensitive({"sample": PEOPLE["subject_id"], "lot": ["7"] * 6, name: values}, name, "foods")
