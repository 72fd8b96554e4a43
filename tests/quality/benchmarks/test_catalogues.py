"""What releases of packages describe is read as tables out of their files; nothing is fetched here."""

import json

from benchmarks.releases.inside.readers import Cells, Files
from benchmarks.releases.lists import CARRIED


def read(name: str, files: dict[str, str]) -> Cells:
    opened: Files = {path: lambda text=text: text.encode() for path, text in files.items()}  # type: ignore[misc]
    return CARRIED["tenth"][name].read(opened)


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
