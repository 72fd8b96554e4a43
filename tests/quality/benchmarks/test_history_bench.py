"""The benchmark of rules from history on a small folder with everything odd in it."""

import csv
import json
import sys
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable

from benchmarks import split, weekly
from benchmarks.avh import __main__ as avh
from benchmarks.avh.columns import executions
from benchmarks.avh.score import reliability
from benchmarks.lived import __main__ as lived
from benchmarks.lived import data as lived_data
from benchmarks.lived.fills import steps, told
from benchmarks.releases.lists import CARRIED
from catalog.checks import feedback
from catalog.rules.kinds.schema import broken
from catalog.store.models import Incident, Outcome, RuleRow, now

FIELDS = {"column_fpr", "table_fpr", "synthetic_recall", "synthetic_by_type", "incident_recall", "precision", "recall"}


def _series(folder, count, *, windows, incidents=(), empty=()):
    folder.mkdir(parents=True)
    rng = np.random.default_rng(len(folder.name))
    for index in range(1, count + 1):
        n = 60 + index % 3
        table = pa.table(
            {
                "name": [f"item {k}" for k in rng.integers(0, 40, n)],
                "amount": [f"{x:.2f}" for x in rng.lognormal(3, 1, n) * (1000 if index == 36 else 1)],
            }
        )
        pq.write_table(pa.table({}) if index in empty else table, folder / f"{index:04d}.parquet")
    said = {"series": folder.name, "executions": count, "clean_windows": list(windows), "incidents": list(incidents)}
    (folder / "incidents.json").write_text(json.dumps(said))


def test_a_life_may_begin_with_an_empty_delivery_and_be_short(tmp_path):
    folder = tmp_path / "histories" / "late"
    _series(folder, 4, windows=[], empty=(1, 3))
    items = [{"date": f"2026-01-0{day}"} for day in range(1, 5)]
    (folder / "manifest.json").write_text(json.dumps({"first": "2026-01-01", "items": items}))
    series = lived_data.read_series(folder)
    first = lived_data.delivery(series, 1)
    assert (first.num_rows, first.column_names) == (0, ["name", "amount"])
    assert first.schema.field("amount").type == pa.float64()
    for index in (1, 2, 3):
        lived_data.write(series, index, tmp_path / "lake", lived.delivered(index))
    table = DeltaTable(str(tmp_path / "lake" / "late"))
    assert (table.version(), table.to_pyarrow_table().num_rows) == (2, 0)
    assert [field.name for field in table.schema().fields] == ["name", "amount"]


def test_the_benchmark_survives_odd_series_and_writes_every_field(tmp_path, monkeypatch):
    data = tmp_path / "data"
    window = {"start": 1, "end": 34, "inside": []}
    wrong = {
        "index": 36,
        "index_end": 36,
        "columns": ["amount"],
        "severity": "column",
        "kind": "unit",
        "documented": True,
    }
    _series(data / "histories" / "usual", 37, windows=[window], incidents=[wrong])
    _series(data / "histories" / "gaps", 33, windows=[window], empty=(5, 32))
    _series(data / "histories" / "short", 3, windows=[])
    target = tmp_path / "out.json"
    methods = ["ours", "deequ_batch_normal", "deequ_online_normal", "ours_1", "avh"]
    arguments = [
        "avh",
        "--data",
        data,
        "--json",
        target,
        "--cache",
        tmp_path / "cache",
        "--history",
        "7,30",
        "--methods",
        ",".join(methods[:2]),
        *methods[2:],
    ]
    monkeypatch.setattr(sys, "argv", [str(a) for a in arguments])
    avh.main()
    report = json.loads(target.read_text())
    assert set(report["methods"]) == set(methods)
    assert all(m.keys() >= FIELDS | {"f1", "numeric", "categorical"} for m in report["methods"].values())
    ours = report["methods"]["ours"]
    assert ours["clean_pairs"] == 2 * (4 + 2)
    assert ours["column_fpr"] == 0
    assert ours["synthetic_by_type"]["unit_change"] == 1
    assert ours["incident_recall"] == 1
    assert report["by_history"]["7"]["ours"]["clean_pairs"] == ours["clean_pairs"]
    assert report["clauses_by_type"]["volume"]["row_count"] >= 0.5
    assert {row["rows"] for row in report["latency"]} == {10_000, 100_000, 1_000_000}


def test_reliability_counts_the_alarms_that_each_budget_would_have_raised():
    rows = reliability([(0.2, 5)] * 90 + [(0.99, 5)] * 9 + [(1.5, 5)], 0.001)
    assert [r["observed"] for r in rows] == sorted(r["observed"] for r in rows)
    assert rows[1]["observed"] == pytest.approx(0.01)
    assert rows[-1]["observed"] == pytest.approx(0.1)


def test_executions_of_real_rows_hold_nothing_but_these_rows():
    table = pa.table({"a": list(range(400)), "b": [f"v{i}" for i in range(400)]})
    for seed in range(8):
        made = executions(table, np.random.default_rng(seed), 20)
        assert len(made) == 20
        for one in made:
            assert 20 <= one.num_rows <= 400
            assert all(f"v{a}" == b for a, b in zip(one["a"].to_pylist(), one["b"].to_pylist(), strict=True))


def test_a_source_whose_report_was_looked_at_is_reported_no_more(tmp_path, monkeypatch):
    names = [f"owner/{k}" for k in range(40)]
    for name in names:
        folder = tmp_path / "data" / "histories2" / name.replace("/", "_")
        folder.mkdir(parents=True)
        (folder / "incidents.json").write_text("{}")
        (folder / "manifest.json").write_text(json.dumps({"repo": name}))
    looked = tmp_path / "looked.csv"
    looked.write_text("date,source,code,what\n")
    monkeypatch.setattr(split, "LOOKED", looked)
    monkeypatch.setattr(split, "product_code", lambda: "one")
    parts = {part: split.series_folders(tmp_path / "data", part) for part in (split.FIT, split.TUNE, split.REPORT)}
    assert sorted(split.source_of(f) for folders in parts.values() for f in folders) == sorted(names)
    first, *rest = parts[split.REPORT]
    for _ in range(2):  # the same look is written once
        split.look([first], "lived", looked)
    assert split.series_folders(tmp_path / "data", split.REPORT) == [first, *rest]  # as often as wanted on this code
    assert len(split.looks(looked)) == 1
    monkeypatch.setattr(split, "product_code", lambda: "two")
    assert split.series_folders(tmp_path / "data", split.REPORT) == rest
    assert first in split.series_folders(tmp_path / "data", split.TUNE)


def test_a_rate_is_as_sure_as_its_sources_agree():
    alike = split.by_source({f"s{k}": (2, 100) for k in range(8)})
    apart = split.by_source({f"s{k}": (16 if k == 0 else 0, 100) for k in range(8)})
    assert alike["rate"] == apart["rate"] == 0.02
    assert alike["high"] - alike["low"] == pytest.approx(0)
    assert apart["high"] >= 0.04
    assert min(apart["without"].values()) == 0


@pytest.mark.parametrize("optimistic", [1.0, 1.5])
def test_a_lake_raises_as_many_false_alarms_a_week_as_its_budget_allows(optimistic):
    rng = np.random.default_rng(0)

    def version() -> weekly.Said:
        p = rng.uniform(size=10) / optimistic  # rates that are stated too low make small p-values too frequent
        return weekly.Said([(float(x), 0.01) for x in p if x <= 0.01], 0.0, 0.1, clean=True)

    lives = [[version() for _ in range(150)] for _ in range(12)]
    found = {budget: weekly.one_lake(lives, budget, np.random.default_rng(1))["false_a_week"] for budget in (1.0, 4.0)}
    assert weekly.one_lake(lives, None, np.random.default_rng(1))["false_a_week"] > 6
    assert all(budget / 2 <= raised <= 1.5 * budget for budget, raised in found.items()), found


def test_what_is_told_of_another_column_is_not_the_fault_that_was_put_in(tmp_path) -> None:
    fault = {"index": 20, "index_end": 20, "columns": ["a"], "severity": "column", "kind": "nulls", "documented": False}
    series = lived_data.Series("t", tmp_path, ["2026-01-01"] * 20, [], [fault | {"scope": "transient"}])

    columns = [["a", "bigint"], ["b", "string"]]
    body = {"params": {"columns": columns}}
    rule = RuleRow(table_id=1, kind="schema", learner="", fingerprint="", fpr=0.0, sentence="", body=body)

    def seen(*now: tuple[str, str]) -> bool:
        detail = {"observed": {"damage": list(broken(columns, [list(one) for one in now]).values())}}
        outcome = Outcome(table_id=1, version=19, rule_id=1, status="violated", sentence="", detail=detail)
        told = lived.Alarm("t", 20, None, "schema", "", about=lived._damaged_columns(outcome, rule))
        return bool(lived.figures([series], [told], 15)["incidents_seen"])

    assert seen(("b", "string"))
    assert seen(("a", "double"), ("b", "string"))
    assert not seen(("a", "bigint"))
    new = lived.Alarm("t", 20, None, lived.TOLD, "New: c.", about=("c",))
    assert lived.figures([series], [new], 15)["incidents_seen"] == 0
    assert lived.figures([series], [lived.Alarm("t", 20, None, "volume", "")], 15)["incidents_seen"] == 1


def test_alarms_outside_of_clean_windows_are_answered_false_though_they_do_not_count(tmp_path) -> None:
    series = lived_data.Series("t", tmp_path, ["2026-01-01"] * 22, [], [])
    alarms = [lived.Alarm("t", 17, "a", "history", ""), lived.Alarm("t", 18, None, lived.TOLD, "New: b.")]
    told = lived.figures([series], alarms, 15)
    assert (told["versions_with_false_alarm"], told["answered_false_a_week"]) == (0, 1.0)


def test_the_catalog_lives_by_the_clock_of_the_lake() -> None:
    with lived.clocked():
        lived.Clock.begin(40)
        assert now().date() == lived.delivered(40).date()
    assert now().date() != lived.delivered(40).date()


def test_how_full_columns_are_is_counted_by_what_was_missing_and_what_was_there() -> None:
    def past(*shares: float) -> list[dict[str, float]]:
        return [{"row_count": 400.0, "complete_ratio": one, "filled_ratio": one} for one in shares]

    counts: Counter[str] = Counter()
    steps(past(*[0.5] * 15, 0.625), counts)
    steps(past(*[0.5] * 15, 0.375), counts)
    steps(past(*[1.0] * 15, 0.5), counts)  # it was full
    assert counts["batches"] == 4
    assert (counts["filled, 0.2 of what is missing"], counts["filled, 0.5 of what is missing"]) == (1, 0)
    assert (counts["emptied, 0.2 of what is there"], counts["emptied, 0.5 of what is there"]) == (1, 0)
    assert told(past(*[0.5] * 20, 0.3), counts) == {20}
    assert counts["judged"] == 6
    assert counts["told, 0.2 missing"] == counts["partly filled"] == 6


def test_true_changes_that_somebody_read_are_answered_so(tmp_path, monkeypatch) -> None:
    said = tmp_path / "changes.csv"
    said.write_text("list,table,version,columns,what\nninth,t,1.2,a b,two columns filled\nninth,t,1.3,*,all of it\n")
    monkeypatch.setattr(lived_data, "CHANGES", said)
    items = [{"version": f"1.{n}", "date": "2026-01-01"} for n in range(1, 5)]
    folder = tmp_path / "t"
    folder.mkdir()
    fault = {"index": 3, "index_end": 3, "columns": ["c"], "severity": "column", "scope": "transient"}
    (folder / "manifest.json").write_text(json.dumps({"first": "2026-01-01", "items": items, "repo": "x/y"}))
    (folder / "incidents.json").write_text(json.dumps({"incidents": [fault], "clean_windows": []}))
    for index in range(1, 5):
        pq.write_table(pa.table({"a": ["x"]}), folder / f"{index:04d}.parquet")
    read, unread = lived_data.read_series(folder), lived_data.read_series(folder, labelled=False)
    asked = [(1, "a"), (2, "a"), (2, "c"), (2, None), (3, "a"), (3, "c")]
    true, false = feedback.EXPECTED, feedback.FALSE_ALARM
    right = [false, true, false, true, true, "MissingData"]
    assert [read.answer(*one) for one in asked] == right
    assert {unread.answer(*one) for one in asked[:-1]} == {feedback.FALSE_ALARM}
    steward = lived.Steward(wrong=1.0)
    steward.hear(7, 2, feedback.EXPECTED)
    assert steward.waiting == {7: (2, feedback.FALSE_ALARM)}


def test_a_warning_that_becomes_an_alarm_is_told_then() -> None:
    steward = lived.Steward(late=2)
    one = Incident(id=7, table_id=1, kind="history", column_name="a", outcome_id=1, first_version=1, last_version=1,
                   level="warning", sentence="")  # fmt: skip
    steward.hear(7, 1, feedback.FALSE_ALARM)
    assert steward.is_told([one]) == set()
    one.level = "error"
    assert [steward.is_told([one]) for _ in range(2)] == [{("history", "a")}, set()]


def test_labels_of_true_changes_name_tables_of_lists() -> None:
    with lived_data.CHANGES.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert all(row["table"] in CARRIED[row["list"]] and row["version"] and row["what"] for row in rows)
    assert len({(row["table"], row["version"]) for row in rows}) == len(rows)
