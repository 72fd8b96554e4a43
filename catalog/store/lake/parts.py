"""Counted parts of data files. Each function takes a session and never commits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlmodel import Session, col, delete, select

from catalog.store.engine import chunks, insert_new
from catalog.store.models import PartState

#: A part that takes more bytes than this of one file is not kept: a column of as many distinct values as rows.
LARGEST = 64 << 20
TOO_MANY = "too many distinct values to keep"


def put_parts(session: Session, rows: Iterable[Mapping[str, Any]]) -> None:
    """Keep parts, each (table, part, file) once."""
    kept = []
    for row in rows:
        too_much = row["state"] is not None and len(row["state"]) > LARGEST
        kept.append({**row, "state": None, "error": TOO_MANY} if too_much else dict(row))
    insert_new(session, PartState, kept)


def known_parts(session: Session, table_id: int, parts: Sequence[str]) -> set[tuple[str, str]]:
    """(part, file) of what was counted already."""
    query = select(PartState.part, PartState.file_key).where(PartState.table_id == table_id)
    return {tuple(row) for row in session.exec(query.where(col(PartState.part).in_(parts)))}  # type: ignore[misc]


def parts_of(session: Session, table_id: int, part: str, files: Sequence[str]) -> dict[str, PartState]:
    """A part's rows of some files, by file."""
    found: dict[str, PartState] = {}
    for some in chunks(list(files)):
        query = select(PartState).where(PartState.table_id == table_id, PartState.part == part)
        found |= {row.file_key: row for row in session.exec(query.where(col(PartState.file_key).in_(some)))}
    return found


def drop_parts(session: Session, table_id: int, keep: Sequence[str]) -> None:
    """Forget the parts that no rule asks for any more."""
    query = delete(PartState).where(col(PartState.table_id) == table_id, col(PartState.part).not_in(keep))
    session.exec(query)
