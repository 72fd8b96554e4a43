"""What software is made or judged by is read as tables out of the files of releases; nothing is fetched here."""

import json

import pytest

from benchmarks.releases.inside.readers import Cells, Files
from benchmarks.releases.lists import CARRIED


def read(name: str, files: dict[str, str]) -> Cells:
    opened: Files = {path: lambda text=text: text.encode() for path, text in files.items()}  # type: ignore[misc]
    return CARRIED["eighth"][name].read(opened)


def test_a_card_has_its_name_in_one_language_and_its_numbers() -> None:
    xml = (
        '<CardDefs><Entity CardID="A_1" ID="7"><Tag name="CARDNAME" type="LocString"><deDE>Eis</deDE><enUS>Ice</enUS>'
        '</Tag><Tag enumID="48" name="COST" type="Int" value="-2"/></Entity><Entity CardID="A_2" ID="8"></Entity>'
    )
    table = read("cards", {"hearthstone_data/CardDefs.xml": xml})
    assert (table["card"], table["name"], table["cost"]) == (["A_1", "A_2"], ["Ice", ""], ["-2", ""])


def test_a_parameter_of_the_law_has_its_latest_value() -> None:
    text = "description: 'Ceiling'\nvalues:\n  2017-01-01:\n    value: 1.5\n  '2020-01-01':\n    value: 2\n"
    table = read("tax_parameters", {"o/parameters/tax/a.yaml": text, "o/parameters/tax/index.yaml": "description: Tax"})
    assert {name: one[0] for name, one in table.items()} == {
        "parameter": "tax.a", "since": "2020-01-01", "value": "2", "values": "2", "description": "Ceiling",
    }  # fmt: skip


@pytest.mark.parametrize("quote", ["", '"'])
def test_fonts_are_read_whether_their_keys_are_quoted_or_not(quote: str) -> None:
    style = f'{quote}familyName{quote}: "Abel", {quote}ascent{quote}: 920, {quote}descent{quote}: -262'
    text = f"var x = {{ abel: {{ {style}, variants: {{ bold: {{ {style.replace('920', '9')} }} }} }} }}"
    table = read("font_metrics", {"package/dist/entireMetricsCollection.cjs": text})
    assert table == {"familyName": ["Abel"], "ascent": ["920"], "descent": ["-262"]}


def test_checksums_are_read_from_both_of_their_forms() -> None:
    files = {
        "t/url_checksums/old.txt": "http://a/x y.zip 12 ff\n",
        "t/datasets/new/checksums.tsv": "http://b\t3\tee\tb.gz",
    }
    kept = [read("downloads", {path: text.replace("//", f"//{n}")}) for n in range(40) for path, text in files.items()]
    assert {(one["dataset"][0], one["size"][0], one["sha256"][0]) for one in kept if one} == {
        ("old", "12", "ff"),
        ("new", "3", "ee"),
    }


def test_languages_have_their_speakers_and_comments_do_not_matter() -> None:
    said = 'X = (\n ("aa", _("Afar"), 2, "n != 1"),\n (\n "ab",\n # Name of\n # it\n _("Abkhaz"),\n 1,\n "0",\n ),\n)'
    files = {"weblate_language_data/languages.py": said, "weblate_language_data/population.py": 'P = {"ab": 111}'}
    table = read("languages", files)
    assert (table["code"], table["rule"], table["speakers"]) == (["aa", "ab"], ["n != 1", "0"], ["", "111"])


def test_modules_of_python_are_read_without_running_them() -> None:
    sites = "class AIE(Base):\n    IE_NAME = 'a'\n    _VALID_URL = r'https?://a/(?P<id>.)'\nclass BIE(AIE):\n    pass\n"
    table = read("media_sites", {"yt_dlp/extractor/ab.py": sites})
    assert (table["site"], table["form"]) == (["A", "B"], ["https?://a/(?P<id>.)", ""])
    table = read("transliterations", {"unidecode/x004.py": "data = ('Ie', '', None, 'Gj')\n"})
    assert (table["code"], table["ascii"]) == (["00400", "00403"], ["Ie", "Gj"])
    hook = "# Copyright (c) 2020-2024 T\nfrom PyInstaller.utils.hooks import collect_submodules\n"
    table = read("import_hooks", {"h/stdhooks/hook-a.b.py": hook})
    assert (table["module"], table["year"], table["uses"]) == (["a.b"], ["2020-2024"], ["collect_submodules"])


def test_lists_with_headings_and_comments_are_read() -> None:
    index = "# abc\nTemplate, Hostname, Platform, Command\n\na.textfsm, .*, a, sh[[ow]] (a|b), c\n"
    table = read("network_commands", {"n/templates/index": index})
    assert (table["platform"], table["command"]) == (["a"], ["sh[[ow]] (a|b), c"])
    text = "# Angle\nturn = 2 * pi * radian = _ = cycle = circle  # whole\nkelvin = [t]; offset: 0 = K\n@group x\n"
    table = read("units", {"pint/default_en.txt": text})
    assert (table["unit"], table["is"], table["names"]) == (["turn", "kelvin"], ["2 * pi * radian", "[t]"], ["3", "1"])
    assert table["group"] == ["Angle", "Angle"]


def test_objects_of_many_files_are_rows_of_one_table() -> None:
    one = {"version": 2, "attributes": {"date": {"misp-attribute": "datetime", "ui-priority": 1, "values_list": ["a"]}}}
    table = read("indicator_templates", {"d/misp-objects/objects/ads/definition.json": json.dumps(one)})
    assert (table["object"], table["misp-attribute"], table["values_list"]) == (["ads"], ["datetime"], ["1"])
    check = {"CheckID": "c", "Categories": ["x", "y"], "Remediation": {"Recommendation": {"Url": "u"}}}
    table = read("security_checks", {"p/providers/aws/c.metadata.json": json.dumps(check)})
    assert (table["CheckID"], table["Categories"], table["Url"]) == (["c"], ["x y"], ["u"])
    table = read("global_names", {"package/globals.json": json.dumps({"amd": {"define": False}})})
    assert table == {"environment": ["amd"], "name": ["define"], "writable": ["false"]}
