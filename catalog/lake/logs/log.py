"""The transaction log: what a table is at a version, and what each version did. No JVM.

The log is replayed here, by the Delta protocol (github.com/delta-io/delta, PROTOCOL.md, "Action Reconciliation"),
rather than by a library: each commit's own adds and removes are needed, a table whose feature a library does not know
must still be named and listed, and a damaged log must be reported on the table with what is wrong in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import pyarrow.parquet as pq

from catalog.errors import AssayError, CorruptLog, TableVanished, UnsupportedTable
from catalog.lake.logs.actions import clean, data_file, file_path, key, mapping, moment, parse_actions
from catalog.lake.logs.schema import Field, leaves, parse_schema, physical_names
from catalog.lake.reading.storage import Entry, Storage
from catalog.lake.types import LARGEST, Commit, DataFile, TableInfo

LOG = "_delta_log"
_COMMIT = re.compile(r"(\d{20})\.json")
_CHECKPOINT = re.compile(r"(\d{20})\.checkpoint(?:\.(\d{10})\.(\d{10}))?\.parquet")
_V2_CHECKPOINT = re.compile(r"(\d{20})\.checkpoint\.[0-9a-fA-F-]{36}\.(?:json|parquet)")
#: A JVM, which the other readers run on, holds no array of more bytes.
_MOST_BYTES = (1 << 31) - 1
#: Ten times the files of the largest tables that are told of; a bound of time.
_MOST_ACTIONS = 100_000_000
_PORTION = 1 << 14  # actions of a checkpoint read at a time; a bound of memory

#: Reader features that our own reading of data files gets right.
FILE_FEATURES = {
    "timestampNtz",
    "v2Checkpoint",
    "vacuumProtocolCheck",
    "deletionVectors",
    "columnMapping",
    "typeWidening",
    "typeWidening-preview",
}
#: Reader features that Spark's Delta reader knows.
KNOWN_FEATURES = FILE_FEATURES | {"variantType", "variantType-preview", "variantShredding-preview"}
#: Operations that change rows in place, whatever their files look like.
_REWRITES = {"MERGE", "UPDATE", "DELETE", "RESTORE", "TRUNCATE"}
_CHECKPOINT_COLUMNS = ("add", "metaData", "protocol", "domainMetadata", "sidecar")


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


@dataclass
class Snapshot:
    """A table at a version while it is replayed: the latest protocol and metadata, and the live files by key."""

    version: int
    protocol: dict[str, Any] | None
    metadata: dict[str, Any] | None
    domains: dict[str, str]
    files: dict[str, DataFile]

    def fields(self) -> tuple[Field, ...]:
        if self.metadata is None:
            raise CorruptLog(f"the log has no metadata up to version {self.version}")
        return parse_schema(self.metadata.get("schemaString") or '{"fields": []}')

    def apply(self, actions: list[dict[str, Any]]) -> None:
        """Add what a commit or checkpoint says. Removes go first: a file re-added with another vector stays."""
        for action in actions:
            if (removed := action.get("remove")) is not None:
                self.files.pop(key(removed), None)
        for action in actions:
            if (added := action.get("add")) is not None:
                file = data_file(added)
                self.files[file.key] = file
            elif (metadata := action.get("metaData")) is not None:
                self.metadata = metadata
            elif (protocol := action.get("protocol")) is not None:
                self.protocol = {name: value for name, value in protocol.items() if value is not None}
            elif (domain := action.get("domainMetadata")) is not None:
                self.domains[domain["domain"]] = domain.get("configuration", "")


@dataclass(frozen=True)
class Listing:
    """What the log folder holds: commit files, and complete checkpoints with their part names, by version."""

    storage: Storage
    commits: dict[int, Entry]
    checkpoints: dict[int, tuple[str, ...]]

    @property
    def latest(self) -> int:
        return max((*self.commits, *self.checkpoints))

    def bases(self, version: int) -> list[int]:
        """Checkpoints from which `version` can be replayed, best first; -1 is the empty table before commit 0."""
        found = sorted((v for v in (*self.checkpoints, -1) if v <= version), reverse=True)
        return [base for base in found if all(n in self.commits for n in range(base + 1, version + 1))]

    def gap(self, version: int) -> int:
        """The newest commit that is missing between the newest checkpoint and `version`."""
        base = max((v for v in self.checkpoints if v <= version), default=-1)
        return next((n for n in range(version, base, -1) if n not in self.commits), version)


@_told_as_damage
def read_table(
    uri: str, options: dict[str, str] | None = None, *, version: int | None = None, roots: Sequence[str] = ()
) -> TableInfo:
    """The table at its latest version (or at `version`).

    `roots`: addresses of the folders that paths in the log may lead to; without any, the table's own.

    Raises `TableVanished`, `CorruptLog`, `UnsupportedTable` or `OutsideSource`, each with cause and remedy.
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
    return tuple(metadata.get("partitionColumns") or ())


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
    for number in range(base, latest + 1):
        actions = read_commit(listing, number)
        replaces_all = None if snapshot is None else _replaces_all(actions, snapshot)
        if snapshot is None:  # this very version has a checkpoint and nothing before it is retained
            snapshot = replay(listing, number)
        else:
            snapshot.version = number
            snapshot.apply(actions)
        if number > after:
            commits.append(_commit(number, actions, replaces_all, snapshot, listing.commits[number]))
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


def list_log(uri: str, options: dict[str, str] | None = None, roots: Sequence[str] = ()) -> Listing:
    """The log folder's commits and complete checkpoints. ``_last_checkpoint`` is only a hint and is not needed."""
    storage = Storage(uri, options or {}, tuple(roots))
    try:
        entries = storage.list(LOG)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise TableVanished(f"there is no Delta log at {uri}/{LOG}") from error
    except AssayError:
        raise
    except Exception as error:  # each store's client raises its own
        raise TableVanished(
            f"the log at {uri}/{LOG} cannot be listed ({type(error).__name__}: {error})",
            remedy="check the address, the rights and the storage options",
        ) from error
    commits = {int(m[1]): entry for entry in entries if (m := _COMMIT.fullmatch(entry.name))}
    checkpoints: dict[int, tuple[str, ...]] = {}
    parts: dict[tuple[int, int], list[str]] = {}
    for entry in entries:
        if match := _CHECKPOINT.fullmatch(entry.name):
            if match[2] is None:
                checkpoints[int(match[1])] = (entry.name,)
            else:
                parts.setdefault((int(match[1]), int(match[3])), []).append(entry.name)
        elif match := _V2_CHECKPOINT.fullmatch(entry.name):
            checkpoints.setdefault(int(match[1]), (entry.name,))
    for (version, expected), names in parts.items():
        if len(names) == expected:
            checkpoints.setdefault(version, tuple(names))
    if not commits and not checkpoints:
        raise CorruptLog(f"the log at {uri}/{LOG} holds neither a commit nor a checkpoint")
    if max((*commits, *checkpoints)) > LARGEST:
        raise CorruptLog(f"the log at {uri}/{LOG} has a version beyond {LARGEST}")
    return Listing(storage, commits, checkpoints)


def replay(listing: Listing, version: int) -> Snapshot:
    """The table at `version`, from the newest checkpoint that can be read."""
    snapshot = Snapshot(version, None, None, {}, {})
    if version < 0:
        return snapshot
    bases = listing.bases(version)
    if not bases:
        raise CorruptLog(f"commit {listing.gap(version)} is missing from the log: version {version} cannot be told")
    damage: CorruptLog | None = None
    for base in bases:
        try:
            actions = _read_checkpoint(listing, base) if base >= 0 else []
        except CorruptLog as error:
            damage = error
            continue
        snapshot.apply(actions)
        for number in range(base + 1, version + 1):
            snapshot.apply(read_commit(listing, number))
        check_protocol(snapshot)
        return snapshot
    raise damage or CorruptLog(f"version {version} cannot be told")


def check_protocol(snapshot: Snapshot) -> None:
    """Raise `UnsupportedTable` when the table asks for a reader feature that nobody here has."""
    protocol = snapshot.protocol or {}
    reader = protocol.get("minReaderVersion", 1)
    features = set(protocol.get("readerFeatures") or ())
    unknown = sorted(features - KNOWN_FEATURES)
    if unknown:
        raise UnsupportedTable(f"the table needs the reader feature {', '.join(map(repr, unknown))}")
    if reader > 3:
        raise UnsupportedTable(f"the table needs reader version {reader}; 3 is the newest known")


def choose_reader(protocol: dict[str, Any], fields: tuple[Field, ...]) -> str:
    """``files`` where reading the Parquet files ourselves is right, ``delta`` where only Spark's reader is."""
    features = set(protocol.get("readerFeatures") or ())
    variant = any("variant" in kind for _, kind in leaves(fields))
    return "files" if features <= FILE_FEATURES and not variant else "delta"


def read_commit(listing: Listing, number: int) -> list[dict[str, Any]]:
    """The actions of a commit file; raises `CorruptLog` naming the line that cannot be read."""
    name = f"{LOG}/{number:020d}.json"
    try:
        return parse_actions(listing.storage.read(name, _MOST_BYTES), f"commit {number}")
    except FileNotFoundError as error:
        raise CorruptLog(f"commit {number} is missing from the log") from error
    except OSError as error:
        raise CorruptLog(f"commit {number} cannot be read ({type(error).__name__}: {error})") from error


def _read_checkpoint(listing: Listing, version: int) -> list[dict[str, Any]]:
    """The actions of a checkpoint, its sidecars included; whatever is wrong with it is `CorruptLog`, so that an older
    one is tried, but for a sidecar that lies outside."""
    try:
        return _checkpoint_actions(listing, version)
    except AssayError:
        raise
    except Exception as error:
        raise CorruptLog(f"checkpoint {version} cannot be read ({type(error).__name__}: {error})") from error


def _checkpoint_actions(listing: Listing, version: int) -> list[dict[str, Any]]:
    actions: list[dict[str, Any]] = []
    for name in listing.checkpoints[version]:
        path = f"{LOG}/{name}"
        if name.endswith(".json"):
            actions += parse_actions(listing.storage.read(path, _MOST_BYTES), f"checkpoint {version}")
        else:
            actions += _parquet_actions(listing.storage, path)
    for sidecar in [action["sidecar"]["path"] for action in actions if action.get("sidecar")]:
        path = file_path(sidecar)
        actions += _parquet_actions(listing.storage, path if "/" in path else f"{LOG}/_sidecars/{path}")
    return actions


def _parquet_actions(storage: Storage, path: str) -> list[dict[str, Any]]:
    """The actions in a Parquet file, portion by portion: a file of a few bytes may hold billions of empty rows."""
    actions: list[dict[str, Any]] = []
    size = 0
    with storage.open(path) as stream, pq.ParquetFile(stream) as file:
        if file.metadata.num_rows > _MOST_ACTIONS:
            raise CorruptLog(f"{path} says that it holds {file.metadata.num_rows:,} actions")
        present = [name for name in _CHECKPOINT_COLUMNS if name in file.schema_arrow.names]
        for batch in file.iter_batches(_PORTION, columns=present, use_threads=False) if present else ():
            told = {name: batch.column(name).drop_null() for name in batch.schema.names}
            size += sum(cells.nbytes for cells in told.values())
            if size > _MOST_BYTES:
                raise CorruptLog(f"{path} holds more than {_MOST_BYTES:,} bytes of actions")
            for name, cells in told.items():
                actions += [{name: value if name == "add" else clean(value)} for value in cells.to_pylist()]
    return actions


def _commit(
    number: int, actions: list[dict[str, Any]], replaces_all: bool | None, snapshot: Snapshot, entry: Entry
) -> Commit:
    told = next((action["commitInfo"] for action in actions if action.get("commitInfo")), None)
    info: dict[str, Any] = told if isinstance(told, dict) else {}
    written = moment(info.get("inCommitTimestamp")) or moment(info.get("timestamp"))
    metadata, fields = snapshot.metadata or {}, snapshot.fields()
    mapped = mapping(metadata.get("configuration")).get("delta.columnMapping.mode")
    added = [action["add"] for action in actions if action.get("add")]
    removed = [action["remove"] for action in actions if action.get("remove")]
    return Commit(
        number,
        written or moment(entry.modified * 1000) or datetime.fromtimestamp(0, UTC),
        str(info.get("operation") or "UNKNOWN"),
        info,
        batch_kind(info, added, removed, replaces_all),
        tuple(data_file(action) for action in added),
        tuple(key(action) for action in removed),
        leaves(fields),
        written is not None,
        metadata,
        physical_names(fields) if mapped in ("name", "id") else {},
    )


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
    if overwrites and (operation == "WRITE" or gone or come):
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
    removed = [action["remove"] for action in actions if action.get("remove")]
    return len(removed) >= len(before.files) and before.files.keys() <= {key(action) for action in removed}


def _partial(parameters: dict[str, Any]) -> bool:
    """Whether an overwrite replaces only some partitions or rows."""
    if str(parameters.get("mode", "")).lower() != "overwrite":
        return False
    predicate = parameters.get("predicate")
    mode = str(parameters.get("partitionOverwriteMode") or "").lower()
    return predicate not in (None, "", "[]", "true") or mode == "dynamic"


def commit_name(number: int) -> str:
    """File name of a commit, relative to the table."""
    return f"{LOG}/{number:020d}.json"
