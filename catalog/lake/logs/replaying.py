"""What a table is at a version: the log's commits and checkpoints, read and replayed.

The log is replayed here, by the Delta protocol (github.com/delta-io/delta, PROTOCOL.md, "Action Reconciliation"),
rather than by a library: each commit's own adds and removes are needed, a table whose feature a library does not know
must still be named and listed, and a damaged log must be reported on the table with what is wrong in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow.parquet as pq

from catalog.errors import AssayError, ClosedLog, CorruptLog, TableVanished, UnsupportedTable
from catalog.lake.logs.actions import clean, data_file, file_path, key, parse_actions
from catalog.lake.logs.schema import Field, leaves, parse_schema
from catalog.lake.reading.storage import Entry, Storage
from catalog.lake.types import LARGEST, DataFile

LOG = "_delta_log"
_COMMIT = re.compile(r"(\d{20})\.json")
_CHECKPOINT = re.compile(r"(\d{20})\.checkpoint(?:\.(\d{10})\.(\d{10}))?\.parquet")
_V2_CHECKPOINT = re.compile(r"(\d{20})\.checkpoint\.[0-9a-fA-F-]{36}\.(?:json|parquet)")
#: A JVM, which the other readers run on, holds no array of more bytes; a bound.
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
_CHECKPOINT_COLUMNS = ("add", "metaData", "protocol", "domainMetadata", "sidecar")


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
        raise ClosedLog(f"the log at {uri}/{LOG} cannot be listed ({type(error).__name__}: {error})") from error
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
        raise CorruptLog(f"commit {listing.gap(version)} is missing from the log: version {version} cannot be rebuilt")
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
    raise damage or CorruptLog(f"version {version} cannot be rebuilt")


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


def commit_name(number: int) -> str:
    """File name of a commit, relative to the table."""
    return f"{LOG}/{number:020d}.json"
