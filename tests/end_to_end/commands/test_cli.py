"""The `assay` command as a user runs it: a process, its exit code, what it prints."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
import typer
from assay_command import Assay, Within
from deltalake import write_deltalake
from rich.console import Console

from catalog.cli import console, main
from catalog.cli.app import app
from catalog.cli.rules.incident import show_incident
from catalog.settings import Secret, Settings
from catalog.store.access import people
from catalog.store.engine import make_engine, session
from catalog.store.models import Incident

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """Two tables, one of them written daily; a third that is none."""
    root = tmp_path / "lake"
    for day in range(16):
        write_deltalake(root / "sales" / "orders", orders(day), mode="append")
    write_deltalake(root / "stock", orders(0))
    (root / "broken" / "_delta_log").mkdir(parents=True)
    (root / "broken" / "_delta_log" / f"{0:020d}.json").write_text("not a log\n")
    return root


def orders(day: int, *, bad: bool = False) -> Any:
    count = 200 + 7 * (day % 3)
    dates = [f"2026-03-{1 + (day + i) % 28:02d}" if not bad else f"{1 + i % 28}.3.26" for i in range(count)]
    columns = {
        "order_id": [f"ORD-{day:03d}{i:05d}" for i in range(count)],
        "ordered_on": dates,
        "email": [f"user{(i * 7919 + day) % 997}@example.org" for i in range(count)],
        "amount": [round(10 + ((i * 37 + day * 11) % 100) / 3, 2) for i in range(count)],
    }
    return pl.DataFrame(columns).to_arrow()


def test_every_command_explains_itself_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    helped = " ".join(capsys.readouterr().out.split())
    assert "Exit codes: 0 passed, 1 a check failed, 2 a warning, or a table" in helped
    commands = [[command.name] for command in app.registered_commands]
    for group in app.registered_groups:
        commands += [[group.name, command.name] for command in group.typer_instance.registered_commands]
    assert len(commands) > 15
    built = typer.main.get_command(app)  # once: each `main` builds all commands anew
    for words in commands:
        assert built(args=[*words, "--help"], prog_name="assay", standalone_mode=False) == 0
        assert "Example: " in capsys.readouterr().out, words


def test_mistakes_are_told_with_their_remedy_and_end_with_three(
    assay: Assay, within: Within, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "No such command" in assay("nonsense", code=3).stderr
    assert "`assay source add NAME PATH` registers one" in within("crawl", code=3).stderr
    assert (
        "assay: there is no folder /no/such; give the folder" in within("source", "add", "x", "/no/such", code=3).stderr
    )
    assert "no table 'x'" in within("table", "show", "x", code=3).stderr
    assert "no source 'x'" in within("source", "remove", "x", "--yes", code=3).stderr
    monkeypatch.setenv("ASSAY_PORT", "many")
    assert "ASSAY_PORT cannot be 'many'" in within("settings", code=3).stderr
    monkeypatch.setenv("ASSAY_PORT", "1")
    monkeypatch.setenv("ASSAY_STORAGE_OPTIONS", "{key")
    assert "ASSAY_STORAGE_OPTIONS is no JSON; write it as" in within("source", "list", code=3).stderr


def test_a_setting_that_is_written_wrongly_is_found(assay: Assay) -> None:
    assay.environment |= {"ASSAY_PROT": "8080", "ASSAY_OF_SOMETHING_ELSE": "1"}
    told = assay.json("doctor", code=3)
    (found,) = [one for one in told if one["name"] == "settings"]
    assert (found["status"], found["detail"]) == ("bad", "ASSAY_PROT is no setting; did you mean ASSAY_PORT?")
    del assay.environment["ASSAY_PROT"]
    assay.environment["ASSAY_HOST"] = "0.0.0.0"  # noqa: S104 - nothing is bound
    (found,) = [one for one in assay.json("doctor") if one["name"] == "settings"]
    assert "links in alerts begin with http://" in found["detail"]
    assert "http://0.0" not in found["detail"]


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("ALERT_NETWORKS", "10.1.2.300", "ASSAY_ALERT_NETWORKS cannot be '10.1.2.300'; give addresses or networks"),
        ("TRUSTED_PROXIES", "proxy, 10.0.0.1", "ASSAY_TRUSTED_PROXIES cannot be 'proxy, 10.0.0.1'; give addresses"),
        ("PUBLIC_URL", "assay.example", "ASSAY_PUBLIC_URL cannot be 'assay.example'; write it as https://"),
        ("LOG_LEVEL", "LOUD", "ASSAY_LOG_LEVEL cannot be 'LOUD'; use one of DEBUG, INFO"),
        ("OIDC_ROLE", "boss", "ASSAY_OIDC_ROLE cannot be 'boss'; use one of viewer"),
        ("OIDC_ROLES", '{"a": "boss"}', "ASSAY_OIDC_ROLES cannot be {'a': 'boss'}; use one of viewer"),
        ("OIDC_ISSUER", "https://id.example", "ASSAY_OIDC_ISSUER needs ASSAY_OIDC_CLIENT_ID"),
        ("REDIS_URL", "redis://:hid/den@redis:6379/0", "ASSAY_REDIS_URL cannot be used; write redis://"),
        ("DATABASE_URL", "postgresql://me:hid@den@db/assay", "cannot be taken apart; use sqlite"),
    ],
)
def test_a_setting_that_cannot_be_used_is_refused_at_once(
    within: Within, monkeypatch: pytest.MonkeyPatch, name: str, value: str, told: str
) -> None:
    monkeypatch.setenv(f"ASSAY_{name}", value)
    said = " ".join(within("user", "list", code=3).stderr.split())
    assert told in said
    assert "hid" not in said
    monkeypatch.delenv(f"ASSAY_{name}")


def test_what_nobody_foresaw_ends_with_three_and_tells_no_value(
    within: Within, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One would be a check that failed."""

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("of carla.jimenez@mail.example")

    within("source", "add", "shop", "/lake", "--untested")
    monkeypatch.setattr("catalog.store.driver.quick.find_tables", broken)
    monkeypatch.setattr("catalog.store.pages.work.source_lines", broken)
    for noun in ("table", "source"):
        told = within(noun, "list", code=3).stderr
        assert "something unexpected went wrong (RuntimeError); report it" in told
        assert "in broken" in told
        assert "carla" not in told
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path / "file" / "home"))
    monkeypatch.delenv("ASSAY_DATABASE_URL", raising=False)
    assert "see that it is there, and who may read and write it" in within("user", "list", code=3).stderr


def test_a_crawl_that_is_interrupted_leaves_no_run_that_waits(within: Within, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    within("source", "add", "shop", "/lake", "--untested")
    for at in ("catalog.cli.work.do", "catalog.flow.crawl.crawl_source"):
        with monkeypatch.context() as patched:
            patched.setattr(at, interrupted)
            assert "interrupted; start it again" in within("crawl", "shop", code=130).stderr
    assert [one["status"] for one in within.json("run", "list")["items"]] == ["cancelled"] * 2


def test_the_audit_log_is_asked_for_what_there_is(within: Within, tmp_path: Path) -> None:
    assert "use one of tag, rule" in within("audit", "list", "--kind", "nosuch", code=3).stderr
    assert "end it with .csv or .jsonl" in within("audit", "export", str(tmp_path / "x.txt"), code=3).stderr
    assert not (tmp_path / "x.txt").exists()


def test_a_new_password_says_which_tokens_still_work(within: Within, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_PASSWORD", "correct horse battery")
    within("user", "add", "ann", "--role", "admin")
    made = within.json("token", "add", "laptop", "--user", "ann", "--scope", "admin")
    monkeypatch.setenv("ASSAY_TOKEN", made["token"])
    told = within("user", "password", "ann").stdout
    assert f"`assay token revoke {made['id']}`" in told
    assert within.json("token", "list")[0]["name"] == "laptop"


def test_who_comes_by_the_provider_is_told_where_tokens_are_made(
    within: Within, monkeypatch: pytest.MonkeyPatch
) -> None:
    within("user", "list")
    with session(make_engine(within.settings.database)) as current:
        people.come_in(current, "https://id.example 1", "ann", "approver")
    assert "the page Account makes one" in within("table", "list", code=3).stderr
    assert "make the token on the page Account" in within("token", "add", "ci", "--user", "ann", code=3).stderr
    monkeypatch.setenv("ASSAY_PASSWORD", "correct horse battery")
    assert "nobody is called 'root' here; give one of ann" in within("user", "recover", "root", code=3).stderr


def test_a_crawl_waits_for_tables_that_another_one_crawls(within: Within, monkeypatch: pytest.MonkeyPatch) -> None:
    crawls = iter([{"busy": 3, "versions_judged": 1}, {"busy": 1, "versions_judged": 2}, {"busy": 0}])
    usual = {"tables": 4, "failed": 0, "versions_judged": 0, "seconds": 1.0}
    monkeypatch.setattr("catalog.flow.crawl.crawl_source", lambda *_: usual | next(crawls))
    monkeypatch.setattr("catalog.cli.work.AGAIN_SECONDS", 0)
    within("source", "add", "shop", "/lake", "--untested")
    assert within("crawl", "shop").stdout == "shop: 4 tables, 3 versions judged, 1.0 s\n"
    crawls = iter([{"busy": 3}])
    assert "3 tables left to another crawl" in within("crawl", "shop", "--no-wait").stdout
    monkeypatch.setattr("catalog.cli.work.BUSY_SECONDS", 0)
    crawls = iter([{"busy": 3}])
    told = within("crawl", "shop")
    assert "3 tables left to another crawl" in told.stdout
    assert "another crawl has 3 tables: waiting" in told.stderr


def test_a_command_that_is_interrupted_says_so(within: Within, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("catalog.store.pages.work.source_lines", interrupted)
    assert "interrupted" in within("source", "list", code=130).stderr


def test_lists_in_a_file_have_a_line_for_each_row(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(console, "out", console.out.__wrapped__)
    row = (7, "shop/" + "orders_of_the_day" * 9, "amounts are a hundred times their usual size " * 9)
    console.grid("", ("id", "table", "what"), [row])
    (line,) = [one for one in capsys.readouterr().out.splitlines() if "orders" in one]
    assert all(str(cell).strip() in line for cell in row)


def test_where_cut_details_of_an_incident_are_whole_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    one = Incident(id=7, table_id=1, kind="history", outcome_id=1, first_version=3, last_version=3, sentence="so")
    item = SimpleNamespace(incident=one, ref="shop/orders")
    told = SimpleNamespace(proof="", undo="", cause="", columns=[], tables=[])
    show_incident(item, told, [(3, "amount", "amount " * 40)], ())
    said = capsys.readouterr().out.splitlines()
    assert said[-2].endswith("...")
    assert said[-1] == "  `assay incident show 7 --json` has all in full"
    show_incident(item, told, [(3, "amount", "amount is 7")], ())
    assert capsys.readouterr().out.splitlines()[-1] == "  v3 amount is 7"


def test_a_folder_that_another_source_has_is_told(within: Within) -> None:
    assert "twice" not in within("source", "add", "shop", "/lake", "--untested").stdout
    said = " ".join(within("source", "add", "other", "/lake", "--untested").stdout.split())
    assert "shop has this folder too: tables of both are in the catalog twice" in said


def test_the_decision_to_add_a_source_says_what_takes_it_back(within: Within) -> None:
    within("source", "add", "shop", "/lake", "--untested")
    (event, *_) = within.json("audit", "list")["items"]
    assert "use `assay source remove shop`" in within("audit", "undo", str(event["id"]), code=3).stderr


def test_an_empty_catalog_says_how_it_is_filled(within: Within) -> None:
    for noun, told in {
        "source": "`assay source add NAME FOLDER` registers one",
        "table": "`assay source add NAME FOLDER`, then `assay crawl`, finds them",
        "rule": "no rules yet: a crawl learns them",
        "tag": "no tags yet: a crawl proposes them",
        "incident": "no open incidents",
    }.items():
        assert told in within(noun, "list").stdout
    assert within("table", "list", "--tag", "email").stdout == "no tables like that\n"
    assert "assay incident list --all" in within("incident", "show", "7", code=3).stderr
    assert "nothing to report; add a source" in within("report", "governance", code=3).stderr
    within("source", "add", "shop", "/lake", "--untested")
    told = within("report", "governance").stdout
    assert "No table had been read" in told
    assert "no column" not in told


def test_tables_of_a_terminal_keep_names_whole_and_leave_out_what_is_empty(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(console, "out", lambda: Console(width=80))
    rows = [(7, "shop/exchange_rates", None, 1056, "amounts are a hundred times their usual size " * 2)]
    console.grid("", ("id", "table", "column", "rows", "what"), rows)
    told = capsys.readouterr().out
    assert " 7    shop/exchange_rates   1,056 " in told
    assert "column" not in told
    assert max(map(len, told.splitlines())) <= 80
    narrow = [("x" * 60, "y" * 60, "z" * 60)]
    console.grid("", ("a", "b", "c"), narrow)
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


def test_rows_of_more_columns_than_a_terminal_holds_are_blocks_of_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(console, "out", lambda: Console(width=80))
    heads = [f"customer_name_{number}" for number in range(15)]
    console.grid("rows", heads, [["2026-11-27T10:00:00", *range(13), None]] * 2)
    told = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert told[:3] == ["rows", "  customer_name_0   2026-11-27T10:00:00", "  customer_name_1   0"]
    assert told.count("  customer_name_13  12") == 2
    assert "customer_name_14" not in " ".join(told)


def test_the_learners_of_a_source_are_told(within: Within) -> None:
    within("source", "add", "shop", "/lake", "--untested")
    assert within.json("source", "learner", "shop")["history"] == "ours"
    within("source", "learner", "shop", "avh", "--delta", "0.001")
    assert within.json("source", "learner", "shop")["history"].startswith("avh")
    assert "name it" in within("source", "learner", "shop", "--delta", "0.001", code=3).stderr


def test_a_source_is_looked_into_and_can_be_changed(within: Within, tmp_path: Path) -> None:
    assay = within
    (tmp_path / "empty").mkdir()
    for name in ("one/orders", "two/sales/orders"):
        (tmp_path / name / "_delta_log").mkdir(parents=True)
    assert "there is no Delta table under" in assay("source", "add", "x", str(tmp_path / "empty"), code=3).stderr
    assay("source", "add", "later", str(tmp_path / "empty"), "--untested")
    made = assay.json("source", "add", "shop", str(tmp_path / "one"))
    assert made["found"] == 1
    refused = assay("source", "edit", "shop", str(tmp_path / "two"), "--include", "nothing*", code=3)
    assert "whose name is wanted" in refused.stderr
    assert "already" in assay("source", "edit", "shop", "--rename", "later", code=3).stderr
    asked = ("source", "edit", "shop", str(tmp_path / "two"), "--rename", "new", "--include", "sales/*")
    changed = assay.json(*asked)
    assert (changed["id"], changed["name"], changed["include"]) == (made["id"], "new", ["sales/*"])
    assert assay.json("source", "edit", "new", "--include", "")["include"] == []
    assert {one["name"] for one in assay.json("source", "list")} == {"later", "new"}


def test_settings_show_what_is_in_force_but_no_secrets(assay: Assay) -> None:
    assay.environment |= {
        "ASSAY_DATABASE_URL": "postgresql://me:secret@db/assay",
        "ASSAY_ACCESS_TOKEN": "secret",
        "ASSAY_STORAGE_OPTIONS": '{"AWS_SECRET_ACCESS_KEY": "secret"}',
        "ASSAY_SPARK_CONF": '{"spark.hadoop.fs.s3a.secret.key": "secret"}',
        "ASSAY_SPARK_REMOTE": "sc://spark:443/;token=secret",
        "ASSAY_REDIS_URL": "rediss://:secret@redis:6379/0",
        "ASSAY_OIDC_CLIENT_SECRET": "secret",
        "ASSAY_SECRET_KEY": "secret",
        "ASSAY_WATCH_SECONDS": "7",
    }
    shown = assay.json("settings")
    assert {one["name"] for one in shown} == {f"ASSAY_{name.upper()}" for name in Settings.model_fields}
    assert all(one["help"] for one in shown)
    assert {one["name"]: one["value"] for one in shown}["ASSAY_WATCH_SECONDS"] == 7.0
    told = json.dumps([one["value"] for one in shown]).replace("fs.s3a.secret.key", "").replace("AWS_SECRET", "")
    assert "secret" not in told
    assert "****" in told


def test_every_setting_that_is_called_a_secret_is_hidden() -> None:
    called = {name for name in Settings.model_fields if re.search("secret|token$|key|password", name)}
    assert called >= {"access_token", "token", "oidc_client_secret", "secret_key"}
    assert {name for name in called if Settings.secret_of(name) is not Secret.WHOLE} == set()


def test_no_error_about_settings_tells_a_secret(within: Within, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_SPARK_CONF", '{"fs.s3a.secret.key": 71234}')
    told = within("settings", code=3).stderr
    assert "ASSAY_SPARK_CONF 'fs.s3a.secret.key': Input should be a valid string" in told
    assert "71234" not in told
    monkeypatch.setenv("ASSAY_SPARK_CONF", "{}")
    monkeypatch.setenv("ASSAY_REDIS_URL", "redis://:hidden@127.0.0.1:1/0")
    told = within("up", code=3).stderr
    assert "no task queue answers at redis://:****@127.0.0.1:1/0" in told
    assert "hidden" not in told


@pytest.mark.spark
@pytest.mark.slow
def test_a_lake_is_crawled_checked_and_forgotten_without_a_service(within: Within, lake: Path) -> None:
    assay = within
    assay("source", "add", "shop", str(lake), "--exclude", "stock*")
    assert [one["exclude"] for one in assay.json("source", "list")] == [["stock*"]]
    assert assay.json("source", "allow", "shop", "/data/a", "s3://b/c")["allowed"] == ["/data/a", "s3://b/c"]
    assert "never read" in assay("source", "allow", "shop", "http://169.254.169.254/", code=3).stderr
    assert [one["allowed"] for one in assay.json("source", "list")] == [["/data/a", "s3://b/c"]]
    assert "only the source itself" in assay("source", "allow", "shop").stdout
    (crawled,) = assay.json("crawl", "shop", code=2)  # one table is broken, and said to be
    assert (crawled["stats"]["tables"], crawled["stats"]["failed"]) == (1, 1)
    listed = {one["name"]: one for one in assay.json("table", "list")["items"]}
    assert set(listed) == {"sales/orders", "broken"}
    assert (listed["broken"]["status"], listed["broken"]["error_kind"]) == ("error", "corrupt_log")
    assert listed["broken"]["remedy"]
    shown = assay.json("table", "show", "shop/sales/orders")
    tags = {column["name"]: [tag["domain"] for tag in column["tags"]] for column in shown["columns"]}
    assert tags["email"][0] == "email"
    assert shown["rules"]
    assert {one["kind"] for one in assay.json("rule", "list", "sales/orders")["items"]} >= {"schema", "history"}

    write_deltalake(lake / "sales" / "orders", orders(16), mode="append")
    assert assay.json("check", "run", "sales/orders")["status"] == "passed"
    write_deltalake(lake / "sales" / "orders", orders(17, bad=True), mode="append")
    failed = assay.json("check", "run", "sales/orders", code=1)
    assert (failed["status"], failed["version"]) == ("failed", 17)
    assert {one["column"] for one in failed["outcomes"] if one["status"] == "violated"} == {"ordered_on"}
    assert assay.json("check", "run", "sales/orders", "--no-crawl", code=1)["version"] == 17
    assay("check", "run", "broken", code=3)

    incidents = assay.json("incident", "list")["items"]
    assert {one["column_name"] for one in incidents} == {"ordered_on"}
    assay("incident", "resolve", str(incidents[0]["id"]), "--reason", "Whatever", code=3)
    for one in incidents:
        assay("incident", "resolve", str(one["id"]), "--reason", "MissingData", "--comment", "export was wrong")
    assert assay.json("incident", "list")["items"] == []
    assert len(assay.json("incident", "list", "--all")["items"]) == len(incidents)
    assert {run["status"] for run in assay.json("run", "list")["items"]} == {"done"}
    assay("source", "remove", "shop", "--yes")
    assert assay.json("table", "list")["total"] == 0
