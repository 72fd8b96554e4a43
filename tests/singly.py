"""What the store does for many at once, for the one that a test is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlmodel import Session, col, func, select

from catalog.store.incidents.outcomes import record_outcomes
from catalog.store.lake.sources import upsert_tables
from catalog.store.meaning.tags import put_table_tags
from catalog.store.models import MergedState, Outcome, Table, Version
from catalog.tags.proposal import TagProposal


def upsert_table(session: Session, source_id: int, name: str, uri: str) -> Table:
    return upsert_tables(session, source_id, [(name, uri)])[0]


def put_tags(session: Session, column_id: int, proposals: Iterable[TagProposal], version: int) -> None:
    put_table_tags(session, {column_id: list(proposals)}, version)


def record_outcome(session: Session, row: Mapping[str, Any]) -> Outcome | None:
    """None where it was there already."""
    return next(iter(record_outcomes(session, [row])), None)


def get_version(session: Session, table_id: int, number: int) -> Version:
    """With its metrics."""
    return session.exec(select(Version).where(Version.table_id == table_id, Version.number == number)).one()


def count_merged_states(session: Session, table_id: int) -> int:
    return session.exec(select(func.count()).where(col(MergedState.table_id) == table_id)).one()
