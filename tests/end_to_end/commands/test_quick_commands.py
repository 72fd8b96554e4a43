"""What is asked for often answers without loading what it does not need: what migrates, folds, learns or draws."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from singly import upsert_table
from sqlmodel import select

from catalog.cli import console, main
from catalog.cli.service import doctor
from catalog.evidence.pattern_index.index import PatternIndex
from catalog.evidence.pattern_index.views import profile_rows
from catalog.flow.context import Context
from catalog.settings import Settings, get_settings
from catalog.store import runs
from catalog.store.access import people
from catalog.store.lake import sources
from catalog.store.models import Incident, Outcome, RuleRow, Table, now

HEAVY = {
    *("alembic", "mako", "numpy", "polars", "pyarrow", "scipy", "statsmodels", "pandas", "deltalake", "pyspark"),
    *("fastapi", "celery", "redis", "duckdb", "sqlglot", "weasyprint"),
    *("sqlalchemy", "sqlmodel", "pydantic_settings", "structlog", "asyncio"),
}
ASKED = """
import json, sys
from catalog.cli import main

code = main(json.loads(sys.argv[1]))
print(json.dumps([code, sorted({name.partition(".")[0] for name in sys.modules})]), file=sys.stderr)
"""


@pytest.fixture
def home(tmp_path: Path, sqlite_template: Path) -> Path:
    """A catalog with a table and an open incident."""
    shutil.copy(sqlite_template, tmp_path / "assay.db")
    context = Context(Settings(home=tmp_path))
    with context.transaction() as session:
        source = sources.add_source(session, "lake", "/lake")
        table = upsert_table(session, source.id or 0, "orders", "/lake/orders")
        rule = RuleRow(
            table_id=table.id, kind="schema", learner="schema", fingerprint="f", fpr=0.0, sentence="s", body={}
        )
        session.add(rule)
        session.flush()
        said = {"table_id": table.id, "sentence": "a column is gone"}
        outcome = Outcome(**said, version=3, rule_id=rule.id, status="violated")
        session.add(outcome)
        session.flush()
        session.add(Incident(**said, kind="schema", outcome_id=outcome.id, first_version=3, last_version=3))
    context.close()
    return tmp_path


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (["table", "list"], "lake/orders"),
        (["table", "list", "--json"], "orders"),
        (["incident", "list"], "a column is gone"),
        (["incident", "list", "--json"], "a column is gone"),
        (["table", "list", "--owner", "unowned"], "lake/orders"),
        (["incident", "list", "--owner", "unowned"], "a column is gone"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
@pytest.mark.parametrize("accounts", [False, True], ids=["nobody has an account", "with a token"])
def test_lists_load_nothing_that_takes_long(home: Path, asked: list[str], told: str, accounts: bool) -> None:
    environment = {**os.environ, "ASSAY_HOME": str(home), "COLUMNS": "200", "ASSAY_TOKEN": ""}
    if accounts:
        context = Context(Settings(home=home))
        with context.transaction() as session:
            user = people.add_user(session, "ann", "a long password", "admin", actor="local")
            environment["ASSAY_TOKEN"] = people.make_token(
                session, user, "laptop", scope="viewer", days=1, actor="ann"
            )[1]
        context.close()
    command = [sys.executable, "-c", ASKED, json.dumps(asked)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    code, loaded = json.loads(done.stderr.splitlines()[-1])
    assert code == 0
    assert told in done.stdout
    assert not HEAVY & set(loaded)


@pytest.mark.parametrize("noun", ["table", "incident"])
def test_settings_of_a_file_count_as_for_every_command(home: Path, tmp_path: Path, noun: str) -> None:
    """A folder with a `.env`, as `catalog.settings` reads it; the environment goes before it."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    environment = {name: value for name, value in os.environ.items() if not name.upper().startswith("ASSAY_")}
    environment |= {"PYTHONPATH": str(Path(__file__).parents[3]), "COLUMNS": "200", "HOME": str(folder)}
    command = [sys.executable, "-m", "catalog.cli", noun, "list"]

    def listed(**more: str) -> str:
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, cwd=folder, env={**environment, **more}
        )
        return done.stdout

    assert "orders" not in listed()
    (folder / ".env").write_text(f"assay_home = '{home}'\n")
    assert "orders" in listed()
    assert "orders" not in listed(ASSAY_HOME=str(folder / "none"))
    assert "orders" in listed(ASSAY_HOME="none", assay_database_url=f"sqlite:///{home / 'assay.db'}")


def test_who_has_an_account_is_asked_for_a_token(home: Path) -> None:
    context = Context(Settings(home=home))
    with context.transaction() as session:
        people.add_user(session, "ann", "a long password", "admin", actor="local")
    context.close()
    command = [sys.executable, "-m", "catalog.cli", "table", "list"]
    environment = {**os.environ, "ASSAY_HOME": str(home), "ASSAY_TOKEN": ""}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 3
    assert "say who you are" in done.stderr
    assert "orders" not in done.stdout


def test_a_run_that_is_over_shows_no_progress(home: Path) -> None:
    context = Context(Settings(home=home))
    with context.transaction() as session:
        done, going = (runs.queue_run(session, "crawl", name).id for name in ("lake", "shop"))
        for one in (done, going):
            runs.start_run(session, one)
            runs.progress(session, one, 3, 4)
        runs.finish_run(session, done, {"failed": 2})
    context.close()
    environment = {**os.environ, "ASSAY_HOME": str(home), "COLUMNS": "200", "ASSAY_TOKEN": ""}
    command = [sys.executable, "-m", "catalog.cli", "run", "list"]
    listed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    told = {name: next(line for line in listed.splitlines() if f" {name} " in line) for name in ("lake", "shop")}
    assert ("3/4" in told["shop"], "3/4" in told["lake"]) == (True, False), listed
    assert "2 tables could not be read" in told["lake"]


def test_a_command_that_was_killed_is_listed_as_interrupted(home: Path) -> None:
    context = Context(Settings(home=home))
    with context.transaction() as session:
        run = runs.queue_run(session, "crawl", "lake")
        runs.start_run(session, run.id)
        run.heartbeat_at = now() - timedelta(seconds=2 * runs.STALE_SECONDS)
    context.close()
    environment = {**os.environ, "ASSAY_HOME": str(home), "COLUMNS": "200", "ASSAY_TOKEN": ""}
    command = [sys.executable, "-m", "catalog.cli", "run", "list", "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    (listed,) = json.loads(done.stdout)["items"]
    assert (listed["status"], listed["error"]) == ("failed", runs.INTERRUPTED)


def test_a_list_that_goes_on_says_so_and_how(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {"ASSAY_HOME": str(home), "COLUMNS": "200", "ASSAY_TOKEN": ""}.items():
        monkeypatch.setenv(name, value)
    get_settings.cache_clear()
    context = Context(Settings(home=home))
    with context.transaction() as session:
        (orders,), (incident,), (rule,), (said,) = (
            session.exec(select(model)).all() for model in (Table, Incident, RuleRow, Outcome)
        )
        for name in ("customers", "products"):
            upsert_table(session, orders.source_id, name, f"/lake/{name}")
            runs.queue_run(session, "crawl", name)
            more = RuleRow(**rule.model_dump(exclude={"id", "column_name"}), column_name=name)
            session.add(more)
            session.flush()
            outcome = Outcome(**said.model_dump(exclude={"id", "rule_id"}), rule_id=more.id)
            session.add(outcome)
            session.flush()
            session.add(
                Incident(
                    **incident.model_dump(exclude={"id", "outcome_id", "column_name"}),
                    outcome_id=outcome.id,
                    column_name=name,
                )
            )
        runs.queue_run(session, "crawl", "orders")
    context.close()

    def told(*words: str) -> tuple[str, str]:
        console.err.cache_clear()
        assert main(list(words)) == 0
        return capsys.readouterr()

    for noun in ("table", "incident", "rule", "run"):
        first = json.loads(told(noun, "list", "--limit", "2", "--json")[0])
        assert (len(first["items"]), first["total"], first["next"]) == (2, 3, "--offset 2"), noun
        rest = json.loads(told(noun, "list", "--limit", "2", *first["next"].split(), "--json")[0])
        assert (len(rest["items"]), rest["total"], rest["next"]) == (1, 3, None), noun
        every = json.loads(told(noun, "list", "--json")[0])
        assert [one["id"] for one in every["items"]] == [one["id"] for one in first["items"] + rest["items"]], noun
        said_last = told(noun, "list", "--limit", "2")[1]
        assert said_last == "1 more: `--offset 2` goes on, `--limit` says how many at a time\n", noun
        assert told(noun, "list", "--limit", "3")[1] == "", noun
    get_settings.cache_clear()


def test_the_doctor_sees_an_index_that_lacks_tables(home: Path) -> None:
    settings = Settings(home=home)

    def found() -> tuple[str, str]:
        (one,) = [one for one in doctor.examine(settings) if one["name"] == "pattern index"]
        return one["status"], one["detail"]

    assert found() == ("idle", "nothing was learned yet; the first crawl fills it")
    context = Context(settings)
    with context.transaction() as session:
        table = session.exec(select(Table)).one()
        table.learned_at = now()
    context.close()
    status, said = found()
    assert status == "bad"
    assert "0 tables, 1 missing; `assay crawl` puts them in again" in said
    index = PatternIndex()
    index.update(str(table.id), {"code": profile_rows(["A-1", "A-2"])})
    index.save(settings.index_path)
    assert found() == ("ok", f"{settings.index_path}: 1 table")
