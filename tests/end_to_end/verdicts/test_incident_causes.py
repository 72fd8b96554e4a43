"""What breaks in one version for one cause is one incident with its cause, from the lake to the command line."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from deltalake import write_deltalake
from typer.testing import CliRunner

from catalog.cli.app import app
from catalog.damage import DAMAGE_KINDS
from catalog.demo.lake import date_commit
from catalog.errors import UsageError
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source, crawl_tables
from catalog.flow.reading.sources import add_source
from catalog.store.incidents import causes, outcomes
from catalog.store.lake import tables
from catalog.store.meaning import privacy
from catalog.store.models import Incident, LakeColumn
from catalog.store.pages import home, work

pytestmark = pytest.mark.spark

START = datetime(2026, 1, 5, 6, tzinfo=UTC)
DAYS = 12


def day(number: int) -> dict[str, list]:
    rng = np.random.default_rng([3, number])
    opened = [START + timedelta(days=number, hours=float(h)) for h in rng.normal(7, 2, 500).clip(0, 14)]
    return {
        "payment": [f"PAY-{number:03d}-{k:04d}" for k in range(500)],
        "amount": np.round(rng.lognormal(4, 0.4, 500), 2).tolist(),
        "fee": np.round(rng.lognormal(1, 0.3, 500), 2).tolist(),
        "state": [str(v) for v in rng.choice(["shipped", "packed", "returned"], 500, p=[0.6, 0.3, 0.1])],
        "opened": opened,
    }


def deliver(root: Path, number: int, rows: dict[str, list]) -> None:
    for table in ("payments", "refunds"):
        path = root / table
        write_deltalake(str(path), pa.table(rows), mode="append")
        date_commit(path, number, START + timedelta(days=number))


def damaged(rows: dict[str, list], key: str, *columns: str) -> dict[str, list]:
    rng = np.random.default_rng(1)
    return rows | {name: DAMAGE_KINDS[key].damage(rows[name], rng) for name in columns}


@pytest.fixture
def lake(context: Context, tmp_path: Path) -> tuple[Context, Path, dict[str, int]]:
    """Two tables alike with a healthy past, crawled."""
    root = tmp_path / "lake"
    for number in range(DAYS):
        deliver(root, number, day(number))
    crawl_source(context, add_source(context, "lake", str(root)).id or 0)
    with context.reading() as session:
        ids = {table.name: table.id for table in tables.every_table(session)}
    return context, root, ids


def incidents(context: Context, table_id: int | None = None) -> list[Incident]:
    with context.reading() as session:
        return [item.Incident for item in work.find_incidents(session, status="open", table_id=table_id).items]


def test_a_cause_of_several_columns_is_one_incident(lake: tuple[Context, Path, dict[str, int]]) -> None:
    context, root, ids = lake
    deliver(root, DAYS, damaged(day(DAYS), "scale_100", "amount", "fee"))
    deliver(root, DAYS + 1, damaged(day(DAYS + 1), "scale_100", "amount", "fee"))
    crawl_tables(context, list(ids.values()))
    (one,) = incidents(context, ids["payments"])
    assert (one.cause, one.columns) == ("scale", ["amount", "fee"])
    assert one.sentence.startswith("Amounts in `payments.amount` and `payments.fee` are about 100 times")
    assert one.sentence.endswith("Probably cents.")
    assert one.diagnosis["undo"] == "divide by 100"
    assert "metrics are back in their expected ranges" in one.diagnosis["proof"]
    assert (one.first_version, one.last_version) == (DAYS, DAYS + 1)
    with context.reading() as session:
        rows = [i for i in causes.members(session, one) if i.table_id == one.table_id]
        assert {i.column_name for i in rows} == {"amount", "fee"}
        assert len(causes.details(session, one)) >= 4  # two columns in two versions
        assert home.totals(session)["open"] == len(incidents(context))
        assert work.find_incidents(session, status="open", table_id=ids["payments"]).total == 1
        first = next(said for said, rule in causes.details(session, one) if rule.column_name == "amount")
        amounts = [row["amount"] for row in first.rows or []]
        low, high = first.detail["offenders"]["outside"]
        beyond = [a for a in amounts if not low <= a <= high]
        assert beyond == amounts[: len(beyond)]  # those out of the usual range come first,
        assert 0 < len(amounts) - len(beyond) <= 3 or min(amounts) > high  # usual ones beside them, if there are any
        figures = causes.distribution(one)
        assert [name for name, _, _ in figures][3] == "median"
    _answered(context, one)


def _answered(context: Context, one: Incident) -> None:
    """One answer answers all rows; the cause can be corrected, and that is counted; taking it back opens all."""
    with context.transaction() as session:
        outcomes.resolve(session, one.id, "OutOfBounds", actor="ann")
        causes.correct_cause(session, outcomes.get_incident(session, one.id), "decimal_mark", actor="ann")
        with pytest.raises(UsageError, match="is no cause"):
            causes.correct_cause(session, outcomes.get_incident(session, one.id), "ghosts", actor="ann")
    assert incidents(context, one.table_id) == []
    with context.reading() as session:
        rows = causes.members(session, outcomes.get_incident(session, one.id))
        assert {i.status for i in rows} == {"resolved"}
        judged = causes.judged_causes(session)["scale"]
        assert (judged["resolved"], judged["corrected"]) == (1, 1)
    with context.transaction() as session:
        outcomes.reopen(session, one.id, actor="ann")
    (again,) = incidents(context, one.table_id)
    assert again.id == one.id


def test_two_causes_are_two_incidents_and_a_clean_version_is_none(lake: tuple[Context, Path, dict[str, int]]) -> None:
    context, root, ids = lake
    deliver(root, DAYS, day(DAYS))
    crawl_tables(context, list(ids.values()))
    assert incidents(context) == []
    rows = damaged(damaged(day(DAYS + 1), "sign", "amount"), "typo", "state")
    deliver(root, DAYS + 1, rows)
    crawl_tables(context, list(ids.values()))
    found = {one.cause: one for one in incidents(context, ids["payments"])}
    assert set(found) == {"sign", "typo"}
    assert "looks like" in found["typo"].sentence


def test_the_command_line_tells_the_story_in_twenty_lines(
    lake: tuple[Context, Path, dict[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    context, root, ids = lake
    deliver(root, DAYS, damaged(day(DAYS), "scale_100", "amount"))
    crawl_tables(context, list(ids.values()))
    (one,) = incidents(context, ids["payments"])
    monkeypatch.setenv("ASSAY_HOME", str(context.settings.home))
    monkeypatch.setattr("catalog.cli.rules.incident.context", lambda: context)
    monkeypatch.setenv("COLUMNS", "100")
    shown = CliRunner().invoke(app, ["incident", "show", str(one.id)])
    assert shown.exit_code == 0, shown.output
    lines = shown.output.rstrip().splitlines()
    assert len(lines) <= 20
    assert max(map(len, lines)) <= 100
    said = " ".join(" ".join(lines[:2]).split())
    assert said.startswith(
        "Amounts in `payments.amount` are about 100 times their usual size and have lost their decimals"
    )
    told = json.loads(CliRunner().invoke(app, ["incident", "show", str(one.id), "--json"]).output)
    assert told["cause"] == "scale"
    assert told["columns"] == ["amount"]
    assert told["undo"] == "divide by 100"
    assert told["confidence"] > 0.9
    assert told["sentence"] == one.sentence


def test_what_turns_out_to_be_sensitive_is_said_no_more(lake: tuple[Context, Path, dict[str, int]]) -> None:
    context, root, ids = lake
    deliver(root, DAYS, damaged(day(DAYS), "typo", "state"))
    crawl_tables(context, list(ids.values()))
    (one,) = incidents(context, ids["payments"])
    assert "looks like" in one.sentence
    with context.transaction() as session:
        columns = tables.list_columns(session, ids["payments"])
        column: LakeColumn = next(c for c in columns if c.name == "state")
        column.sensitive = True
        session.add(column)
        session.flush()
        privacy.follow(session, [column.id or 0])
    (one,) = incidents(context, ids["payments"])
    assert one.sentence == "`payments.state`: misspelt values. Figures are hidden: sensitive column."
    assert one.diagnosis["size"] == {}


def test_a_day_off_in_the_only_time_is_told_from_the_lake(context: Context, tmp_path: Path) -> None:
    """Batches say when their readings were taken, every half hour of a day; one has those of the day after."""

    def readings(number: int, of: int | None = None) -> pa.Table:
        rng = np.random.default_rng([5, number])
        day = START.replace(hour=0) + timedelta(days=number if of is None else of)
        at = [day + timedelta(minutes=30 * (k % 48)) for k in range(480)]
        return pa.table(
            {"at": at, "kwh": rng.lognormal(0, 0.4, 480), "firm": [f"F{v}" for v in rng.integers(0, 9, 480)]}
        )

    path = tmp_path / "lake" / "meters"
    for number in range(20):
        write_deltalake(str(path), readings(number), mode="append")
        date_commit(path, number, START + timedelta(days=number))
    crawl_source(context, add_source(context, "lake", str(tmp_path / "lake")).id or 0)
    with context.reading() as session:
        (table,) = tables.every_table(session)
    for number, delivered in ((20, 20), (21, 22), (22, 22)):
        write_deltalake(str(path), readings(number, delivered), mode="append")
        date_commit(path, number, START + timedelta(days=number))
        crawl_tables(context, [table.id or 0])
    (one,) = incidents(context)
    assert (one.first_version, one.last_version) == (21, 21)
    assert (one.cause, one.columns) == ("days_moved", ["at"])
    assert "1 day later" in one.sentence


def test_a_search_for_causes_that_fails_leaves_the_verdict(
    lake: tuple[Context, Path, dict[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    context, root, ids = lake

    def fails(*args: object, **named: object) -> list[object]:
        raise TypeError

    monkeypatch.setattr("catalog.flow.checking.arriving.diagnose", fails)
    deliver(root, DAYS, damaged(day(DAYS), "scale_100", "amount"))
    crawl_tables(context, list(ids.values()))
    (found,) = incidents(context, ids["payments"])
    assert (found.column_name, found.cause, found.first_version) == ("amount", "", DAYS)
