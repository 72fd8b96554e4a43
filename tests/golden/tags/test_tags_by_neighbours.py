"""What a column whose name says nothing means by the columns beside it."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from catalog.domains.domain import NameRegex
from catalog.domains.known import KNOWN
from catalog.states.column import ColumnState
from catalog.states.folding.fold import fold
from catalog.tags import propose, table
from catalog.tags.discovery.sample import Sample
from catalog.tags.proposal import TagProposal
from catalog.tags.rows import unread
from catalog.tags.table import propose_table

DRAW = random.Random(5)
ROWS = range(60)
MAIL = [f"ann.lee{i}@example.com" for i in ROWS]
FIRST = ["Linda", "Michael", "Hannah", "Peter", "Julia", "Andrea", "Thomas", "Maria", "Susan", "Robert"] * 6
LAST = ["Harrington", "Gonzalez", "Schmidt", "Johnson", "Nguyen", "Rossi", "Kowalski", "Patel", "Smith", "Lee"] * 6
BIRTHS = [f"{1950 + i}-0{1 + i % 9}-{10 + i % 18}" for i in ROWS]
ODD = [
    f"{one}{two}{three}" for one in ("Zyv", "Quor", "Brax", "Phel") for two in "aeiou" for three in ("nt", "lk", "rz")
]
STREETS = [f"{one} {two.lower()} {7 + 3 * i}" for i, (one, two) in enumerate(zip(ODD, reversed(ODD), strict=True))]
DAYS = [f"{45 + i:02}{1 + i % 12:02}{1 + i % 28:02}" for i in range(50)] + [f"0{i}0{i + 1}1{i}" for i in range(10)]
PEOPLE = {"nick": [f"{i}" for i in ROWS], "first_name": FIRST, "last_name": LAST, "birth_date": BIRTHS}


def said(columns: dict[str, list], name: str, table: str = "t") -> TagProposal:
    return propose_table(fold(pa.table(columns)).columns, table)[name][0]


def numbers(form: str) -> list[str]:
    """Random numbers of a form: # is a digit, @ a capital letter."""
    kinds = {"#": "0123456789", "@": "BCDFGHKLMNPRSTVWZ"}
    return ["".join(DRAW.choice(kinds.get(char, char)) for char in form) for _ in ROWS]


def test_a_column_is_looked_at_once_however_often_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its values are drawn once, and its name is read by a domain once; its neighbours tell more each time."""
    drawn: list[int] = []
    read: list[str] = []
    draw, search = table.sample, NameRegex.search

    def drawing(state: ColumnState) -> Sample:
        drawn.append(id(state))
        return draw(state)

    def reading(regex: NameRegex, named: str) -> bool:
        if regex is KNOWN["email"].name_regex:
            read.append(named)
        return search(regex, named)

    monkeypatch.setattr(table, "sample", drawing)
    monkeypatch.setattr(propose, "sample", drawing)
    monkeypatch.setattr(NameRegex, "search", reading)
    columns = fold(pa.table({**PEOPLE, "zvk qumplet": MAIL})).columns  # a name that nobody read yet
    propose_table(columns, "t")
    assert sorted(drawn) == sorted(map(id, columns.values()))
    assert read.count("zvk qumplet") == 1
    assert len(read) == len(set(read))


@pytest.mark.parametrize("form", ["@@@-###-@", "#########", "@@ ######", "####@###@"])
def test_a_number_of_each_row_is_personal_in_a_table_of_people(form: str) -> None:
    assert unread("zglbr")
    found = said(PEOPLE | {"zglbr": numbers(form)}, "zglbr")
    assert found.sensitive, found
    assert found.evidence["whose"] == "person"
    assert "first_name" in found.evidence["whose_because"][0]["what"]


@pytest.mark.parametrize(
    ("columns", "name"),
    [
        ({"sku": ["A"] * 60, "zglbr": numbers("@@@-###-@"), "depth": [1.5] * 60}, "zglbr"),  # no people
        ({"zglbr": numbers("@@@-###-@")} | PEOPLE, "zglbr"),  # the table's key
        (PEOPLE | {"order_no": numbers("@@@-###-@")}, "order_no"),  # known to number something
        (PEOPLE | {"zglbr": numbers("KD######")}, "zglbr"),  # numbered by who keeps the table
        (PEOPLE | {"zglbr": numbers("@@@-###-@")[:6] * 10}, "zglbr"),  # of kinds
        (PEOPLE | {"company": [f"{one} Ltd" for one in LAST], "zglbr": numbers("###")}, "zglbr"),
    ],
)
def test_a_number_of_other_things_is_not(columns: dict[str, list], name: str) -> None:
    assert not said(columns, name).sensitive


WHO = {"nick": [f"{i}" for i in ROWS], "zyk": [f"{a} {b[0]}. {b}son" for a, b in zip(FIRST, ODD, strict=True)]}


@pytest.mark.parametrize(
    "form", ["#/##########/##/#", "########-########-########", "#### #### ## ##########", "##.###.###"]
)
def test_a_number_in_groups_is_personal_where_each_row_names_a_person(form: str) -> None:
    found = said(WHO | {"zglbr": numbers(form)}, "zglbr")
    assert found.sensitive, found
    assert "zyk" in str(found.evidence["whose_because"])
    assert not said({"sku": ["A"] * 60, "zglbr": numbers(form)}, "zglbr").sensitive
    assert not said(WHO | {"invoice_no": numbers(form)}, "invoice_no").sensitive


def test_what_is_called_by_a_sensitive_name_is_so_whatever_its_values_look_like() -> None:
    odd = numbers("(####)-####")
    found = said(PEOPLE | {"mobiil": odd}, "mobiil")
    assert found.sensitive, found
    assert not said(PEOPLE | {"address_id": numbers("@##@#-####")}, "address_id").sensitive
    assert not said(PEOPLE | {"phone_kind": ["a1", "b2", "c3"] * 20}, "phone_kind").sensitive


def test_logins_and_passwords_are_personal_whatever_they_are_called() -> None:
    logins = [f"{word.lower()}{'_' * (i % 2)}{1900 + i}" for i, word in enumerate(ODD)]
    passwords = numbers("@#;@!@#)")
    assert said(PEOPLE | {"zglbr": logins}, "zglbr").sensitive
    assert said(PEOPLE | {"zglbr": passwords}, "zglbr").sensitive
    assert not said({"part": ["A"] * 60, "zglbr": logins}, "zglbr").sensitive


def test_amounts_beside_what_people_work_as_may_be_their_pay() -> None:
    amounts = [str(1400 + 37 * i % 2900) for i in ROWS]
    jobs = ["Nurse", "Teacher", "Accountant", "Software Engineer", "Sales Manager", "Translator"] * 10
    staff = PEOPLE | {"job": jobs}
    found = said(staff | {"zglbr": amounts}, "zglbr")
    assert found.sensitive, found
    assert "pay" in found.evidence["whose_because"][1]["what"]
    assert not said(PEOPLE | {"zglbr": amounts}, "zglbr").sensitive  # what they owe, or have spent
    assert not said(staff | {"order_total": amounts}, "order_total").sensitive
    assert not said(staff | {"zglbr": [str(20 + i % 40) for i in ROWS]}, "zglbr").sensitive  # ages, hours
    assert not said(staff | {"zglbr": ["500", "700", "900"] * 20}, "zglbr").sensitive  # of a scale
    assert not said({"job": jobs, "zglbr": amounts}, "zglbr").sensitive  # of nobody


def test_numbers_that_are_no_text_are_personal_too_where_texts_would_be() -> None:
    jobs = ["Nurse", "Teacher", "Accountant", "Software Engineer", "Sales Manager", "Translator"] * 10
    staff = PEOPLE | {"job": jobs}
    assert said(staff | {"zglbr": [1400.5 + 37 * i % 2900 for i in ROWS]}, "zglbr").domain == "salary"
    own = [DRAW.randrange(10**8, 10**9) for _ in ROWS]
    found = said(PEOPLE | {"zglbr": own}, "zglbr")
    assert (found.domain, found.sensitive, found.generic) == ("opaque_id", True, True)
    states = fold(pa.table({"shelf": ["A"] * 60, "zglbr": own})).columns
    assert propose_table(states, "t")["zglbr"] == []  # a number of nobody says nothing


def test_what_is_personal_by_its_place_shows_no_value() -> None:
    people = {"nick": PEOPLE["nick"], "first_name": FIRST, "last_name": LAST}
    found = said(people | {"gim_data": BIRTHS}, "gim_data")
    assert set(BIRTHS).isdisjoint(found.evidence["matching"] + found.evidence["failing"])


def test_days_over_generations_are_births_where_no_word_for_dates_says_otherwise() -> None:
    people = {"nick": PEOPLE["nick"], "first_name": FIRST, "last_name": LAST}
    assert said(people | {"gim_data": BIRTHS}, "gim_data").domain == "birth_date"
    assert said(people | {"gim_data": BIRTHS}, "gim_data").sensitive
    recent = [f"{2012 + i % 13}-0{1 + i % 9}-{10 + i % 18}" for i in ROWS]
    assert said(people | {"gim_data": recent}, "gim_data").domain == "date"
    assert said(people | {"hire_date": BIRTHS}, "hire_date").domain == "date"
    assert said(PEOPLE | {"gim_data": BIRTHS}, "gim_data").domain == "date"  # they are there already
    assert said({"painter": ["A"] * 60, "gim_data": BIRTHS}, "gim_data").domain == "date"


def test_who_runs_a_thing_does_not_make_its_telephone_personal() -> None:
    calls = [f"+44 1798 3{i:05d}" for i in ROWS]
    clinics = {
        "hu_name": [f"{one} health post" for one in ODD],
        "tel": calls,
        "lat": [f"{50 + i / 977:.5f}" for i in ROWS],
        "in_charge": [f"{a} {b}" for a, b in zip(FIRST, LAST, strict=True)],
    }
    assert not said(clinics, "tel").sensitive
    assert not said(clinics, "lat").sensitive
    assert said(clinics, "in_charge").sensitive
    assert said(clinics | {"birth_date": BIRTHS}, "tel").sensitive  # rows are persons after all
    ordered = clinics | {"hu_name": ["Red chair", "Blue desk", "Lamp"] * 20}
    assert said(ordered, "tel").sensitive  # things that recur are what somebody ordered


def test_streets_are_known_by_their_form_beside_people() -> None:
    assert said({"c1": MAIL, "c2": STREETS}, "c2").domain == "street_address"
    assert said({"c1": MAIL, "zglbr": STREETS}, "zglbr").sensitive
    assert said({"c1": list(ROWS), "c2": STREETS}, "c2").domain != "street_address"
    sizes = [f"Halvo {size}" for size in (10, 12, 14)] * 20
    assert said({"c1": MAIL, "c2": sizes}, "c2").domain != "street_address"


def test_what_is_found_by_one_column_tells_of_the_next() -> None:
    codes = [f"{1000 + 137 * i % 9000:04}" for i in ROWS]
    found = said({"c1": MAIL, "c2": STREETS, "c3": codes}, "c3")
    assert found.domain == "postcode", found  # beside the street, that the mail beside it told
    assert found.evidence["placed"]
    assert said({"c1": MAIL, "c2": codes}, "c2").domain != "postcode"


@pytest.mark.parametrize("form", ["(0##) ### ####", "0## #### ####", "25## ######", "0912#######"])
def test_numbers_that_begin_as_calls_do_are_telephones_beside_people(form: str) -> None:
    assert said({"c1": FIRST, "c2": LAST, "c3": numbers(form)}, "c3").domain == "phone"


@pytest.mark.parametrize("form", ["## #######", "#########", "#### #####"])
def test_numbers_that_begin_anyhow_are_none(form: str) -> None:
    assert said({"c1": FIRST, "c2": LAST, "c3": numbers(form)}, "c3").domain != "phone"


@pytest.mark.parametrize("form", ["{}#####", "{}-#######", "@@@@{}@@@@@@##", "######19{}####"])
def test_days_over_generations_inside_numbers_are_births(form: str) -> None:
    born = [form.format(day) for day in DAYS]
    drawn = [
        "".join(DRAW.choice("0123456789") if c == "#" else DRAW.choice("BCDF") if c == "@" else c for c in one)
        for one in born
    ]
    assert said({"c1": MAIL, "zglbr": drawn}, "zglbr").domain == "national_id"


def test_days_of_a_few_years_inside_numbers_are_orders() -> None:
    orders = [f"{18 + i % 6:02}{1 + i % 12:02}{1 + i % 28:02}{i:06}" for i in ROWS]
    assert said({"c1": MAIL, "zglbr": orders}, "zglbr").domain != "national_id"


def test_the_other_half_of_names_stands_beside_the_one_half() -> None:
    assert said({"first_name": FIRST, "zglbr": ODD, "city": ["Zyk"] * 60}, "zglbr").domain == "last_name"
    assert said({"city": ["Paris"] * 60, "zglbr": ODD, "pages": [3] * 60}, "zglbr").domain != "last_name"


def test_whole_names_are_known_by_their_form_in_a_table_of_people_without_names() -> None:
    whole = [f"{one} {two}" for one, two in zip(ODD, reversed(ODD), strict=True)]
    assert said({"born": BIRTHS, "zglbr": whole}, "zglbr").domain == "person_name"
    assert said({"pages": [3] * 60, "zglbr": whole}, "zglbr").domain != "person_name"
    kinds = [f"{one} {two}" for one, two in zip(ODD[:9], ODD[9:18], strict=True)]
    assert said({"born": BIRTHS, "zglbr": (kinds * 7)[:60]}, "zglbr").domain != "person_name"


def test_two_columns_of_single_names_in_a_table_of_people_are_given_and_family_names() -> None:
    given = list(reversed(ODD))
    people = {"zglbr": given, "vrnk": ODD, "mail": MAIL, "born": BIRTHS}
    assert (said(people, "zglbr").domain, said(people, "vrnk").domain) == ("first_name", "last_name")
    assert said({"zglbr": given, "vrnk": ODD, "pages": [3] * 60, "mail": MAIL}, "vrnk").domain == "title"
    firms = people | {"company": [f"{one} Ltd" for one in LAST]}
    assert said(firms, "vrnk").domain == "title"
    assert said(people | {"first_name": FIRST}, "zglbr").domain == "title"  # names are there already


def test_a_column_of_given_names_that_holds_whole_ones_holds_names_of_persons() -> None:
    whole = [f"{two.upper()} {one.upper()}" for one, two in zip(FIRST, LAST, strict=True)]
    assert said({"cognome": whole, "quota": [3] * 60}, "cognome").domain == "person_name"
    assert said({"cognome": whole, "nome": FIRST}, "cognome").domain == "last_name"  # as in Spain


def test_a_contacts_mobile_is_personal_where_the_firm_is_not() -> None:
    phones = [f"+44 1798 3{i:05d}" for i in ROWS]
    firms = {
        "trading_name": [f"{one} Ltd" for one in LAST],
        "acct_contact": [f"{a} {b}" for a, b in zip(FIRST, LAST, strict=True)],
    }
    columns = firms | {"contact_mobile": phones, "office_phone": phones, "credit_terms": ["30 days", "14 days"] * 30}
    assert said(columns, "contact_mobile", "suppliers").sensitive
    assert not said(columns, "office_phone", "suppliers").sensitive


def test_a_name_that_leaves_no_doubt_outweighs_values_that_could_be_dialled() -> None:
    passports = numbers("## ## ######")
    assert said({"имя": FIRST, "паспорт": passports}, "паспорт").domain == "passport_number"


def test_names_of_columns_are_read_without_letters_that_keyboards_lack() -> None:
    pay = [400 + 13 * i for i in ROWS]
    assert said({"ad": FIRST, "emek_haqqi": pay}, "emek_haqqi").domain == "salary"  # əmək haqqı


TYPED = {
    "nome": ["ana", "qwe", "rui p", "zzz"],
    "telefone": ["888", "98745", "16", "4411"],
    "cpf": ["7", "9", "41", "5"],
}


def test_what_was_typed_is_what_was_asked_for_in_a_table_of_people() -> None:
    """Registers of test data hold anything under the name of a telephone; counts recur, and hotels are no people."""
    people = {"sobrenome": ["Silva", "Souza", "Costa", "Alves"], "email": [f"{one}@mail.example" for one in "abcd"]}
    phone = said(people | TYPED, "telefone", "alunos")
    assert (phone.domain, phone.sensitive, phone.generic) == ("phone", True, False)
    assert said(people | TYPED, "cpf", "alunos").domain == "national_id"
    assert not said(people | {"telefone": ["1", "2", "1", "2"]}, "telefone", "alunos").sensitive
    assert not said({"preço": [12, 30, 45, 20]} | TYPED, "telefone", "hotéis").sensitive
