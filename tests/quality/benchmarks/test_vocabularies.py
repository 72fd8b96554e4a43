"""What releases of packages name is read as tables out of their files; nothing is fetched here."""

import json

from benchmarks.releases.lists import CARRIED
from benchmarks.releases.readers import Cells, Files


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
    text = "msgs = {**other, 'W1501': ('%s is bad' % x, 'bad-mode', 'Why'), 'fail': (1, 2)}\n"
    table = read("linter_messages", {"pylint/checkers/stdlib.py": text})
    assert (table["code"], table["symbol"], table["message"]) == (["W1501"], ["bad-mode"], [""])
    table = read("file_kinds", {"identify/extensions.py": "EXTENSIONS = {'ai': {'binary', 'adobe'}, **more}\nX = 1\n"})
    assert (table["ends"], table["kinds"], table["text"]) == (["ai"], ["adobe binary"], ["false"])
    table = read(
        "date_words", {"dateparser/data/date_translation_data/af.py": "info = {'name': 'af', 'may': ['mei', 'm']}"}
    )
    assert (table["language"], table["words"], table["many"]) == (["af"], ["mei | m"], ["2"])


def test_modules_of_javascript_are_read_whether_their_keys_are_quoted_or_not() -> None:
    new = "export default {\n  name: 'Shell',\n  type: 'markup',\n  extensions: [\n    '.sh', '.in',\n  ],\n};\n"
    old = 'module.exports = {\n  "name": "Shell",\n  "type": "markup",\n  "extensions": [\n    ".sh", ".in"\n  ]\n}\n'
    for text in (new, old):
        table = read("programming_languages", {"package/data/Shell.js": text})
        assert (table["name"], table["type"], table["ends"]) == (["Shell"], ["markup"], [".sh .in"])


def test_lines_are_parted() -> None:
    table = read("misspellings", {"codespell_lib/data/dictionary.txt": "teh->the\nabel->able, Abel, disabled\n"})
    assert (table["wrong"], table["right"], table["words"]) == (
        ["teh", "abel"],
        ["the", "able, Abel, disabled"],
        ["1", "2"],
    )
    table = read(
        "medical_elements", {"pydicom/_dicom_dict.py": "D = {\n    0x00080005: ('CS', '1-n', \"Set\", '', 'Set'),\n}"}
    )
    assert (table["tag"], table["multiplicity"], table["retired"]) == (["00080005"], ["1-n"], [""])


def test_nested_objects_are_flattened() -> None:
    said = {"intents": {"TurnOn": {"data": [{"sentences": ["turn on", "on"], "response": "ok"}]}}}
    table = read("voice_commands", {"home_assistant_intents/data/en.json": json.dumps(said)})
    assert (table["sentence"], table["wanted"], table["length"]) == (["turn on", "on"], ["TurnOn"] * 2, ["7", "2"])
    one = {
        "type": "load",
        "targets": [{"target": "Window"}, {"target": "Node", "bubbles": True}],
        "src": {"format": "x"},
    }
    table = read("web_events", {"package/events.json": json.dumps([one])})
    assert (table["targets"], table["bubbles"], table["source"]) == (["Window Node"], ["true"], ["x"])
