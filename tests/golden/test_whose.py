"""Whose data a column holds: a person's or an organisation's, by what stands around it."""

from __future__ import annotations

import pyarrow as pa
import pytest

from catalog.states.folding.fold import fold
from catalog.tags.propose import propose_tags
from catalog.tags.table import propose_table
from catalog.tags.whose import Around

PHONES = [f"+44 1798 3{i:05d}" for i in range(40)]
STREETS = [f"{i + 1} High Street" for i in range(40)]


def sensitive(columns: dict[str, list], table: str, name: str, default: str = "person") -> bool:
    states = fold(pa.table(columns)).columns
    return propose_table(states, table, default=default)[name][0].sensitive


def test_a_restaurants_telephone_is_not_a_guests() -> None:
    cuisine = ["Thai", "Greek", "Pizza", "Sushi"] * 10
    assert not sensitive({"phone": PHONES, "cuisine": cuisine, "opening_hours": cuisine}, "restaurants", "phone")
    assert sensitive({"phone": PHONES, "birth_date": ["1971-03-02"] * 40, "amount": [1.5] * 40}, "guests", "phone")


def test_an_offices_address_is_not_a_customers() -> None:
    assert not sensitive({"address": STREETS, "branch": ["north"] * 40}, "offices", "address")
    assert sensitive({"address": STREETS, "first_name": ["Ann"] * 40}, "customers", "address")


def test_the_columns_beside_speak_by_their_values_too() -> None:
    first = ["Linda", "Michael", "Hannah", "Peter", "Julia", "Andrea", "Thomas", "Maria", "Susan", "Robert"] * 4
    last = ["Harrington", "Gonzalez", "Schmidt", "Johnson", "Nguyen", "Rossi", "Kowalski", "Patel", "Smith", "Lee"] * 4
    assert sensitive({"c1": PHONES, "c2": first, "c3": last}, "t", "c1", default="organisation")


@pytest.mark.parametrize(("default", "said"), [("person", True), ("organisation", False)])
def test_where_nothing_tells_the_default_decides(default: str, said: bool) -> None:
    assert sensitive({"c1": PHONES, "c2": [1] * 40}, "t", "c1", default=default) is said


def test_the_reasons_are_told() -> None:
    (state,) = fold(pa.table({"phone": PHONES})).columns.values()
    evidence = propose_tags(state, "phone", around=Around("stores", ("phone", "store_id")))[0].evidence
    assert evidence["whose"] == "organisation"
    assert [one["what"] for one in evidence["whose_because"]] == ["default", "table stores", "beside store_id"]


def test_what_is_a_persons_by_nature_needs_no_evidence() -> None:
    cards = ["4111 1111 1111 1111", "5555555555554444", "3782-822463-10005"] * 5
    assert sensitive({"number": cards, "store": ["x"] * 15}, "stores", "number", default="organisation")


def test_mailboxes_of_functions_are_not_personal() -> None:
    mail = [f"{what}@shop{i}.example.com" for i in range(10) for what in ("info", "sales", "contact")]
    assert not sensitive({"email": mail}, "t", "email")
    assert sensitive({"email": [f"ann.lee{i}@example.com" for i in range(30)]}, "t", "email")


def test_networks_are_not_hosts() -> None:
    assert not sensitive({"ip_prefix": [f"13.34.{i}.0/24" for i in range(40)]}, "t", "ip_prefix")
    assert sensitive({"ip": [f"13.34.{i}.7" for i in range(40)]}, "t", "ip")
