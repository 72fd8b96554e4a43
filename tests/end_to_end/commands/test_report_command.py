"""`assay report` on a lake that goes on: the report of a past moment stays what it was."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from catalog.cli import main
from catalog.flow import crawl, report
from catalog.flow.context import Context
from catalog.reports.facts import Scope
from catalog.reports.period import following
from catalog.settings import get_settings
from catalog.store.lake import sources
from catalog.store.meaning import tags
from catalog.store.models import ReportSchedule
from catalog.store.pages.columns import find_tags
from catalog.store.reports import schedules
from catalog.store.reports.filed import filed

pytestmark = pytest.mark.spark


def _write(lake: Path, name: str, rows: int) -> None:
    people = {"mail": [f"user{i}@mail.example" for i in range(rows)], "n": list(range(rows))}
    write_deltalake(str(lake / name), pa.table(people), mode="append")


@pytest.fixture
def lake(context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    lake = tmp_path / "lake"
    _write(lake, "people", 60)
    with context.transaction() as session:
        sources.add_source(session, "shop", str(lake))
    _crawl(context)
    monkeypatch.setenv("ASSAY_HOME", str(context.settings.home))
    get_settings.cache_clear()
    yield lake
    get_settings.cache_clear()


def _crawl(context: Context) -> None:
    with context.reading() as session:
        source = sources.list_sources(session)[0]
    crawl.crawl_source(context, source.id)


def _asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    capsys.readouterr()
    assert main(["report", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_later_crawls_and_decisions_change_no_past_report(
    lake: Path, context: Context, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = _asked(capsys, "governance", "--out", str(tmp_path / "before.pdf"))
    mails = first["sections"]["personal"]["rows"]
    assert [(row["table"], row["column"], row["domain"], row["by"]) for row in mails] == [
        ("people", "mail", "email", "assay")
    ]
    _write(lake, "people", 70)
    _write(lake, "clients", 80)
    _crawl(context)
    with context.transaction() as session:
        for item in find_tags(session, domain="email", limit=1000).items:
            tags.decide_tag(session, item.Tag.id, "rejected", "ann", "made up")
    past = ("governance", "--as-of", first["as_of"], "--period", first["from"])
    again = _asked(capsys, *past, "--out", str(tmp_path / "after.pdf"))
    assert again["fingerprint"] == first["fingerprint"]
    before, after = ((tmp_path / f"{name}.pdf").read_bytes() for name in ("before", "after"))
    assert before.startswith(b"%PDF-")
    assert after == before
    now = _asked(capsys, "privacy")
    assert now["sections"]["personal"]["rows"] == []
    assert len(now["sections"]["set_aside"]["rows"]) == 2


def test_what_cannot_be_made_is_said(lake: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "privacy", "--as-of", "2001-01-01"]) == 3
    assert "the journal of this catalog begins at" in capsys.readouterr().err
    assert main(["report", "privacy", "--source", "nowhere"]) == 3
    assert main(["report", "privacy", "--out", str(tmp_path / "report.docx")]) == 3
    assert main(["report", "privacy", "--out", str(tmp_path / "nowhere" / "report.html")]) == 4
    twice = ["report", "schedule", "privacy", "--every", "day", "--format", "csv"]
    capsys.readouterr()
    assert [main(twice), main(twice)] == [0, 3]
    assert "already; another one would write the same files" in capsys.readouterr().err


def test_scheduled_reports_are_written_once(lake: Path, context: Context) -> None:
    with context.transaction() as session:
        good = schedules.add_schedule(session, "privacy", "day", "html", Scope(source="shop"), actor="ann").id
        bad = schedules.add_schedule(session, "privacy", "day", "html", Scope(), actor="ann").id
        session.get_one(ReportSchedule, bad).owner = "nobody"  # who owned something when it was scheduled
    assert report.make_due(context) == []
    with context.transaction() as session:
        for key in (good, bad):
            session.get_one(ReportSchedule, key).next_at = datetime.now(UTC) - timedelta(milliseconds=20)
    (path,) = report.make_due(context)
    assert path.parent == context.settings.home / "reports" / "shop"
    assert path.name.startswith("privacy-day-"), "the month that ends with the day has a file of its own"
    assert [(one.whose, one.name, one.kind) for one in filed(context.settings.home)] == [("shop", path.name, "privacy")]
    assert "E-mail address" in path.read_text()
    assert report.make_due(context) == []
    with context.reading() as session:
        kept, failed = schedules.list_schedules(session)
    assert (kept.last_file, kept.error) == (str(path), None)
    assert "'nobody' owned nothing" in failed.error
    assert kept.next_at > datetime.now(UTC)


def test_a_scheduled_report_that_failed_is_made_when_it_can_be(lake: Path, context: Context) -> None:
    at = datetime.now(UTC) - timedelta(milliseconds=20)
    with context.transaction() as session:
        key = schedules.add_schedule(session, "coverage", "day", "json", Scope(source="shop"), actor="ann").id
        session.get_one(ReportSchedule, key).next_at = at
    in_the_way = context.settings.home / "reports" / "shop"
    in_the_way.parent.mkdir(exist_ok=True)
    shutil.rmtree(in_the_way, ignore_errors=True)
    in_the_way.touch()  # where its folder should be

    def tried() -> ReportSchedule:
        assert report.make_due(context) == []
        with context.reading() as session:
            return session.get_one(ReportSchedule, key)

    assert (tried().next_at, "shop" in (tried().error or "")) == (at, True)
    in_the_way.unlink()
    (path,) = report.make_due(context)
    assert json.loads(path.read_text())["as_of"][:19] == at.isoformat()[:19]
    with context.transaction() as session:
        made = session.get_one(ReportSchedule, key)
        assert (made.error, made.last_file, made.next_at > datetime.now(UTC)) == (None, str(path), True)
        made.next_at = at - timedelta(days=2)
    shutil.rmtree(in_the_way)
    in_the_way.touch()
    assert tried().next_at == following(at - timedelta(days=2), "day"), "the one after it is due: it has its turn"


def test_reports_of_every_period_without_a_service_are_made(
    lake: Path, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = timedelta(milliseconds=8)  # a period as short as the catalog is old
    monkeypatch.setattr(report, "following", lambda at, _: at + step)
    at = datetime.now(UTC) - 2 * step
    with context.transaction() as session:
        key = schedules.add_schedule(session, "coverage", "day", "json", Scope(source="shop"), actor="ann").id
        session.get_one(ReportSchedule, key).next_at = at
    made = report.make_due(context)
    with context.reading() as session:
        next_at = session.get_one(ReportSchedule, key).next_at
    assert len(made) >= 3
    assert next_at == at + len(made) * step, "none was left out"
