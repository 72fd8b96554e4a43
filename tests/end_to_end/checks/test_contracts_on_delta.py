"""Contracts of other tools on a real Delta table: taken in, judged, changed, changed by people, taken back; and what is
exported judges the same once it is imported."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from assay_command import Assay, Within
from deltalake import write_deltalake

from catalog.declared.check import Check
from catalog.declared.files import write_checks
from catalog.flow.context import Context
from catalog.store.expectations import declared
from catalog.store.lake import tables

pytestmark = [pytest.mark.spark, pytest.mark.slow]
CONTRACT = """
apiVersion: v3.1.0
kind: DataContract
id: orders
schema:
  - name: orders
    properties:
      - {name: id, primaryKey: true, physicalType: bigint}
      - name: currency
        quality:
          - {metric: invalidValues, arguments: {validValues: [EUR, USD]}, mustBe: 0, severity: warning}
          - {metric: nullValues, mustBeLessOrEqualTo: 40, unit: percent}
      - {name: amount, logicalTypeOptions: {minimum: 0, maximum: 100}}
      - {name: code, logicalTypeOptions: {pattern: "^[A-Z]+$"}}
      - {name: gone, required: true}
    quality:
      - {metric: rowCount, mustBeBetween: [1, 9]}
      - {type: sql, query: "SELECT COUNT(*) FROM {object} WHERE amount > 50 AND currency IS NULL", mustBe: 0}
  - name: elsewhere
    quality:
      - {metric: rowCount, mustBeGreaterThan: 0}
"""
FORMATS = ("odcs", "dqdl", "gx", "dqx", "check")


def orders(first: int, **changed: list) -> pa.Table:
    columns = {
        "id": list(range(first, first + 4)),
        "amount": [1.0, 2.0, 3.0, 60.0],
        "currency": ["EUR", "USD", None, "EUR"],
        "code": ["A", "BC", None, "D"],
    }
    return pa.table(columns | changed)


def standing(assay: Assay, name: str) -> dict[str, tuple[str, str]]:
    context = Context(assay.settings)
    with context.reading() as session:
        table = tables.get_table(session, name)
        found = {rule.constraint.name: (rule.constraint.sentence, row.status)
                 for row, rule in declared.checks_of(session, table.id or 0)}  # fmt: skip
    context.close()
    return found


def said(assay: Assay, name: str) -> dict[str, str]:
    ran = assay.json("check", "run", name, "--no-crawl", code=1)
    return {one["name"]: one["status"] for one in ran["outcomes"] if one["name"]}


def test_a_contract_is_taken_judged_and_taken_back(within: Within, tmp_path: Path) -> None:
    assay, lake, file = within, tmp_path / "lake", tmp_path / "orders.odcs.yaml"
    copies = [f"orders_{form}" for form in FORMATS]
    for name in ("orders", *copies):
        write_deltalake(lake / name, orders(0))
    assay("source", "add", "shop", str(lake))
    assay("crawl", "shop")
    file.write_text(CONTRACT)

    shown = assay.json("check", "import", str(file), "--dry-run", code=1)
    assert (shown["format"], shown["dry_run"]) == ("odcs", True)
    assert standing(assay, "shop/orders") == {}
    why = {one["place"]: one["reason"] for one in shown["demands"] if one["what"] == "skipped"}
    assert "there is no column 'gone'" in why["orders.gone: required"]
    assert "elsewhere" in why["elsewhere: rowCount"]
    assert set(why) == {"orders.gone: required", "elsewhere: rowCount"}

    done = assay.json("check", "import", str(file), code=1)
    assert {one["what"] for one in done["demands"]} == {"added", "skipped"}
    statuses = {one["check"]: one["status"] for one in done["present"][0]["verdicts"]}
    assert [name for name, status in statuses.items() if status == "violated"] == ["columns_of_contract"]
    first = standing(assay, "shop/orders")
    again = assay.json("check", "import", str(file), code=1)
    assert {one["what"] for one in again["demands"]} == {"same", "skipped"}
    assert standing(assay, "shop/orders") == first

    # the contract changes one demand, a person another
    file.write_text(CONTRACT.replace("[1, 9]", "[1, 3]").replace("maximum: 100", "maximum: 10"))
    mine = tmp_path / "mine.yaml"
    mine.write_text(checks_yaml(assay).replace("high: 100", "high: 77"))
    assay("check", "apply", str(mine))
    told = {one["place"]: one for one in assay.json("check", "import", str(file), code=1)["demands"]}
    assert told["orders: rowCount"]["what"] == "changed"
    kept = told["orders.amount: logicalTypeOptions maximum"]
    assert (kept["what"], "--replace" in kept["reason"]) == ("kept", True)
    now = standing(assay, "shop/orders")
    assert "77" in now[kept["check"]][0]
    assert now["has_size"][0] == "number of rows is 1 to 3"
    assert said(assay, "shop/orders")["has_size"] == "violated"
    assay("check", "import", str(file), "--replace", code=1)
    assert "10" in standing(assay, "shop/orders")[kept["check"]][0]
    events = assay.json("audit", "list")
    (latest, *_) = [one for one in events["items"] if one["action"] == "declare"]
    assay("audit", "undo", str(latest["id"]))
    assert standing(assay, "shop/orders") == now

    # what is exported and imported for a table like it judges the same
    file.write_text(CONTRACT.replace("- {name: gone, required: true}", ""))
    assay("check", "import", str(file), "--replace", code=1)
    assay("check", "import", str(glue(tmp_path)), "--table", "shop/orders")
    for form, copy in zip(FORMATS, copies, strict=True):
        out = tmp_path / f"{form}.txt"
        exported = assay.json("rule", "export", "shop/orders", "--as", form, "--out", str(out))
        assay("check", "import", str(out), "--as", form, "--table", f"shop/{copy}")
        assert exported["demands"] >= 5, form
        piped = assay("rule", "export", "shop/orders", "--as", form).stdout  # the contract alone, as tools read it
        assert piped.strip() == out.read_text().strip(), form
    for rows in (orders(0), orders(10, currency=["CHF", None, None, "EUR"]), orders(20, code=["a", "", "B", "C"])):
        for name in ("orders", *copies):
            write_deltalake(lake / name, rows, mode="append")
    assay("crawl", "shop")
    own = said(assay, "shop/orders")
    worst = {name for name, status in own.items() if status == "violated"}
    assert {"is_unique_id", "is_in_currency"} <= worst
    for form, copy in zip(FORMATS, copies, strict=True):
        verdicts = said(assay, f"shop/{copy}")
        assert "violated" in verdicts.values(), form
        shared = {name for name in own.keys() & verdicts.keys() if not name.startswith("satisfies")}
        assert {name: verdicts[name] for name in shared} == {name: own[name] for name in shared}, form


def test_a_name_with_a_dot_is_written_as_one_name(within: Within, tmp_path: Path) -> None:
    assay, lake = within, tmp_path / "dotted"
    write_deltalake(lake / "nets", pa.table({"net.amount": [1.0, 2.0], "s": [{"z": 1}, {"z": 2}]}))
    assay("source", "add", "dots", str(lake))
    assay("crawl", "dots")
    file = tmp_path / "nets.yaml"
    one = Check("dots/nets").is_complete("net.amount").is_complete("s.z").is_unique("net.amount")
    file.write_text(write_checks([one]))
    assay("check", "apply", str(file))
    for form in FORMATS:
        written = assay.json("rule", "export", "dots/nets", "--as", form)["written"]
        assert "`net`.`amount`" not in written, form
        (out := tmp_path / f"nets.{form}").write_text(written)
        told = assay.json("check", "import", str(out), "--as", form, "--dry-run", "--table", "dots/nets")["demands"]
        assert "skipped" not in {one["what"] for one in told}, (form, told)
        if form == "check":
            assert "CHECK (`net.amount` IS NOT NULL)" in written
            assert "CHECK (`s`.`z` IS NOT NULL)" in written
        if form == "odcs":
            assert "- name: net.amount\n" in written, written


def checks_yaml(assay: Assay) -> str:
    context = Context(assay.settings)
    with context.reading() as session:
        check = declared.check_of(session, tables.get_table(session, "shop/orders"))
    context.close()
    return write_checks([Check("shop/orders", check.constraints)])


def glue(folder: Path) -> Path:
    file = folder / "orders.dqdl"
    file.write_text('Rules = [ ColumnValues "amount" <= 60, Mean "amount" between 1 and 40 ]')
    return file
