"""What people and lakes write into files and answers: formulas, numbers that are none, halves of characters, YAML that
grows."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow as pa
import pytest

from catalog.cli.console import as_text
from catalog.cli.rules.rows import write_rows
from catalog.declared.constraint import Constraint
from catalog.declared.files import FileError, read_checks
from catalog.errors import UsageError
from catalog.library import check
from catalog.store.glossary.exchange import read_lines

CHECKS = "tables:\n  a/b:\n    - {%s}\n"
BOMB = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{new}: &{new} [{','.join([f'*{old}'] * 10)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize("text", [
    "- {kind: term, term: 2026-13-45}", "- {kind: term, term: " + "9" * 5000 + "}", "- [" * 3000,
    "- {kind: term, term: &a [1, 2], text: *a}", f"- {{{BOMB.replace(chr(10), ', ')} kind: term, term: *i}}",
])  # fmt: skip
def test_a_glossary_that_is_none_is_refused_in_words(text: str) -> None:
    with pytest.raises(UsageError):
        read_lines(text.encode(), "yaml")


@pytest.mark.parametrize("entry", [
    r'is_complete: "\uD800"', r'is_complete: id, hint: "\uDFFF"', r'satisfies: "a > 1", name: "\uD800"',
    r'is_complete: id, where: "a = \"\uD83D\""', "has_min: x, at_least: .inf", "has_min: x, at_most: -.inf",
    "has_min: x, at_least: .nan",
])  # fmt: skip
def test_checks_hold_text_and_numbers(entry: str) -> None:
    with pytest.raises(FileError, match=r"line 3"):
        read_checks(CHECKS % entry)
    huge = Constraint("has_sum", ("n",), at_least=10**400)
    assert huge.at_least == 10**400
    frame = pa.table({"n": [1, 2, 3]})
    assert [check("t").has_sum("n", at_least=at).run(frame).status for at in (10**400, -(10**400))] == [
        "error",
        "passed",
    ]


def test_rows_are_written_so_that_nothing_runs_and_everything_reads(tmp_path: Path) -> None:
    rows = [{"=cmd()": "＝1+1", "n": float("nan"), "m": [float("inf")], "t": "\r=1"}, {"=cmd()": "\ud800", "n": 1.5}]
    write_rows(tmp_path / "rows.csv", list(rows[0]), rows)
    text = (tmp_path / "rows.csv").read_bytes().decode()
    with (tmp_path / "rows.csv").open(newline="") as file:
        cells = list(csv.reader(file))
    assert cells[0] == ["'=cmd()", "n", "m", "t"]
    assert (cells[1][0], cells[1][3], cells[2][0]) == ("'＝1+1", "'\r=1", "?")
    assert "\n=" not in text
    write_rows(tmp_path / "rows.jsonl", list(rows[0]), rows)
    lines = (tmp_path / "rows.jsonl").read_text().splitlines()
    told = [json.loads(line, parse_constant=pytest.fail) for line in lines]
    assert told[0] == {"=cmd()": "＝1+1", "n": None, "m": [None], "t": "\r=1"}


def test_what_commands_print_is_json_whatever_it_holds() -> None:
    data = {"a": float("nan"), "b": [float("-inf"), {"c": "\ud800é"}], "d": (1, 2.5)}
    text = as_text(data, indent=2)
    text.encode()
    assert json.loads(text, parse_constant=pytest.fail) == {"a": None, "b": [None, {"c": "\ud800é"}], "d": [1, 2.5]}
