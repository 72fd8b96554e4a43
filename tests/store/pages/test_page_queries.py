"""The queries behind the pages answer alike on both databases, with every filter."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from singly import put_tags
from sqlmodel import Session

from catalog.errors import CorruptLog
from catalog.rules.rule import Rule
from catalog.rules.verdict import PASSED, VIOLATED, Verdict
from catalog.store import runs
from catalog.store.expectations import rules
from catalog.store.incidents import causes, outcomes
from catalog.store.lake import batches, sources, tables, versions
from catalog.store.meaning import privacy
from catalog.store.models import RuleRow, Table, now
from catalog.store.pages import columns, home, work
from catalog.store.pages import rules as rule_pages
from catalog.store.pages import tables as table_pages
from catalog.store.pages.tables import TableFilter
from catalog.store.schemas.lake import VersionOut
from catalog.store.schemas.listing import listing
from catalog.tags.proposal import TagProposal

EMAIL = TagProposal("email", "E-mail address", 0.9, 1.0, True, {})
PATTERN = Rule("pattern", "mail", {"pattern": "a+"}, 0.25, "Keeps to 100% a+.", "fmdv")
GOOD, BAD = Verdict(PASSED, "All match.", value=1.0), Verdict(VIOLATED, "3 rows do not match.", value=0.9)


@pytest.fixture
def table(db: Session) -> Table:
    """A lake of three tables; `orders` has tags, rules, versions, outcomes, an open incident."""
    source = sources.add_source(db, "lake", "/lake")
    orders, broken, _ = sources.upsert_tables(db, source.id, [(name, "/" + name) for name in ("a_orders", "b", "c")])
    tables.mark_error(db, broken.id, CorruptLog("no JSON"))
    tables.update_table(db, orders.id, rows=10, bytes=1000, status="watched", changed_at=now())
    mail = tables.set_columns(db, orders.id, [["id", "long"], ["mail", "string"]])[1]
    put_tags(db, mail.id, [EMAIL], 1)
    rules.put_rules(db, orders.id, [PATTERN, replace(PATTERN, column="id")], learners="fmdv", since_version=0)
    start = datetime(2024, 1, 1, tzinfo=UTC)
    known = [{"number": n, "committed_at": start + timedelta(days=n), "batch": "snapshot"} for n in range(4)]
    versions.record_versions(db, orders.id, [{**one, "commit_info": {"batch": "append"}} for one in known])
    for number in range(1, 4):
        said = [
            outcomes.outcome_row(orders.id, number, row.id, BAD if number == 2 and row.column_name else GOOD)
            for row in rules.active_rules(db, orders.id)
        ]
        new = outcomes.record_outcomes(db, said)
        for one in new:
            if one.status == VIOLATED and db.get_one(RuleRow, one.rule_id).column_name == "mail":
                outcomes.open_or_update_incident(db, one)
        outcomes.mark_passed(db, new)
        versions.mark_judged(db, orders.id, number)
        versions.set_version(db, orders.id, number, metrics=b"m", batch_rows=5)
    runs.start_run(db, runs.queue_run(db, "crawl", source_id=source.id).id)
    db.flush()
    db.expire_all()
    return orders


def test_home(db: Session, table: Table) -> None:
    assert home.navigation(db) == {"incidents": 1, "runs": 1, "waiting": 0}
    totals = home.totals(db)
    assert totals["statuses"] == {
        "new": 1,
        "learning": 0,
        "empty": 0,
        "watched": 1,
        "error": 1,
        "vanished": 0,
        "excluded": 0,
    }
    assert (totals["rows"], totals["bytes"], totals["columns"]) == (10, 1000, 2)
    assert totals["judged_day"] == {"passed": 4, "violated": 2}
    assert (totals["false_alarms_month"], totals["false_alarms_expected"]) == (0, 1.5)
    assert totals["rules"] == {"active": 2}
    assert totals["tags"] == {"proposed": 1}
    assert [one.table.name for one in home.troubled_tables(db)] == ["b"]
    days = home.daily_outcomes(db, days=3)
    assert days[-1] == {"day": now().date().isoformat(), "passed": 4, "violated": 2}
    assert days[:-1] == [{"day": one["day"], "passed": 0, "violated": 0} for one in days[:-1]]


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        (TableFilter(), ["a_orders", "b", "c"]),
        (TableFilter(text="A_ORD"), ["a_orders"]),
        (TableFilter(text="_"), ["a_orders"]),
        (TableFilter(text="mail e-mail orders"), ["a_orders"]),
        (TableFilter(text="mail none"), []),
        (TableFilter(status="error"), ["b"]),
        (TableFilter(tag="email", sensitive=True, open=True, text="mail"), ["a_orders"]),
        (TableFilter(source=999), []),
        *[(TableFilter(sort=sort), ["a_orders", "b", "c"]) for sort in ("rows", "bytes", "changed", "incidents")],
    ],
)
def test_tables(db: Session, table: Table, wanted: TableFilter, names: list[str]) -> None:
    page = table_pages.find_tables(db, wanted)
    assert [line.table.name for line in page.items] == names
    assert page.total == len(names)
    facets = table_pages.table_facets(db, wanted)
    if "a_orders" in names:
        line = page.items[0]
        assert (line.source, line.columns, line.rules, line.incidents, line.tags) == ("lake", 2, 2, 1, ["email"])
        assert facets["tag"] == [("email", "E-mail address", 1)]
        assert ("watched", "watched", 1) in facets["status"]
        assert facets["source"] == [(table.source_id, "lake", len(names))]


def test_versions(db: Session, table: Table) -> None:
    page = table_pages.versions_of(db, table.id, limit=2)
    assert [(one.number, one.violated, one.passed) for one in page.items] == [(3, 0, 2), (2, 2, 0)]
    assert (page.total, listing(page, VersionOut.of).count) == (4, 2)
    assert [one.number for one in table_pages.recent_versions(db, table.id, 2)] == [2, 3]
    assert table_pages.version_of(db, table.id, 9) is None
    assert table_pages.any_source(db)


def test_columns(db: Session, table: Table) -> None:
    lines = columns.columns_of(db, table.id).items
    assert [(one.column.name, len(one.tags), one.rules, one.incidents) for one in lines] == [
        ("id", 0, 1, 0),
        ("mail", 1, 1, 1),
    ]
    assert [one.column.name for one in columns.columns_of(db, table.id, "MAI").items] == ["mail"]
    assert privacy.hiding(db, table.id).whole == {"mail"}
    found = columns.find_domains(db)
    assert [(one["domain"], int(one["proposed"]), int(one["accepted"]), one["tables"]) for one in found] == [
        ("email", 1, 0, 1)
    ]
    assert [row[1].name for row in columns.find_tags(db, domain="email", status="proposed").items] == ["mail"]


def test_a_general_kind_asks_for_no_decision(db: Session, table: Table) -> None:
    key = columns.column_id(db, table.id, "id")
    kind = TagProposal("opaque_id", "Identifier", 0.8, 1.0, False, generic=True)
    put_tags(db, key, [kind], 3)
    found = {one["domain"]: (int(one["proposed"]), one["tables"]) for one in columns.find_domains(db)}
    assert found == {"email": (1, 1), "opaque_id": (0, 1)}
    listed = {status: columns.find_tags(db, domain="opaque_id", status=status).total for status in ("", "proposed")}
    assert listed == {"": 1, "proposed": 0}, "lists say what the counts say"
    assert columns.find_tags(db, table_id=table.id, status="proposed").total == 1


def test_rules(db: Session, table: Table) -> None:
    assert [row.column_name for row, _ in rule_pages.find_rules(db).items] == ["id", "mail"]
    assert rule_pages.find_rules(db, text="100% orders", kind="pattern", status="active", column="mail").total == 1
    assert rule_pages.find_rules(db, table_id=table.id, charted=True).total == 2
    row = rule_pages.rule_of(db, table.id, "pattern", "mail")
    assert row is not None
    assert rule_pages.rule_counts(db) == {"status": {"active": 2}, "kind": {"pattern": 2}}
    assert rule_pages.last_outcomes(db, [row.id])[row.id].version == 3
    assert [one.version for one in rule_pages.outcomes_of_demand(db, row)] == [1, 2, 3]
    assert [one.status for one, _ in rule_pages.outcomes_of_version(db, table.id, 2)] == [VIOLATED, VIOLATED]
    assert rule_pages.find_outcomes(db).total == 6
    assert rule_pages.find_outcomes(db, table_id=table.id, rule_id=row.id, version=2, status=VIOLATED).total == 1


def test_work(db: Session, table: Table) -> None:
    assert work.find_incidents(db, text="lake/a_orders.mail").total == 1
    assert work.find_incidents(db, text="lake/a_orders.id").total == 0
    found = work.find_incidents(db, status="open", text="rows orders", table_id=table.id, column="mail")
    assert [(incident.passed_version, of.name) for incident, of in found.items] == [(3, "a_orders")]
    assert work.incident_counts(db) == {"open": 1, "error": 1, "warning": 0, "resolved": 0}
    assert not work.find_incidents(db, status="open", level="warning").total
    assert [one.version for one, _ in causes.details(db, found.items[0][0])] == [2]
    assert work.find_runs(db, status="running").total == 1
    line = work.source_lines(db)[0]
    assert (line.source.name, line.tables) == ("lake", {"new": 1, "watched": 1, "error": 1})
    assert line.run is not None


def test_batches(db: Session, table: Table) -> None:
    assert batches.commit_kinds(db, table.id) == [(n, ("append", 0, False)) for n in range(4)]
    append = batches.CommitKind("append", 0, False)
    assert batches.commit_counts(db, table.id) == [(append, 4)]
    two_days = batches.CommitKind("rewrite", 2, True)
    versions.set_version(db, table.id, 2, commit_info={"batch": "rewrite", "partitions": 2}, files_added=1)
    assert batches.commit_counts(db, table.id) == [(append, 3), (two_days, 1)]
    assert batches.commit_counts(db, table.id, before=2) == [(append, 2)]
    assert batches.last_healthy(db, table.id, 4) == 3
    versions.set_version(db, table.id, 3, label="suspect")
    assert batches.last_healthy(db, table.id, 4) == 2
    assert batches.last_healthy(db, table.id, 0) is None
    assert batches.latest_suspect(db, table.id)
    moment = now() - timedelta(hours=1)
    assert batches.judged_since(db, table.id, moment) == 3
    assert not batches.feedback_since(db, table.id, moment)
    outcomes.resolve(db, work.find_incidents(db).items[0].Incident.id, "FalsePositive", actor="ann")
    assert batches.feedback_since(db, table.id, moment)
    batches.forget_batches(db, table.id, "increment")
    db.expire_all()
    assert (table.mode, table.judged_version) == ("increment", -1)
    assert versions.metric_series(db, table.id, "snapshot") == []
