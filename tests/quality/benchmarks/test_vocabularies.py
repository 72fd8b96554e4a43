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
