"""Rules in revisions, tags, and what people decided about them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from singly import put_tags, upsert_table
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, select

from catalog.errors import NotFound, UsageError
from catalog.rules.rule import Rule
from catalog.store.expectations import rules
from catalog.store.expectations.rules import PutRules
from catalog.store.lake import sources, tables
from catalog.store.meaning import tags
from catalog.store.models import LakeColumn, RuleRow, Table
from catalog.store.pages.columns import find_domains, find_tags
from catalog.store.pages.rules import find_rules
from catalog.tags.proposal import TagProposal

PATTERN = Rule("pattern", "mail", {"pattern": "a+"}, 0.001, "Keeps to a+.", "fmdv", {"columns": 900})
SCHEMA = Rule("schema", None, {"columns": []}, 0.0001, "Columns stay.", "schema")


@pytest.fixture
def table(db: Session) -> Table:
    table = upsert_table(db, sources.add_source(db, "lake", "/lake").id, "orders", "/lake/orders")
    tables.set_columns(db, table.id, [["id", "long"], ["mail", "string"]])
    return table


def _put(db: Session, table: Table, *wanted: Rule, since: int = 0, **more: object) -> PutRules:
    return rules.put_rules(db, table.id, wanted, learners=("fmdv", "schema"), since_version=since, **more)  # type: ignore[arg-type]


def test_a_rule_comes_back_as_it_was(db: Session, table: Table) -> None:
    assert _put(db, table, PATTERN, SCHEMA, since=4) == PutRules(added=2)
    db.expire_all()
    active = rules.active_rules(db, table.id)
    assert sorted((rules.as_rule(row) for row in active), key=lambda rule: rule.kind) == [PATTERN, SCHEMA]
    assert {row.since_version for row in active} == {4}


def test_a_new_revision_is_made_only_when_judging_changes(db: Session, table: Table) -> None:
    _put(db, table, PATTERN, SCHEMA)
    first = {row.kind: row.id for row in rules.active_rules(db, table.id)}
    assert _put(db, table, PATTERN, SCHEMA, since=5) == PutRules(kept=2)
    refreshed = replace(PATTERN, evidence={"columns": 950}, fpr=0.0005)
    changed = replace(SCHEMA, params={"columns": [["id", "long"]]})
    assert _put(db, table, refreshed, changed, since=7) == PutRules(changed=1, kept=1)
    db.expire_all()
    now = {row.kind: row for row in rules.active_rules(db, table.id)}
    assert (now["pattern"].id, now["pattern"].revision, now["pattern"].fpr) == (first["pattern"], 1, 0.0005)
    assert now["pattern"].body["evidence"] == {"columns": 950}
    assert (now["schema"].revision, now["schema"].since_version) == (2, 7)
    assert rules.get_rule(db, first["schema"]).status == "superseded"
    assert [item.RuleRow.id for item in find_rules(db, status="superseded", limit=1000).items] == [first["schema"]]


def test_rules_of_other_learners_and_tables_are_left_alone(db: Session, table: Table) -> None:
    other = upsert_table(db, table.source_id, "other", "/other")
    _put(db, table, PATTERN, SCHEMA)
    _put(db, other, PATTERN)
    assert rules.put_rules(db, table.id, [], learners="schema", since_version=1) == PutRules(dropped=1)
    assert [row.kind for row in rules.active_rules(db, table.id)] == ["pattern"]
    assert _put(db, table, columns=["id", None]) == PutRules()
    assert _put(db, table, columns=["mail"]) == PutRules(dropped=1)
    assert rules.active_rules(db, table.id) == []
    assert len(rules.active_rules(db, other.id)) == 1
    assert _put(db, table, PATTERN) == PutRules(added=1)
    assert [row.revision for row in rules.active_rules(db, table.id)] == [2]


@pytest.mark.parametrize("status", ["paused", "rejected"])
def test_what_a_person_decided_outlives_learning(db: Session, table: Table, status: str) -> None:
    _put(db, table, PATTERN)
    row = rules.active_rules(db, table.id)[0]
    rules.set_rule_status(db, row.id, status, "ann")
    assert _put(db, table, replace(PATTERN, params={"pattern": "b+"})) == PutRules(changed=1)
    assert rules.active_rules(db, table.id) == []
    latest = find_rules(db, table_id=table.id, status=status, limit=1000).items[0].RuleRow
    assert (latest.revision, latest.actor) == (2, "ann")
    assert _put(db, table) == PutRules()  # no longer proposed: the decision stays on it
    assert find_rules(db, table_id=table.id, limit=1000).items[0].RuleRow.status == status
    with pytest.raises(UsageError, match="old revision"):
        rules.set_rule_status(db, row.id, "active", "ann")
    rules.set_rule_status(db, latest.id, "active", "bob")
    assert [one.id for one in rules.active_rules(db, table.id)] == [latest.id]


def test_decisions_that_cannot_be_are_refused(db: Session, table: Table) -> None:
    _put(db, table, PATTERN)
    row = rules.active_rules(db, table.id)[0]
    with pytest.raises(UsageError, match="active, paused, rejected, draft"):
        rules.set_rule_status(db, row.id, "superseded", "ann")
    with pytest.raises(NotFound, match="no rule 777"):
        rules.set_rule_status(db, 777, "paused", "ann")
    with pytest.raises(ValueError, match="two pattern rules"):
        _put(db, table, PATTERN, replace(PATTERN, params={}))
    with pytest.raises(ValueError, match="avh"):
        _put(db, table, replace(PATTERN, learner="avh"))


def test_two_revisions_of_a_rule_are_never_in_force(db: Session, table: Table) -> None:
    _put(db, table, PATTERN)
    row = rules.active_rules(db, table.id)[0]
    values = row.model_dump(exclude={"id", "revision"})
    with pytest.raises(IntegrityError), db.begin_nested():  # flushes at its end
        db.add(RuleRow(**values, revision=2))


def test_rules_are_listed_and_counted_by_what_is_asked(db: Session, table: Table) -> None:
    _put(db, table, PATTERN, SCHEMA)
    assert [table.name for _, table in find_rules(db, limit=1000).items] == ["orders", "orders"]
    assert [item.RuleRow.kind for item in find_rules(db, column="mail", limit=1000).items] == ["pattern"]
    assert [item.RuleRow.kind for item in find_rules(db, column="", limit=1000).items] == ["schema"]
    assert [item.RuleRow.kind for item in find_rules(db, kind="schema", limit=1000).items] == ["schema"]
    assert len(find_rules(db, limit=1, offset=1).items) == 1


EMAIL = TagProposal("email", "E-mail address", 0.9, 0.99, True, {"pattern": "a+@a+"})
CODE = TagProposal("code", "Code", 0.4, 1.0, False, {}, generic=True)


def _tags(db: Session, column: LakeColumn) -> dict[str, str]:
    return {item.Tag.domain: item.Tag.status for item in find_tags(db, column_id=column.id, limit=1000).items}


def test_proposals_follow_the_data_until_a_person_decides(db: Session, table: Table) -> None:
    column = tables.get_column(db, table.id, "mail")
    put_tags(db, column.id, [EMAIL, CODE], 1)
    assert _tags(db, column) == {"email": "proposed", "code": "proposed"}
    put_tags(db, column.id, [replace(EMAIL, score=0.95)], 2)
    item = find_tags(db, column_id=column.id, limit=1000).items[0]
    assert (item.Tag.score, item.Tag.version, item.Table.name, item.LakeColumn.name) == (0.95, 2, "orders", "mail")
    tags.decide_tag(db, item.Tag.id, "accepted", "ann")
    put_tags(db, column.id, [CODE], 3)
    assert _tags(db, column) == {"email": "accepted", "code": "proposed"}
    put_tags(db, column.id, [replace(EMAIL, score=0.2)], 4)
    db.expire_all()
    tag = find_tags(db, domain="email", limit=1000).items[0].Tag
    assert (tag.status, tag.actor, tag.score, tag.version) == ("accepted", "ann", 0.2, 4)


def test_a_rejected_tag_is_not_proposed_again(db: Session, table: Table) -> None:
    column = tables.get_column(db, table.id, "mail")
    put_tags(db, column.id, [EMAIL], 1)
    with pytest.raises(UsageError, match="say why they may be seen"):
        tags.decide_tag(db, find_tags(db, limit=1000).items[0].Tag.id, "rejected", "ann")
    tags.decide_tag(db, find_tags(db, limit=1000).items[0].Tag.id, "rejected", "ann", "test addresses")
    put_tags(db, column.id, [], 2)
    put_tags(db, column.id, [EMAIL], 3)
    assert _tags(db, column) == {"email": "rejected"}
    assert find_tags(db, status="proposed", limit=1000).items == []
    with pytest.raises(UsageError, match="proposed, accepted, rejected"):
        tags.decide_tag(db, find_tags(db, limit=1000).items[0].Tag.id, "maybe", "ann")
    with pytest.raises(NotFound):
        tags.decide_tag(db, 999, "accepted", "ann")


def test_a_column_is_sensitive_while_a_tag_of_it_is(db: Session, table: Table) -> None:
    columns = {one.name: one.id for one in tables.list_columns(db, table.id)}

    def sensitive() -> set[str]:
        db.expire_all()
        return set(db.exec(select(LakeColumn.name).where(LakeColumn.sensitive)))

    tags.put_table_tags(db, {columns["mail"]: [EMAIL, CODE], columns["id"]: [CODE]}, 1)
    assert sensitive() == {"mail"}
    assert [(one["domain"], one["columns"]) for one in find_domains(db)] == [("code", 2), ("email", 1)]
    tag = find_tags(db, domain="email", limit=1000).items[0].Tag
    tags.decide_tag(db, tag.id, "rejected", "ann", "test addresses")
    assert sensitive() == set()
    tags.decide_tag(db, tag.id, "proposed", "ann")
    assert sensitive() == {"mail"}
    tags.put_table_tags(db, {columns["mail"]: []}, 2)
    assert sensitive() == {"mail"}, "one batch without addresses shows nobody the earlier ones"
    tags.decide_tag(db, tag.id, "rejected", "ann", "test addresses")
    assert sensitive() == set()
