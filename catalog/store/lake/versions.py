"""Versions of tables and the states of their data files. Each function takes a session and never commits."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import String, cast, delete, update
from sqlalchemy.orm import defer
from sqlmodel import Session, col, func, select

from catalog.history.calendar.seasons import AHEAD, BETWEEN, SINCE, same_times
from catalog.history.labels import UNHEALTHY
from catalog.store.engine import chunks, insert_new
from catalog.store.models import FileState, MergedPart, MergedState, PartFiles, PartState, Table, Version, now
from catalog.tags.privacy.inside import mask_inside
from catalog.tags.privacy.masking import mask


@dataclass(frozen=True)
class StateTotals:
    """What is kept of data files: how many, their rows and bytes, and the bytes of their states."""

    files: int
    rows: int
    data_bytes: int
    state_bytes: int

    @property
    def ratio(self) -> float:
        """Bytes of states per byte of data, 0.0 without data."""
        return self.state_bytes / self.data_bytes if self.data_bytes else 0.0


class Point(NamedTuple):
    """A version in a series of metrics; these are empty where nothing but its rows is asked for."""

    number: int
    committed_at: datetime
    batch: str
    batch_rows: int | None
    metrics: bytes
    label: str | None


#: Bounds of what is kept of a commit's information, which its writer may make of any size: characters of one text,
#: entries of a mapping or list, how deep they lie in each other, and characters of it all.
MOST_TEXT, MOST_ENTRIES, DEEPEST, MOST_CHARACTERS = 2_000, 100, 8, 20_000
#: Who wrote a version is asked for where something is wrong with it.
_WRITERS = frozenset({"userName", "userId"})
_LITERAL = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*\"""")


def told_by_log(told: Mapping[str, Any]) -> dict[str, Any]:
    """What a log says of a commit or of its table, as it may be kept and shown: without values of the lake, and
    bounded. Of conditions (``predicate`` of a DELETE) texts are masked; elsewhere what is an address or a secret by
    itself.

    >>> told_by_log({"userName": "ann@b.io", "operationParameters": {"predicate": ["mail = 'ann@b.io' AND n > 7"]}})
    {'userName': 'ann@b.io', 'operationParameters': {'predicate': ["mail = 'aaa@a.aa' AND n > 7"]}}
    >>> len(told_by_log({"x": "Z" * 9_000, "operation": "WRITE"})["x"])
    2001
    """
    left = MOST_CHARACTERS

    def kept(value: Any, name: str, level: int) -> Any:
        nonlocal left
        if isinstance(value, str):
            text = value if len(value) <= MOST_TEXT else value[:MOST_TEXT] + "…"
            if "predicate" in name.lower():
                text = _LITERAL.sub(lambda found: mask(found[0], limit=MOST_TEXT), text)
            value = text if name in _WRITERS else mask_inside(text)
            left -= len(value)
        elif isinstance(value, Mapping | list) and level >= DEEPEST:
            return "…"
        elif isinstance(value, Mapping):
            found = {}
            for key, part in itertools.islice(value.items(), MOST_ENTRIES):
                if left <= 0:
                    break
                left -= len(str(key))
                found[mask_inside(str(key)[:MOST_TEXT])] = kept(part, str(key), level + 1)
            return found
        elif isinstance(value, list):
            return [kept(part, name, level + 1) for part in value[:MOST_ENTRIES] if left > 0]
        else:
            left -= 1
        return value

    found: dict[str, Any] = kept(dict(told), "", 0)
    return found


def record_versions(session: Session, table_id: int, versions: Iterable[Mapping[str, Any]]) -> list[int]:
    """Keep versions that are not known yet; those that are stay as they were. Also lifts the table's `seen_version`.

    Each version is ``{"number", "committed_at", "operation", "commit_info", "batch", "rows", "batch_rows",
    "files_added", "files_removed", "schema_columns", "status"}``; all but the first two may be left out.
    Returns the numbers of those that were new, ascending.
    """
    rows = sorted(({**version, "table_id": table_id} for version in versions), key=lambda row: row["number"])
    if not rows:
        return []
    new = insert_new(session, Version, rows, returning=[Version.number])
    newest = rows[-1]["number"]
    session.exec(
        update(Table).where(col(Table.id) == table_id, col(Table.seen_version) < newest).values(seen_version=newest)
    )
    return sorted(number for (number,) in new)


def list_versions(session: Session, table_id: int, *, limit: int = 100, before: int | None = None) -> list[Version]:
    """The latest versions, newest first, those before `before` only; their metrics are not loaded."""
    query = select(Version).where(Version.table_id == table_id).options(defer(Version.metrics, raiseload=True))  # type: ignore[arg-type]
    if before is not None:
        query = query.where(Version.number < before)
    return list(session.exec(query.order_by(col(Version.number).desc()).limit(limit)))


def last_with_data(session: Session, table_id: int, until: int) -> int | None:
    """The last version up to one that changed data."""
    query = select(Version.number).where(Version.table_id == table_id, Version.number <= until, Version.batch != "none")
    return session.exec(query.order_by(col(Version.number).desc())).first()


def forget_states(session: Session, table_id: int) -> None:
    """Drop the states of a table's files: they are folded again, as after a column was renamed."""
    for model in (FileState, MergedState, PartState, MergedPart, PartFiles):
        session.exec(delete(model).where(col(model.table_id) == table_id))  # type: ignore[attr-defined]


def schemas(session: Session, table_id: int, numbers: Iterable[int]) -> dict[int, list[list[str]]]:
    """The columns of these versions, by number."""
    query = select(Version.number, cast(Version.schema_columns, String)).where(Version.table_id == table_id)
    told: dict[int, str] = {}
    for part in chunks(sorted(numbers)):
        told.update(session.exec(query.where(col(Version.number).in_(part))).all())
    columns = {text: json.loads(text) for text in set(told.values())}  # hardly any differ
    return {number: columns[text] for number, text in told.items()}


def find_version(session: Session, table_id: int, number: int) -> Version | None:
    """One version, without its metrics; None when it is not known."""
    query = select(Version).where(Version.table_id == table_id, Version.number == number)
    return session.exec(query.options(defer(Version.metrics, raiseload=True))).first()  # type: ignore[arg-type]


def shares_rows(session: Session, table_id: int, earlier: int, later: int) -> bool:
    """Whether two increments hold the same rows, of a job that replaces as many days each time with a new one among
    them: the rows of a day come in as many versions."""
    days = col(Version.commit_info)["partitions"].as_integer()
    between = select(func.count(), func.max(days)).where(
        Version.table_id == table_id,
        Version.batch == "increment",
        col(Version.number) > earlier,
        col(Version.number) <= later,
    )
    came, replaced = session.exec(between).one()
    return 0 < came < (replaced or 0)


def set_version(session: Session, table_id: int, number: int, **values: Any) -> None:
    """Set fields of a version (metrics, batch, rows, batch_rows, status, label)."""
    query = update(Version).where(col(Version.table_id) == table_id, col(Version.number) == number)
    session.exec(query.values(**values).execution_options(synchronize_session=False))


def set_measured(session: Session, table_id: int, metrics: str) -> None:
    """The table's versions have the metrics of this fingerprint, where their states were there."""
    session.exec(update(Table).where(col(Table.id) == table_id).values(measured=metrics))


def mark_judged(session: Session, table_id: int, number: int) -> None:
    """All active rules have said what they say of this version. Later versions are judged after it only."""
    set_version(session, table_id, number, status="judged", judged_at=now())
    session.exec(
        update(Table).where(col(Table.id) == table_id, col(Table.judged_version) < number).values(judged_version=number)
    )


def metric_series(
    session: Session,
    table_id: int,
    batch: str,
    *,
    limit: int = 90,
    before: int | None = None,
    skip_labels: Sequence[str] = ("incident",),
    between: tuple[datetime, datetime] | None = None,
) -> list[Point]:
    """The metrics of the latest `limit` batches of one kind (snapshot, increment, rewrite), oldest first.

    Only versions before `before` and committed `between` two times, and none whose label a person set to one of
    `skip_labels`.
    """
    fields = (Version.number, Version.committed_at, Version.batch, Version.batch_rows, Version.metrics, Version.label)
    query: Any = select(*fields).where(  # type: ignore[call-overload]
        Version.table_id == table_id, Version.batch == batch, col(Version.metrics).is_not(None)
    )
    if before is not None:
        query = query.where(Version.number < before)
    if between is not None:
        query = query.where(col(Version.committed_at).between(*between))
    if skip_labels:
        query = query.where(func.coalesce(Version.label, "").not_in(list(skip_labels)))
    rows = session.exec(query.order_by(col(Version.number).desc()).limit(limit)).all()
    return [Point(*row) for row in reversed(rows)]


def past_batches(
    session: Session, table_id: int, kind: str, *, limit: int, before: int | None = None
) -> list[tuple[int, Point | None]]:
    """``(version, its metrics)`` of a table's batches of one kind, oldest first, from the `limit`-th last healthy one
    on; those before version `before` only.

    A batch that is not healthy, or whose files are gone, is a hole (None): it keeps its place, so that seven batches
    before stays the same day of the week. So does a version that was never read: the log went before anybody came.
    """
    healthy = metric_series(session, table_id, kind, limit=limit, before=before, skip_labels=UNHEALTHY)
    if not healthy:
        return []
    query = select(Version.number, Version.batch).where(
        Version.table_id == table_id, col(Version.number) >= healthy[0].number
    )
    if before is not None:
        query = query.where(Version.number < before)
    known = {point.number: point for point in healthy}
    found: list[tuple[int, Point | None]] = []
    last = healthy[0].number
    for number, batch in session.exec(query.order_by(col(Version.number))):
        found += [(unread, None) for unread in range(max(last + 1, number - limit), number)]
        found += [(number, known.get(number))] if batch == kind else []
        last = number
    unread = range(max(last + 1, before - limit), before) if before is not None else ()
    return found + [(number, None) for number in unread]


def past_and_seasons(
    session: Session, table_id: int, kind: str, *, limit: int, before: int | None = None
) -> list[tuple[int, Point | None]]:
    """The `past_batches`, and ahead of them those of the same time of earlier days and weeks, where they do not reach
    back as far: of a table of many batches a day ninety are less than one. Of these nothing but their rows is read, of
    as many of each day at most, however many came; `BETWEEN` holes after each.
    """
    found = past_batches(session, table_id, kind, limit=limit, before=before)
    healthy = [point for _, point in found if point is not None]
    if len(healthy) < max(limit, 2):
        return found
    for span in same_times([point.committed_at for point in healthy]):
        first = found[0][0]
        points = metric_series(
            session, table_id, kind, limit=SINCE + AHEAD + 1, before=first, skip_labels=(), between=span
        )
        if points:
            last = points[-1].number
            holes = [(number, None) for number in range(last + 1, min(last + 1 + BETWEEN, first))]
            rows = [one._replace(metrics=b"") for one in points]
            found = [*((one.number, None if one.label in UNHEALTHY else one) for one in rows), *holes, *found]
    return found


def known_file_keys(session: Session, table_id: int) -> set[str]:
    """Keys of the data files whose states are kept."""
    return set(session.exec(select(FileState.key).where(FileState.table_id == table_id)))


class NewState(NamedTuple):
    """The encoded state of a data file of so many rows and bytes, written at `modified_ms` (epoch milliseconds, 0 where
    the log does not say)."""

    table_id: int
    key: str
    rows: int
    data_bytes: int
    state: bytes
    modified_ms: int = 0


def put_file_states(session: Session, rows: Iterable[NewState | tuple[int, str, int, int, bytes]]) -> int:
    """Keep states. A file that has one keeps it. Returns how many were new."""
    new = sorted((NewState(*row) for row in rows), key=lambda row: row[:2])
    values = [{**row._asdict(), "state_bytes": len(row.state)} for row in new]
    return len(insert_new(session, FileState, values, returning=[FileState.id]))


def file_states(session: Session, table_id: int, keys: Iterable[str]) -> dict[str, bytes]:
    """The encoded states of these data files; a file without one is absent."""
    found: dict[str, bytes] = {}
    for part in chunks(sorted(set(keys))):
        query = select(FileState.key, FileState.state).where(FileState.table_id == table_id)
        found.update(tuple(row) for row in session.exec(query.where(col(FileState.key).in_(part))))  # type: ignore[misc]
    return found


def file_order(session: Session, table_id: int) -> dict[str, int]:
    """Each data file whose state is kept, with the time of its writing (epoch milliseconds)."""
    return dict(session.exec(select(FileState.key, FileState.modified_ms).where(FileState.table_id == table_id)).all())


def state_totals(session: Session, table_id: int | None = None) -> StateTotals:
    """Totals over the states of one table, or of all. Files that no version lists any more count too."""
    sums = [func.coalesce(func.sum(one), 0) for one in (FileState.rows, FileState.data_bytes, FileState.state_bytes)]
    query: Any = select(func.count(), *sums).select_from(FileState)
    if table_id is not None:
        query = query.where(FileState.table_id == table_id)
    files, *others = session.exec(query).one()
    return StateTotals(int(files), *(int(one) for one in others))  # PostgreSQL sums big integers as Decimal
