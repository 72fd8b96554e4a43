"""What a Delta table is made of, as plain data: no Spark, no deltalake."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

#: Largest number that the catalog's database keeps; a bound.
LARGEST = 2**63 - 1


@dataclass(frozen=True)
class DataFile:
    """A data file as the log lists it.

    `path` is relative to the table (or absolute, as the log has it), percent-decoded. `deletion_vector` is the
    vector's identity (None without one): the same file with another vector has other rows. `rows` counts those that the
    vector leaves of what the log's statistics say, None where they are absent.
    """

    path: str
    size: int
    partition_values: dict[str, str | None] = field(default_factory=dict)
    rows: int | None = None
    deletion_vector: str | None = None
    modified_at: datetime | None = None

    @property
    def key(self) -> str:
        """Identity of the file's content: a file is folded once per key."""
        return f"{self.path}#{self.deletion_vector}" if self.deletion_vector else self.path


@dataclass(frozen=True)
class Commit:
    """One version as its commit file tells it.

    `columns` is ``[[leaf name, type], ...]`` of the schema in force after the commit. `batch` says what the version is
    by itself: ``append`` (only adds, all with data change), ``overwrite`` (replaces all earlier files), ``rewrite``
    (MERGE, UPDATE, DELETE, RESTORE, partial overwrite: adds and removes), or ``none`` (no data change: OPTIMIZE,
    VACUUM, metadata). `added` and `removed` hold what changed, data change or not. `has_time`: whether the commit says
    when it was made; else `committed_at` is its file's time. `metadata` is the table's at this version. `physical`:
    names of the columns inside the files, by name, where the table maps names. `partitions`: how many partitions of
    time (days) it wrote whole, one of them new, and nothing else; 0 for any other (`catalog.lake.logs.partitions`).
    `fields`: name and type of each column as people count them: a struct or a list is one.
    """

    number: int
    committed_at: datetime
    operation: str
    info: dict[str, Any]
    batch: str
    added: tuple[DataFile, ...]
    removed: tuple[str, ...]  # keys
    columns: tuple[tuple[str, str], ...]
    has_time: bool = True
    metadata: dict[str, Any] = field(default_factory=dict, repr=False)
    physical: dict[str, str] = field(default_factory=dict, repr=False)
    partitions: int = 0
    fields: tuple[tuple[str, str], ...] = ()

    @property
    def schema(self) -> list[list[str]]:
        """The columns as ``[name, type]``, and the name inside the files where the table maps names."""
        return [[name, kind, *([self.physical[name]] if name in self.physical else [])] for name, kind in self.columns]


@dataclass(frozen=True)
class TableInfo:
    """A table at its latest version, read from its log without a JVM."""

    name: str
    uri: str
    version: int
    columns: tuple[tuple[str, str], ...]
    partition_columns: tuple[str, ...]
    files: tuple[DataFile, ...]
    properties: dict[str, Any]  # description, table properties, protocol, id, created time
    stamp: str | None  # of the version's commit file (`catalog.lake.reading.storage.Entry.stamp`); None without one
    reader: str  # "files": our tasks may read the files; "delta": only Spark's Delta reader reads them rightly
    roots: tuple[str, ...] = ()  # addresses of the folders its files may lie in; none: its own
