"""Sources, tables, columns, tags, versions."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from pydantic import Field

from catalog.store.schemas.listing import Out

if TYPE_CHECKING:  # what commands read through the driver alone needs none of it
    from catalog.store.lake.batches import HistoryCoverage
    from catalog.store.models import Version
    from catalog.store.pages.columns import ColumnLine
    from catalog.store.pages.lines import TableLine
    from catalog.tags.privacy.hiding import Hiding


class SourceOut(Out):
    id: int
    name: str
    uri: str
    include: list[str]
    exclude: list[str]
    allowed: list[str] = Field(description="further folders that logs may name files of")
    owner: str | None = Field(description="a person or a team; null: the default owner answers")
    created_at: datetime
    crawled_at: datetime | None


class TableOut(Out):
    id: int
    source_id: int
    name: str
    uri: str
    status: str
    error_kind: str | None
    error: str | None
    remedy: str | None
    mode: str
    seen_version: int
    judged_version: int
    first_version: int
    rows: int
    bytes: int
    files: int
    partition_columns: list[str]
    found_at: datetime
    changed_at: datetime | None
    learned_at: datetime | None
    source: str
    columns: int
    rules: int
    open_incidents: int
    tags: list[str]
    owner: str | None = Field(description="its own; null: that of its source, else the default owner")

    @classmethod
    def of(cls, line: TableLine) -> TableOut:
        counted = {"columns": line.columns, "rules": line.rules, "open_incidents": line.incidents, "tags": line.tags}
        return cls.made(line.table, source=line.source, **counted)


class HistoryCoverageOut(Out):
    mode: str
    pinned: bool = Field(description="a person set the mode")
    known: int
    before: int = Field(description="versions older than the log that is left")
    gone: list[tuple[int, int]] = Field(description="versions whose files are gone, as ranges")
    unread: list[tuple[int, int]]
    unchanged: int = Field(description="versions that changed no data")
    batches: int
    rewrites: int
    learned: int = Field(description="batches that rules are learned from")
    suspect: list[tuple[int, int]] = Field(description="versions that look wrong, as ranges")
    replaced_at: datetime | None = Field(description="when it was noticed that the table was dropped and made again")
    replaced_version: int | None = Field(description="the last version seen of the table before")
    words: list[str]

    @classmethod
    def of(cls, found: HistoryCoverage) -> HistoryCoverageOut:
        return cls.made(found, words=found.words())


class TagOut(Out):
    id: int
    column_id: int
    domain: str
    title: str
    score: float
    match_share: float
    sensitive: bool
    contains: bool = Field(description="only values that hold one are masked")
    status: str
    actor: str
    reason: str | None
    version: int
    updated_at: datetime


class ColumnOut(Out):
    id: int
    table_id: int
    name: str
    type: str
    position: int
    sensitive: bool = Field(description="its values are masked")
    level: str = Field(description="public, internal, personal or secret; by its tags where `hand_level` is null")
    hand_level: str | None
    owner: str | None = Field(description="its own; null: that of its table")
    profile: dict[str, Any]
    tags: list[TagOut]
    rules: int
    open_incidents: int

    @classmethod
    def of(cls, line: ColumnLine, hide: Hiding) -> ColumnOut:
        """Of its figures what may be seen."""
        from catalog.store.meaning.privacy import shown_profile

        tags = [TagOut.made(one) for one in line.tags]
        shown = shown_profile(line.column, hide)
        return cls.made(line.column, profile=shown, tags=tags, rules=line.rules, open_incidents=line.incidents)


class VersionOut(Out):
    number: int
    committed_at: datetime
    operation: str
    commit_info: dict[str, Any]
    batch: str
    batch_rows: int | None
    files_added: int
    files_removed: int
    status: str
    label: str | None
    passed: int
    violated: int

    @classmethod
    def of(cls, row: Version, violated: int, passed: int) -> VersionOut:
        return cls.made(row, violated=violated, passed=passed)


class DomainOut(Out):
    id: int
    view: str
    pattern: str
    sentence: str
    regex: str
    coverage: int = Field(description="columns that have it")
    tables: int
    impurity: float = Field(description="share of their values that do not match")
    described: list[list[Any]] = Field(description="columns that keep to it, as table id and name")
    domain: str | None = Field(description="the known domain that explains it")
    name: str | None = Field(description="what a person called it")
    label: str | None
    sensitive: bool
    found: bool = Field(description="whether the last survey found it")
