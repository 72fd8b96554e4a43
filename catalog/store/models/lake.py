"""Sources, tables, columns, versions, and the states and counted parts of data files."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, Column, Float, Index, Integer, LargeBinary, String, UniqueConstraint
from sqlmodel import Field, SQLModel

from catalog.store.models.base import ONCE, now, time_column

#: Statuses of tables that nothing is asked about until they are back: those no longer under their source, and those
#: whose names it leaves out.
GONE = ("vanished", "excluded")


class Source(SQLModel, table=True):
    """A folder or address under which tables are looked for. `allowed`: further folders that the logs of its tables may
    name files of (shallow clones). `learners`: what a person chose for its tables (`catalog.learners.registry`)."""

    __table_args__ = ONCE

    id: int = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    uri: str
    include: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    exclude: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    allowed: list[str] = Field(default_factory=list, sa_column=Column(JSON))
    learners: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON))
    owner: str | None = None  # a person or a team; of what has none of its own, that of what holds it
    description: str | None = None
    created_at: datetime = Field(default_factory=now, sa_column=time_column(nullable=False))
    crawled_at: datetime | None = Field(default=None, sa_column=time_column())


class Table(SQLModel, table=True):
    """A Delta table. `status`: new, learning, empty, watched, error, vanished, excluded. `mode`: snapshot,
    increment; `mode_pinned` when a person set it. `seen_version` is in the log, where its commit file has the stamp
    `seen_stamp`; `judged_version` has its outcomes. `replaced_at`: when it was noticed that the table was dropped and
    made again; the one before had reached `replaced_version`, and nothing of it is kept. `arrived`: by column, in which
    versions (as text) it held sensitive values though it is not masked, and of which level."""

    __tablename__ = "lake_table"
    __table_args__ = (UniqueConstraint("source_id", "name"), ONCE)

    id: int = Field(default=None, primary_key=True)
    source_id: int = Field(foreign_key="source.id")
    name: str = Field(index=True)
    uri: str
    status: str = Field(default="new", index=True)
    error_kind: str | None = None
    error: str | None = None
    remedy: str | None = None
    mode: str = "snapshot"
    mode_pinned: bool = False
    seen_version: int = Field(default=-1, sa_column=Column(BigInteger, nullable=False))
    seen_stamp: str | None = None
    judged_version: int = Field(default=-1, sa_column=Column(BigInteger, nullable=False))
    first_version: int = Field(default=0, sa_column=Column(BigInteger, nullable=False))  # before it: VACUUM
    rows: int = Field(default=0, sa_column=Column(BigInteger, nullable=False))
    bytes: int = Field(default=0, sa_column=Column(BigInteger, nullable=False))
    files: int = 0
    partition_columns: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    properties: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    found_at: datetime = Field(default_factory=now, sa_column=time_column(nullable=False))
    changed_at: datetime | None = Field(default=None, sa_column=time_column())
    learned_at: datetime | None = Field(default=None, sa_column=time_column())
    strings_at: datetime | None = Field(default=None, sa_column=time_column())  # None: as above
    replaced_at: datetime | None = Field(default=None, sa_column=time_column())
    replaced_version: int | None = Field(default=None, sa_column=Column(BigInteger, nullable=True))
    owner: str | None = None
    description: str | None = None
    terms: list[str] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    learners: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON))  # before those of its source
    arrived: dict[str, dict[str, str]] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    measured: str | None = None  # the metrics that its versions were brought up to (catalog.metrics.registry)
    tagged: str | None = None  # what tags were made with (catalog.flow.learning.fingerprint); None: make them again


class LakeColumn(SQLModel, table=True):
    """A leaf column of a table's latest schema. `profile` is a small JSON of display figures of the latest version."""

    __tablename__ = "lake_column"
    __table_args__ = (UniqueConstraint("table_id", "name"), ONCE)

    id: int = Field(default=None, primary_key=True)
    table_id: int = Field(foreign_key="lake_table.id")
    name: str
    type: str
    position: int
    sensitive: bool = False  # its values are masked: its level is personal or secret
    level: str = Field(default="internal", sa_column=Column(String, nullable=False, server_default="internal"))
    hand_level: str | None = Field(default=None, index=True)  # by a person, whatever its tags say
    owner: str | None = None
    description: str | None = None
    terms: list[str] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    profile: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))


class Version(SQLModel, table=True):
    """A version of a table and the batch it makes. `batch`: snapshot, increment, rewrite, or none (no data change).
    `metrics` holds the encoded metrics of every column of the batch (catalog.history), None until observed.
    `passed` and `violated` count its outcomes, `expected_alarms` sums the false-alarm rates their rules state: figures
    over all tables are summed from here, not from millions of outcomes."""

    __tablename__ = "lake_version"
    __table_args__ = (
        UniqueConstraint("table_id", "number"),
        Index("ix_lake_version_committed", "table_id", "committed_at"),
        Index("ix_lake_version_judged", "judged_at", "passed", "violated", "expected_alarms"),
    )

    id: int = Field(default=None, primary_key=True)
    table_id: int = Field(foreign_key="lake_table.id")
    number: int = Field(sa_column=Column(BigInteger, nullable=False))
    committed_at: datetime = Field(sa_column=time_column(nullable=False))
    operation: str = ""
    commit_info: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    batch: str = "none"
    rows: int | None = Field(default=None, sa_column=Column(BigInteger, nullable=True))
    batch_rows: int | None = Field(default=None, sa_column=Column(BigInteger, nullable=True))
    files_added: int = 0
    files_removed: int = 0
    schema_columns: list[list[str]] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    status: str = "known"  # known, observed, judged, lost
    label: str | None = None  # healthy or incident, said by a person
    judged_at: datetime | None = Field(default=None, sa_column=time_column())
    passed: int = Field(default=0, sa_column=Column(Integer, nullable=False, server_default="0"))
    violated: int = Field(default=0, sa_column=Column(Integer, nullable=False, server_default="0"))
    expected_alarms: float = Field(default=0.0, sa_column=Column(Float, nullable=False, server_default="0"))
    # last, because SQLite walks through a row's long values to those behind them
    metrics: bytes | None = Field(default=None, sa_column=Column(LargeBinary, nullable=True))


class FileState(SQLModel, table=True):
    """The state of one data file, folded once in its life. `key` is its path in the table, and the deletion vector's
    identity where it has one; `modified_ms` when the log says that it was written (epoch milliseconds)."""

    __tablename__ = "file_state"
    __table_args__ = (
        UniqueConstraint("table_id", "key"),
        Index("ix_file_state_sizes", "table_id", "rows", "data_bytes", "state_bytes"),  # totals without the states
        Index("ix_file_state_order", "table_id", "key", "modified_ms"),  # the files in order without the states
    )

    id: int = Field(default=None, primary_key=True)
    table_id: int = Field(foreign_key="lake_table.id")
    key: str
    rows: int = Field(sa_column=Column(BigInteger, nullable=False))
    data_bytes: int = Field(sa_column=Column(BigInteger, nullable=False))
    state_bytes: int = Field(sa_column=Column(BigInteger, nullable=False))
    state: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    modified_ms: int = Field(default=0, sa_column=Column(BigInteger, nullable=False, server_default="0"))


class MergedState(SQLModel, table=True):
    """The merged state of neighbouring data files of a table, named by the `digest` of the files (catalog.states.tree).
    Whatever is not here is merged again from the states of the files."""

    __tablename__ = "merged_state"
    __table_args__ = (UniqueConstraint("table_id", "digest"),)

    id: int = Field(default=None, primary_key=True)
    table_id: int = Field(foreign_key="lake_table.id")
    digest: str
    state: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class PartState(SQLModel, table=True):
    """What a declared check asks for of one data file (`catalog.measures.part`), counted once: `state`, or the `error`
    that keeps it from being counted."""

    __tablename__ = "part_state"
    __table_args__ = (UniqueConstraint("table_id", "part", "file_key"),)

    id: int = Field(default=None, primary_key=True)
    table_id: int = Field(foreign_key="lake_table.id")
    file_key: str
    part: str
    state: bytes | None = Field(default=None, sa_column=Column(LargeBinary, nullable=True))
    error: str | None = None


class MergedPart(SQLModel, table=True):
    """A part of a set of data files (`PartFiles`), merged: a version that adds to them costs what it adds. Whatever is
    not here is merged again."""

    __tablename__ = "merged_part"
    __table_args__ = (UniqueConstraint("table_id", "part"),)

    id: int = Field(default=None, primary_key=True)
    table_id: int = Field(foreign_key="lake_table.id")
    part: str
    digest: str
    state: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class PartFiles(SQLModel, table=True):
    """The keys of the data files that merged parts were made of."""

    __tablename__ = "part_files"
    __table_args__ = (UniqueConstraint("table_id", "digest"),)

    id: int = Field(default=None, primary_key=True)
    table_id: int = Field(foreign_key="lake_table.id")
    digest: str
    keys: list[str] = Field(sa_column=Column(JSON, nullable=False))


class KeyLoad(SQLModel, table=True):
    """What a load (a batch of appended rows) brought of a column that identifies rows, and of whole rows (column ""):
    a sample of its values (`catalog.history.earlier`). Kept while the table has the rows: `files` are their keys."""

    __tablename__ = "key_load"
    __table_args__ = (UniqueConstraint("table_id", "column_name", "number"),)

    id: int = Field(default=None, primary_key=True)
    table_id: int = Field(foreign_key="lake_table.id")
    column_name: str
    number: int = Field(sa_column=Column(BigInteger, nullable=False))
    files: list[str] = Field(sa_column=Column(JSON, nullable=False))
    sample: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class KeySample(SQLModel, table=True):
    """A sample of the values of a column that is called a key, of a table as it stands at a version
    (`catalog.learners.references.Keyed`).

    `refused`: keys of other tables that not all of its rows named, though the samples said so: by ``source/name`` how
    often that was found, and both tables' versions when it was last."""

    __tablename__ = "key_sample"
    __table_args__ = (UniqueConstraint("table_id", "column_name"),)

    id: int = Field(default=None, primary_key=True)
    table_id: int = Field(foreign_key="lake_table.id")
    column_name: str
    version: int = Field(sa_column=Column(BigInteger, nullable=False))
    kind: str
    is_own: bool
    rows: int = Field(sa_column=Column(BigInteger, nullable=False))
    once: int = Field(sa_column=Column(BigInteger, nullable=False))
    sample: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    refused: dict[str, list[int]] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
