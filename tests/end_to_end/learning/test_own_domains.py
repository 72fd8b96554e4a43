"""Domains of a lake's own: named in the settings, checked on the command line, a broken file in the way of nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from catalog.cli import main
from catalog.domains.known import KNOWN
from catalog.flow.learning.domains import all_domains
from catalog.settings import get_settings

ORDER = """
order_number:
  title: Order number
  pattern: SO\\d{5}
  examples: [SO43701, SO43702]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "good.yaml").write_text(ORDER)
    (tmp_path / "bad.yaml").write_text("ab: {title: x, pattern: a, examples: [a, b]}")
    (tmp_path / "worse.yaml").write_bytes(b"\xff\xfe\x00")
    monkeypatch.setenv("ASSAY_DOMAINS", str(tmp_path))
    get_settings.cache_clear()
    yield tmp_path
    get_settings.cache_clear()


def test_a_broken_file_leaves_the_others_alone(folder: Path) -> None:
    found = all_domains(str(folder))
    assert set(found) == {*KNOWN, "order_number"}
    assert found["order_number"].theme == "this lake"


def test_a_known_domain_can_be_replaced(tmp_path: Path) -> None:
    (tmp_path / "mine.yml").write_text("iban: {title: Our accounts, pattern: 'X\\d', examples: [X1, X2]}")
    assert all_domains(str(tmp_path))["iban"].title == "Our accounts"
    assert KNOWN["iban"].title != "Our accounts"


def test_the_command_line_lists_shows_tries_and_checks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["domain", "list", "order_num", "--json"]) == 0
    assert [one["name"] for one in json.loads(capsys.readouterr().out)] == ["order_number"]
    assert main(["domain", "show", "iban"]) == 0
    assert "GB82 WEST" in capsys.readouterr().out
    assert main(["domain", "test", "order_number", "SO43710"]) == 0
    assert main(["domain", "test", "order_number", "SO43710", "PO1"]) == 1
    capsys.readouterr()
    assert main(["domain", "check", str(folder), "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["domains"] == ["order_number"]
    assert any("'b' is not recognised" in error for error in said["errors"])
    assert main(["domain", "check", str(folder / "good.yaml")]) == 0
    assert main(["domain", "check", str(folder / "nowhere.yaml")]) == 1
    assert main(["domain", "show", "nothing"]) == 3
