"""What incidents and outcomes say of a column is taken back when the column becomes sensitive. Never commits."""

from __future__ import annotations

from collections.abc import Collection

from sqlmodel import Session, col, select

from catalog.rules.verdict import VIOLATED
from catalog.store.models import Incident, Outcome, RuleRow, Table


def hide_causes(session: Session, table_id: int, private: Collection[str]) -> None:
    """Take what may be a value of these columns out of the causes of a table's incidents, for good."""
    from catalog.causes.cause import NONCONFORMING  # heavy, and seldom needed
    from catalog.causes.words import veiled

    query = select(Incident, Table.name).join(Table, col(Table.id) == col(Incident.table_id))
    for incident, table in session.exec(query.where(Incident.table_id == table_id, Incident.cause != "")):
        if set(incident.columns or []) & set(private):
            told = {name: incident.diagnosis.get(name, "") for name in ("key", "undo", "others")}
            first = session.get_one(Outcome, incident.outcome_id)
            share = first.sentence if first.metric == NONCONFORMING else ""
            incident.sentence = veiled(incident.cause, table, incident.columns, share)
            incident.diagnosis = told | {"size": {}, "figures": {}, "proof": ""}
    said = select(Outcome).join(RuleRow, col(RuleRow.id) == col(Outcome.rule_id)).where(Outcome.table_id == table_id)
    for outcome in session.exec(said.where(col(RuleRow.column_name).in_(private), Outcome.status == VIOLATED)):
        if "outside" in (outcome.detail.get("offenders") or {}):
            outcome.detail = outcome.detail | {"offenders": {}}
