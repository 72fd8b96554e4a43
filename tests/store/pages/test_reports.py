"""Reports: made again as of the same moment they say the same, whatever happened since; and they say what was so."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy
from singly import record_outcome, upsert_table
from sqlalchemy import Engine, inspect
from sqlalchemy.exc import DatabaseError
from sqlmodel import Session, col, select, update

from catalog.errors import NotFound, UsageError
from catalog.reports import words
from catalog.reports.document import render
from catalog.reports.facts import Facts, Scope
from catalog.reports.figures import REPORT_KINDS, Report
from catalog.reports.incidents import decisions
from catalog.rules.rule import Rule
from catalog.rules.verdict import VIOLATED, Verdict
from catalog.store.access import people
from catalog.store.engine import make_engine, session, upgrade
from catalog.store.expectations import budget, rules
from catalog.store.incidents import outcomes
from catalog.store.lake import sources, tables, versions
from catalog.store.meaning import tags
from catalog.store.models import JournalEntry, LakeColumn, Table, Tag
from catalog.store.pages import work
from catalog.store.reports import moment, schedules
from catalog.tags.proposal import TagProposal

MAIL = TagProposal("email", "E-mail address", 0.973, 1.0, True, {"matching": ["carla@mail.example"]})
CODE = TagProposal("code", "Code", 0.5, 1.0, False, generic=True)
LONG_AGO = timedelta(days=30)


def _fill(engine: Engine) -> None:
    """Two tables of a source: addresses, one of them said to be a business's; a rule that broke; a false alarm."""
    with session(engine, actor="ann") as db:
        source = sources.add_source(db, "shop", "/lake")
        for name in ("people", "shops"):
            table = upsert_table(db, source.id, name, f"/lake/{name}")
            columns = tables.set_columns(db, table.id, [["mail", "string"], ["=kind", "string"], ["n", "bigint"]])
            tags.put_table_tags(db, {columns[0].id: [MAIL], columns[1].id: [CODE]}, 1)
            _judge(db, table)
        mails = db.exec(select(Tag).where(Tag.domain == "email").order_by(col(Tag.id))).all()
        tags.decide_tag(db, mails[0].id, "accepted", "ann")
        tags.decide_tag(db, mails[1].id, "rejected", "bob", "the shops' own")
        db.exec(update(Table).where(col(Table.name) == "people").values(owner="crm"))


def _judge(db: Session, table: Table) -> None:
    when = datetime.now(UTC) - timedelta(hours=2)
    versions.record_versions(db, table.id, [{"number": 3, "committed_at": when, "batch": "snapshot"}])
    rule = Rule("vocabulary", "n", {"values": ["1"]}, 0.001, "Few numbers come.", "fmdv")
    rules.put_rules(db, table.id, [rule], learners=["fmdv"], since_version=1)
    made = rules.active_rules(db, table.id)[0]
    said = Verdict(VIOLATED, "Others came.", {}, {})
    kept = record_outcome(db, outcomes.outcome_row(table.id, 3, made.id, said))
    assert kept is not None
    outcomes.open_or_update_incident(db, kept)
    versions.mark_judged(db, table.id, 3)


def _change_everything(engine: Engine) -> None:
    """A later crawl and later decisions: other scores, tags, owners, answers, a table less."""
    with session(engine, actor="eve") as db:
        for tag in db.exec(select(Tag).where(Tag.domain == "email")).all():
            tags.decide_tag(db, tag.id, "proposed", "eve", "looked again")
        columns = db.exec(select(LakeColumn).where(LakeColumn.name == "mail")).all()
        other = TagProposal("url", "Address of a page", 0.4, 0.4, False, {})
        tags.put_table_tags(db, {columns[0].id: [MAIL, other], columns[1].id: [other]}, 2)
        open_ = work.find_incidents(db).items
        outcomes.resolve(db, open_[0].Incident.id, "FalsePositive", actor="eve")
        db.exec(update(LakeColumn).values(owner="others"))
        for rule in rules.active_rules(db, columns[0].table_id):
            rules.set_rule_status(db, rule.id, "paused", "eve", "noisy")
    with session(engine, actor="eve") as db:
        sources.remove_source(db, db.exec(select(Table.source_id)).first())
        sources.add_source(db, "other", "/elsewhere")


def _now(engine: Engine) -> datetime:
    with session(engine) as db:
        return moment.settle(db)


def _made(engine: Engine, kind: str, at: datetime, scope: Scope | None = None) -> Report:
    with session(engine, write=False) as db:
        return moment.report(db, kind, scope or Scope(), at - LONG_AGO, at)


@pytest.fixture
def filled(engine: Engine) -> Engine:
    _fill(engine)
    return engine


def test_a_past_moment_is_told_alike_for_ever(filled: Engine) -> None:
    at = _now(filled)
    before = {kind: (_made(filled, kind, at).fingerprint, *_files(_made(filled, kind, at))) for kind in REPORT_KINDS}
    _change_everything(filled)
    after = {kind: (_made(filled, kind, at).fingerprint, *_files(_made(filled, kind, at))) for kind in REPORT_KINDS}
    assert after == before
    later = _now(filled)
    assert all(_made(filled, kind, later).fingerprint != before[kind][0] for kind in REPORT_KINDS)


def _files(report: Report) -> list[bytes]:
    return [render(report, form) for form in ("html", "csv", "json")]


def test_an_owner_who_was_locked_out_answers_for_nothing_from_then_on(filled: Engine) -> None:
    """And reports as of an earlier moment say what was so then."""
    with session(filled) as db:
        people.add_user(db, "root", "a long password", "admin", actor="root")
        crm = people.add_user(db, "crm", "a long password", "author", actor="root")
    before = _now(filled)
    told = _made(filled, "privacy", before).fingerprint
    with session(filled) as db:
        people.set_active(db, crm.id, False, actor="root")
    after = _now(filled)
    owners = [_made(filled, "privacy", at).section("personal").rows[0]["owner"] for at in (before, after)]
    assert owners == ["crm", None]
    assert _made(filled, "privacy", before).fingerprint == told
    with session(filled) as db:
        people.set_active(db, crm.id, True, actor="root")
    assert _made(filled, "privacy", _now(filled)).section("personal").rows[0]["owner"] == "crm"


def test_coverage_counts_states_of_columns(filled: Engine) -> None:
    report = _made(filled, "coverage", _now(filled))
    totals = report.section("coverage").totals
    wanted = {"tables": 2, "columns": 6, "accepted": 1, "proposed": 0, "described": 2, "none": 3, "rejected_tags": 1}
    assert {name: totals[name] for name in wanted} == wanted
    rules_of = _made(filled, "rules", _now(filled)).section("rules").totals
    assert (rules_of["rules"], rules_of["covered"], rules_of["tables_without_rules"]) == (2, 2, 0)


def test_incidents_have_times_to_notice_and_resolve(filled: Engine) -> None:
    with session(filled, actor="ann") as db:
        first = work.find_incidents(db).items[0].Incident
        outcomes.resolve(db, first.id, "FalsePositive", actor="ann")
    at = _now(filled)
    report = _made(filled, "incidents", at)
    answered = next(row for row in report.section("incidents").rows if row["id"] == first.id)
    assert 7100 < answered["to_notice"] < 7500  # written two hours ago
    assert answered["to_resolve"] is not None
    assert (answered["status"], answered["reason"], answered["by"]) == ("resolved", "FalsePositive", "ann")
    ledger = report.section("false_alarms").totals
    assert (ledger["versions"], ledger["false_alarms"], ledger["expected"]) == (2, 1, 0.002)
    with session(filled, actor="ann") as db:
        outcomes.reopen(db, first.id, actor="ann")
    again = _made(filled, "incidents", _now(filled))
    assert next(row for row in again.section("incidents").rows if row["id"] == first.id)["resolved"] is None
    assert _made(filled, "incidents", at).fingerprint == report.fingerprint


def test_a_version_that_no_rule_was_asked_about_was_not_judged(filled: Engine) -> None:
    """The past of a table that was registered: the page of false alarms counts it no more than the report does."""
    with session(filled) as db:
        people = db.exec(select(Table).where(Table.name == "people")).one()
        versions.record_versions(db, people.id, [{"number": n, "committed_at": datetime.now(UTC)} for n in (1, 2)])
        versions.mark_judged(db, people.id, 2)
        listed = [one.judged for one in budget.ledgers(db, 1.0)]
    section = _made(filled, "incidents", _now(filled)).section("false_alarms")
    assert [(row["table"], row["versions"]) for row in section.rows] == [("people", 1), ("shops", 1)]
    assert listed == [1, 1]


def test_a_summary_leaves_no_kind_of_data_out_unsaid(filled: Engine) -> None:
    kinds = [TagProposal(f"kind{n}", f"Kind {n}", 0.9, 1.0, True) for n in range(9)]
    with session(filled) as db:
        column = db.exec(select(LakeColumn).where(LakeColumn.name == "n").order_by(col(LakeColumn.id))).first()
        tags.put_table_tags(db, {column.id: kinds}, 2)
    report = _made(filled, "privacy", _now(filled))
    section = report.section("personal")
    assert (sum(number for _, number in section.totals["by_meaning"]), len(section.rows)) == (10, 2)
    assert b"Kind 3 (1) and 5 others (5)." in render(report, "html")


def test_it_is_signed_at_its_end_and_no_empty_column_is_printed(filled: Engine) -> None:
    report = _made(filled, "governance", _now(filled))
    page = render(report, "html").decode()
    signed = page[page.index("Signatures</h2>") :]  # a sheet that names what is signed
    assert report.fingerprint in signed
    assert "Prepared by, date" in signed
    assert "id=" not in signed
    assert page.count("Prepared by, date") == 1
    for section in report.sections:
        printed, left_out = words.filled(section)
        assert len(printed) + len(left_out) == len(section.columns)
        if section.rows:
            assert all(any(words.said(field, row[field]) for row in section.rows) for field, _ in printed)
            assert printed
    decisions = report.section("decisions")
    assert "Undoes" in words.filled(decisions)[1]
    assert "not printed: " in page
    assert all("undoes" in row for row in decisions.rows)  # the figures have it


def test_decisions_are_those_of_the_period(filled: Engine) -> None:
    at = _now(filled)
    _change_everything(filled)
    rows = _made(filled, "decisions", at).section("decisions").rows
    assert [(row["by"], row["action"]) for row in rows] == [("ann", "add"), ("ann", "accept"), ("bob", "reject")]
    with session(filled, write=False) as db:
        later = moment.report(db, "decisions", Scope(), at, datetime.now(UTC)).section("decisions").rows
    assert {row["by"] for row in later} == {"eve"}


def test_a_scope_leaves_the_rest_out(filled: Engine) -> None:
    at = _now(filled)
    crm = _made(filled, "governance", at, Scope(owner="crm"))
    assert {row["table"] for row in crm.section("coverage").rows} == {"people"}
    assert {row["table"] for row in crm.section("incidents").rows} == {"people"}
    with pytest.raises(NotFound, match="owners were crm"):
        _made(filled, "privacy", at, Scope(owner="nobody"))
    with pytest.raises(NotFound, match="use one of shop"):
        _made(filled, "privacy", at, Scope(source="elsewhere"))


def test_before_the_journal_nothing_is_made_up(filled: Engine) -> None:
    with pytest.raises(UsageError, match="the journal of this catalog begins at"):
        _made(filled, "privacy", datetime(2020, 1, 1, tzinfo=UTC))


def test_names_are_neither_formulas_nor_markup(filled: Engine) -> None:
    with session(filled) as db:
        db.exec(update(Table).where(col(Table.name) == "people").values(name="=cmd|' /C calc'!A0<script>\u202e"))
    report = _made(filled, "governance", _now(filled))
    page, table, data = (text.decode() for text in _files(report))
    assert "<script>" not in page
    assert "\u202e" not in page
    assert "⟨U+202E⟩" in page
    cells = [cell for row in csv.DictReader(io.StringIO(table)) for cell in row.values()]
    assert any(cell.startswith("'=cmd") for cell in cells)
    assert not any(cell.startswith("=") for cell in cells)
    assert json.loads(data)["fingerprint"] == report.fingerprint


def test_the_journal_is_only_added_to(filled: Engine) -> None:
    for statement in ("UPDATE journal SET gone = true", "DELETE FROM journal"):
        with pytest.raises(DatabaseError, match="only added to"), filled.begin() as connection:
            connection.execute(sqlalchemy.text(statement))


def test_a_score_that_hardly_moves_is_not_written_down(filled: Engine) -> None:
    def entries() -> int:
        with session(filled, write=False) as db:
            return len(db.exec(select(JournalEntry.id)).all())

    before = entries()
    with session(filled) as db:
        db.exec(update(Tag).where(col(Tag.domain) == "email").values(score=0.9731, version=9, match_share=0.2))
        db.exec(update(LakeColumn).values(profile={"rows": 3}))
    assert entries() == before
    with session(filled) as db:
        db.exec(update(Tag).where(col(Tag.domain) == "email").values(score=0.4))
    assert entries() == before + 2


SETTLE = """
from pathlib import Path
from catalog.store.engine import make_engine, session
from catalog.store.models import Source
from catalog.store.reports import moment
engine = make_engine(sys.argv[1])
written, read = (Path(sys.argv[2], name) for name in ("written", "read"))
number = int(sys.argv[3])
#go
if number == 0:
    with session(engine) as db:
        db.add(Source(name="slow", uri="/slow"))
        db.flush()
        written.touch()
        for _ in range(50):
            if not read.exists():
                time.sleep(0.02)
else:
    while not written.exists():
        time.sleep(0.001)
    with session(engine) as db:
        at = moment.settle(db)
    with session(engine, write=False) as db:
        print(len(moment.read(db, at, at).sources))
    read.touch()
"""


def test_a_moment_waits_for_who_writes_before_it(url: str, together: Callable[..., list[str]], tmp_path: Path) -> None:
    """What was written before the moment and committed after it was asked for is in the report. Whoever writes waits a
    second for a report that does not wait for it."""
    assert sorted(together(SETTLE, 2, url, str(tmp_path))) == ["", "1"]


LATER_TABLES = ("journal", "report_schedule", "tag_event", "alert_delivery", "alert_route", "term", "approval")
LATER_TABLES += ("merged_part", "part_files", "key_load", "key_sample")
LATER_COLUMNS = {
    "source": ("description", "terms", "learners"),
    "lake_table": ("description", "terms", "learners", "measured", "tagged", "strings_at", "arrived"),
    "lake_column": ("description", "terms", "level", "hand_level"),
    "incident": ("check_name", "since_version"),
    "account": ("let_in_at",),
}


def test_an_older_catalog_is_taken_into_the_journal(empty_url: str) -> None:
    """All that came with the journal and after it is taken away first."""
    filled = make_engine(empty_url)
    upgrade(filled)
    _fill(filled)
    there = {name: {one["name"] for one in inspect(filled).get_columns(name)} for name in LATER_COLUMNS}
    with filled.begin() as connection:
        if filled.dialect.name == "sqlite":
            for (name,) in connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'trigger'").all():
                connection.exec_driver_sql(f"DROP TRIGGER {name}")
        for name in LATER_TABLES:
            connection.exec_driver_sql(f"DROP TABLE {name}")
        for index in ("ix_lake_version_committed", "ix_lake_column_hand_level"):
            connection.exec_driver_sql(f"DROP INDEX {index}")
        connection.exec_driver_sql("DROP INDEX uq_incident_open")  # it was over fewer columns
        connection.exec_driver_sql("CREATE INDEX uq_incident_open ON incident (table_id, kind, column_name)")
        for name, columns in LATER_COLUMNS.items():
            for column in there[name].intersection(columns):
                more = " CASCADE" if filled.dialect.name == "postgresql" else ""  # a trigger looks at it
                connection.exec_driver_sql(f"ALTER TABLE {name} DROP COLUMN {column}{more}")
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0014'")
    upgrade(filled)
    report = _made(filled, "privacy", _now(filled))
    told = [(row["table"], row["by"], row["level"]) for row in report.section("personal").rows]
    assert told == [("people", "ann", "personal")]
    _change_everything(filled)
    filled.dispose()


def test_schedules_are_decisions(filled: Engine) -> None:
    with session(filled) as db:
        made = schedules.add_schedule(db, "governance", "month", "html", Scope(owner="crm"), actor="ann")
        assert schedules.due(db, made.next_at) == [made]
        assert schedules.due(db, made.next_at - timedelta(seconds=1)) == []
        for of in (Scope(owner="crn"), Scope(source="shops")):  # told now, not after the quarter
            with pytest.raises(NotFound, match=r"owned nothing; owners were crm|no source 'shops'; use one of shop"):
                schedules.add_schedule(db, "governance", "month", "html", of, actor="ann")
        with pytest.raises(UsageError, match="no interval 'hour'"):
            schedules.add_schedule(db, "governance", "hour", "html", Scope(), actor="ann")
        schedules.remove_schedule(db, made.id, actor="ann")
    rows = _made(filled, "decisions", _now(filled)).section("decisions").rows
    assert [row["action"] for row in rows][-2:] == ["schedule", "unschedule"]


def test_an_answer_to_incidents_of_one_cause_is_one_decision() -> None:
    at = datetime(2026, 3, 1, tzinfo=UTC)
    told = {"at": at, "actor": "ann", "kind": "incident", "item": "orders", "before": {}, "after": {}, "reason": "ok"}
    events = [told | {"id": key, "item_id": key, "action": "resolve", "undoes": None} for key in (4, 3, 2)]
    known = {2: {"lead_id": None, "spread_id": None}, 3: {"lead_id": 2, "spread_id": None}}
    known[4] = {"lead_id": None, "spread_id": None}
    found = decisions(Facts(at, at + timedelta(days=1), incidents=known, events=tuple(events)))
    assert ([row["id"] for row in found.rows], found.totals["decisions"]) == ([4, 2], 2)
