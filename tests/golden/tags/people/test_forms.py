"""What registers of people and places write in forms of their own, under names of many languages."""

from __future__ import annotations

import pyarrow as pa
import pytest

from catalog.states.folding.fold import fold
from catalog.tags.table import propose_table

NAMES = ["Linda Smith", "Peter Schmidt", "Maria Garcia", "Robert Lee", "Anna Kowalska", "Luis Mora"] * 2
TOWNS = ["9130 Kieldrecht", "9120 Beveren", "9100 Sint-Niklaas", "9140 Temse", "2070 Zwijndrecht", "9150 Kruibeke"] * 2
STREETS = [f"Kerkstraat {7 * i}" for i in range(1, 13)]


def said(table: str, name: str, columns: dict[str, list]) -> tuple[str, bool]:
    one = propose_table(fold(pa.table(columns)).columns, table)[name][0]
    return one.domain, one.sensitive


@pytest.mark.parametrize(
    ("name", "values", "domain"),
    [
        ("کد ملی", [f"00{12345678 + 7919 * i}" for i in range(12)], "national_id"),
        ("גיל", [str(20 + 3 * i) for i in range(12)], "age"),
        ("mbiemri", ["Hoxha", "Shehu", "Prifti", "Gjoka"] * 3, "last_name"),
        ("cognoms", ["Alcover", "Alomar", "Botella", "Crespí"] * 3, "last_name"),
        ("матичен_број", [f"{1010980710012 + 7 * i}" for i in range(12)], "national_id"),
        ("セイ", ["スガ", "マツシマ", "ヤマモト", "ヒノシタ"] * 3, "last_name"),
        ("kan_grubu", ["A Rh+", "0 Rh-", "B Rh+", "AB Rh+"] * 3, "blood_group"),
        ("pass", ["e10adc3949ba59abbe56e057f20f883e", "25d55ad283aa400af464c76d713c07ad"] * 6, "password"),
        ("e_mail", ["ann@gmail.com, bo@gmx.net", "cy@gmail.com;di@gmx.net"] * 6, "email"),
        ("Registrska", ["LJ AB-123", "MB CD-456", "CE EF-789", "KP GH-012"] * 3, "vehicle_plate"),
    ],
)
def test_told_of_people_in_the_forms_that_offices_write(name: str, values: list[str], domain: str) -> None:
    assert said("list", name, {"full_name": NAMES, name: values}) == (domain, True)


@pytest.mark.parametrize(
    ("table", "name", "columns", "domain"),
    [
        ("alunos", "matricula", {"aluno": NAMES, "matricula": [f"{2023001 + i}" for i in range(12)]}, "vehicle_plate"),
        ("mahasiswa", "nim", {"nama": NAMES, "nim": [f"{241511001 + i}" for i in range(12)]}, "phone"),
        ("species", "família", {"família": ["Muridae", "Cracidae", "Furnariidae", "Phyllostomidae"] * 3}, "last_name"),
        ("staff", "sucursal", {"sucursal": ["892", "893", "910"] * 4}, "company_name"),
        ("markets", "organisme", {"organisme": ["Oui", "Non", "Oui"] * 4}, "company_name"),
        ("schools", "број одељења", {"број одељења": ["0", "1", "0"] * 4}, "boolean"),
        ("staff", "département", {"prénom": NAMES, "département": ["TI", "RH", "Ventes"] * 4}, "region"),
    ],
)
def test_what_is_written_alike_is_something_else(table: str, name: str, columns: dict, domain: str) -> None:
    found = said(table, name, columns)
    assert found[0] != domain
    assert not found[1]


def test_departments_beside_provinces_are_regions() -> None:
    columns = {"departamento": ["Lima", "Cusco", "Puno"] * 4, "provincia": ["Canta", "Anta", "Lampa"] * 4}
    assert said("locales", "departamento", columns) == ("region", False)


def test_a_town_with_its_postcode_is_as_telling_as_the_postcode() -> None:
    assert said("klanten", "plaats", {"naam": NAMES, "straat": STREETS, "plaats": TOWNS}) == ("postcode", True)
    assert not said("winkels", "plaats", {"winkel": [f"Bakker {i} BV" for i in range(12)], "plaats": TOWNS})[1]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("tel", [f"0363 15{i}1034 (verificato)" for i in range(10, 22)]),
        ("Telephone", [f"98460268{i},98560268{i}," for i in range(10, 22)]),
        ("telefon", [f"+9779841476{i}+977 1 41541{i}" for i in range(103, 115)]),
    ],
)
def test_several_numbers_and_notes_on_them_are_telephones(name: str, values: list[str]) -> None:
    assert said("clienti", name, {"nome": NAMES, name: values}) == ("phone", True)


def test_counts_filled_up_with_noughts_are_no_telephones() -> None:
    counts = [f"{7 * i:09}" for i in range(1, 13)]
    found = said("elever", "Elever ÅK 1-9", {"Skola": NAMES, "Elever ÅK 1-9": counts})
    assert found[0] != "phone"
    assert not found[1]


@pytest.mark.parametrize(
    "values", [["2119", "2475", "3680"] * 4, ["geheim", "hunter2", "tr0ub4dor"] * 4], ids=["digits", "words"]
)
def test_a_password_is_one_whatever_it_is_made_of(values: list[str]) -> None:
    assert said("nhanvien", "password", {"name": NAMES, "password": values}) == ("password", True)


@pytest.mark.parametrize(
    ("values", "of"),
    [
        (["55 - 59 Jahre", "60 - 64 Jahre", "65+"] * 4, "ageGroup"),
        (["18-24 ans", "25-34 ans", "35-44 ans"] * 4, "age group"),
        (["20~29세", "30~39세", "40~49세"] * 4, "age_band"),
    ],
)
def test_brackets_of_age_are_of_whoever_is_named(values: list[str], of: str) -> None:
    assert said("lehrer", of, {"name": NAMES, of: values}) == ("age_band", True)
    assert said("survey", of, {"answer": ["yes", "no"] * 6, of: values}) == ("age_band", False)


@pytest.mark.parametrize(
    "values",
    [["180 ₪", "$500", "3600 ₪"], ["200-450 рублей", "до 200 рублей", "450+ рублей"], ["Rp 50.000", "Rp 75.000"]],
)
def test_amounts_name_their_currency_before_and_behind_them(values: list[str]) -> None:
    assert said("donors", "x", {"x": values * 6})[0] == "money"


@pytest.mark.parametrize("values", [["12+", "16+", "18+"], ["5 ft", "6 ft", "7 ft"], ["до 18 лет", "до 16 лет"]])
def test_other_units_are_no_money(values: list[str]) -> None:
    assert said("films", "x", {"x": values * 6})[0] != "money"


def test_names_of_payers_are_of_persons_in_a_table_of_them() -> None:
    payers = ["אליהו", "פיליפ אלפרט", "מנגשה", "דב וייס", "רפאל", "שולה כץ"]
    columns = {"apartment": [str(i) for i in range(6)], "payer_names": payers, "fee": ["350", "300"] * 3}
    assert said("tenants", "payer_names", columns) == ("person_name", True)


def test_days_and_minutes_are_of_events_not_of_births() -> None:
    left = [f"{1961 + 5 * i}-0{1 + i % 9}-1{i % 9} {7 + i}:1{i % 9}" for i in range(12)]
    assert said("dolgozok", "Kilepes", {"Teljes_nev": NAMES, "Kilepes": left}) == ("datetime", False)


def test_days_of_birth_and_appointment_are_of_a_civil_servant() -> None:
    numbers = [f"19{60 + i}0{1 + i % 9}12 2006041 {100 + i}".replace("2006041 ", "200604 1 ") for i in range(12)]
    assert said("pegawai", "nip", {"nama": NAMES, "nip": numbers}) == ("national_id", True)


def test_few_deaths_are_counted() -> None:
    columns = {"date": [f"2020-07-{i:02}" for i in range(1, 13)], "cases": [str(i * 3) for i in range(12)]}
    columns |= {"deaths": ["0", "1"] * 6, "recovered": ["0"] * 12}
    assert said("prefectures", "deaths", columns)[0] == "integer"
    assert said("prefectures", "recovered", columns)[0] == "integer"


@pytest.mark.parametrize(
    ("table", "name", "values", "domain"),
    [
        ("expedientes", "matrícula", [f"20-{100 + 7 * i}" for i in range(12)], "opaque_id"),
        ("inspecoes", "processo", [f"2021-{100 + 7 * i}" for i in range(12)], "opaque_id"),
        ("radni", "Imię i nazwisko", ["Zdzisława Brzęczyk", "Kordian Żurawski", "Halszka Grzęda"] * 4, "person_name"),
        ("personel", "Kan Gr.", ["A Rh (+)", "0 Rh (-)", "B Rh (+)", "AB Rh (+)"] * 3, "blood_group"),
        ("chitateli", "телефон", [f"2-{40 + i}-{50 + i}" for i in range(12)], "phone"),
        ("zaległości", "x", ["T. Gil", "A. Nowak", "J. Kowal"] * 4, "person_name"),
        ("contacts", "Direct line", [f"0113 496 00{10 + i}" for i in range(12)], "phone"),
    ],
)
def test_numbers_of_files_short_telephones_and_names_with_initials(
    table: str, name: str, values: list[str], domain: str
) -> None:
    assert said(table, name, {"miejsce": STREETS, name: values})[0] == domain


def test_a_mailbox_made_of_both_names_is_its_persons() -> None:
    persons = [f"{one}@ferro.it" for one in ("luca.rossi", "anna.bianchi", "m.ferrari", "paolo.romano")] * 3
    offices = [f"{one}@ferro.it" for one in ("amministrazione", "ufficio", "ferro", "blu.officine")] * 3
    assert said("fornitori", "email", {"ragione_sociale": STREETS, "email": persons}) == ("email", True)
    assert said("fornitori", "email", {"ragione_sociale": STREETS, "email": offices}) == ("email", False)


def test_the_name_of_a_library_is_no_persons() -> None:
    names = ["Stadtbücherei Ahlen", "Stadtbibliothek Unna", "Bücherei Selm", "Bibliothek Anna", "Haus Maria"] * 2
    assert said("bibliotheken_nrw", "Name", {"Ort": TOWNS[:10], "Name": names})[1] is False


@pytest.mark.parametrize(
    "values", [["dott. Renzo Tosi", "dott.ssa Ida Conti"], ["Mgr. Petr Souček", "Mgr. Iva Hánová"]]
)
def test_degrees_stand_before_names_in_small_letters_too(values: list[str]) -> None:
    assert said("ospedali", "Direttore Sanitario", {"Direttore Sanitario": values}) == ("person_name", True)
