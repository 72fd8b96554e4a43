"""What releases of packages name is read as tables out of their files; nothing is fetched here."""

import json

from benchmarks.releases.inside.readers import Cells, Files
from benchmarks.releases.lists import CARRIED


def read(name: str, files: dict[str, str]) -> Cells:
    opened: Files = {path: lambda text=text: text.encode() for path, text in files.items()}  # type: ignore[misc]
    return CARRIED["ninth"][name].read(opened)


def test_modules_of_python_are_read_without_running_them() -> None:
    text = (
        "class Queue(Base):\n    resource_type = 'A::B'\n    props: D = {'Tags': (Tags, False), 'Name': (str, True)}\n"
    )
    table = read("resource_properties", {"troposphere/sqs.py": text + "class Empty(Base):\n    pass\n"})
    assert (table["class"], table["type"], table["of"]) == (["Queue"] * 2, ["A::B"] * 2, ["Tags", "str"])
    assert table["required"] == ["False", "True"]
    table = read("file_kinds", {"identify/extensions.py": "EXTENSIONS = {'ai': {'binary', 'adobe'}, **more}\nX = 1\n"})
    assert (table["ends"], table["kinds"], table["text"]) == (["ai"], ["adobe binary"], ["false"])
    text = 'words = """ALL\nAND"""\nUNRESERVED = [\n    "ADD",\n]\n'
    table = read("sql_keywords", {"sqlfluff/dialects/dialect_db2_keywords.py": text})
    assert (table["word"], table["of"]) == (["ALL", "AND", "ADD"], ["words", "words", "unreserved"])


def test_addresses_are_read_whether_they_stand_on_lines_of_their_own_or_not() -> None:
    for said in ('["GET /a/{b}"]', '[\n      "GET /a/{b}"\n    ]'):
        text = f"const Endpoints = {{\n  actions: {{\n    one: {said},\n    two: {said}\n  }}\n}};\n"
        table = read("endpoints", {"package/dist-src/generated/endpoints.js": text})
        assert (table["group"], table["name"], table["parts"]) == (["actions"] * 2, ["one", "two"], ["1", "1"])


def test_a_rule_is_told_by_its_head() -> None:
    text = 'meta: {\n\t\ttype: "problem",\n\t\tdocs: {\n\t\t\trecommended: true,\n},\n},\n\tcreate(c) {\n\ttype: 1,\n'
    table = read("lint_rules", {"package/lib/rules/no-var.js": text})
    assert (table["rule"], table["type"], table["recommended"]) == (["no-var"], ["problem"], ["true"])


def test_a_place_of_trade_is_told_by_what_it_says_of_itself() -> None:
    head = "class b(E):\n    def describe(self):\n        return x({\n"
    said = [
        "'id': 'b',",
        "'countries': ['JP', 'MT'],  # two",
        "'rateLimit': 50,",
        "'has': {",
        "    'spot': True,",
        "},",
    ]
    text = head + "".join(f"            {line}\n" for line in [*said, "'id': 'other',"])
    table = read("exchanges", {"ccxt/b.py": text, "ccxt/pro/b.py": text, "ccxt/base.py": "x = 1\n"})
    assert (table["id"], table["countries"], table["rateLimit"], table["true"]) == (
        ["b"],
        ["'JP', 'MT'"],
        ["50"],
        ["1"],
    )


def test_lines_are_parted() -> None:
    table = read("misspellings", {"codespell_lib/data/dictionary.txt": "teh->the\nabel->able, Abel, disabled\n"})
    assert (table["wrong"], table["right"]) == (["teh", "abel"], ["the", "able, Abel, disabled"])
    assert table["words"] == ["1", "2"]
    text = "# Shell\n---\nname: Logout\ndoc: File.\nsources:\n- type: FILE\n- type: PATH\n---\nname: Login\n"
    table = read("artifacts", {"artifacts-2026/artifacts/data/shell.yaml": text})
    assert (table["name"], table["kinds"]) == (["Logout", "Login"], ["FILE PATH", ""])


def test_nested_objects_are_flattened() -> None:
    said = {"intents": {"TurnOn": {"data": [{"sentences": ["turn on", "on"], "response": "ok"}]}}}
    table = read("voice_commands", {"home_assistant_intents/data/en.json": json.dumps(said)})
    assert (table["sentence"], table["wanted"], table["length"]) == (["turn on", "on"], ["TurnOn"] * 2, ["7", "2"])


def newest(name: str, files: dict[str, str]) -> Cells:
    opened: Files = {path: lambda text=text: text.encode() for path, text in files.items()}  # type: ignore[misc]
    return CARRIED["eighteenth"][name].read(opened)


def test_languages_are_rows_with_who_speaks_and_writes_them() -> None:
    text = 'id: "hi_Deva"\nname: "Hindi"\npopulation: 545\nregion: "FJ"\nregion: "IN"\n'
    text += 'exemplar_chars {\n  base: "a b"\n}\n'
    table = newest("language_people", {"gflanguages/data/languages/hi_Deva.textproto": text})
    assert [table[name] for name in ("regions", "population", "base", "autonym")] == [["FJ IN"], ["545"], ["a b"], [""]]
    text = "name: Hindi\nspeakers: 5\north: 1\northographies:\n- script: Devanagari\n  base: a b\n- script: Latin\n"
    table = newest("written_languages", {"hyperglot/data/con_.yaml": text})
    assert (table["code"], table["script"], table["base"]) == (["con", "con"], ["Devanagari", "Latin"], ["a b", ""])
    whole = {"hyperglot/hyperglot.yaml": "hin:\n  name: Hindi\neng:\n  name: English\n"}  # all in one file, as it was
    assert newest("written_languages", whole)["name"] == ["Hindi", "English"]


def test_definitions_are_read_of_one_file_or_of_one_a_specification() -> None:
    before = '{"properties": [{"name": "width", "value": "auto"}]}'
    table = newest("style_definitions", {"package/css-sizing.json": before, "package/package.json": '{"name": "css"}'})
    assert (table["spec"], table["name"], table["syntax"]) == (["css-sizing"], ["width"], ["auto"])
    table = newest("style_definitions", {"package/css.json": '{"properties": [{"name": "width", "syntax": "auto"}]}'})
    assert (table["spec"], table["syntax"]) == ([""], ["auto"])


def test_words_of_signs_and_fields_of_records_are_rows() -> None:
    for text in ('{"x": ["ex", "letter"]}', '{"ex": {"char": "x", "keywords": ["ex", "letter"]}}'):
        assert newest("sign_words", {"emojis.json": text})["words"] == ["ex letter"]
    fields = {"id": {"type": "string"}, "of": {"items": {"type": "x"}}}
    text = json.dumps({"$defs": {"Sample": {"properties": fields, "required": ["id"]}}})
    table = newest("record_slots", {"nmdc_schema/nmdc.schema.json": text})
    assert (table["field"], table["is_asked"], table["of"]) == (["id", "of"], ["true", "false"], ["", "x"])


def test_releases_and_mappings_are_rows_that_are_added() -> None:
    text = '{"database": [{"prefix": "go", "name": "Gene", "releases": [{"version": "1"}, {"version": "2"}]}]}'
    table = newest("database_releases", {"bioversions/resources/versions.json": text})
    assert (table["version"], table["is_first"]) == (["1", "2"], ["true", "false"])
    text = "#curie_map:\nsubject_id\tobject_id\na:1\tb:2\n"
    assert newest("term_mappings", {"resources/positive.sssom.tsv": text}) == {
        "subject_id": ["a:1"],
        "object_id": ["b:2"],
    }


def test_goods_keep_the_fields_that_are_named_and_machines_are_rows_by_region() -> None:
    text = '{"7": {"id": 7, "name": "Dagger", "cost": 125, "equipment": {"slot": "weapon"}, "icon": "iVBOR"}}'
    table = newest("goods", {"osrsbox/docs/items-complete.json": text})
    assert (table["cost"], "icon" in table, "equipment" in table) == (["125"], False, False)
    text = '{"description": "made", "all": {"enum": ["c5.large"]}, "eu": {"enum": ["c5.large"]}}'
    table = newest("machine_regions", {"extensions/aws_ec2_instance/instancetype_enum.json": text})
    assert {name: one[0] for name, one in table.items()} == {
        "region": "eu", "kind": "c5.large", "family": "c5", "size": "large",
    }  # fmt: skip
    when, kinds = {"Engine": {"const": "m"}, "Odd": True}, {"DBInstanceClass": {"enum": ["db.x"]}}
    text = json.dumps({"eu": {"allOf": [{"if": {"properties": when}, "then": {"properties": kinds}}]}})
    table = newest("database_machines", {"aws_rds_dbinstance/dbinstanceclass_enum.json": text})
    assert {name: one[0] for name, one in table.items()} == {
        "region": "eu", "engine": "m", "licence": "", "kind": "db.x",
    }  # fmt: skip
