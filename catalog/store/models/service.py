"""What is being done, and what reports are made of."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Column, Float, Index
from sqlmodel import Field, SQLModel

from catalog.store.models.base import now, time_column


class Run(SQLModel, table=True):
    """A piece of work with its progress. `kind`: crawl, check, preview, demo, drill, upgrade; `status`: queued,
    running, done, failed, cancelled. `phase` and done/total are for people; `cancel` asks it to stop."""

    id: int = Field(default=None, primary_key=True)
    kind: str
    title: str = ""
    source_id: int | None = Field(default=None, foreign_key="source.id")
    table_id: int | None = Field(default=None, foreign_key="lake_table.id")
    status: str = Field(default="queued", index=True)
    phase: str = ""
    done: int = 0
    total: int = 0
    cancel: bool = False
    error: str | None = None
    remedy: str | None = None
    stats: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    attempts: int = 0
    queued_at: datetime = Field(default_factory=now, sa_column=time_column(index=True, nullable=False))
    heartbeat_at: datetime | None = Field(default=None, sa_column=time_column())
    started_at: datetime | None = Field(default=None, sa_column=time_column())
    finished_at: datetime | None = Field(default=None, sa_column=time_column())


class Lease(SQLModel, table=True):
    """Who may work on something until when (seconds since 1970, by the database's clock where it has one). A lease that
    has run out belongs to whoever asks first: a worker that was killed blocks nobody for long."""

    name: str = Field(primary_key=True)
    holder: str
    expires_at: float = Field(sa_column=Column(Float, nullable=False))


class JournalEntry(SQLModel, table=True):
    """What a thing of the catalog is from a moment on, until its next entry; written by triggers and only added to
    (`catalog.store.reports.journal`). `at` is by the database's clock, in whole milliseconds; `gone`: deleted."""

    __tablename__ = "journal"
    __table_args__ = (Index("ix_journal_item", "kind", "item_id", "id"),)

    id: int = Field(default=None, primary_key=True)
    at: datetime = Field(default_factory=now, sa_column=time_column(index=True, nullable=False))
    kind: str
    item_id: int
    gone: bool = False
    body: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))


class ReportSchedule(SQLModel, table=True):
    """A report that is written into the service's folder again and again. `every`: day, week, month, quarter; `format`:
    pdf, html, csv, json; of one `source` or `owner` only where they are named. `error`: why the last one failed."""

    __tablename__ = "report_schedule"

    id: int = Field(default=None, primary_key=True)
    kind: str
    every: str
    format: str = "pdf"
    source: str | None = None
    owner: str | None = None
    actor: str
    made_at: datetime = Field(default_factory=now, sa_column=time_column(nullable=False))
    next_at: datetime = Field(sa_column=time_column(nullable=False))
    last_file: str | None = None
    error: str | None = None
