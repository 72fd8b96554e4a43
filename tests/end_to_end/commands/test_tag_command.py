"""`assay tag`: what tags say is written into a real Delta table's comments, and only there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import CommitProperties, DeltaTable, write_deltalake

from catalog.cli import main
from catalog.demo.lake import _job
from catalog.flow import acting, crawl
from catalog.flow.context import Context
from catalog.settings import get_settings
from catalog.store.access import audit
from catalog.store.lake import sources, tables
from catalog.store.meaning import tags
from catalog.store.pages.columns import find_tags

pytestmark = pytest.mark.spark
HOSTILE = "it's `odd`; DROP"


@pytest.fixture
def lake(context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    lake = tmp_path / "lake"
    mails = [f"user{i}@mail.example" for i in range(60)]
    rows = {"mail": mails, "who": [{"mail": one} for one in mails], HOSTILE: mails, "n": list(range(60))}
    write_deltalake(str(lake / "people"), pa.table(rows), configuration={"delta.columnMapping.mode": "name"})
    with context.transaction() as session:
        source = sources.add_source(session, "shop", str(lake))
    crawl.crawl_source(context, source.id)
    with context.transaction() as session:
        for item in find_tags(session, domain="email", limit=1000).items:
            tags.decide_tag(session, item.Tag.id, "accepted", "ann")
    monkeypatch.setenv("ASSAY_HOME", str(context.settings.home))
    get_settings.cache_clear()
    yield lake
    get_settings.cache_clear()


def test_comments_are_written_once_and_told(lake: Path, context: Context, capsys: pytest.CaptureFixture[str]) -> None:
    uri = str(lake / "people")
    assert main(["tag", "sql", "people", "--for", "delta"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert all(line.startswith(f"ALTER TABLE delta.`{uri}` ALTER COLUMN ") for line in lines)
    with context.reading() as session:
        key = tables.get_table(session, "people").id
    before = DeltaTable(uri).version()
    planned = acting.plan(context, key)
    assert DeltaTable(uri).version() == before  # a dry run
    assert {one.column: one.what for one in planned} == {"mail": "write", "who.mail": "write", HOSTILE: "write"}
    context.actor = "ann"
    done = acting.write(context, key, planned)
    assert {one.what for one in done} == {"write"}, done
    table = DeltaTable(uri)
    assert table.version() == before + 3
    comments = {one.name: one.metadata.get("comment") for one in table.schema().fields}
    assert comments["mail"] == comments[HOSTILE] == "Assay: E-mail address; sensitive; accepted by ann"
    assert comments["n"] is None
    assert table.to_pyarrow_table().num_rows == 60
    assert {one.what for one in acting.plan(context, key)} == {"same"}
    with context.reading() as session:
        (event,) = audit.find_events(session, text="write comments")
    assert (event.actor, event.kind, event.before["mail"]) == ("ann", "table", "")
    crawl.crawl_source(context, 1)
    with context.reading() as session:
        assert tables.get_table(session, "people").status == "watched"


def written(context: Context, uri: str) -> dict[str, str]:
    """Comments as Spark reads them, by column."""
    schema = context.spark.read.format("delta").load(uri).schema
    inner = [
        (f"{one.name}.{two.name}", two) for one in schema if hasattr(one.dataType, "fields") for two in one.dataType
    ]
    return {name: one.metadata.get("comment", "") for name, one in [(one.name, one) for one in schema] + inner}


def test_a_dry_run_starts_no_spark(lake: Path, context: Context) -> None:
    environment = {
        **os.environ,
        **context.settings.as_environment(),
        "JAVA_HOME": "/nonexistent",
        "PATH": "/nonexistent",
    }
    words = [sys.executable, "-m", "catalog.cli", "tag", "apply", "people", "--json"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert {one["what"] for one in json.loads(done.stdout)} == {"write"}
    assert done.stderr == ""


def test_a_comment_of_somebody_else_stays(lake: Path, context: Context) -> None:
    uri = str(lake / "people")
    context.spark.sql(f"ALTER TABLE delta.`{uri}` ALTER COLUMN mail COMMENT 'Ours.'")
    with context.reading() as session:
        key = tables.get_table(session, "people").id
    kept = next(one for one in acting.plan(context, key) if one.column == "mail")
    assert (kept.what, kept.before) == ("skip", "Ours.")
    replaced = next(one for one in acting.plan(context, key, replace=True) if one.column == "mail")
    assert replaced.what == "write"


def test_a_comment_that_changed_after_the_plan_stays(lake: Path, context: Context) -> None:
    uri = str(lake / "people")
    with context.reading() as session:
        key = tables.get_table(session, "people").id
    planned = acting.plan(context, key)
    context.spark.sql(f"ALTER TABLE delta.`{uri}` ALTER COLUMN mail COMMENT 'Ours.'")
    done = {one.column: one for one in acting.write(context, key, planned)}
    assert (done["mail"].what, done["who.mail"].what) == ("skip", "write")
    assert "changed meanwhile" in done["mail"].reason
    assert written(context, uri)["mail"] == "Ours."


def test_comments_go_back_to_what_they_were(lake: Path, context: Context, capsys: pytest.CaptureFixture[str]) -> None:
    uri = str(lake / "people")
    context.spark.sql(f"ALTER TABLE delta.`{uri}` ALTER COLUMN mail COMMENT 'It''s ours.'")
    assert main(["tag", "apply", "people", "--undo"]) == 3
    assert "no comments of people were written" in capsys.readouterr().err
    assert main(["tag", "apply", "people", "--write", "--replace"]) == 0
    context.spark.sql(f"ALTER TABLE delta.`{uri}` ALTER COLUMN who.mail COMMENT 'Theirs.'")
    with context.reading() as session:
        (event,) = audit.find_events(session, text="write comments")
    assert main(["audit", "undo", str(event.id)]) == 3
    assert "assay tag apply --undo --write shop/people" in capsys.readouterr().err.replace("\n", " ")
    assert main(["tag", "apply", "people", "--undo", "--write", "--json"]) == 1
    done = {one["column"]: one for one in json.loads(capsys.readouterr().out)}
    assert {name: one["what"] for name, one in done.items()} == {"mail": "write", "who.mail": "skip", HOSTILE: "write"}
    assert "changed its comment since" in done["who.mail"]["reason"]
    assert [written(context, uri)[one] for one in ("mail", "who.mail", HOSTILE)] == ["It's ours.", "Theirs.", ""]
    with context.reading() as session:
        assert audit.find_events(session, text="write comments", limit=1)[0].undoes == event.id
    assert main(["tag", "apply", "people", "--undo", "--write"]) == 3  # and does not write them again
    assert "were all taken back" in capsys.readouterr().err
    assert written(context, uri)["mail"] == "It's ours."


def test_taking_back_says_what_comments_become_and_goes_on_to_the_time_before(
    lake: Path, context: Context, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tag", "apply", "people", "--write"]) == 0
    with context.transaction() as session:
        tag = next(one.Tag for one in find_tags(session, domain="email", limit=10).items)
        tags.decide_tag(session, tag.id, "accepted", "bob")
    assert main(["tag", "apply", "people", "--write"]) == 0
    capsys.readouterr()
    assert main(["tag", "apply", "people", "--undo", "--write"]) == 0
    assert "1 comment taken back" in capsys.readouterr().out
    assert main(["tag", "apply", "people", "--undo", "--write"]) == 0
    said = capsys.readouterr().out
    assert "3 comments taken back" in said
    assert said.count("(none)") == 3
    assert set(written(context, str(lake / "people")).values()) == {""}


def test_a_log_that_spark_does_not_read_is_told_in_a_line(
    lake: Path, capfd: pytest.CaptureFixture[str], context: Context
) -> None:
    """``job`` is no text in Delta's protocol; readers that do not look at it do not mind."""
    uri = str(lake / "people")
    odd = CommitProperties(custom_metadata={"job": "load_people"})
    write_deltalake(uri, DeltaTable(uri).to_pyarrow_table(), mode="append", commit_properties=odd)
    with context.reading() as session:
        key = tables.get_table(session, "people").id
    planned = acting.plan(context, key)
    assert {one.what for one in planned} == {"write"}, "to plan, Spark is not needed"
    done = acting.write(context, key, planned)
    assert {one.what for one in done} == {"skip"}
    assert all("job" in one.reason and "\n" not in one.reason for one in done)
    assert main(["tag", "apply", "people", "--write"]) == 1
    assert "Traceback" not in capfd.readouterr().err


def test_spark_reads_what_the_demo_writes(context: Context, tmp_path: Path) -> None:
    uri = str(tmp_path / "stores")
    write_deltalake(uri, pa.table({"n": [1]}), commit_properties=_job("stores"))
    assert context.spark.read.format("delta").load(uri).count() == 1


def test_lineage_is_json(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tag", "lineage", "people"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["namespace"] == "file"
    assert {one["field"] for one in made["facets"]["tags"]["tags"]} == {"mail", "who.mail", HOSTILE}
    assert "user1@" not in json.dumps(made)
    assert main(["tag", "sql", "people", "--name", "a.b.c.d"]) == 3
