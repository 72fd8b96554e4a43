"""The transaction log, asked: what a table is at a version, and what each version did. No JVM."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from catalog.errors import AssayError, CorruptLog
from catalog.lake.logs.actions import data_file, key, mapping, moment
from catalog.lake.logs.partitions import TimePartitions
from catalog.lake.logs.replaying import Listing, Snapshot, choose_reader, list_log, read_commit, replay
from catalog.lake.logs.schema import leaves, parse_schema, physical_names, simple_name
from catalog.lake.reading.storage import Entry
from catalog.lake.types import LARGEST, Commit, DataFile, TableInfo

#: Operations that change rows in place, whatever their files look like.
_REWRITES = {"MERGE", "UPDATE", "DELETE", "RESTORE", "TRUNCATE"}


P = ParamSpec("P")
R = TypeVar("R")


def _told_as_damage(function: Callable[P, R]) -> Callable[P, R]:
    """A log is untrusted: actions of another shape than the protocol's are damage, whatever they made go wrong here."""

    @wraps(function)
    def told(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except AssayError:
            raise
        except Exception as error:  # whatever: readers of formats raise what they like at bytes made to mislead them
            raise CorruptLog(
                f"the log holds an action of an unknown shape ({type(error).__name__}: {str(error)[:200]})"
            ) from error

    return told


@_told_as_damage
def read_table(
    uri: str, options: dict[str, str] | None = None, *, version: int | None = None, roots: Sequence[str] = ()
) -> TableInfo:
    """The table at its latest version (or at `version`).

    `roots`: addresses of the folders that paths in the log may lead to; without any, the table's own.

    Raises `TableVanished`, `ClosedLog`, `CorruptLog`, `UnsupportedTable` or `OutsideSource`, each with cause and
    remedy.
    """
    listing = list_log(uri, options, roots)
    at = listing.latest if version is None else version
    snapshot = replay(listing, at)
    fields = snapshot.fields()
    metadata = snapshot.metadata or {}
    files = tuple(snapshot.files.values())
    properties: dict[str, Any] = {
        "id": metadata.get("id"),
        "description": metadata.get("description"),
        "created_at": created.isoformat() if (created := moment(metadata.get("createdTime"))) else None,
        "protocol": snapshot.protocol or {"minReaderVersion": 1, "minWriterVersion": 1},
        "domains": snapshot.domains,
        "bytes": min(LARGEST, sum(file.size for file in files)),
        **_layout(metadata),
    }
    name = str(metadata.get("name") or "") or uri.rstrip("/").rpartition("/")[2]
    reader = choose_reader(snapshot.protocol or {}, fields)
    entry = listing.commits.get(at)
    stamp = entry.stamp if entry else None
    return TableInfo(
        name, uri, at, leaves(fields), _partitions(metadata), files, properties, stamp, reader, listing.storage.roots
    )


def _layout(metadata: dict[str, Any]) -> dict[str, Any]:
    return {
        "configuration": mapping(metadata.get("configuration")),
        "schema": metadata.get("schemaString") or '{"fields": []}',
    }


def _partitions(metadata: dict[str, Any]) -> tuple[str, ...]:
    named = metadata.get("partitionColumns") or []
    if not isinstance(named, list) or not all(isinstance(name, str) for name in named):
        raise CorruptLog("the log's list of partition columns holds what is no name")
    return tuple(named)


@_told_as_damage
def table_at(info: TableInfo, commit: Commit) -> TableInfo:
    """The table as its files were read at an earlier version: that version's columns, partitions and column names."""
    metadata = commit.metadata
    if metadata.get("schemaString") == info.properties["schema"] and _partitions(metadata) == info.partition_columns:
        return replace(info, version=commit.number)
    fields = parse_schema(_layout(metadata)["schema"])
    return replace(
        info,
        version=commit.number,
        columns=leaves(fields),
        partition_columns=_partitions(metadata),
        properties={**info.properties, **_layout(metadata)},
        reader=choose_reader(info.properties["protocol"], fields),
    )


@_told_as_damage
def files_at(
    uri: str, version: int, options: dict[str, str] | None = None, roots: Sequence[str] = ()
) -> tuple[DataFile, ...]:
    """The live data files of a version; raises `CorruptLog` when the log no longer reaches it."""
    return tuple(replay(list_log(uri, options, roots), version).files.values())


@_told_as_damage
def read_commits(
    uri: str, after: int = -1, options: dict[str, str] | None = None, roots: Sequence[str] = ()
) -> list[Commit]:
    """The versions newer than `after`, oldest first: those whose state the retained log still tells.

    Commits that log clean-up removed, or that lie before a gap, are left out: the first one may be newer than
    ``after + 1``. `files_at` gives the files of the first one's predecessor.
    """
    listing = list_log(uri, options, roots)
    latest = listing.latest
    first = latest + 1
    while first - 1 in listing.commits:
        first -= 1
    base, snapshot = _start(listing, max(first, after + 1), latest)
    commits = []
    partitions = TimePartitions()
    if snapshot is not None and snapshot.metadata is not None:
        partitions.follow(_partitions(snapshot.metadata), snapshot.fields(), (), (), snapshot.files.values())
    for number in range(base, latest + 1):
        actions = read_commit(listing, number)
        replaces_all = None if snapshot is None else _replaces_all(actions, snapshot)
        come, gone = _moved(actions, {} if snapshot is None else snapshot.files)
        if snapshot is None:  # this very version has a checkpoint and nothing before it is retained
            snapshot = replay(listing, number)
        else:
            snapshot.version = number
            snapshot.apply(actions)
        named = _partitions(snapshot.metadata or {})
        whole = partitions.follow(named, snapshot.fields(), come, gone, snapshot.files.values()) if named else 0
        if number > after:
            commits.append(_commit(number, actions, replaces_all, snapshot, listing.commits[number], whole))
    return commits


def _start(listing: Listing, first: int, latest: int) -> tuple[int, Snapshot | None]:
    """The first version from `first` on that can be told, and the table before it (None: only after it)."""
    for number in range(first, latest + 1):
        if listing.bases(number - 1) if number else True:
            return number, replay(listing, number - 1)
        if listing.bases(number):
            return number, None
    if first <= latest or not listing.bases(latest):
        raise CorruptLog(f"commit {listing.gap(latest)} is missing from the log")
    return latest + 1, None


def _commit(
    number: int, actions: list[dict[str, Any]], replaces_all: bool | None, snapshot: Snapshot, entry: Entry, whole: int
) -> Commit:
    told = next((action["commitInfo"] for action in actions if action.get("commitInfo")), None)
    info: dict[str, Any] = told if isinstance(told, dict) else {}
    written = moment(info.get("inCommitTimestamp")) or moment(info.get("timestamp"))
    metadata, fields = snapshot.metadata or {}, snapshot.fields()
    mapped = mapping(metadata.get("configuration")).get("delta.columnMapping.mode")
    added, removed = _all_of(actions, "add"), _all_of(actions, "remove")
    operation, batch = str(info.get("operation") or "UNKNOWN"), batch_kind(info, added, removed, replaces_all)
    rows_come = operation.upper() not in _REWRITES and all(one.get("dataChange", True) for one in (*added, *removed))
    return Commit(
        number,
        written or moment(entry.modified * 1000) or datetime.fromtimestamp(0, UTC),
        operation,
        info,
        batch,
        tuple(data_file(action) for action in added),
        tuple(key(action) for action in removed),
        leaves(fields),
        written is not None,
        metadata,
        physical_names(fields) if mapped in ("name", "id") else {},
        whole if rows_come and batch in ("append", "rewrite") else 0,
        tuple((field.name, simple_name(field.type)) for field in fields),
    )


def _moved(actions: list[dict[str, Any]], before: Mapping[str, DataFile]) -> tuple[list[DataFile], list[DataFile]]:
    """Files that a commit adds and files that it removes; one that is there and is told of again is neither."""
    gone = {name: before[name] for name in map(key, _all_of(actions, "remove")) if name in before}
    come = [file for file in map(data_file, _all_of(actions, "add")) if file.key not in before or file.key in gone]
    return come, list(gone.values())


def _all_of(actions: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [action[kind] for action in actions if action.get(kind)]


def batch_kind(
    info: dict[str, Any], added: list[dict[str, Any]], removed: list[dict[str, Any]], replaces_all: bool | None
) -> str:
    """What a version is by itself: see `catalog.lake.types.Commit`.

    `replaces_all`: whether it removes every file that was there before, None when unknown.

    >>> batch_kind({"operation": "OPTIMIZE"}, [{"dataChange": False}], [{"dataChange": False}], True)
    'none'
    >>> batch_kind({"operation": "WRITE"}, [{"dataChange": True}], [], False)
    'append'
    >>> batch_kind({"operation": "WRITE"}, [{"dataChange": True}], [{"dataChange": True}], True)
    'overwrite'
    >>> overwrite = {"operation": "WRITE", "operationParameters": {"mode": "Overwrite"}}
    >>> batch_kind(overwrite, [{"dataChange": True}], [], True), batch_kind(overwrite, [], [], True)
    ('append', 'overwrite')
    >>> batch_kind({"operation": "MERGE"}, [{"dataChange": True}], [{"dataChange": True}], True)
    'rewrite'
    """
    gone = any(action.get("dataChange", True) for action in removed)
    come = any(action.get("dataChange", True) for action in added)
    operation = str(info.get("operation") or "").upper()
    told = info.get("operationParameters")
    parameters = told if isinstance(told, dict) else {}
    overwrites = str(parameters.get("mode", "")).lower() == "overwrite" or "REPLACE TABLE AS SELECT" in operation
    if _partial(parameters):
        return "rewrite" if gone or come else "none"
    if overwrites and (gone or (operation == "WRITE" and not come)):
        return "overwrite"
    if not gone and not come:
        return "none"
    if operation in _REWRITES and (gone or operation == "RESTORE"):
        return "rewrite"
    if not gone:
        return "append"
    return "overwrite" if replaces_all and operation not in _REWRITES else "rewrite"


def _replaces_all(actions: list[dict[str, Any]], before: Snapshot) -> bool:
    """Whether a commit removes every file that was live before it."""
    removed = _all_of(actions, "remove")
    return len(removed) >= len(before.files) and before.files.keys() <= {key(action) for action in removed}


def _partial(parameters: dict[str, Any]) -> bool:
    """Whether an overwrite replaces only some partitions or rows."""
    if str(parameters.get("mode", "")).lower() != "overwrite":
        return False
    predicate = parameters.get("predicate")
    mode = str(parameters.get("partitionOverwriteMode") or "").lower()
    return predicate not in (None, "", "[]", "true") or mode == "dynamic"
