"""Sources, tables, columns, versions."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field

from catalog.store.schemas.listing import Out
from catalog.store.schemas.meaning import TagOut
from catalog.store.schemas.runs import RunOut

if TYPE_CHECKING:  # what commands read through the driver alone needs none of it
    from catalog.store.lake.batches import HistoryCoverage
    from catalog.store.models import Version
    from catalog.store.pages.columns import ColumnLine
    from catalog.store.pages.lines import TableLine
    from catalog.store.pages.work import SourceLine


class SourceOut(Out):
    id: int
    name: str
    description: str | None
    uri: str
    include: list[str]
    exclude: list[str]
    allowed: list[str] = Field(description="further folders that logs may name files of")
    owner: str | None = Field(description="a person or a team; null: the default owner answers")
    created_at: datetime
    crawled_at: datetime | None
    tables: dict[str, int] = Field(description="how many it has, by status")
    last_run: RunOut | None

    @classmethod
    def of(cls, line: SourceLine) -> SourceOut:
        return cls.made(line.source, tables=line.tables, last_run=line.run and RunOut.made(line.run))


class ColumnRef(Out):
    id: int
    name: str


class TableOut(Out):
    id: int
    source_id: int
    name: str
    description: str | None
    terms: list[str] = Field(description="of the glossary")
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
    replaced_at: datetime | None = Field(description="when it was noticed that the table was dropped and made again")
    replaced_version: int | None = Field(description="the last version seen of the table before")
    source: str
    columns: int
    rules: int
    open_incidents: int
    tags: list[str]
    matching: list[ColumnRef] = Field(description="the first columns whose name holds a searched word")
    owner: str | None = Field(description="its own; null: that of its source, else the default owner")
    properties: dict[str, Any] | None = Field(None, description="of the Delta table; only when one table is asked for")

    @classmethod
    def of(cls, line: TableLine, **more: Any) -> TableOut:
        counted = {"columns": line.columns, "rules": line.rules, "open_incidents": line.incidents, "tags": line.tags}
        matching = [ColumnRef(id=key, name=name) for key, name in line.matching]
        own = {"terms": line.table.terms or [], "properties": None} | more
        return cls.made(line.table, source=line.source, matching=matching, **counted, **own)

    @classmethod
    def whole(cls, line: TableLine) -> TableOut:
        """With what is told of one table alone."""
        return cls.of(line, properties=line.table.properties or {})


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
    waits: str = Field(description="why nothing is learned now and how to end that; empty: learning does not wait")
    replaced_at: datetime | None = Field(description="when it was noticed that the table was dropped and made again")
    replaced_version: int | None = Field(description="the last version seen of the table before")
    words: list[str]

    @classmethod
    def of(cls, found: HistoryCoverage) -> HistoryCoverageOut:
        return cls.made(found, words=found.words())


class ColumnOut(Out):
    id: int
    table_id: int
    name: str
    description: str | None
    terms: list[str] = Field(description="of the glossary")
    type: str
    position: int
    sensitive: bool = Field(description="its values are masked")
    level: str = Field(
        description="public, internal, unreviewed, personal or secret; by its tags where `hand_level` is null"
    )
    hand_level: str | None
    owner: str | None = Field(description="its own; null: that of its table")
    profile: dict[str, Any]
    tags: list[TagOut]
    rules: int
    open_incidents: int

    @classmethod
    def of(cls, line: ColumnLine) -> ColumnOut:
        """Of its figures what may be seen."""
        return cls._told(line, [TagOut.of(one) for one in line.tags])

    @classmethod
    def whole(cls, line: ColumnLine) -> ColumnOut:
        """With why each tag is proposed."""
        return cls._told(line, [TagOut.whole(one, line.column.sensitive) for one in line.tags])

    @classmethod
    def _told(cls, line: ColumnLine, tags: list[TagOut]) -> ColumnOut:
        from catalog.store.meaning.privacy import shown_profile

        own = {"profile": shown_profile(line.column, line.hide), "terms": line.column.terms or []}
        return cls.made(line.column, **own, tags=tags, rules=line.rules, open_incidents=line.incidents)


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
    schema_columns: list[list[str]] | None = Field(
        None, description="the columns with their types; only when one version is asked for"
    )

    @property
    def standing(self) -> str:
        """Its status in words: what no rule was asked of was not judged; it taught, where it brought rows."""
        if self.status != "judged" or self.passed or self.violated:
            return self.status
        return "no new rows" if self.batch == "none" or self.batch_rows == 0 else "learned from"

    @classmethod
    def of(cls, row: Version) -> VersionOut:
        return cls._told(row, schema_columns=None)

    @classmethod
    def whole(cls, row: Version) -> VersionOut:
        """With its columns."""
        return cls._told(row)

    @classmethod
    def _told(cls, row: Version, **more: Any) -> VersionOut:
        from catalog.store.lake.versions import told_by_log  # of releases that kept all that a log said

        return cls.made(row, commit_info=told_by_log(row.commit_info), **more)


class VersionLabel(Out):
    number: int
    label: str


class UnmaskedBlock(BaseModel):
    column: str
    sentence: str | None = None
    rows: list[dict[str, Any]]
    why: str | None = Field(None, description="why there are no rows")


class UnmaskedOut(BaseModel):
    """Values of the levels that the role may see, as the lake holds them now; the others masked."""

    table: str
    version: int
    levels: list[str]
    blocks: list[UnmaskedBlock]
