"""A catalog of a shop's lake as a crawl leaves it, made through the store's own functions; some of it is hostile."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import pyarrow as pa
from singly import record_outcome, upsert_table
from sqlalchemy import Engine
from sqlmodel import Session

from catalog.errors import CorruptLog
from catalog.history.series import TableMetrics, observe_metrics
from catalog.learners.series.history import learn_column
from catalog.rules.rule import Rule
from catalog.rules.verdict import PASSED, VIOLATED, Verdict
from catalog.states.folding.fold import fold
from catalog.states.table import TableState
from catalog.store import runs
from catalog.store.engine import session
from catalog.store.expectations import rules
from catalog.store.incidents import outcomes
from catalog.store.lake import sources, tables, versions
from catalog.store.meaning import tags
from catalog.store.models import RuleRow
from catalog.tags.proposal import TagProposal

HOSTILE = "<script>alert('x')</script>"
HOSTILE_TABLE = f'web/{HOSTILE}"><img src=x onerror=alert(1)>\u202e'
SECRET = "carla.jimenez@mail.example"  # noqa: S105 - a person's address, not a password
VERSIONS = 36


def profile(
    rows: int, nulls: int, distinct: int, low: str, high: str, top: list[list[Any]], **more: Any
) -> dict[str, Any]:
    figures = {"rows": rows, "nulls": nulls, "empties": 0, "nans": 0, "distinct": distinct, "distinct_exact": True}
    return {
        "kind": "string",
        **figures,
        "metrics": {"complete_ratio": 1 - nulls / rows},
        "low": low,
        "high": high,
        "top": top,
        **more,
    }


ORDERS = {
    "order_id": (
        "bigint",
        profile(
            48211, 0, 48211, "1", "48211", [], kind="number", quartiles=[2411.0, 12053.0, 24106.0, 36159.0, 45801.0]
        ),
    ),
    "customer_email": (
        "string",
        profile(
            48211,
            12,
            9120,
            "a.b@mail.example",
            "zoe@mail.example",
            [[SECRET, 41]],
            shapes=[["aaaa.aaaa@aaaa.aaa", 31211], ["aaa@aaaa.aaa", 9100]],
        ),
    ),
    "placed_on": (
        "string",
        profile(
            48211,
            0,
            212,
            "2026-04-01",
            "2026-10-29",
            [["2026-10-23", 611], ["2026-10-16", 604]],
            shapes=[["0000-00-00", 47880], ["00/00/0000", 331]],
        ),
    ),
    "status": (
        "string",
        profile(
            48211,
            0,
            4,
            "cancelled",
            "shipped",
            [["shipped", 40110], ["open", 6101], ["cancelled", 1600], ["returned", 400]],
        ),
    ),
    "total_amount": (
        "decimal(10,2)",
        profile(48211, 96, 20114, "0.99", "1899.00", [], kind="number", quartiles=[4.99, 19.9, 42.5, 88.0, 310.0]),
    ),
    "ordered_at": (
        "timestamp",
        profile(
            *(48211, 0, 48199, "2026-04-01 00:00:12.100000+00:00", "2026-10-29 23:59:01.217000+00:00"),
            [["2026-10-23 12:00:00.123000+00:00", 2]],
            kind="time",
            quartiles=[1.7750e15, 1.7800e15, 1.7850e15, 1.7900e15, 1.7950e15],
        ),
    ),
    HOSTILE: ("string", profile(48211, 48000, 3, HOSTILE, HOSTILE, [[HOSTILE, 200]])),
}


def proposal(domain: str, title: str, share: float, sensitive: bool) -> TagProposal:
    evidence = {
        "pattern": "<letter>+@<letter>+",
        "checked": "validator",
        "rivals": [{"domain": "url", "score": 0.01, "match_share": 0.1}],
    }
    return TagProposal(
        domain=domain,
        title=title,
        score=round(share * 0.98, 3),
        match_share=share,
        sensitive=sensitive,
        evidence=evidence,
    )


def batch_at(number: int) -> TableState:
    """A batch of orders: euros became cents at version 33, addresses were lost at version 34."""
    wave = 2.5 * math.sin(2 * math.pi * number / 7)
    places = range(rows_at(number))
    amounts = [round((48 + wave + (i * 37 % 41 - 20) / 2) * (100 if number == 33 else 1), 2) for i in places]
    addresses = [None if number == 34 and i % 100 > 40 else f"user{i * 7 % 600}@mail.example" for i in places]
    return fold(pa.table({"total_amount": amounts, "customer_email": addresses}))


def judged_numbers() -> list[int]:
    """Versions that change data."""
    return [number for number in range(VERSIONS) if number % 14 != 13]


@cache
def series() -> dict[int, TableMetrics]:
    """The metrics of every batch, each against the last healthy one."""
    found: dict[int, TableMetrics] = {}
    previous: TableState | None = None
    for number in judged_numbers():
        state = batch_at(number)
        found[number] = observe_metrics(state, previous)
        previous = previous if number in (33, 34) else state
    return found


def history_rule(column: str, kind: str) -> Rule:
    """What the first ten batches teach."""
    past = [series()[number].columns[column] for number in range(10)]
    rule = learn_column(past, column=column, kind=kind, budget=0.001)
    assert rule is not None
    return rule


def fill(engine: Engine) -> dict[str, int]:
    """Write the catalog; returns ids of things that tests ask for."""
    with session(engine) as db:
        lake = sources.add_source(db, "shop", "/data/shop", include=["*"], exclude=["*/tmp_*"])
        sources.add_source(db, "archive", "s3://archive/lake")
        assert lake.id is not None
        names = ["sales/orders", "sales/order_items", "crm/customers", "stock/levels", HOSTILE_TABLE, "web/events"]
        names += [f"staging/load_{number:03}" for number in range(70)]
        ids = {name: upsert_table(db, lake.id, name, f"/data/shop/{name}").id or 0 for name in names}
        ids["lake"] = lake.id
        for name in names[1:]:
            plain(db, ids[name], name)
        tables.mark_error(db, ids["web/events"], CorruptLog("commit 7 of 'web/events' is not JSON"))
        orders(db, ids["sales/orders"], ids)
        crawls(db, lake.id, ids)
    return ids


def plain(db: Session, table_id: int, name: str) -> None:
    """A small table with one hostile column."""
    moment = datetime.now(UTC) - timedelta(hours=3)
    columns = [["id", "bigint"], [f"note{HOSTILE}", "string"]]
    tables.set_columns(db, table_id, columns)
    tables.set_profile(db, table_id, {"id": profile(100, 0, 100, "1", "100", [], kind="number")})
    tables.update_table(
        db,
        table_id,
        rows=100,
        bytes=123456,
        files=2,
        seen_version=1,
        judged_version=1,
        status="watched",
        changed_at=moment,
        learned_at=moment,
    )
    row = {"number": 0, "committed_at": moment, "operation": "WRITE", "batch": "snapshot", "files_added": 2}
    versions.record_versions(db, table_id, [row])
    if name == HOSTILE_TABLE:
        demand = Rule(
            "schema",
            None,
            {"columns": columns},
            0.0001,
            f"Columns stay: id, {HOSTILE}.",
            "schema",
            {"versions": HOSTILE},
        )
        rules.put_rules(db, table_id, [demand], learners=["schema"], since_version=0)


def orders(db: Session, table_id: int, ids: dict[str, int]) -> None:
    """A table of increments with a weekly cycle, three rules that broke and one that did not."""
    start = datetime.now(UTC) - timedelta(days=VERSIONS, minutes=7)
    columns = tables.set_columns(db, table_id, [[name, kind] for name, (kind, _) in ORDERS.items()])
    tables.set_profile(db, table_id, {name: figures for name, (_, figures) in ORDERS.items()})
    by_name = {column.name: column.id or 0 for column in columns}
    ids["time"] = by_name["ordered_at"]
    ids["email"], ids["status"] = by_name["customer_email"], by_name["status"]
    mail, date = proposal("email", "E-mail address", 0.9998, True), proposal("date.iso", "ISO date", 0.99, False)
    tags.put_table_tags(db, {by_name["customer_email"]: [mail], by_name["placed_on"]: [date]}, VERSIONS)
    info = {"userName": "etl", "engineInfo": "Spark/4.2", "operationParameters": {"mode": "Append", "note": HOSTILE}}
    rows = [
        {
            "number": number,
            "committed_at": start + timedelta(days=number),
            "operation": "OPTIMIZE" if number % 14 == 13 else "MERGE" if number % 9 == 8 else "WRITE",
            "commit_info": info,
            "batch": "none" if number % 14 == 13 else "increment",
            "files_added": 1,
            "files_removed": 8 if number % 14 == 13 else 0,
            "schema_columns": [[name, kind] for name, (kind, _) in ORDERS.items()],
            "batch_rows": rows_at(number),
        }
        for number in range(VERSIONS)
    ]
    versions.record_versions(db, table_id, [{k: v for k, v in row.items() if k != "batch_rows"} for row in rows])
    for row in rows:
        if row["batch"] != "none":
            metrics = series()[row["number"]]
            versions.set_version(db, table_id, row["number"], batch_rows=metrics.rows, metrics=metrics.encode())
        versions.mark_judged(db, table_id, row["number"])
    tables.update_table(
        db,
        table_id,
        rows=48211,
        bytes=31 * 2**20,
        files=37,
        mode="increment",
        seen_version=VERSIONS - 1,
        status="watched",
        changed_at=start + timedelta(days=VERSIONS - 1),
        learned_at=start,
        partition_columns=["status"],
        properties={"description": f"Orders {HOSTILE}", "minReaderVersion": 1},
    )
    learned = [
        Rule(
            "pattern",
            "placed_on",
            {"program": ["<digit>{4}-<digit>{2}-<digit>{2}"]},
            0.0004,
            "Every value is <digit>{4}-<digit>{2}-<digit>{2}.",
            "fmdv",
            {"evidence_columns": 212, "coverage": 0.08},
        ),
        history_rule("total_amount", "number"),
        history_rule("customer_email", "string"),
        Rule(
            "volume",
            None,
            {"metric": "row_count"},
            0.0003,
            "Between 600 and 2,000 rows arrive.",
            "avh",
            {"versions": 20},
            level="warning",
        ),
        Rule("schema", None, {"columns": []}, 0.0001, "The columns and their types stay.", "schema"),
        Rule(
            "vocabulary",
            "status",
            {"values": ["open", "shipped"]},
            0.0001,
            "Values come from a vocabulary of 4.",
            "fmdv",
            level="warning",
        ),
    ]
    known = {"clauses": [{"kind": "value", "accepted": [SECRET], "theta": 0.1}]}
    learned.append(
        Rule("vocabulary", "customer_email", known, 0.0001, "Few addresses come.", "fmdv", {"shapes": [SECRET]})
    )
    rules.put_rules(db, table_id, learned, learners=["fmdv", "avh", "history", "schema"], since_version=9)
    active = {(row.kind, row.column_name): row for row in rules.active_rules(db, table_id)}
    ids["rule"] = active["pattern", "placed_on"].id or 0
    ids["private rule"] = active["vocabulary", "customer_email"].id or 0
    judge(db, table_id, active, ids)


def rows_at(number: int) -> int:
    return round(1100 + 12 * number + 260 * math.sin(2 * math.pi * number / 7))


def judge(db: Session, table_id: int, active: dict[tuple[str, str], RuleRow], ids: dict[str, int]) -> None:
    """What the rules said of versions 10 and later; three of them broke at the end."""
    rows = [
        {"order_id": 48000 + i, "customer_email": SECRET, "placed_on": f"0{i + 1}/10/2026", HOSTILE: HOSTILE}
        for i in range(6)
    ]
    for number in (n for n in range(10, VERSIONS) if n % 14 != 13):
        wave = math.sin(2 * math.pi * number / 7)
        volume = rows_at(number)
        late = number >= 32
        told = {
            ("pattern", "placed_on"): verdict(
                late,
                f"{'6 of' if late else 'None of'} {volume} values of placed_on do not match.",
                "nonconforming",
                0.27 if late else 0.001 * (1 + wave),
                None,
                0.01,
            ),
            ("history", "total_amount"): from_history(active["history", "total_amount"], number),
            ("history", "customer_email"): from_history(active["history", "customer_email"], number),
            ("volume", ""): verdict(False, f"{volume} rows arrived.", "row_count", float(volume), 600.0, 2000.0),
            ("schema", ""): Verdict(PASSED, "The columns are as before."),
            ("vocabulary", "status"): Verdict(PASSED, "All values are known."),
        }
        for key, said in told.items():
            rule = active[key]
            offending = rows if said.status == VIOLATED and key[0] == "pattern" else None
            row = outcomes.outcome_row(table_id, number, rule.id or 0, said, rows=offending)
            kept = record_outcome(db, row)
            assert kept is not None
            if said.status == VIOLATED:
                incident, _ = outcomes.open_or_update_incident(db, kept)
                ids.setdefault(f"incident {key[0]} {key[1]}", incident.id or 0)
    old = ids["incident history customer_email"]
    outcomes.resolve(db, old, "MissingData", actor="page", comment=f"The export of the shop {HOSTILE} was cut off.")


def from_history(row: RuleRow, number: int) -> Verdict:
    """What a rule of history says of a batch, from the metrics of it and of the healthy ones before."""
    earlier = [series()[n].columns[row.column_name] for n in judged_numbers() if n < number and n not in (33, 34)]
    return rules.as_rule(row).judge_metrics(series()[number].columns[row.column_name], earlier)


def verdict(broken: bool, sentence: str, metric: str, value: float, low: float | None, high: float | None) -> Verdict:
    observed: dict[str, Any] = {metric: value}
    if broken:
        observed |= {"shapes_before": [["0-0-0", 1100]], "shapes_now": [["0-0-0", 1365], ["0/0/0", 6]]}
    status = VIOLATED if broken else PASSED
    return Verdict(status, sentence, observed, {metric: [low, high]}, metric, value, low, high)


def crawls(db: Session, source_id: int, ids: dict[str, int]) -> None:
    """A run in each state."""
    done = runs.queue_run(db, "crawl", "shop", source_id=source_id)
    runs.start_run(db, done.id or 0)
    runs.finish_run(db, done.id or 0, {"tables": 76, "columns": 158, "files": 190, "seconds": 14.2})
    failed = runs.queue_run(db, "crawl", f"web {HOSTILE}", table_id=ids["web/events"])
    runs.start_run(db, failed.id or 0)
    runs.fail_run(db, failed.id or 0, CorruptLog(f"commit 7 is not JSON {HOSTILE}"))
    going = runs.queue_run(db, "crawl", "shop", source_id=source_id)
    runs.start_run(db, going.id or 0)
    runs.progress(db, going.id or 0, 31, 120, "scanning files")
    waiting = runs.queue_run(db, "crawl", "archive")
    ids["run"], ids["waiting"], ids["failed"] = going.id or 0, waiting.id or 0, failed.id or 0
