"""Another version of Assay tags otherwise: at once while nobody decided anything, else when somebody approved it."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from singly import upsert_table
from sqlmodel import select

from catalog.cli import main
from catalog.domains.domain import Domain
from catalog.errors import UsageError
from catalog.flow.context import Context
from catalog.flow.crawl import crawl_source
from catalog.flow.learning import fingerprint, propose
from catalog.flow.reading.sources import add_source
from catalog.flow.upgrades import difference, standing
from catalog.flow.upgrades.difference import work_out
from catalog.history.series import TableMetrics
from catalog.roles import everyone_here
from catalog.settings import get_settings
from catalog.store.access import audit
from catalog.store.access.undo import undo
from catalog.store.domains import upgrades
from catalog.store.lake import sources, tables, versions
from catalog.store.meaning import review
from catalog.store.models import LakeColumn, Tag, now

pytestmark = pytest.mark.spark

ROWS = {
    "order": [f"SO{43700 + i}" for i in range(60)],
    "mail": [f"ann{i}@example.org" for i in range(60)],
    "batch": [f"BN-{i:04}-{i % 7}" for i in range(60)],
    "badge": [f"PB/{i:05}" for i in range(60)],
}


@pytest.fixture
def lake(context: Context, tmp_path: Path) -> int:
    write_deltalake(str(tmp_path / "sales" / "orders"), pa.table(ROWS))
    source = add_source(context, "sales", str(tmp_path / "sales")).id
    crawl_source(context, source)
    return source


def release(monkeypatch: pytest.MonkeyPatch, number: str) -> None:
    """Another version of Assay: it knows order numbers, and badges of persons, too."""
    own = [
        Domain("order_number", "Order number", check=lambda value: value.startswith("SO"), examples=("SO43701",)),
        Domain("badge", "Badge", check=lambda value: value.startswith("PB/"), examples=("PB/00001",), sensitive=True),
    ]
    known = propose.known_domains
    for module in (fingerprint, standing):
        monkeypatch.setattr(module, "shipped", lambda: number)
    more = lambda context: [*known(context), *own]  # noqa: E731
    for place in (propose, difference):
        monkeypatch.setattr(place, "known_domains", more)
    monkeypatch.setattr("catalog.flow.crawl.known_domains", more)
    monkeypatch.setattr("catalog.flow.learning.worker_pool.known_domains", more)


def tags(context: Context) -> dict[str, set[str]]:
    with context.reading() as session:
        found = session.exec(select(LakeColumn.name, Tag.domain).join(Tag, LakeColumn.id == Tag.column_id))  # type: ignore[arg-type]
        out: dict[str, set[str]] = {}
        for column, domain in found:
            out.setdefault(column, set()).add(domain)
        return out


def decide(context: Context) -> None:
    with context.transaction() as session:
        table = tables.get_table(session, "orders")
        review.say_tag(session, tables.get_column(session, table.id, "mail"), "email", "ann", "")


def test_it_takes_effect_by_itself_while_nobody_decided_anything(
    context: Context, lake: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "order_number" not in tags(context).get("order", set())
    release(monkeypatch, "2")
    crawl_source(context, lake)
    assert "order_number" in tags(context)["order"]
    with context.reading() as session:
        found = upgrades.standing(session)
        assert found is not None
        assert (found.shipped, found.waiting) == ("2", "")


def test_a_table_that_doubled_while_it_waits_has_its_string_rules_learned_after(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = now() - timedelta(days=30)

    def due(count: int, *, waits: bool, **learned: datetime) -> propose.Due:
        """What is due of a table of so many versions, one a day."""
        monkeypatch.setattr(upgrades, "is_waiting", lambda session: waits)
        with context.transaction() as session:
            for number in range(count):
                day = {"number": number, "committed_at": began + timedelta(days=number), "batch": "snapshot"}
                versions.record_versions(session, table_id, [day])
                judged = {"judged_at": began + timedelta(days=number), "metrics": TableMetrics(0, {}).encode()}
                versions.set_version(session, table_id, number, **judged)
            tables.update_table(session, table_id, status="watched", **learned)
        with context.reading() as session:
            return propose.due(context, tables.get_table(session, "lake/orders"))

    with context.transaction() as session:
        table_id = upsert_table(session, sources.add_source(session, "lake", "/lake").id, "orders", "/lake/orders").id
    first, then = (began + timedelta(days=days, hours=1) for days in (9, 16))
    assert due(17, waits=True, learned_at=first, strings_at=first) == propose.Due(True, False)
    assert due(22, waits=True, learned_at=then) == propose.Due(True, False)
    assert due(22, waits=False) == propose.Due(True, True)
    assert due(22, waits=False, strings_at=then) == propose.Due(True, False)


def test_it_waits_where_people_decided_until_it_is_approved(
    context: Context,
    lake: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("ASSAY_HOME", str(context.settings.home))
    monkeypatch.setenv("ASSAY_STARTER_INDEX", context.settings.starter_index)
    get_settings.cache_clear()
    decide(context)
    before = tags(context)
    release(monkeypatch, "2")
    crawl_source(context, lake)
    assert tags(context) == before
    with context.reading() as session:
        assert upgrades.is_waiting(session)
        run = upgrades.last_difference(session, "2")
        assert run is not None
        told = {(one["column"], one["what"], one["domain"]) for one in run.stats["tags"]}
    assert {("order", "comes", "order_number"), ("badge", "comes", "badge")} <= told
    assert ("mail", "lost", "email") not in told

    assert main(["index", "diff", "--rules", "--json"]) == 2
    said = json.loads(capsys.readouterr().out)
    assert said["upgrade"]["waits"]
    assert {(one["column"], one["what"], one["domain"]) for one in said["tags"]} == told
    assert said["rules"] == []
    assert tags(context) == before

    # a new version: its new column is tagged, and what hides values is added to the others; nothing else
    more = {name: [f"{one}" for one in values] for name, values in ROWS.items()}
    write_deltalake(
        str(tmp_path / "sales" / "orders"),
        pa.table(more | {"second_order": ROWS["order"]}),
        mode="overwrite",
        schema_mode="overwrite",
    )
    crawl_source(context, lake)
    now = tags(context)
    assert "order_number" not in now.get("order", set())
    assert "order_number" in now["second_order"]
    assert "badge" in now["badge"]

    with context.transaction() as session:
        upgrades.answer(session, "refused", actor="bob", reason="after the audit")
    crawl_source(context, lake)
    assert "order_number" not in tags(context).get("order", set())
    with context.transaction() as session:
        (event,) = audit.find_events(session, kind="index")
        undo(session, event.id, by=everyone_here("bob"), false_alarm_budget=1.0)
    with context.transaction() as session:
        found = upgrades.standing(session)
        assert found is not None
        assert (found.waiting, found.answer) == ("2", "")
    assert main(["index", "approve", "--reason", "looked at all of it"]) == 0
    get_settings.cache_clear()
    crawl_source(context, lake)
    assert "order_number" in tags(context)["order"]
    assert "email" in tags(context)["mail"]
    with context.transaction() as session:
        assert not upgrades.is_waiting(session)
        newest = audit.find_events(session, kind="index")[0].id
        with pytest.raises(UsageError, match="in force"):
            undo(session, newest, by=everyone_here("bob"), false_alarm_budget=1.0)
        with pytest.raises(UsageError, match="waits"):
            upgrades.answer(session, "approved", actor="bob")


def test_one_that_changes_no_tag_is_in_force_once_that_is_known(
    context: Context, lake: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide(context)
    for module in (fingerprint, standing):
        monkeypatch.setattr(module, "shipped", lambda: "2")
    before = tags(context)
    crawl_source(context, lake)
    with context.reading() as session:
        found = upgrades.standing(session)
        assert found is not None
        assert (found.shipped, found.waiting) == ("2", "")
    told = work_out(context, with_rules=True)
    assert (told["tags"], told["rules"], told["tables"]) == ([], [], 1)
    assert tags(context) == before
