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
