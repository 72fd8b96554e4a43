"""`assay tag list`, `accept` and `reject`: as the page and the interface decide, with exit codes a script can go by."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from singly import upsert_table

from catalog.cli import main
from catalog.settings import Settings, get_settings
from catalog.store.access.preferences import set_preference
from catalog.store.engine import make_engine, session
from catalog.store.lake import sources, tables
from catalog.store.meaning import tags
from catalog.tags.proposal import TagProposal

MAIL = TagProposal("email", "E-mail address", 0.97, 1.0, True)
NOTE = TagProposal("free_text", "Free text", 0.6, 1.0, False, generic=True)


@pytest.fixture
def home(tmp_path: Path, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    shutil.copy(sqlite_template, tmp_path / "assay.db")
    engine = make_engine(Settings(home=tmp_path).database)
    with session(engine) as db:
        source = sources.add_source(db, "shop", "/shop")
        columns = tables.set_columns(
            db, upsert_table(db, source.id, "people", "/people").id, [["mail", "string"], ["n", "string"]]
        )
        tags.put_table_tags(db, {columns[0].id: [MAIL], columns[1].id: [NOTE]}, 1)
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path))
    get_settings.cache_clear()
    yield tmp_path
    get_settings.cache_clear()
    engine.dispose()


def test_tags_are_decided_by_command(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def said(*words: str, code: int = 0) -> Any:
        capsys.readouterr()
        assert main(["tag", *words, "--json"]) == code
        out, err = capsys.readouterr()
        return json.loads(out) if code == 0 else " ".join(err.split())

    (listed,) = said("list", "people", "--column", "mail")["items"]
    assert (listed["domain"], listed["status"], listed["table"]) == ("email", "proposed", "people")
    accepted = said("accept", "people", "mail")
    assert (accepted["status"], len(accepted["events"])) == ("accepted", 1)
    assert "say why they may be seen" in said("reject", "people", "mail", code=3)
    rejected = said("reject", "shop/people", "mail", "--reason", "made up")
    assert (rejected["status"], rejected["reason"]) == ("rejected", "made up")
    assert main(["audit", "undo", str(rejected["events"][0])]) == 0
    assert [one["status"] for one in said("list", "people", "--domain", "email")["items"]] == ["accepted"]
    capsys.readouterr()
    assert main(["audit", "list", "--limit", "2"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "rejected →" in told
    assert "accepted →" in told
    assert said("accept", "people", "n", "phone", "--reason", "extensions")["domain"] == "phone"
    assert len(said("list", "--status", "accepted")["items"]) == 2
    assert "no column 'nn'" in said("accept", "people", "nn", code=3)
    assert "there is no domain 'phon'; those near it: phone" in said("accept", "people", "n", "phon", code=3)
    assert "no tag 'url'" in said("reject", "people", "n", "url", code=3)
    assert "a column needs its table" in said("list", "--column", "n", code=3)


def test_a_person_is_told_how_to_take_it_back(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tag", "reject", "people", "mail", "--reason", "made up"]) == 0
    assert "people mail: E-mail address is rejected; undo: assay audit undo" in capsys.readouterr().out


def test_what_waits_for_a_second_person_is_a_warning(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    engine = make_engine(Settings(home=home).database)
    with session(engine) as db:
        set_preference(db, "four_eyes", True, actor="ann")
    engine.dispose()
    assert main(["tag", "reject", "people", "mail", "--reason", "made up"]) == 2
    assert "waits for a second person" in capsys.readouterr().err
    assert main(["tag", "list", "people", "--domain", "email", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["items"][0]["status"] == "proposed"
