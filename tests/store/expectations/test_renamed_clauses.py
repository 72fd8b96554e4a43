"""A catalog in which kinds of clauses have the names of earlier releases: what is demanded, decided and said stays."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from singly import upsert_table
from sqlalchemy import Engine, insert
from sqlmodel import Session, col, select

from catalog.roles import everyone_here
from catalog.rules.clauses.clause import FORMER_KEYS
from catalog.rules.rule import Rule
from catalog.store.access import approvals, audit, undo
from catalog.store.engine import full_row, session
from catalog.store.expectations import clauses, rules
from catalog.store.lake import sources
from catalog.store.migrations import MIGRATIONS
from catalog.store.models import Approval, AuditEvent, ClauseDecision, Outcome, RuleEvent, RuleRow

STORED: list[dict[str, Any]] = json.loads((Path(__file__).parents[2] / "golden" / "rules" / "stored.json").read_text())
#: Rules as catalogs keep them: two of the former names, one without.
FORMER = [one for one in STORED if {"span", "wide"} & {c.get("kind") for c in one["body"]["params"].get("clauses", ())}]
PLAIN = next(one for one in STORED if one["body"]["kind"] == "pattern" and one not in FORMER)
QUOTED = 'he wrote "looks_before": never'


def migrate(engine: Engine, revision: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        (command.downgrade if revision == "0026" else command.upgrade)(config, revision)


def row(table_id: int, one: dict[str, Any]) -> dict[str, Any]:
    body = one["body"]
    told = {name: body[name] for name in ("kind", "learner", "fpr", "sentence", "level")}
    return full_row(
        RuleRow,
        told | {"table_id": table_id, "column_name": body["column"], "fingerprint": one["fingerprint"], "body": body},
    )


@pytest.fixture
def old(engine: Engine) -> Iterator[Engine]:
    """A catalog of the release before, with decisions and verdicts."""
    with session(engine) as db:  # tables have gained a field since
        table_id = upsert_table(db, sources.add_source(db, "lake", "/lake").id, "orders", "/lake/orders").id
    migrate(engine, "0026")
    with session(engine) as db:
        listed = [*FORMER, PLAIN]
        db.connection().execute(insert(RuleRow), [row(table_id, one) for one in listed])
        db.flush()
        for made in db.exec(select(RuleRow)).all():
            seen = {"looks_before": [["a0", 3]], "looks_now": [["0", 1]], "words": QUOTED}
            fact = {"observed": seen if made.column_name == "ip" else {}}
            db.add(Outcome(
                table_id=table_id, version=3, rule_id=made.id, status="violated", sentence="s", detail=fact,
                replay={"rule": made.fingerprint, "batch": "snapshot", "files": 1, "set": "x"},
            ))  # fmt: skip
        ip = db.exec(select(RuleRow).where(RuleRow.column_name == "ip")).one()
        own = {"table_id": table_id, "column_name": "ip", "learner": ip.learner}
        clause = next(one for one in ip.body["params"]["clauses"] if one["kind"] == "span")
        db.add(ClauseDecision(**own, clause="span", action="accepted", body=clause, actor="ann"))
        db.add(RuleEvent(**own, kind="pattern", what="accepted", clause="span", actor="ann"))
        audit.record(
            db, "ann", "accept", audit.of_rule(db, ip, "span"), before={}, after={"decision": "accepted", "factor": 1.0}
        )
        item = audit.of_rule(db, ip, "span")
        db.add(Approval(
            what="clause", words="reject", kind="clause", item=item.name, item_id=ip.id, table_id=table_id, actor="bob",
            args={"rule": ip.id, "clause": "span", "action": "rejected", "factor": 2.0},
        ))  # fmt: skip
    yield engine
    migrate(engine, "head")  # other tests use the same database


def everything(db: Session) -> list[Any]:
    models: tuple[Any, ...] = (RuleRow, ClauseDecision, RuleEvent, Approval, Outcome, AuditEvent)
    return [copy.deepcopy(one.model_dump()) for model in models for one in db.exec(select(model).order_by(model.id))]


def test_rules_decisions_and_verdicts_take_the_new_names(old: Engine) -> None:
    with session(old) as db:
        before = everything(db)
    migrate(old, "head")
    with session(old) as db:
        for found in db.exec(select(RuleRow)):
            assert found.fingerprint == rules.as_rule(found).fingerprint
            kinds = {clause["kind"] for clause in found.body["params"]["clauses"]}
            kinds |= {one["kind"] for one in found.body["evidence"]["rivals"]}
            assert not kinds & FORMER_KEYS.keys()
            assert "looks" not in found.body["evidence"]
            assert found.body["evidence"]["shapes"]
            (said,) = db.exec(select(Outcome).where(Outcome.rule_id == found.id))
            assert said.replay == {"rule": found.fingerprint, "batch": "snapshot", "files": 1, "set": "x"}
            if found.column_name == "ip":
                seen = {"shapes_before": [["a0", 3]], "shapes_now": [["0", 1]], "words": QUOTED}
                assert said.detail == {"observed": seen}
        plain = db.exec(select(RuleRow).where(RuleRow.fingerprint == PLAIN["fingerprint"])).one()
        assert plain.body["params"] == PLAIN["body"]["params"]
        decision = db.exec(select(ClauseDecision)).one()
        assert (decision.clause, decision.body["kind"]) == ("length_range", "length_range")
        assert db.exec(select(RuleEvent.clause)).one() == "length_range"
        assert db.exec(select(Approval)).one().args["clause"] == "length_range"
        assert (
            db.exec(select(AuditEvent).where(AuditEvent.kind == "clause")).one().item.endswith("clause span")
        )  # what was written down then
    migrate(old, "0026")
    with session(old) as db:
        assert everything(db) == before


def test_what_is_learned_the_same_is_no_other_revision(old: Engine) -> None:
    migrate(old, "head")
    with session(old) as db:
        listed = db.exec(select(RuleRow).order_by(col(RuleRow.id))).all()
        table_id, learned = listed[0].table_id, [rules.as_rule(one) for one in listed]
        names = {one.learner for one in learned}
        put = rules.put_rules(db, table_id, learned, learners=names, since_version=9)
        assert (put.kept, put.added, put.changed, put.dropped) == (len(listed), 0, 0, 0)
        ip = db.exec(select(RuleRow).where(RuleRow.column_name == "ip")).one()
        told = {line.key: line.decision.action for line in clauses.clause_lines(db, ip) if line.decision}
        assert told == {"length_range": "accepted"}


def test_a_decision_of_then_can_be_undone_and_one_that_waits_be_made(old: Engine) -> None:
    migrate(old, "head")
    with session(old) as db:
        event = db.exec(select(AuditEvent).where(AuditEvent.kind == "clause")).one()
        undo.undo(db, event.id, by=everyone_here(), false_alarm_budget=1.0)
        assert not db.exec(select(ClauseDecision)).all()
        waiting = approvals.list_approvals(db)[0].args
        made = clauses.decide_clause(db, waiting["rule"], waiting["clause"], waiting["action"], actor="bob")
        assert "length_range" not in {one.kind for one in rules.as_rule(made).program}  # type: ignore[attr-defined]


@pytest.mark.parametrize("one", FORMER, ids=lambda one: one["body"]["column"])
def test_a_rule_under_the_former_names_judges_as_ever(one: dict[str, Any]) -> None:
    """Earlier migrations read them before they are renamed."""
    kinds = [clause["kind"] for clause in one["body"]["params"]["clauses"]]
    rule = Rule.from_json(one["body"])
    assert [clause.key for clause in rule.clauses] == [FORMER_KEYS.get(kind, kind) for kind in kinds]
    assert not any(clause.tells for clause in rule.clauses)
