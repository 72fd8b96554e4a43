"""What packages carry is read as tables that somebody labelled, and written as a folder to measure on; nothing is
fetched here."""

import io
import shutil
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from benchmarks.releases.inside.readers import Cells
from benchmarks.tagging.carried import __main__ as carried
from benchmarks.tagging.carried.lists import eleventh
from benchmarks.tagging.carried.sources import Read
from benchmarks.tagging.cases import load


def table(read: Read, text: str | bytes) -> Cells:
    data = text.encode() if isinstance(text, str) else text
    return read({"package/example/gramps/example.gramps": lambda: data})


E = "example.gramps"  # how the file's path ends


def test_every_labelled_column_of_the_list_has_a_table_or_an_expression() -> None:
    read = {(one.source, one.name) for one in eleventh.TABLES}
    made = {source for maker in eleventh.MAKERS for source in maker.locales}
    labels = carried.labels("eleventh")
    assert {(one["source"], one["table"]) for one in labels if not one["made"]} == read
    assert {one["source"] for one in labels if one["made"]} == made
    assert [one for one in labels if one["narrow"] > one["sensitive"]] == []  # what is narrow is sensitive to both


def test_demonstrations_of_odoo_are_read_with_their_days() -> None:
    text = """<odoo><record id="r1" model="hotel.stay"><field name="name">"Ann"</field><field name="room" ref="r.7"/>
    <field name="leaves" eval="DateTime.today() + timedelta(-2)"/><field name="asked"
    eval="time.strftime('%Y-%m-04 10:45:00')"/></record><record id="r2" model="hotel.room"/></odoo>"""
    assert table(eleventh.demonstrated("hotel.stay", E), text) == {
        "id": ["r1"], "name": ["Ann"], "room": ["r.7"], "leaves": ["2024-02-28"], "asked": ["2024-03-04 10:45:00"],
    }  # fmt: skip


def test_persons_of_a_pedigree_are_rows_of_what_is_said_first() -> None:
    text = """<database xmlns="http://gramps-project.org/xml/1.7.2/"><events/><people><person handle="_a" id="I1">
    <gender>F</gender><name type="Birth Name"><first>Ada</first><surname>Ek</surname></name>
    <attribute type="Nickname" value="Dot"/><eventref hlink="_e1"/><eventref hlink="_e2"/></person></people>
    </database>"""
    assert table(eleventh.pedigree("people"), text) == {
        "handle": ["_a"], "id": ["I1"], "gender": ["F"], "name": ["Birth Name"], "first": ["Ada"], "surname": ["Ek"],
        "attribute.Nickname": ["Dot"], "eventref": ["_e1"],
    }  # fmt: skip


def test_dumps_grids_pages_and_calls_are_tables() -> None:
    dump = "CREATE TABLE `t` (\r\n `id` int,\r\n `name` text,\r\n PRIMARY KEY (`id`)\r\n);\r\n"
    dump += "INSERT INTO `t` VALUES (1,'O\\'Hara (Cork)'),\r\n(2, 'Li, Mei');\r\n"
    assert table(eleventh.dumped(E, "t"), dump) == {"id": ["1", "2"], "name": ["O'Hara (Cork)", "Li, Mei"]}
    with pytest.raises(KeyError):
        table(eleventh.dumped(E, "other"), dump)
    grid = '<rows><row id="7"><cell>Ann</cell><cell>2015</cell></row></rows>'
    assert table(eleventh.gridded(E, "From", "Year"), grid) == {"id": ["7"], "From": ["Ann"], "Year": ["2015"]}
    page = "<table>\n<tr><th>Name</th><th>Pay</th></tr><tr><td>A &amp; B</td><td>$5</td></tr></table>"
    assert table(eleventh.tabulated(E), page) == {"Name": ["A & B"], "Pay": ["$5"]}
    module = 'person(raeren, "Jean", gender=Genders.male)\ncompany("Garage")\n'
    people = {"city": ["raeren"], "first": ["Jean"], "gender": ["male"]}
    assert table(eleventh.called(E, "person", "city", "first"), module) == people


def test_texts_of_a_workbook_are_shared() -> None:
    head = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    rows = '<row><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row><row><c r="B2"><v>7</v></c></row><row/>'
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as book:
        book.writestr("xl/sharedStrings.xml", "<sst><si><t>Name</t></si><si><t>A</t><t>ge</t></si></sst>")
        book.writestr("xl/worksheets/sheet1.xml", f"{head}{rows}</sheetData></worksheet>")
    assert table(eleventh.sheet(E), packed.getvalue()) == {"Name": [""], "Age": ["7"]}


@pytest.mark.skipif(shutil.which("node") is None, reason="scripts are read by node")
def test_lists_in_scripts_are_read_behind_a_mark() -> None:
    script = "const a = [9];\nconst rows = [{id: 1, 'tags': ['x]', \"y\"],}, // one\n];\nconst more = [[1, 'Ann']];"
    assert table(eleventh.literal(E, "rows ="), script) == {"id": ["1"], "tags": ['["x]", "y"]']}
    assert table(eleventh.literal(E, "more =", "id", "name"), script) == {"id": ["1"], "name": ["Ann"]}


def test_a_list_is_written_as_a_folder_that_is_measured_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fetched(_found: Sequence[carried.Label]) -> Iterator[tuple[str, str, Cells]]:
        yield "mage", "user_emails", {"user_id": ["1", "2"], "unsubscribed": ["no", "yes"], "kept": ["", "x"]}

    monkeypatch.setattr(carried, "fetched", fetched)
    for narrow in (False, True):
        carried.write(tmp_path, "eleventh", narrow)
        cases = load(tmp_path)
        assert [(case.name, case.sensitive) for case in cases] == [("user_id", not narrow), ("unsubscribed", False)]
        assert {case.around.table for case in cases} == {"user_emails"}
