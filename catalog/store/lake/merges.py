"""Merged states of neighbouring data files: kept to save work, never needed. Each function takes a session and never
commits."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from sqlalchemy import delete
from sqlmodel import Session, col, select

from catalog.store.engine import chunks, insert_new
from catalog.store.models import MergedState


def merged_states(session: Session, table_id: int, digests: Iterable[str]) -> dict[str, bytes]:
    """The encoded states that are kept of these digests."""
    found: dict[str, bytes] = {}
    for part in chunks(sorted(set(digests))):
        query = select(MergedState.digest, MergedState.state).where(MergedState.table_id == table_id)
        found.update(tuple(row) for row in session.exec(query.where(col(MergedState.digest).in_(part))))  # type: ignore[misc]
    return found


def put_merged_states(session: Session, table_id: int, states: Mapping[str, bytes]) -> None:
    """Keep states by digest; one that is kept already stays."""
    rows = [{"table_id": table_id, "digest": digest, "state": state} for digest, state in sorted(states.items())]
    insert_new(session, MergedState, rows)


def drop_merged_states(session: Session, table_id: int, keep: Collection[str] = ()) -> int:
    """Forget the table's merged states but those of these digests. Returns how many went."""
    query = select(MergedState.digest).where(MergedState.table_id == table_id)
    gone = sorted(set(session.exec(query)) - set(keep))
    for part in chunks(gone):
        session.exec(
            delete(MergedState).where(col(MergedState.table_id) == table_id, col(MergedState.digest).in_(part))
        )
    return len(gone)


def forget_merged_state(session: Session, table_id: int, digest: str) -> None:
    """Forget one merged state, so that it can be put again."""
    session.exec(delete(MergedState).where(col(MergedState.table_id) == table_id, col(MergedState.digest) == digest))
