"""A catalog with a table that broke a rule, made through the store's own functions; no lake is needed."""

from __future__ import annotations

from singly import upsert_table
from sqlmodel import Session

from catalog.rules.rule import Rule
from catalog.rules.verdict import VIOLATED, Verdict
from catalog.store.expectations import rules
from catalog.store.incidents import outcomes
from catalog.store.lake import sources, tables
from catalog.store.models import Incident
from catalog.store.pages import work


def table_of(db: Session, name: str, source: str = "shop") -> int:
    """A table with columns mail and amount, each with a rule."""
    known = {one.name for one in sources.list_sources(db)}
    key = sources.get_source(db, source).id if source in known else sources.add_source(db, source, f"/{source}").id
    table = upsert_table(db, key, name, f"/{source}/{name}").id
    tables.set_columns(db, table, [["mail", "string"], ["amount", "double"]])
    learned = [
        Rule("pattern", one, {"program": []}, 0.001, f"{one} is as before.", "fmdv") for one in ("mail", "amount")
    ]
    rules.put_rules(db, table, learned, learners=["fmdv"], since_version=0)
    return table


def break_rule(db: Session, table: int, version: int, column: str = "amount", sentence: str = "") -> Incident:
    """A version breaks the rule of a column."""
    row = next(one for one in rules.active_rules(db, table) if one.column_name == column)
    said = Verdict(VIOLATED, sentence or f"{column} is 100 times too large.", {}, {}, "nonconforming", 0.27, None, 0.01)
    outcomes.follow_up(db, outcomes.record_outcomes(db, [outcomes.outcome_row(table, version, row.id, said)]))
    return work.find_incidents(db, status="open", table_id=table).items[0].Incident
