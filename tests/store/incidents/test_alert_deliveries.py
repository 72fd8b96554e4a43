"""Deliveries of alerts on both databases: planned once, handed to one process each, tried later and later."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine
from sqlmodel import select

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "end_to_end"))
from broken_table import break_rule, table_of

from catalog.errors import NotFound
from catalog.store.access import owners, people
from catalog.store.alerts import deliveries, routes
from catalog.store.engine import session
from catalog.store.incidents import outcomes
from catalog.store.models import Table, now

TABLES = 12
PLAN_AND_CLAIM = """
from catalog.store.alerts import deliveries
from catalog.store.engine import make_engine, session
engine = make_engine(sys.argv[1])
#go
with session(engine) as db:
    planned = deliveries.plan(db)
with session(engine) as db:
    claimed = [one.id for one in deliveries.claim(db)]
print(planned, *claimed)
"""


def _filled(engine: Engine) -> None:
    with session(engine, actor="ann") as db:
        owners.set_team(db, "sales", ["ann"], actor="ann")
        routes.add_route(db, "all", "sealed", "Slack", actor="ann")
        routes.add_route(db, "sales", "sealed", "e-mail by a.io", actor="ann", owner="sales")
    with session(engine, actor="ann") as db:
        for number in range(TABLES):
            table = table_of(db, f"orders_{number}")
            if number == 0:
                owners.set_owner(db, "table", table, "sales", actor="ann")
            break_rule(db, table, 7)


def test_processes_at_once_plan_and_claim_each_alert_once(
    engine: Engine, url: str, together: Callable[..., list[str]]
) -> None:
    _filled(engine)
    said = [line.split() for line in together(PLAN_AND_CLAIM, 4, url)]
    assert sum(int(planned) for planned, *_ in said) == TABLES + 1
    claimed = [number for _, *ids in said for number in ids]
    assert len(claimed) == len(set(claimed)), "nobody sends what another process sends"
    with session(engine) as db:
        left = [one.id for one in deliveries.claim(db)]
    assert len(claimed) + len(left) == TABLES + 1


def test_what_is_not_taken_waits_longer_and_is_given_up(engine: Engine) -> None:
    _filled(engine)
    with session(engine) as db:
        moment = now()
        assert deliveries.plan(db, moment) == TABLES + 1
        assert deliveries.plan(db, moment) == 0
        first, *others = deliveries.claim(db, at=moment)
        assert deliveries.claim(db, at=moment) == []
        deliveries.settle(db, {one.id: "" for one in others}, {}, at=moment)
        deliveries.settle(db, {first.id: "503"}, {first.id: ("a title", "a text")}, at=moment)
        assert (deliveries.undelivered(db), deliveries.is_due(db, moment + timedelta(seconds=29))) == (1, False)
        (of,) = db.exec(select(Table.source_id).distinct())
        assert [deliveries.undelivered(db, ids) for ids in ([of], [of + 1], [])] == [1, 0, 0]
        (again,) = deliveries.claim(db, at=moment + timedelta(seconds=30))
        deliveries.settle(db, {again.id: "503"}, {}, at=moment)
        assert not deliveries.is_due(db, moment + timedelta(seconds=59))
        assert deliveries.is_due(db, moment + timedelta(seconds=60))
        deliveries.settle(db, {again.id: "no such host"}, {}, final=[again.id], at=moment)
        assert not deliveries.is_due(db, moment + timedelta(days=30))
        assert deliveries.send_again(db) == 1
        assert deliveries.is_due(db)
        found = deliveries.find_deliveries(db, status="undelivered")
        assert [(one.id, one.title) for one in found.items] == [(first.id, "a title")]


def test_a_process_that_died_holds_an_alert_no_longer_than_its_lease(engine: Engine) -> None:
    _filled(engine)
    with session(engine) as db:
        moment = now()
        deliveries.plan(db, moment)
        held = [one.id for one in deliveries.claim(db, at=moment)]
        assert deliveries.claim(db, at=moment + deliveries.LEASE - timedelta(seconds=1)) == []
        assert [one.id for one in deliveries.claim(db, at=moment + deliveries.LEASE)] == held


def test_each_answer_is_an_alert_of_its_own(engine: Engine) -> None:
    with session(engine, actor="ann") as db:
        routes.add_route(db, "all", "sealed", "Slack", actor="ann", events=["opened", "reopened", "resolved"])
    with session(engine, actor="ann") as db:
        incident = break_rule(db, table_of(db, "orders"), 7)
        key = incident.id
    told = []
    for step in (
        lambda db: None,
        lambda db: outcomes.resolve(db, key, "MissingData", actor="ann"),
        lambda db: outcomes.reopen(db, key, actor="ann"),
        lambda db: outcomes.resolve(db, key, "MissingData", actor="ann"),
    ):
        with session(engine, actor="ann") as db:
            step(db)
        with session(engine) as db:
            assert deliveries.plan(db) == 1
            assert deliveries.plan(db) == 0
            told += [one.event.partition(" ")[0] for one in deliveries.claim(db)]
    assert told == ["opened", "resolved", "reopened", "resolved"]


def test_what_opens_without_any_route_is_listed_and_not_told_later(engine: Engine) -> None:
    with session(engine, actor="ann") as db:
        key = break_rule(db, table_of(db, "orders"), 7).id
    with session(engine, actor="ann") as db:
        assert deliveries.anything(db)
        assert deliveries.plan(db) == 1
        assert not deliveries.anything(db)
        assert [(one.incident_id, one.status) for one in deliveries.find_deliveries(db).items] == [(key, "nobody")]
        routes.add_route(db, "all", "sealed", "Slack", actor="ann")
        assert deliveries.plan(db) == 0
        assert not deliveries.claim(db)


def test_a_route_is_of_somebody_there_is(engine: Engine) -> None:
    with session(engine, actor="ann") as db:
        owners.set_team(db, "sales", ["bob"], actor="ann")
        people.add_user(db, "cleo", "correct horse battery", "admin", actor="ann")
        owners.set_default_owner(db, "platform", actor="ann")
        for owner in ("sales", "bob", "cleo", "platform"):
            assert routes.add_route(db, owner, "sealed", "Slack", actor="ann", owner=owner).owner == owner
        with pytest.raises(NotFound, match="nobody is called 'nosuch'"):
            routes.add_route(db, "none", "sealed", "Slack", actor="ann", owner="nosuch")
