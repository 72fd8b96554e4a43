"""What columns mean: tags, domains of the lake, terms of the glossary."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, Boolean, Column, UniqueConstraint, false
from sqlmodel import Field, SQLModel

from catalog.store.models.base import ONCE, now, time_column


class Tag(SQLModel, table=True):
    """What a column means, or what some of its values hold (`contains`). `status`: proposed, accepted, rejected;
    `actor`: assay or a person's name. A decision of a person stays when the column is tagged again."""

    __table_args__ = (UniqueConstraint("column_id", "domain"), ONCE)

    id: int = Field(default=None, primary_key=True)
    column_id: int = Field(foreign_key="lake_column.id")
    domain: str = Field(index=True)
    title: str = ""
    score: float = 0.0
    match_share: float = 0.0
    sensitive: bool = False
    generic: bool = False  # said when no particular meaning was found
    contains: bool = Field(  # only values that hold one are masked
        default=False, sa_column=Column(Boolean, nullable=False, server_default=false())
    )
    status: str = "proposed"
    actor: str = "assay"
    reason: str | None = None  # why a person decided so
    evidence: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    version: int = Field(default=0, sa_column=Column(BigInteger, nullable=False))
    created_at: datetime = Field(default_factory=now, sa_column=time_column(nullable=False))
    updated_at: datetime = Field(default_factory=now, sa_column=time_column(nullable=False))


class TagEvent(SQLModel, table=True):
    """A tag that the values of a `version` did not bear out any more (`what` is lost), or did again (back). It names an
    incident of the column that was open then."""

    __tablename__ = "tag_event"

    id: int = Field(default=None, primary_key=True)
    tag_id: int = Field(index=True)
    table_id: int = Field(foreign_key="lake_table.id", index=True)
    column_name: str
    domain: str
    title: str = ""
    what: str
    version: int = Field(sa_column=Column(BigInteger, nullable=False))
    incident_id: int | None = Field(default=None, index=True)
    at: datetime = Field(default_factory=now, sa_column=time_column(nullable=False))


class LakeDomain(SQLModel, table=True):
    """A common pattern of the lake (`catalog.tags.discovery.discover`), as the last look at the index found it.

    `domain`, `title`: the known domain that explains it. `name`, `label`: what a person called it; from then on it tags
    columns, and stays when it is found no more (`found` false). `described` are ``[table id, column]``."""

    __tablename__ = "lake_domain"
    __table_args__ = (UniqueConstraint("view", "pattern"),)

    id: int = Field(default=None, primary_key=True)
    view: str
    pattern: str
    sentence: str
    regex: str
    coverage: int = 0
    tables: int = 0
    impurity: float = 0.0
    described: list[Any] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    domain: str | None = None
    title: str | None = None
    name: str | None = Field(default=None, unique=True)
    label: str | None = None
    sensitive: bool = False
    chance: float = 0.001
    actor: str | None = None
    found: bool = True
    found_at: datetime = Field(default_factory=now, sa_column=time_column(nullable=False))
    named_at: datetime | None = Field(default=None, sa_column=time_column())


class Term(SQLModel, table=True):
    """A word of the trade and what it means; tables and columns carry terms by name."""

    id: int = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    definition: str
    owner: str | None = None
