"""Columns that have another name now (column mapping): what is known of them goes on under it. Never commits.

Its tags and profile hang on the column's id; rules with their events, what people decided about clauses, incidents and
the metrics of past batches name it, and are given the new name. What was known of another column that had the name is
set aside, under a name that no column has.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import delete, update
from sqlmodel import Session, col, select

from catalog.errors import StateError
from catalog.history.series import TableMetrics
from catalog.rules.rule import Rule
from catalog.store.engine import chunks
from catalog.store.expectations.rules import as_rule
from catalog.store.models import ClauseDecision, Incident, LakeColumn, RuleEvent, RuleRow, Tag, Version

_NAMED: tuple[Any, ...] = (RuleRow, RuleEvent, ClauseDecision, Incident)


def rename_columns(
    session: Session, table_id: int, moved: Mapping[str, str], anew: Collection[str] = (), *, version: int = 0
) -> None:
    """Give columns new names (old -> new). One that had such a name is gone, and so is what was known of those that
    stand for another column from `version` on (`anew`)."""
    gone = (set(moved.values()) | set(anew)) - set(moved)
    _columns(session, table_id, moved, gone)
    aside = {name: f"{name} (dropped before version {version})" for name in sorted(gone)}
    _names(session, table_id, {**moved, **aside}, retired=set(aside.values()))
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
        rule = _told(as_rule(row), told[row.column_name], row.column_name)
        row.body, row.fingerprint = rule.to_json(), rule.fingerprint
        row.sentence = row.sentence.replace(repr(told[row.column_name]), repr(row.column_name))
        if row.column_name in retired:
            row.status = "superseded"
    session.flush()


def _told(rule: Rule, old: str, new: str) -> Rule:
    return replace(rule, column=new, sentence=rule.sentence.replace(repr(old), repr(new)))


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
