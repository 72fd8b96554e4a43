"""`assay check` as a pipeline runs it: exit codes, mistakes in files, replays, and the circuit breaker of the docs."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from assay_command import Assay, Within
from deltalake import DeltaTable, write_deltalake

from catalog.flow.context import Context
from catalog.store import runs
from catalog.store.expectations import declared, rules
from catalog.store.lake import tables
from catalog.store.pages.rules import find_outcomes

pytestmark = [pytest.mark.spark, pytest.mark.slow]
PAGE = Path(__file__).parents[3] / "docs" / "pipelines.md"


def block(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return found


def orders(first: int, **changed: list) -> pa.Table:
    columns = {"id": list(range(first, first + 4)), "amount": [1.0, 2.0, 3.0, 4.0], "currency": ["EUR"] * 4}
    return pa.table(columns | changed)


def sales(version: int, rows: int = 300) -> pa.Table:
    rng = np.random.default_rng(version)
    columns = {
        "id": [f"SO{100_000 + version * rows + row}" for row in range(rows)],
        "amount": rng.lognormal(3, 0.5, rows).round(2),
        "status": rng.choice(["open", "paid", "sent"], rows, p=[0.2, 0.5, 0.3]),
    }
    return pa.table(columns)


def declared_names(assay: Assay) -> list[str]:
    context = Context(assay.settings)
    with context.reading() as session:
        table = tables.get_table(session, "staging/orders")
        found = [rule.constraint.name for _, rule in declared.checks_of(session, table.id)]
    context.close()
    return found


HEAD = "tables:\n  lake/staging/orders:\n    - {is_unique: id, name: a}\n"
MISTAKES = [
    (HEAD + "    - is_complete: idd\n", "line 4", "did you mean id?"),
    (HEAD + "    - has_max: currency\n      at_most: 3\n", "line 4", "no numbers"),
    (HEAD + "    - satisfies: amount >\n", "line 4", "cannot be parsed"),
    (HEAD + "    - {is_complete: id, name: a}\n", "line 4", "named 'a'"),
    ("tables:\n  lake/staging/orders:\n    - is_uniq: id\n", "line 3", "there is no check"),
    ("a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\ntables: *c\n", "anchors or aliases", "write each check out"),
    ("tables:\n  lake/nope:\n    - is_unique: id\n", "nope", ""),
    ("tables: [\n", "line", "correct the YAML"),
]


def test_a_gate_its_mistakes_and_its_replays(within: Within, tmp_path: Path) -> None:
    assay, lake = within, tmp_path / "lake"
    write_deltalake(lake / "staging" / "orders", orders(0))
    assay("source", "add", "lake", str(lake))
    assay("crawl", "lake")
    file = tmp_path / "checks.yaml"
    for text, *said in MISTAKES:
        file.write_text(text)
        told = assay("check", "apply", str(file), code=3).stderr
        assert all(one in told for one in said), told
    file.write_text(HEAD + "    - is_complete: idd\n    - is_uniq: id\n    - is_in: id\n")
    told = assay("check", "apply", str(file), code=3).stderr.splitlines()
    assert [line.partition(":")[2].split(":")[0] for line in told] == [" line 5", " line 6"], "each mistake, at once"
    file.write_bytes(b"\xff\xfe\x00")
    assert "UTF-8" in assay("check", "apply", str(file), code=3).stderr
    assert "cannot be read" in assay("check", "apply", str(tmp_path / "nope.yaml"), code=3).stderr
    file.write_bytes(b"#" * (3 << 20))
    assert "part it into several files" in assay("check", "apply", str(file), code=3).stderr
    assert declared_names(assay) == [], "nothing of a file with a mistake is applied"

    file.write_text(block("yaml"))
    applied = assay.json("check", "apply", str(file))
    assert [one["status"] for one in applied["present"][0]["verdicts"]] == ["passed"] * 3
    write_deltalake(lake / "staging" / "orders", orders(2, currency=["EUR", "CHF", "EUR", "EUR"]), mode="append")
    ran = assay.json("check", "run", "lake/staging/orders", "--rows", str(tmp_path / "bad.csv"), code=1)
    assert (ran["version"], ran["status"]) == (1, "failed")
    broken = {one["name"]: one["hint"] for one in ran["outcomes"] if one["status"] == "violated" and one["name"]}
    assert broken == {"is_unique_id": "the importer ran twice", "is_in_currency": None}
    with (tmp_path / "bad.csv").open() as rows:
        assert sorted(row["failed_checks"] for row in csv.DictReader(rows)) == sorted(
            ['["is_in_currency", "is_unique_id"]'] + ['["is_unique_id"]'] * 3
        )
    assert assay.json("check", "run", "staging/orders", "--version", "0", "--replay")["replay"]["same"] is True
    again = assay.json("check", "run", "staging/orders", "--version", "1", "--replay", code=1)["replay"]
    assert again["same"] is True, again
    assert "has no version 9" in assay("check", "run", "staging/orders", "--version", "9", code=3).stderr
    for path in (lake / "staging" / "orders").glob("*.parquet"):
        path.rename(path.with_suffix(".away"))
    gone = assay("check", "run", "staging/orders", code=3).stderr
    assert "is missing, and 1 more of 2; restore the file" in gone
    for path in (lake / "staging" / "orders").glob("*.away"):
        path.rename(path.with_suffix(".parquet"))
    assert "--fail-on" in assay("check", "run", "staging/orders", "--fail-on", "nothing", code=3).stderr
    assert "cannot be written to" in assay("check", "run", "staging/orders", "--rows", "x.docx", code=3).stderr


def test_the_circuit_breaker_of_the_docs(within: Within, assay: Assay, tmp_path: Path) -> None:
    lake, bin_folder = tmp_path / "lake", tmp_path / "bin"
    bin_folder.mkdir()
    for name, words in (("assay", '-m catalog.cli "$@"'), ("python", '"$@"')):
        (bin_folder / name).write_text(f"#!/bin/sh\nexec {sys.executable} {words}\n")
        (bin_folder / name).chmod(0o755)
    for name, language in (("checks.yaml", "yaml"), ("gate.sh", "sh"), ("publish.py", "python")):
        (tmp_path / name).write_text(block(language))
    write_deltalake(lake / "staging" / "orders", orders(0, currency=["EUR", "EUR", "EUR", "CHF"]))
    within("source", "add", "lake", str(lake))
    within("crawl", "lake")
    within("check", "apply", str(tmp_path / "checks.yaml"))
    environment = assay.environment | {"PATH": f"{bin_folder}:{os.environ['PATH']}"}

    def gate() -> int:
        return subprocess.run(["sh", "gate.sh"], cwd=tmp_path, env=environment, capture_output=True).returncode

    assert gate() == 0, "a warning holds nothing back"
    assert DeltaTable(lake / "orders").to_pyarrow_table().num_rows == 4
    write_deltalake(lake / "staging" / "orders", orders(3), mode="append")
    assert gate() == 1
    assert json.loads((tmp_path / "verdict.json").read_text())["status"] == "failed"
    assert DeltaTable(lake / "orders").to_pyarrow_table().num_rows == 4, "consumers read what was judged"
    kept = DeltaTable(lake / "quarantine" / "orders").to_pyarrow_table().to_pylist()
    assert sorted({row["assay_rule"] for row in kept}) == ["is_in_currency", "is_unique_id"]


def test_a_version_of_before_is_judged_by_checks_declared_since(within: Within, tmp_path: Path) -> None:
    lake, file = tmp_path / "lake", tmp_path / "checks.yaml"
    for first, currency in ((0, "EUR"), (4, "CHF")):
        write_deltalake(lake / "staging" / "orders", orders(first, currency=[currency] * 4), mode="append")
    within("source", "add", "lake", str(lake))
    within("crawl", "lake")
    file.write_text("tables:\n  lake/staging/orders:\n    - {is_in: currency, values: [CHF], scope: batch}\n")
    within("check", "apply", str(file))
    ran = within.json("check", "run", "staging/orders", "--version", "0", code=1)
    (said,) = (one for one in ran["outcomes"] if one["kind"] == "declared")
    assert (ran["version"], said["id"], said["kept"], said["status"]) == (0, None, False, "violated")
    assert "not kept" in within("check", "run", "staging/orders", "--version", "0", code=1).stdout
    assert within.json("check", "run", "staging/orders", "--version", "1")["outcomes"][0]["kept"] is True


def test_a_table_that_another_crawl_has_is_judged_after_it_or_not_at_all(
    within: Within, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, file = tmp_path / "lake" / "staging" / "orders", tmp_path / "checks.yaml"
    write_deltalake(place, orders(0))
    within("source", "add", "lake", str(tmp_path / "lake"))
    within("crawl", "lake")
    file.write_text("tables:\n  lake/staging/orders:\n    - {is_in: currency, values: [EUR]}\n")
    within("check", "apply", str(file))
    write_deltalake(place, orders(4, currency=["CHF"] * 4), mode="append")
    context = Context(within.settings)
    with context.reading() as session:
        key = tables.get_table(session, "staging/orders").id or 0
    other = runs.table_lock(context.engine, key)
    with other, monkeypatch.context() as patch:
        patch.setattr("catalog.cli.work.BUSY_SECONDS", 0)
        assert "was not judged" in within("check", "run", "staging/orders", code=3).stderr
    other = runs.table_lock(context.engine, key)
    other.__enter__()
    threading.Timer(3, other.__exit__).start()
    ran = within("check", "run", "staging/orders", code=1)
    assert "version 1:" in ran.stdout
    assert "another crawl has" in ran.stderr
    context.close()


def test_rules_that_passed_and_were_learned_again_from_it_are_told(within: Within, tmp_path: Path) -> None:
    place = tmp_path / "lake" / "sales"
    write_deltalake(place, sales(0))
    within("source", "add", "lake", str(tmp_path / "lake"))
    within("crawl", "lake")
    write_deltalake(place, sales(1), mode="overwrite")
    told = within.json("check", "run", "lake/sales")
    context = Context(within.settings)
    with context.reading() as session:
        said = find_outcomes(session, version=1).items
    context.close()
    assert any(row.status == "superseded" for _, row in said), "the second version puts to the test what one taught"
    assert len(told["outcomes"]) == len(said)


def test_a_version_that_nothing_was_asked_of_does_not_pass(within: Within, tmp_path: Path) -> None:
    place, file = tmp_path / "lake" / "orders", tmp_path / "checks.yaml"
    write_deltalake(place, orders(0))
    within("source", "add", "lake", str(tmp_path / "lake"))
    within("crawl", "lake")
    ran = within.json("check", "run", "orders", code=3)
    assert (ran["status"], ran["version"], ran["outcomes"]) == ("not_judged", 0, [])
    assert "nothing was asked of version 0" in within("check", "run", "orders", code=3).stdout
    shown = within("table", "show", "orders").stdout
    assert "learned from" in shown
    assert "judged" not in shown.partition("versions")[2]

    file.write_text("tables:\n  lake/orders:\n    - {is_in: currency, values: [EUR]}\n")
    within("check", "apply", str(file))
    assert within.json("check", "run", "orders")["status"] == "passed"
    file.write_text("tables:\n  lake/orders:\n    - {has_size: , at_least: 100}\n")
    within("check", "apply", str(file))
    told = within("check", "run", "orders", "--rows", str(tmp_path / "bad.csv"), code=1).stdout
    assert "0 rows written" in told
    assert "only declared checks on single rows name their rows" in told
    context = Context(within.settings)
    with context.transaction() as session:
        for row in rules.active_rules(session, tables.get_table(session, "orders").id or 0):
            row.status = "paused"
    told = within("check", "apply", str(file)).stdout
    assert "! has_size judges nothing: it is paused; assay rule resume" in told
    write_deltalake(place, orders(4), mode="append")
    ran = within.json("check", "run", "orders", code=3)
    assert (ran["status"], ran["version"]) == ("not_judged", 1), "what was said of version 0 says nothing of this one"
    context.close()
