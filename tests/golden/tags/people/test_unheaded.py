"""Tables of persons without a header are read by what the table is called and by what stands side by side."""

from __future__ import annotations

import pyarrow as pa
import pytest

from catalog.states.folding.fold import fold
from catalog.tags.proposal import TagProposal
from catalog.tags.table import propose_table

ROWS = range(12)
FIRST = ["Sidy", "Issa", "Aziz", "Rama", "Fatou", "Maria", "Anna", "Peter", "Awa", "Linda", "Ousmane", "Thomas"]
LAST = ["Balde", "Ndiaye", "Diop", "Seck", "Gueye", "Smith", "Garcia", "Cisse", "Lee", "Fall", "Diallo", "Sarr"]
#: Of which dictionaries know a few.
GIVEN = [
    "Sidykh",
    "Isseka",
    "Azzouzi",
    "Ramatl",
    "Maria",
    "Peter",
    "Anna",
    "Thierk",
    "Ouslan",
    "Fatimbe",
    "Awanne",
    "Zeynk",
]
FAMILY = [
    "Baldhe",
    "Ndiaykh",
    "Diopsy",
    "Seckar",
    "Guyemb",
    "Smith",
    "Garcia",
    "Cissek",
    "Lee",
    "Falloun",
    "Diallok",
    "Sarrh",
]
PAY = ["2340", "2570", "1960", "2060", "2250", "3100", "1875", "2490", "2730", "2980", "2115", "2645"]


def said(table: str, **columns: list) -> dict[str, TagProposal]:
    return {name: ones[0] for name, ones in propose_table(fold(pa.table(columns)).columns, table).items() if ones}


@pytest.mark.parametrize("turned", [False, True])
def test_names_side_by_side_in_a_table_called_by_persons(turned: bool) -> None:
    one, two = (FAMILY, GIVEN) if turned else (GIVEN, FAMILY)
    found = said("apprenants", col_0=one, col_1=two, col_2=["A", "B"] * 6)
    expected = ("last_name", "first_name") if turned else ("first_name", "last_name")
    assert (found["col_0"].domain, found["col_1"].domain) == expected
    assert found["col_0"].sensitive


def test_words_side_by_side_are_no_names_in_a_table_of_things_or_where_none_is_known() -> None:
    assert not said("products", col_0=GIVEN, col_1=FAMILY)["col_1"].sensitive
    drawn = [f"{one}{two}k" for one in ("Zyv", "Quor", "Brax") for two in "aeio"]
    assert not said("apprenants", col_0=drawn, col_1=[*reversed(drawn)])["col_1"].sensitive


def test_amounts_as_large_as_pay_in_a_table_of_staff_are_pay() -> None:
    assert said("tootajad", col_0=FIRST, col_1=LAST, col_2=PAY)["col_2"].sensitive
    assert not said("customers", col_0=FIRST, col_1=LAST, col_2=PAY)["col_2"].sensitive
    assert not said("tootajad", col_0=FIRST, col_1=LAST, col_2=["1", "2", "3", "4"] * 3)["col_2"].sensitive


def test_two_letters_for_the_sexes() -> None:
    assert said("tootajad", col_0=FIRST, col_1=LAST, col_2=["m", "n"] * 6)["col_2"].domain == "gender"
    assert said("tootajad", col_0=FIRST, col_1=LAST, col_2=["a", "n"] * 6)["col_2"].domain != "gender"
    assert said("products", col_0=["m", "n"] * 6)["col_0"].domain != "gender"


def test_titles_in_a_table_that_lists_places_are_places() -> None:
    names = ["القاهرة", "الجيزة", "الدقهلية", "البحر الأحمر", "البحيرة", "الفيوم"]
    assert said("governorates", col_0=[*"123456"], col_1=names)["col_1"].domain == "region"
    assert said("products", col_0=[*"123456"], col_1=names)["col_1"].domain != "region"


def test_persons_as_a_roll_lists_them_are_told_under_any_name_and_make_no_pharmacy_a_person() -> None:
    owners = [
        "COFFARO ANTONELLA",
        "RIZZOTTO MARIA",
        "ZINNI ANTONIO",
        "NICOSIA GAETANO",
        "BARBERA ROSARIO",
        "NERI CARLA",
    ]
    streets = [f"VIA GARIBALDI {7 * i}" for i in range(1, 7)]
    found = said("farmacie", proprieta=owners, recapito=streets)
    assert (found["proprieta"].domain, found["proprieta"].sensitive) == ("person_name", True)
    assert not found["recapito"].sensitive
    caves = [f"Grotta {one}" for one in ("Maria", "Anna", "Carla", "Rosa", "Paola", "Laura")]
    assert said("parks", zglbr=caves)["zglbr"].domain != "person_name"
