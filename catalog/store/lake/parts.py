"""Counted parts of data files. Each function takes a session and never commits."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlmodel import Session, col, delete, func, select

from catalog.store.engine import chunks, insert_new
from catalog.store.models import MergedPart, PartFiles, PartState

#: A part that takes more bytes than this of one file is not kept: a column of as many distinct values as rows; a
#: bound of space.
LARGEST = 64 << 20
TOO_MANY = "too many distinct values to keep"
#: How the encoding of a part begins whose groups lie in a sorted file (`catalog.measures.part.Part.encode`).
IN_FILE = b"\x01{"


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
    _drop_merged(session, table_id, keep)


def merged_parts(session: Session, table_id: int, parts: Sequence[str]) -> dict[str, tuple[frozenset[str], bytes]]:
    """(keys of the files, merged state) of the parts that were merged."""
    sets = {
        row.digest: frozenset(row.keys) for row in session.exec(select(PartFiles).where(PartFiles.table_id == table_id))
    }
    query = select(MergedPart).where(MergedPart.table_id == table_id)
    found: dict[str, tuple[frozenset[str], bytes]] = {}
    for some in chunks(list(parts)):
        for row in session.exec(query.where(col(MergedPart.part).in_(some))):
            found |= {row.part: (sets[row.digest], row.state)} if row.digest in sets else {}
    return found


def put_merged_parts(session: Session, table_id: int, merged: Mapping[str, tuple[frozenset[str], bytes]]) -> None:
    """Keep merged parts in the place of those that were kept of them."""
    for some in chunks(sorted(merged)):
        old = delete(MergedPart).where(col(MergedPart.table_id) == table_id, col(MergedPart.part).in_(some))
        session.exec(old)
    sets = {_digest(keys): keys for keys, _ in merged.values()}
    insert_new(session, PartFiles, [{"table_id": table_id, "digest": d, "keys": sorted(k)} for d, k in sets.items()])
    rows = [
        {"table_id": table_id, "part": part, "digest": _digest(keys), "state": state}
        for part, (keys, state) in sorted(merged.items())
    ]
    insert_new(session, MergedPart, rows)
    _drop_sets(session, table_id)


def stored_parts(session: Session, table_id: int) -> tuple[dict[str, int], set[str]]:
    """Names of the sorted files that parts of data files lie in, with the rows that name them; and those of merged
    parts."""
    names: dict[str, int] = {}
    query = select(PartState.id, PartState.state).where(PartState.table_id == table_id)
    for key, state in session.exec(query.where(func.substr(PartState.state, 1, 2) == IN_FILE)):
        names[json.loads((state or b"")[1:])["file"]] = key
    other = select(MergedPart.state).where(MergedPart.table_id == table_id)
    found = session.exec(other.where(func.substr(MergedPart.state, 1, 2) == IN_FILE))
    return names, {json.loads(state[1:])["file"] for state in found}


def forget_parts(session: Session, ids: Iterable[int]) -> None:
    """Forget what was counted, so that it is counted again."""
    for some in chunks(sorted(ids)):
        session.exec(delete(PartState).where(col(PartState.id).in_(some)))


def part_bytes(session: Session, table_id: int | None = None) -> int:
    """Bytes of the catalog that counted parts take, of one table or of all; sorted files beside it are not in it."""
    total = 0
    for model in (PartState, MergedPart):
        query = select(func.coalesce(func.sum(func.length(model.state)), 0))
        total += int(session.exec(query.where(model.table_id == table_id) if table_id is not None else query).one())
    return total


def _digest(keys: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(sorted(keys)).encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _drop_merged(session: Session, table_id: int, keep: Sequence[str]) -> None:
    session.exec(delete(MergedPart).where(col(MergedPart.table_id) == table_id, col(MergedPart.part).not_in(keep)))
    _drop_sets(session, table_id)


def _drop_sets(session: Session, table_id: int) -> None:
    used = select(MergedPart.digest).where(MergedPart.table_id == table_id)
    session.exec(delete(PartFiles).where(col(PartFiles.table_id) == table_id, col(PartFiles.digest).not_in(used)))
