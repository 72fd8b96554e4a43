"""Whose a town, a shared telephone, a name on a book or a machine's address is; what a few odd rows of people hold."""

from __future__ import annotations

import pyarrow as pa
import pytest

from catalog.states.folding.fold import fold
from catalog.tags.proposal import TagProposal
from catalog.tags.table import propose_table

PEOPLE = {
    "first_name": ["Ann", "Peter", "Maria", "Tom", "Julia", "Robert"],
    "last_name": ["Lee", "Schmidt", "Garcia", "Hill", "Rossi", "Patel"],
}
STREETS = ["12 High Street", "Hauptstraße 5", "Calle Mayor 3", "220 Lake Floyd Circle", "Via Roma 9", "14 Station Road"]
TOWNS = ["Leeds", "Hamburg", "Madrid", "Denver", "Napoli", "York"]
PHONES = [
    "+44 1798 342332",
    "+44 1798 342333",
    "+44 1798 342334",
    "+44 1798 342335",
    "+44 1798 342336",
    "+44 1798 342337",
]
AUTHORS = ["Jean Giono", "Thomas Mann", "Maria Schmidt", "Peter Smith", "Ann Johnson", "Robert Lee"]


def first(table: str, name: str, columns: dict[str, list[str]]) -> TagProposal:
    return propose_table(fold(pa.table(columns)).columns, table)[name][0]


@pytest.mark.parametrize(
    ("table", "name", "columns", "sensitive"),
    [
        ("members", "city", {**PEOPLE, "address": STREETS, "city": TOWNS}, False),
        ("members", "tempat_lahir", {**PEOPLE, "phone": PHONES, "tempat_lahir": TOWNS}, True),
        ("members", "místo narození", {**PEOPLE, "phone": PHONES, "místo narození": TOWNS}, True),
        ("members", "birthplace", {**PEOPLE, "birthplace": TOWNS}, False),
        ("members", "syntymäpaikka", {**PEOPLE, "phone": PHONES, "syntymäpaikka": TOWNS}, True),
        ("horses", "birthplace", {"breed": ["Arab"] * 6, "farm": TOWNS, "birthplace": TOWNS}, False),
        ("doctors", "phone", {**PEOPLE, "phone": PHONES}, True),
        ("doctors", "phone", {**PEOPLE, "phone": PHONES[:1] * 6}, False),
        ("books", "author", {"title": TOWNS, "author": AUTHORS}, True),
        ("posts", "author", {"title": TOWNS, "author": AUTHORS}, True),
        ("servers", "ip", {"ip": ["213.23.247.191", "13.255.14.97", "212.244.76.216", "219.222.254.92"]}, False),
        ("logins", "ip", {"ip": ["213.23.247.191", "13.255.14.97", "212.244.76.216", "219.222.254.92"]}, True),
    ],
)
def test_whose(table: str, name: str, columns: dict[str, list[str]], sensitive: bool) -> None:
    assert first(table, name, columns).sensitive == sensitive


@pytest.mark.parametrize(
    ("name", "values", "domain"),
    [
        ("Fødselsdato", ["170481", "91157", "220952", "271157", "110360", "30471"], "birth_date"),
        (
            "pass_num",
            ["N004312796", "N015527308", "P3908217A", "U0738264", "N004312797", "N004312798"],
            "passport_number",
        ),
        (
            "home address",
            ["PUROK 4 DAUIS", "POBLACION BOHOL (D/A)", "SITIO UPPER", "NEAR CHAPEL", "PUROK 9", "NO TOKEN HERE"],
            "street_address",
        ),
    ],
)
def test_odd_values_of_people(name: str, values: list[str], domain: str) -> None:
    mail = [f"{one.lower()}@gmail.com" for one in PEOPLE["first_name"]]
    said = first("members", name, {**PEOPLE, "email": mail, name: values})
    assert (said.domain, said.sensitive) == (domain, True)


def test_academic_degrees_belong_to_names() -> None:
    names = ["Joel T. Weinfeld, M.D.", "Brian M. Thorn, M.D., Ph.D.", "Nancy K. Fielding, M.D.", "Peter R. Hall, Ph.D."]
    assert first("clinics", "director", {"director": names}).domain == "person_name"


@pytest.mark.parametrize(("table", "name"), [("people", "Name"), ("landlords", "Name")])
def test_a_bare_name_of_people_is_theirs_unless_firms_are_among_them(table: str, name: str) -> None:
    people = ["Ibukunoluwa Adebayo"] if table == "people" else ["Miller Properties", "Off-Campus La Crosse LLC"]
    rest = {"birth_date": ["1990-04-17", "1985-01-02"], "email": ["a.lee@gmail.com", "b.cole@gmail.com"]}
    columns = {name: people, **{one: values[: len(people)] for one, values in rest.items()}}
    assert (first(table, name, columns).domain == "person_name") == (table == "people")
