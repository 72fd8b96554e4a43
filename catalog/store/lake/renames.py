"""Columns that have another name now (column mapping): what is known of them goes on under it. Never commits.

Its tags and profile hang on the column's id; rules with their events, what people decided about clauses, incidents and
the metrics of past batches name it, and are given the new name. What was known of another column that had the name is
set aside, under a name that no column has.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import String, cast, delete, update
from sqlmodel import Session, col, select

from catalog.declared.constraint import Constraint
from catalog.errors import StateError
from catalog.history.series import TableMetrics
from catalog.rules.kinds.declared import DeclaredRule
from catalog.rules.kinds.key import OneOfEach
from catalog.rules.rule import DECLARED, Rule, family
from catalog.store.access import audit
from catalog.store.engine import chunks
from catalog.store.expectations.rules import as_rule
from catalog.store.lake.keys import rename_referred
from catalog.store.lake.tables import full_name
from catalog.store.models import ClauseDecision, Incident, KeyLoad, LakeColumn, RuleEvent, RuleRow, Table, Tag, Version

_NAMED: tuple[Any, ...] = (RuleRow, RuleEvent, ClauseDecision, Incident, KeyLoad)


def rename_columns(
    session: Session, table_id: int, moved: Mapping[str, str], remade: Collection[str] = (), *, version: int = 0
) -> None:
    """Give columns new names (old -> new). One that had such a name is gone, and so is what was known of those that
    stand for another column from `version` on (`remade`)."""
    gone = (set(moved.values()) | set(remade)) - set(moved)
    _columns(session, table_id, moved, gone)
    aside = {name: f"{name} (dropped before version {version})" for name in sorted(gone)}
    _names(session, table_id, {**moved, **aside}, retired=set(aside.values()))
    if moved:
        _declared(session, table_id, moved)
    _together(session, table_id, {**moved, **aside}, retired=set(aside.values()))
    _incidents(session, table_id, moved)
    _past(session, table_id, moved, gone)


def _columns(session: Session, table_id: int, moved: Mapping[str, str], gone: Collection[str]) -> None:
    query = select(LakeColumn).where(LakeColumn.table_id == table_id)
    present = {column.name: column for column in session.exec(query)}
    lost = [present[name].id for name in sorted(gone) if name in present]
    session.exec(delete(Tag).where(col(Tag.column_id).in_(lost)))
    session.exec(delete(LakeColumn).where(col(LakeColumn.id).in_(lost)))
    for final in (False, True):  # names may be swapped: nobody may have a name twice on the way
        for old, new in moved.items():
            if old in present:
                present[old].name = new if final else f"{present[old].id} on its way to {new}"
        session.flush()
    table = session.get_one(Table, table_id)
    if table.arrived:  # what is masked because of what came into it stays so
        table.arrived = {moved.get(name, name): came for name, came in table.arrived.items() if name not in gone}
        session.flush()


def _names(session: Session, table_id: int, names: Mapping[str, str], retired: Collection[str]) -> None:
    """Rules and what was said of them. Rules of a column that is gone are demanded no more."""
    for model in _NAMED:
        for final in (False, True):
            for old, new in names.items():
                on_its_way = f"on its way to {new}"
                was, becomes = (on_its_way, new) if final else (old, on_its_way)
                mine = (col(model.table_id) == table_id, col(model.column_name) == was)
                session.exec(update(model).where(*mine).values(column_name=becomes))
    told = {new: old for old, new in names.items()}
    query = select(RuleRow).where(RuleRow.table_id == table_id, col(RuleRow.column_name).in_(list(told)))
    for row in session.exec(query):
        if row.learner.startswith(DECLARED):
            row.status = "superseded" if row.column_name in retired else row.status
            continue
        rule = _told(as_rule(row), told[row.column_name], row.column_name)
        row.body, row.fingerprint = rule.to_json(), rule.fingerprint
        row.sentence = row.sentence.replace(repr(told[row.column_name]), repr(row.column_name))
        if row.column_name in retired:
            row.status = "superseded"
    session.flush()


def _together(session: Session, table_id: int, names: Mapping[str, str], retired: Collection[str]) -> None:
    """Keys of several columns, and what loads brought of them."""
    session.flush()
    query = select(RuleRow).where(RuleRow.table_id == table_id, RuleRow.column_name == "")
    for row in session.exec(query.where(col(RuleRow.kind).in_(family("key") + family("new_key")))):
        before = as_rule(row)
        assert isinstance(before, OneOfEach)
        rule = before.renamed(names)
        if rule == before:
            continue
        row.body, row.fingerprint, row.sentence = rule.to_json(), rule.fingerprint, rule.sentence
        row.status = "superseded" if set(rule.together) & set(retired) else row.status
        mine = (col(KeyLoad.table_id) == table_id, col(KeyLoad.column_name) == before.place)
        session.exec(update(KeyLoad).where(*mine).values(column_name=rule.place))
    session.flush()


def _told(rule: Rule, old: str, new: str) -> Rule:
    return replace(rule, column=new, sentence=rule.sentence.replace(repr(old), repr(new)))


def _declared(session: Session, table_id: int, moved: Mapping[str, str]) -> None:
    """Checks that people declared: the columns and conditions in SQL of those of this table, and what those of other
    tables say of its columns. Each that changes is written into the audit log."""
    session.flush()
    for row, rule in _checks(session, col(RuleRow.table_id) == table_id):
        _follow(session, row, rule.constraint, rule.constraint.renamed(moved))
    name = full_name(session, table_id)
    for row, rule in _checks(session, cast(RuleRow.body, String).contains(json.dumps(name)[1:-1], autoescape=True)):
        if rule.constraint.other == name:
            _follow(session, row, rule.constraint, rule.constraint.with_other_renamed(moved))


def rename_tables(session: Session, called: Mapping[str, str]) -> None:
    """Have what names tables (``source/name``, old to new) name them as they are called now: references, and checks
    that people declared, of which each that changes is written into the audit log."""
    rename_referred(session, called)
    for row, rule in _checks(session, col(RuleRow.status) != "superseded") if called else ():
        if (now := called.get(rule.constraint.other or "")) is not None:
            after = replace(rule.constraint, arguments={**rule.constraint.arguments, "other": now})
            _follow(session, row, rule.constraint, after, f"the other table is called {now} now")


def _checks(session: Session, which: Any) -> list[tuple[RuleRow, DeclaredRule]]:
    query = select(RuleRow).where(which, col(RuleRow.learner).startswith(DECLARED)).order_by(col(RuleRow.id))
    return [(row, rule) for row in session.exec(query) if isinstance(rule := as_rule(row), DeclaredRule)]


def _follow(
    session: Session, row: RuleRow, before: Constraint, after: Constraint, why: str = "its columns have other names now"
) -> None:
    rule = DeclaredRule.of(after)
    if after == before and rule.column == (row.column_name or None):
        return
    row.column_name, row.body = rule.column or "", rule.to_json()
    row.fingerprint, row.sentence = rule.fingerprint, rule.sentence
    session.flush()
    if row.status != "superseded" and after != before:
        item = audit.of_table(session, "rule", row.id, row.table_id, f"check {after.name}")
        told = {"before": {"check": before.sentence}, "after": {"check": after.sentence}}
        audit.record(session, audit.ASSAY, "rename", item, reason=why, **told)


def _incidents(session: Session, table_id: int, moved: Mapping[str, str]) -> None:
    """The columns that an incident lists."""
    for one in session.exec(select(Incident).where(Incident.table_id == table_id)):
        if set(one.columns) & set(moved):
            one.columns = [moved.get(name, name) for name in one.columns]
    session.flush()


def _past(session: Session, table_id: int, moved: Mapping[str, str], gone: Collection[str]) -> None:
    """The metrics of past batches. Those that cannot be read stay as they are."""
    query = select(Version.id, Version.metrics).where(Version.table_id == table_id, col(Version.metrics).is_not(None))
    for part in chunks(session.exec(query).all(), 500):
        for key, data in part:
            try:
                past = TableMetrics.decode(data or b"")
            except StateError:
                continue
            if not (set(moved) | set(gone)) & set(past.columns):
                continue
            columns = {moved.get(name, name): of for name, of in past.columns.items() if name not in gone}
            session.exec(
                update(Version).where(col(Version.id) == key).values(metrics=replace(past, columns=columns).encode())
            )
