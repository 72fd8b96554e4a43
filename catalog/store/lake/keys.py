"""Samples of keys: of columns that are called so, with the references learned from them, and of what loads brought.
No function commits."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlmodel import Session, col, delete, select

from catalog.errors import UsageError
from catalog.rules.verdict import NOT_APPLICABLE, VIOLATED
from catalog.store.engine import chunks, insert_new
from catalog.store.lake.tables import get_table
from catalog.store.models import GONE, KeyLoad, KeySample, Outcome, RuleRow, Source, Table, Version

KIND = "reference"
#: Versions of a table that a reference is asked of at once, where several came; a bound.
AT_ONCE = 30


def sampled_versions(session: Session) -> dict[int, int]:
    """The version of each table that its samples are of."""
    return dict(session.exec(select(KeySample.table_id, KeySample.version).distinct()).all())


def put_key_samples(session: Session, table_ids: Collection[int], rows: Iterable[Mapping[str, Any]]) -> None:
    """Make the samples of these tables those given; what columns were refused stays known."""
    refused: dict[tuple[int, str], dict[str, list[int]] | None] = {}
    for part in chunks(sorted(table_ids)):
        mine = col(KeySample.table_id).in_(part)
        known = session.exec(select(KeySample.table_id, KeySample.column_name, KeySample.refused).where(mine))
        refused |= {(table_id, name): dict(one) for table_id, name, one in known if one}
        session.exec(delete(KeySample).where(mine))
    kept = [{**row, "refused": refused.get((row["table_id"], row["column_name"]))} for row in rows]
    insert_new(session, KeySample, kept)


def refuse(session: Session, table_id: int, column: str, other: str, versions: tuple[int, int]) -> None:
    """Keep that not all rows of a column named one of another table, at these versions of both."""
    query = select(KeySample).where(KeySample.table_id == table_id, KeySample.column_name == column)
    row = session.exec(query).one()
    times = (row.refused or {}).get(other, [0])[0] + 1
    row.refused = {**(row.refused or {}), other: [times, *versions]}


def samples_beside(session: Session, table_ids: Collection[int]) -> list[tuple[KeySample, Table, str]]:
    """(sample, its table, the source's name) of all tables in the sources of these."""
    sources = select(Table.source_id).where(col(Table.id).in_(table_ids))
    query = select(KeySample, Table, Source.name).where(
        KeySample.table_id == Table.id, Table.source_id == Source.id, col(Table.source_id).in_(sources),
        col(Table.status).not_in(GONE),
    )  # fmt: skip
    return [tuple(row) for row in session.exec(query.order_by(col(Table.id), col(KeySample.id)))]  # type: ignore[misc]


def asked_after(session: Session, table_ids: Collection[int]) -> list[RuleRow]:
    """The references in force of these tables, or to one of them."""
    query = select(RuleRow).where(RuleRow.kind == KIND, RuleRow.status == "active").order_by(col(RuleRow.id))
    found = []
    for row in session.exec(query):
        try:
            other = get_table(session, row.body["other"]).id
        except UsageError:  # renamed, or forgotten
            continue
        if row.table_id in table_ids or other in table_ids:
            found.append(row)
    return found


def decided_columns(session: Session, table_id: int) -> set[str]:
    """Columns of a table that have a reference, in force or refused by a person."""
    query = select(RuleRow.column_name).where(RuleRow.table_id == table_id, RuleRow.kind == KIND)
    return set(session.exec(query.where(RuleRow.status != "superseded")))


def unanswered(session: Session, row: RuleRow, judged: int) -> list[tuple[Version, Outcome | None]]:
    """The versions that a reference has said nothing of, and those that it is not content with, with what it said: the
    latest one if that broke it, and whichever waits for the other table. Oldest first."""
    query = select(Version).where(
        Version.table_id == row.table_id, Version.number > row.since_version, Version.number <= judged,
        Version.batch != "none", Version.status != "lost",
    )  # fmt: skip
    known: Sequence[Version] = session.exec(query.order_by(col(Version.number).desc()).limit(AT_ONCE)).all()
    numbers = [version.number for version in known]
    told = select(Outcome).where(Outcome.rule_id == row.id, col(Outcome.version).in_(numbers))
    outcomes = {one.version: one for one in session.exec(told)}
    found = [(version, outcomes.get(version.number)) for version in reversed(known)]
    latest = found[-1][0].number if found else None
    return [
        (version, said)
        for version, said in found
        if said is None or is_waiting(said) or (said.status == VIOLATED and version.number == latest)
    ]


def is_waiting(said: Outcome) -> bool:
    """Whether rows lacked their value when a reference was asked, and may have it still."""
    return said.status == NOT_APPLICABLE and bool((said.detail or {}).get("observed"))


def rename_referred(session: Session, called: Mapping[str, str]) -> None:
    """Have the references to tables (``source/name``) name them as they are called now."""
    query = select(RuleRow).where(RuleRow.kind == KIND)
    for row in session.exec(query) if called else ():
        old = str(row.body["other"])
        if old in called:
            row.sentence = row.sentence.replace(f" {old}.", f" {called[old]}.")
            row.body = {**row.body, "other": called[old], "sentence": row.sentence}


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
