"""What loads brought of a table's keys. Each function takes a session and never commits."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from sqlmodel import Session, col, delete, select

from catalog.store.engine import chunks, insert_new
from catalog.store.models import KeyLoad


def key_loads(session: Session, table_id: int) -> list[KeyLoad]:
    """The samples of a table's loads, oldest first."""
    query = select(KeyLoad).where(KeyLoad.table_id == table_id)
    return list(session.exec(query.order_by(col(KeyLoad.number))))


def files_of_load(session: Session, table_id: int, number: int) -> list[str]:
    """Keys of the data files that hold a load; empty where it is not known any more."""
    query = select(KeyLoad).where(KeyLoad.table_id == table_id, KeyLoad.number == number)
    load = session.exec(query.limit(1)).first()
    return [] if load is None else load.files


def put_key_loads(session: Session, rows: Iterable[Mapping[str, Any]]) -> None:
    """Keep what a load brought, once for each column."""
    insert_new(session, KeyLoad, rows)


def forget_key_loads(session: Session, table_id: int, numbers: Collection[int]) -> None:
    """The table does not hold the rows of these versions any more."""
    for part in chunks(sorted(numbers)):
        session.exec(delete(KeyLoad).where(col(KeyLoad.table_id) == table_id, col(KeyLoad.number).in_(part)))
